"""Answers as JSON: stable names for programs, and jobs that are written as JSON."""
import json
import signal
import subprocess
import time

import terrace_runs
from terrace_runs import DONE, FAILED, STOPPED, WRONG, JobTest, affine, main, numpy, random_letters

DEVICE_KEYS = {"index", "name", "kind", "processors", "memory_bytes", "free_bytes", "memory_bytes_per_second",
               "link_bytes_per_second", "operations_per_second"}
STAGE_KEYS = {"name", "method", "backend", "devices", "temporary", "taken_over_from", "blocks", "block_shape",
              "block_bytes", "workspace_bytes", "unit", "operations", "leaves_out", "bytes_read", "bytes_written",
              "bytes_up", "bytes_down", "limit", "limit_kind", "compute_seconds", "disk_seconds", "link_seconds",
              "blocks_seconds", "memory_seconds", "generated_seconds", "host_bytes", "predicted_seconds", "bound",
              "to_be_compared"}


class JsonTest(JobTest):
    def answer(self, *arguments, expect=DONE):
        return json.loads(self.terrace(*arguments, "--json", expect=expect).stdout)

    def job(self, length=400, **keys):
        return self.write_job({"a": random_letters(length, 1), "b": random_letters(500, 2)},
                              [affine("align", "a", "b", keep="table")], backend="cpu", **keys)


class Checks(JsonTest):
    def test_of_a_right_job(self):
        self.assertEqual(self.answer("check", self.job()),
                         {"job": str(self.folder / "job.yaml"), "valid": True, "inputs": 2, "stages": 1, "errors": [],
                          "warnings": []})

    def test_of_a_wrong_job_have_places(self):
        text = ("memory: {hots: 1GiB}\ninputs: {a: {generate: dna, length: 9}}\nstages:\n- name: s\n"
                "  wavefront: {problem: lcs, rows: a, columns: a, keep: tables}\noutput: x.h5\n")
        path = self.write("wrong.yaml", text)
        ended = self.terrace("check", "wrong.yaml", "--json", "--set", "backend=gpu", expect=WRONG)
        answer = json.loads(ended.stdout)
        self.assertEqual(ended.stderr, "")
        self.assertEqual((answer["job"], answer["valid"]), ("wrong.yaml", False))
        first, second, third = answer["errors"]
        self.assertEqual((first["file"], first["line"], first["column"]), ("wrong.yaml", 1, 10))
        self.assertTrue(first["message"].startswith("unknown key 'hots'"), first)
        self.assertIn("memory: {hots: 1GiB}", first["excerpt"])
        self.assertEqual((second["line"], second["column"]), (5, 56))
        self.assertEqual(third["setting"], "backend=gpu")
        self.assertTrue(third["message"].startswith("'backend' takes"), third)
        # People read the same.
        said = self.terrace("check", path, "--set", "backend=gpu", expect=WRONG).stderr
        for error in answer["errors"]:
            self.assertIn(error["message"], said)

    def test_give_warnings(self):
        job = self.write_job({"a": random_letters(9, 1), "unused": random_letters(9, 1)}, [affine("s", "a", "a")])
        [warning] = self.answer("check", job)["warnings"]
        self.assertIn("nothing reads the input 'unused'", warning["message"])
        self.assertGreater(warning["line"], 1)

    def test_of_a_missing_job_say_so(self):
        [error] = self.answer("check", "none.yaml", expect=WRONG)["errors"]
        self.assertIn("none.yaml", error["message"])


class Plans(JsonTest):
    def test_have_what_people_read(self):
        answer = self.answer("plan", self.job(memory={"host": "64MiB", "device": "16MiB"}))
        self.assertEqual(set(answer), {"job", "output", "device", "devices", "backend", "memory", "disk", "stages",
                                       "predicted_seconds", "there_already"})
        self.assertEqual((answer["devices"], answer["backend"]), (1, "cpu"))
        self.assertEqual(set(answer["memory"]), {"host", "device", "inputs", "expected"})
        self.assertLessEqual(answer["memory"]["expected"], 64 << 20)
        self.assertEqual(answer["memory"]["device"], 16 << 20)
        self.assertGreaterEqual(answer["disk"]["result"], 400 * 500 * 4)
        [stage] = answer["stages"]
        self.assertEqual(set(stage), STAGE_KEYS)
        self.assertEqual((stage["name"], stage["unit"], stage["operations"]), ("align", "cell", 400 * 500))
        parts = [stage[f"{part}_seconds"] for part in ("compute", "disk", "link", "generated")]
        # What is moved is moved beside computing, but for the first and the last piece.
        between = stage["predicted_seconds"] - stage["memory_seconds"]
        self.assertLessEqual(max(*parts, stage["blocks_seconds"]), between)
        self.assertLessEqual(between, max(sum(parts), stage["blocks_seconds"]) + 1e-12)
        self.assertEqual(answer["predicted_seconds"], stage["predicted_seconds"])

    def test_are_what_a_dry_run_says(self):
        job = self.job()
        said = self.terrace("run", job, "--dry-run").stdout
        self.assertIn("stage align\n  method ", said)
        self.assertEqual([line for line in said.splitlines() if "blocks" in line],
                         [line for line in self.terrace("plan", job).stdout.splitlines() if "blocks" in line])
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"job.yaml"})
        self.terrace("run", self.write("wrong.yaml", "stages: 1"), "--dry-run", expect=WRONG)


