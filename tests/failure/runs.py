"""What the failure tests share: toy jobs and small real ones, run, killed and gone on with.

A test file is run as: FILE TERRACE TOY_JOB RECORDER [ARGUMENT OF unittest...]. TERRACE_FAILURE_SCALE (1) multiplies
how many runs are disturbed; TERRACE_FAILURE_SEED (0) shifts the jobs. When and where runs are disturbed is drawn anew
each time, or as TERRACE_FAILURE_DRAW says: a test prints the number that it was drawn from.
"""
import concurrent.futures
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py, python3-numpy)")
    sys.exit(0)

DONE, FAILED, WRONG, STOPPED, KILLED = 0, 1, 2, 75, -9

scale = float(os.environ.get("TERRACE_FAILURE_SCALE", "1"))
first_seed = int(os.environ.get("TERRACE_FAILURE_SEED", "0"))
first_draw = int(os.environ.get("TERRACE_FAILURE_DRAW", random.SystemRandom().randrange(1 << 30)))
terrace = toy_job = recorder = None


def main():
    global terrace, toy_job, recorder
    # The file that is run imports this module under its name, so the names set here are the ones that tests see.
    terrace, toy_job, recorder = (os.path.abspath(argument) for argument in sys.argv[1:4])
    print(f"drawn from TERRACE_FAILURE_DRAW={first_draw}", flush=True)
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)


def scaled(count):
    return max(1, round(count * scale))


def drawn(*what):
    """Numbers for a part of a test, named by the arguments: others each time."""
    return random.Random(f"{first_draw} {what}")


# Runs spend much of their time on waiting for one another's threads and for the disk.
AT_ONCE = 3


def side_by_side(function, items):
    """Calls it for each item, some at a time, and returns the results in order."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(function, items))


class Ended:
    """How a program ended, and what it said."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"ended with {self.code}\n{self.out}\n{self.err}"


def run(command, folder, seconds=120, recorded=None, **environment):
    """Runs a program; with `recorded`, under the recorder, which sees what it does to that folder."""
    process = start(command, folder, recorded, **environment)
    return wait(process, seconds)


