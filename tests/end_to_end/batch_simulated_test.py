"""Batches on a machine with several (simulated) GPUs: a task on each."""
import json
import os
import re
import signal
import subprocess
import time
import unittest.mock

import terrace_runs
from terrace_runs import DONE, STOPPED, JobTest, main, random_letters, wavefront


class Devices(JobTest):
    def batch(self, length=300, stages=1, **keys):
        return self.write_job({"a": random_letters(length, 1), "b": random_letters(length, "${seed}")},
                              [wavefront(f"align{number}", "smith_waterman", rows="a", columns="b", match=1, mismatch=-3,
                                         gap=2) for number in range(stages)],
                              output="out/${seed}.h5", name="batch.yaml", sweep={"each": {"seed": [10, 11, 12, 13]}},
                              **keys)

    def run_on(self, devices, *arguments):
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=str(devices)):
            self.terrace("run", *arguments)
        jobs = []
        for seed in range(10, 14):
            with self.open(f"out/{seed}.h5") as result:
                jobs.append(result["job"][()].decode())
        return jobs

    def test_each_get_a_task_and_a_share_of_the_host(self):
        jobs = self.run_on(2, self.batch())
        used = [next(line for line in job.splitlines() if "--set devices=" in line) for job in jobs]
        self.assertEqual(set(used), {"# --set devices=[0]", "# --set devices=[1]"})
        for job in jobs:
            self.assertIn("# --set memory.host=", job)
            self.assertIn("# --set threads=", job)

    def test_leave_what_the_job_says(self):
        jobs = self.run_on(2, self.batch(memory={"host": "64MiB"}), "--threads", "1")
        for job in jobs:
            self.assertNotIn("# --set memory.host=", job)
            self.assertEqual(job.count("# --set threads="), 1)

    def test_are_not_dealt_out_if_there_is_one_or_the_job_names_them(self):
        for devices, keys in ((1, {}), (2, {"devices": [1]}), (2, {"backend": "cpu"})):
            with self.subTest(devices=devices, keys=keys):
                jobs = self.run_on(devices, self.batch(**keys), "--fresh")
                self.assertNotIn("# --set devices=", "".join(jobs))

    def test_are_all_for_a_single_task(self):
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES="2"):
            self.terrace("run", self.batch(), "--task", "1")
            self.terrace("run", self.batch(), "--task", "2-2")
        for seed in (11, 12):
            self.assertNotIn("# --set devices=", self.open(f"out/{seed}.h5")["job"][()].decode())

    def hold_tasks(self, run, count):
        """Holds each task as soon as it computes, until so many are held; their processes."""
        held = {}
        while len(held) < count and run.poll() is None:
            for log in self.folder.glob("out/*.run/ledger/*.log"):
                folder = log.parent.parent
                if folder not in held:
                    held[folder] = int(re.search(r"process (\d+)", (folder / "lock").read_text())[1])
                    os.kill(held[folder], signal.SIGSTOP)
            time.sleep(0.005)
        return list(held.values())

    def test_stop_all_tasks(self):
        batch = self.batch(2000, stages=10)  # a stop is obeyed between blocks, and each stage is one
        environment = {**os.environ, "TERRACE_SIMULATED_DEVICES": "2"}
        run = subprocess.Popen([terrace_runs.program, "run", batch, "--json"], cwd=self.folder, text=True,
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.stdout.close), self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait), self.addCleanup(run.kill)
        held = self.hold_tasks(run, 2)
        run.send_signal(signal.SIGTERM)
        for process in held:
            os.kill(process, signal.SIGCONT)
        answer, said = run.communicate(timeout=300)
        self.assertEqual(run.returncode, STOPPED, said)
        self.assertEqual([task["state"] for task in json.loads(answer)["tasks"]], ["stopped", "stopped"])
        with unittest.mock.patch.dict(os.environ, environment):
            answer = json.loads(self.terrace("run", batch, "--json").stdout)
        self.assertEqual([task["state"] for task in answer["tasks"]], ["done"] * 4)


if __name__ == "__main__":
    main()
