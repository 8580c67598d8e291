"""Kernels that an earlier run has compiled, in the user's cache folder: for formulas on the CPU, and for formulas, nests
and graphs on the simulated GPU, if that is the program that is tested."""
import os
import shutil
import subprocess
import unittest.mock

import terrace_runs
from terrace_runs import JobTest, WRONG, main, numpy, skip

# A machine on which cells take so long that a compiler's seconds do not count.
SLOW = "1e5,1e5,2.3e10"


def formula(factor):
    return {"name": "s", "stencil": {"operator": "formula", "fields": {"u": "a"}, "boundary": "edge", "steps": 30,
                                     "cells": {"u": f"u + {factor}*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"}}}


NEST = {"name": "s", "nest": {"loops": {"i": "size(x)", "j": "size(x)"},
                              "arrays": {"D": {"type": "i32", "outside": "i + j + 2", "keep": ["last"]}},
                              "cells": ["D[i][j] = min(D[i-1][j-1] + (x[i] != x[j]), D[i-1][j] + 1, D[i][j-1] + 1)"]}}

STEP = {"n": {"formula": "0.5*x + 0.25*(x[-1,0] + x[0,1])", "operands": {"x": "x"}}}
GRAPH = {"name": "s", "kernel_graph": {
    "nodes": {"i": {"iterate": {"state": {"x": "a"}, "nodes": STEP, "next": {"x": "n"}}, "times": 6}}, "keep": ["i/x"]}}


class CompiledCache(JobTest):
    backend = "cpu"

    def setUp(self):
        super().setUp()
        compiler = shutil.which("c++")
        if compiler is None:
            skip("there is no compiler of C++")
        draw = numpy.random.default_rng(9)
        self.inputs = {"a": {"npy": self.write("a.npy", draw.random((70, 90)).astype(numpy.float32))}}
        self.letters = {"x": {"npy": self.write("x.npy", draw.integers(0, 4, 60).astype(numpy.int32))}}
        self.calls = self.folder / "calls"
        # It counts what it compiles.
        script = self.folder / "compiler"
        script.write_text(f'#!/bin/sh\ncase "$*" in *--version) ;; *) echo >>{self.calls};; esac\nexec {compiler} "$@"\n')
        script.chmod(0o755)
        self.cache = self.folder / "cache" / "terrace" / "compiled"
        patch = self.environment(XDG_CACHE_HOME=str(self.folder / "cache"), TERRACE_COMPILED_CACHE="on",
                                 TERRACE_CPU_RATES=SLOW, CXX=str(script), TERRACE_SIMULATED_COMPILER=str(script))
        patch.start()
        self.addCleanup(patch.stop)

    def environment(self, **variables):
        return unittest.mock.patch.dict(os.environ, variables)

    def compiled(self, inputs, stage, dataset, **keys):
        """Runs a job from the beginning. @returns its result, and how often something was compiled"""
        before = self.calls.stat().st_size if self.calls.exists() else 0
        result = self.run_job(inputs, [stage], "--fresh=all", backend=self.backend, **keys)
        values = result["s/" + dataset][()]
        result.close()
        return values.tobytes(), (self.calls.stat().st_size if self.calls.exists() else 0) - before

    def entries(self):
        """The files of the cache, with what changes if they are written."""
        return {path.name: path.stat().st_ino for path in self.cache.iterdir()} if self.cache.exists() else {}

    def check_is_compiled_once(self, inputs, stage, dataset):
        expected, first = self.compiled(inputs, stage, dataset)
        self.assertGreater(first, 0)
        entries = self.entries()
        self.assertEqual(len(entries), first)
        self.assertEqual(self.compiled(inputs, stage, dataset), (expected, 0))
        self.assertEqual(self.entries(), entries)
        self.assertEqual(self.compiled(inputs, stage, dataset, output="another.h5"), (expected, 0))
        for path in self.cache.iterdir():
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            os.truncate(path, path.stat().st_size // 2)
        self.assertEqual(self.compiled(inputs, stage, dataset), (expected, first))
        self.assertEqual(self.compiled(inputs, stage, dataset), (expected, 0))

    def test_formulas_of_stencils_are_compiled_once(self):
        self.check_is_compiled_once(self.inputs, formula(0.1), "u")
        self.assertGreater(self.compiled(self.inputs, formula(0.2), "u")[1], 0)

    def test_off_compiles_in_each_run_and_keeps_nothing(self):
        with self.environment(TERRACE_COMPILED_CACHE="off"):
            expected, first = self.compiled(self.inputs, formula(0.1), "u")
            self.assertEqual(self.compiled(self.inputs, formula(0.1), "u"), (expected, first))
        self.assertGreater(first, 0)
        self.assertEqual(self.entries(), {})

    def test_what_the_variable_cannot_mean_is_an_error_of_what_compiles(self):
        job = self.write_job(self.inputs, [formula(0.1)], backend=self.backend)
        with self.environment(TERRACE_COMPILED_CACHE="no"):
            for command in (["check"], ["plan", "--fresh=all"], ["run", "--fresh=all"]):
                self.assertSays(self.terrace(command[0], job, *command[1:], expect=WRONG), "job.yaml:", "stage 's'",
                                "TERRACE_COMPILED_CACHE in the environment is 'no', which is neither on nor off: say off")
            self.run_job(self.inputs, [formula(0.1)], "--fresh=all", backend="cpu", compile="never")
            self.run_job(self.inputs, [{"name": "s", "wavefront": {"problem": "summed_area", "grid": "a"}}],
                         "--fresh=all", backend=self.backend)
        with self.environment(TERRACE_COMPILED_CACHE=""):
            expected, first = self.compiled(self.inputs, formula(0.1), "u")
            self.assertGreater(first, 0)
            self.assertEqual(self.compiled(self.inputs, formula(0.1), "u"), (expected, 0))

    def test_folders_that_cannot_be_used_change_nothing(self):
        expected, first = self.compiled(self.inputs, formula(0.1), "u")
        self.cache.chmod(0o770)  # others may write there
        self.assertEqual(self.compiled(self.inputs, formula(0.1), "u"), (expected, first))
        for variables in ({"XDG_CACHE_HOME": self.write("file", "")}, {"XDG_CACHE_HOME": "", "HOME": ""},
                          {"XDG_CACHE_HOME": "/proc/nowhere"}):
            with self.environment(**variables):
                self.assertEqual(self.compiled(self.inputs, formula(0.1), "u"), (expected, first))

    def test_runs_that_begin_together_give_the_same(self):
        jobs = [self.write_job(self.inputs, [formula(0.1)], output=f"{number}.h5", name=f"{number}.yaml",
                               backend=self.backend) for number in range(3)]
        running = [subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) for job in jobs]
        self.assertEqual([process.wait() for process in running], [0, 0, 0])
        expected, again = self.compiled(self.inputs, formula(0.1), "u")
        self.assertEqual(again, 0)
        for number in range(3):
            self.assertEqual(self.open(f"{number}.h5")["s/u"][()].tobytes(), expected)


class CompiledCacheOnSimulatedGpu(CompiledCache):
    backend = "cuda"

    def test_nests_are_compiled_once(self):
        self.check_is_compiled_once(self.letters, NEST, "D_last")

    def test_graphs_are_compiled_once(self):
        self.check_is_compiled_once(self.inputs, GRAPH, "i_x")


def load_tests(loader, tests, pattern):
    """The program decides which of the classes is meant."""
    simulated = terrace_runs.program.name == "terrace_simulated"
    return loader.loadTestsFromTestCase(CompiledCacheOnSimulatedGpu if simulated else CompiledCache)


if __name__ == "__main__":
    main()
