"""Tables and scores against plain programs, and the same results from any number of blocks."""
import re
import unittest

from terrace_runs import FAILED, ON_DISK, WRONG, JobTest, affine, main, numpy, random_letters, wavefront

KIB, MIB = 1 << 10, 1 << 20


def random_dna(length, seed):
    return "".join(numpy.random.default_rng(seed).choice(list("ACGT"), length)) if length else ""


def mutated(letters, seed, rate=0.2):
    """The letters with some changed, left out or doubled."""
    random = numpy.random.default_rng(seed)
    drawn = random.random(len(letters))
    kept = []
    for letter, value in zip(letters, drawn):
        kept += [] if value < rate / 3 else [letter, letter] if value < 2 * rate / 3 else \
            ["ACGT"[int(value * 1e6) % 4]] if value < rate else [letter]
    return "".join(kept)


def plain_table(rows, columns, cell, top, left):
    """H of a recurrence over H alone: cell(diagonal, up, left, whether the letters are equal)."""
    table = numpy.zeros((len(rows) + 1, len(columns) + 1), numpy.int64)
    table[0, :], table[:, 0] = [top(j) for j in range(len(columns) + 1)], [left(i) for i in range(len(rows) + 1)]
    for i, a in enumerate(rows, 1):
        for j, b in enumerate(columns, 1):
            table[i, j] = cell(table[i - 1, j - 1], table[i - 1, j], table[i, j - 1], a == b)
    return table[1:, 1:]


def plain_affine(rows, columns, match=1, mismatch=-3, gap_open=3, gap_extend=2):
    """H of Smith-Waterman by the definition: a gap of every length is tried."""
    table = numpy.zeros((len(rows) + 1, len(columns) + 1), numpy.int64)
    for i, a in enumerate(rows, 1):
        for j, b in enumerate(columns, 1):
            up = table[i - 1::-1, j] - gap_open - gap_extend * numpy.arange(1, i + 1)
            left = table[i, j - 1::-1] - gap_open - gap_extend * numpy.arange(1, j + 1)
            diagonal = table[i - 1, j - 1] + (match if a == b else mismatch)
            table[i, j] = max(0, diagonal, up.max(), left.max())
    return table[1:, 1:]


def first_best(table):
    """Score and end as results give them: smallest row, then smallest column."""
    best = int(table.max(initial=0))
    if best == 0:
        return 0, [0, 0]
    row, column = numpy.argwhere(table == best)[0]
    return best, [row + 1, column + 1]


