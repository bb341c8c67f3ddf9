"""Carry chunks to where they are played: this process, or Ray workers here or on a cluster. The only import of ray.

Every way gives the same bytes: a chunk's part depends on the match and the chunk alone.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engine.kernel import cache_misses
from experiments.matches import Match, play_chunk
from experiments.results import part_bytes
from experiments.schedule import Chunk

RAY_START_SECONDS = 13.0  # import, init and first task on a machine of two cores
SAMPLE_SECONDS = 1.0  # played in the process before the rest is estimated
IN_FLIGHT = 3  # chunks handed to Ray ahead of those that came back, for each worker


@dataclass(frozen=True)
class Place:
    """Where work may go: `serial` keeps it in the process, `address` names a Ray cluster ("" for a local one)."""

    serial: bool = False
    address: str = ""
    workers: int = 0

    @property
    def n_workers(self) -> int:
        """How many workers a local Ray gets: as asked, or one for each core."""
        return self.workers or os.cpu_count() or 1


@dataclass
class Report:
    """How the work went, for the person who waits."""

    where: str = "in this process"
    compiled_by_workers: int = 0


def play_part(match: Match, chunk: Chunk) -> bytes:
    """Play a chunk and return the content of its part."""
    tally, games = play_chunk(match, chunk)
    return part_bytes(match, tally, games)


def play_parts(
    match: Match, chunks: Sequence[Chunk], work: Sequence[float], place: Place, report: Report
) -> Iterator[tuple[Chunk, bytes]]:
    """Yield each chunk with the content of its part, in the order in which they are done.

    `work` is the rough cost of a block of each line-up. The first chunks are played in the process; when what is left
    looks longer than starting Ray takes, or a cluster is named, the rest goes to Ray. `report` says which it was.
    """
    left = list(chunks)
    if not place.address:
        started = time.perf_counter()
        done = 0.0
        while left:
            chunk = left.pop(0)
            yield chunk, play_part(match, chunk)
            done += work[chunk.line_up] * chunk.n_deals
            spent = time.perf_counter() - started
            if place.serial or spent < SAMPLE_SECONDS:
                continue
            todo = sum(work[each.line_up] * each.n_deals for each in left)
            if spent / done * todo > _start_seconds() and place.n_workers > 1:
                break
    if left:
        with ray_kept():
            yield from _play_on_ray(_open_ray(place), match, left, place, report)


@dataclass
class _Open:
    """The Ray that this process has open: it can only have one."""

    keepers: int = 0
    ray: Any = None
    place: Place | None = None

    def close(self) -> None:
        """End Ray, if it is open."""
        if self.ray is not None:
            self.ray.shutdown()
        self.ray = self.place = None


_open = _Open()


@contextmanager
def ray_kept() -> Iterator[None]:
    """Let all plays inside share one Ray, which is started by the first that needs it and ends with the outermost."""
    _open.keepers += 1
    try:
        yield
    finally:
        _open.keepers -= 1
        if not _open.keepers:
            _open.close()


def _start_seconds() -> float:
    return 0.0 if _open.ray is not None else RAY_START_SECONDS


def _open_ray(place: Place) -> Any:
    if _open.place != place:
        _open.close()
        _open.ray = _start_ray(place)
        _open.place = place
    return _open.ray


def _play_on_ray(
    ray: Any, match: Match, chunks: Sequence[Chunk], place: Place, report: Report
) -> Iterator[tuple[Chunk, bytes]]:
    workers = int(ray.cluster_resources().get("CPU", 1)) if place.address else place.n_workers
    what = f"the Ray cluster at {place.address}" if place.address else "Ray on this machine"
    report.where = f"on {what} with {workers} workers"
    play = ray.remote(max_retries=3)(_play_remotely)
    shared = ray.put(match)
    waiting = list(reversed(chunks))
    running: dict[Any, Chunk] = {}
    try:
        while waiting or running:
            while waiting and len(running) < IN_FLIGHT * workers:
                chunk = waiting.pop()
                running[play.remote(shared, chunk)] = chunk
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                chunk = running.pop(reference)
                content, misses = _answer(ray, reference, chunk)
                report.compiled_by_workers += misses
                yield chunk, content
    except GeneratorExit:  # left before its end: the next play may want the workers
        for reference in running:
            ray.cancel(reference)
        raise


def _answer(ray: Any, reference: Any, chunk: Chunk) -> tuple[bytes, int]:
    """Return what a worker sent; ValueError with one sentence when it failed, or Ray did."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ValueError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        raise ValueError(
            f"Ray gave up on {chunk.id} ({type(error).__name__}); the parts written so far are whole, the same command "
            "takes the run up"
        ) from error


CONNECT_SECONDS = 5.0


def _check_reachable(address: str) -> None:
    """Refuse an address where nobody listens: Ray itself would go on trying for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        raise ValueError(f"a Ray address is HOST:PORT or ray://HOST:PORT, not {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"Ray at {address!r} does not answer: {error}") from None


def _start_ray(place: Place) -> Any:
    if place.address:
        _check_reachable(place.address)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves this machine
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if place.address:
            ray.init(address=place.address, **quiet)
        else:  # "local": a cluster that happens to run on this machine is used only when it is named
            ray.init(address="local", num_cpus=place.n_workers, include_dashboard=False, **quiet)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        wanted = f"at {place.address!r}" if place.address else "on this machine"
        raise ValueError(f"Ray {wanted} does not answer: {reason}") from error
    return ray


def _play_remotely(match: Match, chunk: Chunk) -> tuple[bytes, int]:
    before = cache_misses()
    content = play_part(match, chunk)
    return content, cache_misses() - before
