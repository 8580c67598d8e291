"""A run's life: done results, stops, kills, and what others change meanwhile; nothing of anyone's is lost."""
import json
import os
import shutil
import signal
import struct
import subprocess
import time

import terrace_runs
from terrace_runs import DONE, FAILED, ON_DISK, STOPPED, WRONG, JobTest, affine, h5py, main, numpy, random_letters, wavefront

SUMS = [wavefront("sums", "summed_area", grid="grid")]


# Letters of sequences that take two threads about a second.
LONG = 85_000


class Runs(JobTest):
    place = ON_DISK

    def lengths(self, length, **keys):
        return self.write_job({"a": random_letters(length, 1),
                               "b": random_letters(500, 2)}, [affine("align", "a", "b")], **keys)

    def start(self, job, *arguments):
        """Starts a run and waits until it computes."""
        run = subprocess.Popen([terrace_runs.program, "run", job, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        for _ in range(2000):
            if list(self.folder.glob("*.run/ledger/*.log")) or run.poll() is not None:
                break
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended before it could be stopped")
        return run

    def end(self, run):
        out, err = run.communicate(timeout=300)
        return run.returncode, out, err


class Outputs(Runs):
    def test_lie_in_folders_with_any_bytes_in_their_names(self):
        folder = os.path.join(os.fsencode(self.folder), b"caf\xe9")
        os.mkdir(folder)
        with open(os.path.join(folder, b"a.fa"), "wb") as file:
            file.write(b">a\nACGT\n")
        self.write_job({"a": {"fasta": "a.fa"}}, [affine("align", "a", "a")])
        # Without a key `job` its file gives the job its name.
        job = json.loads((self.folder / "job.yaml").read_text())
        del job["job"]
        with open(os.path.join(folder, b"j\xff.yaml"), "w") as file:
            json.dump(job, file)
        command = [terrace_runs.program, "run", b"j\xff.yaml", "--set", "scratch.path=."]
        for said in (b"done in", b"is there already, made by this job"):
            ended = subprocess.run(command, cwd=folder, capture_output=True)
            self.assertEqual(ended.returncode, DONE, ended.stderr)
            self.assertIn(said, ended.stderr)

    def test_that_are_there_are_not_made_again(self):
        self.terrace("run", self.lengths(400))
        before = (self.folder / "result.h5").read_bytes()
        ended = self.terrace("run", self.lengths(400, memory={"host": 1 << 20}))
        self.assertSays(ended, "is there already, made by this job")
        self.assertEqual(ended.stdout.strip(), str(self.folder / "result.h5"))
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)

    def test_of_another_job_are_kept_unless_replaced(self):
        self.terrace("run", self.lengths(400))
        before = (self.folder / "result.h5").read_bytes()
        ended = self.terrace("run", self.lengths(401), expect=WRONG)
        self.assertSays(ended, "job.yaml:", "made by another job", "401", "--fresh", '"output": "result.h5"')
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)
        self.terrace("run", self.lengths(401), "--fresh")
        self.assertEqual(self.open()["align/lengths"][0], 401)

    def test_from_a_changed_input_are_of_another_job(self):
        def job():
            return self.write_job({"grid": {"npy": "grid.npy"}}, SUMS)

        self.write("grid.npy", numpy.zeros((3, 4), numpy.int32))
        self.terrace("run", job())
        self.write("grid.npy", numpy.ones((3, 5), numpy.int32))
        self.assertSays(self.terrace("run", job(), expect=WRONG), "input", "--fresh")

    def test_that_others_made_are_never_replaced(self):
        for content in (b"", b"mine\n", None):
            with self.subTest(content=content):
                if content is None:
                    with h5py.File(self.folder / "result.h5", "w") as file:
                        file["mine"] = 1
                    content = (self.folder / "result.h5").read_bytes()
                else:
                    self.write("result.h5", content)
                for arguments in ([], ["--fresh"]):
                    ended = self.terrace("run", self.lengths(400), *arguments, expect=WRONG)
                    self.assertSays(ended, "job.yaml:", "was not made by Terrace")
                for command in ("check", "plan"):
                    self.assertSays(self.terrace(command, self.lengths(400), expect=WRONG), "job.yaml:", "was not made by Terrace")
                    self.assertEqual((self.folder / "result.h5").read_bytes(), content)


