"""Runs that are killed, at every recorded call and at random times, end as if nothing had happened."""
import json
import os
import re
import shutil
import time

import runs
from recursive_jobs import HOST, write_recursive_job
from runs import (DONE, KILLED, Case, ToyCase, drawn, h5py, main, run_job, scaled, side_by_side, start, toy, wait,
                  write_job)


class ToyKilledAtACall(ToyCase):
    def kill_at(self, seed, calls):
        """Kills a run at each of the calls, and finishes all. Returns whether the last of them ended before."""
        folders = [self.folder() for _ in calls]
        ends = side_by_side(lambda pair: toy(seed, pair[1], RECORD_KILL_AT=pair[0]).code, list(zip(calls, folders)))
        self.assertLessEqual(set(ends), {DONE, KILLED})
        self.finish_toys(seed, folders)
        return ends[-1] == DONE

    def calls_of(self, seed):
        """About how many calls a run makes: it depends a little on how its threads meet."""
        folder = self.folder()
        log = os.path.join(self.top, f"log-{seed}")
        self.assertEqual(toy(seed, folder, RECORD_LOG=log).code, DONE)
        with open(log) as file:
            return sum(1 for _ in file)

    def test_a_toy_job_ends_right_whichever_call_was_its_last(self):
        killed = 0
        for seed in range(runs.first_seed + 1, runs.first_seed + 1 + scaled(2)):
            calls = self.calls_of(seed)
            step = max(1, round(calls / (90 * max(1, runs.scale))))
            begin, last = drawn("calls", seed).randrange(1, step + 1), calls
            points = list(range(begin, last, step)) + list(range(max(1, last - 60), last + 3))
            for at in range(0, len(points), 40):
                self.kill_at(seed, points[at:at + 40])
            killed += len(points)
        print(f"{killed} kills", flush=True)

    def test_so_does_one_that_is_killed_before_the_call_and_again_while_it_goes_on(self):
        for seed in range(runs.first_seed + 11, runs.first_seed + 11 + scaled(2)):
            draw = drawn("again", seed)
            calls = self.calls_of(seed)
            folders = [self.folder() for _ in range(scaled(20))]

            def disturb(folder):
                for _ in range(4):
                    end = toy(seed, folder, RECORD_KILL_AT=f"{draw.randrange(1, calls)}:before")
                    self.assertIn(end.code, (DONE, KILLED), repr(end))

            side_by_side(disturb, folders)
            self.finish_toys(seed, folders)


