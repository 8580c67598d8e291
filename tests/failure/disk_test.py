"""Disks that lose their cache, fail to sync, or are full: the same command finishes right, or names the file."""
import os
import shutil
import subprocess
import sys
import unittest

import runs
from recursive_jobs import write_recursive_job
from runs import (AT_ONCE, DONE, FAILED, Case, ToyCase, drawn, h5py, main, numpy, run_job, scaled, side_by_side, toy,
                  write_job)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorder"))
from rebuild import Recording, write_tree  # noqa: E402


class ToyLostCaches(ToyCase):
    def record(self, seed):
        folder = self.folder()
        log = os.path.join(self.top, f"log-{seed}")
        end = toy(seed, folder, RECORD_LOG=log)
        self.assertEqual(end.code, DONE, repr(end))
        recording = Recording(log)
        self.assertEqual(recording.differences(folder), [], "the recorder missed something")
        return recording

    def test_a_toy_job_goes_on_from_whatever_a_power_cut_left(self):
        errors = states = 0
        for seed in range(runs.first_seed + 1001, runs.first_seed + 1001 + scaled(4)):
            recording = self.record(seed)
            cuts = recording.cuts(200, drawn("toy cuts", seed).random())
            for at in range(0, len(cuts), 50):
                folders = []
                for call, number in cuts[at:at + 50]:
                    folder = self.folder()
                    write_tree(recording.state(call, number), folder)
                    folders.append(folder)
                parts = [part for part in (folders[number::AT_ONCE] for number in range(AT_ONCE)) if part]
                errors += sum(side_by_side(lambda part: self.finish_toys(seed, part, may_fail=True), parts))
                states += len(folders)
        print(f"{states} states, {errors} ended in an error that named the file", flush=True)
        self.assertEqual(errors, 0)

    def test_what_a_checkpoint_holds_is_not_lost(self):
        recording = self.record(runs.first_seed + 7)
        folder = self.folder()
        write_tree(recording.state(len(recording), 0), folder)
        self.assertIn("out.h5", os.listdir(folder))  # all done, and durable
        synced = kept = 0
        for at, event in enumerate(recording.events, 1):
            if event["kind"] != "sync" or not opened(recording, event).endswith(".log"):
                continue
            synced += 1
            if synced == 1:
                continue  # its first record: the name comes after it
            state = recording.state(at, 0)
            names = [name for name in state if name.startswith("out.h5.run/ledger/")]
            self.assertTrue(names, f"call {at}: a synced ledger is gone")
            kept += 1
        self.assertGreater(kept, 5)


class LostCaches(Case):
    write = staticmethod(write_job)
    states = 60

    def test_a_real_job_goes_on_from_whatever_a_power_cut_left(self):
        whole = self.folder()
        self.write(whole, runs.first_seed + 21)
        self.move_inputs(whole)
        log = os.path.join(self.top, "log")
        initial = os.path.join(self.top, "initial")
        shutil.copytree(whole, initial)
        end = run_job(whole, recorded=whole, RECORD_LOG=log)
        self.assertEqual(end.code, DONE, repr(end))
        expected = runs.results(whole)
        recording = Recording(log, initial)
        self.assertEqual(recording.differences(whole), [])
        folders = [self.folder(), self.folder()]
        draw = drawn("cuts", self.write.__name__)
        states = draw.sample(recording.cuts(5000, draw.random()), scaled(self.states))
        states = [sorted(states[::2]), sorted(states[1::2])]

        def go_on(worker):
            mine = Recording(log, initial)
            for call, number in states[worker]:
                write_tree(mine.state(call, number), folders[worker])
                ended = run_job(folders[worker])
                self.assertEqual(ended.code, DONE, f"call {call}, state {number}: {ended!r}")
                self.assertGives(folders[worker], expected, f"call {call}, state {number}")

        side_by_side(go_on, range(2))


    def move_inputs(self, folder):
        """Puts the input files where no state is rebuilt: a copy would be another file, which a resumed run refuses."""
        job = os.path.join(folder, "job.yaml")
        with open(job) as file:
            text = file.read()
        for name in os.listdir(folder):
            if name.endswith(".npy"):
                moved = os.path.join(self.top, name)
                shutil.move(os.path.join(folder, name), moved)
                text = text.replace(f'"{name}"', f'"{moved}"')
        with open(job, "w") as file:
            file.write(text)


class RecursiveLostCaches(LostCaches):
    """In memory, where a cut costs little, so that there are many."""

    place = ToyCase.place
    write = staticmethod(write_recursive_job)
    states = 15


