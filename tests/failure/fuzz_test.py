"""Damaged jobs, inputs, results and run folders: whatever the bytes, a command ends soon, with a result or an error.

No signal ends it, it takes at most 1 GiB of memory and 5 s of the processor; a run that has more to compute than that
stops at a checkpoint when it is asked to. What it says of an error is text, and names no place in a library.
TERRACE_FAILURE_SCALE multiplies the cases (a hundred for each test).
"""
import copy
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import runs
from fuzz_corpus import job_text, write_files
from runs import DONE, FAILED, STOPPED, WRONG, Case, main, scaled

CASES = 100
MEMORY = 1 << 30     # bytes
PROCESSOR = 5        # seconds
STILL = 5            # seconds without an answer, on a machine that has nothing else to do
EXTREME = (-1, 0, 1, 3, 255, 65536, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**30, -2**63, 0.5, -0.0, 1e-320,
           1e308, "nan", ".inf", "", "x", "a", "1e9", "64Ki", "4GiB", "30s", "../..", "/dev/null", "/", ".", None,
           True, [], {}, [[]], [0], [1, 2], [-1, 5], [5, 1], [2**40, 2**40], {"of": "a"}, "é\u0000\u001b[2J", "a" * 5000)


class Answer:
    """How a command ended, and what it took."""

    def __init__(self, command, folder):
        self.command = command
        self.asked = False
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            begin = time.monotonic()
            process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, preexec_fn=self.limit)
            self.wait(process, begin)
            self.wall = time.monotonic() - begin
            self.out, self.err = (self.text_of(file) for file in (out, err))

    @staticmethod
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    @staticmethod
    def text_of(file):
        file.seek(0)
        return file.read().decode("utf-8", "surrogateescape")

    def wait(self, process, begin):
        """Waits for the end; asks a command that computes for long to stop, and kills one that does not."""
        ended = threading.Event()

        def watch():
            for seconds, number in ((STILL, signal.SIGTERM), (12 * STILL, signal.SIGKILL)):
                if ended.wait(max(0, begin + seconds - time.monotonic())):
                    return
                self.asked = True
                process.send_signal(number)

        watcher = threading.Thread(target=watch)
        watcher.start()
        _, status, used = os.wait4(process.pid, 0)
        ended.set()
        watcher.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.code = process.returncode
        self.seconds = used.ru_utime + used.ru_stime
        self.bytes = used.ru_maxrss << 10

    def faults(self):
        """What is wrong with the answer."""
        found = []
        if self.code not in (DONE, FAILED, WRONG, STOPPED):
            found.append(f"ended with {self.code}")
        if self.bytes > MEMORY:
            found.append(f"took {self.bytes >> 20} MiB")
        if self.seconds > PROCESSOR and not (self.asked and self.code in (STOPPED, DONE) and "run" in self.command):
            found.append(f"took {self.seconds:.1f} s of the processor")
        if self.code in (FAILED, WRONG) and not self.err.strip():
            found.append("said nothing of the error")
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]", self.err + self.out):
            found.append("said bytes that are no text")
        if re.search(r"json\.exception|std::|terminate called|basic_string|bad_alloc|yaml-cpp|vector::", self.err):
            found.append("said what a library says")
        return found

    def __repr__(self):
        return (f"{' '.join(map(str, self.command))}: code {self.code}, {self.seconds:.1f} s, {self.bytes >> 20} MiB\n"
                f"{self.out[-1500:]}\n{self.err[-1500:]}")


