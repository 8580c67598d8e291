"""Formulas that are compiled for the CPU when a run begins: the same bits as without a compiler, and what happens if
there is none, if it fails, and if a run is stopped."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest
import unittest.mock

import terrace_runs
from terrace_runs import STOPPED, WRONG, JobTest, main, numpy, skip

# A machine on which steps take so long that a compiler's seconds do not count.
SLOW = "1e5,1e5,2.3e10"


def formula(**settings):
    return {"name": "s", "stencil": {"operator": "formula", **settings}}


class Compiled(JobTest):
    always = {"backend": "cpu"}

    def setUp(self):
        super().setUp()
        named = os.environ.get("CXX", "")
        self.compiler = shutil.which(named.split()[0]) if named else None
        self.compiler = self.compiler or next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
        if self.compiler is None:
            skip("there is no compiler of C++")
        patch = self.environment(TERRACE_CPU_RATES=SLOW, CXX=self.compiler)
        patch.start()
        self.addCleanup(patch.stop)
        draw = numpy.random.default_rng(9)
        self.inputs = {name: {"npy": self.write(name + ".npy", draw.random((70, 90)).astype(numpy.float32))}
                       for name in "ab"}
        self.stage = formula(fields={"u": "a", "v": "b"}, parameters={"F": 0.035}, boundary="periodic", steps=30,
                             cells={"u": "u + 0.16*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u) - u*v*v + F*(1 - u)",
                                    "v": "if(i % 7 == 3, v, 0.5*v + 0.4*max(v[-1,0], v[0,1]) + (t % 3)*0.01)"})

    def environment(self, **variables):
        return unittest.mock.patch.dict(os.environ, variables)

    def run_named(self, name, stage=None, **keys):
        return self.run_job(self.inputs, [stage or self.stage], output=name + ".h5", **keys)

    def method_of(self, result):
        return result["profile/stages/method"][0].decode()

    def check_equal(self, result, expected):
        for field in ("u", "v"):
            numpy.testing.assert_array_equal(result["s/" + field][()], expected["s/" + field][()])

    def explained(self, **keys):
        job = self.write_job(self.inputs, [self.stage], **keys)
        methods = json.loads(self.terrace("plan", job, "--explain", "--json").stdout)["stages"][0]["methods"]
        return {method["name"]: method for method in methods}

    def test_gives_the_bits_of_strips(self):
        compiled, strips = self.run_named("compiled"), self.run_named("strips", compile="never")
        self.assertEqual((self.method_of(compiled), self.method_of(strips)), ("compiled", "strips"))
        self.check_equal(compiled, strips)

    def test_is_left_where_it_does_not_pay(self):
        with self.environment(TERRACE_CPU_RATES="1.3e11,7e10,2.3e10"):
            methods = self.explained()
        self.assertTrue(methods["strips"]["chosen"])
        self.assertLess(methods["compiled"]["per_second"], methods["strips"]["per_second"])

    def test_plan_says_why_not(self):
        self.assertEqual(self.explained(compile="never")["compiled"]["unfit"], "the job says `compile: never`")
        with self.environment(CXX="/nowhere/c++ -O9"):
            self.assertEqual(self.explained()["compiled"]["unfit"], "CXX names /nowhere/c++, which is not there")
        with self.environment(CXX="", PATH="/nowhere"):
            methods = self.explained()
            self.assertIn("no c++, g++ or clang++ is in PATH", methods["compiled"]["unfit"])
            self.assertTrue(methods["strips"]["chosen"])

    def test_a_compiler_that_fails_is_a_warning(self):
        expected = self.run_named("expected", compile="never")
        script = pathlib.Path(self.write("broken", "#!/bin/sh\necho 'some note'; echo 'broken: error: no such luck' >&2"
                                                   "; exit 1\n"))
        script.chmod(0o755)
        with self.environment(CXX=str(script)):
            ended = self.terrace("run", self.write_job(self.inputs, [self.stage]))
        self.assertSays(ended, "its formulas were not compiled, and strips computed them", "error: no such luck")
        result = self.open()
        self.assertEqual(self.method_of(result), "strips")
        self.check_equal(result, expected)

    def test_a_stopped_run_goes_on_without_the_compiler(self):
        stage = {"name": "s", "stencil": {**self.stage["stencil"], "steps": 400}}
        keys = {"memory": {"host": 300 << 10, "device": 250 << 10}}
        expected = self.run_named("expected", stage, compile="never")
        job = self.write_job(self.inputs, [stage], checkpoint={"every": "1ms"}, **keys)
        process = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        folder = self.folder / "result.h5.run"
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            files = list((folder / "ledger").iterdir()) if (folder / "ledger").exists() else []
            if sum(file.stat().st_size for file in files) > 2000:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), STOPPED)
        self.assertEqual(len(list((folder / "modules").iterdir())), 1)
        for never in (False, True):
            copy = self.folder / "copy"
            shutil.copytree(folder, copy)
            with self.environment(CXX="/nowhere/c++"):
                result = self.run_job(self.inputs, [stage], **keys, **({"compile": "never"} if never else {}))
            self.assertEqual(self.method_of(result), "compiled")
            self.check_equal(result, expected)
            result.close()
            (self.folder / "result.h5").unlink()
            copy.rename(folder)

    def test_survives_kills(self):
        self.check_survives_kills(self.inputs, {"name": "s", "stencil": {**self.stage["stencil"], "steps": 200}}, "u", "v",
                                  jobs=1, memory={"host": 300 << 10, "device": 250 << 10})

    def test_a_value_of_another_kind_is_refused(self):
        ended = self.terrace("check", self.write_job(self.inputs, [self.stage], compile="always"), expect=WRONG)
        self.assertSays(ended, "compile", "auto", "never")


if __name__ == "__main__":
    main()
