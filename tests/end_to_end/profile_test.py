"""The profile of a result: when each block was computed, by which attempt, and what each column means."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import terrace_runs
from terrace_runs import ON_DISK, STOPPED, JobTest, affine, h5py, main, numpy, random_letters, wavefront

SMALL = {"host": 24 << 20, "device": 2 << 20}


class Profiles(JobTest):
    place = ON_DISK

    def columns(self, output="result.h5"):
        group = self.open(output)["profile/blocks"]
        return {name: group[name][()] for name in group if group[name].shape}

    def slow_job(self):
        return self.write_job({"a": random_letters(150000, 7), "b": random_letters(150000, 8)},
                              [affine("s", "a", "b", schedule="registers")], backend="cpu", memory=SMALL)


class Blocks(Profiles):
    def jobs(self):
        matrix = {"m": {"npy": self.write("m.npy", numpy.random.default_rng(1).integers(1, 99, (500, 500), numpy.int32))}}
        grid = {"g": {"npy": self.write("g.npy", numpy.random.default_rng(1).random((900, 900), numpy.float32))}}
        pair = {"a": random_letters(6000, 1), "b": random_letters(7000, 2)}
        return {"table": (pair, affine("s", "a", "b", keep="table")),
                "waves": (pair, affine("s", "a", "b", keep="table", schedule="square_barrier")),
                "alignment": (pair, affine("s", "a", "b", keep="alignment")),
                "sums": (grid, wavefront("s", "summed_area", grid="g")),
                "sweeps": (grid, wavefront("s", "sor", grid="g", sweeps=40)),
                "paths": (matrix, {"name": "s", "recursive": {"problem": "floyd_warshall", "matrix": "m"}}),
                "query": (matrix, {"name": "s", "query": {"matrix": "m", "reduce": ["sum"]}})}

    def test_are_computed_within_the_time_of_the_threads(self):
        for name, (inputs, stage) in self.jobs().items():
            with self.subTest(job=name):
                self.run_job(inputs, [stage], output=name + ".h5", backend="cpu", memory={"host": 8 << 20,
                                                                                          "device": 1 << 18})
                blocks = self.columns(name + ".h5")
                threads = int(self.open(name + ".h5")["profile/devices/processors"][0])
                begin, end = blocks["begin"], blocks["end"]
                self.assertGreater(len(begin), 1)
                self.assertTrue((end > begin).all())
                self.assertLessEqual((end - begin).sum(), threads * (end.max() - begin.min()))
                if name in ("sweeps", "paths", "query"):  # all threads compute one block after another
                    order = numpy.argsort(begin)
                    self.assertTrue((begin[order][1:] >= end[order][:-1]).all())
                stage_seconds = float(self.open(name + ".h5")["profile/stages/seconds"][0])
                self.assertLessEqual(end.max() - begin.min(), stage_seconds)

    def stop(self, job, *arguments, kill=False):
        run = subprocess.Popen([terrace_runs.program, "run", job, *arguments], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ledger = self.folder / "result.h5.run" / "ledger"
        for _ in range(3000):
            written = sum(path.stat().st_size for path in ledger.glob("*.blocks")) if ledger.exists() else 0
            if written > 2000 or run.poll() is not None:
                break
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended before it could be stopped")
        run.send_signal(signal.SIGKILL if kill else signal.SIGINT)
        run.wait()
        if not kill:
            self.assertEqual(run.returncode, STOPPED)

    def test_of_all_attempts_are_kept(self):
        job = self.slow_job()
        began = time.time()
        self.stop(job, "--set", "checkpoint.every=200ms")
        time.sleep(1.5)
        self.terrace("run", job)
        blocks = self.columns()
        self.assertEqual(sorted(set(blocks["attempt"])), [1, 2])
        first, second = blocks["attempt"] == 1, blocks["attempt"] == 2
        # What is between the attempts is no time of a block.
        self.assertGreater(blocks["begin"][second].min(), blocks["end"][first].max() + 1.4)
        places = [tuple(row) for row in zip(blocks["phase"], blocks["first"])]
        self.assertEqual(len(set(zip(places, blocks["attempt"]))), len(places))
        again = set(p for p, a in zip(places, first) if a) & set(p for p, a in zip(places, second) if a)
        for place, attempt, attempts in zip(places, blocks["attempt"], blocks["attempts"]):
            self.assertEqual(attempts, 2 if attempt == 2 and place in again else 1)
        total = len(set(places))
        self.assertEqual(total, int(self.open()["profile/stages/blocks"][0]) + len(places) - int(second.sum())
                         - len(again))
        started = time.strptime(self.open().attrs["started"], "%Y-%m-%dT%H:%M:%SZ")
        self.assertLess(abs(time.mktime(started) - time.timezone - began), 3)

    def test_columns_say_what_they_mean(self):
        self.run_job({"a": random_letters(500, 1), "b": random_letters(500, 2)}, [affine("s", "a", "b")])
        found = []

        def visit(name, item):
            if isinstance(item, h5py.Dataset) and "This is a netCDF dimension" not in str(item.attrs.get("NAME", "")):
                found.append(name)
                self.assertGreater(len(item.attrs.get("long_name", "")), 8, name)

        self.open()["profile"].visititems(visit)
        for name in ("blocks/begin", "blocks/attempt", "copies/bytes", "stages/rate", "parts/seconds", "devices/name"):
            self.assertIn(name, found)


class Shown(Profiles):
    def test_runs_under_way_and_stopped_say_how_far_they_are(self):
        job = self.slow_job()
        run = subprocess.Popen([terrace_runs.program, "run", job, "--set", "checkpoint.every=1h"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        said = ""
        for _ in range(3000):
            if (self.folder / "result.h5.run" / "plan.json").exists():
                said = self.terrace("show", "result.h5").stdout
                if "% " in said.replace("%,", "% ") and "blocks done" in said:
                    break
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended before it could be shown")
        self.assertRegex(said, r"  s: [0-9.]+%, [0-9]+ blocks done; no checkpoint yet\nunder way \(host .*, process "
                         + str(run.pid))
        os.kill(run.pid, signal.SIGINT)
        run.wait()
        said = self.terrace("show", "result.h5").stdout
        self.assertRegex(said, r"  s: [0-9.]+%, [0-9]+ blocks? done; [0-9]+ of [0-9]+ blocks \([0-9]+%\) at the last "
                               r"checkpoint\nstopped; the same `terrace run` goes on")

    def test_a_run_whose_last_step_is_not_known_says_the_same_share_of_what_is_done_and_what_is_safe(self):
        grid = {"g": {"generate": "uniform", "shape": [2048, 2048], "type": "f32", "seed": 1}}
        heat = {"name": "s", "stencil": {"operator": "star2d", "grid": "g", "steps": 100000,
                                         "until": {"residual": 1e-30, "every": 40}}}
        job = self.write_job(grid, [heat], backend="cpu", memory={"host": 24 << 20})
        run = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        for _ in range(3000):
            begun = (self.folder / "result.h5.run" / "plan.json").exists()
            if begun and re.search(r": [1-9][0-9.]*%, ", self.terrace("show", "result.h5").stdout):
                break
            time.sleep(0.01)
        os.kill(run.pid, signal.SIGINT)
        self.assertEqual(run.wait(), STOPPED)
        said = self.terrace("show", "result.h5").stdout
        found = re.search(r"s: ([0-9.]+)%, ([0-9]+) blocks done; ([0-9]+) blocks \(([0-9]+)%\) at the last checkpoint",
                          said)
        self.assertTrue(found, said)
        self.assertEqual(found[2], found[3], said)
        self.assertAlmostEqual(float(found[1]), float(found[4]), delta=1, msg=said)

    def on_terminal(self, columns, *arguments):
        """What the program writes to a terminal of so many columns."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execv(terrace_runs.program, [terrace_runs.program, *arguments])
        written = b""
        try:
            while piece := os.read(terminal, 1 << 16):
                written += piece
        except OSError:  # the program has ended
            pass
        os.close(terminal)
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        return written.decode().replace("\r\n", "\n")

    def test_lines_on_a_terminal_are_no_wider_than_it(self):
        # Work of less than a second shows no progress.
        job = self.write_job({"a": random_letters(150000, 1), "b": random_letters(150000, 2)},
                             [affine("a_stage_with_a_long_name_" * 3, "a", "b", schedule="registers")], backend="cpu",
                             memory=SMALL)
        shown = [line for line in self.on_terminal(50, "run", job).replace("\x1b[K", "").split("\r")]
        live = [line for line in shown if line and "\n" not in line]
        self.assertGreater(len(live), 1)
        self.assertEqual({len(line) for line in live}, {49})
        for columns in (60, 90):
            for arguments in (["show", "result.h5"], ["problems", "floyd_warshall"], ["problems"], ["inputs", "graph"]):
                said = self.on_terminal(columns, *arguments)
                words = max(len(word) for word in said.split())
                # An example is there to be copied.
                widest = max(len(line) for line in said.split("\n") if not line.startswith(("  inputs:", "  stages:", "    ")))
                self.assertLessEqual(widest, max(columns, words + 8), arguments)

    def test_checkpoints_that_take_longer_than_their_interval_are_told_once(self):
        job = self.write_job({"a": random_letters(6000, 1), "b": random_letters(6000, 2)}, [affine("s", "a", "b", keep="table")],
                             backend="cpu", memory=SMALL)
        said = self.terrace("run", job, "--set", "checkpoint.every=1ms").stderr
        self.assertEqual(len(re.findall(r"warning: stage 's': a checkpoint took .*, longer than checkpoint.every, 1.00 ms", said)), 1, said)
        self.assertNotIn("a checkpoint took", self.terrace("run", job, "--fresh", "--set", "checkpoint.every=1h").stderr)

    def test_a_plan_of_more_blocks_than_work_is_bound_by_their_number(self):
        job = self.write_job({"a": random_letters(6000, 1), "b": random_letters(6000, 2)},
                             [wavefront("s", "lcs", rows="a", columns="b", keep="table")], backend="cpu",
                             memory={"host": 16 << 20, "device": 70 << 10})
        said = self.terrace("plan", job).stdout
        blocks = int(re.search(r"blocks +([0-9]+) of", said)[1])
        self.assertGreater(blocks, 4000)
        self.assertRegex(said, r"predicted +[0-9.]+ ms, bound by the number of blocks, 20.0 us each")
        [stage] = json.loads(self.terrace("plan", job, "--json").stdout)["stages"]
        self.assertEqual(stage["bound"], "blocks")
        self.assertAlmostEqual(stage["predicted_seconds"], stage["blocks_seconds"] + stage["memory_seconds"])
        self.assertAlmostEqual(stage["blocks_seconds"], blocks * 20e-6)
        self.assertNotIn("number of blocks", self.terrace("plan", job, "--set", "memory.device=8MiB").stdout)

    def test_a_run_says_its_small_results_first(self):
        inputs = {"a": random_letters(500, 1), "b": random_letters(500, 2), "g": {"graph": self.write("g.txt", "a b 3\nb a 4\n")}}
        ended = self.terrace("run", self.write_job(inputs, [
            affine("align", "a", "b"), {"name": "far", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}]))
        result = self.open()
        lines = ended.stderr.split("\n")
        self.assertEqual([line.split()[0] for line in lines[:4]], ["align/end", "align/lengths", "align/score", "far/distance"])
        self.assertEqual(lines[0].split(maxsplit=1)[1], f"{result['align/end'][0]}, {result['align/end'][1]}")
        self.assertEqual(lines[2].split()[1], str(result["align/score"][()]))
        self.assertRegex(lines[4], r"^align: 250 kcells in [0-9.]+ m?s$")
        self.assertRegex(lines[5], r"^far: 8 relaxations in [0-9.]+ m?s$")
        self.assertRegex(lines[6], r"^done in ")
        self.assertEqual(ended.stdout, f"{self.folder}/result.h5\n")
        # Times and rates of nothing are not told.
        said = ended.stderr + self.terrace("show", "result.h5").stdout
        self.assertNotRegex(said, r"while computing|\b0%|left$")
        self.assertNotIn("0.00 us", said + self.terrace("plan", "job.yaml", "--fresh=all").stdout)

    def test_what_takes_less_than_a_second_has_no_progress(self):
        ended = self.terrace("run", self.write_job({"a": random_letters(500, 1)}, [affine("s", "a", "a")]))
        self.assertNotRegex(ended.stderr, r"s(: | \(1 of 1\): )[0-9.]+%")

    def test_progress_in_a_pipe_ends_with_each_long_stage(self):
        sweeps = [{"name": name, "stencil": {"operator": "heat2d", "grid": "g", "steps": 6000, "dt": 0.1,
                                             "diffusivity": 1}} for name in "st"]
        grid = {"g": {"generate": "uniform", "shape": [700, 700], "type": "f64", "seed": 1}}
        ended = self.terrace("run", self.write_job(grid, sweeps, memory={"host": 3 << 20}, backend="cpu"))
        lines = ended.stderr.split("\n")
        for number, stage in enumerate("st", 1):
            shown = [line for line in lines if line.startswith(f"{stage} ({number} of 2): ")]
            self.assertGreaterEqual(len(shown), 2, ended.stderr)
            self.assertRegex(shown[0], "of 2\\): [0-9.]+%, .* left$")
            self.assertRegex(shown[-1], "of 2\\): 100.0%, ")


if __name__ == "__main__":
    main()
