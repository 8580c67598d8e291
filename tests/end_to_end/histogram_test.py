"""Integral histograms against NumPy: its bins to the value, whole tables, budgets, kills of nothing and bad input."""
import json

import numpy

from terrace_runs import JobTest, WRONG, data, main, wavefront

MIB = 1 << 20


def cumulated(grid, bins, limits):
    """Counts by numpy.histogram's own bins: the bin of each different value is asked of NumPy."""
    flat, where = numpy.unique(grid[~numpy.isnan(grid)] if grid.dtype.kind == "f" else grid, return_inverse=True)
    numbers = numpy.full(flat.size, -1)
    for index, value in enumerate(flat):
        counts, _ = numpy.histogram(numpy.array([value]), bins=bins, range=limits)
        if counts.any():
            numbers[index] = counts.argmax()
    of_cell = numpy.full(grid.shape, -1)
    of_cell[~numpy.isnan(grid) if grid.dtype.kind == "f" else numpy.full(grid.shape, True)] = numbers[where.ravel()]
    return (of_cell == numpy.arange(bins)[:, None, None]).cumsum(1).cumsum(2)


class Histograms(JobTest):
    def check(self, grid, bins, limits=None, expected=None, **keys):
        stage = wavefront("counts", "integral_histogram", grid="grid", bins=bins,
                          **({"range": list(limits)} if limits else {}))
        result = self.run_job({"grid": {"npy": self.write("grid.npy", grid)}}, [stage], "--fresh", **keys)
        table, edges = result["counts/table"][()], result["counts/edges"][()]
        limits = limits or expected
        numpy.testing.assert_array_equal(table, cumulated(grid, bins, limits))
        sample = grid[~numpy.isnan(grid)] if grid.dtype.kind == "f" else grid
        counts, numpy_edges = numpy.histogram(sample, bins=bins, range=limits)
        numpy.testing.assert_array_equal(table[:, -1, -1], counts)
        numpy.testing.assert_array_equal(edges, numpy_edges)
        result.close()
        return table

    def test_have_the_bins_of_numpy_for_values_on_edges_beside_them_and_outside(self):
        random = numpy.random.default_rng(1)
        for dtype, bins, limits in ((numpy.uint8, 32, (0, 256)), (numpy.uint8, 7, (3, 200)),
                                    (numpy.int16, 10, (-5.5, 20.1)), (numpy.uint16, 16, (0, 65535)),
                                    (numpy.int32, 9, (-3, 6)), (numpy.int64, 3, (0, 1))):
            with self.subTest(dtype=dtype, bins=bins):
                low, high = int(limits[0]) - 3, int(limits[1]) + 4
                info = numpy.iinfo(dtype)
                grid = random.integers(max(low, info.min), min(high, info.max + 1), (37, 41)).astype(dtype)
                self.assertEqual(self.check(grid, bins, limits).dtype, numpy.int32)
        for dtype in (numpy.float32, numpy.float64):
            for bins, limits in ((10, (0, 1)), (7, (-0.3, 0.3)), (3, (0.1, 0.7))):
                with self.subTest(dtype=dtype, bins=bins):
                    edges = numpy.linspace(*limits, bins + 1).astype(dtype)
                    near = numpy.concatenate([edges, numpy.nextafter(edges, dtype(9)), numpy.nextafter(edges, dtype(-9)),
                                              dtype([numpy.nan, 5, -5, 0, -0.0])])
                    self.check(random.choice(near, (31, 43)), bins, limits)

    def test_take_the_range_of_narrow_types_from_the_type(self):
        random = numpy.random.default_rng(2)
        self.check(random.integers(0, 256, (20, 30)).astype(numpy.uint8), 256, expected=(0, 256))
        self.check(random.integers(-128, 128, (20, 30)).astype(numpy.int8), 4, expected=(-128, 128))

    def test_are_the_same_in_many_blocks(self):
        grid = numpy.random.default_rng(3).integers(0, 256, (700, 900)).astype(numpy.uint8)
        self.check(grid, 5, (10, 250), memory={"host": 2 * MIB, "device": 2 * MIB}, backend="cpu")

    def test_of_nothing_are_empty(self):
        result = self.run_job({"grid": {"npy": self.write("grid.npy", numpy.zeros((0, 5), numpy.uint8))}},
                              [wavefront("counts", "integral_histogram", grid="grid", bins=3)])
        self.assertEqual(result["counts/table"].shape, (3, 0, 5))

    def test_of_images_are_those_of_numpy(self):
        with open(data("images", "EXPECTED_sat_hist.json")) as file:
            images = json.load(file)
        for name in ("camera.png", "bluemarble_4k_gray.png"):
            known = images[name]
            height, width = known["shape_hw"]
            result = self.run_job({"image": {"image": data("images", name)}},
                                  [wavefront("counts", "integral_histogram", grid="image", bins=32)], "--fresh")
            table = result["counts/table"]
            with self.subTest(image=name):
                self.assertEqual(table[:, -1, -1].tolist(), known["hist32_full"])
                top, left, bottom, right = height // 4 - 1, width // 4 - 1, 3 * height // 4 - 1, 3 * width // 4 - 1
                centre = (table[:, bottom, right] - table[:, top, right] - table[:, bottom, left] +
                          table[:, top, left])
                self.assertEqual(centre.tolist(), known["hist32_centre"])
            result.close()


class BadInput(JobTest):
    def wrong(self, grid, **keys):
        job = self.write_job({"grid": {"npy": self.write("grid.npy", grid)}},
                             [wavefront("counts", "integral_histogram", grid="grid", **keys)])
        return self.terrace("run", job, expect=WRONG)

    def test_is_named(self):
        small = numpy.zeros((3, 4), numpy.float32)
        self.assertSays(self.wrong(small, bins=3), "needs `range: [low, high]`", "f32")
        self.assertSays(self.wrong(small, bins=3, range=[1, 1]), "the lower first")
        self.assertSays(self.wrong(small, bins=3, range=[0, 1, 2]), "range is two numbers")
        self.assertSays(self.wrong(small, bins=0, range=[0, 1]), "bins")
        self.assertSays(self.wrong(small, range=[0, 1]), "bins")
        self.assertSays(self.wrong(small, bins=1000, range=[1, 1.0000001]), "too narrow")
        self.assertSays(self.wrong(small, bins=2, range=[0, 1], type="f32"), "i64")
        self.assertSays(self.wrong(numpy.zeros(5, numpy.uint8), bins=2), "has 1 dimension; a grid has two")

    def test_a_schedule_that_is_not_theirs_is_refused(self):
        grid = numpy.zeros((3, 4), numpy.uint8)
        self.assertSays(self.wrong(grid, bins=2, schedule="peer_square"), "job.yaml:",
                        "'schedule' takes one of auto, registers, not ")
        job = self.write_job({"grid": {"npy": "grid.npy"}},
                             [wavefront("counts", "integral_histogram", grid="grid", bins=2, schedule="registers")])
        self.terrace("run", job)


if __name__ == "__main__":
    main()