class KilledAtACall(Case):
    write = staticmethod(write_job)
    kills = 15

    def test_a_real_job_killed_while_it_finishes_has_every_byte(self):
        whole = self.folder()
        self.write(whole, 5)
        log = os.path.join(self.top, "log")
        self.assertEqual(run_job(whole, recorded=whole, RECORD_LOG=log).code, DONE)
        expected = runs.results(whole)
        with open(log) as file:
            calls = [json.loads(line) for line in file]
        # The finish begins after the last record of the ledger; its number shifts a little from run to run.
        ledgers = {call["file"] for call in calls if call["kind"] == "open" and call["path"].endswith(".log")}
        begin = max(n for n, call in enumerate(calls) if call.get("file") in ledgers)
        points = range(begin - 10, len(calls) + 5)
        points = drawn("finish", self.write.__name__).sample(points, min(len(points), scaled(self.kills)))

        def kill(at):
            mine = self.folder()
            self.write(mine, 5)
            for _ in range(3):
                run_job(mine, recorded=mine, RECORD_KILL_AT=at)
                at = max(1, at // 3)  # a run that goes on has fewer calls before its finish
            end = run_job(mine)
            self.assertEqual(end.code, DONE, repr(end))
            self.assertGives(mine, expected, f"killed at call {at}")
            self.assertFalse(os.path.exists(os.path.join(mine, "out.h5.run")))
            shutil.rmtree(mine)

        side_by_side(kill, points)


class RecursiveKilledAtACall(KilledAtACall):
    write = staticmethod(write_recursive_job)
    kills = 4


def kill_randomly(test, command, folder, draw, seconds, kills):
    """Kills the command `kills` times after times of at most `seconds`; ends early when it has ended."""
    for number in range(kills):
        process = start(command, folder)
        time.sleep(draw.uniform(0, seconds))
        process.kill()
        end = wait(process)
        test.assertIn(end.code, (DONE, KILLED), repr(end))
        if end.code == DONE:
            return number
    return kills


class ToyKilledAtARandomTime(ToyCase):
    def test_a_toy_job_ends_right(self):
        kills = 0
        for seed in range(runs.first_seed + 101, runs.first_seed + 101 + scaled(10)):
            folders = [self.folder() for _ in range(4)]

            def disturb(item):
                number, folder = item
                draw = drawn("toy", seed, number)
                return kill_randomly(self, [runs.toy_job, seed, 1e-9, folder], folder, draw, 0.12, 4)

            kills += sum(side_by_side(disturb, list(enumerate(folders))))
            self.finish_toys(seed, folders)
        print(f"{kills} kills", flush=True)


class KilledAtARandomTime(Case):
    write = staticmethod(write_job)
    seeds, jobs = 3, 5

    def command(self, draw):
        """What goes on with a killed run."""
        return [runs.terrace, "run", "job.yaml"]

    def kill(self, folder, draw, seconds):
        return kill_randomly(self, self.command(draw), folder, draw, seconds, 5)

    def test_a_real_job_ends_with_the_same_bytes(self):
        kills = 0
        for seed in range(runs.first_seed + 201, runs.first_seed + 201 + scaled(self.seeds)):
            whole = self.folder()
            self.write(whole, seed)
            begin = time.monotonic()
            end = run_job(whole)
            took = time.monotonic() - begin
            self.assertEqual(end.code, DONE, repr(end))
            expected = runs.results(whole)

            def disturb(number):
                folder = self.folder()
                self.write(folder, seed)
                draw = drawn(type(self).__name__, seed, number)
                killed = self.kill(folder, draw, took)
                ended = runs.run(self.command(draw), folder)
                self.assertEqual(ended.code, DONE, f"seed {seed}, job {number}: {ended!r}")
                self.assertGives(folder, expected, f"seed {seed}, job {number}")
                shutil.rmtree(folder)
                return killed

            kills += sum(side_by_side(disturb, range(self.jobs)))
        print(f"{kills} kills", flush=True)


class RecursiveJob(ToyCase):
    def test_it_is_cut_twice_in_each_direction_uses_slots_again_and_makes_many_checkpoints(self):
        folder = self.folder()
        write_recursive_job(folder, runs.first_seed + 201)
        plan = runs.run([runs.terrace, "plan", "job.yaml"], folder).out
        blocks = [int(count) for count in re.findall(r"blocks +(\d+) of \d+ x \d+ x \d+", plan)]
        self.assertEqual(len(blocks), 6, plan)
        # Of 5 tiles in each direction; of 7 where those on one side of the diagonal are left out.
        for count, least in zip(blocks, (125, 125, 125, 140, 84, 84)):
            self.assertGreaterEqual(count, least, plan)
        self.assertEqual(run_job(folder).code, DONE)
        with h5py.File(os.path.join(folder, "out.h5")) as result:
            copies = {name: column[()] for name, column in result["profile/copies"].items()}
            self.assertGreater(sum(result["profile/stages/cuts"][:6]), 20)
        for stage, array in ((0, b"distance"), (0, b"trail"), (2, b"product")):
            here = (copies["stage"] == stage) & (copies["array"] == array)
            tiles = len(set(copies["tile"][here]))
            in_slots = here & (copies["movement"] == b"write")
            if array != b"trail":  # the last generation goes to the dataset
                in_slots &= copies["generation"] < max(copies["generation"][here])
            self.assertGreater(sum(in_slots), 2 * tiles, array)


class RecursiveKilledAtARandomTime(KilledAtARandomTime):
    """In memory, where a cut costs little: there are ten times as many."""

    place = ToyCase.place
    write = staticmethod(write_recursive_job)
    seeds, jobs = 1, 4


class RecursiveKilledAndGivenOtherMemory(RecursiveKilledAtARandomTime):
    """Results depend on the plan alone, and that is made once: by the first run, which is killed after it."""

    same_job = False
    jobs = 3

    def command(self, draw):
        return [runs.terrace, "run", "job.yaml", "--set", f"memory.host={draw.choice((*HOST, 400 << 10))}"]

    def kill(self, folder, draw, seconds):
        process = start([runs.terrace, "run", "job.yaml"], folder)
        while process.poll() is None and not os.path.exists(os.path.join(folder, "out.h5.run", "plan.json")):
            time.sleep(0.001)
        time.sleep(draw.uniform(0, seconds / 2))
        process.kill()
        self.assertIn(wait(process).code, (DONE, KILLED))
        return 1 + super().kill(folder, draw, seconds)


class Repeated(Case):
    def test_the_profile_counts_as_repeated_what_came_after_the_last_cut(self):
        for blocks in (150, 300, 450):
            folder = self.folder()
            write_job(folder, 300, checkpoint={"every": "20ms"}, memory={"host": "1MiB"},
                      inputs={"a": {"generate": "dna", "length": 6000, "seed": 1},
                              "b": {"generate": "dna", "length": 5000, "seed": 2}},
                      stages=[{"name": "table", "wavefront": {
                          "problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1, "mismatch": -3,
                          "gap_open": 3, "gap_extend": 2, "keep": "table"}}])
            process = start([runs.terrace, "run", "job.yaml"], folder)
            self.addCleanup(process.kill)
            self.wait_for_blocks(process, folder, blocks)
            process.kill()
            wait(process)
            stage, noted = runs.noted_blocks(folder)
            self.assertEqual(stage, 0)
            self.assertGreaterEqual(noted, blocks)
            done = done_in(runs.ledger(folder))
            end = run_job(folder)
            self.assertEqual(end.code, DONE, repr(end))
            self.assertEqual(list(runs.profile(folder, "repeated")), [noted - done])
        self.assertGreater(done, 0)

    def wait_for_blocks(self, process, folder, blocks):
        """Waits until so many blocks are noted as done."""
        while process.poll() is None:
            noted = runs.noted_blocks(folder)
            if noted is not None and noted[1] >= blocks:
                return
            time.sleep(0.001)
        self.fail(f"the run ended before it was killed: {wait(process)!r}")


class KilledOnTheWayBack(Case):
    """Phases that follow from results are made again from what was recorded."""

    def write(self, folder):
        common = {"rows": "a", "columns": "b", "keep": "alignment"}
        write_job(folder, 1, memory={"host": "4MiB", "device": 120 << 10},
                  inputs={"a": {"generate": "dna", "length": 2500, "seed": 1},
                          "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}, "seed": 2}},
                  stages=[{"name": "local", "wavefront": {"problem": "smith_waterman", "match": 1, "mismatch": -3,
                                                          "gap_open": 3, "gap_extend": 2, **common}},
                          {"name": "distance", "wavefront": {"problem": "edit_distance", **common}}])

    def test_an_alignment_ends_with_the_same_bytes(self):
        whole = self.folder()
        self.write(whole)
        begin = time.monotonic()
        end = run_job(whole)
        took = time.monotonic() - begin
        self.assertEqual(end.code, DONE, repr(end))
        expected = runs.results(whole)
        self.assertGreater(len(expected["distance/cigar"][2]), 100)

        def disturb(number):
            folder, draw, midway = self.folder(), drawn(type(self).__name__, number), 0
            self.write(folder)
            for _ in range(6):
                kill_randomly(self, [runs.terrace, "run", "job.yaml"], folder, draw, took, 1)
                if os.path.exists(os.path.join(folder, "out.h5.run", "ledger")):
                    midway += walked(runs.ledger(folder))
            ended = run_job(folder)
            self.assertEqual(ended.code, DONE, repr(ended))
            self.assertGives(folder, expected, f"job {number}")
            return midway

        midway, count = 0, scaled(4)
        for turn in range(6):  # until kills have met the way back, which is short
            midway += sum(side_by_side(disturb, range(turn * count, (turn + 1) * count)))
            if midway > 0:
                break
        print(f"{midway} kills on the way back", flush=True)
        self.assertGreater(midway, 0)


class KilledInBands(KilledOnTheWayBack):
    """Bands of diagonals that widen, and the way back between lines that they keep."""

    def write(self, folder):
        common = {"rows": "a", "columns": "b", "keep": "alignment"}
        write_job(folder, 1, memory={"host": "4MiB", "device": 84 << 10},
                  inputs={"a": {"generate": "dna", "length": 20000, "seed": 1},
                          "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}, "seed": 2}},
                  stages=[{"name": "distance", "wavefront": {"problem": "edit_distance", **common}},
                          {"name": "common", "wavefront": {"problem": "lcs", **common}}])


def walked(records):
    """Whether the last cut has a part of a path, or the score of a band of diagonals that the next phase follows from."""
    states = [records[0].get("current") or {}, *records[1:]] if records else []
    states = [bytes.fromhex(state["folded"]) for state in states if state.get("folded")]
    if not states or not states[-1].startswith(b"{"):
        return False
    state = json.loads(states[-1])
    return bool(state["path"][1]) or state.get("swept", 0) > 0


def done_in(records):
    """Blocks done at the last cut of the first stage."""
    state = records[0].get("current", {"frontier": 0, "done": []})
    for record in records[1:]:
        state = record
    return state["frontier"] + sum(end - begin for begin, end in state["done"])


if __name__ == "__main__":
    main()