def damaged(content, draw):
    """Bytes with some changes."""
    content = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        kind = draw.randrange(8)
        at = draw.randrange(len(content) + 1)
        if kind == 0:
            del content[at:]
        elif kind == 1:
            del content[at:at + draw.randrange(1, 20)]
        elif kind == 2:
            content[at:at] = draw.randbytes(draw.randrange(1, 20))
        elif kind == 3:
            content[at:at] = content[at:at + draw.randrange(1, 200)]
        elif kind == 4:
            numbers = list(re.finditer(rb"\d+", content))
            if numbers:
                place = draw.choice(numbers)
                content[place.start():place.end()] = str(draw.choice(EXTREME[:18])).encode()
        elif content:
            at = min(at, len(content) - 1)
            content[at] = draw.choice((0, 255, 128, content[at] ^ (1 << draw.randrange(8)), draw.randrange(256)))
    return bytes(content)


def places(node, path=()):
    """The paths of all values of a job."""
    yield path
    if isinstance(node, dict):
        for key in node:
            yield from places(node[key], (*path, key))
    elif isinstance(node, list):
        for index in range(len(node)):
            yield from places(node[index], (*path, index))


def disturbed(job, draw):
    """A job with some values changed, left out or moved."""
    job = json.loads(json.dumps(job))
    for _ in range(draw.choice((1, 1, 2, 3))):
        path = draw.choice([path for path in places(job) if path])
        holder = job
        for step in path[:-1]:
            holder = holder[step]
        kind = draw.randrange(5)
        if kind == 0:
            del holder[path[-1]]
        elif kind == 1 and isinstance(holder, dict):
            holder[draw.choice(("type", "shape", "keep", "nodes", "weight", "a", "x"))] = holder.pop(path[-1])
        else:
            holder[path[-1]] = copy.deepcopy(draw.choice(EXTREME))
    return job


class Fuzz(Case):
    """A folder with the corpus; each case works in a copy."""

    def setUp(self):
        super().setUp()
        self.corpus = self.folder()
        self.jobs = write_files(self.corpus)

    def cases(self, function):
        """Calls it for each case, some at a time, with a folder and what to draw from; reports all faults."""
        def one(number):
            folder = os.path.join(self.top, f"case-{number}")
            shutil.copytree(self.corpus, folder)
            found = []
            for answer in function(folder, random.Random(f"{runs.first_seed} {type(self).__name__} {number}")):
                found += [f"case {number}: {fault}\n{answer!r}" for fault in answer.faults()]
            kept = os.environ.get("TERRACE_FAILURE_KEEP")
            if found and kept:
                shutil.move(folder, os.path.join(kept, f"{type(self).__name__}-{number}"))
            shutil.rmtree(folder, ignore_errors=True)
            return found

        count = scaled(CASES)
        faults = sum(runs.side_by_side(one, range(count)), [])
        print(f"{count} cases, {len(faults)} faults", flush=True)
        if faults:
            self.fail("\n".join(faults[:20]))

    def write_job(self, folder, job):
        with open(os.path.join(folder, "job.yaml"), "w") as file:
            file.write(job)

    def change(self, path, draw):
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(damaged(content, draw))


class DamagedInputs(Fuzz):
    def test_a_run_of_damaged_inputs_ends(self):
        def case(folder, draw):
            name = draw.choice(sorted(self.jobs))
            inputs, stages = self.jobs[name]
            self.write_job(folder, job_text(name, inputs, stages))
            files = [value for settings in inputs.values() for value in settings.values()
                     if isinstance(value, str) and os.path.exists(os.path.join(folder, value))]
            for file in files[:1] if draw.randrange(3) else files:
                self.change(os.path.join(folder, file), draw)
            yield Answer([runs.terrace, draw.choice(("run", "run", "check", "plan")), "job.yaml"], folder)

        self.cases(case)


