"""Stencils that jobs write as formulas on a simulated GPU: grids of many tiles, stops, machines without a compiler."""
import json
import os
import signal
import subprocess
import time
import unittest.mock

import terrace_runs
from terrace_runs import STOPPED, WRONG, JobTest, main, numpy

NO_COMPILER = "/nowhere/libnvrtc.so"


def formula(name, **settings):
    return {"name": name, "stencil": {"operator": "formula", **settings}}


def without_compiler():
    """The variables of a machine without the compiler of kernels."""
    return unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_COMPILER=NO_COMPILER)


class FormulasOnSimulatedGpu(JobTest):
    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(5)
        self.inputs = {"a": {"npy": self.write("a.npy", draw.random((90, 120)).astype(numpy.float32))}}
        self.stage = formula("s", fields={"u": "a"}, boundary="edge", steps=6,
                             cells={"u": "u + 0.1*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"})
        self.volume = {"b": {"npy": self.write("b.npy", draw.random((11, 75, 150)).astype(numpy.float32))}}

    def run_on(self, backend, inputs, stage, **keys):
        return self.run_job(inputs, [stage], "--backend", backend, output=f"{stage['name']}-{backend}.h5", **keys)

    def test_a_volume_of_several_tiles_is_the_same(self):
        stage = formula("v", fields={"u": "b"}, boundary=["fixed", "periodic", "fixed"], steps=10,
                        cells={"u": "u + 0.1*(u[-1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] + u[1,0,0] - 6*u)"})
        there = self.run_on("cuda", self.volume, stage, memory={"device": 700 << 10})
        here = self.run_on("cpu", self.volume, stage)
        self.assertEqual(there["profile/stages/method"][0], b"planes")
        self.assertGreater(there["profile/stages/blocks"][0], 1)
        numpy.testing.assert_array_equal(there["v/u"][()], here["v/u"][()])

    def test_a_volume_with_arrays_places_steps_and_a_series_streams_its_planes(self):
        draw = numpy.random.default_rng(7)
        inputs = {**self.volume, "s": {"npy": self.write("s.npy", draw.random(9).astype(numpy.float32))}}
        for name in "cm":
            inputs[name] = {"npy": self.write(f"{name}.npy", draw.random((11, 75, 150)).astype(numpy.float32))}
        stage = formula("x", fields={"u": "b", "v": "b"}, arrays={"c": "c", "m": "m"}, series={"s": "s"}, steps=9,
                        boundary=["edge", {"value": 0.5}, "reflect"],
                        cells={"u": "if((i + j + k + t) % 5 == 0, s, u + 0.1*c*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + "
                                    "u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u) - m*v)", "v": "0.5*u"})
        job = self.write_job(inputs, [stage], backend="cuda")
        methods = json.loads(self.terrace("plan", job, "--explain", "--json").stdout)["stages"][0]["methods"]
        planes = next(method for method in methods if method["name"] == "planes")
        self.assertTrue(planes["chosen"] and planes["unfit"] is None, methods)
        there = self.run_on("cuda", inputs, stage, memory={"device": 2 << 20})
        here = self.run_on("cpu", inputs, stage)
        self.assertEqual(there["profile/stages/method"][0], b"planes")
        self.assertGreater(there["profile/stages/blocks"][0], 1)
        for field in "uv":
            numpy.testing.assert_array_equal(there[f"x/{field}"][()], here[f"x/{field}"][()])
        far = formula("y", fields={"u": "b"}, steps=2, cells={"u": "u[1,1,0]"})
        words = self.terrace("plan", self.write_job(self.volume, [far], backend="cuda"), "--explain").stdout
        self.assertRegex(words, r"planes +no: it takes formulas that read of the planes above and below the one cell")

    def test_a_volume_whose_formula_depends_on_the_place_is_the_same(self):
        stage = formula("w", fields={"u": "b"}, boundary=["edge", "periodic", {"value": 0.5}], steps=5,
                        cells={"u": "if(k % 7 == 2 && i < size(0) - 1, 0.5*(u[-1,0,0] + u[0,2,-1]), u[0,-1,1])"})
        there, here = self.run_on("cuda", self.volume, stage), self.run_on("cpu", self.volume, stage)
        self.assertEqual(there["profile/stages/method"][0], b"steps")
        numpy.testing.assert_array_equal(there["w/u"][()], here["w/u"][()])

    def test_a_machine_without_the_compiler_takes_the_cpu_or_says_what_is_missing(self):
        expected = self.run_on("cuda", self.inputs, self.stage)["s/u"][()]
        job = self.write_job(self.inputs, [self.stage])
        said = f"formulas cannot run on CUDA: {NO_COMPILER} is not there"
        with without_compiler():
            planned = self.terrace("plan", job)
            self.assertSays(planned, "is computed on the CPU: ", said)
            self.assertRegex(planned.stdout, r"method .*, on the CPU")
            for command in ("check", "plan", "run"):
                refused = self.terrace(command, job, "--backend", "cuda", expect=WRONG)
                self.assertSays(refused, "job.yaml:", said)
            self.assertSays(self.terrace("run", job), "is computed on the CPU: ", said)
        result = self.open()
        self.assertEqual(result["profile/stages/backend"][0], b"cpu")
        numpy.testing.assert_array_equal(result["s/u"][()], expected)

    def test_a_job_that_forbids_compilers_takes_the_cpu(self):
        job = self.write_job(self.inputs, [self.stage], compile="never")
        said = "formulas cannot run on CUDA: the job says `compile: never`"
        self.assertSays(self.terrace("plan", job, "--backend", "cuda", expect=WRONG), "job.yaml:", said)
        self.assertSays(self.terrace("run", job), "is computed on the CPU: ", said)
        self.assertEqual(self.open()["profile/stages/method"][0], b"strips")

    def stopped(self, job, output):
        """Starts a job, stops it when it has computed blocks, and returns the folder of its run."""
        folder = self.folder / (output + ".run")
        process = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        ledgers = folder / "ledger"
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            if ledgers.exists() and sum(file.stat().st_size for file in ledgers.iterdir()) > 2000:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), STOPPED, process.stderr.read())
        return folder

    def test_a_stopped_run_goes_on_without_the_compiler(self):
        stage = formula("s", fields={"u": "a", "v": "a"}, boundary="edge", steps=500,
                        cells={"u": "u + 0.1*(v[0,1] - u)", "v": "v + 0.1*u[1,0] - 0.1*v"})
        keys = {"backend": "cuda", "memory": {"host": 64 << 20, "device": 150 << 10}}
        expected = self.run_on("cpu", self.inputs, stage)
        folder = self.stopped(self.write_job(self.inputs, [stage], **keys, checkpoint={"every": "1ms"}), "result.h5")
        self.assertEqual(len(list((folder / "modules").iterdir())), 1)
        with without_compiler():
            result = self.run_job(self.inputs, [stage], **keys)
        self.assertIn("simulated GPU", str(result["profile/devices/name"][()]))
        for field in ("u", "v"):
            numpy.testing.assert_array_equal(result[f"s/{field}"][()], expected[f"s/{field}"][()])

    def test_survives_kills(self):
        stage = formula("s", fields={"u": "a", "v": "a"}, boundary="edge", steps=80,
                        cells={"u": "u + 0.1*(v[0,1] - u)", "v": "v + 0.1*u[1,0] - 0.1*v"})
        self.check_survives_kills(self.inputs, stage, "u", "v", jobs=1, backend="cuda",
                                  memory={"host": 64 << 20, "device": 150 << 10})


if __name__ == "__main__":
    main()
