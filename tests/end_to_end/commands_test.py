"""Commands around a run: logs, closed streams, signals, limits of the system, plans; each says what is wrong."""
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

import terrace_runs
from terrace_runs import DONE, FAILED, STOPPED, WRONG, JobTest, affine, main, numpy, random_letters, wavefront


class CommandTest(JobTest):
    def job(self, length=400, **keys):
        return self.write_job({"a": random_letters(length, 1), "b": random_letters(500, 2)},
                              [affine("align", "a", "b")], **keys)

    def call(self, *arguments, **options):
        """Runs the program with options of subprocess.run."""
        program = options.pop("program", terrace_runs.program)
        return subprocess.run([program, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=120, **options)


class Logs(CommandTest):
    def test_hold_what_a_run_says_its_error_among_it(self):
        self.write("grid.npy", numpy.full((3, 3), 2**62, numpy.int64))
        job = self.write_job({"grid": {"npy": "grid.npy"}}, [wavefront("sums", "summed_area", grid="grid")])
        ended = self.terrace("run", job, "--log", "run.log", expect=FAILED)
        log = (self.folder / "run.log").read_text()
        self.assertIn("does not fit type i64", ended.stderr)
        self.assertRegex(log, r"error terrace: \S+/job\.yaml:\d+:\d+: stage 'sums': a sum in")
        self.terrace("run", self.job(), "--log", "run.log")
        self.assertIn("info done in", (self.folder / "run.log").read_text().replace(log, "", 1))

    def test_are_never_the_job_its_output_or_an_input(self):
        self.write("a.fa", ">a\nACGT\n")
        job = self.write_job({"a": {"fasta": "a.fa"}}, [affine("align", "a", "a")])
        for log, said in (("a.fa", "is no log"), ("job.yaml", "is no log"), ("result.h5", "is the output"),
                          ("./x/../result.h5", "is no folder"), ("new/run.log", "make it first"), (".", "is a folder")):
            with self.subTest(log=log):
                files = {path: path.read_bytes() for path in self.folder.iterdir()}
                self.assertSays(self.terrace("run", job, "--log", log, expect=WRONG), "--log", said)
                self.assertEqual(files, {path: path.read_bytes() for path in self.folder.iterdir()})


class Streams(CommandTest):
    def test_that_are_closed_do_not_fail_a_run_and_get_no_bytes_of_others(self):
        job = self.job()
        for redirection in (">&-", "<&- >&- 2>&-", ">/dev/full", "| true"):
            with self.subTest(redirection=redirection):
                command = f'"{terrace_runs.program}" run "{job}" --fresh {redirection}'
                ended = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder,
                                       stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual(ended.returncode, DONE, ended.stderr)
                if "2>&-" not in redirection and "|" not in redirection:
                    self.assertIn("warning: standard output cannot be written", ended.stderr)
                result = self.open()
                self.assertEqual(result["align/lengths"][0], 400)
                result.close()

    def test_that_a_reader_has_closed_end_a_command_without_a_word(self):
        ended = subprocess.run(["bash", "-o", "pipefail", "-c", f'"{terrace_runs.program}" reference | head -1'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual((ended.returncode, ended.stderr), (FAILED, ""))
        self.assertEqual(ended.stdout.count("\n"), 1)

    def test_that_are_closed_fail_commands_whose_answer_is_lost(self):
        for arguments in (["problems"], ["check", self.job()], ["plan", self.job()], ["--help"]):
            with self.subTest(arguments=arguments):
                with open("/dev/full", "w") as full:
                    ended = self.call(*arguments, stdout=full)
                self.assertEqual(ended.returncode, FAILED, ended.stderr)
                self.assertIn("standard output cannot be written", ended.stderr)


class Signals(CommandTest):
    def slow_job(self):
        """A job of some seconds in many blocks."""
        return self.write_job({"a": random_letters(150_000, 7), "b": random_letters(150_000, 8)},
                              [affine("align", "a", "b")], memory={"host": 16 << 20, "device": 4 << 20})

    def start(self, **options):
        run = subprocess.Popen([terrace_runs.program, "run", self.slow_job(), "--log", "run.log"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        while not list(self.folder.glob("*.run/ledger/*.log")) and run.poll() is None:
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended before it got a signal")
        return run

    def test_of_a_terminal_that_is_gone_stop_a_run_at_a_checkpoint(self):
        run = self.start()
        run.send_signal(signal.SIGHUP)
        said = run.communicate(timeout=120)[1]
        self.assertEqual(run.returncode, STOPPED, said)
        self.assertIn("stopped at a checkpoint", said)
        self.assertIn("stopped at a checkpoint", (self.folder / "run.log").read_text())

    def test_of_a_terminal_that_is_gone_mean_nothing_under_nohup(self):
        run = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(run.poll())


class Limits(CommandTest):
    def test_of_the_size_of_files_are_named_errors(self):
        job = self.write_job({"a": random_letters(900, 1), "b": random_letters(900, 2)},
                             [affine("align", "a", "b", keep="table")])
        limit = 1 << 20
        ended = self.call("run", job, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(ended.returncode, FAILED, ended.stderr)
        self.assertIn("result.h5", ended.stderr)
        self.assertIn("File too large", ended.stderr)
        self.terrace("run", job)

    def test_of_threads_are_said_to_be(self):
        if os.geteuid() != 0:
            terrace_runs.skip("only root can become a user without processes")

        def become_nobody():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        job = self.job()
        self.folder.chmod(0o777)
        program = shutil.copy(terrace_runs.program, self.folder)  # where anyone may read it
        ended = self.call("run", job, program=program, preexec_fn=become_nobody)
        self.assertEqual(ended.returncode, FAILED, ended.stderr)
        self.assertIn("no more threads", ended.stderr)
        self.assertIn("ulimit -u", ended.stderr)

    def test_of_names_of_files_are_said_in_plain_words(self):
        ended = self.terrace("run", self.job(output="x" * 300 + ".h5"), expect=WRONG)
        self.assertSays(ended, "File name too long")
        for command in ("run", "plan", "check", "show"):
            with self.subTest(command=command):
                ended = self.call(command, "y" * 300)
                self.assertIn(ended.returncode, (FAILED, WRONG))
                self.assertNotIn("filesystem error", ended.stderr)
                self.assertIn("File name too long", ended.stderr)
        self.assertNotIn("filesystem error", ended.stderr)


class Plans(CommandTest):
    def sizes(self, rows, columns, **settings):
        return self.write_job({"a": random_letters(rows, 1), "b": random_letters(columns, 2)},
                              [wavefront("common", "lcs", rows="a", columns="b", **settings)])

    def test_of_absurd_sizes_are_errors_with_places(self):
        for rows, columns, keep in ((10**12, 10**12, "table"), (10**12, 10**12, "score"), (2 * 10**15, 2, "score"),
                                    (2, 2 * 10**15, "table"), (3 * 10**9, 3 * 10**9, "table")):
            with self.subTest(rows=rows, columns=columns, keep=keep):
                ended = self.terrace("plan", self.sizes(rows, columns, keep=keep), expect=WRONG)
                self.assertSays(ended, "job.yaml:", "is too large")

    def test_of_large_sizes_are_plans(self):
        said = self.terrace("plan", self.sizes(10**9, 10**9)).stdout
        self.assertNotIn(" -", said)

    def test_take_a_back_end(self):
        self.assertIn("stage common", self.terrace("plan", "--backend", "cpu", self.sizes(10, 10)).stdout)

    def test_say_what_bounds_a_table_and_never_beat_its_limit(self):
        said = self.terrace("plan", self.sizes(10**5, 10**5, keep="table")).stdout
        self.assertRegex(said, r"disk .* to write, [\d.]+ m?s at 2.50 GB/s \(assumed\)")
        self.assertRegex(said, r"limit .* while computing \(.*\)")
        said = self.terrace("plan", self.sizes(10**6, 10**6)).stdout
        limit, unit = re.search(r"limit +([\d.]+) ([GT])cell/s", said).groups()
        seconds, second = re.search(r"predicted +([\d.]+) (m?s),", said).groups()
        cells = float(limit) * {"G": 1e9, "T": 1e12}[unit] * float(seconds) * {"s": 1, "ms": 1e-3}[second]
        self.assertGreaterEqual(cells * 1.01, 1e12)
        self.assertIn("bound by computing", said)


class Messages(CommandTest):
    def wrong(self, text, *said, arguments=()):
        ended = self.terrace("run", self.write("job.yaml", text), *arguments, expect=WRONG)
        self.assertSays(ended, *said)
        self.assertNotIn(": :", ended.stderr)
        self.assertNotIn("::", ended.stderr)
        return ended

    def text(self, keys="match: 1, mismatch: -1, gap: 1", head="", output="out.h5"):
        return (f"{head}\ninputs: {{a: {{generate: dna, length: 90}}}}\nstages:\n- name: s\n  wavefront: {{problem: "
                f"smith_waterman, rows: a, columns: a,\n    {keys}}}\noutput: {output}\n")

    def test_of_devices_name_the_place(self):
        self.wrong(self.text(head="devices: [7]"), "job.yaml:1:10: there is no device 7",
                   arguments=["--backend", "cpu"])
        ended = subprocess.run([terrace_runs.program, "run", self.write("job.yaml", self.text(head="backend: cuda"))],
                               cwd=self.folder, capture_output=True, text=True, env={"CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(ended.returncode, WRONG, ended.stderr)
        self.assertIn("job.yaml:1:10: 'backend' is cuda, but there is no CUDA device: ", ended.stderr)

    def test_of_scores_name_the_place(self):
        self.wrong(self.text("match: 1.0001, mismatch: -1, gap: 1"), "job.yaml:6:12: match has more than three")
        self.wrong(self.text("match: 1, mismatch: -1, gap: 1, gap_open: 2, gap_extend: 1"), "job.yaml:6:34: gap stands")
        self.wrong(self.text("match: 1, mismatch: -1, gap_open: 2"), "job.yaml:6:39: affine gaps need both")
        self.wrong(self.text("gap: 1"), "job.yaml:5:3: letters have no scores")
        self.wrong(self.text("match: 1, gap: 1"), "job.yaml:6:12: scores of letters need both")
        self.wrong(self.text("match: 1, mismatch: -1, matrix: blosum62, gap: 1"), "job.yaml:6:37: matrix stands in")
        self.wrong(self.text("matrix: blosum62, alphabet: dna, gap: 1"), "job.yaml:6:33: matrix blosum62 scores")
        self.wrong(self.text("match: 1, mismatch: -1"), "job.yaml:5:3: gaps have no cost")

    def test_of_settings_of_a_stage_name_the_setting_alone(self):
        ended = self.wrong(self.text("match: 0.5, mismatch: -1, gap: 1, keep: table"),
                           "--set stages.s.type=i32: stage 's': the scores have decimals",
                           arguments=["--set", "stages.s.type=i32"])
        self.assertNotIn("job.yaml", ended.stderr)

    def test_of_memory_name_what_the_job_gives(self):
        for given, missing in (("host", "device"), ("device", "host")):
            with self.subTest(given=given):
                ended = self.wrong(self.text(head=f"memory: {{{given}: 8KiB}}"), f"memory.{given} is too small",
                                   arguments=["--backend", "cpu"])
                self.assertNotIn(f"memory.{missing}", ended.stderr)

    def test_of_an_output_that_is_a_link(self):
        for target in ("other.h5", "missing.h5"):
            with self.subTest(target=target):
                self.write("other.h5", "mine")
                (self.folder / "out.h5").unlink(missing_ok=True)
                (self.folder / "out.h5").symlink_to(target)
                self.wrong(self.text(), "job.yaml:7:9: 'output' names a symbolic link, to '" + target,
                           "name the file itself")
                self.assertEqual((self.folder / "other.h5").read_text(), "mine")


if __name__ == "__main__":
    main()