class Tables(JobTest):
    def sequences(self, rows, columns):
        return {name: {"fasta": self.write(f"{name}.fa", f">{name}\n{letters}\n")}
                for name, letters in (("a", rows), ("b", columns))}

    def check_table(self, group, expected, score, end=None):
        self.assertEqual(group["table"].shape, expected.shape)
        numpy.testing.assert_array_equal(group["table"][()], expected)
        self.assertEqual(group["score"][()], score)
        self.assertEqual(list(group["end"]) if "end" in group else None, end)

    def test_hold_what_a_plain_program_computes(self):
        rows = random_dna(300, 1)
        columns = mutated(rows, 2)[:200]
        self.assertEqual(len(columns), 200)
        settings = {"rows": "a", "columns": "b", "keep": "table"}
        result = self.run_job(self.sequences(rows, columns), [
            affine("affine", "a", "b", keep="table"),
            wavefront("linear", "smith_waterman", match=2, mismatch=-1, gap=2, **settings),
            wavefront("distance", "edit_distance", **settings), wavefront("common", "lcs", **settings)])
        expected = plain_affine(rows, columns)
        self.check_table(result["affine"], expected, *first_best(expected))
        expected = plain_table(rows, columns, lambda d, u, l, same: max(0, d + (2 if same else -1), u - 2, l - 2),
                               lambda j: 0, lambda i: 0)
        self.check_table(result["linear"], expected, *first_best(expected))
        expected = plain_table(rows, columns, lambda d, u, l, same: min(d + (not same), u + 1, l + 1),
                               lambda j: j, lambda i: i)
        self.check_table(result["distance"], expected, expected[-1, -1])
        expected = plain_table(rows, columns, lambda d, u, l, same: max(d + same, u, l), lambda j: 0, lambda i: 0)
        self.check_table(result["common"], expected, expected[-1, -1])

    def test_of_scores_with_decimals_hold_the_scores_themselves(self):
        rows = random_dna(300, 11)
        columns = mutated(rows, 12)
        settings = {"rows": "a", "columns": "b", "keep": "table"}
        result = self.run_job(self.sequences(rows, columns), [
            wavefront("tenths", "smith_waterman", match=0.5, mismatch=-0.7, gap=0.3, **settings),
            wavefront("thousandths", "smith_waterman", match=1.5, mismatch=-1, gap_open=0.125, gap_extend=0.25,
                      **settings)])
        scaled = plain_table(rows, columns, lambda d, u, l, same: max(0, d + (5 if same else -7), u - 3, l - 3),
                             lambda j: 0, lambda i: 0)
        best, end = first_best(scaled)
        self.assertEqual(result["tenths/table"].dtype, numpy.float64)
        # Every cell is the nearest number to the score: nothing rounds but one division.
        self.check_table(result["tenths"], scaled / 10, best / 10, end)
        scaled = plain_affine(rows, columns, 1500, -1000, 125, 250)
        best, end = first_best(scaled)
        self.check_table(result["thousandths"], scaled / 1000, best / 1000, end)
        for name in ("tenths", "thousandths"):
            self.assertNotIn("scale_factor", result[name + "/table"].attrs)

    def test_of_scores_with_decimals_are_not_kept_as_integers(self):
        for kept in ({"keep": "table"}, {"keep": "borders", "every": 2}, {"keep": "score"}, {"keep": "alignment"}):
            with self.subTest(**kept):
                job = self.write_job(self.sequences("ACGT", "ACT"),
                                     [wavefront("align", "smith_waterman", rows="a", columns="b", match=0.5, mismatch=-1,
                                                gap=1, type="i64", **kept)])
                self.assertSays(self.terrace("run", job, expect=WRONG), "job.yaml:", "decimals", "i64", "f64")

    def test_in_a_chosen_type(self):
        inputs = self.sequences("ACGTT", "ACTT")
        for name, dtype in {"i32": numpy.int32, "i64": numpy.int64, "f64": numpy.float64}.items():
            with self.subTest(type=name):
                result = self.run_job(inputs, [wavefront("common", "lcs", rows="a", columns="b", keep="table",
                                                         type=name)], output=name + ".h5")
                self.assertEqual(result["common/table"].dtype, dtype)
                self.assertEqual(result["common/table"][()].tolist()[-1], [1, 2, 3, 4])

    def test_of_empty_sequences_are_the_border(self):
        stages = [affine("align", "a", "b"),
                  wavefront("distance", "edit_distance", rows="a", columns="b", keep="table"),
                  wavefront("common", "lcs", rows="a", columns="b")]
        for rows, columns in (("", "ACGT"), ("ACGT", ""), ("", "")):
            with self.subTest(rows=rows, columns=columns):
                result = self.run_job(self.sequences(rows, columns), stages, "--fresh", output=f"{rows}-{columns}.h5")
                self.assertEqual(int(result["align/score"][()]), 0)
                self.assertEqual(list(result["align/end"]), [0, 0])
                self.assertEqual(int(result["distance/score"][()]), max(len(rows), len(columns)))
                self.assertEqual(result["distance/table"].shape, (len(rows), len(columns)))
                self.assertEqual(int(result["common/score"][()]), 0)

    def test_of_letters_that_compare_in_three_ways(self):
        stages = [wavefront(how, "lcs", rows="a", columns="b", ambiguous=how) for how in ("literal", "mismatch")]
        result = self.run_job(self.sequences("ANGTN", "angtn"), stages)
        self.assertEqual([int(result[how + "/score"][()]) for how in ("literal", "mismatch")], [5, 3])
        stages = [wavefront("common", "lcs", rows="a", columns="b", ambiguous="error")]
        ended = self.terrace("run", self.write_job(self.sequences("ANGTN", "ACGTN"), stages, output="other.h5"),
                             expect=FAILED)
        self.assertSays(ended, "job.yaml:", "a[1] (", "a.fa:2:2): 'N'", "ambiguous: error")
        self.assertFalse((self.folder / "other.h5").exists())


