"""Runs that take over stages of a result, killed at every recorded call: the old result stays, or the new one is there."""
import filecmp
import json
import os
import shutil

import runs
from runs import DONE, FAILED, KILLED, WRONG, Case, ToyCase, drawn, h5py, main, run_job, scaled, side_by_side, write_yaml

LETTERS = {"problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1, "mismatch": -3, "gap": 2}
FIRST = [{"name": "table", "wavefront": {**LETTERS, "keep": "table"}},
         {"name": "ways", "recursive": {"problem": "floyd_warshall", "matrix": "g", "paths": True}}]
ADDED = [{"name": "ask", "query": {"matrix": "ways/distance", "next": "ways/next", "pairs": [["n1", "n40"], ["n7", "n2"]],
                                   "reduce": ["eccentricity", "sum"]}},
         {"name": "sums", "wavefront": {"problem": "summed_area", "grid": "m"}}]


def write_job(folder, stages, **inputs):
    with open(os.path.join(folder, "towns.txt"), "w") as file:
        for node in range(60):
            file.write("".join(f"n{node} n{(node + step) % 60} {step * step + 1}\n" for step in (1, 2, 7, 20)))
    write_yaml(folder, {
        "job": "more", "backend": "cpu", "memory": {"host": "1MiB", "device": 100 << 10},
        "checkpoint": {"every": "1ms"},
        "inputs": {"a": {"generate": "dna", "length": 200, "seed": 1}, "b": {"generate": "dna", "length": 300, "seed": 2},
                   "m": {"generate": "uniform", "shape": [60, 60], "type": "i32", "minimum": 1, "seed": 3},
                   "g": {"graph": "towns.txt"}, **inputs},
        "stages": stages, "output": "out.h5"})


def calls_in(log):
    with open(log) as file:
        return [json.loads(line) for line in file]


class Killed(Case):
    """In memory, where a cut costs little."""

    place = ToyCase.place
    same_job = False

    def copy_of(self, folder):
        copy = self.folder()
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        return copy

    def points(self, calls, count):
        """Numbers of calls to kill at: the first and the last ones, and some between."""
        ends = [*range(1, 12), *range(calls - 25, calls + 3)]
        return sorted({*ends, *drawn("calls").sample(range(12, calls), min(calls - 12, scaled(count)))})

    def assertComputedAlone(self, folder, *stages):
        names = [name.decode() for name in runs.profile(folder, "name")]
        computed = {name for name, taken in zip(names, runs.profile(folder, "taken_over")) if not taken}
        self.assertLessEqual(computed, set(stages))
        self.assertFalse(os.path.exists(os.path.join(folder, "out.h5.run")))


class TakingOver(Killed):
    def test_a_kill_leaves_the_old_result_or_the_new_one(self):
        old = self.folder()
        write_job(old, FIRST)
        self.assertEqual(run_job(old).code, DONE)
        write_job(old, FIRST + ADDED)
        whole, log = self.copy_of(old), os.path.join(self.top, "log")
        self.assertEqual(run_job(whole, recorded=whole, RECORD_LOG=log).code, DONE)
        self.assertComputedAlone(whole, "ask", "sums")
        expected = runs.results(whole)

        def kill(at):
            folder = self.copy_of(old)
            end = run_job(folder, recorded=folder, RECORD_KILL_AT=at)
            self.assertIn(end.code, (DONE, KILLED), repr(end))
            if not filecmp.cmp(os.path.join(old, "out.h5"), os.path.join(folder, "out.h5"), shallow=False):
                self.assertGives(folder, expected, f"killed at call {at}: the new result")
            end = run_job(folder)
            self.assertEqual(end.code, DONE, f"killed at call {at}: {end!r}")
            self.assertGives(folder, expected, f"killed at call {at}")
            self.assertComputedAlone(folder, "ask", "sums")
            shutil.rmtree(folder)

        points = self.points(len(calls_in(log)), 30)
        side_by_side(kill, points)
        print(f"{len(points)} kills", flush=True)

    def test_a_full_disk_or_a_failed_sync_leaves_the_old_result_and_the_same_command_finishes(self):
        old = self.folder()
        write_job(old, FIRST)
        self.assertEqual(run_job(old).code, DONE)
        write_job(old, FIRST + ADDED)
        whole = self.copy_of(old)
        self.assertEqual(run_job(whole).code, DONE)
        expected = runs.results(whole)
        failed = []

        def disturb(item):
            name, point = item
            folder = self.copy_of(old)
            end = run_job(folder, recorded=folder, **{name: point})
            self.assertIn(end.code, (DONE, FAILED), f"{item}: {end!r}")
            if end.code == FAILED:
                self.assertIn(folder, end.err, f"{item}: {end!r}")
                self.assertTrue(filecmp.cmp(os.path.join(old, "out.h5"), os.path.join(folder, "out.h5"), shallow=False))
                failed.append(point)
            end = run_job(folder)
            self.assertEqual(end.code, DONE, f"{item}: {end!r}")
            self.assertGives(folder, expected, item)
            shutil.rmtree(folder)

        points = [("RECORD_NO_SPACE_AT", at) for at in range(1, 1 + scaled(25))]
        points += [("RECORD_FAIL_SYNC_AT", at) for at in range(1, 1 + scaled(12))]
        side_by_side(disturb, points)
        print(f"{len(failed)} of {len(points)} failed", flush=True)
        self.assertGreater(len(failed), 5)


class Keeping(Killed):
    """A run that fails for the data of a stage, killed while it keeps what is complete."""

    def test_the_corrected_job_ends_right_whichever_call_was_the_last(self):
        wrong = {"name": "wrong", "wavefront": {**LETTERS, "rows": "x", "keep": "table"}}
        failing = self.folder()
        write_job(failing, [*FIRST, wrong], x={"fasta": "x.fa"})
        letters = os.path.join(failing, "x.fa")
        with open(letters, "w") as file:
            file.write(">x\nACGJACGT\n")
        whole, log = self.copy_of(failing), os.path.join(self.top, "log")
        self.assertEqual(run_job(whole, recorded=whole, RECORD_LOG=log).code, FAILED)
        self.correct(whole)
        self.assertEqual(run_job(whole).code, DONE)
        self.assertComputedAlone(whole, "wrong")
        expected = runs.results(whole)
        refused = []

        def kill(at):
            folder = self.copy_of(failing)
            end = run_job(folder, recorded=folder, RECORD_KILL_AT=at)
            self.assertIn(end.code, (FAILED, KILLED), repr(end))
            before = os.path.exists(os.path.join(folder, "out.h5.run", "kept.h5"))
            self.correct(folder)
            end = run_job(folder)
            if end.code == WRONG:  # it was killed before it failed: a run of another job is under way
                self.assertIn("input 'x' has changed", end.err)
                refused.append(at)
                shutil.copy(letters, folder)
                self.assertEqual(run_job(folder).code, FAILED)
                self.correct(folder)
                end = run_job(folder)
            self.assertEqual(end.code, DONE, f"killed at call {at}: {end!r}")
            self.assertGives(folder, expected, f"killed at call {at}")
            if before:
                self.assertComputedAlone(folder, "wrong")
            shutil.rmtree(folder)

        points = self.points(len(calls_in(log)), 20)
        side_by_side(kill, points)
        print(f"{len(points)} kills, {len(refused)} of them before the error", flush=True)

    def correct(self, folder):
        with open(os.path.join(folder, "x.fa"), "w") as file:
            file.write(">x\nACGTACGT\n")


if __name__ == "__main__":
    main()
