"""`--fresh`: it replaces a result once, its unfinished run is resumed like any other, and nothing else is discarded."""
import json
import os
import signal
import subprocess
import time

import terrace_runs
from terrace_runs import FAILED, STOPPED, WRONG, affine, main, random_letters, wavefront
from runs_test import LONG, Runs

ALL = "--fresh=all"


class Fresh(Runs):
    def job(self, length=LONG, output="result.h5", **keys):
        """A job that takes a while, unless its sequence is short."""
        return self.write_job({"a": random_letters(length, 7),
                               "b": {"generate": "dna", "seed": 8, "mutate": {"of": "a", "rate": 0.1}}},
                              [affine("align", "a", "b"), wavefront("common", "lcs", rows="a", columns="b")],
                              output=output, backend="cpu", memory={"host": 16 << 20, "device": 4 << 20}, **keys)

    def stop(self, *arguments, number=signal.SIGTERM):
        """Starts the job and stops it; returns the id of its run."""
        before = self.ledgers()
        run = self.start("job.yaml", *arguments)
        while run.poll() is None and not self.ledgers() - before:
            time.sleep(0.002)
        run.send_signal(number)
        self.assertEqual(self.end(run)[0], STOPPED if number == signal.SIGTERM else -number)
        return self.run_id()

    def ledgers(self):
        """The files that attempts have begun, with the run that each is of."""
        try:
            return {(self.run_id(), path.name) for path in self.folder.glob("*.run/ledger/*.log")}
        except FileNotFoundError:
            return set()  # another run is taking the place of the one before

    def run_id(self):
        plan = json.loads((self.folder / "result.h5.run" / "plan.json").read_text())
        return plan["plan"]["run"]

    def tree(self):
        """Every file of the test's folder with its bytes, but the lock, which names who took it last."""
        return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*")
                if path.is_file() and path.name != "lock"}

    def assertRefused(self, *arguments, says):
        before = self.tree()
        ended = self.terrace("run", "job.yaml", *arguments, expect=WRONG)
        self.assertSays(ended, "job.yaml:", "output", *says)
        self.assertEqual(self.tree(), before)

    def test_a_run_begun_with_it_is_resumed_with_and_without_it_and_replaces_the_result(self):
        self.job()
        self.terrace("run", "job.yaml")
        old = (self.folder / "result.h5").read_bytes()
        for again in ([], ["--fresh"]):
            with self.subTest(again=again):
                begun = self.stop("--fresh")
                self.assertEqual(self.stop(*again), begun)
                self.assertEqual((self.folder / "result.h5").read_bytes(), old)
                ended = self.terrace("run", "job.yaml", *again)
                self.assertSays(ended, "going on with the run in", "begun with --fresh", ALL)
                self.assertNotIn("is there already", ended.stderr)
                result = self.open()
                self.assertEqual((result.attrs["run"], result.attrs["attempts"]), (begun, 3))
                result.close()
                self.assertNotEqual((self.folder / "result.h5").read_bytes(), old)
                old = (self.folder / "result.h5").read_bytes()
                self.assertFalse((self.folder / "result.h5.run").exists())

    def test_so_is_one_that_was_killed_before_its_first_checkpoint(self):
        self.job(checkpoint={"every": "auto"})
        self.terrace("run", "job.yaml")
        begun = self.stop("--fresh", number=signal.SIGKILL)
        self.assertSays(self.terrace("run", "job.yaml"), "going on with the run in")
        self.assertEqual(self.open().attrs["run"], begun)

    def end_before_a_plan(self, *arguments, number=signal.SIGTERM):
        """Ends the run of a job after it was asked to start over and before it has a plan; by chance, but soon."""
        run_folder = self.folder / "result.h5.run"
        for _ in range(100):
            run = subprocess.Popen([terrace_runs.program, "run", "job.yaml", *arguments], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while run.poll() is None and not (run_folder / "fresh.json").exists():
                pass
            run.send_signal(number)
            code, out, err = self.end(run)
            if (run_folder / "fresh.json").exists() and not (run_folder / "plan.json").exists():
                self.assertEqual(code, STOPPED if number == signal.SIGTERM else -number, err)
                return err
            # It had a plan already.
            self.terrace("run", "job.yaml")
        self.fail("no run ended before it had a plan")

    def test_a_stop_or_a_kill_before_there_is_a_plan_is_no_reason_to_forget_it(self):
        self.job(200)
        self.terrace("run", "job.yaml")
        for number in (signal.SIGTERM, signal.SIGKILL):
            for again in ([], ["--fresh"]):
                with self.subTest(number=number, again=again):
                    said = self.end_before_a_plan("--fresh", number=number)
                    if number == signal.SIGTERM:
                        self.assertIn("stopped before the first block was computed", said)
                    old = (self.folder / "result.h5").read_bytes()
                    ended = self.terrace("run", "job.yaml", *again)
                    self.assertNotIn("is there already", ended.stderr)
                    if not again:
                        self.assertSays(ended, "starting over: a run with --fresh was stopped")
                    self.assertNotEqual((self.folder / "result.h5").read_bytes(), old)
                    self.assertFalse((self.folder / "result.h5.run").exists())
                    # It was asked for once.
                    self.assertSays(self.terrace("run", "job.yaml"), "is there already, made by this job")

    def test_what_was_asked_for_before_there_is_a_plan_is_of_that_job_and_that_result(self):
        self.job(200)
        self.terrace("run", "job.yaml")
        self.end_before_a_plan("--fresh")
        self.job(201)
        self.assertRefused(says=["was made by another job", "201", "--fresh"])
        self.job(200)
        os.utime(self.folder / "result.h5")
        self.assertRefused(says=["result.h5 is not the file", "--fresh"])
        self.terrace("run", "job.yaml", "--fresh")

    def test_what_a_wrong_job_asks_for_before_there_is_a_plan_is_forgotten(self):
        self.job(200)
        self.terrace("run", "job.yaml")
        self.end_before_a_plan("--fresh")
        self.terrace("run", "job.yaml", "--set", "memory.device=64", expect=WRONG)
        self.assertFalse((self.folder / "result.h5.run").exists())
        self.assertSays(self.terrace("run", "job.yaml"), "is there already, made by this job")

    def test_equal_to_all_is_not_forgotten_either_and_discards_what_is_unfinished(self):
        wish = self.folder / "result.h5.run" / "fresh.json"
        for _ in range(20):
            self.job()
            begun = self.stop(ALL)
            self.job(200)
            run = subprocess.Popen([terrace_runs.program, "run", "job.yaml", ALL], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while run.poll() is None and not wish.exists():
                pass
            run.kill()
            self.end(run)
            in_time = wish.exists()
            self.terrace("run", "job.yaml")
            self.assertNotEqual(self.open().attrs["run"], begun)
            self.assertEqual(self.open()["align/lengths"][0], 200)
            if in_time:
                return
        self.fail("no run was killed before it had a plan")

    def test_once_done_the_same_command_begins_again(self):
        self.job(200)
        runs = []
        for _ in range(2):
            self.terrace("run", "job.yaml", "--fresh")
            runs.append(self.open().attrs["run"])
        self.assertNotEqual(*runs)

    def test_a_kill_after_the_result_has_its_name_leaves_nothing_to_begin_again(self):
        """The state that is left is made here: the result in place, the run's folder not yet removed."""
        self.job()
        self.terrace("run", "job.yaml")
        begun = self.stop("--fresh")
        os.rename(self.folder / "result.h5.run", self.folder / "aside")
        os.remove(self.folder / "result.h5")
        os.rename(self.folder / "aside", self.folder / "result.h5.run")
        plan = (self.folder / "result.h5.run" / "plan.json").read_bytes()
        self.terrace("run", "job.yaml")
        for arguments in ([], ["--fresh"]):
            with self.subTest(arguments=arguments):
                self.write("result.h5.run/plan.json", plan)
                (self.folder / "result.h5.run").chmod(0o700)
                ended = self.terrace("run", "job.yaml", *arguments)
                self.assertSays(ended, "is there")
                self.assertEqual(self.open().attrs["run"], begun)
                self.assertFalse((self.folder / "result.h5.run").exists())

    def test_equal_to_all_discards_an_unfinished_run_of_the_same_job(self):
        self.job()
        begun = self.stop("--fresh")
        self.assertNotEqual(self.stop(ALL), begun)
        self.terrace("run", "job.yaml", ALL)

    def test_a_run_of_another_job_is_discarded_by_all_alone(self):
        for first in ([], ["--fresh"]):
            with self.subTest(first=first):
                self.job()
                begun = self.stop(*first, number=signal.SIGKILL)
                self.job(300)
                for arguments in ([], ["--fresh"]):
                    self.assertRefused(*arguments, says=["result.h5.run holds a run of another job", "300", ALL])
                    self.assertEqual(self.run_id(), begun)
                self.terrace("run", "job.yaml", ALL)
                self.assertEqual(self.open()["align/lengths"][0], 300)
                os.remove(self.folder / "result.h5")

    def test_what_has_the_name_of_the_result_is_replaced_only_if_it_is_what_the_run_was_begun_to_replace(self):
        self.job()
        self.terrace("run", "job.yaml")
        begun = self.stop("--fresh")
        os.utime(self.folder / "result.h5")
        self.assertRefused(says=["result.h5 is not the file", "--fresh"])
        self.terrace("run", "job.yaml", "--fresh")
        self.assertEqual(self.open().attrs["run"], begun)

    def test_a_result_that_is_there_leaves_an_unfinished_run_as_it_is(self):
        self.job()
        begun = self.stop()
        self.job(output="other.h5")
        self.terrace("run", "job.yaml")
        os.rename(self.folder / "other.h5", self.folder / "result.h5")
        self.job()
        self.assertSays(self.terrace("run", "job.yaml"), "is there already", "is left as it is", ALL)
        self.assertEqual(self.run_id(), begun)

    def test_a_result_of_another_job_is_an_error_of_the_line_of_the_output(self):
        self.job(200)
        self.terrace("run", "job.yaml")
        self.job(201)
        self.assertRefused(says=["was made by another job", "201", "--fresh"])
        self.write("result.h5", "mine")
        for arguments in ([], ["--fresh"], [ALL]):
            self.assertRefused(*arguments, says=["was not made by Terrace"])

    def test_a_run_that_its_data_made_fail_at_once_leaves_nothing_to_discard(self):
        for arguments in ([], ["--fresh"]):
            self.write("a.fa", ">a\nACGJ\n")
            job = self.write_job({"a": {"fasta": "a.fa"}, "b": random_letters(50, 1)}, [affine("align", "a", "b")])
            self.assertSays(self.terrace("run", job, *arguments, expect=FAILED), "'J'")
            self.assertFalse((self.folder / "result.h5.run").exists())
            self.write("a.fa", ">a\nACGTT\n")
            self.terrace("run", job, *arguments)
            os.remove(self.folder / "result.h5")

    def test_other_values_are_errors_that_list_what_there_is(self):
        self.job(200)
        for value in ("change", "aligned", "ALL", "1"):
            ended = self.terrace("run", "job.yaml", "--fresh=" + value, expect=WRONG)
            self.assertSays(ended, "--fresh=" + value, "--fresh alone", "--fresh=changed", "(align, common)", ALL)
        self.assertEqual(os.listdir(self.folder), ["job.yaml"])
        self.terrace("run", "--fresh", "job.yaml")

    def test_a_refused_run_leaves_no_folder(self):
        self.job(200, output="new/deep/result.h5")
        self.write("job.yaml", (self.folder / "job.yaml").read_text().replace('"cpu"', '"cuda"'))
        self.terrace("run", "job.yaml", expect=WRONG)
        self.assertEqual(os.listdir(self.folder), ["job.yaml"])


if __name__ == "__main__":
    main()
