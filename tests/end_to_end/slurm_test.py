"""Jobs and batches in the queue of a Slurm with two nodes: kills, signals, a lost node, a full disk."""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import unittest
import unittest.mock

import terrace_runs
from slurm_cluster import QueueTest
from terrace_runs import DONE, FAILED, WRONG, JobTest, main, random_letters, skip, wavefront

SLOW = 130_000  # letters, whose table takes one to some seconds on one processor


class Scripts(JobTest):
    """What `submit --print` writes, which needs no Slurm."""

    def job(self, **keys):
        return self.write_job({"a": random_letters(500, 1)}, [wavefront("d", "lcs", rows="a", columns="a")], **keys)

    def options(self, *arguments):
        said = self.terrace("submit", *arguments).stdout
        self.assertEqual(subprocess.run(["bash", "-n"], input=said, text=True).returncode, 0)
        return re.findall(r"^#SBATCH (.*)$", said, re.MULTILINE), said

    def test_have_memory_and_time_of_the_plan_and_hand_over_signals(self):
        options, said = self.options(self.job(backend="cpu", memory={"host": "100MiB"}), "--print")
        self.assertEqual(options[:2], ["--job-name=job", "--ntasks=1"])
        memory = next(int(option.removeprefix("--mem=")[:-1]) for option in options if option.startswith("--mem="))
        self.assertTrue(500 < memory < 700, memory)
        self.assertIn("--time=0:15:00", options)
        self.assertIn("--signal=B:USR1@120", options)
        self.assertIn("--requeue", options)
        self.assertNotIn("memory.host", said)
        self.assertNotRegex(said, r"--gres|exec ")
        self.assertIn('--threads "${SLURM_CPUS_ON_NODE:-1}"', said)

    def test_give_the_budget_that_the_job_lacks_and_ask_for_a_gpu_where_it_wants_one(self):
        options, said = self.options(self.job(backend="cuda", devices=[0], threads=2), "--print")
        self.assertIn("--gres=gpu:1", options)
        self.assertRegex(said, r"--set memory\.host=\d+")
        self.assertNotIn("--threads", said)

    def test_leave_what_the_user_gives(self):
        options, said = self.options(self.job(backend="cpu"), "--print", "--", "--mem=3G", "-t", "4", "--signal=B:USR1@9",
                                     "--comment=a \"b\" c", "-J", "name")
        self.assertEqual(options[-5:], ["--mem=3G", "-t 4", "--signal=B:USR1@9", '"--comment=a \\"b\\" c"', "-J name"])
        self.assertNotIn("memory.host", said)
        for name in ("mem", "time", "signal", "job-name"):
            self.assertLessEqual(sum(option.startswith(f"--{name}") for option in options), 1)
        for minutes, notice in (("2", 30), ("0:40", 10), ("1-0", 120), ("1:00:00", 120)):
            self.assertIn(f"--signal=B:USR1@{notice}",
                          self.options(self.job(backend="cpu"), "--print", "--", f"--time={minutes}")[0])
        self.assertSays(self.terrace("submit", self.job(), "--print", "--", "main", expect=WRONG), "no option of sbatch")

    def test_of_a_batch_are_arrays_of_the_tasks_that_are_left(self):
        batch = self.job(backend="cpu", name="batch.yaml", output="${n}.h5", sweep={"each": {"n": list(range(2500))}})
        self.terrace("run", batch, "--task", "1")
        with unittest.mock.patch.dict(os.environ, PATH="/bin/none"):
            said = self.terrace("submit", batch, "--print").stdout
        options = re.findall(r"^#SBATCH (.*)$", said, re.MULTILINE)
        arrays = [option for option in options if option.startswith("--array")]
        self.assertEqual(arrays, ["--array=0,2-1000", "--array=0-1000", "--array=0-497"])
        self.assertIn("--task $((1001 + SLURM_ARRAY_TASK_ID))", said)
        self.assertTrue((self.folder / "batch.yaml.tasks").exists())

    def test_need_sbatch(self):
        with unittest.mock.patch.dict(os.environ, PATH="/bin/none"):
            self.assertSays(self.terrace("submit", self.job(backend="cpu"), expect=FAILED), "no command sbatch here")


