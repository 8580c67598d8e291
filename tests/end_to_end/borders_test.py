"""Kept rows and columns are those of the table of the same job, at any size, cut and budget; a table goes on from them."""
from terrace_runs import ON_DISK, WRONG, JobTest, main, numpy, random_letters, wavefront

LETTERS = {
    "local": ("smith_waterman", dict(match=2, mismatch=-1, gap=1)),
    "local_affine": ("smith_waterman", dict(match=1, mismatch=-3, gap_open=3, gap_extend=2)),
    "global": ("needleman_wunsch", dict(match=1, mismatch=-1, gap=1)),
    "global_affine": ("needleman_wunsch", dict(match=1, mismatch=-1, gap_open=2, gap_extend=1, free_ends="columns")),
    "decimals": ("smith_waterman", dict(match=1.5, mismatch=-1, gap_open=0.125, gap_extend=0.25)),
    "distance": ("edit_distance", {}),
    "common": ("lcs", {}),
}
SERIES = {
    "absolute": dict(cost="absolute", steps="symmetric1"),
    "squared": dict(cost="squared", steps="symmetric2", type="f32"),
    "windowed": dict(cost="absolute", steps="symmetric2", window=40),
}


def kept_lines(extent, every):
    """Indices of the lines that are kept: the last of every `every`, and the last of all."""
    return sorted({*range(every - 1, extent, every), *([extent - 1] if extent else [])})


def gaps_below(table, above, first, following, least):
    """What enters the row below each row of a table with affine gaps, by the recurrence; `above`: the first."""
    entering, rows = above, []
    for row in table:
        entering = numpy.maximum(numpy.maximum(entering - following, row - first), least)
        rows.append(entering)
    return numpy.array(rows).reshape(table.shape)


class BordersTest(JobTest):
    place = ON_DISK

    def check(self, borders, table, every):
        """Rows, columns and their indices against the table of the same job."""
        rows, columns = kept_lines(table.shape[0], every), kept_lines(table.shape[1], every)
        self.assertEqual(list(borders["border_row_index"]), rows)
        self.assertEqual(list(borders["border_column_index"]), columns)
        self.assertEqual(borders["border_rows"].dtype, table.dtype)
        self.assertEqual(borders["border_columns"].shape, (len(columns), table.shape[0]))
        numpy.testing.assert_array_equal(borders["border_rows"][()], table[rows])
        numpy.testing.assert_array_equal(borders["border_columns"][()], table.T[columns])

    def stages(self, kinds, problems, everys):
        """Of each problem the table, and borders of each of those distances."""
        for kind in kinds:
            problem, settings = problems(kind)
            yield wavefront(kind, problem, rows="a", columns="b", keep="table", **settings)
            for every in everys:
                yield wavefront(f"{kind}_{every}", problem, rows="a", columns="b", keep="borders", every=every,
                                **settings)

    def compare(self, inputs, kinds, problems, everys, **keys):
        result = self.run_job(inputs, list(self.stages(kinds, problems, everys)), "--backend", "cpu", **keys)
        for kind in kinds:
            table = result[kind + "/table"][()]
            for every in everys:
                borders = result[f"{kind}_{every}"]
                self.assertEqual(borders["score"][()], result[kind + "/score"][()])
                self.check(borders, table, every)
        return result


