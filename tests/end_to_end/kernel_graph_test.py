"""Graphs of kernels: against NumPy, at any budget, after kills, and wrong ones."""
from terrace_runs import FAILED, WRONG, JobTest, main, numpy

PADS = {"symmetric": "symmetric", "edge": "edge", "reflect": "reflect", "periodic": "wrap"}


def graph(name, nodes, keep, **settings):
    return {"name": name, "kernel_graph": {"nodes": nodes, "keep": keep, **settings}}


def padded(array, radius, boundary="symmetric"):
    if isinstance(boundary, dict):
        return numpy.pad(array, radius, mode="constant", constant_values=boundary["value"])
    return numpy.pad(array, radius, mode=PADS[boundary])


def shifted(array, radius, boundary="symmetric"):
    """A function that gives the array with its rows and columns moved."""
    wide = padded(array, radius, boundary)
    rows, columns = array.shape
    return lambda i, j: wide[radius + i:radius + i + rows, radius + j:radius + j + columns]


def sobel(array, axis, boundary="symmetric"):
    at = shifted(array, 1, boundary)
    move = (lambda along, across: at(across, along)) if axis == "x" else at
    parts = [move(1, across) - move(-1, across) for across in (-1, 0, 1)]
    return ((parts[0] + 2 * parts[1]) + parts[2]) / 8


def box_sum(array, radius, boundary="symmetric"):
    at = shifted(array, radius, boundary)
    total = 0
    for i in range(-radius, radius + 1):
        row = at(i, -radius)
        for j in range(1 - radius, radius + 1):
            row = row + at(i, j)
        total = row if i == -radius else total + row
    return total


def harris(image, k, boundary="symmetric"):
    gx, gy = sobel(image, "x", boundary), sobel(image, "y", boundary)
    xx, xy, yy = (box_sum(product, 1, boundary) for product in (gx * gx, gx * gy, gy * gy))
    trace = xx + yy
    return (xx * yy - xy * xy) - image.dtype.type(k) * (trace * trace)


HARRIS = {"gx": {"sobel": "image", "axis": "x"}, "gy": {"sobel": "image", "axis": "y"}, "xx": {"product": ["gx", "gx"]},
          "xy": {"product": ["gx", "gy"]}, "yy": {"product": ["gy", "gy"]}, "sxx": {"box_sum": "xx"},
          "sxy": {"box_sum": "xy"}, "syy": {"box_sum": "yy"}, "response": {"harris": ["sxx", "sxy", "syy"], "k": 0.05}}


def down(array):
    wide = padded(array, 2)
    rows, columns = (array.shape[0] + 1) // 2, (array.shape[1] + 1) // 2

    def weighted(parts):
        return (((parts[0] + 4 * parts[1]) + 6 * parts[2]) + 4 * parts[3]) + parts[4]

    at = lambda i, j: wide[i:i + 2 * rows - 1:2, j:j + 2 * columns - 1:2]
    return weighted([weighted([at(i, j) for j in range(5)]) for i in range(5)]) / 256


def up(array, shape):
    def along(values, size):
        wide = numpy.pad(values, [(1, 1)] + [(0, 0)] * (values.ndim - 1), mode="symmetric")
        made = numpy.empty((size,) + values.shape[1:], values.dtype)
        made[0::2] = ((wide[:-2] + 6 * wide[1:-1]) + wide[2:])[:len(made[0::2])]
        made[1::2] = (4 * (wide[1:-1] + wide[2:]))[:len(made[1::2])]
        return made

    return along(along(array.T, shape[1]).T, shape[0]) / 64


