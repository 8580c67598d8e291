"""The command `plot`: datasets as pictures, looked at by their pixels."""
import os
import shutil
import unittest

from made_profiles import PictureTest
from terrace_runs import FAILED, WRONG, affine, h5py, main, mutated, numpy, random_text, wavefront

try:
    import PIL.Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-pil)")
    raise SystemExit(0)
if not shutil.which("gnuplot"):
    print("SKIPPED: there is no gnuplot (Debian: gnuplot-nox)")
    raise SystemExit(0)

LEFT, TOP, BOTTOM, RIGHT = 110, 70, 70, 130
DARK, LIGHT, GRAY, WHITE = (68, 1, 84), (253, 231, 37), (176, 176, 176), (255, 255, 255)
PALETTE = numpy.array([[0x44, 0x01, 0x54], [0x47, 0x2c, 0x7a], [0x3b, 0x51, 0x8b], [0x2c, 0x71, 0x8e],
                       [0x21, 0x90, 0x8d], [0x27, 0xad, 0x81], [0x5c, 0xc8, 0x63], [0xaa, 0xdc, 0x32],
                       [0xfd, 0xe7, 0x25]], float)


def read_png(path):
    """The picture as an array of rows x columns x 3 (red, green, blue)."""
    with PIL.Image.open(path) as picture:
        assert picture.format == "PNG"
        return numpy.asarray(picture.convert("RGB"))


