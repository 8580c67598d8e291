"""Sets of sequences: every pair is as a stage of its own computes it, at any budget, after any kill."""
import itertools

from set_runs import GAPS, PROBLEMS, SetTest, sequences, stages_of
from terrace_runs import WRONG, main, numpy, wavefront


class Scores(SetTest):
    def check(self, rows, columns, *arguments, kinds=PROBLEMS, pairs=None, **keys):
        inputs = {"a": self.set_of("a", rows), "b": self.set_of("b", columns)}
        stages = stages_of(kinds)
        result = self.run_job(inputs, stages, "--fresh", *arguments, **keys)
        every = list(itertools.product(range(len(rows)), range(len(columns))))
        for kind in kinds:
            self.assertEqual(result[kind]["score"].shape, (len(rows), len(columns)))
        self.check_singles(result, stages, inputs, pairs or every)
        return result

    def test_all_pairs_are_those_of_stages_of_their_own(self):
        self.check(sequences(7, 60, 1), sequences(6, 80, 2))

    def test_long_ones_among_short_ones(self):
        rows, columns = sequences(5, 5000, 3), sequences(5, 5000, 4)
        draw = numpy.random.default_rng(5)
        pairs = [(int(draw.integers(5)), int(draw.integers(5))) for _ in range(6)]
        self.check(rows, columns, pairs=sorted(set(pairs)))

    def test_axes_have_the_names_of_records(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]), "b": self.set_of("b", ["ACGT", "", "GGG"])}
        group = self.run_job(inputs, stages_of(["local", "edit"]))["local"]
        self.assertEqual([name.decode() for name in group["row"][()]], ["a0", "a1"])
        self.assertEqual([name.decode() for name in group["column"][()]], ["b0", "b1", "b2"])
        self.assertEqual([scale[0].name for scale in group["score"].dims], ["/local/row", "/local/column"])
        self.assertEqual(list(group["row_length"][()]), [4, 2])
        self.assertEqual(list(group["column_length"][()]), [4, 0, 3])
        self.assertEqual(group["score"].dtype, numpy.int64)
        self.assertEqual(group["end"].dtype, numpy.int64)
        self.assertEqual(self.open()["edit/score"][()].tolist(), [[0, 4, 3], [2, 2, 3]])

    def test_scores_of_a_narrower_type_on_request(self):
        inputs = {"a": self.set_of("a", sequences(9, 60, 17)), "b": self.set_of("b", sequences(8, 60, 18))}
        for more, name in (({}, "score"), ({"best": 3}, "hit_score")):
            wide = self.run_job(inputs, stages_of(["local", "edit"], **more), output="wide.h5")
            narrow = self.run_job(inputs, stages_of(["local", "edit"], type="i32", **more), "--fresh",
                                  output="narrow.h5")
            for kind in ("local", "edit"):
                self.assertEqual([made[kind][name].dtype for made in (wide, narrow)], [numpy.int64, numpy.int32])
                numpy.testing.assert_array_equal(wide[kind][name][()], narrow[kind][name][()])
            wide.close()
            narrow.close()
            (self.folder / "wide.h5").unlink()

    def test_xarray_selects_by_name(self):
        try:
            import xarray
        except ImportError:
            self.skipTest("xarray is not installed")
        self.run_job({"a": self.set_of("a", ["ACGT", "AC"]), "b": self.set_of("b", ["ACGT", "GGG"])},
                     stages_of(["edit"]))
        with xarray.open_dataset(self.folder / "result.h5", group="edit", engine="h5netcdf") as opened:
            self.assertEqual(int(opened["score"].sel(row="a1", column="b1")), 3)

    def test_one_sequence_against_a_set_has_one_axis(self):
        rows, columns = sequences(4, 50, 7), sequences(5, 50, 8)
        inputs = {"a": self.set_of("a", rows), "b": self.set_of("b", columns)}
        whole = self.run_job(inputs, stages_of(["local", "edit"]))
        one = {**inputs, "a": {"fasta": inputs["a"]["fasta"], "record": "a2"}}
        left = self.run_job(one, stages_of(["local", "edit"]), output="left.h5")
        one = {**inputs, "b": {"fasta": inputs["b"]["fasta"], "record": "b3"}}
        right = self.run_job(one, stages_of(["local", "edit"]), output="right.h5")
        for kind, name in (("local", "score"), ("local", "end"), ("edit", "score")):
            numpy.testing.assert_array_equal(left[kind][name][()], whole[kind][name][2])
            numpy.testing.assert_array_equal(right[kind][name][()], whole[kind][name][:, 3])
        self.assertNotIn("row", left["local"])
        self.assertEqual(int(left["local/row_length"][()]), len(rows[2]))

    def test_at_any_budget(self):
        rows, columns = sequences(300, 30, 9), sequences(250, 30, 10)
        inputs = {"a": self.set_of("a", rows), "b": self.set_of("b", columns)}
        stages = stages_of(["local", "decimals", "edit"])
        expected = self.run_job(inputs, stages)
        for host in ("900KiB", "1MiB", "2MiB"):
            result = self.run_job(inputs, stages, "--set", f"memory.host={host}", output=f"{host}.h5")
            for kind in ("local", "decimals", "edit"):
                numpy.testing.assert_array_equal(result[kind]["score"][()], expected[kind]["score"][()])
            if host == "900KiB":
                self.assertGreater(result["profile/stages/blocks"][0], 1)

    def test_survives_kills(self):
        inputs = {"a": self.set_of("a", sequences(60, 200, 13)), "b": self.set_of("b", sequences(60, 200, 14))}
        self.check_survives_kills(inputs, stages_of(["local"])[0], "score", "end", memory={"host": "1MiB"})

    def test_verify_computes_a_sample_again(self):
        inputs = {"a": self.set_of("a", sequences(9, 200, 15)), "b": self.set_of("b", sequences(9, 200, 16))}
        self.run_job(inputs, stages_of(["local", "decimals", "edit"]))
        said = self.terrace("verify", "result.h5", "--sample", "1").stdout
        for part in ("local/score, end: 9 of 9 parts of rows computed again, equal",
                     "edit/score: 9 of 9 parts of rows computed again, equal"):
            self.assertIn(part, said)


