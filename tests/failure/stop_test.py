"""Runs that are asked to stop, that meet one another, and what they leave behind."""
import os
import signal
import subprocess
import time

import runs
from recursive_jobs import write_recursive_job
from runs import DONE, FAILED, STOPPED, Case, ToyCase, drawn, main, run_job, scaled, side_by_side, start, wait, write_job

STAGE = [{"name": "table", "wavefront": {"problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1,
                                         "mismatch": -3, "gap_open": 3, "gap_extend": 2, "keep": "table"}}]


def write_long_job(folder, length=9000, **keys):
    """Many blocks, some seconds."""
    write_job(folder, 1, stages=STAGE, **{
        "memory": {"host": "1MiB"}, "checkpoint": {"every": "10s"},
        "inputs": {"a": {"generate": "dna", "length": length, "seed": 1},
                   "b": {"generate": "dna", "length": length, "seed": 2}}, **keys})


class Beginning(Case):
    def begin(self, folder, blocks=20):
        """Starts the job in the folder and waits until it computes."""
        process = start([runs.terrace, "run", "job.yaml"], folder)
        self.addCleanup(process.kill)
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            noted = runs.noted_blocks(folder)
            if noted is not None and noted[1] >= blocks:
                return process
            time.sleep(0.002)
        self.fail(f"it never computed: {wait(process)!r}")


