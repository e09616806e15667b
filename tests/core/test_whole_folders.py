"""A folder is replaced in one step: readers see one version, a kill leaves one, the next writer clears up."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.files import create_bytes, draft_folder, folders, read_whole, replace_folder, set_aside
from rankproof.files.drafts import sweep
from rankproof.runs.run_folder import check_model, new_run, read_run, write_results

LAST = "last.txt"


def put(place: Path, version: str, *more: str) -> None:
    with draft_folder(place) as draft:
        for name in ("first.txt", *more, LAST):
            (draft / name).write_text(version)
        replace_folder(draft, place, last=LAST, ours={"first.txt", "extra.txt", LAST})


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def texts(place: Path) -> dict[str, str]:
    return {one.name: one.read_text() for one in sorted(place.iterdir())}


@pytest.fixture(params=["exchange", "rename"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the exchange of the system, and without it, as on some network file systems."""
    if request.param == "rename":
        monkeypatch.setattr(folders, "_system_exchange", lambda: lambda *_: errno.EINVAL)
    else:
        assert folders._system_exchange() is not None
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_ours_are_replaced_and_what_others_put_there_stays(tmp_path: Path) -> None:
    place = tmp_path / "place"
    put(place, "one", "extra.txt")
    (place / "notes.txt").write_text("mine")
    (place / "folder").mkdir()
    (place / "folder" / "link").symlink_to("nowhere")
    put(place, "two")
    assert names(tmp_path) == ["place"]
    assert (place / "folder" / "link").readlink() == Path("nowhere")
    (place / "folder" / "link").unlink()
    (place / "folder").rmdir()
    assert texts(place) == {"first.txt": "two", LAST: "two", "notes.txt": "mine"}


@pytest.mark.usefixtures("way")
def test_readers_see_one_version_while_several_write(tmp_path: Path) -> None:
    place = tmp_path / "place"
    put(place, "0")
    stop, wrong = threading.Event(), []

    def write(first: int) -> None:
        for number in range(first, 300, 2):
            put(place, str(number))

    def read() -> None:
        while not stop.is_set():
            try:
                seen = read_whole(
                    place, lambda folder: {(folder / n).read_text() for n in ("first.txt", LAST)}
                )
            except Exception as error:
                seen = {repr(error)}
            if len(seen) != 1 or not next(iter(seen)).isdigit():
                wrong.append(seen)

    writers = [threading.Thread(target=write, args=(first,)) for first in (0, 1)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for one in (*writers, *readers):
        one.start()
    for one in writers:
        one.join()
    stop.set()
    for one in readers:
        one.join()
    assert wrong == []
    assert names(tmp_path) == ["place"]


def test_an_error_of_the_system_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "place", "one")
    monkeypatch.setattr(folders, "_system_exchange", lambda: lambda *_: errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        put(tmp_path / "place", "two")
    assert texts(tmp_path / "place") == {"first.txt": "one", LAST: "one"}
    assert names(tmp_path) == ["place"]


@pytest.mark.parametrize("failure", [errno.EBUSY, errno.EACCES])
def test_a_mount_point_is_filled_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: int
) -> None:
    """As the folder of a container: neither it nor the one above can be renamed."""
    place = tmp_path / "place"
    put(place, "one", "extra.txt")
    monkeypatch.setattr(folders, "_system_exchange", lambda: lambda *_: failure)
    if failure == errno.EBUSY:
        monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == place)
    with draft_folder(place) as draft:
        assert draft.parent == (place if failure == errno.EBUSY else tmp_path)
        for name in ("first.txt", LAST):
            (draft / name).write_text("two")
        replace_folder(draft, place, last=LAST, ours={"first.txt", "extra.txt", LAST})
    assert texts(place) == {"first.txt": "two", LAST: "two"}