class ManyBlocks(JobTest):
    """Small budgets force many blocks; the results stay equal to the bit."""

    place = ON_DISK

    def blocks_of(self, result, stage=0):
        return int(result["profile/stages/blocks"][stage])

    def both(self, inputs, stages, least_blocks, **memory):
        """The result without budgets, and with them."""
        plain = self.run_job(inputs, stages, output="plain.h5")
        small = self.run_job(inputs, stages, output="small.h5", memory=memory)
        self.assertGreaterEqual(self.blocks_of(small), least_blocks)
        self.assertLess(self.blocks_of(plain), self.blocks_of(small))
        self.assertLessEqual(small["profile/stages/peak_host"][0], 4 * MIB)
        return plain, small

    def generated(self, length):
        return {"a": random_letters(length, 7),
                "b": {"generate": "dna", "seed": 8, "mutate": {"of": "a", "rate": 0.1}}}

    def test_give_the_same_score(self):
        plain, small = self.both(self.generated(80_000), [affine("align", "a", "b")], 20, host=2 * MIB,
                                 device=512 * KIB)
        self.assertGreater(int(plain["align/score"][()]), 100)
        self.assertEqual(int(plain["align/score"][()]), int(small["align/score"][()]))
        self.assertEqual(list(plain["align/end"]), list(small["align/end"]))

    def test_give_the_same_table(self):
        stages = [affine("align", "a", "b", keep="table")]
        plain, small = self.both(self.generated(6000), stages, 50, host=4 * MIB, device=4 * MIB)
        self.assertEqual(plain["align/table"].shape, small["align/table"].shape)
        numpy.testing.assert_array_equal(plain["align/table"][()], small["align/table"][()])
        self.assertEqual(list(plain["align/end"]), list(small["align/end"]))

    def test_cut_in_both_directions_give_the_same_table(self):
        stages = [wavefront("common", "lcs", rows="a", columns="b", keep="table")]
        plain, small = self.both(self.generated(6000), stages, 400, host=512 * KIB, device=512 * KIB)
        first = small["profile/blocks/first"][()]
        self.assertEqual(len(first), self.blocks_of(small))
        numpy.testing.assert_array_equal(plain["common/table"][()], small["common/table"][()])

    def test_give_the_same_sums(self):
        grid = numpy.random.default_rng(3).integers(-1000, 1000, (3000, 2000), numpy.int16)
        inputs = {"grid": {"npy": self.write("grid.npy", grid)}}
        plain, small = self.both(inputs, [wavefront("sums", "summed_area", grid="grid")], 20, host=4 * MIB,
                                 device=4 * MIB)
        expected = grid.cumsum(0, numpy.int64).cumsum(1)
        numpy.testing.assert_array_equal(plain["sums/table"][()], expected)
        numpy.testing.assert_array_equal(small["sums/table"][()], expected)

    def test_give_the_same_bits_of_floating_point(self):
        grid = numpy.random.default_rng(4).random((1500, 1700), numpy.float32)
        inputs = {"grid": {"npy": self.write("grid.npy", grid)}}
        stages = [wavefront("sums", "summed_area", grid="grid"),
                  wavefront("narrow", "summed_area", grid="grid", type="input")]
        plain, small = self.both(inputs, stages, 20, host=2 * MIB, device=2 * MIB)
        for name, kind in (("sums", numpy.float64), ("narrow", numpy.float32)):
            self.assertEqual(plain[name + "/table"].dtype, kind)
            self.assertEqual(plain[name + "/table"][()].tobytes(), small[name + "/table"][()].tobytes())

    def test_are_refused_where_even_the_smallest_does_not_fit(self):
        stages = [affine("align", "a", "b", keep="table")]
        job = self.write_job(self.generated(600), stages, memory={"host": 32 * KIB, "device": 32 * KIB})
        said = self.terrace("run", job, expect=WRONG)
        self.assertSays(said, "memory.", "the least is ")
        least = re.findall(r"(memory\.\w+) is too small .*?: the least is ([\d.]+) (\w+)", said.stderr)
        self.assertEqual([budget for budget, _, _ in least], ["memory.host", "memory.device"])
        # What it names is enough, rounding aside.
        enough = [f"--set={budget}={float(amount) * 1.1 + 0.1:.2f}{unit}" for budget, amount, unit in least]
        self.terrace("run", job, *enough)