class MadeFolders(Case):
    """Outputs in folders that the run makes."""

    output = "made/deep/out.h5"

    def record(self, folder):
        """Runs the job in the folder under the recorder."""
        log, initial = os.path.join(self.top, "log"), os.path.join(self.top, "initial")
        shutil.copytree(folder, initial)
        end = run_job(folder, recorded=folder, RECORD_LOG=log)
        self.assertEqual(end.code, DONE, repr(end))
        recording = Recording(log, initial)
        self.assertEqual(recording.differences(folder), [], "the recorder missed something")
        return recording

    def assertDurable(self, recording, folder):
        """When the run is done, a power cut takes nothing of the result."""
        state = recording.state(len(recording), 0)
        self.assertIn(self.output, state)
        with open(os.path.join(folder, self.output), "rb") as file:
            self.assertEqual(state[self.output], file.read())

    def test_a_result_is_durable_with_its_folders_when_the_run_is_done(self):
        whole = self.folder()
        write_job(whole, runs.first_seed + 23, output=self.output)
        recording = self.record(whole)
        self.assertDurable(recording, whole)
        expected = runs.results(os.path.dirname(os.path.join(whole, self.output)))
        begins = next(n for n, event in enumerate(recording.events, 1) if "plan.json" in event.get("to", ""))
        folders = {call: self.folder() for call in [*range(1, begins + 2), len(recording) - 3, len(recording) - 1]}
        for call, folder in folders.items():
            write_tree(recording.state(call, 2), folder)

        def go_on(item):
            call, folder = item
            end = run_job(folder)
            self.assertEqual(end.code, DONE, f"call {call}: {end!r}")
            self.assertGives(os.path.dirname(os.path.join(folder, self.output)), expected, f"call {call}")

        side_by_side(go_on, list(folders.items()))

    def test_so_is_one_made_from_hdf5_which_a_child_process_tries_first(self):
        whole = self.folder()
        with h5py.File(os.path.join(whole, "grid.h5"), "w") as file:
            file["grid"] = numpy.arange(20000, dtype=numpy.int32).reshape(100, 200)
        write_job(whole, 1, inputs={"grid": {"hdf5": "grid.h5"}}, output=self.output,
                  stages=[{"name": "sums", "wavefront": {"problem": "summed_area", "grid": "grid"}}])
        self.assertDurable(self.record(whole), whole)


def opened(recording, event):
    """The path under which the event's file was opened."""
    return next(e["path"] for e in recording.events if e["kind"] == "open" and e["file"] == event["file"])


class ToyFailingDisks(ToyCase):
    def disturb(self, seed, points, **environment):
        """Runs with the environment (its values made from each point); each ends in an error or not at all badly.
        Then the same command finishes."""
        folders = [self.folder() for _ in points]

        def one(pair):
            point, folder = pair
            return toy(seed, folder, **{name: point for name in environment})

        failed = 0
        for point, folder, end in zip(points, folders, side_by_side(one, list(zip(points, folders)))):
            self.assertIn(end.code, (DONE, FAILED), f"{environment} {point}: {end!r}")
            if end.code == FAILED:
                self.assertIn("error: ", end.out)
                self.assertIn(folder, end.out.split("error: ", 1)[1].replace("out.h5", f"{folder}/out.h5"))
                failed += 1
        self.finish_toys(seed, folders)
        return failed

    def test_a_failed_sync_ends_the_run_and_the_same_command_finishes_it(self):
        failed = 0
        for seed in range(runs.first_seed + 31, runs.first_seed + 31 + scaled(2)):
            points = list(range(1, 12)) + drawn("syncs", seed).sample(range(12, 200), scaled(12))
            failed += self.disturb(seed, points, RECORD_FAIL_SYNC_AT=True)
        self.assertGreater(failed, 10)
        print(f"{failed} failed syncs", flush=True)

    def test_a_full_disk_ends_the_run_and_the_same_command_finishes_it_when_there_is_room(self):
        failed = 0
        for seed in range(runs.first_seed + 41, runs.first_seed + 41 + scaled(2)):
            points = list(range(1, 16)) + drawn("space", seed).sample(range(16, 300), scaled(12))
            failed += self.disturb(seed, points, RECORD_NO_SPACE_AT=True)
        self.assertGreater(failed, 10)
        print(f"{failed} full disks", flush=True)


class FailingDisks(Case):
    write = staticmethod(write_job)
    points, last = 10, {"RECORD_FAIL_SYNC_AT": 40, "RECORD_NO_SPACE_AT": 60}

    def test_a_real_job_says_what_failed_and_finishes_afterwards(self):
        whole = self.folder()
        self.write(whole, 22)
        self.assertEqual(run_job(whole).code, DONE)
        expected = runs.results(whole)

        def disturb(item):
            name, point = item
            folder = self.folder()
            self.write(folder, 22)
            end = run_job(folder, recorded=folder, **{name: point})
            self.assertIn(end.code, (DONE, FAILED), f"{item}: {end!r}")
            if end.code == FAILED:
                self.assertIn(folder, end.err, f"{item}: {end!r}")
                failed.append(point)
            end = run_job(folder)
            self.assertEqual(end.code, DONE, f"{item}: {end!r}")
            self.assertGives(folder, expected, item)

        draw, failed = drawn("points", self.write.__name__), []
        count = scaled(self.points)
        points = [(name, draw.randrange(1, last)) for name, last in self.last.items() for _ in range(count)]
        side_by_side(disturb, points)
        print(f"{len(failed)} of {len(points)} failed", flush=True)
        self.assertGreater(len(failed), 0)


