"""Graphs of kernels on a simulated GPU: beside the CPU, over slabs of a few rows, with NaN and kills."""
import json
import os
import re
from unittest import mock

from kernel_graph_parts_test import CORNERS
from kernel_graph_test import HARRIS, blend_nodes, graph
from terrace_runs import FAILED, WRONG, JobTest, main, numpy


class KernelGraphsOnSimulatedGpu(JobTest):
    def check_as_on_the_cpu(self, inputs, stage, names, **keys):
        there = self.run_job(inputs, [stage], "--fresh=all", output="cuda.h5", **keys)
        here = self.run_job(inputs, [stage], "--backend", "cpu", "--fresh=all", output="cpu.h5")
        self.assertEqual(there["profile/stages/backend"][0], b"cuda")
        for name in names:
            path = f"{stage['name']}/{name}"
            self.assertEqual(there[path].dtype, here[path].dtype)
            self.assertEqual(there[path][()].tobytes(), here[path][()].tobytes(), path)
        return there

    def test_slabs_of_any_height_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        nodes = {**HARRIS, "small": {"pyramid_down": "response"}, "tiny": {"downscale": "small", "type": "u8"}}
        for boundary in ("symmetric", "periodic", {"value": 0.5}):
            stage = graph("s", nodes, ["response", "small", "tiny", "gx"], boundary=boundary)
            for device in ("1GiB", "1MiB"):
                with self.subTest(boundary=boundary, device=device):
                    there = self.check_as_on_the_cpu(inputs, stage, ["response", "small", "tiny", "gx"],
                                                     memory={"host": "32MiB", "device": device})
                    self.assertEqual(there["profile/stages/blocks"][0] > 1, device == "1MiB")

    def test_blends_of_bytes_give_what_the_cpu_gives(self):
        inputs = {name: {"generate": "uniform", "shape": [93, 130], "type": "u8", "maximum": 255, "seed": seed}
                  for seed, name in enumerate(("left", "right", "mask"))}
        nodes = blend_nodes(4)
        nodes["mixed0"]["type"] = "u16"
        self.check_as_on_the_cpu(inputs, graph("s", nodes, "mixed0"), ["mixed0"])

    def test_warps_give_what_the_cpu_gives(self):
        inputs = {name: {"generate": "uniform", "shape": [150, 90], "type": "f64", "minimum": -3, "maximum": 3,
                         "seed": seed} for seed, name in enumerate(("image", "u", "v"))}
        nodes = {"smooth": {"stencil": "image", "rows": [0.1, 0.2, 0.4, 0.2, 0.1], "columns": [0.25, 0.5, 0.25]},
                 "wide": {"box_sum": "smooth", "radius": 7}, "moved": {"warp": "wide", "by": ["u", "v"]},
                 "twice": {"upscale": "moved"}}
        for device in ("1GiB", "1MiB", "400KiB"):
            there = self.check_as_on_the_cpu(inputs, graph("s", nodes, ["moved", "twice"]), ["moved", "twice"],
                                             memory={"host": "32MiB", "device": device})
            self.assertEqual(there["profile/stages/blocks"][0] > 10, device == "400KiB")

    def test_reductions_and_nodes_that_take_them_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        nodes = {**CORNERS, "sum": {"reduce": "response", "with": "sum"}, "least": {"reduce": "image", "with": "minimum"},
                 "bins": {"histogram": "gx", "range": [-1, 1]}, "small": {"pyramid_down": "corners", "type": "u16"},
                 "peaks": {"peaks": "corners"}, "found": {"positions": "peaks", "most": 9000}}
        kept = ["response", "small", "top", "sum", "least", "bins", "found"]
        for device in ("1GiB", "1MiB"):
            there = self.check_as_on_the_cpu(inputs, graph("s", nodes, kept), kept,
                                             memory={"host": "32MiB", "device": device})
            self.assertEqual(there["profile/stages/blocks"][0] > 4, device == "1MiB")

    def test_fused_nodes_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        nodes = {**HARRIS, "less": {"formula": "x - 0.5*y[0,1]", "operands": {"x": "response", "y": "gx"}}}
        stage = graph("s", nodes, ["less", "xx"], schedule="fused")
        for device in ("1GiB", "1MiB"):
            there = self.check_as_on_the_cpu(inputs, stage, ["less", "xx"], memory={"host": "32MiB", "device": device})
            self.assertEqual(there["profile/stages/method"][0], b"fused")
        said = self.terrace("plan", self.write_job(inputs, [stage]), "--explain", "--backend", "cuda").stdout
        members = re.search(r"cluster of (.*): 1 read, 2 written", said).group(1)
        self.assertEqual(sorted(members.split(", ")), sorted(nodes))

    def test_formulas_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        nodes = {"f": {"formula": "x[-1,0] + 0.5*x[2,1] - y", "operands": {"x": "image", "y": "g"}},
                 "g": {"sobel": "image", "axis": "x"}, "h": {"formula": "2*x", "operands": {"x": "f"}}}
        for boundary in ("reflect", "periodic", {"value": 0.5}):
            for device in ("1GiB", "1MiB"):
                self.check_as_on_the_cpu(inputs, graph("s", nodes, ["f", "h"], boundary=boundary), ["f", "h"],
                                         memory={"host": "32MiB", "device": device})

    def test_graphs_with_formulas_are_computed_on_the_cpu_without_a_compiler(self):
        inputs = {"image": {"generate": "uniform", "shape": [20, 30], "type": "f32", "seed": 4}}
        stage = graph("s", {"f": {"formula": "2*x", "operands": {"x": "image"}}}, "f")
        job = self.write_job(inputs, [stage], compile="never")
        said = "formulas cannot run on CUDA: the job says `compile: never`"
        self.assertSays(self.terrace("plan", job, "--backend", "cuda", expect=WRONG), "job.yaml:", said)
        self.assertSays(self.terrace("run", job), "is computed on the CPU: ", said)
        self.assertEqual(self.open()["profile/stages/backend"][0], b"cpu")

    def test_constants_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        nodes = {"half": {"constant": 0.5, "like": "image"}, "less": {"subtract": ["image", "half"]}}
        self.check_as_on_the_cpu(inputs, graph("s", nodes, ["half", "less"]), ["half", "less"],
                                 memory={"host": "32MiB", "device": "1MiB"})

    def test_iterations_give_what_the_cpu_gives(self):
        inputs = {name: {"generate": "uniform", "shape": [120, 130], "type": "f32", "seed": seed}
                  for seed, name in enumerate(("first", "second"))}
        flow = {"problem": "horn_schunck", "source": "first", "target": "second", "alpha": 0.1, "levels": 3, "warps": 2,
                "iterations": 7}
        smooth = {"n": {"stencil": "x", "rows": [0.25, 0.5, 0.25], "columns": [0.25, 0.5, 0.25]}}
        nodes = {"i": {"iterate": {"state": {"x": "first"}, "nodes": smooth, "next": {"x": "n"}}, "times": 6},
                 "sum": {"add": ["i/x", "second"]}}
        for device in ("1GiB", "1MiB"):
            memory = {"host": "32MiB", "device": device}
            self.check_as_on_the_cpu(inputs, {"name": "s", "kernel_graph": flow}, ["u", "v"], memory=memory)
            self.check_as_on_the_cpu(inputs, graph("s", nodes, "sum"), ["sum"], memory=memory)

    def test_iterations_whose_rows_stream_give_what_the_cpu_gives(self):
        inputs = {name: {"generate": "uniform", "shape": [70, 530], "type": "f32", "seed": seed}
                  for seed, name in enumerate(("first", "second"))}
        for arithmetic, device in (("exact", "1GiB"), ("exact", "3MiB"), ("fast", "1GiB")):
            flow = {"problem": "horn_schunck", "source": "first", "target": "second", "alpha": 0.1, "levels": 2,
                    "warps": 1, "iterations": 35, "arithmetic": arithmetic, "schedule": "streamed"}
            stage = {"name": "s", "kernel_graph": flow}
            there = self.run_job(inputs, [stage], "--fresh=all", output="cuda.h5", memory={"host": "32MiB", "device": device})
            flow["schedule"] = "plain"
            here = self.run_job(inputs, [stage], "--backend", "cpu", "--fresh=all", output="cpu.h5")
            self.assertEqual(there["profile/stages/method"][0], b"streamed")
            self.assertEqual(there["profile/stages/blocks"][0] > 5, device == "3MiB")
            for name in "uv":
                self.assertEqual(there[f"s/{name}"][()].tobytes(), here[f"s/{name}"][()].tobytes())

    def test_rows_that_are_too_short_to_stream_are_refused_with_the_reason(self):
        inputs = {name: {"generate": "uniform", "shape": [40, 100], "type": "f32"} for name in ("first", "second")}
        flow = {"problem": "horn_schunck", "source": "first", "target": "second", "alpha": 0.2, "levels": 1,
                "warps": 1, "iterations": 5, "schedule": "streamed"}
        job = self.write_job(inputs, [{"name": "s", "kernel_graph": flow}])
        for command in ("check", "plan", "run"):
            ended = self.terrace(command, job, expect=WRONG)
            self.assertSays(ended, "job.yaml:", "`streamed` does not compute it", "shorter than a tile")

    def with_cache(self, times=None):
        """The user's cache folder is the test's, with such times of the device."""
        folder = self.folder / "cache" / "terrace" / "graphs"
        if times is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "simulated_GPU.json").write_text(json.dumps(times))
        return mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))

    def test_strips_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        step = {"n": {"formula": "0.5*x + 0.25*(x[-1,0] + x[0,1])", "operands": {"x": "x"}}}
        nodes = {**HARRIS, "small": {"pyramid_down": "response"},
                 "i": {"iterate": {"state": {"x": "response"}, "nodes": step, "next": {"x": "n"}}, "times": 70}}
        kept = ["response", "small", "gx", "i_x"]
        stage = graph("s", nodes, ["response", "small", "gx", "i/x"], schedule="ktiler")
        with self.with_cache({"launch_seconds": 0, "cache_bytes": 60000, "points": [[1, 0, 1e-9]]}):
            for device in ("1GiB", "1MiB"):
                there = self.check_as_on_the_cpu(inputs, stage, kept, memory={"host": "32MiB", "device": device})
                self.assertEqual(there["profile/stages/method"][0], b"ktiler")
            plan = self.terrace("plan", self.write_job(inputs, [stage]), "--explain", "--backend", "cuda").stdout
            self.assertRegex(plan, r"i/x: [0-9]+ steps at a time over strips that stay in the L2 cache, [0-9]+% of")
            self.assertIn("launches take what `terrace measure` has found on this device", plan)
        with self.with_cache({"launch_seconds": 0, "cache_bytes": 60000, "points": []}):
            self.assertSays(self.terrace("plan", self.write_job(inputs, [stage]), "--backend", "cuda", expect=FAILED),
                            "simulated_GPU.json", "measure again with `terrace measure`")

    def test_times_of_launches_are_measured_and_kept(self):
        with self.with_cache():
            said = self.terrace("measure").stdout
        (cpu, rates), (device, path) = (line.split(": ") for line in said.splitlines())
        self.assertEqual(cpu, "CPU")
        with open(rates, encoding="utf-8") as file:
            self.assertEqual(len([float(rate) for rate in file.read().split(",")]), 3)
        self.assertEqual(device, "simulated GPU")
        with open(path, encoding="utf-8") as file:
            times = json.load(file)
        self.assertGreater(times["launch_seconds"], 0)
        sizes, in_cache, from_memory = numpy.array(times["points"]).T
        self.assertTrue((sizes[1:] == 2 * sizes[:-1]).all())
        self.assertTrue((numpy.diff(in_cache) >= 0).all() and (from_memory >= in_cache).all())

    def test_problems_made_by_code_give_what_the_cpu_gives(self):
        inputs = {name: {"generate": "uniform", "shape": [93, 130], "type": "f32", "seed": seed}
                  for seed, name in enumerate(("left", "right", "mask"))}
        problems = {("response", "corners"): {"problem": "harris", "source": "left"},
                    ("image",): {"problem": "blend", "left": "left", "right": "right", "mask": "mask", "levels": 3}}
        for outputs, problem in problems.items():
            with self.subTest(problem=problem["problem"]):
                self.check_as_on_the_cpu(inputs, {"name": "s", "kernel_graph": problem}, outputs)

    def test_the_least_budget_of_a_device_is_named_and_suffices(self):
        job = self.write_job({"image": {"generate": "uniform", "shape": [60, 900], "type": "f32"}},
                             [graph("s", HARRIS, "response")], memory={"host": "16MiB", "device": "8KiB"})
        self.check_least_budgets(job, "memory.device")

    def test_a_nan_is_an_error_that_names_the_pixel(self):
        image = numpy.ones((40, 50), numpy.float32)
        image[14, 3] = image[14, 31] = image[33, 0] = numpy.nan
        job = self.write_job({"image": {"npy": self.write("image.npy", image)}},
                             [graph("s", {"g": {"sobel": "image", "axis": "x"}}, "g")])
        self.assertSays(self.terrace("run", job, expect=FAILED), "row 14, column 3", "is NaN", "image.npy")

    def test_plans_name_the_method(self):
        job = self.write_job({"image": {"generate": "uniform", "shape": [40, 30], "type": "u8", "maximum": 9}},
                             [graph("s", HARRIS, "response", schedule="plain")])
        said = self.terrace("plan", "--explain", job).stdout
        for part in ("on 1 x simulated GPU", "method        plain", "and the kernel"):
            self.assertIn(part, said)

    def test_survives_kills(self):
        inputs = {"image": {"generate": "uniform", "shape": [300, 200], "type": "f32", "seed": 4}}
        self.check_survives_kills(inputs, graph("s", HARRIS, ["response", "gx"]), "response", "gx", jobs=1,
                                  backend="cuda", memory={"host": "16MiB", "device": "512KiB"})


if __name__ == "__main__":
    main()