def blend_nodes(levels):
    """The Laplacian pyramids of left and right, mixed by the Gaussian one of the mask."""
    nodes = {}
    for level in range(1, levels):
        for side in ("left", "right", "mask"):
            before = side if level == 1 else f"{side}{level - 1}"
            nodes[f"{side}{level}"] = {"pyramid_down": before}
    name = lambda side, level: side if level == 0 else f"{side}{level}"
    last = levels - 1
    nodes[f"mixed{last}"] = {"mix": [name("left", last), name("right", last)], "mask": name("mask", last)}
    for level in range(last - 1, -1, -1):
        for side in ("left", "right"):
            nodes[f"{side}_up{level}"] = {"pyramid_up": name(side, level + 1), "like": name(side, level)}
            nodes[f"{side}_details{level}"] = {"subtract": [name(side, level), f"{side}_up{level}"]}
        nodes[f"details{level}"] = {"mix": [f"left_details{level}", f"right_details{level}"], "mask": name("mask", level)}
        nodes[f"back{level}"] = {"pyramid_up": f"mixed{level + 1}", "like": name("left", level)}
        nodes[f"mixed{level}"] = {"add": [f"back{level}", f"details{level}"]}
    return nodes


def blended(left, right, mask, levels):
    if levels == 1:
        return left * (1 - mask) + right * mask
    small = blended(down(left), down(right), down(mask), levels - 1)
    details = [image - up(down(image), image.shape) for image in (left, right)]
    return up(small, left.shape) + (details[0] * (1 - mask) + details[1] * mask)