class RecursiveFailingDisks(FailingDisks):
    place = ToyCase.place
    write = staticmethod(write_recursive_job)
    points, last = 4, {"RECORD_FAIL_SYNC_AT": 300, "RECORD_NO_SPACE_AT": 3000}


def write_wide_job(folder, seed):
    """A table whose blocks are some 50 KiB wide and written in part as several side by side: whole pages of a row, many
    of them, that go past the page cache."""
    runs.write_yaml(folder, {
        "job": "wide",
        "backend": "cpu",
        "memory": {"host": "32MiB", "device": "16MiB"},
        "checkpoint": {"every": "1ms"},
        "inputs": {
            "a": {"generate": "dna", "length": 400, "seed": seed},
            "b": {"generate": "dna", "length": 1 << 15, "seed": seed + 1},
        },
        "stages": [{"name": "table", "wavefront": {
            "problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1, "mismatch": -3, "gap": 2,
            "keep": "table"}}],
        "output": "out.h5",
    })


class WideRowsOnFailingDisks(FailingDisks):
    write = staticmethod(write_wide_job)
    points, last = 8, {"RECORD_FAIL_SYNC_AT": 20, "RECORD_NO_SPACE_AT": 1500}

    def test_rows_that_do_not_get_past_the_page_cache_go_through_it_and_none_is_lost(self):
        whole, log = self.folder(), os.path.join(self.top, "log")
        self.write(whole, 22)
        self.assertEqual(run_job(whole, recorded=whole, RECORD_LOG=log).code, DONE)
        events = Recording(log).events
        direct = {event["file"] for event in events if event["kind"] == "open" and event.get("direct")}
        if not direct:
            print("SKIPPED: this file system has no direct I/O", flush=True)
            raise unittest.SkipTest("no direct I/O")
        rows = [event for event in events if event["call"] == "pwritev" and event["file"] in direct]
        self.assertGreater(len(rows), 100)
        expected = runs.results(whole)
        for point in (1, 2, 60, len(rows) - 20):
            folder = self.folder()
            self.write(folder, 22)
            end = run_job(folder, recorded=folder, RECORD_FAIL_DIRECT_AT=point)
            self.assertEqual(end.code, DONE, f"{point}: {end!r}")
            self.assertGives(folder, expected, point)


class SmallFileSystem(Case):
    def test_a_limit_of_file_sizes_is_an_error_that_says_how_to_raise_it_and_the_same_command_finishes_without(self):
        whole = self.folder()
        write_job(whole, 24)
        self.assertEqual(run_job(whole).code, DONE)
        expected = runs.results(whole)
        size = os.path.getsize(os.path.join(whole, "out.h5"))

        def disturb(limit):
            folder = self.folder()
            write_job(folder, 24)
            end = runs.run(["prlimit", f"--fsize={limit}", runs.terrace, "run", "job.yaml"], folder)
            self.assertEqual(end.code, FAILED, f"{limit}: {end!r}")
            self.assertRegex(end.err, r"out\.h5\.run.*: File too large; files may have at most [0-9.]+ \S+ here: "
                                      r"raise that \(ulimit -f\)", f"{limit}: {end!r}")
            self.assertNotIn("errno", end.err)
            end = run_job(folder)
            self.assertEqual(end.code, DONE, f"{limit}: {end!r}")
            self.assertEqual(runs.results(folder), expected)

        side_by_side(disturb, [0, 100, 5000, size // 3, size // 2, size - 40000, size - 4097, size - 1])

    def test_a_small_file_system_that_is_full_is_an_error_that_names_it_until_there_is_room(self):
        mount = self.folder()
        script = f"""
            mount -t tmpfs -o size=6m none {mount} || exit 99
            cd {mount} && cp {self.top}/job.yaml . || exit 98
            head -c 5500000 /dev/zero > ballast
            {runs.terrace} run job.yaml; echo "ended with $?"
            rm ballast
            {runs.terrace} run job.yaml && cp out.h5 {self.top}/ && echo finished
        """
        write_job(self.top, 23)
        end = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=120)
        if end.returncode == 99 or "unshare" in end.stderr:
            print("SKIPPED: a file system may not be mounted here", flush=True)
            raise unittest.SkipTest(end.stderr)
        self.assertIn("ended with 1", end.stdout, end.stderr)
        self.assertIn("out.h5.run", end.stderr)
        self.assertIn("finished", end.stdout, end.stderr)
        whole = self.folder()
        write_job(whole, 23)
        self.assertEqual(run_job(whole).code, DONE)
        self.assertEqual(runs.results(self.top), runs.results(whole))


if __name__ == "__main__":
    main()