class Runs(JsonTest):
    def test_say_what_was_made(self):
        answer = self.answer("run", self.job())
        self.assertEqual(set(answer), {"job", "state", "output", "there_already", "seconds", "stages"})
        self.assertEqual((answer["state"], answer["output"]), ("done", str(self.folder / "result.h5")))
        [stage] = answer["stages"]
        self.assertEqual(set(stage), {"name", "method", "blocks", "repeated", "seconds", "operations", "unit", "rate"})
        self.assertEqual((stage["name"], stage["operations"]), ("align", 400 * 500))
        answer = self.answer("run", self.job())
        self.assertEqual((answer["state"], answer["there_already"], answer["stages"]), ("done", True, []))

    def test_say_what_is_wrong_with_its_place(self):
        answer = self.answer("run", self.job(length=0.5), expect=WRONG)
        self.assertEqual((set(answer), answer["state"]), ({"job", "state", "errors"}, "wrong"))
        self.assertIn("'length' takes", answer["errors"][0]["message"])
        self.assertGreater(answer["errors"][0]["line"], 1)
        self.write("grid.npy", numpy.full((3, 3), 2**62, numpy.int64))
        job = self.write_job({"grid": {"npy": "grid.npy"}}, [terrace_runs.wavefront("sums", "summed_area", grid="grid")])
        answer = self.answer("run", job, expect=FAILED)
        self.assertEqual(answer["state"], "failed")
        self.assertIn("does not fit type i64", answer["errors"][0]["message"])


class Verifications(JsonTest):
    def test_say_what_was_compared(self):
        self.terrace("run", self.job())
        answer = self.answer("verify", "result.h5", "--sample", "0.1")
        self.assertEqual(set(answer), {"result", "state", "compared", "differences", "answers", "errors"})
        self.assertEqual((answer["state"], answer["differences"], answer["errors"]), ("equal", 0, []))
        self.assertGreater(answer["compared"], 3)
        self.assertTrue(any("computed again" in line for line in answer["answers"]), answer["answers"])
        with self.open() as result:
            at = result["align/table"].id.get_offset()
        with open(self.folder / "result.h5", "r+b") as file:
            file.seek(at + 40)
            file.write(b"damage")
        answer = self.answer("verify", "result.h5", expect=FAILED)
        self.assertEqual((answer["state"], answer["differences"]), ("different", 1))
        self.assertEqual(self.answer("verify", "none.h5", expect=WRONG)["state"], "wrong")


