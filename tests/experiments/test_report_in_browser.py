"""The page of a run in a real browser, opened as a file: it asks for nothing, sorts, and fits its window."""

import os
import shutil

import pytest

from experiments.report import write_report
from tests.experiments.test_report import runs  # noqa: F401

pytestmark = pytest.mark.slow

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = (360, 1280)

STICKING_OUT = """() => {
  const isInScroller = (element) => {
    for (let above = element.parentElement; above; above = above.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(above).overflowX)) return true;
    return false;
  };
  const isUnseen = (element) => element.closest(".unseen, .skip") !== null;
  return Array.from(document.querySelectorAll("body *"))
    .filter((element) => !isUnseen(element) && !isInScroller(element))
    .filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
    })
    .map((element) => element.outerHTML.slice(0, 120));
}"""
COLUMN = """([table, column]) => Array.from(document.getElementById(table).tBodies[0].rows,
  (row) => row.cells[column].dataset.key ?? row.cells[column].textContent)"""
SORTED = """(table) => Array.from(document.getElementById(table).tHead.rows[0].cells,
  (cell) => cell.getAttribute("aria-sort"))"""


def browser_path() -> str:
    """Return the browser to use; skip where none was named and none is there."""
    named = os.environ.get("PIZZABOTS_BROWSER", "")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)
    if not named and found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the path, and PIZZABOTS_BROWSER names none")
    assert found is not None, f"PIZZABOTS_BROWSER names {named!r}, which is no program"
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from playwright.sync_api import sync_playwright

    path = browser_path()
    with sync_playwright() as playwright:
        profile = tmp_path_factory.mktemp("profile")
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=path, headless=True, args=FLAGS, color_scheme="light"
        )
        yield context
        context.close()


@pytest.fixture(scope="module", params=["cooperative", "competitive", "session"])
def address(request, runs):  # noqa: F811
    return write_report(runs[request.param])[1].resolve().as_uri()


@pytest.fixture
def opened(browser, address):
    """The page, and what went wrong or was asked for while it was open."""
    tab = browser.new_page()
    wrong: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.set_viewport_size({"width": WIDTHS[-1], "height": 900})
    tab.goto(address)
    yield tab
    assert wrong == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    tab.close()


def tables_of(page) -> list[str]:
    return page.evaluate("() => Array.from(document.querySelectorAll('table.sortable'), (table) => table.id)")


def in_order(keys: list[str]) -> bool:
    """Tell whether what is known ascends, numbers as numbers, and what is unknown comes last."""
    known = [key for key in keys if key]
    if keys != known + [""] * (len(keys) - len(known)):
        return False
    try:
        numbers = [float(key) for key in known]
    except ValueError:
        return True  # words: their order is the browser's affair
    return numbers == sorted(numbers)


def test_a_click_sorts_by_any_column(opened):
    reordered = 0
    for table in tables_of(opened):
        heads = opened.locator(f"#{table} thead button")
        for column in range(heads.count()):
            before = opened.evaluate(COLUMN, [table, column])
            for _ in range(2):  # the column by which it stands may ascend already: then the first click turns it
                heads.nth(column).click()
                if opened.evaluate(SORTED, table)[column] == "ascending":
                    break
            ascending = opened.evaluate(COLUMN, [table, column])
            assert opened.evaluate(SORTED, table).count(None) == heads.count() - 1
            assert sorted(ascending) == sorted(before)
            assert in_order(ascending), (table, column, ascending)
            heads.nth(column).click()
            descending = opened.evaluate(COLUMN, [table, column])
            assert opened.evaluate(SORTED, table)[column] == "descending"
            if len(set(ascending)) > 1:
                assert descending != ascending
                reordered += 1
            assert "descending" in opened.locator("#sorted").text_content()
    assert reordered >= 10


def test_numbers_sort_as_numbers(opened, address):
    """As words, 9.0 to 12.0 and -1.0 would come in another order; the keys are numbers of full precision."""
    opened.evaluate(
        """() => document.querySelectorAll("table.sortable").forEach((table) => {
             const row = table.tBodies[0].rows[0];
             ["9", "-10.5", "100", ""].forEach((key) => {
               const copy = row.cloneNode(true);
               copy.cells[1].dataset.key = key;
               table.tBodies[0].append(copy);
             });
             Array.from(table.tBodies[0].rows).slice(0, -4).forEach((old) => old.remove());
           })"""
    )
    table = tables_of(opened)[0]
    head = opened.locator(f"#{table} thead button").nth(1)
    keys = []
    for _ in range(2):
        head.click()
        keys.append(opened.evaluate(COLUMN, [table, 1]))
    assert sorted(keys) == [["-10.5", "9", "100", ""], ["100", "9", "-10.5", ""]]


def test_everything_can_be_reached_and_sorted_by_keyboard(opened):
    opened.keyboard.press("Tab")
    assert opened.evaluate("() => document.activeElement.className") == "skip"
    assert opened.evaluate("() => document.activeElement.getBoundingClientRect().left >= 0")
    seen = set()
    for _ in range(300):
        opened.keyboard.press("Tab")
        where = opened.evaluate(
            """() => {
              const at = document.activeElement;
              const table = at.closest("table");
              const outline = getComputedStyle(at).outlineStyle;
              return [at.tagName, table && table.id, at.parentElement.cellIndex ?? -1, outline];
            }"""
        )
        if where[0] == "BODY":
            break
        assert where[3] != "none", where
        if where[0] == "BUTTON" and where[1:3] not in ([table, column] for table, column in seen):
            seen.add((where[1], where[2]))
            key = "Enter" if len(seen) % 2 else "Space"
            opened.keyboard.press(key)
            first = opened.evaluate(SORTED, where[1])[where[2]]
            assert first in ("ascending", "descending")
            rows = opened.evaluate(COLUMN, [where[1], where[2]])
            opened.keyboard.press(key)
            assert opened.evaluate(SORTED, where[1])[where[2]] not in (None, first)
            if len(set(rows)) > 1:
                assert opened.evaluate(COLUMN, [where[1], where[2]]) != rows
    heads = opened.locator("table.sortable thead th").count()
    assert len(seen) == heads > 10


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out_of_the_window(opened, width):
    opened.set_viewport_size({"width": width, "height": 800})
    assert opened.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
    assert opened.evaluate(STICKING_OUT) == []


def test_nothing_is_cut_off_on_paper(opened):
    """A4 less its margins is 718 pixels wide; paper does not scroll."""
    opened.emulate_media(media="print")
    opened.set_viewport_size({"width": 718, "height": 1000})
    assert opened.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
    assert opened.evaluate(STICKING_OUT) == []
    assert not opened.locator("nav").is_visible()


def test_pictures_are_there(opened):
    sizes = opened.evaluate("() => Array.from(document.images, (image) => [image.complete, image.naturalWidth])")
    assert len(sizes) >= 2
    assert all(complete and width > 100 for complete, width in sizes)
