"""Graphs that problems make: corners and blends, beside SciPy's or NumPy's."""
from kernel_graph_test import blended, harris
from terrace_runs import WRONG, JobTest, main, numpy

try:
    from scipy import ndimage
except ImportError:
    ndimage = None

MODES = {"symmetric": "reflect", "edge": "nearest", "reflect": "mirror", "periodic": "wrap"}  # as ndimage calls them


def response_of_scipy(image, k, boundary):
    """In f64; ndimage's sobel is eight times ours."""
    mode = MODES[boundary]
    gx, gy = (ndimage.sobel(image, axis, mode=mode) / 8 for axis in (1, 0))
    a, c, b = (9 * ndimage.uniform_filter(product, 3, mode=mode) for product in (gx * gx, gx * gy, gy * gy))
    return a * b - c * c - k * (a + b) ** 2


class Problems(JobTest):
    always = {"backend": "cpu"}

    def problem(self, name, inputs, **settings):
        made = {}
        for key, array in inputs.items():
            made[key] = {"npy": self.write(f"{key}.npy", array)}
            settings.setdefault(key, key)
        stage = {"name": "s", "kernel_graph": {"problem": name, **settings}}
        return self.run_job(made, [stage], "--fresh=all")

    def test_harris(self):
        image = numpy.random.default_rng(2).random((73, 58))
        for boundary in MODES:
            made = self.problem("harris", {"source": image}, k=0.05, boundary=boundary)["s/response"][()]
            self.assertTrue(numpy.array_equal(made, harris(image, 0.05, boundary)))
            if ndimage is None:
                continue
            expected = response_of_scipy(image, 0.05, boundary)
            self.assertLess(abs(made - expected).max(), 1e-12 * abs(expected).max())

    def test_blends(self):
        draw = numpy.random.default_rng(1)
        arrays = {name: draw.random((45, 38)) for name in ("left", "right", "mask")}
        for levels in (1, 2, 4):
            made = self.problem("blend", arrays, levels=levels)["s/image"][()]
            self.assertTrue(numpy.array_equal(made, blended(*arrays.values(), levels)))

    def test_a_blend_by_0_or_1_is_one_image_to_the_bit(self):
        draw = numpy.random.default_rng(1)
        for mask in (0, 1):
            arrays = {name: draw.integers(0, 256, (53, 70)).astype(numpy.uint8) for name in ("left", "right")}
            arrays["mask"] = numpy.full((53, 70), mask, numpy.float32)
            made = self.problem("blend", arrays, levels=2, stored_as="u8")["s/image"]
            self.assertEqual(made.dtype, numpy.uint8)
            self.assertTrue(numpy.array_equal(made, arrays[("left", "right")[mask]]))

    def test_a_killed_run_goes_on(self):
        inputs = {name: {"generate": "uniform", "shape": [1200, 500], "type": "f32", "seed": seed}
                  for seed, name in enumerate(("left", "right", "mask"))}
        stage = {"name": "s", "kernel_graph": {"problem": "blend", "levels": 4, **{name: name for name in inputs}}}
        self.check_survives_kills(inputs, stage, "image", memory={"host": "24MiB", "device": "4MiB"})


class WrongProblems(JobTest):
    always = {"backend": "cpu"}

    def refused(self, settings, *parts):
        inputs = {name: {"generate": "uniform", "shape": shape, "type": "f32"}
                  for name, shape in (("a", [20, 30]), ("b", [20, 31]), ("c", [19, 30]))}
        job = self.write_job(inputs, [{"name": "s", "kernel_graph": settings}])
        self.assertSays(self.terrace("plan", job, expect=WRONG), "job.yaml:", *parts)

    def test_images_of_several_sizes(self):
        self.refused({"problem": "blend", "left": "a", "right": "b", "mask": "c", "levels": 9},
                     "'right' is 20 x 31, and 'left' 20 x 30", "'mask' is 19 x 30", "an image of 20 x 30 has 6 levels at most")

    def test_names_of_problems_and_keys(self):
        self.refused({"problem": "haris", "source": "a"}, "did you mean 'harris'")
        self.refused({"problem": "harris"}, "needs 'source'")
        self.refused({"source": "a"}, "'source'", "it belongs to harris")
        self.refused({"problem": "harris", "source": "a", "k": 1e39, "boundary": {"value": -1e39}},
                     "`k` is 1e+39, which is too large for f32", "`boundary.value` is -1e+39, which is too large")
        self.refused({"problem": "harris", "source": "a", "nodes": {"x": {"scale": "a"}}}, "it belongs to graph, not to harris")


if __name__ == "__main__":
    main()