class KernelGraphs(JobTest):
    always = {"backend": "cpu"}

    def image(self, name, shape, dtype=numpy.float32, seed=1):
        draw = numpy.random.default_rng(seed)
        values = draw.integers(0, 256, shape) if dtype == numpy.uint8 else draw.random(shape)
        values = values.astype(dtype)
        return {"npy": self.write(f"{name}.npy", values)}, values

    def test_schedules_of_gpus_are_named_on_the_cpu(self):
        source, image = self.image("image", (61, 47))
        for schedule in ("ktiler", "fused", "streamed"):
            stage = graph("s", HARRIS, "response", schedule=schedule)
            ended = self.terrace("run", self.write_job({"image": source}, [stage]), "--fresh=all")
            self.assertSays(ended, f"stage 's': schedule '{schedule}' is one of GPUs; on cpu 'plain' computes it")
        ended = self.terrace("run", self.write_job({"image": source}, [graph("s", HARRIS, "response", schedule="plain")]),
                             "--fresh=all")
        self.assertNotIn("schedule", ended.stderr)

    def test_corners_are_those_of_numpy(self):
        for dtype, boundary in ((numpy.float32, "symmetric"), (numpy.float64, "reflect"), (numpy.float64, "periodic"),
                                (numpy.float32, {"value": 0.5})):
            with self.subTest(dtype=dtype, boundary=boundary):
                source, image = self.image("image", (61, 47), dtype)
                nodes = {**HARRIS, "corners": {"threshold": "response", "below": 0.001}}
                stage = graph("s", nodes, ["response", "corners"], boundary=boundary)
                result = self.run_job({"image": source}, [stage], "--fresh=all")
                expected = harris(image, 0.05, boundary)
                self.assertEqual(result["s/response"].dtype, dtype)
                if boundary == {"value": 0.5}:  # of products, too
                    expected, found = expected[3:-3, 3:-3], result["s/response"][3:-3, 3:-3]
                    self.assertTrue(numpy.array_equal(found, expected))
                    continue
                self.assertTrue(numpy.array_equal(result["s/response"][()], expected))
                corners = numpy.where(expected < dtype(0.001), 0, expected)
                self.assertTrue(numpy.array_equal(result["s/corners"][()], corners))

    def test_blends_are_those_of_numpy(self):
        inputs, arrays = {}, []
        for number, name in enumerate(("left", "right", "mask")):
            inputs[name], values = self.image(name, (45, 38), numpy.float64, number)
            arrays.append(values)
        result = self.run_job(inputs, [graph("s", blend_nodes(4), "mixed0")])
        self.assertTrue(numpy.array_equal(result["s/mixed0"][()], blended(*arrays, 4)))

    def test_a_blend_by_0_or_1_is_one_image_to_the_bit(self):
        inputs, arrays = {}, []
        for number, name in enumerate(("left", "right")):
            inputs[name], values = self.image(name, (53, 70), numpy.uint8, number)
            arrays.append(values)
        for mask in (0, 1):
            inputs["mask"] = {"generate": "uniform", "shape": [53, 70], "type": "f32", "minimum": mask, "maximum": mask}
            nodes = blend_nodes(2)
            nodes["mixed0"]["type"] = "u8"
            result = self.run_job(inputs, [graph("s", nodes, "mixed0")], "--fresh=all")
            self.assertEqual(result["s/mixed0"].dtype, numpy.uint8)
            self.assertTrue(numpy.array_equal(result["s/mixed0"][()], arrays[mask]))

    def test_answers_that_are_known(self):
        """The gradient of a ramp is constant; a sum of whole numbers over squares does not depend on their order."""
        rows, columns = 30, 50
        ramp = numpy.add.outer(3.0 * numpy.arange(rows), 2.0 * numpy.arange(columns))
        draw = numpy.random.default_rng(5).integers(0, 100, (rows, columns)).astype(numpy.float64)
        arrays = {"ramp": ramp, "a": draw, "b": numpy.ascontiguousarray(draw.T)}
        inputs = {name: {"npy": self.write(f"{name}.npy", array)} for name, array in arrays.items()}
        result = self.run_job(inputs, [
            graph("slope", {"x": {"sobel": "ramp", "axis": "x"}, "y": {"sobel": "ramp", "axis": "y"}}, ["x", "y"]),
            graph("sums", {"s": {"box_sum": "a", "radius": 4}}, "s"),
            graph("turned", {"s": {"box_sum": "b", "radius": 4}}, "s"),
            graph("again", {"s": {"scale": "d", "factor": 2}}, "s", inputs={"d": "sums/s"})])
        self.assertEqual(set(result["slope/x"][:, 1:-1].ravel()), {2})
        self.assertEqual(set(result["slope/y"][1:-1].ravel()), {3})
        self.assertTrue(numpy.array_equal(result["sums/s"][()], result["turned/s"][()].T))
        self.assertTrue(numpy.array_equal(result["again/s"][()], 2 * result["sums/s"][()]))

    def test_stencils_scales_and_warps(self):
        source, image = self.image("image", (20, 33), numpy.float64)
        inputs = {"image": source,
                  "u": {"generate": "uniform", "shape": [20, 33], "type": "f64", "minimum": 0.5, "maximum": 0.5},
                  "v": {"generate": "uniform", "shape": [20, 33], "type": "f64", "minimum": -1, "maximum": -1}}
        nodes = {"edges": {"stencil": "image", "coefficients": [[0, -1, 0], [-1, 4, -1]]},
                 "smooth": {"stencil": "image", "rows": [1], "columns": [0.25, 0.5, 0.25], "boundary": "periodic"},
                 "half": {"downscale": "image"}, "twice": {"upscale": "half", "like": "image"},
                 "moved": {"warp": "image", "by": ["u", "v"]}, "mixed": {"mix": ["image", "moved"], "mask": "u"}}
        nodes["edges"]["coefficients"].append([0, -1, 0])
        result = self.run_job(inputs, [graph("s", nodes, list(nodes))])
        at = shifted(image, 1)
        edges = (((0 * at(-1, -1) - at(-1, 0)) - at(0, -1)) + 4 * image - at(0, 1)) - at(1, 0)
        self.assertTrue(numpy.array_equal(result["s/edges"][()], edges))
        self.assertTrue(numpy.array_equal(result["s/smooth"][()],
                                          0.25 * numpy.roll(image, 1, 1) + 0.5 * image + 0.25 * numpy.roll(image, -1, 1)))
        a = image[:20, :32]
        half = (a[::2, ::2] + a[1::2, ::2] + a[::2, 1::2] + a[1::2, 1::2]) / 4
        self.assertTrue(numpy.array_equal(result["s/half"][()], half))
        self.assertEqual(result["s/twice"].shape, (20, 33))
        self.assertEqual(result["s/twice"][4, 6], ((half[1, 2] * .25) * .25 + (half[1, 3] * .75) * .25
                                                   + (half[2, 2] * .25) * .75) + (half[2, 3] * .75) * .75)
        above = shifted(image, 1)
        moved = above(-1, 0) * 0.5 + above(-1, 1) * 0.5
        self.assertTrue(numpy.array_equal(result["s/moved"][()], moved))
        self.assertTrue(numpy.array_equal(result["s/mixed"][()], image * 0.5 + moved * 0.5))

    def test_slabs_of_any_height_give_the_same(self):
        inputs = {"image": {"generate": "uniform", "shape": [3001, 700], "type": "f32", "seed": 4}}
        nodes = {**HARRIS, "small": {"pyramid_down": "response"}, "tiny": {"downscale": "small", "type": "u8"}}
        for boundary in ("symmetric", "periodic"):
            stage = graph("s", nodes, ["response", "small", "tiny", "gx"], boundary=boundary)
            whole = self.run_job(inputs, [stage], "--fresh=all", output="whole.h5")
            job = self.write_job(inputs, [stage], output="cut.h5", memory={"host": "10MiB", "device": "1MiB"})
            self.terrace("run", job, "--fresh=all")
            cut = self.open("cut.h5")
            self.assertGreater(cut["profile/stages/blocks"][0], 20)
            for name in ("response", "small", "tiny", "gx"):
                self.assertTrue(numpy.array_equal(whole[f"s/{name}"][()], cut[f"s/{name}"][()]), name)

    def test_the_least_budget_is_named_and_suffices(self):
        job = self.write_job({"image": {"generate": "uniform", "shape": [400, 3000], "type": "f32"}},
                             [graph("s", HARRIS, "response")], memory={"host": "4MiB", "device": "8KiB"})
        self.check_least_budgets(job, "memory.device")

    def test_slabs_with_wide_halos_run_where_the_plan_holds(self):
        inputs = {"image": {"generate": "uniform", "shape": [100, 20000], "type": "f32", "seed": 1}}
        stage = graph("s", {"x": {"box_sum": "image", "radius": 16}}, "x")
        whole = self.run_job(inputs, [stage], output="whole.h5")["s/x"][()]
        for host in (9, 10, 11, 12, 13, 14, 16, 20):
            job = self.write_job(inputs, [stage], output="cut.h5", memory={"host": f"{host}MiB"})
            self.terrace("run", job, "--fresh=all")
            self.assertTrue(numpy.array_equal(self.open("cut.h5")["s/x"][()], whole), host)

    def test_a_killed_run_goes_on(self):
        inputs = {"image": {"generate": "uniform", "shape": [1200, 500], "type": "f32", "seed": 4}}
        self.check_survives_kills(inputs, graph("s", HARRIS, ["response", "gx"]), "response", "gx",
                                  memory={"host": "9MiB", "device": "512KiB"})

    def test_a_nan_is_an_error_that_names_the_pixel(self):
        source, image = self.image("image", (9, 8))
        image[4, 3] = numpy.nan
        self.write("image.npy", image)
        job = self.write_job({"image": source}, [graph("s", {"g": {"sobel": "image", "axis": "x"}}, "g")])
        self.assertSays(self.terrace("run", job, expect=FAILED), "row 4, column 3", "is NaN", "image.npy")

    def test_plans_print_the_graph(self):
        job = self.write_job({"image": {"generate": "uniform", "shape": [40, 30], "type": "u8", "maximum": 9}},
                             [graph("s", HARRIS, "response")])
        said = self.terrace("plan", "--explain", job).stdout
        for part in ("graph: 9 nodes, 1 input, computed in f32", "response: harris of sxx, sxy, syy, 40 x 30", "plain"):
            self.assertIn(part, said)