def start(command, folder, recorded=None, **environment):
    variables = {**os.environ, **{name: str(value) for name, value in environment.items()}}
    if recorded is not None:
        variables.update(LD_PRELOAD=recorder, RECORD_FOLDER=str(recorded))
    return subprocess.Popen([str(word) for word in command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def wait(process, seconds=120):
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return Ended("nothing", out, err + f"\nhung: not ended within {seconds} s")
    return Ended(process.returncode, out, err)


class Case(unittest.TestCase):
    """A test with a temporary folder; `place` is where it is made. `same_job`: whether all runs of a test are of the
    same text."""

    place = None
    same_job = True

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="terrace-failure-", dir=self.place)
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.made = 0

    def folder(self):
        self.made += 1
        path = os.path.join(self.top, str(self.made))
        os.mkdir(path)
        return path

    def assertGives(self, folder, expected, what):
        """The result in the folder has those datasets and no others, equal in every byte."""
        found = results(folder)
        names = {*expected, *found} - (set() if self.same_job else {"job"})
        different = sorted(name for name in names if found.get(name) != expected.get(name))
        self.assertEqual(different, [], f"{what}: different")

    def finish_toys(self, seed, folders, may_fail=False):
        """Goes on with the runs in the folders until their ends, which must be right. Returns how many named an
        error instead, where they may."""
        ended = run([toy_job, seed, 1e-9, *folders], self.top, 600)
        said = dict(line.split(": ", 1) for line in ended.out.splitlines() if ": " in line)
        errors = 0
        for folder in folders:
            end = said.get(folder, "nothing was said of it")
            if may_fail and end.startswith("error: ") and "out.h5" in end:
                errors += 1
                continue
            self.assertTrue(end.startswith("right"), f"seed {seed}, {folder}: {end}\n{ended!r}\n{listing(folder)}")
        for folder in folders:
            shutil.rmtree(folder)
        return errors


class ToyCase(Case):
    """In memory, where there is such a place: syncs cost nothing there, so that there are many more checkpoints."""

    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def toy(seed, folder, seconds=1e-9, **environment):
    """Runs a toy job in the folder, under the recorder."""
    return run([toy_job, seed, seconds, folder], folder, recorded=folder, **environment)


def listing(folder):
    found = []
    for path, _, names in os.walk(folder):
        found += [f"{os.path.join(path, name)} {os.path.getsize(os.path.join(path, name))}" for name in names]
    return "\n".join(sorted(found))


# Small real jobs

def write_job(folder, seed, **keys):
    """A job of several stages whose budgets force many blocks, with a checkpoint whenever one can be made."""
    draw = random.Random(seed)
    rows, columns = draw.randrange(300, 900), draw.randrange(300, 900)
    height, width = draw.randrange(200, 500), draw.randrange(200, 500)
    sequences = {"problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1, "mismatch": -3, "gap_open": 3,
                 "gap_extend": 2}
    job = {
        "job": "small",
        "backend": "cpu",
        "memory": {"host": draw.choice(["1MiB", "2MiB"])},
        "checkpoint": {"every": "1ms"},
        "inputs": {
            "a": {"generate": "dna", "length": rows, "seed": seed},
            "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}, "seed": seed + 1},
            "image": {"generate": "uniform", "shape": [height, width], "type": "u8", "seed": seed},
        },
        "stages": [
            {"name": "table", "wavefront": {**sequences, "keep": "table"}},
            {"name": "sums", "wavefront": {"problem": "summed_area", "grid": "image"}},
            {"name": "relaxed", "wavefront": {"problem": "sor", "grid": "image", "sweeps": draw.randrange(1, 60)}},
            {"name": "borders", "wavefront": {**sequences, "keep": "borders", "every": draw.randrange(100, 300)}},
            {"name": "score", "wavefront": {**sequences, "keep": "score"}},
        ],
        "output": "out.h5",
        **keys,
    }
    write_yaml(folder, job)


def write_yaml(folder, job):
    """YAML takes JSON as it is, but for sizes and times, which are no text."""
    with open(os.path.join(folder, "job.yaml"), "w") as file:
        file.write(re.sub(r'"(\d+(MiB|ms|s))"', r"\1", json.dumps(job, indent=1)))


def run_job(folder, *arguments, seconds=120, **keys):
    return run([terrace, "run", "job.yaml", *arguments], folder, seconds, **keys)


def results(folder, output="out.h5"):
    """All datasets but the profile and checksums, which depend on how arrays are cut into tiles, by path."""
    found = {}

    def visit(name, node):
        if isinstance(node, h5py.Dataset) and not name.startswith(("profile/", "checksums/")):
            texts = node.dtype.kind == "O"
            found[name] = (str(node.dtype), node.shape, node.asstr()[()].tolist() if texts and node.shape else
                           node[()] if texts else node[()].tobytes())

    with h5py.File(os.path.join(folder, output)) as file:
        file.visititems(visit)
    return found


def profile(folder, column):
    with h5py.File(os.path.join(folder, "out.h5")) as file:
        return file["profile/stages"][column][()]


def noted_blocks(folder):
    """The stage under way and how many of its blocks are done, as the run notes them; none where it has not begun."""
    try:
        with open(os.path.join(folder, "out.h5.run", "progress"), "rb") as file:
            words = file.read()
    except FileNotFoundError:
        return None
    return struct.unpack("qq", words[:16]) if len(words) == 24 else None


def ledger(folder):
    """The records of the last attempt that began, as dictionaries."""
    path = os.path.join(folder, "out.h5.run", "ledger")
    for attempt in sorted((int(name[:-4]) for name in os.listdir(path) if name.endswith(".log")), reverse=True):
        with open(os.path.join(path, f"{attempt}.log"), "rb") as file:
            content = file.read()
        records = []
        while len(content) > 38 and len(content) >= 38 + int(content[:20]):
            records.append(json.loads(content[38:38 + int(content[:20])]))
            content = content[38 + int(content[:20]):]
        if records:
            return records
    return []
