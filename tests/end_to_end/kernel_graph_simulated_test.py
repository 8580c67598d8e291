"""Graphs of kernels on a simulated GPU: beside the CPU, over slabs of a few rows, with NaN and kills."""
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

    def test_graphs_that_read_all_of_a_node_give_what_the_cpu_gives(self):
        inputs = {name: {"generate": "uniform", "shape": [150, 90], "type": "f64", "minimum": -3, "maximum": 3,
                         "seed": seed} for seed, name in enumerate(("image", "u", "v"))}
        nodes = {"smooth": {"stencil": "image", "rows": [0.1, 0.2, 0.4, 0.2, 0.1], "columns": [0.25, 0.5, 0.25]},
                 "wide": {"box_sum": "smooth", "radius": 7}, "moved": {"warp": "wide", "by": ["u", "v"]},
                 "twice": {"upscale": "moved"}}
        self.check_as_on_the_cpu(inputs, graph("s", nodes, ["moved", "twice"]), ["moved", "twice"],
                                 memory={"host": "32MiB", "device": "1MiB"})

    def test_reductions_and_nodes_that_take_them_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        nodes = {**CORNERS, "sum": {"reduce": "response", "with": "sum"}, "least": {"reduce": "image", "with": "minimum"},
                 "bins": {"histogram": "gx", "range": [-1, 1]}, "small": {"pyramid_down": "corners", "type": "u16"}}
        kept = ["response", "small", "top", "sum", "least", "bins"]
        for device in ("1GiB", "1MiB"):
            there = self.check_as_on_the_cpu(inputs, graph("s", nodes, kept), kept,
                                             memory={"host": "32MiB", "device": device})
            self.assertEqual(there["profile/stages/blocks"][0] > 4, device == "1MiB")

    def test_graphs_with_formulas_are_computed_on_the_cpu(self):
        inputs = {"image": {"generate": "uniform", "shape": [20, 30], "type": "f32", "seed": 4}}
        job = self.write_job(inputs, [graph("s", {"f": {"formula": "2*x", "operands": {"x": "image"}}}, "f")])
        said = "graphs with `formula` are computed on the CPU only"
        self.assertSays(self.terrace("plan", job, "--backend", "cuda", expect=WRONG), "job.yaml:", said)
        self.assertSays(self.terrace("run", job), "is computed on the CPU: ", said)
        self.assertEqual(self.open()["profile/stages/backend"][0], b"cpu")

    def test_constants_give_what_the_cpu_gives(self):
        inputs = {"image": {"generate": "uniform", "shape": [301, 170], "type": "f32", "seed": 4}}
        nodes = {"half": {"constant": 0.5, "like": "image"}, "less": {"subtract": ["image", "half"]}}
        self.check_as_on_the_cpu(inputs, graph("s", nodes, ["half", "less"]), ["half", "less"],
                                 memory={"host": "32MiB", "device": "1MiB"})

    def test_problems_with_iterations_are_computed_on_the_cpu(self):
        inputs = {name: {"generate": "uniform", "shape": [20, 30], "type": "f32", "seed": seed}
                  for seed, name in enumerate(("first", "second"))}
        stage = {"name": "s", "kernel_graph": {"problem": "horn_schunck", "source": "first", "target": "second",
                                               "alpha": 0.1, "levels": 2, "warps": 1, "iterations": 5}}
        job = self.write_job(inputs, [stage])
        said = "graphs with `iterate` are computed on the CPU only"
        self.assertSays(self.terrace("plan", job, "--backend", "cuda", expect=WRONG), "job.yaml:", said)
        self.assertSays(self.terrace("run", job), "is computed on the CPU: ", said)
        self.assertEqual(self.open()["profile/stages/backend"][0], b"cpu")

    def test_problems_made_by_code_give_what_the_cpu_gives(self):
        inputs = {name: {"generate": "uniform", "shape": [93, 130], "type": "f32", "seed": seed}
                  for seed, name in enumerate(("left", "right", "mask"))}
        problems = {"response": {"problem": "harris", "source": "left"},
                    "image": {"problem": "blend", "left": "left", "right": "right", "mask": "mask", "levels": 3}}
        for output, problem in problems.items():
            with self.subTest(problem=problem["problem"]):
                self.check_as_on_the_cpu(inputs, {"name": "s", "kernel_graph": problem}, [output])

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
