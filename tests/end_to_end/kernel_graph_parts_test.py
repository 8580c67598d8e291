"""Graphs in several parts: numbers of whole arrays, counts, and nodes that take such numbers."""
from kernel_graph_test import HARRIS, graph, harris
from terrace_runs import WRONG, JobTest, main, numpy

CORNERS = {**HARRIS, "top": {"reduce": "response", "with": "maximum"},
           "corners": {"threshold": "response", "below": {"of": "top", "times": 0.01}}}


def total(array):
    """The sum of `reduce`: of a row 32 sums of every 32nd column, folded by halves; then the rows in order."""
    rows, columns = array.shape
    wide = numpy.zeros((rows, -(-columns // 32), 32))
    wide.reshape(rows, -1)[:, :columns] = array
    parts = numpy.zeros((rows, 32))
    for number in range(wide.shape[1]):
        parts = parts + wide[:, number]
    while parts.shape[1] > 1:
        half = parts.shape[1] // 2
        parts = parts[:, :half] + parts[:, half:]
    everything = 0.0
    for row in parts[:, 0]:
        everything += row
    return everything


class Reductions(JobTest):
    always = {"backend": "cpu"}

    def test_are_those_of_numpy(self):
        for dtype, shape in ((numpy.float32, (61, 100)), (numpy.float64, (40, 31)), (numpy.uint8, (33, 32))):
            with self.subTest(dtype=dtype, shape=shape):
                draw = numpy.random.default_rng(7)
                image = (draw.integers(0, 256, shape) if dtype == numpy.uint8 else draw.normal(size=shape)).astype(dtype)
                values = image.astype(numpy.float32) / numpy.float32(255) if dtype == numpy.uint8 else image
                nodes = {name: {"reduce": "image", "with": name} for name in ("minimum", "maximum", "sum")}
                nodes["counts"] = {"histogram": "image", "bins": 16, "range": [-1, 2]}
                nodes["every"] = {"histogram": "image"}
                result = self.run_job({"image": {"npy": self.write("image.npy", image)}},
                                      [graph("s", nodes, list(nodes))], "--fresh=all")
                self.assertEqual(result["s/minimum"][()], values.min())
                self.assertEqual(result["s/maximum"][()], values.max())
                self.assertEqual(result["s/sum"][()], total(values.astype(numpy.float64)))
                self.assertEqual(result["s/sum"].shape, ())
                wide = values.astype(numpy.float64)
                for name, bins, ends in (("counts", 16, (-1, 2)), ("every", 256, (0, 1))):
                    self.assertEqual(result[f"s/{name}"].dtype, numpy.int64)
                    self.assertEqual(list(result[f"s/{name}"]), list(numpy.histogram(wide, bins, ends)[0]))

    def test_nodes_take_their_numbers(self):
        for dtype in (numpy.float32, numpy.float64):
            image = numpy.random.default_rng(3).random((50, 70)).astype(dtype)
            nodes = {**CORNERS, "count": {"histogram": "corners", "bins": 2, "range": [0, 1e9]},
                     "all": {"reduce": "corners", "with": "sum"},
                     "large": {"threshold": "corners", "below": {"of": "all"}}}
            result = self.run_job({"image": {"npy": self.write("image.npy", image)}},
                                  [graph("s", nodes, ["top", "corners", "all", "large", "count"])], "--fresh=all")
            response = harris(image, 0.05)
            below = dtype(float(response.max()) * 0.01)
            corners = numpy.where(response < below, 0, response)
            self.assertEqual(result["s/top"][()], response.max())
            self.assertTrue(numpy.array_equal(result["s/corners"][()], corners))
            self.assertEqual(result["s/all"][()], total(corners.astype(numpy.float64)))
            self.assertTrue(numpy.array_equal(result["s/large"][()], numpy.where(corners < result["s/all"][()], 0, corners)))
            self.assertEqual(list(result["s/count"]), [corners.size, 0])

    def test_slabs_of_any_height_give_the_same(self):
        inputs = {"image": {"generate": "uniform", "shape": [3001, 700], "type": "f32", "seed": 4}}
        nodes = {**CORNERS, "sum": {"reduce": "response", "with": "sum"}, "bins": {"histogram": "gx", "range": [-1, 1]},
                 "small": {"pyramid_down": "corners", "type": "u16"}}
        stage = graph("s", nodes, ["response", "small", "top", "sum", "bins"])
        whole = self.run_job(inputs, [stage], "--fresh=all", output="whole.h5")
        job = self.write_job(inputs, [stage], output="cut.h5", memory={"host": "10MiB", "device": "1MiB"})
        self.terrace("run", job, "--fresh=all")
        cut = self.open("cut.h5")
        self.assertGreater(cut["profile/stages/blocks"][0], 2 * whole["profile/stages/blocks"][0])
        for name in ("response", "small", "top", "sum", "bins"):
            self.assertTrue(numpy.array_equal(whole[f"s/{name}"][()], cut[f"s/{name}"][()]), name)

    def test_the_least_budget_is_named_and_suffices(self):
        nodes = {**CORNERS, "bins": {"histogram": "image"}}
        job = self.write_job({"image": {"generate": "uniform", "shape": [400, 3000], "type": "f32"}},
                             [graph("s", nodes, ["corners", "bins"])], memory={"host": "4MiB", "device": "8KiB"})
        self.check_least_budgets(job, "memory.device")

    def test_a_killed_run_goes_on(self):
        inputs = {"image": {"generate": "uniform", "shape": [1200, 500], "type": "f32", "seed": 4}}
        nodes = {**CORNERS, "sum": {"reduce": "response", "with": "sum"}, "bins": {"histogram": "gx", "range": [-1, 1]}}
        self.check_survives_kills(inputs, graph("s", nodes, ["corners", "top", "sum", "bins"]), "corners", "top", "sum",
                                  "bins", memory={"host": "9MiB", "device": "512KiB"})

    def test_plans_name_the_parts(self):
        job = self.write_job({"image": {"generate": "uniform", "shape": [40, 30], "type": "u8", "maximum": 9}},
                             [graph("s", CORNERS, "corners")])
        said = self.terrace("plan", "--explain", job).stdout
        for part in ("graph: 11 nodes", "top: reduce of response", "in 2 parts"):
            self.assertIn(part, said)


class WrongReductions(JobTest):
    always = {"backend": "cpu"}

    def refused(self, nodes, keep, *parts):
        inputs = {name: {"generate": "uniform", "shape": [20, 30], "type": "f32"} for name in ("image", "other")}
        said = self.terrace("plan", self.write_job(inputs, [graph("s", nodes, keep)]), expect=WRONG)
        self.assertSays(said, "job.yaml:", *parts)
        return said

    def test_parts_with_more_than_a_part_may_have(self):
        many = {f"n{number}": {"reduce": "image", "with": "sum"} for number in range(9)}
        self.refused(many, list(many), "stage 's': a part of the graph, which is computed at a time, makes 9 reductions "
                     "and may have 8: numbers and lists; make some of them in a stage of their own")
        kept = {f"n{number}": {"scale": "image", "factor": number} for number in range(15)}
        later = {"top": {"reduce": "n0", "with": "maximum"}, "sum1": {"add": ["n0", "n1"]}}
        for number in range(2, 15):
            later[f"sum{number}"] = {"add": [f"sum{number - 1}", f"n{number}"]}
        later["cut"] = {"threshold": "sum14", "below": {"of": "top"}}
        later["all"] = {"mix": ["cut", "image"], "mask": "other"}
        self.refused({**kept, **later}, [*kept, "all"], "stage 's': a part of the graph, which is computed at a time, "
                     "reads 17 arrays and may have 16: inputs, and what nodes of earlier parts keep or store")

    def test_keep_that_names_nothing(self):
        said = self.refused({"x": {"scale": "image"}}, [], "`keep` names no node")
        self.assertNotIn("no kept node depends on", said.stderr)

    def test_a_node_with_the_name_of_an_input(self):
        self.refused({"image": {"scale": "image"}}, "image", "'image' is a node and an input: rename the node")

    def test_numbers_are_no_arrays(self):
        self.refused({"n": {"reduce": "image", "with": "sum"}, "x": {"scale": "n"}}, "x", "'n' is no array: it is a number")
        self.refused({"n": {"histogram": "image"}, "x": {"add": ["image", "n"]}}, "x", "'n' is no array: it is counts")

    def test_arrays_are_no_numbers(self):
        for other in ({"scale": "image"}, {"histogram": "image"}):
            self.refused({"n": other, "x": {"threshold": "image", "below": {"of": "n"}}}, "x", "'n' is no number")
        self.refused({"x": {"threshold": "image", "below": {"of": "m"}}}, "x", "there is no node or input 'm'")
        self.refused({"x": {"threshold": "image", "below": {"times": 2}}}, "x", "nodes.x.below.of")

    def test_numbers_that_depend_on_themselves(self):
        self.refused({"n": {"reduce": "x", "with": "sum"}, "x": {"threshold": "image", "below": {"of": "n"}}}, "x",
                     "nodes depend on themselves: x <- n <- x")

    def test_keys_that_reductions_do_not_take(self):
        self.refused({"n": {"reduce": "image"}}, "n", "`reduce` needs `with`")
        self.refused({"n": {"reduce": "image", "with": "sum", "type": "f32"}}, "n", "a number has no `type`")
        self.refused({"n": {"reduce": "image", "with": "sum", "bins": 3}}, "n", "`reduce` takes no `bins`")
        for boundary in ("edge", {"value": 0}):
            self.refused({"n": {"reduce": "image", "with": "sum", "boundary": boundary}}, "n",
                         "`reduce` takes no `boundary`")
        self.refused({"n": {"reduce": "image", "with": "sum"}, "x": {"scale": "image", "below": {"of": "n"}}}, "x",
                     "`scale` takes no `below`")
        self.refused({"n": {"histogram": "image", "range": [1, 0]}}, "n", "`range` is two numbers, the lower first")
        self.refused({"n": {"reduce": "image", "with": "sum"}, "x": {"scale": "image", "factor": {"of": "n"}}}, ["x", "n"],
                     "factor")


if __name__ == "__main__":
    main()
