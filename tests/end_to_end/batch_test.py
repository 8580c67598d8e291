"""Batches: jobs with `sweep`, their lists of tasks, what is run, skipped, stopped and said."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import terrace_runs
from terrace_runs import DONE, FAILED, STOPPED, WRONG, JobTest, main, numpy, random_letters, random_text, wavefront

SLOW = 160_000  # letters, whose table takes some seconds in many blocks
NEVER_DONE = 600_000  # of tasks that are stopped some seconds after their beginning


class BatchTest(JobTest):
    always = {"backend": "cpu"}

    def letters(self, name, length=300):
        return self.write(f"reads/{name}.fa", f">{name}\n{random_text(length, sum(name.encode()))}\n")

    def batch(self, each, align=None, name="batch.yaml", output="out/${sample.stem}${mismatch}.h5", zip=None, **keys):
        """A batch of alignments with `sample` and `mismatch`."""
        align = align or {"mismatch": "${mismatch}"}
        sweep = {"each": each} if zip is None else {"each": each, "zip": zip}
        stage = wavefront("align", "smith_waterman", **{"rows": "a", "columns": "b", "match": 1, "gap": 2, **align})
        inputs = {"a": {"fasta": "${sample}"}, "b": random_letters(200, 5)}
        return self.write_job(inputs, [stage], output=output, name=name, sweep=sweep, **keys)

    def usual(self, **keys):
        for name in ("b", "a", "c"):
            self.letters(name)
        return self.batch({"sample": "reads/*.fa", "mismatch": [-1, -3]}, **keys)

    def answer(self, *arguments, expect=DONE):
        return json.loads(self.terrace(*arguments, "--json", expect=expect).stdout)

    def states(self, batch):
        return [task["state"] for task in self.answer("show", batch)["tasks"]]

    def outputs(self, stopped=()):
        return sorted(path.name for path in (self.folder / "out").glob("*") if path.suffix != ".run")


class Tasks(BatchTest):
    def test_are_all_combinations_the_last_name_fastest_files_sorted_by_bytes(self):
        for name in ("b", "Z", "a10", "a9"):
            self.letters(name)
        batch = self.batch({"sample": "reads/*.fa", "mismatch": [-3, -1]})
        tasks = self.answer("show", batch)["tasks"]
        self.assertEqual([task["task"] for task in tasks], list(range(8)))
        self.assertEqual([tuple(task["values"].values()) for task in tasks],
                         [(mismatch, f"reads/{name}.fa") for name in ("Z", "a10", "a9", "b")
                          for mismatch in ("-3", "-1")])
        self.assertEqual(tasks[1]["output"], str(self.folder / "out/Z-1.h5"))

    def test_are_first_with_first_where_zip_is_true(self):
        self.letters("a"), self.letters("b")
        batch = self.batch({"sample": "reads/*.fa", "mismatch": [-1, -3]}, zip=True)
        self.assertEqual([pathlib.Path(task["output"]).name for task in self.answer("show", batch)["tasks"]],
                         ["a-1.h5", "b-3.h5"])

    def test_give_what_single_jobs_give(self):
        batch = self.usual()
        ended = self.terrace("run", batch)
        expected = [f"{name}{mismatch}.h5" for name in "abc" for mismatch in (-1, -3)]
        self.assertEqual([pathlib.Path(line).name for line in ended.stdout.split()], expected)
        for name in "abc":
            for mismatch in (-1, -3):
                single = self.run_job({"a": {"fasta": f"reads/{name}.fa"}, "b": random_letters(200, 5)},
                                      [wavefront("align", "smith_waterman", rows="a", columns="b", match=1, gap=2,
                                                 mismatch=mismatch)], output=f"{name}{mismatch}.h5", name="one.yaml")
                task = self.open(f"out/{name}{mismatch}.h5")
                self.assertEqual(task["align/score"][()], single["align/score"][()])
                self.assertEqual(list(task["align/end"]), list(single["align/end"]))

    def test_take_values_with_their_type_and_properties_in_texts(self):
        grid = self.write("grids/first.npy", numpy.arange(12, dtype=numpy.int32).reshape(3, 4))
        job = self.write_job({"grid": {"npy": "${grid}"}},
                             [wavefront("sums", "summed_area", grid="grid", type="${type}")],
                             output="${grid.name}-${grid.index}-${type.index}.h5",
                             sweep={"each": {"grid": [os.path.relpath(grid, self.folder)], "type": ["i32", "i64"]}})
        self.terrace("run", job)
        for index, kind in enumerate(("i4", "i8")):
            self.assertEqual(self.open(f"first.npy-0-{index}.h5")["sums/table"].dtype.str[1:], kind)

    def test_may_have_numbers_sizes_and_flags_as_values(self):
        job = self.write_job({"a": random_letters(30, 1), "b": random_letters("${length}", 2)},
                             [wavefront("align", "lcs", rows="a", columns="b")], output="${length}.h5",
                             memory={"host": "${memory}"}, sweep={"each": {"length": [10, 20], "memory": ["64MiB"]}})
        self.terrace("run", job)
        self.assertEqual([int(self.open(f"{length}.h5")["align/lengths"][1]) for length in (10, 20)], [10, 20])

    def test_come_also_from_settings_of_the_command_line(self):
        batch = self.usual()
        answer = self.answer("plan", batch, "--set", "sweep.each.mismatch=[-2]")
        self.assertEqual([task["values"]["mismatch"] for task in answer["tasks"]], ["-2"] * 3)


class Lists(BatchTest):
    def test_are_frozen_by_the_first_run(self):
        batch = self.usual()
        self.terrace("check", batch), self.terrace("plan", batch), self.terrace("show", batch)
        self.assertFalse((self.folder / "batch.yaml.tasks").exists())
        self.terrace("run", batch, "--task", "0")
        self.letters("aa")
        self.assertEqual(len(self.states(batch)), 6)
        self.terrace("run", batch, "--task", "2")
        self.assertEqual(self.outputs(), ["a-1.h5", "b-1.h5"])
        self.terrace("run", batch, "--again", "--task", "2")
        self.assertEqual(self.outputs(), ["a-1.h5", "aa-1.h5", "b-1.h5"])
        self.assertEqual(len(self.states(batch)), 8)

    def test_of_another_sweep_are_an_error_with_its_place(self):
        self.terrace("run", self.usual(), "--task", "0")
        batch = self.batch({"sample": "reads/*.fa", "mismatch": [-1, -3, -4]})
        for command in ("run", "plan", "show", "check"):
            self.assertSays(self.terrace(command, batch, expect=WRONG), "batch.yaml:", "--again lists them anew")
        self.terrace("run", batch, "--again", "--task", "0")
        self.assertEqual(len(self.states(batch)), 9)

    def test_that_are_damaged_are_named(self):
        batch = self.usual()
        self.write("batch.yaml.tasks", "{")
        self.assertSays(self.terrace("run", batch, expect=FAILED), "batch.yaml.tasks", "--again")


class Runs(BatchTest):
    def test_compute_what_is_not_finished(self):
        batch = self.usual()
        self.terrace("run", batch, "--task", "1-2")
        self.assertEqual(self.states(batch), ["left", "done", "done", "left", "left", "left"])
        answer = self.answer("run", batch)
        self.assertEqual([task.get("there_already") for task in answer["tasks"]],
                         [False, True, True, False, False, False])
        self.assertEqual(answer["counts"], {"done": 6, "failed": 0, "stopped": 0, "under way": 0, "left": 0})
        before = {path: path.stat().st_mtime_ns for path in (self.folder / "out").iterdir()}
        self.terrace("run", batch)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in (self.folder / "out").iterdir()})

    def test_see_inputs_and_settings_that_have_changed(self):
        batch = self.usual()
        self.terrace("run", batch)
        self.letters("b", 350)
        answer = self.answer("run", batch, "--keep-going", expect=FAILED)
        self.assertEqual([task["state"] for task in answer["tasks"]],
                         ["done", "done", "failed", "failed", "done", "done"])
        answer = self.answer("run", batch, "--fresh=changed")
        self.assertEqual([task["state"] for task in answer["tasks"]], ["done"] * 6)
        self.assertEqual(int(self.open("out/b-1.h5")["align/lengths"][0]), 350)
        answer = self.answer("run", batch, "--set", "stages.align.gap=3", expect=FAILED)
        self.assertEqual(answer["tasks"][0]["state"], "failed")
        self.assertIn("gap", answer["tasks"][0]["errors"][0]["message"])

    def test_end_with_1_after_a_task_that_failed_and_keep_going_if_asked_to(self):
        self.letters("a"), self.letters("c")
        batch = self.batch({"sample": ["reads/a.fa", "reads/b.fa", "reads/c.fa"], "mismatch": [-1]})
        ended = self.terrace("run", batch, expect=FAILED)
        self.assertSays(ended, "1 failed", "1 left", "--keep-going")
        self.assertEqual(self.states(batch), ["done", "failed", "left"])
        [failed] = [task for task in self.answer("show", batch)["tasks"] if task["state"] == "failed"]
        self.assertIn("task 1 (sample: reads/b.fa, mismatch: -1)", failed["error"])
        self.assertIn("there is no such file", failed["error"])
        self.assertIn("there is no such file", self.terrace("show", batch).stdout)
        self.terrace("run", batch, "--keep-going", expect=FAILED)
        self.assertEqual(self.states(batch), ["done", "failed", "done"])
        self.assertSays(self.terrace("run", batch, "--task", "1", expect=FAILED), "there is no such file")
        self.letters("b")
        self.terrace("run", batch)
        self.assertEqual(self.states(batch), ["done"] * 3)
        self.assertEqual(self.outputs(), ["a-1.h5", "b-1.h5", "c-1.h5"])

    def test_of_a_task_answer_as_json(self):
        batch = self.usual()
        answer = self.answer("run", batch, "--task", "3")
        self.assertEqual((answer["task"], answer["state"], answer["there_already"]), (3, "done", False))
        self.assertEqual(answer["values"], {"sample": "reads/b.fa", "mismatch": "-3"})
        self.assertEqual(answer["stages"][0]["name"], "align")
        self.assertTrue(self.answer("run", batch, "--task", "3")["there_already"])


class Errors(BatchTest):
    def refused(self, batch, *parts):
        ended = self.terrace("check", batch, expect=WRONG)
        self.assertSays(ended, *parts)
        self.assertRegex(ended.stderr, r"(?m)^\S*batch\.yaml:\d+:\d+: ")
        found = json.loads(self.terrace("check", batch, "--json", expect=WRONG).stdout)["errors"]
        return found[0]["line"], found[0]["column"]

    def test_of_sweeps_have_places(self):
        self.letters("a")
        usual = {"sample": "reads/*.fa", "mismatch": [-1]}
        for each, keys, said in (
                ({**usual, "sample": "reads/*.fb"}, {}, "matches no file"),
                ({**usual, "mismatch": []}, {}, "has no values"),
                ({**usual, "mismatch": -1}, {}, "write [-1]"),
                ({**usual, "mismatch": [[1]]}, {}, "a value of a sweep is"),
                ({**usual, "mismatch": {"a": 1}}, {}, "takes a list such as"),
                ({}, {}, "'sweep' needs 'each'"),
                ({**usual, "a b": [1]}, {}, "may have letters"),
                ({**usual, "mismatch": [-1, -3]}, {"zip": True}, "'zip' needs lists of one length"),
                (usual, {"zip": "yes"}, "'zip' takes true or false"),
                ({**usual, "mismatch": [-1, -3]}, {"output": "${sample.stem}.h5"}, "put ${mismatch} into its name"),
                ({**usual, "mismatch": [-1, -1]}, {}, "have one output"),
                (usual, {"output": "${sampel}.h5"}, "did you mean 'sample'"),
                (usual, {"output": "${sample.ending}.h5"}, "stands .stem, .name or .index"),
                (usual, {"output": "${sample.h5"}, "a placeholder is ${NAME}"),
                (usual, {"align": {"mismatch": "${gap}"}}, "'sweep' has no name 'gap'")):
            with self.subTest(said=said):
                self.refused(self.batch(each, **keys), said)

    def test_point_at_the_placeholder(self):
        batch = self.write("batch.yaml", "sweep: {each: {n: [1, 2]}}\ninputs: {a: {generate: dna, length: 5}}\n"
                           "stages:\n- name: s\n  wavefront: {problem: lcs, rows: a, columns: a}\n"
                           "output: 'out/x-${m}.h5'\n")
        self.assertEqual(self.refused(batch, "no name 'm'"), (6, 16))

    def test_inside_of_tasks_name_the_task_and_the_place(self):
        batch = self.usual()
        text = pathlib.Path(batch).read_text().replace("-3", '"x"')
        pathlib.Path(batch).write_text(text)
        ended = self.terrace("check", batch, expect=WRONG)
        self.assertRegex(ended.stderr, r"batch\.yaml:\d+:\d+: task 1 \(sample: reads/a\.fa, mismatch: x\) and 2 other "
                                       r"tasks: 'mismatch' takes a number")
        ended = self.terrace("run", batch, "--task", "3", expect=FAILED)
        self.assertRegex(ended.stderr, r"batch\.yaml:\d+:\d+: task 3 \(sample: reads/b\.fa, mismatch: x\): 'mismatch'")
        self.assertSays(self.terrace("plan", batch, expect=WRONG), "task 1 (")

    def test_of_placeholders_without_a_sweep(self):
        job = self.write_job({"a": {"fasta": "${sample}"}}, [wavefront("s", "lcs", rows="a", columns="a")],
                             name="batch.yaml")
        self.refused(job, "'${sample}' is a placeholder, and this job has no 'sweep'")

    def test_of_pictures_of_a_batch(self):
        batch = self.usual()
        for option in (["--xdmf"], ["--kerchunk"], ["s", "--paf"], ["s"]):
            self.assertSays(self.terrace("show", batch, *option, expect=WRONG), "is a batch; name the result of a task")

    def test_of_tasks_that_are_not_there_and_of_options_without_a_batch(self):
        batch = self.usual()
        for numbers, said in (("6", "has 6 tasks, numbered from 0 to 5"), ("3-6", "has 6 tasks"), ("2-1", "name one"),
                              ("x", "name one"), ("-1", "name one")):
            self.assertSays(self.terrace("run", batch, f"--task={numbers}", expect=WRONG), said)
        job = self.write_job({"a": random_letters(9, 1)}, [wavefront("s", "lcs", rows="a", columns="a")], name="x.yaml")
        for options in (["--task", "1"], ["--keep-going"], ["--again"]):
            self.assertSays(self.terrace("run", job, *options, expect=WRONG), options[0], "has no 'sweep'")


class Stops(BatchTest):
    def slow(self, tasks=3, length=SLOW):
        return self.write_job({"a": random_letters(length, 1), "b": random_letters(length, "${seed}")},
                              [wavefront("align", "smith_waterman", rows="a", columns="b", match=1, mismatch=-3, gap=2)],
                              output="out/${seed}.h5", memory={"host": "16MiB"}, name="batch.yaml",
                              sweep={"each": {"seed": list(range(10, 10 + tasks))}})

    def start(self, batch, *arguments):
        """Starts a run, and returns it when its first task computes."""
        run = subprocess.Popen([terrace_runs.program, "run", batch, *arguments], cwd=self.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.stdout.close), self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait), self.addCleanup(run.kill)
        while not list(self.folder.glob("out/*.run/ledger/*.log")) and run.poll() is None:
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended before its first task computed")
        return run

    def settled(self, batch):
        """The states once no task is under way any more."""
        end = time.monotonic() + 60
        while (states := self.states(batch)).count("under way") and time.monotonic() < end:
            time.sleep(0.05)
        return states

    def test_by_a_signal_are_checkpoints_and_the_same_command_goes_on(self):
        batch = self.slow()
        run = self.start(batch)
        self.assertEqual(self.states(batch), ["under way", "left", "left"])
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=120)[1]
        self.assertEqual(run.returncode, STOPPED, said)
        self.assertIn("task 0: task 0 (seed: 10): stopped at a checkpoint", said)
        self.assertEqual(self.states(batch), ["stopped", "left", "left"])
        answer = self.answer("run", batch, "--task", "0")
        self.assertEqual((answer["state"], answer["stages"][0]["repeated"]), ("done", 0))

    def test_end_the_tasks_of_a_run_that_is_killed(self):
        batch = self.slow()
        run = self.start(batch)
        run.kill()
        run.communicate(timeout=120)
        self.assertEqual(self.settled(batch), ["stopped", "left", "left"])
        self.assertEqual(self.answer("run", batch, "--task", "0")["stages"][0]["repeated"], 0)

    def test_by_a_second_signal_are_at_once(self):
        batch = self.slow()
        run = self.start(batch)
        run.send_signal(signal.SIGINT)
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=120)
        self.assertEqual(run.returncode, STOPPED)
        self.assertEqual(self.settled(batch), ["stopped", "left", "left"])

    def test_leave_tasks_to_the_process_that_holds_them(self):
        batch = self.slow(2, NEVER_DONE)
        run = self.start(batch, "--task", "0")
        ended = self.terrace("run", batch, "--task", "0")
        self.assertSays(ended, "task 0 (seed: 10) is skipped: another process runs it (")
        self.assertEqual(self.answer("run", batch, "--task", "0")["state"], "under way")
        answer = self.answer("run", batch, "--task", "0-1", "--time-limit", "3s", expect=STOPPED)
        self.assertEqual([task["state"] for task in answer["tasks"]], ["under way", "stopped"])
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=120)
        self.assertEqual(run.returncode, STOPPED)

    def test_of_killed_tasks_are_failures_that_say_so(self):
        batch = self.slow(2)
        run = self.start(batch)
        holder = next(task["holder"] for task in self.answer("show", batch)["tasks"] if "holder" in task)
        os.kill(int(holder.split("process ")[1].split(",")[0]), signal.SIGKILL)
        said = run.communicate(timeout=120)[1]
        self.assertEqual(run.returncode, FAILED, said)
        self.assertIn("task 0 (seed: 10): its process was killed by signal 9", said)
        self.assertEqual(self.states(batch), ["failed", "left"])
        self.assertEqual(self.answer("run", batch, "--task", "0")["state"], "done")

    def test_by_time_limits_are_checkpoints(self):
        batch = self.slow(2, NEVER_DONE)
        for arguments, environment in ((["--time-limit", "3s"], {}), ([], {"SLURM_JOB_END_TIME": ""})):
            with self.subTest(arguments=arguments):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                for task in (["--task", "0"], []):
                    environment and environment.update(SLURM_JOB_END_TIME=str(int(time.time()) + 4))
                    began = time.monotonic()
                    ended = subprocess.run([terrace_runs.program, "run", batch, *task, *arguments], cwd=self.folder,
                                           capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
                    self.assertEqual(ended.returncode, STOPPED, ended.stderr)
                    self.assertIn("the time limit comes: stopping at a checkpoint", ended.stderr)
                    self.assertLess(time.monotonic() - began, 10)
                    self.assertEqual(self.states(batch), ["stopped", "left"])

    def test_by_time_limits_take_times_alone(self):
        for text in ("3", "x", "1h30", "-1s", "0s", ""):
            self.terrace("run", "x.yaml", f"--time-limit={text}", expect=WRONG)
        job = self.write_job({"a": random_letters(9, 1)}, [wavefront("s", "lcs", rows="a", columns="a")])
        self.terrace("run", job, "--time-limit", "3h50m")
        self.terrace("run", job, "--time-limit", "1d 2h 3min 4s")


if __name__ == "__main__":
    main()