class Stopped(Beginning):
    def test_a_signal_stops_at_a_checkpoint_and_nothing_before_it_is_computed_again(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            folder = self.folder()
            write_long_job(folder)
            process = self.begin(folder)
            process.send_signal(number)
            end = wait(process)
            self.assertEqual(end.code, STOPPED, repr(end))
            self.assertIn("checkpoint", end.err)
            end = run_job(folder)
            self.assertEqual(end.code, DONE, repr(end))
            self.assertEqual(list(runs.profile(folder, "repeated")), [0])

    def test_signals_that_come_together_count_as_one(self):
        # As `timeout` and schedulers send them, to a process and to its group.
        folder = self.folder()
        write_long_job(folder)
        process = self.begin(folder)
        process.send_signal(signal.SIGSTOP)  # so that both are there before it looks
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        end = wait(process)
        self.assertEqual(end.code, STOPPED, repr(end))
        self.assertIn("stopped at a checkpoint", end.err)
        end = run_job(folder)
        self.assertEqual(end.code, DONE, repr(end))
        self.assertEqual(list(runs.profile(folder, "repeated")), [0])

    def test_signals_after_the_end_of_the_work_change_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            folder = self.folder()
            write_job(folder, 1)
            # A pipe that is full: the name of the result, the last that is written, has no room there.
            reader, writer = os.pipe()
            self.addCleanup(os.close, reader)
            os.set_blocking(writer, False)
            filled = 0
            for size in (4096, 1):
                try:
                    while True:
                        filled += os.write(writer, b" " * size)
                except BlockingIOError:
                    pass
            os.set_blocking(writer, True)
            process = subprocess.Popen([runs.terrace, "run", "job.yaml"], cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=writer, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            os.close(writer)
            while not process.stderr.readline().startswith("done in "):
                self.assertIsNone(process.poll())
            time.sleep(0.3)
            process.send_signal(number)
            time.sleep(0.3)
            process.send_signal(number)
            time.sleep(0.1)
            written = b""
            while part := os.read(reader, 65536):
                written += part
            process.stderr.close()
            self.assertEqual(process.wait(60), DONE)
            self.assertEqual(os.path.basename(written[filled:].decode().strip()), "out.h5")

    def test_runs_that_meet_at_the_end_of_one_all_end_well(self):
        for number in range(scaled(6)):
            folder = self.folder()
            write_job(folder, number)

            def insist(_):
                for _ in range(2000):
                    end = run_job(folder)
                    if end.code != FAILED or "another run is under way" not in end.err:
                        return end
                return end

            for end in side_by_side(insist, range(2)):
                self.assertEqual(end.code, DONE, repr(end))
            self.assertEqual(sorted(os.listdir(folder)), ["job.yaml", "out.h5"])

    def test_children_do_not_inherit_the_lock(self):
        folder = self.folder()
        write_long_job(folder)
        process = self.begin(folder)
        flags = {}
        for name in os.listdir(f"/proc/{process.pid}/fd"):
            path = os.readlink(f"/proc/{process.pid}/fd/{name}")
            if path.startswith(os.path.realpath(folder)):
                with open(f"/proc/{process.pid}/fdinfo/{name}") as file:
                    flags[os.path.basename(path)] = int(next(x for x in file if x.startswith("flags")).split()[1], 8)
        self.assertIn("lock", flags)
        for name, value in flags.items():
            self.assertTrue(value & os.O_CLOEXEC, name)
        process.kill()
        wait(process)
        self.assertEqual(run_job(folder).code, DONE)


class ToyStopped(ToyCase):
    def test_toy_jobs_stop_wherever_they_are_asked_to_and_go_on(self):
        stops = 0
        for seed in range(runs.first_seed + 401, runs.first_seed + 401 + scaled(6)):
            folders = [self.folder() for _ in range(4)]

            def stop(item):
                number, folder = item
                draw = drawn("toy", seed, number)
                stopped = 0
                for _ in range(3):
                    # Checkpoints only when it stops: the cut has all to write.
                    process = start([runs.toy_job, seed, 1000, folder], folder)
                    time.sleep(draw.uniform(0.005, 0.07))
                    process.send_signal(signal.SIGTERM)
                    end = wait(process)
                    # A signal that came before the program listened for it ends it.
                    self.assertIn(end.code, (DONE, STOPPED, -signal.SIGTERM), repr(end))
                    stopped += end.code == STOPPED
                return stopped

            stops += sum(side_by_side(stop, list(enumerate(folders))))
            self.finish_toys(seed, folders)
        print(f"{stops} stops", flush=True)


class RecursiveStopped(ToyCase):
    same_job = False

    def test_a_job_of_updates_in_place_stops_wherever_it_is_asked_to_and_goes_on(self):
        whole, stops = self.folder(), []
        write_recursive_job(whole, runs.first_seed + 501)
        begin = time.monotonic()
        self.assertEqual(run_job(whole).code, DONE)
        took = time.monotonic() - begin
        expected = runs.results(whole)

        def stop(number):
            folder, draw = self.folder(), drawn("recursive", number)
            # Checkpoints only when it stops: the cut has all to write.
            write_recursive_job(folder, runs.first_seed + 501, checkpoint={"every": "1000s"})
            for _ in range(5):
                process = start([runs.terrace, "run", "job.yaml"], folder)
                time.sleep(draw.uniform(0, took))
                process.send_signal(signal.SIGTERM)
                end = wait(process)
                self.assertIn(end.code, (DONE, STOPPED, -signal.SIGTERM), repr(end))
                stops.extend([number] * (end.code == STOPPED))
            end = run_job(folder)
            self.assertEqual(end.code, DONE, repr(end))
            self.assertGives(folder, expected, f"job {number}")
            self.assertEqual(sum(runs.profile(folder, "repeated")), 0)

        side_by_side(stop, range(scaled(4)))
        print(f"{len(stops)} stops", flush=True)
        self.assertGreater(len(stops), 0)


class Scratch(Beginning):
    def test_scratch_elsewhere_is_gone_after_the_end(self):
        folder, scratch = self.folder(), self.folder()
        write_long_job(folder, 1500, scratch={"path": scratch})
        process = self.begin(folder, 2)
        process.kill()
        wait(process)
        self.assertNotEqual(os.listdir(scratch), [])
        self.assertEqual(run_job(folder).code, DONE)
        self.assertEqual(os.listdir(scratch), [])

    def test_scratch_elsewhere_is_gone_after_starting_over(self):
        folder, scratch = self.folder(), self.folder()
        write_long_job(folder, scratch={"path": scratch})
        process = self.begin(folder)
        process.kill()
        wait(process)
        before = set(os.listdir(scratch))
        self.assertNotEqual(before, set())
        process = start([runs.terrace, "run", "job.yaml", "--fresh"], folder)
        self.addCleanup(process.kill)
        end = time.monotonic() + 60
        while before & set(os.listdir(scratch)) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(before & set(os.listdir(scratch)), set())
        process.kill()
        wait(process)
        self.assertEqual(run_job(folder).code, DONE)
        self.assertEqual(os.listdir(scratch), [])

    def test_scratch_that_is_gone_is_an_error_that_names_it_and_not_a_wrong_result(self):
        folder, scratch = self.folder(), self.folder()
        write_long_job(folder, scratch={"path": scratch})
        process = self.begin(folder)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(wait(process).code, STOPPED)
        for name in os.listdir(scratch):
            os.unlink(os.path.join(scratch, name))
        end = run_job(folder)
        self.assertEqual(end.code, FAILED, repr(end))
        self.assertIn(scratch, end.err)
        self.assertIn("--fresh", end.err)
        self.assertEqual(run_job(folder, "--fresh").code, DONE)

    def test_a_run_folder_goes_on_where_it_was_moved_to(self):
        folder = self.folder()
        write_long_job(folder, 3000)
        process = self.begin(folder)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(wait(process).code, STOPPED)
        moved = folder + "-moved"
        os.rename(folder, moved)
        end = run_job(moved)
        self.assertEqual(end.code, DONE, repr(end))
        self.assertEqual(list(runs.profile(moved, "repeated")), [0])
        self.assertFalse(os.path.exists(folder))

    def test_a_damaged_ledger_is_an_error_that_names_it(self):
        folder = self.folder()
        write_long_job(folder, 3000, checkpoint={"every": "5ms"})
        process = self.begin(folder, 40)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(wait(process).code, STOPPED)
        path = os.path.join(folder, "out.h5.run", "ledger", "1.log")
        with open(path, "r+b") as file:
            file.seek(50)
            file.write(b"#")
        end = run_job(folder)
        self.assertEqual(end.code, FAILED, repr(end))
        self.assertIn("1.log", end.err)
        self.assertEqual(run_job(folder, "--fresh").code, DONE)


if __name__ == "__main__":
    main()
