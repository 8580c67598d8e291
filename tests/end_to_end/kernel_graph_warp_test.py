"""Warps: against NumPy, over slabs of a few rows, by displacements that are inputs, made, large or NaN."""
from horn_schunck_test import bilinear
from terrace_runs import FAILED, JobTest, main, numpy

F = numpy.float32


def graph(nodes, keep, **settings):
    return {"name": "s", "kernel_graph": {"nodes": nodes, "keep": keep, **settings}}


def warped(image, u, v):
    i, j = (index.astype(F) for index in numpy.indices(image.shape))
    return bilinear(image, j + u, i + v)


class Warps(JobTest):
    always = {"backend": "cpu"}
    SHAPE = (1000, 64)  # 256,000 bytes

    def arrays(self, low, high, seed=5):
        draw = numpy.random.default_rng(seed)
        found = {"a": draw.random(self.SHAPE), "u": draw.uniform(-5, 5, self.SHAPE), "v": draw.uniform(low, high, self.SHAPE)}
        found = {name: array.astype(F) for name, array in found.items()}
        return {name: {"npy": self.write(f"{name}.npy", array)} for name, array in found.items()}, found

    def run_cut(self, inputs, stage, device, *arguments):
        job = self.write_job(inputs, [stage], memory={"host": "8MiB", "device": device})
        return self.terrace("run", job, "--fresh=all", *arguments)

    def check_same(self, found, expected):
        self.assertTrue(numpy.array_equal(found.view(numpy.int32), expected.view(numpy.int32)))

    def test_slabs_read_the_rows_that_displacements_reach(self):
        for low, high in ((-2.5, 3), (7, 9.5), (-60, 60)):
            with self.subTest(low=low, high=high):
                inputs, made = self.arrays(low, high)
                self.run_cut(inputs, graph({"w": {"warp": "a", "by": ["u", "v"]}}, "w"), "160KiB")
                result = self.open()
                self.assertGreater(result["profile/stages/blocks"][0], 20)
                self.check_same(result["s/w"][()], warped(made["a"], made["u"], made["v"]))

    def test_slabs_become_smaller_where_displacements_are_large(self):
        blocks = []
        for high in (2, 150):
            inputs, made = self.arrays(-2, high)
            counts = {"histogram": "w", "bins": 4, "range": [0, 1]}
            self.run_cut(inputs, graph({"w": {"warp": "a", "by": ["u", "v"]}, "n": counts}, ["w", "n"]), "200KiB")
            result = self.open()
            blocks.append(result["profile/stages/blocks"][0])
            expected = warped(made["a"], made["u"], made["v"])
            self.check_same(result["s/w"][()], expected)
            self.assertEqual(list(result["s/n"]), list(numpy.histogram(expected.astype(float), 4, (0, 1))[0]))
        self.assertGreater(blocks[1], 1.5 * blocks[0])

    def test_displacements_beyond_the_budget_are_named(self):
        inputs, made = self.arrays(-300, 600)
        ended = self.terrace("run", self.write_job(inputs, [graph({"w": {"warp": "a", "by": ["u", "v"]}}, "w")],
                                                   memory={"host": "8MiB", "device": "160KiB"}), "--fresh=all",
                             expect=FAILED)
        self.assertSays(ended, "node 'w' moves rows by -299.", " to 599.", "one row of it needs 800 rows of its array",
                        "the budget is 160 KiB")
        # With more memory the same run goes on.
        self.terrace("run", "job.yaml", "--set", "memory.device=4MiB")
        result = self.open()
        self.check_same(result["s/w"][()], warped(made["a"], made["u"], made["v"]))
        self.assertEqual(result["profile/stages/repeated"][0], 0)

    def test_displacements_that_nodes_make(self):
        inputs, made = self.arrays(-3, 3)
        nodes = {"v2": {"scale": "v", "factor": 2, "offset": 1}, "b": {"box_sum": "a", "radius": 1},
                 "w": {"warp": "b", "by": ["u", "v2"]}, "w2": {"warp": "w", "by": ["v2", "v"]}}
        self.run_cut(inputs, graph(nodes, ["w", "w2"], boundary="edge"), "400KiB")
        result = self.open()
        self.assertGreater(result["profile/stages/blocks"][0], 20)
        wide = numpy.pad(made["a"], 1, mode="edge")
        rows, columns = self.SHAPE
        sums = [(wide[i:i + rows, :columns] + wide[i:i + rows, 1:1 + columns]) + wide[i:i + rows, 2:2 + columns]
                for i in range(3)]
        v2 = made["v"] * F(2) + F(1)
        w = warped((sums[0] + sums[1]) + sums[2], made["u"], v2)
        self.check_same(result["s/w"][()], w)
        self.check_same(result["s/w2"][()], warped(w, v2, made["v"]))

    def test_displacements_that_iterations_make(self):
        inputs, _ = self.arrays(-3, 3)
        step = {"n": {"formula": "0.5*x + 0.25*(x[-1,0] + x[1,0])", "operands": {"x": "x"}, "boundary": "edge"}}
        nodes = {"i": {"iterate": {"state": {"x": "v"}, "nodes": step, "next": {"x": "n"}}, "times": 5},
                 "w": {"warp": "a", "by": ["u", "i/x"]}}
        self.run_cut(inputs, graph(nodes, "w"), "400KiB")
        cut = self.open()["s/w"][()]
        whole = self.run_job(inputs, [graph(nodes, "w")], "--fresh=all", output="whole.h5")
        self.check_same(cut, whole["s/w"][()])

    def test_displacements_that_are_not_numbers(self):
        inputs, made = self.arrays(-3, 3)
        nodes = {"hole": {"formula": "if(j < 3, (v - v) / 0.0, v)", "operands": {"v": "v"}},
                 "w": {"warp": "a", "by": ["u", "hole"]}}
        self.run_cut(inputs, graph(nodes, "w"), "200KiB")
        found = self.open()["s/w"][()]
        self.assertTrue(numpy.isnan(found[:, :3]).all())
        self.check_same(found[:, 3:], warped(made["a"], made["u"], made["v"])[:, 3:])

    def test_a_killed_run_goes_on(self):
        inputs = {name: {"generate": "uniform", "shape": [3000, 200], "type": "f32", "minimum": -9, "maximum": 9,
                         "seed": seed} for seed, name in enumerate(("a", "u", "v"))}
        nodes = {"w": {"warp": "a", "by": ["u", "v"]}, "w2": {"warp": "w", "by": ["u", "w"]},
                 "top": {"reduce": "w2", "with": "maximum"}, "n": {"histogram": "w2", "range": [-9, 9]}}
        self.check_survives_kills(inputs, graph(nodes, ["w2", "top", "n"]), "w2", "top", "n",
                                  memory={"host": "9MiB", "device": "512KiB"})

    def test_plans_say_what_is_done_twice(self):
        inputs = {"a": {"generate": "uniform", "shape": [4000, 64], "type": "f32"}}
        job = self.write_job(inputs, [graph({"x": {"box_sum": "a", "radius": 16}}, "x")], memory={"device": "64KiB"})
        self.assertRegex(self.terrace("plan", job).stdout, r"[0-9.]+% of the work is done again in other slabs")
        self.assertNotIn("done again", self.terrace("plan", job, "--set", "memory.device=1GiB").stdout)


if __name__ == "__main__":
    main()
