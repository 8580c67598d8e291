"""How soon a run stops, or fails where another is under way: with nothing else to do on the machine."""
import os
import signal
import time

import runs
from runs import DONE, FAILED, STOPPED, main, run_job, start, wait, write_job
from stop_test import Beginning, write_long_job


class StoppedSoon(Beginning):
    def test_a_stop_is_announced_while_a_block_is_computed_and_a_second_signal_stops_at_once(self):
        # A single block, of 90 s or more, and no block that has been computed before it.
        sequences = {"a": {"generate": "dna", "length": 60000000, "seed": 1},
                     "b": {"generate": "dna", "length": 16000, "seed": 2}}
        scores = {"match": 1.5, "mismatch": -3, "gap_open": 3, "gap_extend": 2, "schedule": "registers"}
        stage = {"name": "long", "wavefront": {"problem": "smith_waterman", "rows": "a", "columns": "b", **scores}}
        for number in (signal.SIGINT, signal.SIGUSR1):
            folder = self.folder()
            write_job(folder, 1, inputs=sequences, stages=[stage], memory={"host": "1024MiB"})
            process = start([runs.terrace, "run", "job.yaml"], folder)
            self.addCleanup(process.kill)
            self.assertTrue(process.stderr.readline().startswith("long: "))
            time.sleep(0.5)
            begin = time.monotonic()
            process.send_signal(number)
            notice = process.stderr.readline()
            announced = time.monotonic() - begin
            self.assertIn("stopping at a checkpoint", notice)
            self.assertIn("a second signal stops at once", notice)
            self.assertLess(announced, 2)  # a tenth of that on a machine with nothing else to do
            self.assertIsNone(process.poll())
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
            end = wait(process)
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual(end.code, STOPPED, repr(end))
            self.assertIn("stopped at once; the same command continues from the last checkpoint", end.err)

    def test_a_signal_before_the_first_block_stops_there(self):
        # The type is chosen by all of the weights, of which the file says nothing: some 20 s of zeros.
        nodes = 150000
        folder = self.folder()
        with open(os.path.join(folder, "m.raw"), "w") as file:
            os.truncate(file.fileno(), nodes * nodes)
        stage = {"name": "paths", "recursive": {"problem": "floyd_warshall", "matrix": "m", "type": "auto"}}
        write_job(folder, 1, inputs={"m": {"external": "m.raw", "shape": [nodes, nodes], "type": "i8"}},
                  stages=[stage], memory={"host": "64MiB"})
        process = start([runs.terrace, "run", "job.yaml"], folder)
        self.addCleanup(process.kill)
        # It says how far it is.
        self.assertRegex(process.stderr.readline(), r"reading 'm' to plan: \d")
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        end = wait(process)
        self.assertLess(time.monotonic() - begin, 3)  # a tenth of that on a machine with nothing else to do
        self.assertEqual(end.code, STOPPED, repr(end))
        self.assertIn("stopped before the first block was computed", end.err)
        self.assertEqual(sorted(os.listdir(folder)), ["job.yaml", "m.raw"])

    def test_a_second_run_of_the_same_output_fails_at_once_and_names_the_first(self):
        folder = self.folder()
        write_long_job(folder)
        process = self.begin(folder)
        begin = time.monotonic()
        end = run_job(folder)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(end.code, FAILED, repr(end))
        self.assertIn(f"process {process.pid}", end.err)
        self.assertEqual(run_job(folder, "--fresh").code, FAILED)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(wait(process).code, STOPPED)
        self.assertEqual(run_job(folder).code, DONE)


if __name__ == "__main__":
    main()
