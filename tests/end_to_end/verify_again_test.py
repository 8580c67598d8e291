"""`verify --all` runs the job again beside the result: one process at a time, stopped and gone on with, and no trace."""
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import terrace_runs
from runs_test import LONG, Runs
from terrace_runs import DONE, FAILED, STOPPED, affine, main, random_letters, wavefront

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)


class Again(Runs):
    def run_long(self, length=LONG, *arguments):
        """A job that takes a while."""
        self.write_job({"a": random_letters(length, 7),
                        "b": {"generate": "dna", "seed": 8, "mutate": {"of": "a", "rate": 0.1}}},
                       [affine("align", "a", "b"), wavefront("common", "lcs", rows="a", columns="b")],
                       backend="cpu", memory={"host": 16 << 20, "device": 4 << 20})
        self.terrace("run", "job.yaml", *arguments)

    def run_table(self):
        """A job whose result is large, and soon computed."""
        self.write_job({"grid": {"generate": "uniform", "shape": [6000, 6000], "type": "u8", "seed": 1}},
                       [wavefront("sums", "summed_area", grid="grid")], backend="cpu")
        self.terrace("run", "job.yaml")

    def start_verify(self):
        verify = subprocess.Popen([terrace_runs.program, "verify", "result.h5", "--all"], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(verify.stdout.close)
        self.addCleanup(verify.stderr.close)
        return verify

    def start_computing(self):
        """A verification that computes blocks by now."""
        attempts = set(self.folder.glob("*.verify.run/ledger/*.log"))
        verify = self.start_verify()
        self.wait_for(verify, lambda: set(self.folder.glob("*.verify.run/ledger/*.log")) - attempts)
        return verify

    def wait_for(self, process, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertIsNone(process.poll(), "it ended before it could be stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)

    def left(self):
        """Names of what a verification may have left beside the result."""
        return sorted(path.name for path in self.folder.glob("result.h5*") if path.name != "result.h5")

    def check_goes_on(self):
        ended = self.terrace("verify", "result.h5", "--all")
        self.assertSays(ended, "going on with the verification in", "result.h5.verify.run")
        self.assertIn("run again, equal", ended.stdout)
        self.assertEqual(self.left(), [])

    def test_that_is_killed_is_gone_on_with_and_leaves_nothing(self):
        self.run_long()
        for _ in range(2):
            verify = self.start_computing()
            verify.kill()
            self.end(verify)
            self.assertEqual(self.left(), ["result.h5.verify.run"])
        self.check_goes_on()

    def test_that_is_stopped_says_what_is_kept_and_is_gone_on_with(self):
        self.run_long()
        for number in STOPS:
            with self.subTest(number):
                verify = self.start_computing()
                verify.send_signal(number)
                code, _, said = self.end(verify)
                self.assertEqual(code, STOPPED, said)
                self.assertIn("stopping at a checkpoint", said)
                self.assertIn("the same command goes on", said)
        self.assertEqual(self.left(), ["result.h5.verify.run"])
        self.assertIn("the same `terrace verify --all` goes on", self.terrace("show", "result.h5.verify.run").stdout)
        self.assertIn("all equal", self.terrace("verify", "result.h5").stdout)
        self.check_goes_on()

    def test_that_is_stopped_before_the_second_run_keeps_nothing_and_says_so(self):
        self.run_table()
        for arguments in ([], ["--all"]):
            verify = subprocess.Popen([terrace_runs.program, "verify", "result.h5", *arguments], cwd=self.folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for(verify, lambda: self.has_open(verify.pid, "result.h5"))
            verify.send_signal(signal.SIGTERM)
            out, said = verify.communicate()
            self.assertEqual(verify.returncode, FAILED, out + said)
            self.assertIn("nothing is kept", said)
            self.assertNotIn("goes on", said)
            self.assertEqual(self.left(), [])

    def has_open(self, process, name):
        try:
            links = [os.readlink(path) for path in pathlib.Path(f"/proc/{process}/fd").iterdir()]
        except OSError:
            return False
        return any(link.endswith("/" + name) for link in links)

    def test_that_is_stopped_while_it_samples_says_so_at_once(self):
        """It shows its progress before."""
        nodes = 1500
        self.write_job({"m": {"generate": "uniform", "shape": [nodes, nodes], "type": "i32", "seed": 1}},
                       [{"name": "far", "recursive": {"problem": "floyd_warshall", "matrix": "m"}}], backend="cpu")
        self.terrace("run", "job.yaml")
        verify = subprocess.Popen([terrace_runs.program, "verify", "result.h5", "--sample", "1"], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = verify.stderr.readline()
        self.assertRegex(first, r"^sample of far: \d+\.\d%, .*\n$")
        verify.send_signal(signal.SIGINT)
        asked = time.monotonic()
        code, out, said = self.end(verify)
        self.assertLess(time.monotonic() - asked, 5)
        self.assertEqual(code, FAILED, out + said)
        self.assertIn("nothing is kept", said)

    def test_that_is_stopped_while_it_compares_has_computed_all(self):
        self.run_table()
        verify = self.start_verify()
        run = self.folder / "result.h5.verify.run"

        def computed():
            try:
                planned = json.loads((run / "plan.json").read_text())["plan"]["length"]
                return (run / "result.h5").stat().st_size > planned
            except (FileNotFoundError, ValueError):
                return False

        self.wait_for(verify, computed)
        verify.send_signal(signal.SIGTERM)
        code, out, said = self.end(verify)
        self.assertEqual(code, STOPPED, out + said)
        self.assertIn("the same command goes on with what was computed again", said)
        ended = self.terrace("verify", "result.h5", "--all")
        self.assertSays(ended, "going on with the verification in")
        self.assertNotIn("running the job again", ended.stderr)
        self.assertEqual(self.left(), [])

    def test_that_is_stopped_at_any_time_keeps_its_word(self):
        self.run_table()
        began = time.monotonic()
        self.terrace("verify", "result.h5", "--all")
        took, draw, codes = time.monotonic() - began, random.Random(5), set()
        for _ in range(12):
            before = self.left()
            verify = self.start_verify()
            time.sleep(draw.uniform(0, took))
            verify.send_signal(draw.choice(STOPS))
            code, _, said = self.end(verify)
            codes.add(code)
            if code == STOPPED:
                self.assertIn("the same command goes on", said)
                self.assertEqual(self.left(), ["result.h5.verify.run"])
            elif code == DONE:
                self.assertEqual(self.left(), [])
            else:
                self.assertIn(code, (FAILED, *(-number for number in STOPS)))
                self.assertEqual(self.left(), before, said)
        self.assertIn(STOPPED, codes)
        self.assertIn("run again, equal", self.terrace("verify", "result.h5", "--all").stdout)
        self.assertEqual(self.left(), [])

    def test_that_is_under_way_is_the_only_one(self):
        self.run_long()
        first = self.start_computing()
        ended = self.terrace("verify", "result.h5", "--all", expect=FAILED, timeout=60)
        self.assertSays(ended, "result.h5", "another `terrace verify --all` of it is under way", f"process {first.pid}")
        self.assertEqual(ended.stdout, "")
        self.assertIn("all equal", self.terrace("verify", "result.h5").stdout)
        code, out, said = self.end(first)
        self.assertEqual(code, DONE, out + said)
        self.assertEqual(self.left(), [])

    def test_shows_its_progress_as_a_run_does(self):
        self.run_long(2 * LONG)  # what takes less than a second shows none
        ended = self.terrace("verify", "result.h5", "--all")
        self.assertSays(ended, "running the job again", "align (1 of 2): ")
        self.assertNotIn("checksums", ended.stderr)  # soon done
        self.assertEqual(self.terrace("--quiet", "verify", "result.h5", "--all").stderr, "")

    def test_of_another_job_is_not_gone_on_with(self):
        self.run_long()
        verify = self.start_computing()
        verify.kill()
        self.end(verify)
        self.run_long(LONG // 4, "--fresh")
        ended = self.terrace("verify", "result.h5", "--all")
        self.assertSays(ended, "running the job again")
        self.assertNotIn("going on", ended.stderr)
        self.assertEqual(self.left(), [])

    def test_that_finds_what_is_kept_damaged_begins_anew(self):
        self.run_table()
        verify = self.start_computing()
        verify.kill()
        self.end(verify)
        for name in ("result.h5", "metadata.copy"):
            path = self.folder / "result.h5.verify.run" / name
            if path.exists():
                path.write_bytes(b"rubbish")
        ended = self.terrace("verify", "result.h5", "--all")
        self.assertSays(ended, "going on with the verification", "it cannot be gone on with", "running the job again")
        self.assertIn("run again, equal", ended.stdout)
        self.assertEqual(self.left(), [])

    def test_removes_nothing_that_it_has_not_made(self):
        self.run_long(400)
        place = self.folder / "result.h5.verify.run"
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "plan.json").write_text("mine")
        place.symlink_to(elsewhere)
        self.assertSays(self.verify_refused(), "result.h5.verify.run", "no folder")
        self.assertEqual((elsewhere / "plan.json").read_text(), "mine")
        place.unlink()
        place.mkdir(mode=0o700)
        (place / "notes.txt").write_text("mine")
        self.assertSays(self.verify_refused(), "notes.txt", "was not made by a run",
                        "a copy of the result in another folder can be verified there")
        self.assertEqual((place / "notes.txt").read_text(), "mine")

    def verify_refused(self):
        return self.terrace("verify", "result.h5", "--all", expect=FAILED)

    def test_leaves_the_run_of_a_job_whose_folder_it_would_take(self):
        self.run_long()
        run = self.start("job.yaml", "--set", "output=result.h5.verify")
        run.kill()
        self.end(run)
        self.assertSays(self.verify_refused(), "result.h5.verify.run", "holds an unfinished run of another command")
        ended = self.terrace("run", "job.yaml", "--set", "output=result.h5.verify")
        self.assertSays(ended, "going on with the run")


if __name__ == "__main__":
    main()