class SummedAreas(JobTest):
    def sums(self, grid, *arguments, expect=0, **settings):
        job = self.write_job({"grid": {"npy": self.write("grid.npy", grid)}},
                             [wavefront("sums", "summed_area", grid="grid", **settings)])
        ended = self.terrace("run", job, "--fresh", *arguments, expect=expect)
        return self.open()["sums/table"][()] if expect == 0 else ended

    def check(self, grid, dtype, **settings):
        found = self.sums(grid, **settings)
        self.assertEqual(found.dtype, dtype)
        numpy.testing.assert_array_equal(found, grid.astype(dtype).cumsum(0, dtype).cumsum(1, dtype))
        (self.folder / "result.h5").unlink()

    def test_take_every_type_and_choose_the_narrowest_that_holds(self):
        random = numpy.random.default_rng(5)
        for dtype in (numpy.uint8, numpy.int8, numpy.uint16, numpy.int16, numpy.uint32, numpy.int32, numpy.int64):
            info = numpy.iinfo(dtype)
            fits = max(-int(info.min), int(info.max)) * 37 * 53 < 2**31
            with self.subTest(dtype=dtype.__name__):
                grid = random.integers(max(info.min, -2**40), min(info.max, 2**40), (37, 53), dtype)
                self.check(grid, numpy.int32 if fits else numpy.int64)

    def test_of_real_numbers_are_f64_unless_a_type_is_said(self):
        grid = numpy.random.default_rng(7).random((60, 50), numpy.float32)
        for dtype, types in ((numpy.float32, {"auto": numpy.float64, "input": numpy.float32, "f32": numpy.float32}),
                             (numpy.float64, {"auto": numpy.float64, "input": numpy.float64})):
            for name, expected in types.items():
                with self.subTest(dtype=dtype.__name__, type=name):
                    found = self.sums(grid.astype(dtype), type=name)
                    self.assertEqual(found.dtype, expected)
                    # Running sums of rows, added up along the columns.
                    numpy.testing.assert_array_equal(found, grid.astype(expected).cumsum(1).cumsum(0))
                    (self.folder / "result.h5").unlink()

    def test_of_a_small_rectangle_in_a_large_grid_are_right(self):
        grid = numpy.random.default_rng(8).random((3000, 3000), numpy.float32)
        table = self.sums(grid)
        found = table[-1, -1] - table[-11, -1] - table[-1, -11] + table[-11, -11]
        numpy.testing.assert_allclose(found, grid[-10:, -10:].sum(dtype=numpy.float64), rtol=1e-9)

    def test_in_a_chosen_type(self):
        grid = numpy.random.default_rng(6).integers(0, 256, (40, 41), numpy.uint8)
        for name, dtype in {"i32": numpy.int32, "i64": numpy.int64, "f32": numpy.float32, "f64": numpy.float64}.items():
            with self.subTest(type=name):
                self.check(grid, dtype, type=name)

    def test_that_overflow_are_an_error_that_says_what_to_do(self):
        grid = numpy.full((300, 300), 32767, numpy.int32)
        ended = self.sums(grid, expect=FAILED, type="i32")
        self.assertSays(ended, "does not fit type i32", "type: i64", "overflow: wrap", "2^32")
        self.assertFalse((self.folder / "result.h5").exists())
        ended = self.sums(numpy.full((3, 3), 2**62, numpy.int64), expect=FAILED)
        self.assertSays(ended, "does not fit type i64", "type: f64", "overflow: wrap", "2^64")
        self.assertNotIn("type: i64", ended.stderr)

    def test_wrap_where_that_is_asked_for(self):
        grid = numpy.full((300, 300), 32767, numpy.int32)
        with numpy.errstate(over="ignore"):
            self.check(grid, numpy.int32, type="i32", overflow="wrap")

    def test_of_an_empty_grid_are_an_empty_table(self):
        for shape in ((0, 5), (5, 0), (0, 0)):
            with self.subTest(shape=shape):
                for dtype in (numpy.uint8, numpy.uint32, numpy.int32, numpy.int64, numpy.float32, numpy.float64):
                    found = self.sums(numpy.zeros(shape, dtype))
                    self.assertEqual(found.shape, shape)
                    (self.folder / "result.h5").unlink()

    def test_of_unsigned_64_bits_are_refused_with_the_types_that_there_are(self):
        for shape in ((2, 3), (0, 3)):
            with self.subTest(shape=shape):
                ended = self.sums(numpy.zeros(shape, numpy.uint64), expect=WRONG)
                self.assertSays(ended, "job.yaml:", "grid of u64", "u8, i8, u16, i16, u32, i32, i64, f32 or f64",
                                "convert it to i64")
                self.assertNotIn(": :", ended.stderr)
        shown = " ".join(self.terrace("problems", "summed_area").stdout.split())
        self.assertIn("u8, i8, u16, i16, u32, i32, i64, f32 or f64", shown)


class Stages(JobTest):
    def test_read_what_earlier_ones_wrote(self):
        inputs = {"a": random_letters(700, 1), "b": random_letters(900, 2)}
        stages = [wavefront("first", "lcs", rows="a", columns="b", keep="table"),
                  wavefront("second", "summed_area", grid="first/table")]
        result = self.run_job(inputs, stages)
        expected = result["first/table"][()].cumsum(0, numpy.int64).cumsum(1)
        numpy.testing.assert_array_equal(result["second/table"][()], expected)
        stages[0]["temporary"] = True
        small = self.run_job(inputs, stages, output="small.h5", memory={"host": 1 * MIB, "device": 1 * MIB})
        self.assertNotIn("first", small)
        numpy.testing.assert_array_equal(small["second/table"][()], expected)


if __name__ == "__main__":
    main()