class Results(JsonTest):
    def test_have_datasets_values_and_profile(self):
        self.terrace("run", self.job())
        answer = self.answer("show", "result.h5")
        self.assertEqual(set(answer), {"file", "job", "version", "commit", "host", "devices", "finished", "attempts",
                                       "datasets", "stages"})
        self.assertEqual((answer["file"], answer["job"], answer["attempts"]), ("result.h5", "test", 1))
        datasets = {dataset["path"]: dataset for dataset in answer["datasets"]}
        result = self.open()
        self.assertEqual(datasets["/align/score"]["values"], [int(result["align/score"][()])])
        self.assertEqual(datasets["/align/end"]["values"], result["align/end"][()].tolist())
        self.assertEqual((datasets["/align/table"]["type"], datasets["/align/table"]["shape"]), ("i32", [400, 500]))
        self.assertNotIn("values", datasets["/align/table"])
        [stage] = answer["stages"]
        columns = result["profile/stages"]
        for name in ("seconds", "rate", "limit", "fraction", "predicted_seconds", "peak_host"):
            self.assertEqual(stage[name], columns[name][0])
        self.assertEqual((stage["name"], stage["unit"]), ("align", "cell"))
        only = self.answer("show", "result.h5", "align")
        self.assertEqual({dataset["path"] for dataset in only["datasets"]},
                         {path for path in datasets if path.startswith("/align/")})
        self.assertSays(self.terrace("show", "result.h5", "none", "--json", expect=WRONG),
                        "holds nothing of a stage 'none'; there is align")
        self.assertSays(self.terrace("show", "result.h5", "algin", expect=WRONG), "; did you mean 'align'?")

    def test_are_exact(self):
        self.write("m.npy", numpy.array([[0, 0.1], [numpy.inf, 0]]))
        self.run_job({"m": {"npy": "m.npy"}}, [{"name": "q", "query": {"matrix": "m", "reduce": "eccentricity"}}])
        found = {dataset["path"]: dataset.get("values") for dataset in self.answer("show", "result.h5")["datasets"]}
        self.assertEqual(found["/q/eccentricity"], [0.1, "inf"])

    def test_of_a_stopped_run_say_how_far_it_is(self):
        job = self.write_job({"a": random_letters(150_000, 7), "b": random_letters(150_000, 8)},
                             [affine("first", "a", "a", keep="score"), affine("align", "a", "b", keep="score"),
                              affine("later", "a", "b", keep="score")], backend="cpu",
                             memory={"host": 16 << 20, "device": 4 << 20})
        run = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        while not list(self.folder.glob("*.run/ledger/*.log")) and run.poll() is None:
            time.sleep(0.01)
        under_way = self.answer("show", "result.h5")
        self.assertEqual((under_way["state"], under_way["attempts"]), ("under way", 1))
        self.assertIn(str(run.pid), under_way["holder"])
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(), STOPPED)
        answer = self.answer("show", "result.h5")
        self.assertEqual(set(answer), {"run", "attempts", "state", "command", "stages"})
        self.assertEqual(answer["state"], "stopped")
        states = [stage["state"] for stage in answer["stages"]]
        self.assertEqual([stage["name"] for stage in answer["stages"]], ["first", "align", "later"])
        current = states.index("current")
        self.assertEqual(states, ["complete"] * current + ["current"] + ["not begun"] * (2 - current))


class Devices(JsonTest):
    def test_are_listed_the_cpu_last(self):
        answer = self.answer("devices")
        for device in answer["devices"]:
            self.assertEqual(set(device), DEVICE_KEYS)
        self.assertIsNone(answer["devices"][-1]["index"])
        self.assertTrue(answer["devices"][-1]["kind"].startswith("cpu "))
        self.assertEqual("no_cuda" in answer, len(answer["devices"]) == 1)


class Threads(JsonTest):
    def test_are_as_many_as_the_job_says(self):
        for arguments, keys, threads in (((), {"threads": 3}, 3), (("--threads", "1"), {}, 1),
                                         (("--threads=2",), {"threads": 5}, 2)):
            with self.subTest(arguments=arguments, keys=keys):
                job = self.job(**keys)
                self.assertRegex(self.answer("plan", job, *arguments)["device"], rf", {threads} threads?$")
                self.terrace("run", job, *arguments, "--fresh")
                self.assertRegex(self.answer("show", "result.h5")["devices"], rf", {threads} threads?$")
        self.assertSays(self.terrace("check", self.job(), "--threads", "0", expect=WRONG),
                        "--set threads=0: 'threads' takes a whole number from 1")


class Jobs(JsonTest):
    def test_run_when_written_as_json(self):
        job = {"memory": {"host": "1GiB", "device": "64MiB"}, "checkpoint": {"every": "30s"},
               "inputs": {"m": {"generate": "uniform", "shape": ["1k", 500], "type": "u8", "maximum": 255}},
               "stages": [{"name": "sums", "wavefront": {"problem": "summed_area", "grid": "m"}}],
               "output": "result.h5"}
        self.terrace("run", self.write("job.json", json.dumps(job)))
        self.assertEqual(self.open()["sums/table"].shape, (1000, 500))
        for wrong, said in (({"memory": {"host": "1 Gibi"}}, "a size in bytes"),
                            ({"memory": {"host": "0"}}, "at least 1"), ({"threads": "2"}, "take the quotes away"),
                            ({"checkpoint": {"every": "30"}}, "add the unit: 30s")):
            ended = self.terrace("check", self.write("job.json", json.dumps({**job, **wrong})), expect=WRONG)
            self.assertSays(ended, said)


if __name__ == "__main__":
    main()
