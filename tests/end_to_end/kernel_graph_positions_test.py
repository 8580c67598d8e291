"""Lists of positions, whose length is found during the run: corners of Harris and Stephens beside NumPy and SciPy."""
from kernel_graph_problems_test import MODES, ndimage, response_of_scipy
from kernel_graph_test import graph, harris
from terrace_runs import FAILED, WRONG, JobTest, main, numpy


def corners_of(response, threshold, boundary="symmetric"):
    """Rows and columns, in row-major order."""
    below = response.dtype.type(float(response.max()) * threshold)
    strong = numpy.where(response < below, response.dtype.type(0), response)
    wide = numpy.pad(strong, 1, mode="wrap" if boundary == "periodic" else "edge")
    rows, columns = strong.shape
    largest = numpy.max([wide[i:i + rows, j:j + columns] for i in range(3) for j in range(3)], axis=0)
    return numpy.argwhere((strong > 0) & (strong == largest))


class Positions(JobTest):
    always = {"backend": "cpu"}

    def corners(self, image, **settings):
        stage = {"name": "s", "kernel_graph": {"problem": "harris", "source": "image", **settings}}
        return self.run_job({"image": {"npy": self.write("image.npy", image)}}, [stage], "--fresh=all")

    def check_corners(self, image, threshold, boundary="symmetric"):
        result = self.corners(image, threshold=threshold, boundary=boundary)
        response, found = result["s/response"][()], result["s/corners"]
        self.assertEqual(found.dtype, numpy.int64)
        self.assertTrue(numpy.array_equal(response, harris(image, 0.04, boundary)))
        self.assertTrue(numpy.array_equal(found[()], corners_of(response, threshold, boundary)))
        return found[()]

    def test_corners_are_those_of_numpy(self):
        for dtype in (numpy.float32, numpy.float64):
            image = numpy.random.default_rng(2).random((73, 58)).astype(dtype)
            for boundary in (*MODES, {"value": 0.5}):
                for threshold in (0, 0.01, 0.3, 1):
                    with self.subTest(dtype=dtype, boundary=boundary, threshold=threshold):
                        found = self.check_corners(image, threshold, boundary)
                        self.assertEqual(len(found) == 1, threshold == 1)

    def test_corners_are_those_of_scipy(self):
        if ndimage is None:
            self.skipTest("there is no SciPy")
        image = numpy.random.default_rng(8).random((150, 211))
        for boundary, mode in MODES.items():
            response = response_of_scipy(image, 0.04, boundary)
            around = mode if boundary == "periodic" else "nearest"
            largest = ndimage.maximum_filter(response, 3, mode=around) == response
            expected = numpy.argwhere(largest & (response >= 0.01 * response.max()))
            found = self.corners(image, boundary=boundary)["s/corners"][()]
            self.assertGreater(len(found), 100)
            self.assertTrue(numpy.array_equal(found, expected), boundary)

    def test_equal_neighbours_are_all_corners(self):
        squares = numpy.kron(numpy.indices((4, 5)).sum(axis=0) % 2, numpy.ones((8, 8)))
        found = self.check_corners(squares.astype(numpy.float32), 0.01)
        self.assertEqual(len(found), 4 * 3 * 4)  # four pixels where four squares meet

    def test_an_image_without_corners_has_an_empty_list(self):
        for image in (numpy.full((20, 30), 7.0), numpy.add.outer(numpy.zeros(20), numpy.arange(30.0))):
            self.assertEqual(self.check_corners(image, 0.01).shape, (0, 2))
        self.terrace("verify", "result.h5")

    def test_as_many_as_are_allowed(self):
        image = numpy.zeros((9, 11), numpy.float32)
        image[1:8, 2:5] = 1
        for most in (21, 22, 99, 100000):
            result = self.run_job({"image": {"npy": self.write("image.npy", image)}},
                                  [graph("s", {"p": {"positions": "image", "most": most}}, "p")], "--fresh=all")
            self.assertTrue(numpy.array_equal(result["s/p"][()], numpy.argwhere(image > 0)))
            self.assertEqual([scale[0].name for scale in result["s/p"].dims], ["/s/p_number", "/s/p_axis"])
            self.terrace("verify", "result.h5")
        job = self.write_job({"image": {"npy": self.write("image.npy", image)}},
                             [graph("s", {"p": {"positions": "image", "most": 10**9}}, "p")])
        self.assertSays(self.terrace("run", job, "--fresh=all"), "done")  # with memory for no more than there are values

    def test_a_threshold_that_is_nan_is_told(self):
        image = numpy.random.default_rng(2).random((30, 40)).astype(numpy.float32)
        image[9, 12] = numpy.inf
        stage = {"name": "s", "kernel_graph": {"problem": "harris", "source": "image"}}
        job = self.write_job({"image": {"npy": self.write("image.npy", image)}}, [stage])
        self.assertSays(self.terrace("run", job), "which is NaN: nothing is below it")
        self.assertNotIn("NaN", self.terrace("check", job).stderr)

    def test_more_than_are_allowed_are_an_error_that_names_the_key(self):
        image = numpy.random.default_rng(2).random((73, 58))
        expected = len(corners_of(harris(image, 0.04), 0.01))
        stage = {"name": "s", "kernel_graph": {"problem": "harris", "source": "image", "most": expected - 1}}
        inputs = {"image": {"npy": self.write("image.npy", image)}}
        job = self.write_job(inputs, [stage])
        self.assertSays(self.terrace("run", job, expect=FAILED), f"'corners' has {expected} positions, and `most` is {expected - 1} (", "job.yaml:14:", f"give `most: {expected}`")
        stage["kernel_graph"]["most"] = expected
        self.assertEqual(len(self.run_job(inputs, [stage], "--fresh=all")["s/corners"]), expected)

    def test_slabs_of_any_height_give_the_same(self):
        inputs = {"image": {"generate": "uniform", "shape": [3001, 700], "type": "f32", "seed": 4}}
        stage = {"name": "s", "kernel_graph": {"problem": "harris", "source": "image", "threshold": 0.2, "most": 65536}}
        whole = self.run_job(inputs, [stage], "--fresh=all", output="whole.h5")
        job = self.write_job(inputs, [stage], output="cut.h5", memory={"host": "14MiB", "device": "4MiB"})
        self.terrace("run", job, "--fresh=all")
        cut = self.open("cut.h5")
        self.assertGreater(cut["profile/stages/blocks"][0], 2 * whole["profile/stages/blocks"][0])
        self.assertGreater(len(whole["s/corners"]), 10000)
        self.assertTrue(numpy.array_equal(whole["s/corners"][()], corners_of(whole["s/response"][()], 0.2)))
        for name in ("response", "corners"):
            self.assertTrue(numpy.array_equal(whole[f"s/{name}"][()], cut[f"s/{name}"][()]), name)
        self.terrace("verify", "cut.h5")

    def test_the_least_budget_is_named_and_suffices(self):
        stage = {"name": "s", "kernel_graph": {"problem": "harris", "source": "image", "most": 100000}}
        job = self.write_job({"image": {"generate": "uniform", "shape": [400, 3000], "type": "f32"}}, [stage],
                             memory={"host": "4MiB", "device": "8KiB"})
        self.check_least_budgets(job, "memory.device")

    def test_a_killed_run_goes_on(self):
        inputs = {"image": {"generate": "uniform", "shape": [1200, 500], "type": "f32", "seed": 4}}
        stage = {"name": "s", "kernel_graph": {"problem": "harris", "source": "image", "most": 65536}}
        self.check_survives_kills(inputs, stage, "response", "corners", memory={"host": "14MiB", "device": "3MiB"})

    def test_results_are_taken_over(self):
        image = numpy.random.default_rng(2).random((73, 58))
        inputs = {"image": {"npy": self.write("image.npy", image)}}
        corners = {"name": "s", "kernel_graph": {"problem": "harris", "source": "image"}}
        further = graph("t", {"twice": {"scale": "r", "factor": 2}}, "twice", inputs={"r": "s/response"})
        first = self.run_job(inputs, [corners])["s/corners"][()]
        self.assertTrue(numpy.array_equal(self.run_job(inputs, [corners, further])["s/corners"][()], first))
        self.terrace("verify", "result.h5")
        self.terrace("run", self.write_job(inputs, [corners, further]), "--fresh=all")
        self.terrace("verify", "result.h5")