class WrongGraphs(JobTest):
    always = {"backend": "cpu"}

    def refused(self, nodes, keep, *parts, shape=(20, 30), **settings):
        inputs = {"image": {"generate": "uniform", "shape": list(shape), "type": "f32"},
                  "other": {"generate": "uniform", "shape": [20, 31], "type": "f32"}}
        used = {"o": {"scale": "other"}}
        job = self.write_job(inputs, [graph("s", {**nodes, **used}, [*([keep] if isinstance(keep, str) else keep), "o"],
                                            **settings)])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", *parts)

    def test_names_that_there_are_not(self):
        self.refused({"gx": {"sobel": "imag", "axis": "x"}, "g": {"add": ["gx", "gz"]}}, ["g", "h"],
                     "there is no node or input 'gz'", "did you mean 'gx'", "there is no node or input 'imag'",
                     "there is no node 'h'")
        self.refused({"g": {"sobl": "image"}}, "g", "unknown key 'sobl'", "did you mean 'sobel'")

    def test_arrays_where_a_number_is_wanted(self):
        self.refused({"t": {"threshold": "image", "below": {"of": "image"}}}, "t", "'image' is no number")
        self.refused({"g": {"scale": "image"}, "t": {"threshold": "g", "below": {"of": "g"}}}, "t", "'g' is no number")

    def test_names_of_axes_of_other_nodes(self):
        self.refused({"x": {"scale": "image"}, "x_row": {"scale": "image"}}, ["x", "x_row"],
                     "node 'x_row' has the name of an axis of node 'x'")

    def test_numbers_that_f32_does_not_hold(self):
        self.refused({"x": {"scale": "image", "factor": 1e39}}, "x", "node 'x': 1e+39 is too large for f32")

    def test_boundaries_of_operators_that_read_nothing_outside(self):
        self.refused({"x": {"scale": "image", "boundary": "edge"}}, "x", "node 'x': `scale` takes no `boundary`")

    def test_cycles_are_printed(self):
        self.refused({"a": {"add": ["image", "c"]}, "b": {"scale": "a"}, "c": {"scale": "b"}}, "c",
                     "nodes depend on themselves: c <- b <- a <- c")

    def test_nodes_that_nobody_uses(self):
        self.refused({"a": {"scale": "image"}, "b": {"scale": "image"}}, "a", "no kept node depends on node 'b'")

    def test_shapes_that_do_not_fit(self):
        self.refused({"a": {"add": ["image", "other"]}, "b": {"stencil": "image", "rows": [1] * 7, "columns": [1]},
                      "c": {"upscale": "image", "like": "other"}}, ["a", "b", "c"], "20 x 30 and 20 x 31",
                     "'upscale' of an array of 20 x 30 does not have the shape 20 x 31", shape=(20, 30))
        self.refused({"b": {"stencil": "image", "rows": [1] * 7, "columns": [1]}}, "b",
                     "its neighbourhood of 7 x 1 has a radius beyond the rows or columns of an array of 2 x 30",
                     shape=(2, 30))
        self.refused({"a": {"downscale": "image"}}, "a", "an array of 1 x 30 is too small for 'downscale'", shape=(1, 30))
        self.refused({"a": {"scale": "image"}}, "a", "a graph reads arrays of rows and columns", shape=(3, 20, 30))

    def test_arrays_that_are_too_large(self):
        nodes = {"n0": {"upscale": "image"}, **{f"n{n}": {"upscale": f"n{n - 1}"} for n in range(1, 25)}}
        self.refused({**nodes, "all": {"reduce": "n24", "with": "sum"}}, "all",
                     "node 'n19': its array of 20971520 x 31457280 is too large: arrays of a graph have at most "
                     "1073741824 rows, as many columns and 281474976710656 cells")

    def test_parameters_that_do_not_fit(self):
        self.refused({"a": {"threshold": "image"}, "b": {"scale": "image", "axis": "x"}, "c": {"mix": ["image", "image"]},
                      "d": {"add": "image"}, "e": {"factor": 2}, "f": {"add": ["image", "image"], "scale": "image"},
                      "g": {"stencil": "image", "coefficients": [[1, 2], [3, 4]]}, "h": {"stencil": "image"}},
                     list("abcdefgh"), "`threshold` needs `below`", "`scale` takes no `axis`", "`mix` needs `mask`",
                     "`add` takes 2 arrays, not 1", "it has no operator", "it has several operators, add, scale",
                     "have 2 rows; give an odd number", "`stencil` needs `coefficients`, or `rows` and `columns`")
        self.refused({"a": {"scale": "image"}, "b": {"scale": "a", "type": "u8"}, "c": {"scale": "b"}}, ["c", "c"],
                     "node 'c' is kept twice", "node 'b' is not kept")


if __name__ == "__main__":
    main()