def test_the_working_directory_stays_the_folder_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell that is in it would see nothing of the new one."""
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    for version in ("one", "two"):
        put(tmp_path, version)
        assert texts(tmp_path) == {"first.txt": version, LAST: version}
    assert tmp_path.stat().st_ino == before


def test_an_empty_folder_is_free(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    put(tmp_path / "place", "one")
    assert texts(tmp_path / "place")[LAST] == "one"
    assert names(tmp_path) == ["place"]


@pytest.mark.usefixtures("way")
def test_a_link_stays_and_the_folder_it_leads_to_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "far" / "real", tmp_path / "link"
    link.symlink_to("far/real")
    # First a link to nothing.
    for version in ("one", "two"):
        put(link, version, "extra.txt" if version == "one" else "first.txt")
        assert link.readlink() == Path("far/real")
        assert set(texts(real).values()) == {version}
    assert names(tmp_path) == ["far", "link"]
    assert names(real.parent) == ["real"]
    real.rename(real.parent / ".real.0123456789ab.old")
    assert read_whole(link, texts)[LAST] == "two"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("mode", [0o2770, 0o700, 0o1777])
def test_the_mode_of_a_folder_outlives_it(tmp_path: Path, mode: int, empty: bool) -> None:
    place = tmp_path / "place"
    place.mkdir()
    if not empty:
        put(place, "one")
    place.chmod(mode)
    put(place, "two")
    assert texts(place)[LAST] == "two"
    assert stat.S_IMODE(place.stat().st_mode) == mode


def test_models_and_runs_are_written_through_links(tmp_path: Path) -> None:
    place, link, loop = (tmp_path / name for name in ("place", "link", "loop"))
    link.symlink_to("place")
    for seed in (1, 2):
        model = ranker(seed)
        model.save(link)
        assert link.is_symlink()
        assert rp.load_model(place).coef_.tobytes() == model.coef_.tobytes()
    with new_run(tmp_path / "run") as draft:
        write_results(draft, {"turn": 1})
    link.unlink()
    link.symlink_to("run")
    with new_run(link, replace=True) as draft:
        write_results(draft, {"turn": 2})
    assert link.is_symlink()
    assert read_run(tmp_path / "run")["turn"] == 2
    loop.symlink_to("loop")
    with pytest.raises(ArgumentError, match=r"Cannot save a model to '.*loop': it exists and is not a model"):
        ranker(1).save(loop)
    assert names(tmp_path) == ["link", "loop", "place", "run"]


@pytest.mark.usefixtures("way")
def test_what_a_killed_writer_put_aside_is_read_and_put_back(tmp_path: Path) -> None:
    put(tmp_path / "place", "one")
    (tmp_path / "place").rename(tmp_path / ".place.0123456789ab.old")
    assert read_whole(tmp_path / "place", texts)[LAST] == "one"
    with draft_folder(tmp_path / "place"):
        assert texts(tmp_path / "place")[LAST] == "one"
    put(tmp_path / "place", "two")
    assert names(tmp_path) == ["place"]


def test_what_a_killed_writer_left_goes_and_what_a_living_one_writes_stays(tmp_path: Path) -> None:
    left = [tmp_path / f".{name}.0123456789ab.tmp" for name in ("place", "file.txt", "other")]
    left[0].mkdir()
    (left[0] / "half").write_text("half")
    for one in left[1:]:
        one.write_text("half")
    with draft_folder(tmp_path / "place") as living, create_bytes(tmp_path / "file.txt") as file:
        file.write(b"whole")
        for name in ("place", "file.txt"):
            sweep(tmp_path / name)
        drafts = {one.name for one in tmp_path.iterdir()}
        assert living.name in drafts
        assert len(drafts) == 3
        assert not {left[0].name, left[1].name} & drafts
    # Nobody has written to the third.
    assert names(tmp_path) == [left[2].name, "file.txt"]


def test_things_put_aside_come_back_after_a_kill(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from pathlib import Path
from rankproof.files import set_aside
folder = Path(sys.argv[1])
with set_aside(folder, ["a", "b", "c"]):
    (folder / "a").write_text("new")
    (folder / "c").write_text("new")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "b").exists()
    with pytest.raises(ZeroDivisionError), set_aside(tmp_path, ["a", "b", "c"]):
        1 / 0  # noqa: B018
    assert {name: (tmp_path / name).read_text() for name in ("a", "b")} == {"a": "old", "b": "old"}
    assert [one for one in names(tmp_path) if one.endswith(".tmp")] == []


def test_a_kill_while_what_was_put_aside_is_removed_leaves_the_new(tmp_path: Path) -> None:
    script = """
import os, shutil, signal, sys
from pathlib import Path
from rankproof.files import set_aside

def killed(path, **_):
    (Path(path) / "run" / "model.json").unlink()
    os.kill(os.getpid(), signal.SIGKILL)

folder = Path(sys.argv[1])
with set_aside(folder, ["run"]):
    (folder / "run").mkdir()
    for name in ("model.json", "weights.npz"):
        (folder / "run" / name).write_text("new")
    shutil.rmtree = killed
"""
    (tmp_path / "run").mkdir()
    for name in ("model.json", "weights.npz"):
        (tmp_path / "run" / name).write_text("old")
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(ZeroDivisionError), set_aside(tmp_path, ["run"]):
        1 / 0  # noqa: B018
    assert texts(tmp_path / "run") == {"model.json": "new", "weights.npz": "new"}
    assert names(tmp_path) == ["run"]


def ranker(seed: int) -> rp.LinearRanker:
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 3))
    return rp.LinearRanker("nDCG@10").fit(X, (X[:, 0] > 0).astype(int), qid=np.arange(40) // 10)


SAVING = """
import sys
import rankproof as rp
models = [rp.load_model(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for model in models:
        model.save(sys.argv[1])
"""


def test_a_model_is_there_whenever_it_is_loaded_while_it_is_saved(tmp_path: Path) -> None:
    """Saved without pause by two processes, one of them killed: every load gives one of the two models."""
    for seed in (1, 2):
        ranker(seed).save(tmp_path / str(seed))
    known = {rp.load_model(tmp_path / name).coef_.tobytes() for name in ("1", "2")}
    place = tmp_path / "model"
    ranker(1).save(place)
    words = [sys.executable, "-c", SAVING, str(place), str(tmp_path / "1"), str(tmp_path / "2")]
    writers = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for one in writers:
            assert one.stdout is not None
            one.stdout.readline()
        for turn in range(300):
            assert rp.load_model(place).coef_.tobytes() in known
            if turn == 150:
                writers[0].kill()
    finally:
        for one in writers:
            one.kill()
            one.communicate()
    assert rp.load_model(place).coef_.tobytes() in known
    ranker(2).save(place)
    assert names(tmp_path) == ["1", "2", "model"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_killed_while_it_is_replaced_is_whole(tmp_path: Path, number: signal.Signals) -> None:
    script = """
import sys
from pathlib import Path
from rankproof.runs.run_folder import new_run, write_results
for turn in range(10**9):
    with new_run(sys.argv[1], replace=True) as draft:
        (draft / "model.json").write_text(str(turn))
        write_results(draft, {"turn": turn})
    if turn == 5:
        print("ready", flush=True)
"""
    place = tmp_path / "run"
    for turn in range(10):
        with subprocess.Popen([sys.executable, "-c", script, str(place)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.003 * turn)
            writer.send_signal(number)
        check_model(place)
    with new_run(place, replace=True) as draft:
        (draft / "model.json").write_text("last")
        write_results(draft, {})
    assert names(tmp_path) == ["run"]