class OfSequences(BordersTest):
    def letters(self, rows, columns):
        return {"a": random_letters(rows, 1), "b": random_letters(columns, 2)}

    def test_are_those_of_the_table(self):
        shapes = {(1, 1): (1, 2), (1, 100): (1, 7, 50), (100, 1): (1, 7, 1000), (21, 14): (1, 2, 20),
                  (97, 64): (32, 64, 96, 97, 2**62), (257, 130): (64, 100, 129, 256, 257, 258), (3, 2000): (2, 500),
                  (2000, 3): (3, 999)}
        for (rows, columns), everys in shapes.items():
            with self.subTest(rows=rows, columns=columns):
                self.compare(self.letters(rows, columns), LETTERS, LETTERS.get, everys, output=f"{rows}_{columns}.h5")

    def test_of_empty_sequences_are_empty(self):
        for rows, columns in ((0, 0), (0, 5), (5, 0)):
            inputs = {"a": {"values": [65] * rows, "type": "u8"}, "b": {"values": [67] * columns, "type": "u8"}}
            with self.subTest(rows=rows, columns=columns):
                result = self.compare(inputs, LETTERS, LETTERS.get, (3,), output=f"{rows}_{columns}.h5")
                self.assertEqual(result["local_affine_3/border_row_gaps"].shape, (len(kept_lines(rows, 3)), columns))

    def test_of_affine_gaps_hold_the_gaps_that_enter_the_cells_behind(self):
        everys = (50, 128, 1000)
        result = self.compare(self.letters(260, 310), ("local_affine", "global_affine", "decimals"), LETTERS.get,
                              everys)
        for kind, (first, following, least) in {"local_affine": (5, 2, 0), "decimals": (0.375, 0.25, 0),
                                                "global_affine": (3, 1, -numpy.inf)}.items():
            table = result[kind + "/table"][()]
            # What enters the first cells: a gap opened at the recurrence's border, which is 0 where ends are free.
            above, before = numpy.zeros(310), numpy.zeros(260)
            if kind == "global_affine":
                above, before = above - first, -(first + following * numpy.arange(260)) - first
            below = gaps_below(table, above, first, following, least)
            behind = gaps_below(table.T, before, first, following, least)
            for every in everys:
                borders = result[f"{kind}_{every}"]
                numpy.testing.assert_array_equal(borders["border_row_gaps"][()], below[kept_lines(260, every)])
                numpy.testing.assert_array_equal(borders["border_column_gaps"][()], behind[kept_lines(310, every)])
        self.assertNotIn("border_row_gaps", result["local_affine"])

    def test_let_a_table_go_on_from_them(self):
        result = self.compare(self.letters(200, 150), ("local_affine",), LETTERS.get, (90,))
        rows, columns = self.codes(result, "a", 200, 1), self.codes(result, "b", 150, 2)
        borders, table = result["local_affine_90"], result["local_affine/table"][()]
        above, gaps = borders["border_rows"][0].astype(int), borders["border_row_gaps"][0].astype(int)
        for i in range(90, 200):
            diagonal = left = gap = 0
            for j in range(150):
                score = diagonal + (1 if rows[i] == columns[j] else -3)
                diagonal, here = above[j], max(score, gap, gaps[j])
                gap, gaps[j] = max(gap - 2, here - 5, 0), max(gaps[j] - 2, here - 5, 0)
                above[j] = here
            numpy.testing.assert_array_equal(above, table[i])

    def codes(self, result, name, length, seed):
        """The letters of an input that the program makes, by a table of matches with each base."""
        stages = [wavefront(base, "smith_waterman", rows="a", columns=base, match=1, mismatch=0, gap=9, keep="table")
                  for base in "ACGT"]
        inputs = {"a": random_letters(length, seed), **{base: {"values": [ord(base)], "type": "u8"} for base in "ACGT"}}
        matches = self.run_job(inputs, stages, output=name + ".h5")
        found = numpy.stack([matches[base + "/table"][:, 0] for base in "ACGT"])
        self.assertTrue((found.sum(axis=0) == 1).all())
        return found.argmax(axis=0)

    def test_are_the_same_in_every_budget_and_schedule(self):
        kinds, everys = ("local_affine", "distance"), (500, 997, 5000)
        for number, budget in enumerate((150 << 10, 200 << 10, 4 << 20)):
            memory = {"host": 8 << 20, "device": budget}
            result = self.compare(self.letters(3100, 2300), kinds, LETTERS.get, everys, memory=memory,
                                  output=f"{number}.h5")
            names = [name.decode() for name in result["profile/stages/name"]]
            blocks = dict(zip(names, result["profile/stages/blocks"]))
            if number < 2:
                self.assertGreater(blocks["local_affine_500"], 1)
                self.assertGreater(blocks["local_affine_5000"], 1)  # cut where nothing is kept
        for schedule in ("registers", "peer_square", "hyperplane_barrier"):
            problems = {kind: (LETTERS[kind][0], {**LETTERS[kind][1], "schedule": schedule}) for kind in kinds}
            self.compare(self.letters(310, 290), kinds, problems.get, (100,), output=schedule + ".h5")


class OfSeries(BordersTest):
    def series(self, length, seed):
        return self.write(f"{seed}_{length}.npy", numpy.random.default_rng(seed).normal(size=length).cumsum())

    def test_are_those_of_the_table_and_infinite_beyond_the_window(self):
        shapes = {(1, 1): (1, 2), (1, 41): (1, 7), (41, 1): (1, 40), (130, 97): (1, 32, 64, 97), (400, 390): (90, 256)}
        for (rows, columns), everys in shapes.items():
            inputs = {"a": {"npy": self.series(rows, 1)}, "b": {"npy": self.series(columns, 2)}}
            with self.subTest(rows=rows, columns=columns):
                result = self.compare(inputs, SERIES, lambda kind: ("dtw", SERIES[kind]), everys,
                                      output=f"{rows}_{columns}.h5")
        self.assertTrue(numpy.isinf(result["windowed_90/border_rows"][0]).any())
        self.assertFalse(numpy.isinf(result["absolute_90/border_rows"][()]).any())


class Errors(BordersTest):
    def check_job(self, *parts, **settings):
        stage = wavefront("s", "edit_distance", **{"rows": "a", "columns": "b", **settings})
        job = self.write_job({"a": random_letters(50, 1), "b": random_letters(60, 2)}, [stage])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", *parts)

    def test_of_keys_say_what_would_be_right(self):
        self.check_job("keep: borders needs every", keep="borders")
        self.check_job("every", "at least 1", keep="borders", every=0)
        self.check_job("every", keep="borders", every=-3)
        self.check_job("every", keep="borders", every=2.5)
        self.check_job("every says how many rows and columns `keep: borders` keeps", every=10)
        self.check_job("every says how many", keep="table", every=10)

    def test_of_grids_have_no_borders(self):
        self.write("g.npy", numpy.zeros((3, 4), numpy.int32))
        job = self.write_job({"g": {"npy": "g.npy"}}, [wavefront("s", "summed_area", grid="g", keep="borders")])
        self.assertSays(self.terrace("check", job, expect=WRONG), "keep", "summed_area")

    def test_of_a_budget_too_small_name_one_that_does(self):
        stage = wavefront("s", "edit_distance", rows="a", columns="b", keep="borders", every=1009)
        job = self.write_job({"a": random_letters(5000, 1), "b": random_letters(5000, 2)}, [stage],
                             memory={"host": 64 << 20, "device": 16 << 10})
        ended = self.terrace("run", job, "--backend", "cpu", expect=WRONG)
        self.assertSays(ended, "memory.device is too small", "the least is")
        least = ended.stderr.split("the least is ")[1].split()
        self.terrace("run", job, "--backend", "cpu", "--set", f"memory.device={float(least[0]) + 1:.0f}{least[1]}")


if __name__ == "__main__":
    main()
