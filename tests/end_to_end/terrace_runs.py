"""What the tests of whole jobs share: the program, folders of their own, jobs as dictionaries, test data.

A test file is run as: FILE PROGRAM ROOT [ARGUMENT OF unittest...], with the program and the root of the sources.
"""
import itertools
import json
import os
import pathlib
import random
import re
import shutil
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

DONE, FAILED, WRONG, STOPPED = 0, 1, 2, 75

program = None
root = None

# Nothing is kept in the user's cache, also if the tests are run by hand.
os.environ.setdefault("TERRACE_COMPILED_CACHE", "off")


def main():
    """Takes the program and the root from the command line and runs the tests of the file that is run."""
    global program, root
    # The file that is run imports this module under its name, so the names set here are the ones that tests see.
    program, root = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
    # Threads take memory of a job's budget: they are the same two on every machine.
    there = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, random.Random(os.getpid()).sample(there, min(2, len(there))))
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]])


def python_environment():
    """The variables with which Python finds terrace.py and the program."""
    return {"TERRACE": str(program), "PYTHONPATH": str(root / "pipeline" / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


def skip(reason):
    """Ends a test that cannot run here, in the way that ctest counts."""
    print("SKIPPED:", reason, flush=True)
    raise unittest.SkipTest(reason)


def data(*names):
    """A file or folder of the real inputs, whose place is TERRACE_TEST_DATA or beside the sources."""
    named = os.environ.get("TERRACE_TEST_DATA")
    path = (pathlib.Path(named) if named else root.parent / "shared" / "data").joinpath(*names)
    if not path.exists():
        skip("no test data; name their folder in TERRACE_TEST_DATA")
    return str(path)


def wavefront(name, problem, **settings):
    """A stage of a job."""
    return {"name": name, "wavefront": {"problem": problem, **settings}}


def affine(name, rows, columns, **settings):
    """Smith-Waterman with +1 / -3 and a gap of k letters at 3 + 2 k."""
    return wavefront(name, "smith_waterman", rows=rows, columns=columns, match=1, mismatch=-3, gap_open=3,
                     gap_extend=2, **settings)


def random_letters(length, seed):
    """An input of DNA letters that the program makes."""
    return {"generate": "dna", "length": length, "seed": seed}


def random_text(length, seed):
    return "".join("ACGT"[i] for i in numpy.random.default_rng(seed).integers(4, size=length))


def mutated(letters, seed, rate=0.1, longest=1):
    """Letters changed, left out and added; added and missing pieces have up to so many letters."""
    draw = numpy.random.default_rng(seed)
    result, at = [], 0
    while at < len(letters):
        kind = draw.random() / rate
        if kind < 1 / 3:
            result.append("ACGT"[draw.integers(4)])
            at += 1
        elif kind < 2 / 3:
            at += int(draw.integers(1, longest + 1))
        elif kind < 1:
            result.append("".join("ACGT"[i] for i in draw.integers(4, size=draw.integers(1, longest + 1))))
        else:
            result.append(letters[at])
            at += 1
    return "".join(result)


def memory_folder(least=1 << 30):
    """A folder in memory with so many free bytes, or None."""
    folder = "/dev/shm"
    return folder if os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= least else None


# Where tests have their folders. A run waits for some 25 syncs of a disk, which take longer than what small runs compute.
IN_MEMORY, ON_DISK = memory_folder(), None


class JobTest(unittest.TestCase):
    """A test in a folder of its own, with the program. `always`: keys of all of its jobs that do not say otherwise.
    `place` is where its folder is made: ON_DISK for tests of how files are read and written."""

    always = {}  # for example {"backend": "cpu"}
    place = IN_MEMORY

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="terrace-", dir=self.place))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, content):
        """Writes a file, from text, bytes or an array (as .npy), and returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, numpy.ndarray):
            numpy.save(path, content)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return str(path)

    def fasta(self, name, letters):
        """An input of those letters."""
        return {"fasta": self.write(name + ".fa", f">{name}\n{letters}\n")}

    def write_job(self, inputs, stages, output="result.h5", name="job.yaml", **keys):
        """Writes a job; YAML takes JSON as it is."""
        job = {"job": "test", "inputs": inputs, "stages": stages, "output": output, **self.always, **keys}
        return self.write(name, json.dumps(job, indent=1))

    def terrace(self, *arguments, expect=DONE, timeout=500):
        """Runs the program in the test's folder and returns what it said. @param expect None: any exit code"""
        ended = subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                               timeout=timeout)
        if expect is not None:
            self.assertEqual(ended.returncode, expect, f"{arguments}\n{ended.stdout}\n{ended.stderr}")
        return ended

    def terrace_with(self, functions, *arguments, expect):
        """Runs the program with functions of the C library replaced by others, in C, and returns what it said."""
        compiler = shutil.which("cc") or skip("there is no C compiler")
        with tempfile.TemporaryDirectory(prefix="terrace-") as folder:
            source, library = os.path.join(folder, "functions.c"), os.path.join(folder, "functions.so")
            with open(source, "w") as file:
                file.write(functions)
            subprocess.run([compiler, "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", library, source], check=True)
            ended = subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                                   timeout=60, env={**os.environ, "LD_PRELOAD": library})
        if "sanitizer" in ended.stderr.lower():
            skip("sanitizers do not let their functions be replaced")
        self.assertEqual(ended.returncode, expect, f"{arguments}\n{ended.stdout}\n{ended.stderr}")
        return ended

    def run_job(self, inputs, stages, *arguments, output="result.h5", **keys):
        """Runs a job that must succeed, and returns its result, open."""
        self.terrace("run", self.write_job(inputs, stages, output=output, **keys), *arguments)
        return self.open(output)

    def check_least_budgets(self, job, *keys):
        """The job runs with the least budgets that errors name, from one byte of each of those keys on."""
        budgets = {key: "1" for key in keys}
        for _ in range(3):
            sets = [word for key, value in budgets.items() for word in ("--set", f"{key}={value}")]
            ended = self.terrace("plan", job, *sets, expect=None)
            least = re.findall(r"(memory.\w+) is too small for any plan of this stage: the least is ([0-9.]+ ?\w+)",
                               ended.stderr)
            budgets.update({key: value.replace(" ", "") for key, value in least})
            if not least:
                break
        self.terrace("run", job, "--fresh", *sets)

    def check_survives_kills(self, inputs, stage, *datasets, jobs=2, backend="cpu", environments=({},), **keys):
        """A job of one stage that is killed again and again, and gone on with, gives the same in those datasets.

        @param environments of the attempts, in turn
        """
        often = ("--set", "checkpoint.every=1ms")
        turns = itertools.cycle({**os.environ, **environment} for environment in environments)

        def job(name):
            name = f"{stage['name']}-{name}"
            return self.write_job(inputs, [stage], output=name + ".h5", name=name + ".yaml", backend=backend, **keys)

        def content(name):
            found = [self.open(f"{stage['name']}-{name}.h5")[f"{stage['name']}/{dataset}"][()] for dataset in datasets]
            return [value.tobytes() if isinstance(value, numpy.ndarray) else value for value in found]

        began = time.monotonic()
        self.terrace("run", job("whole"), *often)
        took = time.monotonic() - began
        draw = random.Random(4)
        for number in range(jobs):
            name = f"killed{number}"
            path = job(name)
            for _ in range(4):
                process = subprocess.Popen([program, "run", path, *often], cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, env=next(turns))
                time.sleep(draw.uniform(0, took))
                process.kill()
                process.wait()
            self.terrace("run", path, *often)
            self.assertEqual(content(name), content("whole"))

    def open(self, output="result.h5"):
        result = h5py.File(self.folder / output)
        self.addCleanup(result.close)
        return result

    def assertSays(self, ended, *parts):
        """Standard error holds each of the parts."""
        for part in parts:
            self.assertIn(part, ended.stderr)