class PlotTest(PictureTest):
    def plot(self, *arguments, result="result.h5"):
        """The pixels of a picture."""
        self.terrace("plot", result, *arguments, "-o", "picture.png")
        return read_png(self.folder / "picture.png")

    def area(self, picture):
        """The part of a heat map that shows data."""
        return picture[TOP:-BOTTOM, LEFT:-RIGHT].astype(int)

    def colours(self, fractions):
        """The colours of values from 0 to 1."""
        places = numpy.clip(fractions, 0, 1) * (len(PALETTE) - 1)
        below = numpy.minimum(places.astype(int), len(PALETTE) - 2)
        return PALETTE[below] + (places - below)[..., None] * (PALETTE[below + 1] - PALETTE[below])

    def check_map(self, picture, cells, apart=6):
        """A heat map shows these cells: pixels in the middle of cells have their colours; NaN is gray."""
        area = self.area(picture)
        rows, columns = cells.shape
        self.assertEqual((area.shape[0] % rows, area.shape[1] % columns), (0, 0))
        high, wide = area.shape[0] // rows, area.shape[1] // columns
        shown = area[high // 2::high, wide // 2::wide]
        least, most = numpy.nanmin(cells), numpy.nanmax(cells)
        wanted = self.colours(numpy.nan_to_num((cells - least) / max(most - least, 1e-300)))
        wanted[numpy.isnan(cells)] = GRAY
        # The frame covers the outermost pixels, and ticks of small cells nothing else.
        wrong = (abs(shown - wanted).max(axis=2) > apart)[1:-1, 1:-1]
        self.assertEqual(wrong.sum(), 0, f"{wrong.sum()} of {wrong.size} cells, first {numpy.argwhere(wrong)[:3]}")

    def with_dataset(self, path, values, fill=None, result="result.h5"):
        """Adds a dataset to a result."""
        with h5py.File(self.folder / result, "r+") as file:
            if path in file:
                del file[path]
            file[path] = values
            if fill is not None:
                file[path].attrs.create("_FillValue", fill, dtype=values.dtype)

    def reduced(self, values, rows, columns, how=numpy.mean):
        """Cells of a picture by their definition."""
        row = numpy.arange(values.shape[0]) * rows // values.shape[0]
        column = numpy.arange(values.shape[1]) * columns // values.shape[1]
        lines = numpy.array([how(values[row == i].astype(float), axis=0) for i in range(rows)])
        return numpy.array([how(lines[:, column == j], axis=1) for j in range(columns)]).T


class HeatMaps(PlotTest):
    def setUp(self):
        super().setUp()
        self.made_result(stages=("align",))

    def test_of_small_tables_show_each_value(self):
        values = numpy.random.default_rng(3).integers(-50, 50, (20, 30)).astype("i4")
        self.with_dataset("align/small", values)
        picture = self.plot("align/small")
        self.assertEqual(picture.shape, (20 * 33 + TOP + BOTTOM, 30 * 33 + LEFT + RIGHT, 3))
        self.check_map(picture, values.astype(float))

    def test_of_large_tables_show_means_and_other_reductions(self):
        draw = numpy.random.default_rng(4)
        values = (draw.random((2000, 3000)) * 100 + numpy.add.outer(numpy.arange(2000), numpy.arange(3000)) / 10)
        for kind in ("f8", "i2"):
            self.with_dataset("align/large", values.astype(kind))
            for how, reduction in (((), numpy.mean), (("--reduce", "mean"), numpy.mean),
                                   (("--reduce", "min"), numpy.min), (("--reduce", "max"), numpy.max)):
                with self.subTest(kind=kind, how=how):
                    picture = self.plot("align/large", *how)
                    rows, columns = picture.shape[0] - TOP - BOTTOM, picture.shape[1] - LEFT - RIGHT
                    self.assertEqual((rows, columns), (667, 1000))
                    self.check_map(picture, self.reduced(values.astype(kind), rows, columns, reduction))
        nearest = self.plot("align/large", "--reduce", "nearest")
        begin = lambda cells, extent: (numpy.arange(cells + 1) * extent + cells - 1) // cells
        middle = lambda cells, extent: (begin(cells, extent)[:-1] + begin(cells, extent)[1:] - 1) // 2
        self.check_map(nearest, values.astype("i2")[numpy.ix_(middle(667, 2000), middle(1000, 3000))].astype(float))

    def test_of_the_run_itself_is_its_table(self):
        with h5py.File(self.folder / "result.h5") as file:
            table = file["align/table"][()]
        picture = self.plot()
        self.assertIn(b"PNG", (self.folder / "picture.png").read_bytes()[:8])
        cells = self.reduced(table, picture.shape[0] - TOP - BOTTOM, picture.shape[1] - LEFT - RIGHT)
        self.check_map(picture, cells, apart=8)

    def test_leave_out_what_is_no_value(self):
        values = numpy.arange(600, dtype="i4").reshape(20, 30)
        values[4:7, 5:9] = 1073741823
        self.with_dataset("align/distance", values, fill=1073741823)
        cells = values.astype(float)
        cells[4:7, 5:9] = numpy.nan
        self.check_map(self.plot("align/distance"), cells)
        reals = cells.copy()
        reals[2, 2], reals[3, 3] = numpy.inf, -numpy.inf
        self.with_dataset("align/distance", reals)
        reals[2, 2] = reals[3, 3] = numpy.nan
        self.check_map(self.plot("align/distance"), reals)

    def test_of_one_value_and_of_none_are_drawn(self):
        self.with_dataset("align/same", numpy.full((30, 30), 7.5))
        self.assertEqual(len(numpy.unique(self.area(self.plot("align/same"))[30:40, 30:40].reshape(-1, 3), axis=0)), 1)
        self.with_dataset("align/none", numpy.full((30, 30), numpy.nan))
        self.assertEqual(tuple(self.area(self.plot("align/none"))[35, 35]), GRAY)

    def test_of_several_dimensions_show_one_plane(self):
        values = numpy.random.default_rng(5).integers(0, 99, (3, 5, 20, 30)).astype("u1")
        self.with_dataset("align/cube", values)
        self.check_map(self.plot("align/cube", "--at", "2,4"), values[2, 4].astype(float))
        self.check_map(self.plot("align/cube"), values[1, 2].astype(float))
        self.with_dataset("align/u_snapshots", values[0])
        self.check_map(self.plot("align/u_snapshots"), values[0, 4].astype(float))

    def test_hold_little_memory_of_tables_of_any_size(self):
        edge = 32768  # 4 GiB, without a block on disk
        with h5py.File(self.folder / "result.h5", "r+") as file:
            create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            create.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            create.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            for name, rows in (("table", edge), ("next", 4 * edge)):
                if name in file["align"]:
                    del file["align"][name]
                space = h5py.h5s.create_simple((rows, edge))
                h5py.h5d.create(file["align"].id, name.encode(), h5py.h5t.NATIVE_FLOAT if name == "table" else
                                h5py.h5t.NATIVE_INT32, space, create)
            file["align/table"][edge // 2:edge // 2 + 50, edge // 2:edge // 2 + 50] = 1.0
        self.assertLess((self.folder / "result.h5").stat().st_blocks * 512, 1 << 30)
        # Reading 4 GiB takes its time where others compute; memory is what counts.
        self.check_bounds("plot", "result.h5", "align/table", "-o", "picture.png", seconds=60, mebibytes=250)
        area = self.area(read_png(self.folder / "picture.png"))
        self.assertEqual(area.shape, (800, 800, 3))
        self.assertEqual(tuple(area[400, 400]), LIGHT)
        self.assertEqual(tuple(area[100, 700]), DARK)
        # 16 GiB of indices: 800 rows of them are read.
        self.check_bounds("plot", "result.h5", "align/next", "-o", "picture.png", seconds=20, mebibytes=250)


class Alignments(PlotTest):
    def setUp(self):
        super().setUp()
        letters = random_text(3000, 5)
        inputs = {"a": self.fasta("a", letters), "b": self.fasta("b", mutated(letters, 6, rate=0.05, longest=20))}
        stages = [affine("table", "a", "b", keep="table"), affine("path", "a", "b", keep="alignment")]
        self.run_job(inputs, stages, backend="cpu").close()
        with h5py.File(self.folder / "result.h5") as file:
            self.start, self.cigar = file["path/start"][()], file["path/cigar"].asstr()[()]
            self.lengths = file["path/lengths"][()]

    def points(self):
        """Cells on the path: rows and columns consumed after each letter."""
        row, column = self.start
        found, count = [(row, column)], 0
        for letter in self.cigar:
            if letter.isdigit():
                count = 10 * count + int(letter)
                continue
            for _ in range(count):
                row, column = row + (letter != "D"), column + (letter != "I")
                found.append((row, column))
            count = 0
        return numpy.array(found)

    def check_on_path(self, picture, is_path):
        """Pixels of the path lie where it runs, and nowhere else."""
        area = self.area(picture)
        pixels = numpy.argwhere(is_path(area)) / [area.shape[0], area.shape[1]] * self.lengths
        self.assertGreater(len(pixels), 500)
        points, step = self.points(), self.lengths / area.shape[:2]
        for point in points[::37]:
            self.assertLess((abs(pixels - point) / step).max(axis=1).min(), 3, point)
        for pixel in pixels[::41]:
            self.assertLess((abs(points - pixel) / step).max(axis=1).min(), 4, pixel)

    def test_are_drawn_over_the_table_of_the_same_sequences(self):
        red = lambda area: (area[:, :, 0] > 150) & (area[:, :, 1:].max(axis=2) < 90)
        for arguments in ((), ("table/table",), ("table/table", "--path", "path")):
            with self.subTest(arguments=arguments):
                self.check_on_path(self.plot(*arguments), red)

    def test_are_dot_plots_by_themselves(self):
        coloured = lambda area: (area.max(axis=2) - area.min(axis=2) > 100)
        picture = self.plot("path")
        self.check_on_path(picture, coloured)
        orange = (abs(self.area(picture) - [224, 96, 0]).max(axis=2) < 40).sum()
        self.assertGreater(orange, 50)

    def test_of_time_warping_are_paths(self):
        draw = numpy.random.default_rng(7)
        series = {name: {"npy": self.write(name + ".npy", draw.random(400).cumsum())} for name in "ab"}
        stage = {"name": "warp", "wavefront": {"problem": "dtw", "rows": "a", "columns": "b", "keep": "alignment"}}
        pairs = self.run_job(series, [stage], output="dtw.h5", backend="cpu")["warp/path"][()]
        area = self.area(self.plot(result="dtw.h5"))
        pixels = numpy.argwhere(area.max(axis=2) - area.min(axis=2) > 100) / area.shape[:2] * 400
        for pair in pairs[::20]:
            self.assertLess(abs(pixels - pair - 0.5).max(axis=1).min(), 2)


class Lines(PlotTest):
    def test_of_short_and_long_lists_run_through_their_values(self):
        self.made_result(stages=("align",))
        short = numpy.array([0.0, 10, 5, 5, 0])
        self.with_dataset("align/residual", short)
        picture = self.plot("align/residual")
        area = picture[TOP:-BOTTOM, LEFT:-RIGHT].astype(int)
        blue = abs(area - [0, 114, 178]).max(axis=2) < 20
        self.assertEqual(area.shape[:2], (400, 1000))
        rows, columns = numpy.nonzero(blue)
        # The axis of values ends at the least and the largest: the line goes from the bottom to the top.
        self.assertLess(rows[abs(columns - 300) < 5].min(), 12)
        self.assertGreater(rows[abs(columns - 100) < 5].max(), 388)
        self.assertAlmostEqual(numpy.median(rows[(columns > 540) & (columns < 660)]), 200, delta=6)
        long = numpy.tile([0, 100], 100_000).astype("i4")
        self.with_dataset("align/long", long)
        area = self.plot("align/long")[TOP:-BOTTOM, LEFT:-RIGHT].astype(int)
        band = (abs(area - [184, 214, 234]).max(axis=2) < 6)
        self.assertGreater(band.mean(), 0.9)  # from the least to the largest
        rows = numpy.nonzero(abs(area - [0, 114, 178]).max(axis=2) < 60)[0]
        self.assertGreater(len(rows), 900)
        self.assertAlmostEqual(numpy.median(rows), 200, delta=4)  # the mean


class Schedules(PlotTest):
    def setUp(self):
        super().setUp()
        self.times = [40, 30, 30, 20, 10, 10]
        self.job = self.write_job({"t": {"npy": self.write("t.npy", numpy.array(self.times))}},
                                  [{"name": "plan", "makespan": {"times": "t", "machines": 2, "epsilon": 0.3}}],
                                  backend="cpu")
        self.terrace("run", self.job)

    def check(self, picture, jobs):
        result = self.open()
        load, assignment = result["plan/load"][()], result["plan/assignment"][()]
        area = picture[TOP:-BOTTOM, LEFT:-40].astype(int)
        high = area.shape[0] / 2
        for machine in range(2):
            line = area[int(high * (machine + 0.5))]
            blue = (abs(line - [0, 114, 178]).max(axis=1) < 12) | (abs(line - [86, 180, 233]).max(axis=1) < 12)
            end = load[machine] / (1.02 * load.max()) * area.shape[1]
            self.assertAlmostEqual(blue.sum(), end, delta=3 + 4 * len(self.times))
            self.assertLess(numpy.nonzero(blue)[0].max(), end + 2)
            changes = (abs(numpy.diff((abs(line - [0, 114, 178]).max(axis=1) < 12).astype(int)))).sum()
            if jobs:
                self.assertGreaterEqual(changes + 1, (assignment == machine).sum() - 1)
        self.assertTrue((abs(area - [208, 0, 0]).max(axis=2) < 12).any())

    def test_show_jobs_and_loads(self):
        self.check(self.plot(), True)
        self.check(self.plot("plan/load"), True)

    def test_show_loads_where_the_times_are_gone_or_others(self):
        self.write("t.npy", numpy.array(self.times[::-1]))
        self.check(self.plot(), False)
        os.remove(self.folder / "t.npy")
        ended = self.terrace("plot", "result.h5", "-o", "picture.png")
        self.assertSays(ended, "times of the jobs are not drawn", "t.npy")
        self.check(read_png(self.folder / "picture.png"), False)


class Choices(PlotTest):
    def test_of_the_dataset_take_the_most_telling(self):
        self.made_result(stages=("align",))

        def taken(*arguments):
            return self.terrace("plot", "result.h5", *arguments, "-o", "picture.png").stderr

        self.assertIn("wrote picture.png: align/table\n", taken())
        self.with_dataset("paths/next", numpy.zeros((2000, 2000), "i4"))
        self.with_dataset("paths/steps", numpy.zeros((2000, 2000), "i4"))
        self.assertIn("wrote picture.png: align/table\n", taken())
        self.assertIn(": paths/steps\n", taken("/paths/steps"))
        self.with_dataset("paths/distance", numpy.zeros((2000, 2000), "i4"))
        self.assertIn(": paths/distance\n", taken())
        self.assertIn(": align/table\n", taken("align"))

    def test_of_inputs_of_every_kind_of_stage_make_a_picture(self):
        grid = {"g": {"generate": "uniform", "shape": [60, 50], "type": "f32", "seed": 1}}
        square = {"m": {"npy": self.write("m.npy", numpy.random.default_rng(1).integers(1, 99, (40, 40), numpy.int32))}}
        jobs = {"heat": (grid, {"name": "s", "stencil": {"operator": "heat2d", "grid": "g", "steps": 8, "dt": 0.1,
                                                          "diffusivity": 1, "snapshots": {"every": 2}}}, "s/grid"),
                "sums": (grid, wavefront("s", "summed_area", grid="g"), "s/table"),
                "paths": (square, {"name": "s", "recursive": {"problem": "floyd_warshall", "matrix": "m",
                                                              "paths": True}}, "s/distance"),
                "chain": ({"d": {"values": [3, 5, 2, 8, 9, 4]}},
                          {"name": "s", "recursive": {"problem": "matrix_chain", "dimensions": "d", "keep": "table"}},
                          "s/table"),
                "change": ({}, {"name": "s", "dp_table": {"extents": [30, 20, 10], "steps": [[1, 0, 0], [0, 2, 1]],
                                                           "keep": "table"}}, "s/table")}
        for name, (inputs, stage, dataset) in jobs.items():
            with self.subTest(name=name):
                self.run_job(inputs, [stage], output=name + ".h5", backend="cpu").close()
                ended = self.terrace("plot", name + ".h5", "-o", "picture.png")
                self.assertRegex(ended.stderr, rf": {dataset}|s/snapshots")
                read_png(self.folder / "picture.png")

    def test_that_cannot_be_are_errors(self):
        self.made_result(stages=("align",))
        self.write("notes.png", "mine")
        self.with_dataset("align/cube", numpy.zeros((3, 4, 5), "i4"))
        self.with_dataset("align/words", numpy.array([b"one", b"two"]))
        for arguments, code, said in ((("align/tabel",), FAILED, ["align/tabel: is not there", "align/table"]),
                                      (("align/score",), FAILED, ["align/score: is one value, which `terrace show` prints", "align/table"]),
                                      (("align/words",), FAILED, ["align/words: is no array that can be drawn"]),
                                      (("other",), FAILED, ["/other: has no dataset that can be drawn"]),
                                      (("align/table", "--at", "3"), WRONG, ["900 x 1000: it has no dimensions"]),
                                      (("align/cube", "--at", "3"), WRONG, ["3 does not lie in dimension 0"]),
                                      (("align/cube", "--at", "1,2"), WRONG, ["an index in each of the first 1"]),
                                      (("align/cube", "--at", "x"), WRONG, ["'x' is no list of indices"]),
                                      (("--reduce", "median"), WRONG, ["median"]),
                                      (("align/table", "--path", "align"), FAILED, ["/align: has no alignment"]),
                                      (("align/table", "-o", "picture.pdf"), WRONG, ["a name that ends in .png"]),
                                      (("align/table", "-o", "notes.png"), WRONG, ["is not a PNG picture"])):
            with self.subTest(arguments=arguments):
                output = () if "-o" in arguments else ("-o", "picture.png")
                self.assertSays(self.terrace("plot", "result.h5", *arguments, *output, expect=code), *said)
                self.assertFalse((self.folder / "picture.png").exists())
        self.assertEqual((self.folder / "notes.png").read_text(), "mine")

    def test_without_gnuplot_name_its_package(self):
        self.made_result(stages=("align",))
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = str(self.folder)
        ended = self.terrace("plot", "result.h5", "-o", "picture.png", expect=FAILED)
        self.assertSays(ended, "gnuplot-nox")
        self.assertEqual(sorted(p.name for p in self.folder.glob("picture*")), [])

    def test_of_names_are_no_commands_of_gnuplot(self):
        self.made_result(stages=("align",))
        evil = "'\nset output '/dev/null'\nsystem(\"touch here\") `touch here` \\"
        with h5py.File(self.folder / "result.h5", "r+") as file:
            file.attrs["title"] = evil
            file["align/" + evil.replace("/", "")] = numpy.arange(12.0).reshape(3, 4)
            file["align"].move("table", "other")
        for dataset in ("align/other", "align/" + evil.replace("/", "")):
            self.plot(dataset)
            self.assertFalse((self.folder / "here").exists())


if __name__ == "__main__":
    main()
