"""The command `plot`: datasets as pictures, looked at by their pixels."""
import os
import re
import shutil
import unittest
import xml.etree.ElementTree

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
# Of values from -1 to 1, where both signs occur.
DIVERGING = numpy.array([[33, 102, 172], [67, 147, 195], [146, 197, 222], [209, 229, 240], [247, 247, 247],
                         [253, 219, 199], [244, 165, 130], [214, 96, 77], [178, 24, 43]], float)


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

    def colours(self, fractions, palette=PALETTE):
        """The colours of values from 0 to 1."""
        places = numpy.clip(fractions, 0, 1) * (len(palette) - 1)
        below = numpy.minimum(places.astype(int), len(palette) - 2)
        return palette[below] + (places - below)[..., None] * (palette[below + 1] - palette[below])

    def check_map(self, picture, cells, apart=6, span=None, below=BOTTOM):
        """A heat map shows these cells: pixels in the middle of cells have their colours; NaN is gray."""
        area = picture[TOP:-below, LEFT:-RIGHT].astype(int)
        rows, columns = cells.shape
        self.assertEqual((area.shape[0] % rows, area.shape[1] % columns), (0, 0))
        high, wide = area.shape[0] // rows, area.shape[1] // columns
        shown = area[high // 2::high, wide // 2::wide]
        least, most = span or (numpy.nanmin(cells), numpy.nanmax(cells))
        if least < 0 < most:
            shares, palette = (numpy.clip(cells, least, most) / max(-least, most) + 1) / 2, DIVERGING
        else:
            shares, palette = (cells - least) / max(most - least, 1e-300), PALETTE
        wanted = self.colours(numpy.nan_to_num(shares), palette)
        wanted[numpy.isnan(cells)] = GRAY
        # The frame covers the outermost pixels, and ticks of small cells nothing else.
        wrong = (abs(shown - wanted).max(axis=2) > apart)[1:-1, 1:-1]
        self.assertEqual(wrong.sum(), 0, f"{wrong.sum()} of {wrong.size} cells, first {numpy.argwhere(wrong)[:3]}")

    def texts(self, *arguments, result="result.h5"):
        """The texts of a picture, of its SVG."""
        self.terrace("plot", result, *arguments, "-o", "picture.svg")
        root = xml.etree.ElementTree.parse(self.folder / "picture.svg").getroot()
        return ["".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")]

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

    def test_diverge_around_zero_where_both_signs_occur(self):
        values = numpy.linspace(-20, 80, 600).reshape(20, 30)
        self.with_dataset("align/small", values)
        picture = self.plot("align/small")
        self.check_map(picture, values)
        self.assertLess(abs(self.area(picture)[4 * 33 + 16, 0 * 33 + 16] - [247, 247, 247]).max(), 8)  # about 0
        # One sign alone, or as good as alone, is no reason for white; neither is a name.
        for name, changed in (("small", numpy.abs(values)), ("next", values.round().astype("i4"))):
            self.with_dataset("align/" + name, changed)
            area = self.area(self.plot("align/" + name))
            self.assertEqual((tuple(area[16, 16]) == DARK, tuple(area[-16, -16])), (name == "next", LIGHT))

    def test_take_a_range_of_colours(self):
        values = numpy.arange(600.0).reshape(20, 30)
        self.with_dataset("align/small", values)
        self.check_map(self.plot("align/small", "--range", "100,200"), values, span=(100, 200))
        self.check_map(self.plot("align/small", "--range=-300,300"), values, span=(-300, 300))
        for wrong in ("5", "5,1", "a,b", "1,inf", "1,2,3", ","):
            self.assertSays(self.terrace("plot", "result.h5", "align/small", "--range=" + wrong, "-o", "picture.png",
                                         expect=WRONG), f"'{wrong}' is no range, as 0,100 or -5,5")

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
        # Snapshots have one scale.
        self.with_dataset("align/u_snapshots", values[0])
        span = (values[0].min(), values[0].max())
        self.check_map(self.plot("align/u_snapshots"), values[0, 4].astype(float), span=span)
        self.check_map(self.plot("align/u_snapshots", "--at", "1"), values[0, 1].astype(float), span=span)

    def test_of_snapshots_make_a_series_in_one_scale(self):
        values = (numpy.arange(5)[:, None, None] + 1) * numpy.random.default_rng(5).random((5, 20, 30))
        self.with_dataset("align/u_snapshots", values)
        ended = self.terrace("plot", "result.h5", "align/u_snapshots", "-o", "u_%04d.png")
        self.assertIn("wrote u_0000.png to u_0004.png: align/u_snapshots\n", ended.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.glob("u_*")), [f"u_{i:04}.png" for i in range(5)])
        for i in range(5):
            self.check_map(read_png(self.folder / f"u_{i:04}.png"), values[i], span=(values.min(), values.max()))
        self.terrace("plot", "result.h5", "align/u_snapshots", "--range", "0,2", "-o", "v%d.png")
        self.check_map(read_png(self.folder / "v3.png"), values[3], span=(0, 2))
        self.write("w2.png", "mine")
        for arguments, said in ((("align/u_snapshots", "-o", "w%d.png"), "w2.png: is there already and is not a PNG"),
                                (("align/table", "-o", "w%d.png"), "align/table is no series of tables"),
                                (("align/u_snapshots", "-o", "%d/%d.png"), "several places for a number")):
            self.assertSays(self.terrace("plot", "result.h5", *arguments, expect=WRONG), said)
        self.assertEqual(sorted(p.name for p in self.folder.glob("w*.png")), ["w2.png"])

    def test_of_packed_closures_show_their_bits(self):
        edges = numpy.random.default_rng(6).integers(0, 45, (60, 2))
        graph = {"g": {"graph": self.write("g.txt", "".join(f"n{a} n{b}\n" for a, b in edges))}}
        stage = lambda name, packed: {"name": name, "recursive": {"problem": "transitive_closure", "matrix": "g", "packed": packed}}
        closed = self.run_job(graph, [stage("plain", False), stage("packed", True)], output="c.h5", backend="cpu")
        closure = closed["plain/closure"][()].astype(float)
        self.assertNotEqual(len(closure) % 8, 0)
        closed.close()
        picture = self.plot("packed", result="c.h5")
        below = picture.shape[0] - TOP - len(closure) * (800 // len(closure))
        self.check_map(picture, closure, below=below)
        numpy.testing.assert_array_equal(self.plot("plain", result="c.h5")[TOP:-below], picture[TOP:-below])

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

    def test_are_dot_plots_coloured_by_identity(self):
        coloured = lambda area: (area.max(axis=2) - area.min(axis=2) > 100)
        picture = self.plot("path", "--range", "0.5,1")
        self.check_on_path(picture, coloured)
        # Each piece of the path has the colour of its own window of columns.
        letters = "".join(letter * int(count) for count, letter in re.findall("([0-9]+)(.)", self.cigar))
        window = max(20, -(-len(letters) // 150))
        self.assertGreaterEqual(window, 20)
        area, points = self.area(picture), self.points()
        step = self.lengths / area.shape[:2]
        palette = numpy.array([[0xfc, 0xa6, 0x36], [0xe1, 0x64, 0x62], [0xb1, 0x2a, 0x90], [0x6a, 0x00, 0xa8],
                               [0x0d, 0x08, 0x87]], float)
        wrong, windows = 0, range(0, len(letters) - window, window)
        for begin in windows:
            identity = letters[begin:begin + window].count("=") / window
            row, column = (points[begin + window // 2] / step).astype(int)
            wanted = self.colours(numpy.array((identity - 0.5) / 0.5), palette)
            near = area[max(0, row - 1):row + 2, max(0, column - 1):column + 2].reshape(-1, 3)
            wrong += abs(near - wanted).max(axis=1).min() > 40
        self.assertLess(wrong, 0.1 * len(windows))  # neighbours share pixels
        with self.subTest("all equal"):
            self.with_dataset("path/cigar", f"{self.lengths.min()}=")
            dark = abs(self.area(self.plot("path")) - [0x0d, 0x08, 0x87]).max(axis=2) < 30
            self.assertGreater(dark.sum(), 500)

    def test_name_the_records_on_their_axes(self):
        self.write("c.fa", ">NC_7.1 a chromosome\nACGTACGTAC\n")
        self.write("d.fa", ">first\nACGT\n>second\nACGTCGTAC\n")
        inputs = {"c": {"fasta": "c.fa"}, "d": {"fasta": "d.fa", "record": "second"}}
        self.run_job(inputs, [affine("path", "c", "d", keep="alignment"), affine("table", "c", "d", keep="table")],
                     output="named.h5", backend="cpu").close()
        texts = self.texts("path", result="named.h5")
        self.assertIn("position in NC_7.1 (c)", texts)
        self.assertIn("position in second (d)", texts)
        self.assertIn("row: NC_7.1 (c)", self.texts("table", result="named.h5"))
        self.write("c.fa", ">other\nACGTACGTACG\n")
        self.assertIn("position in c", self.texts("path", result="named.h5"))

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


class Forms(PlotTest):
    def test_are_lines_and_texts_in_svg_and_pdf(self):
        self.made_result(stages=("align",))
        texts = self.texts()
        self.assertIn("column: b", texts)
        self.assertIn("row: a", texts)
        self.assertTrue(any(text.endswith("align/table") for text in texts), texts)
        svg = (self.folder / "picture.svg").read_bytes()
        self.assertTrue(svg.startswith(b'<?xml version="1.0" encoding="utf-8"?>\n<!-- Made by Terrace -->\n<svg'))
        self.assertNotIn(b"xlink:href='file", svg)
        self.terrace("plot", "result.h5", "-o", "picture.PDF")
        self.assertTrue((self.folder / "picture.PDF").read_bytes().startswith(b"%PDF-"))
        self.terrace("plot", "result.h5", "-o", "picture.svg")  # its own may be replaced
        self.write("mine.svg", '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>\n')
        self.assertSays(self.terrace("plot", "result.h5", "-o", "mine.svg", expect=WRONG), "is not an SVG picture that Terrace wrote")

    def test_of_few_cells_are_sharp_in_svg(self):
        self.made_result(stages=("align",))
        self.with_dataset("align/small", numpy.arange(12.0).reshape(3, 4))
        self.texts("align/small")
        self.assertNotIn(b"<image", (self.folder / "picture.svg").read_bytes())  # which viewers would smooth

    def test_name_the_nodes_along_their_axes(self):
        names = ["Aachen", "Bonn", "Celle", "D\u00fcsseldorf am Rhein, Nordrhein"]
        edges = "".join(f"{a}\t{b}\t{i + 1}\n" for i, a in enumerate(names) for b in names if a != b)
        graph = {"g": {"graph": self.write("g.txt", edges)}}
        self.run_job(graph, [{"name": "far", "recursive": {"problem": "floyd_warshall", "matrix": "g", "paths": True}}],
                     output="g.h5", backend="cpu").close()
        texts = self.texts(result="g.h5")
        for name in ["Aachen", "Bonn", "Celle", "D\u00fcsseldorf am \u2026"]:
            self.assertEqual(texts.count(name), 2, texts)
        self.assertIn("from", texts)
        self.assertIn("to", texts)
        self.assertIn("distance", texts)

    def test_of_many_nodes_name_some(self):
        edges = "".join(f"n{i} n{i + 1}\n" for i in range(600))
        graph = {"g": {"graph": self.write("g.txt", edges)}}
        self.run_job(graph, [{"name": "far", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}], output="g.h5",
                     backend="cpu").close()
        named = [text for text in self.texts(result="g.h5") if re.fullmatch("n[0-9]+", text)]
        self.assertGreater(len(named), 40)
        self.assertLess(len(named), 100)
        steps = {int(b[1:]) - int(a[1:]) for a, b in zip(named, named[1:])}
        self.assertLessEqual(len(steps), 3, steps)

    def test_of_snapshots_say_their_time(self):
        grid = {"g": {"generate": "uniform", "shape": [20, 30], "type": "f32", "seed": 1}}
        self.run_job(grid, [{"name": "s", "stencil": {"operator": "heat2d", "grid": "g", "steps": 8, "dt": 0.1,
                                                      "diffusivity": 1, "snapshots": {"every": 2}}}],
                     output="s.h5", backend="cpu").close()
        self.assertTrue(any(", at [2, :, :], time 6; " in text for text in self.texts("s/snapshots", "--at", "2", result="s.h5")))


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

    def test_say_if_the_schedule_is_optimal_or_its_gap(self):
        self.assertTrue(any("makespan 70, optimal" in text for text in self.texts("plan/assignment")))
        self.run_job({"t": {"values": [2, 2, 2]}}, [{"name": "plan", "makespan": {"times": "t", "machines": 2,
                                                                                  "epsilon": 0.5}}],
                     output="gap.h5", backend="cpu").close()
        self.assertTrue(any("makespan 4, lower bound 3 (red), gap 33.3%" in text
                            for text in self.texts("plan/assignment", result="gap.h5")))

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
        # What lies beside a result is not what a person wants, however large it is.
        for beside in ("border_rows", "border_columns", "border_row_gaps", "previous", "end", "start", "next"):
            self.with_dataset("align/" + beside, numpy.zeros((3000, 3000), "u1"))
            self.assertIn(": align/table\n", taken("align"))
        self.with_dataset("wave/u", numpy.zeros((30, 30), "f4"))
        for beside in ("previous", "u_snapshots", "other"):
            shape = (4, 50, 50) if beside == "u_snapshots" else (50, 50)
            self.with_dataset("wave/" + beside, numpy.zeros(shape, "f4"))
            self.assertIn(": wave/u\n", taken("wave"))

    def test_of_inputs_of_every_kind_of_stage_make_a_picture(self):
        grid = {"g": {"generate": "uniform", "shape": [60, 50], "type": "f32", "seed": 1}}
        square = {"m": {"npy": self.write("m.npy", numpy.random.default_rng(1).integers(1, 99, (40, 40), numpy.int32))}}
        jobs = {"heat": (grid, {"name": "s", "stencil": {"operator": "heat2d", "grid": "g", "steps": 8, "dt": 0.1,
                                                          "diffusivity": 1, "snapshots": {"every": 2}}}, "s/grid"),
                "wave": ({**grid, "h": {"generate": "uniform", "shape": [60, 50], "type": "f32", "seed": 2}},
                         {"name": "s", "stencil": {"operator": "wave2d", "fields": {"u": "g", "previous": "h"}, "steps": 4,
                                                   "dt": 0.1, "speed": 1, "snapshots": {"every": 2}}}, "s/u"),
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
                self.assertRegex(ended.stderr, rf": {dataset}\n")
                read_png(self.folder / "picture.png")

    def test_that_cannot_be_are_errors(self):
        self.made_result(stages=("align",))
        self.write("notes.png", "mine")
        self.with_dataset("align/cube", numpy.zeros((3, 4, 5), "i4"))
        self.with_dataset("align/words", numpy.array([b"one", b"two"]))
        for arguments, code, said in ((("align/tabel",), WRONG, ["align/tabel: is not there", "align/table"]),
                                      (("align/score",), WRONG, ["align/score: is one value, which `terrace show` prints", "align/table"]),
                                      (("align/words",), WRONG, ["align/words: is no array that can be drawn"]),
                                      (("other",), WRONG, ["/other: has no dataset that can be drawn"]),
                                      (("align/table", "--at", "3"), WRONG, ["900 x 1000: it has no dimensions"]),
                                      (("align/cube", "--at", "3"), WRONG, ["3 does not lie in dimension 0"]),
                                      (("align/cube", "--at", "1,2"), WRONG, ["an index in each of the first 1"]),
                                      (("align/cube", "--at", "x"), WRONG, ["'x' is no list of indices"]),
                                      (("--reduce", "median"), WRONG, ["median"]),
                                      (("align/table", "--path", "align"), WRONG, ["/align: has no alignment"]),
                                      (("align/table", "-o", "picture.gif"), WRONG, ["a name that ends in .png, .svg or .pdf"]),
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