class Queue(QueueTest):
    array_size = 4

    def batch(self, tasks=6, length=SLOW, **keys):
        keys = {"memory": {"host": "24MiB"}, "checkpoint": {"every": "200ms"}, **keys}
        return self.write_job({"a": random_letters(length, 1), "b": random_letters(length, "${seed}")},
                              [wavefront("align", "smith_waterman", rows="a", columns="b", match=1, mismatch=-3, gap=2)],
                              output="out/${seed}.h5", name="batch.yaml", backend="cpu",
                              sweep={"each": {"seed": list(range(10, 10 + tasks))}}, **keys)

    def submit(self, batch, *options):
        said = self.terrace("submit", batch, "--", *options).stdout
        return re.findall(r"Submitted batch job (\d+)", said)

    def answers(self, batch):
        return json.loads(self.terrace("show", batch, "--json").stdout)["tasks"]

    def wait_for_task(self, batch, state="under way"):
        """Waits until a task computes, and returns its number."""
        found = []

        def is_there():
            found[:] = [task for task in self.answers(batch) if task["state"] == state]
            return found and list(self.folder.glob("out/*.run/progress"))
        self.cluster.wait_for(is_there, 60, "tasks under way")
        return found[0]

    def pid_of(self, task):
        return int(re.search(r"process (\d+)", task["holder"])[1])

    def check_results(self, batch, tasks):
        """Outputs are there and equal to those of an undisturbed run."""
        self.assertEqual([task["state"] for task in self.answers(batch)], ["done"] * tasks, self.said())
        undisturbed = self.folder / "undisturbed"
        undisturbed.mkdir()
        copy = undisturbed / "batch.yaml"
        copy.write_text(pathlib.Path(batch).read_text())
        self.terrace("run", copy)
        for seed in range(10, 10 + tasks):
            with self.open(f"out/{seed}.h5") as found, self.open(f"undisturbed/out/{seed}.h5") as expected:
                self.assertEqual(found["align/score"][()], expected["align/score"][()])
                self.assertEqual(list(found["align/end"]), list(expected["align/end"]))

    def said(self):
        return "\n".join(path.read_text() for path in self.folder.glob("slurm-*.out"))

    def test_runs_a_batch_in_arrays_of_the_size_that_the_site_allows(self):
        batch = self.batch(6, 3000)
        self.assertEqual(len(self.submit(batch)), 2)
        self.cluster.wait_until_empty()
        self.check_results(batch, 6)
        self.assertSays(self.terrace("submit", batch), "all tasks are done")

    def test_runs_a_job(self):
        job = self.write_job({"a": random_letters(500, 1)}, [wavefront("d", "lcs", rows="a", columns="a")],
                             backend="cpu")
        self.submit(job)
        self.cluster.wait_until_empty()
        self.assertEqual(int(self.open()["d/score"][()]), 500)

    def test_puts_back_what_stops_before_its_time_limit(self):
        batch = self.batch(1, 2*SLOW)
        [job] = self.submit(batch)
        self.wait_for_task(batch)
        self.cluster.run("scancel", "--batch", "--signal=USR1", f"{job}_0")
        self.cluster.wait_for(lambda: self.cluster.queue().get(f"{job}_0") == "PENDING", 60, "tasks that were put back")
        self.assertEqual(self.answers(batch)[0]["state"], "stopped")
        self.cluster.wait_until_empty()
        self.assertIn("stopped at a checkpoint", self.said())
        self.check_results(batch, 1)
        with self.open("out/10.h5") as result:
            self.assertEqual(list(result["profile/stages/repeated"]), [0])

    def test_runs_again_what_was_killed(self):
        batch = self.batch(1)
        self.submit(batch)
        os.kill(self.pid_of(self.wait_for_task(batch)), signal.SIGKILL)
        self.cluster.wait_until_empty()
        self.assertIn("terrace was killed (code 137), attempt 1 of 5", self.said())
        self.check_results(batch, 1)

    def test_leaves_what_is_cancelled(self):
        batch = self.batch(1, 2*SLOW)
        [job] = self.submit(batch)
        self.wait_for_task(batch)
        self.cluster.run("scancel", job)
        self.cluster.wait_until_empty()
        self.assertIn(self.answers(batch)[0]["state"], ("stopped", "left"))
        self.assertNotIn("PENDING", self.cluster.queue().values())

    def test_goes_on_after_a_lost_node(self):
        batch = self.batch(1, 200_000)
        [job] = self.submit(batch)
        task = self.wait_for_task(batch)
        node = self.cluster.run("squeue", "-h", "-j", job, "-o", "%N").strip()
        self.cluster.lose(node)
        try:
            self.cluster.wait_for(lambda: self.cluster.queue().get(f"{job}_0") == "PENDING", 120, "jobs that were put back")
            self.cluster.wait_until_empty()
        finally:
            self.cluster.begin_node(int(node[-1]))
        self.check_results(batch, 1)

    def test_fails_by_name_where_the_disk_is_full(self):
        batch = self.batch(2, 2000)
        disk = self.folder / "out"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], capture_output=True).returncode:
            skip("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk])
        self.submit(batch)
        self.cluster.wait_until_empty()
        for task in self.answers(batch):
            self.assertEqual(task["state"], "failed")
            self.assertRegex(task["error"], r"task \d .*its file system has .* free")
        subprocess.run(["mount", "-o", "remount,size=20m", disk], check=True)
        self.submit(batch)
        self.cluster.wait_until_empty()
        self.check_results(batch, 2)

    def test_gives_the_same_after_any_kills(self):
        kills = int(os.environ.get("TERRACE_QUEUE_KILLS", 10))
        tasks = 3 + kills // 5
        seed = int(os.environ.get("TERRACE_FAILURE_DRAW", time.time_ns() % 1000))
        print("TERRACE_FAILURE_DRAW =", seed)
        draw = random.Random(seed)
        batch = self.batch(tasks, 100_000)
        killed = 0
        while any(task["state"] != "done" for task in self.answers(batch)):
            waiting = [job for job, state in self.cluster.queue().items() if state in ("PENDING", "RUNNING", "COMPLETING")]
            if not waiting:
                self.submit(batch)  # also what was killed oftener than a script tries
            time.sleep(draw.uniform(0, 0.6))
            under_way = [task for task in self.answers(batch) if task["state"] == "under way"]
            if under_way and killed < kills:
                try:
                    os.kill(self.pid_of(draw.choice(under_way)), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
        print("killed", killed, "times")
        self.assertGreater(killed, kills // 3)
        self.cluster.wait_until_empty()
        self.check_results(batch, tasks)


if __name__ == "__main__":
    main()