class Pairs(SetTest):
    """Lists of pairs in place of a matrix."""

    def setUp(self):
        super().setUp()
        self.inputs = {"a": self.set_of("a", sequences(9, 120, 21)), "b": self.set_of("b", sequences(9, 120, 22))}
        self.matrix = self.run_job(self.inputs, stages_of(["local", "decimals", "edit"]), output="matrix.h5")

    def check(self, pairs, expected, inputs=None, *arguments, matrix=None, **keys):
        inputs, matrix = inputs or self.inputs, matrix or self.matrix
        stages = [{**stage, "wavefront": {**stage["wavefront"], "pairs": pairs}}
                  for stage in stages_of(["local", "decimals", "edit"])]
        if inputs is not self.inputs and "b" not in inputs:
            for stage in stages:
                stage["wavefront"]["columns"] = "a"
        result = self.run_job(inputs, stages, "--fresh", *arguments, **keys)
        rows, columns = zip(*expected) if expected else ((), ())
        for kind, name in (("local", "score"), ("local", "end"), ("decimals", "score"), ("edit", "score")):
            numpy.testing.assert_array_equal(result[kind][name][()], matrix[kind][name][()][list(rows), list(columns)])
        return result

    def test_same(self):
        self.check("same", [(i, i) for i in range(9)])

    def test_upper(self):
        one = {"a": self.inputs["a"]}
        stages = stages_of(["local", "decimals", "edit"])
        for stage in stages:
            stage["wavefront"]["columns"] = "a"
        matrix = self.run_job(one, stages, output="one.h5")
        expected = [(i, j) for i in range(9) for j in range(i + 1, 9)]
        for host in ("1GiB", "1MiB"):
            self.check("upper", expected, one, "--set", f"memory.host={host}", matrix=matrix)

    def test_by_index_and_by_name(self):
        draw = numpy.random.default_rng(3)
        expected = [(int(i), int(j)) for i, j in draw.integers(0, 9, (40, 2))]
        given = {**self.inputs, "p": {"npy": self.write("p.npy", numpy.array(expected, "i4"))}}
        for host in ("1GiB", "1MiB"):
            result = self.check("p", expected, given, "--set", f"memory.host={host}")
            numpy.testing.assert_array_equal(result["edit/pair"][()], expected)
        self.check([[f"a{i}", f"b{j}"] for i, j in expected], expected)
        self.check([[str(i), f"b{j}"] for i, j in expected], expected)

    def test_sets_are_read_in_parts(self):
        inputs = {"a": self.set_of("a", sequences(150, 2000, 61)), "b": self.set_of("b", sequences(150, 2000, 62))}
        draw = numpy.random.default_rng(6)
        inputs["p"] = {"npy": self.write("p.npy", draw.integers(0, 150, (150, 2)))}
        stages = [wavefront("given", "edit_distance", rows="a", columns="b", pairs="p"),
                  wavefront("same", "smith_waterman", rows="a", columns="b", pairs="same", **GAPS)]
        whole = self.run_job(inputs, stages, output="whole.h5")
        parts = self.run_job(inputs, stages, "--set", "memory.host=1MiB", output="parts.h5")
        for stage, names in (("given", ("score",)), ("same", ("score", "end"))):
            for name in names:
                numpy.testing.assert_array_equal(parts[stage][name][()], whole[stage][name][()])

    def test_an_empty_list(self):
        given = {**self.inputs, "p": {"npy": self.write("p.npy", numpy.zeros((0, 2), "i8"))}}
        result = self.run_job(given, [wavefront("s", "lcs", rows="a", columns="b", pairs="p")])
        self.assertEqual(result["s/score"].shape, (0,))

    def test_wrong(self):
        short = {**self.inputs, "b": self.set_of("c", ["A", "C"])}
        wrong = {"same": (short, "there are 9 and 2"),
                 "upper": (self.inputs, "the same set, and here they are 'a' and 'b'"),
                 "p": ({**self.inputs, "p": {"values": [0, 1, 2]}}, "'p' is 3; give pairs as n x 2"),
                 "q": ({**self.inputs, "q": {"values": [0, 1, 2, 9]}}, "9 is no index of the 9 items of the columns")}
        for pairs, (inputs, part) in wrong.items():
            job = self.write_job(inputs, [wavefront("s", "lcs", rows="a", columns="b", pairs=pairs)])
            self.assertSays(self.terrace("check", job, expect=WRONG), part)
        job = self.write_job(self.inputs, [wavefront("s", "lcs", rows="a", columns="b", pairs=[["a1", "x"]])])
        self.assertSays(self.terrace("check", job, expect=WRONG),
                        "pair 0: 'x' is neither the name nor the index of one of the 9 items of the columns")

    def test_verify_and_kills(self):
        given = {**self.inputs, "p": {"npy": self.write("p.npy", numpy.random.default_rng(1).integers(0, 9, (600, 2)))}}
        stage = wavefront("s", "smith_waterman", rows="a", columns="b", pairs="p", **GAPS)
        self.run_job(given, [stage])
        self.assertIn("s/score, end: 3 of 3 parts computed again, equal",
                      self.terrace("verify", "result.h5", "--sample", "1").stdout)
        self.check_survives_kills(given, stage, "score", "end", "pair", memory={"host": "1MiB"})


if __name__ == "__main__":
    main()