class Stopping(Runs):
    def slow_job(self, output, **keys):
        """A job of many blocks that takes a while."""
        return self.write_job({"a": random_letters(LONG, 7),
                               "b": {"generate": "dna", "seed": 8, "mutate": {"of": "a", "rate": 0.1}}},
                              [affine("align", "a", "b"), wavefront("common", "lcs", rows="a", columns="b")],
                              name=output + ".yaml", output=output, backend="cpu", memory={"host": 16 << 20, "device": 4 << 20},
                              **keys)

    def values(self, output):
        file = self.open(output)
        return {path: file[path][()].tobytes() for path in ("align/score", "align/end", "common/score")}

    def computed(self, output):
        """The stage under way and how many of its blocks are done, as the unfinished run of the output notes them."""
        try:
            return struct.unpack("qq", (self.folder / (output + ".run") / "progress").read_bytes()[:16])
        except (FileNotFoundError, struct.error):
            return (0, 0)

    def test_with_a_signal_ends_with_75_and_the_same_command_finishes(self):
        self.terrace("run", self.slow_job("whole.h5"))
        job = self.slow_job("stopped.h5")
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            before = self.computed("stopped.h5")
            run = self.start(job)
            while run.poll() is None and self.computed("stopped.h5") <= before:
                time.sleep(0.002)
            run.send_signal(signal_number)
            code, out, err = self.end(run)
            self.assertEqual((code, out), (STOPPED, ""), err)
            self.assertIn("stopped at a checkpoint; the same command goes on", err)
            self.assertFalse((self.folder / "stopped.h5").exists())
            said = self.terrace("show", "stopped.h5").stdout
            self.assertIn("stopped; the same `terrace run` goes on", said)
            self.assertIn("of 2 stages complete", said)
            self.assertEqual(said, self.terrace("show", "stopped.h5.run").stdout.replace(
                str(self.folder) + "/", "").replace("stopped.h5.run/", "stopped.h5.run"))
        ended = self.terrace("run", job)
        self.assertSays(ended, "going on with the run")
        self.assertEqual(self.values("whole.h5"), self.values("stopped.h5"))
        self.assertEqual(self.open("stopped.h5").attrs["attempts"], 3)
        self.assertIn("Of the last of 3 attempts:\nstage align", self.terrace("show", "stopped.h5").stdout)
        self.assertFalse((self.folder / "stopped.h5.run").exists())

    def test_by_a_kill_loses_nothing(self):
        job = self.slow_job("killed.h5", checkpoint={"every": 0.2})
        # JSON has no 200 ms without quotes.
        self.write("killed.h5.yaml", (self.folder / "killed.h5.yaml").read_text().replace("0.2", "200ms"))
        run = self.start(job)
        time.sleep(0.3)
        run.kill()
        self.end(run)
        said = self.terrace("show", "killed.h5").stdout
        self.assertIn("stopped; the same `terrace run` goes on", said)
        self.terrace("run", job)
        self.terrace("run", self.slow_job("whole.h5"))
        self.assertEqual(self.values("whole.h5"), self.values("killed.h5"))

    def test_is_not_what_a_second_run_does(self):
        job = self.slow_job("one.h5")
        run = self.start(job)
        ended = self.terrace("run", job, expect=FAILED)
        self.assertSays(ended, "another run is under way", f"process {run.pid}")
        self.assertIn("under way (host", self.terrace("show", "one.h5").stdout)
        run.send_signal(signal.SIGINT)
        self.assertEqual(self.end(run)[0], STOPPED)

    def test_by_a_signal_before_anything_has_begun_says_so(self):
        job = self.lengths(400)
        texts = []
        for _ in range(60):
            # A turn may end with a result, or with a run that was stopped at a checkpoint.
            (self.folder / "result.h5").unlink(missing_ok=True)
            shutil.rmtree(self.folder / "result.h5.run", ignore_errors=True)
            run = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            while run.poll() is None and not self.catches(run.pid, signal.SIGTERM):
                pass
            run.send_signal(signal.SIGTERM)
            code, out, err = self.end(run)
            # At the end of the process signals do again what they did before it.
            self.assertIn(code, (STOPPED, DONE, -signal.SIGTERM), err)
            self.assertEqual(code == STOPPED, "stopped" in err, err)
            texts.append(err)
            if "stopped before anything had begun; the same command begins" in err:
                self.assertEqual((code, out), (STOPPED, ""))
                self.assertEqual(os.listdir(self.folder), ["job.yaml"])
                break
        else:
            self.fail(f"no signal came before anything had begun\n{texts}")
        self.terrace("run", job)

    def catches(self, pid, number):
        """Whether a process has a handler of that signal."""
        try:
            with open(f"/proc/{pid}/status") as status:
                caught = next(line.split()[1] for line in status if line.startswith("SigCgt:"))
            return bool(int(caught, 16) >> (number - 1) & 1)
        except (FileNotFoundError, ProcessLookupError, StopIteration):
            return False

    def test_and_changing_the_job_is_refused(self):
        job = self.slow_job("stopped.h5")
        run = self.start(job)
        run.send_signal(signal.SIGINT)
        self.assertEqual(self.end(run)[0], STOPPED)
        changed = (self.folder / "stopped.h5.yaml").read_text().replace(str(LONG), str(LONG + 1))
        self.write("stopped.h5.yaml", changed)
        self.assertSays(self.terrace("run", job, expect=WRONG), "holds a run of another job", str(LONG + 1), "--fresh")