class DamagedJobs(Fuzz):
    def test_a_run_of_a_job_with_other_values_ends(self):
        def case(folder, draw):
            name = draw.choice(sorted(self.jobs))
            inputs, stages = self.jobs[name]
            job = disturbed(json.loads(job_text(name, inputs, stages)), draw)
            self.write_job(folder, json.dumps(job, indent=1, ensure_ascii=draw.random() < 0.5))
            yield Answer([runs.terrace, draw.choice(("run", "run", "check", "plan")), "job.yaml"], folder)

        self.cases(case)

    def test_a_run_of_a_job_with_other_bytes_ends(self):
        def case(folder, draw):
            name = draw.choice(sorted(self.jobs))
            inputs, stages = self.jobs[name]
            self.write_job(folder, job_text(name, inputs, stages))
            self.change(os.path.join(folder, "job.yaml"), draw)
            yield Answer([runs.terrace, draw.choice(("run", "check", "plan")), "job.yaml"], folder)

        self.cases(case)

    def test_settings_of_the_command_line_end(self):
        def case(folder, draw):
            name = draw.choice(sorted(self.jobs))
            inputs, stages = self.jobs[name]
            text = job_text(name, inputs, stages)
            self.write_job(folder, text)
            path = draw.choice([path for path in places(json.loads(text)) if path])
            key = ".".join("stage" if path[:1] == ("stages",) and step == 0 else str(step) for step in path)
            value = draw.choice(EXTREME)
            setting = f"{key}={value if isinstance(value, str) else json.dumps(value)}".replace("\0", "")
            yield Answer([runs.terrace, draw.choice(("run", "check", "plan")), "job.yaml", "--set", setting], folder)

        self.cases(case)


class DamagedResults(Fuzz):
    """What was written before is damaged: results, and the folders of stopped runs."""

    def setUp(self):
        super().setUp()
        self.done = {}
        for name in ("table", "query", "fold"):
            inputs, stages = self.jobs[name]
            folder = self.folder()
            shutil.copytree(self.corpus, folder, dirs_exist_ok=True)
            self.write_job(folder, job_text(name, inputs, stages))
            self.assertEqual(runs.run_job(folder).code, DONE)
            self.done[name] = folder

    def test_a_damaged_result_is_shown_and_verified_or_refused(self):
        def case(folder, draw):
            name = draw.choice(sorted(self.done))
            shutil.copytree(self.done[name], folder, dirs_exist_ok=True)
            self.change(os.path.join(folder, "out.h5"), draw)
            for arguments in draw.sample((["show", "out.h5"], ["verify", "out.h5"], ["run", "job.yaml"],
                                          ["verify", "out.h5", "--sample", "0.2"], ["verify", "out.h5", "--all"],
                                          ["show", "out.h5", "stage", "--paf"], ["trace", "out.h5", "-o", "out.json"],
                                          ["report", "out.h5", "-o", "out.html"], ["plot", "out.h5", "-o", "out.png"]),
                                         2):
                yield Answer([runs.terrace, *arguments], folder)
            self.assertFalse(os.path.exists(os.path.join(folder, "out.h5.verify.run")))

        self.cases(case)

    def test_a_damaged_run_folder_gives_the_same_result_or_an_error(self):
        expected = {name: runs.results(folder) for name, folder in self.done.items()}

        def case(folder, draw):
            name = draw.choice(sorted(self.done))
            shutil.copytree(self.done[name], folder, dirs_exist_ok=True)
            os.remove(os.path.join(folder, "out.h5"))
            often = ["run", "job.yaml", "--set", "checkpoint.every=1ms", "--set", "memory.device=40KiB"]
            process = runs.start([runs.terrace, *often], folder)
            time.sleep(draw.uniform(0, 0.08))
            process.kill()
            runs.wait(process)
            files = [os.path.join(path, file) for path, _, files in os.walk(os.path.join(folder, "out.h5.run"))
                     for file in files]
            if files:
                self.change(draw.choice(sorted(files)), draw)
            yield Answer([runs.terrace, "show", "out.h5"], folder)
            answer = Answer([runs.terrace, *often], folder)
            yield answer
            if answer.code == DONE:
                found = runs.results(folder)
                different = [path for path in expected[name] if path != "job" and found.get(path) != expected[name][path]]
                self.assertEqual(different, [], f"wrong and unnoticed: {answer!r}")

        self.cases(case)


if __name__ == "__main__":
    main()
