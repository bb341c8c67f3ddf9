"""Whatever is killed, filled up or damaged: the finished run has the bytes of one that nobody disturbed."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engine import load_game
from experiments import load_run, run_tournament
from tests.experiments import survivor
from tests.experiments.test_cli import run  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
N_KILLS = int(os.environ.get("PIZZABOTS_KILLS", "2"))  # of each kind
GAME = "robots-ate-our-pizza"


@pytest.fixture(scope="module")
def setup():
    return load_game(GAME)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return the content of all that a run must have in common with its undisturbed twin."""
    files = [*(folder / "parts").iterdir(), folder / "summary.json"]
    return {path.name: path.read_bytes() for path in files}


@pytest.fixture
def finished(setup, tmp_path):
    """Return a small finished run, and a function that plays it once more into its folder."""

    def again():
        return run_tournament(setup, ["uniform", "greedy:style=own"], 20, 3, "cross", serial=True, out=tmp_path / "run")

    again()
    return tmp_path / "run", again


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 4
    path.write_bytes(content)


DAMAGE = {
    "a bit has flipped": flip,
    "half is gone": lambda path: os.truncate(path, path.stat().st_size // 2),
    "nothing is left": lambda path: os.truncate(path, 0),
    "another part lies there": lambda path: path.write_bytes(max(path.parent.iterdir()).read_bytes()),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_part_is_played_again_and_the_others_are_not(finished, damage):
    folder, again = finished
    before = bytes_of(folder)
    first, *others = sorted((folder / "parts").iterdir())
    times = [path.stat().st_mtime_ns for path in others]
    damage(first)
    assert bytes_of(folder) != before
    again()
    assert bytes_of(folder) == before
    assert [path.stat().st_mtime_ns for path in others] == times


def test_damage_is_met_by_who_reads_the_column_and_by_nobody_else(finished):
    """So a subset of columns is read without the rest; otherwise the damage would show."""
    folder, _ = finished
    part = min((folder / "parts").iterdir())
    facts = pq.read_metadata(part).row_group(0)
    columns = {facts.column(place).path_in_schema: facts.column(place) for place in range(facts.num_columns)}
    content = bytearray(part.read_bytes())
    points = columns["points"]
    first_page = points.dictionary_page_offset if points.has_dictionary_page else points.data_page_offset
    content[first_page + points.total_compressed_size - 1] ^= 1
    whole = load_run(folder, ["seat", "utility"])
    part.write_bytes(content)
    assert load_run(folder, ["seat", "utility"]).equals(whole)
    with pytest.raises(ValueError, match=r"part .* is damaged; the command that made the run, given again, mends it"):
        load_run(folder, ["points"])


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


FULL = "import sys; import tests.agents.own; from experiments.cli import main; main(sys.argv[1:])"


def test_a_disk_that_is_full_gets_one_sentence_and_nothing_half_written(tmp_path):
    """The system itself refuses to write on: no file may grow beyond 20,000 bytes."""
    arguments = ["tournament", GAME, "--agents", "uniform", "--deals", "3000", "--serial", "--no-charts", "--out"]
    command = [sys.executable, "-c", FULL, *arguments]
    subprocess.run(
        [*command, str(tmp_path / "undisturbed")], cwd=ROOT, check=True
    )  # leaves compiled code, which is larger
    answer = subprocess.run(
        [*command, str(tmp_path / "run")],
        cwd=ROOT,
        preexec_fn=limit_files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 2
    complaint = answer.stderr.splitlines()[-1]
    assert complaint.startswith(f"pizzabots: the run '{tmp_path}/run' ")
    assert "cannot be written: File too large; the parts written so far are whole, the same command takes" in complaint
    assert "Traceback" not in answer.stderr
    assert list((tmp_path / "run" / "parts").iterdir()) == []
    assert not (tmp_path / "run" / "summary.json").exists()
    subprocess.run([*command, str(tmp_path / "run")], cwd=ROOT, check=True)
    assert bytes_of(tmp_path / "run") == bytes_of(tmp_path / "undisturbed")


# Playing a run again.


def test_a_run_comes_out_again(run, finished):  # noqa: F811
    folder, _ = finished
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    code, out, _ = run("repro", folder, "--serial")
    assert code == 0
    assert "80 games in 3 parts, played again: every byte is the same" in out
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_what_does_not_come_out_again_is_named(run, finished):  # noqa: F811
    folder, _ = finished
    first, second, _ = sorted((folder / "parts").iterdir())
    flip(first)
    second.unlink()
    (folder / "summary.json").write_text("[]\n")
    code, out, _ = run("repro", folder, "--serial")
    assert code == 1
    assert "played again: not the same" in out
    for words in (f"{first.name} differs", f"{second.name} is missing", "summary.json differs"):
        assert words in out


def test_a_run_of_other_code_is_not_repeated(run, finished):  # noqa: F811
    folder, _ = finished
    config = (folder / "config.json").read_text()
    for old, new, sentence in (
        ('"source": "', '"source": "0', "is not of this code, so it cannot be repeated: source there"),
        ('"move_seconds"', '"seconds"', "does not say its move_seconds: another version made it"),
        ("{", "[", "is no run"),
    ):
        (folder / "config.json").write_text(config.replace(old, new, 1))
        code, _, err = run("repro", folder, "--serial")
        assert code == 2
        assert sentence in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--serial", "--ray", "a:1"], "--serial and --ray exclude each other"),
        (["--serial", "--workers", "2"], "--serial and --workers exclude each other"),
        (["--ray", "a:1", "--workers", "2"], "--ray and --workers exclude each other"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(run, tmp_path, flags, sentence):  # noqa: F811
    for words in (["tournament", GAME, "--out", tmp_path / "run"], ["repro", tmp_path]):
        code, _, err = run(*words, *flags)
        assert code == 2
        assert sentence in err
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# Killing.


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    play_whole(folder)
    return bytes_of(folder)


def play_whole(folder: Path) -> None:
    """Play the run, or what is missing of it, in a process that knows the same code as the one that is killed."""
    subprocess.run([sys.executable, "-m", "tests.experiments.survivor", str(folder), "serial"], cwd=ROOT, check=True)


def family(pid: int) -> dict[int, str]:
    """Return the command lines of all descendants of a process, by id."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            try:
                found[child] = (Path("/proc") / str(child) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            waiting.append(child)
    return found


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_at_random(folder: Path, how: str, victim: str, chance: random.Random) -> str:
    """Start the run, kill one of its processes after a random number of parts, and let the rest end."""
    environment = {**os.environ, "RAY_gcs_rpc_server_reconnect_timeout_s": "2"}
    command = [sys.executable, "-m", "tests.experiments.survivor", str(folder), how]
    driver = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    relatives: dict[int, str] = {}
    try:
        wanted = chance.randrange(1, 3 * survivor.N_PARTS - 30)
        while driver.poll() is None and len(list(folder.glob("parts/part-*"))) < wanted:
            time.sleep(0.002)
        time.sleep(0.05 * chance.random())
        relatives = family(driver.pid)
        targets = [pid for pid, words in relatives.items() if victim in words] if victim else [driver.pid]
        assert targets, f"no {victim} to kill: {relatives}"
        os.kill(chance.choice(targets), signal.SIGKILL)
        n_parts = len(list(folder.glob("parts/part-*")))
        try:
            driver.wait(timeout=40)
        except subprocess.TimeoutExpired:  # Ray waits for what is no more; a person would end it, too
            driver.kill()
        return f"{victim or 'driver'} killed at {n_parts} parts"
    finally:
        driver.kill()
        driver.wait()
        for _ in range(100):
            if not any(map(is_alive, relatives)):
                break
            time.sleep(0.1)
        for pid in filter(is_alive, relatives):
            os.kill(pid, signal.SIGKILL)


VICTIMS = {
    "driver alone": ("serial", ""),
    "driver of workers": ("ray", ""),
    "worker": ("ray", "ray::"),
    "raylet": ("ray", "raylet/raylet"),
    "gcs": ("ray", "gcs_server"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", VICTIMS)
def test_a_killed_run_is_taken_up_and_comes_out_the_same(undisturbed, tmp_path, what):
    """PIZZABOTS_KILLS=20 kills twenty of each kind, at random moments that the test's name and number decide."""
    how, victim = VICTIMS[what]
    n_kills = N_KILLS if how == "serial" or "PIZZABOTS_KILLS" in os.environ else 1
    for number in range(n_kills):
        folder = tmp_path / f"run-{number}"
        words = kill_at_random(folder, how, victim, random.Random(f"{what} {number}"))
        left = len(list(folder.glob("parts/part-*")))
        play_whole(folder)
        print(f"{words}; {left} parts when all had ended; taken up")
        assert bytes_of(folder) == undisturbed