class WrongPositions(JobTest):
    always = {"backend": "cpu"}

    def refused(self, stages, *parts):
        job = self.write_job({"image": {"generate": "uniform", "shape": [20, 30], "type": "f32"}}, stages)
        self.assertSays(self.terrace("plan", job, expect=WRONG), "job.yaml:", *parts)

    def test_lists_are_no_arrays_of_pixels(self):
        nodes = {"p": {"positions": "image"}, "x": {"scale": "p"}}
        self.refused([graph("s", nodes, "x")], "'p' is no array: it is a list of positions")
        nodes = {"p": {"positions": "image"}, "x": {"threshold": "image", "below": {"of": "p"}}}
        self.refused([graph("s", nodes, "x")], "'p' is no number")

    def test_lists_are_read_by_no_stage(self):
        self.refused([graph("s", {"p": {"positions": "image"}}, "p"),
                      graph("t", {"x": {"scale": "q"}}, "x", inputs={"q": "s/p"})],
                     "the length of 's/p' is known when its stage has run")

    def test_parameters(self):
        self.refused([graph("s", {"p": {"positions": "image", "most": 0}}, "p")], "'nodes.p.most' takes")
        self.refused([graph("s", {"p": {"positions": "image", "type": "f32"}}, "p")],
                     "a list of positions has no `type`")
        self.refused([{"name": "s", "kernel_graph": {"problem": "harris", "source": "image", "threshold": 2}}],
                     "'threshold' takes")


if __name__ == "__main__":
    main()