class Changes(Runs):
    """What others do to a run's files, and to its inputs, between two attempts or during one."""

    def sums_and_more(self, content=1):
        """A job that sums a file up at once and then computes for a while."""
        self.write("grid.npy", numpy.full((300, 400), content, numpy.int32))
        job = self.write_job({"grid": {"npy": "grid.npy"}, "a": random_letters(LONG, 7),
                              "b": random_letters(LONG, 8)},
                             [*SUMS, affine("align", "a", "b"), wavefront("common", "lcs", rows="a", columns="b")],
                             checkpoint={"every": 0.1}, backend="cpu", memory={"host": 16 << 20})
        # JSON has no 100 ms without quotes.
        return self.write("job.yaml", (self.folder / "job.yaml").read_text().replace("0.1", "100ms"))

    def start_second_stage(self, job):
        """Starts that job and waits until its first stage is complete."""
        run = self.start(job)
        for _ in range(2000):
            if "sums: complete" in self.terrace("show", "result.h5").stdout:
                break
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended before anything could be changed")
        return run

    def stop_in_second_stage(self, job):
        run = self.start_second_stage(job)
        run.send_signal(signal.SIGINT)
        self.assertEqual(self.end(run)[0], STOPPED)

    def rewrite_as_it_was(self):
        """Other bytes in the input, with the size and the time of the old ones."""
        path = self.folder / "grid.npy"
        times = path.stat()
        self.write("grid.npy", numpy.full((300, 400), 2, numpy.int32))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def test_leave_a_folder_of_others_alone(self):
        notes = self.write("result.h5.run/notes.txt", "mine")
        for arguments in ([], ["--fresh"]):
            ended = self.terrace("run", self.lengths(400), *arguments, expect=WRONG)
            self.assertSays(ended, "job.yaml:", "result.h5.run/notes.txt", "was not made by a run", "another output")
            self.assertEqual(os.listdir(self.folder / "result.h5.run"), ["notes.txt"])
        (self.folder / "mine").mkdir()
        os.rename(notes, self.folder / "mine" / "plan.json")
        os.rmdir(self.folder / "result.h5.run")
        os.symlink("mine", self.folder / "result.h5.run")
        self.assertSays(self.terrace("run", self.lengths(400), expect=WRONG), "job.yaml:", "result.h5.run", "is no folder")
        self.assertEqual((self.folder / "mine" / "plan.json").read_text(), "mine")

    def test_of_a_damaged_plan_are_found(self):
        job = self.sums_and_more()
        self.stop_in_second_stage(job)
        path = self.folder / "result.h5.run" / "plan.json"
        whole = path.read_text()
        for damaged in ("", whole[:-9], whole.replace('"slots": ', '"slots": 1', 1), "[]", "{}"):
            with self.subTest(damaged=damaged[:20]):
                path.write_text(damaged)
                for command in (["run", job], ["show", "result.h5"]):
                    self.assertSays(self.terrace(*command, expect=FAILED), "plan.json", "is damaged", "--fresh")
        self.terrace("run", job, "--fresh")

    def test_of_the_partial_result_are_found(self):
        job = self.sums_and_more()
        self.stop_in_second_stage(job)
        path = self.folder / "result.h5.run" / "result.h5"
        os.truncate(path, 1000)
        for command in (["run", job], ["show", "result.h5"]):
            self.assertSays(self.terrace(*command, expect=FAILED), "result.h5", "is shorter than it was", "--fresh")
        os.remove(path)
        for command in (["run", job], ["show", "result.h5"]):
            self.assertSays(self.terrace(*command, expect=FAILED), "result.h5", "is gone", "--fresh")
        self.terrace("run", job, "--fresh")

    def test_of_the_copy_of_metadata_are_found_before_anything_is_computed(self):
        job = self.sums_and_more()
        self.stop_in_second_stage(job)
        path = self.folder / "result.h5.run" / "metadata.copy"
        whole = path.read_bytes()
        attempts = os.listdir(self.folder / "result.h5.run" / "ledger")
        for damaged, says in ((whole[:40] + bytes([whole[40] ^ 1]) + whole[41:], "is damaged"), (whole[:-1], "is damaged"),
                              (b"", "is damaged"), (None, "is gone")):
            path.unlink()
            if damaged is not None:
                path.write_bytes(damaged)
            for command in (["run", job], ["show", "result.h5"]):
                ended = self.terrace(*command, expect=FAILED)
                self.assertSays(ended, "result.h5.run/metadata.copy", says, "--fresh=all")
            # An attempt that computes begins a file of its own.
            self.assertEqual(os.listdir(self.folder / "result.h5.run" / "ledger"), attempts)
        path.write_bytes(whole)
        path.chmod(0o600)
        self.assertSays(self.terrace("run", job), "going on with the run")

    def test_of_what_is_infinite_are_none_over_a_stop(self):
        """The sum of what a stage that is complete has found leaves f64."""
        self.write("far.npy", numpy.full((50, 50), 1e308))
        job = self.write_job({"far": {"npy": "far.npy"}, "a": random_letters(LONG, 7), "b": random_letters(LONG, 8)},
                             [{"name": "sums", "query": {"matrix": "far", "reduce": ["sum", "diameter", "eccentricity"]}},
                              affine("align", "a", "b")], backend="cpu")
        self.stop_in_second_stage(job)
        self.assertSays(self.terrace("run", job), "going on with the run")
        found = self.open()["sums"]
        self.assertEqual((found["sum"][()], found["diameter"][()]), (numpy.inf, 1e308))

    def test_of_a_result_s_attributes_are_found(self):
        job = self.lengths(400)
        self.terrace("run", job)
        with h5py.File(self.folder / "result.h5", "r+") as file:
            file.attrs["identity"] = '{"inputs": '
        ended = self.terrace("run", job, expect=FAILED)
        self.assertSays(ended, str(self.folder / "result.h5"), "attributes `identity` and `inputs`", "--fresh")
        self.assertNotIn("--fresh=all", ended.stderr)
        self.terrace("run", job, "--fresh")

    def test_never_replace_what_appears_at_the_output_meanwhile(self):
        job = self.sums_and_more()
        self.terrace("run", job)
        expected = self.open()["align/score"][()]
        for arguments in ([], ["--fresh"]):
            with self.subTest(arguments=arguments):
                if not arguments:
                    os.remove(self.folder / "result.h5")
                run = self.start(job, *arguments)
                self.write("mine.h5", "mine")
                os.replace(self.folder / "mine.h5", self.folder / "result.h5")
                code, out, err = self.end(run)
                self.assertEqual((code, out), (FAILED, ""), err)
                self.assertIn("has appeared while the run was under way", err)
                self.assertEqual((self.folder / "result.h5").read_text(), "mine")
                os.remove(self.folder / "result.h5")
                self.assertSays(self.terrace("run", job), "going on with the run")
                self.assertEqual(self.open()["align/score"][()], expected)
                self.assertFalse((self.folder / "result.h5.run").exists())

    def test_of_an_input_that_was_read_stop_the_run(self):
        for change in (lambda: self.write("grid.npy", numpy.full((300, 400), 2, numpy.int32)), self.rewrite_as_it_was):
            job = self.sums_and_more()
            self.stop_in_second_stage(job)
            change()
            ended = self.terrace("run", job, expect=WRONG)
            self.assertSays(ended, "input 'grid' has changed since the run was begun: stage '",
                            f"reads it from {self.folder / 'grid.npy'}", "--fresh")
            self.sums_and_more()  # as it was, with another time
            self.assertSays(self.terrace("run", job), "going on with the run")
            os.remove(self.folder / "result.h5")

    def test_of_an_input_during_the_run_are_found_at_its_end(self):
        job = self.sums_and_more()
        run = self.start_second_stage(job)
        self.rewrite_as_it_was()
        code, out, err = self.end(run)
        self.assertEqual((code, out), (WRONG, ""), err)
        self.assertIn("input 'grid' has changed since the run was begun", err)
        self.assertFalse((self.folder / "result.h5").exists())
        self.sums_and_more()
        self.terrace("run", job)

    def test_of_an_input_that_only_touch_it_are_none_to_the_run(self):
        job = self.sums_and_more()
        run = self.start_second_stage(job)
        os.utime(self.folder / "grid.npy")
        code, _, err = self.end(run)
        self.assertEqual(code, DONE, err)

    def test_of_an_input_after_the_run_are_named(self):
        job = self.write_job({"grid": {"npy": "grid.npy"}}, SUMS)
        self.write("grid.npy", numpy.zeros((3, 4), numpy.int32))
        self.terrace("run", job)
        os.utime(self.folder / "grid.npy", (86400, 86400))
        self.assertSays(self.terrace("run", job), "is there already")  # it was only touched
        self.write("grid.npy", numpy.ones((3, 4), numpy.int32))
        ended = self.terrace("run", job, expect=WRONG)
        self.assertSays(ended, "input 'grid' has changed", "grid.npy was last modified at ",
                        "dataset /sums/table is to be computed anew", "--fresh")
        self.write("grid.npy", numpy.zeros((3, 5), numpy.int32))
        self.assertSays(self.terrace("run", job, expect=WRONG), "shape was [3,4] and is [3,5]")

    def test_of_a_job_that_came_to_nothing_need_no_fresh(self):
        self.write("a.fa", ">a\nACGJ\n")
        job = self.write_job({"a": {"fasta": "a.fa"}, "b": random_letters(50, 1)}, [affine("align", "a", "b")])
        self.assertSays(self.terrace("run", job, expect=FAILED), "'J'")
        self.write("a.fa", ">a\nACGTT\n")
        self.terrace("run", job)
        self.assertEqual(self.open()["align/lengths"][0], 5)


if __name__ == "__main__":
    main()
