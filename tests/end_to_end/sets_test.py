"""Sets of sequences and series: every pair is as a stage of its own computes it, at any budget, after any kill."""
import gzip
import itertools
import re

from terrace_runs import DONE, FAILED, WRONG, JobTest, h5py, main, mutated, numpy, random_text, wavefront

GAPS = {"match": 2, "mismatch": -3, "gap_open": 3, "gap_extend": 1}
LINEAR = {"match": 1, "mismatch": -1, "gap": 2}
DECIMALS = {"match": 1.5, "mismatch": -0.5, "gap": 1.25}
# Settings of every problem on letters.
PROBLEMS = {
    "local": ("smith_waterman", GAPS), "local_linear": ("smith_waterman", LINEAR),
    "decimals": ("smith_waterman", DECIMALS), "whole": ("needleman_wunsch", GAPS),
    "ends": ("needleman_wunsch", {**GAPS, "free_ends": "both"}),
    "found": ("needleman_wunsch", {**LINEAR, "free_ends": "columns"}),
    "edit": ("edit_distance", {}), "common": ("lcs", {}),
}


def sequences(count, longest, seed):
    """Related and unrelated sequences of lengths from 0 to `longest`, the first one empty."""
    draw = numpy.random.default_rng(seed)
    ancestor = random_text(longest, seed)
    found = [""]
    for number in range(1, count):
        length = int(draw.integers(0, longest + 1))
        start = int(draw.integers(0, longest + 1 - length))
        part = ancestor[start:start + length] if number % 3 else random_text(length, seed + number)
        found.append(mutated(part, seed + number)[:longest])
    return found


class SetTest(JobTest):
    always = {"backend": "cpu"}

    def set_of(self, name, letters, **keys):
        """A FASTA file of all of them, named NAME0, NAME1, ..., as a set."""
        text = "".join(f">{name}{number} of {len(one)}\n" + "".join(one[at:at + 60] + "\n" for at in range(0, len(one), 60))
                       for number, one in enumerate(letters))
        return {"fasta": self.write(f"{name}.fa", text), "records": "all", **keys}

    def singles(self, inputs, stages, pairs, output="single.h5"):
        """Every pair of two files by a stage of its own. @return of each stage a list of its groups, by pair"""
        named, made = {}, []
        for row, column in pairs:
            for side, number in (("a", row), ("b", column)):
                named[f"{side}{number}"] = {"fasta": inputs[side]["fasta"], "record": f"{side}{number}"}
            for stage in stages:
                settings = {**stage["wavefront"], "rows": f"a{row}", "columns": f"b{column}"}
                made.append({"name": f"{stage['name']}_{row}_{column}", "wavefront": settings})
        result = self.run_job(named, made, "--fresh", output=output, name="single.yaml")
        return {stage["name"]: {pair: result[f"{stage['name']}_{pair[0]}_{pair[1]}"] for pair in pairs}
                for stage in stages}


def stages_of(kinds=PROBLEMS, **more):
    return [wavefront(kind, PROBLEMS[kind][0], **{"rows": "a", "columns": "b", **PROBLEMS[kind][1], **more}) for kind in kinds]


class Scores(SetTest):
    def check(self, rows, columns, *arguments, kinds=PROBLEMS, pairs=None, **keys):
        inputs = {"a": self.set_of("a", rows), "b": self.set_of("b", columns)}
        stages = stages_of(kinds)
        result = self.run_job(inputs, stages, "--fresh", *arguments, **keys)
        every = list(itertools.product(range(len(rows)), range(len(columns))))
        singles = self.singles(inputs, stages, pairs or every)
        for kind, groups in singles.items():
            self.assertEqual(result[kind]["score"].shape, (len(rows), len(columns)))
            for (row, column), group in groups.items():
                with self.subTest(kind=kind, row=row, column=column):
                    self.assertEqual(result[kind]["score"][row, column], group["score"][()])
                    self.assertEqual("end" in result[kind], "end" in group)
                    if "end" in group:
                        self.assertEqual(list(result[kind]["end"][row, column]), list(group["end"][()]))
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
            narrow = self.run_job(inputs, stages_of(["local", "edit"], type="i32", **more), "--fresh", output="narrow.h5")
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
        wrong = {"same": (short, "there are 9 and 2"), "upper": (self.inputs, "the same set, and here they are 'a' and 'b'"),
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


def best_of(row, count, least, limit=None):
    """Columns and scores of the best ones of a row of scores, ties to the lower column."""
    columns = [j for j in range(len(row)) if limit is None or (row[j] <= limit if least else row[j] >= limit)]
    columns.sort(key=lambda j: (row[j] if least else -row[j], j))
    return columns[:count]


class Best(SetTest):
    def setUp(self):
        super().setUp()
        letters = sequences(300, 30, 31)
        self.inputs = {"a": self.set_of("a", sequences(200, 30, 32)), "b": self.set_of("b", letters + letters[:9])}
        self.matrix = self.run_job(self.inputs, stages_of(["local", "decimals", "edit"]), output="matrix.h5")

    def check(self, count, *arguments, limit=None, **keys):
        more = {"best": count}
        stages = stages_of(["local", "decimals"], **more, **({} if limit is None else {"at_least": limit}))
        stages += stages_of(["edit"], **more, **({} if limit is None else {"at_most": limit}))
        result = self.run_job(self.inputs, stages, "--fresh", *arguments, **keys)
        for kind in ("local", "decimals", "edit"):
            self.assertNotIn("score", result[kind])
            scores = self.matrix[kind]["score"][()]
            for row, of_row in enumerate(scores):
                wanted = best_of(of_row, count, kind == "edit", limit)
                hits = result[kind]["hit"][row]
                self.assertEqual(list(hits), wanted + [-1] * (count - len(wanted)))
                numpy.testing.assert_array_equal(result[kind]["hit_score"][row][:len(wanted)], of_row[wanted])
        return result

    def test_of_each_row(self):
        for count in (1, 5, 320):
            for host in ("1GiB", "1MiB"):
                self.check(count, "--set", f"memory.host={host}")

    def test_with_a_limit(self):
        self.check(6, limit=18)

    def test_of_one_row(self):
        one = {**self.inputs, "a": {"fasta": self.inputs["a"]["fasta"], "record": "a4"}}
        result = self.run_job(one, stages_of(["edit"], best=4))
        self.assertEqual(list(result["edit/hit"][()]), best_of(self.matrix["edit/score"][4], 4, True))

    def test_verify_and_kills(self):
        self.run_job(self.inputs, stages_of(["local"], best=3))
        said = self.terrace("verify", "result.h5", "--sample", "1").stdout
        self.assertIn("local/hit, hit_score: 200 of 200 rows computed again, equal", said)
        self.check_survives_kills(self.inputs, stages_of(["local"], best=3)[0], "hit", "hit_score",
                                  memory={"host": "1MiB"})

    def test_wrong(self):
        for settings, part in (({"best": 0}, "best"), ({"best": 2, "pairs": "same"}, "`best` ranks all columns")):
            job = self.write_job({**self.inputs, "b": self.inputs["a"]}, stages_of(["edit"], **settings))
            self.assertSays(self.terrace("check", job, expect=WRONG), part)


class Limits(SetTest):
    def setUp(self):
        super().setUp()
        self.inputs = {"a": self.set_of("a", sequences(300, 30, 41)), "b": self.set_of("b", sequences(260, 30, 42))}
        self.matrix = self.run_job(self.inputs, stages_of(["local", "decimals", "edit"]), output="matrix.h5")

    def check(self, limit, *arguments, **keys):
        stages = stages_of(["local", "decimals"], at_least=limit) + stages_of(["edit"], at_most=limit)
        result = self.run_job(self.inputs, stages, "--fresh", *arguments, **keys)
        for kind in ("local", "decimals", "edit"):
            scores = self.matrix[kind]["score"][()]
            wanted = numpy.argwhere(scores <= limit if kind == "edit" else scores >= limit)
            numpy.testing.assert_array_equal(result[kind]["pair"][()].reshape(-1, 2), wanted)
            numpy.testing.assert_array_equal(result[kind]["score"][()], scores[wanted[:, 0], wanted[:, 1]])
        return result

    def test_lists_are_those_of_the_matrix(self):
        for limit in (0, 15, 25, 1000):
            for host in ("1GiB", "1MiB"):
                with self.subTest(limit=limit, host=host):
                    self.check(limit, "--set", f"memory.host={host}")

    def test_of_a_list(self):
        pairs = numpy.random.default_rng(2).integers(0, 41, (500, 2))
        given = {**self.inputs, "p": {"npy": self.write("p.npy", pairs)}}
        result = self.run_job(given, [wavefront("s", "edit_distance", rows="a", columns="b", pairs="p", at_most=12)])
        scores = self.matrix["edit/score"][()][pairs[:, 0], pairs[:, 1]]
        numpy.testing.assert_array_equal(result["s/pair"][()], pairs[scores <= 12])
        numpy.testing.assert_array_equal(result["s/score"][()], scores[scores <= 12])

    def test_verify_and_kills(self):
        self.check(20)
        said = self.terrace("verify", "result.h5", "--sample", "1").stdout
        self.assertIn("local/pair, score:", said)
        self.assertNotIn("DIFFERENT", said)
        self.check_survives_kills(self.inputs, stages_of(["local"], at_least=30)[0], "pair", "score",
                                  memory={"host": "1MiB"})

    def test_no_later_stage_reads_a_list(self):
        job = self.write_job(self.inputs, [*stages_of(["edit"], at_most=5), wavefront("t", "summed_area", grid="edit/pair")])
        self.assertSays(self.terrace("check", job, expect=WRONG), "the length of 'edit/pair' is known when its stage has run")


class Alignments(SetTest):
    def setUp(self):
        super().setUp()
        self.inputs = {"a": self.set_of("a", sequences(8, 90, 51)), "b": self.set_of("b", sequences(9, 90, 52))}

    def check(self, kind, group, pairs, singles):
        """Alignments are those of stages of their own. @param pairs by their place in the datasets"""
        begins, cigars = group["cigar_begin"][()], group["cigar"][()].tobytes()
        self.assertEqual(begins[0], 0)
        self.assertEqual(begins[-1], len(cigars))
        for number, (at, pair) in enumerate(pairs):
            cigar = cigars[begins[number]:begins[number + 1]].decode()
            if pair is None:
                self.assertEqual(cigar, "")
                continue
            single = singles[kind][pair]
            with self.subTest(kind=kind, pair=pair):
                self.assertEqual(cigar, single["cigar"][()].decode())
                for name in ("start", "end"):
                    self.assertEqual(list(group[name][at]), list(single[name][()]))
                self.assertEqual(group["identity"][at], single["identity"][()])

    def test_of_listed_pairs(self):
        stages = stages_of(keep="alignment")
        expected = [(int(i), int(j)) for i, j in numpy.random.default_rng(5).integers(0, 8, (20, 2))]
        singles = self.singles(self.inputs, stages, sorted(set(expected)))
        for host in ("1GiB", "4MiB"):
            for pairs, wanted in (([[f"a{i}", f"b{j}"] for i, j in expected], expected),):
                listed = stages_of(keep="alignment", pairs=pairs)
                result = self.run_job(self.inputs, listed, "--fresh", "--set", f"memory.host={host}")
                for kind in PROBLEMS:
                    self.check(kind, result[kind], list(enumerate(wanted)), singles)

    def test_of_hits(self):
        singles = self.singles(self.inputs, stages_of(["local", "edit"], keep="alignment"),
                               list(itertools.product(range(8), range(9))))
        result = self.run_job(self.inputs, stages_of(["local", "edit"], keep="alignment", best=12))
        for kind in ("local", "edit"):
            hits = result[kind]["hit"][()]
            pairs = [((i, rank), None if hits[i, rank] < 0 else (i, int(hits[i, rank])))
                     for i in range(8) for rank in range(12)]
            self.check(kind, result[kind], pairs, singles)

    def test_of_pairs_beyond_a_limit(self):
        singles = self.singles(self.inputs, stages_of(["local", "edit"], keep="alignment"),
                               list(itertools.product(range(8), range(9))))
        for limit in (-1, 40, 10000):
            stages = stages_of(["local"], keep="alignment", at_least=limit)
            stages += stages_of(["edit"], keep="alignment", at_most=limit)
            result = self.run_job(self.inputs, stages, "--fresh")
            for kind in ("local", "edit"):
                pairs = [(at, (int(i), int(j))) for at, (i, j) in enumerate(result[kind]["pair"][()])]
                self.check(kind, result[kind], pairs, singles)

    def test_survives_kills(self):
        names = ("pair", "score", "start", "end", "identity", "cigar", "cigar_begin")
        self.check_survives_kills(self.inputs, stages_of(["local"], keep="alignment", at_least=20)[0], *names,
                                  memory={"host": "4MiB"})

    def test_wrong(self):
        job = self.write_job(self.inputs, stages_of(["edit"], keep="alignment"))
        self.assertSays(self.terrace("check", job, expect=WRONG), "say which by `best`, `at_most` or `pairs`")


class Lines(SetTest):
    def test_tsv_and_paf_have_the_names(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]), "b": self.set_of("b", ["ACGT", "", "GGG"])}
        stages = [wavefront("m", "edit_distance", rows="a", columns="b"),
                  wavefront("h", "edit_distance", rows="a", columns="b", best=2, keep="alignment"),
                  wavefront("l", "edit_distance", rows="a", columns="b", at_most=2),
                  wavefront("u", "edit_distance", rows="b", columns="b", pairs="upper")]
        self.run_job(inputs, stages)

        def lines(stage, flag):
            return self.terrace("show", "result.h5", stage, flag).stdout

        self.assertEqual(lines("m", "--tsv"), "row\tcolumn\tscore\na0\tb0\t0\na0\tb1\t4\na0\tb2\t3\n"
                                              "a1\tb0\t2\na1\tb1\t2\na1\tb2\t3\n")
        self.assertEqual(lines("l", "--tsv"), "row\tcolumn\tscore\na0\tb0\t0\na1\tb0\t2\na1\tb1\t2\n")
        self.assertEqual(lines("u", "--tsv"), "row\tcolumn\tscore\nb0\tb1\t4\nb0\tb2\t3\nb1\tb2\t3\n")
        self.assertIn("a1\tb0\t0\t2\t0\t0\t2\t4\t0.5\t2=2D\n", lines("h", "--tsv"))
        paf = lines("h", "--paf").splitlines()
        self.assertEqual(len(paf), 4)
        self.assertEqual(paf[2], "a1\t2\t0\t2\t+\tb0\t4\t0\t4\t2\t4\t255\tNM:i:2\tcg:Z:2=2D")
        self.assertSays(self.terrace("show", "result.h5", "m", "--paf", expect=WRONG), "has no alignments")
        self.assertSays(self.terrace("show", "result.h5", "nothing", "--tsv", expect=WRONG), "has no pairs of sets")


class Series(SetTest):
    def test_pairs_of_rows_are_those_of_stages_of_their_own(self):
        draw = numpy.random.default_rng(1)
        for kind, settings in (("f4", {}), ("f8", {"steps": "symmetric2", "cost": "squared"}), ("i2", {"window": 40})):
            left, right = ((draw.normal(size=(count, 40)) * 100).astype(kind) for count in (5, 6))
            lengths = [draw.integers(1, 41, count) for count in (5, 6)]
            files = {"a": self.write("a.npy", left), "b": self.write("b.npy", right)}
            ends = {}
            if kind != "i2":
                for name, table, all_lengths in (("a", left, lengths[0]), ("b", right, lengths[1])):
                    for row, length in zip(table, all_lengths):
                        row[length:] = numpy.nan
                    self.write(f"{name}.npy", table)
                ends = {"end": "nan"}
            inputs = {name: {"npy": path, "each": "row", **ends} for name, path in files.items()}
            stage = wavefront("s", "dtw", rows="a", columns="b", **settings)
            result = self.run_job(inputs, [stage], "--fresh")["s"]
            named, stages = {}, []
            for i, j in itertools.product(range(5), range(6)):
                length = [40, 40] if kind == "i2" else [int(lengths[0][i]), int(lengths[1][j])]
                named[f"a{i}"] = {"npy": files["a"], "select": [i, [0, length[0]]]}
                named[f"b{j}"] = {"npy": files["b"], "select": [j, [0, length[1]]]}
                stages.append(wavefront(f"s_{i}_{j}", "dtw", rows=f"a{i}", columns=f"b{j}", **settings))
            singles = self.run_job(named, stages, "--fresh", output="single.h5", name="single.yaml")
            for i, j in itertools.product(range(5), range(6)):
                self.assertEqual(result["score"][i, j], singles[f"s_{i}_{j}/score"][()], (kind, i, j))
            self.assertEqual(result["row"][()].tolist(), list(range(5)))


    def test_least_budgets(self):
        self.write("a.raw", numpy.random.default_rng(2).normal(size=(40, 300)).tobytes())
        table = {"external": "a.raw", "type": "f64", "shape": [40, 300], "each": "row"}
        job = self.write_job({"a": table}, [wavefront("s", "dtw", rows="a", columns="a")])
        ended = self.terrace("plan", job, "--set", "memory.host=20KiB", expect=WRONG)
        least = re.search(r"memory.host is too small for any plan of this stage: the least is ([0-9.]+) (\w+)",
                          ended.stderr)
        self.assertIsNotNone(least, ended.stderr)
        self.terrace("run", job, "--set", "memory.host=" + "".join(least.groups()))


class Wrong(SetTest):
    def check(self, inputs, stage, *parts):
        self.assertSays(self.terrace("check", self.write_job(inputs, [stage]), expect=WRONG), *parts)

    def test_a_set_where_one_array_is_wanted(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]),
                  "t": {"npy": self.write("t.npy", numpy.zeros((3, 4), "f4")), "each": "row"}}
        self.check(inputs, wavefront("s", "summed_area", grid="t"),
                   "'t' is a set of 3 items, and `grid` takes one array", "without `each`")
        self.check(inputs, wavefront("s", "summed_area", grid="a"),
                   "'a' is a set of 2 items, and `grid` takes one array", "`record: NAME`")

    def test_kinds_that_do_not_fit(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]),
                  "t": {"npy": self.write("t.npy", numpy.zeros((3, 4), "f4")), "each": "row"}}
        self.check(inputs, stages_of(["edit"])[0] | {"wavefront": {"problem": "edit_distance", "rows": "a", "columns": "t"}},
                   "'t' is a set of series of f32")
        self.check(inputs, wavefront("s", "dtw", rows="t", columns="a"), "'a' holds letters of a sequence")

    def test_keys(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]), "b": self.set_of("b", ["ACGT"])}
        self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="b", keep="table"),
                   "`keep: table` is of one table")
        self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="b", schedule="tiles"), "schedule")
        for key, value in (("record", "a0"), ("range", [0, 1])):
            self.check({**inputs, "b": {**inputs["b"], key: value}}, stages_of(["edit"])[0],
                       f"{key}: is of one record, and `records: all` makes a set of all")

    def test_keys_of_sets_for_one_pair(self):
        inputs = {"a": self.fasta("a", "ACGT")}
        for key, value in (("best", 2), ("pairs", "same"), ("at_most", 3)):
            self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="a", **{key: value}),
                       f"`{key}` is of sets, and rows and columns are one pair")

    def test_series(self):
        inputs = {"a": {"npy": self.write("a.npy", numpy.array([[1, numpy.nan], [numpy.nan] * 2])), "each": "row",
                        "end": "nan"}}
        self.check(inputs, wavefront("s", "dtw", rows="a", columns="a"), "item 1 of 'a' is empty")
        self.check({"a": {"values": [1, 2, 3], "each": "row"}}, wavefront("s", "dtw", rows="a", columns="a"),
                   "each: a set of series is made of the rows of an array of two dimensions")
        self.check({"a": {"npy": self.write("b.npy", numpy.zeros((0, 3))), "each": "row"}},
                   wavefront("s", "dtw", rows="a", columns="a"), "each: the array has no rows")
        self.check({"a": {"npy": self.write("c.npy", numpy.zeros((2, 3), "i4")), "each": "row", "end": "nan"}},
                   wavefront("s", "dtw", rows="a", columns="a"), "end: the array is of i32, which has no NaN")
        self.check({"a": {"npy": self.write("c.npy", numpy.zeros((2, 3))), "end": "nan"}},
                   wavefront("s", "dtw", rows="a", columns="a"), "end: say `each: row`, too")

    def test_values_that_are_no_numbers(self):
        table = numpy.array([[1, 2, 3, 4], [1, numpy.nan, 3, numpy.nan]])
        stage = wavefront("s", "dtw", rows="a", columns="a")
        for ends, element in (({"end": "nan"}, 1), ({}, 1)):
            job = self.write_job({"a": {"npy": self.write("a.npy", table), "each": "row", **ends}}, [stage])
            ended = self.terrace("run", job, "--fresh", expect=FAILED)
            self.assertSays(ended, f"stage 's': 'a', item 1, element {element} (", "a.npy): nan is no finite number",
                            "`end: nan` takes it away from their ends")

    def test_a_letter_that_is_none(self):
        path = self.write("a.fa", ">x\nACGT\n>y\nAC\nET\n")
        job = self.write_job({"a": {"fasta": path, "records": "all"}}, stages_of(["edit"], columns="a"))
        self.assertSays(self.terrace("run", job, expect=FAILED), "'a', item 'y', element 2 (", "a.fa:5:1): 'E' is no DNA letter")
        job = self.write_job({"a": {"fasta": path, "records": "all", "reverse_complement": True}},
                             stages_of(["edit"], columns="a", alphabet="protein"))
        self.assertSays(self.terrace("check", job, expect=WRONG), "reverse_complement: ", "a.fa:5:1: the letter 'E' has no complement")

    def test_one_sequence_is_made_of_one(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]), "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}}}
        self.check(inputs, wavefront("s", "edit_distance", rows="b", columns="a"),
                   "mutate.of: 'a' is a set of 2 items, and one sequence is mutated", "`record: NAME`")

    def test_lists_of_pairs(self):
        inputs = {"a": self.set_of("seq_", ["ACGT", "AC", "G"])}
        for pairs, part in (([["seq_0", "seq_9_"]], "pair 0: 'seq_9_' is neither the name nor the index of one of the 3 items "
                             "of the columns; did you mean 'seq_0' or 'seq_1' or 'seq_2'?"),
                            ([["0", "1"], ["3", "0"]], "pair 1: '3' is neither"), ([["0", "-1"]], "pair 0: '-1' is neither")):
            self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="a", pairs=pairs), part)

    def test_names_that_are_there_twice_get_numbers(self):
        path = self.write("a.fa", ">x\nAC\n>y\nA\n>x\nACG\n>x#2\nT\n>x\nG\n")
        ended = self.terrace("run", self.write_job({"a": {"fasta": path, "records": "all"}},
                                                   [wavefront("s", "lcs", rows="a", columns="a")]))
        self.assertSays(ended, "names of records in ", "(2 names changed): 'x' at ", "a.fa:5 is there again, and becomes 'x#3'")
        self.assertEqual([name.decode() for name in self.open()["s/row"][()]], ["x", "y", "x#3", "x#2", "x#4"])
        for name in ("x", "x#3"):
            job = self.write_job({"a": {"fasta": path, "records": "all"}},
                                 [wavefront("s", "lcs", rows="a", columns="a", pairs=[["y", name], ["2", "2"]])])
            ended = self.terrace("check", job, expect=WRONG if name == "x" else DONE)
            if name == "x":
                self.assertSays(ended, "pair 0: 'x' is the name of several records of the columns: give the records "
                                       "names of their own, or pair them by index")

    def test_records_without_a_name_are_called_by_their_index(self):
        path = self.write("a.fa", ">\nAC\n>y\nA\n> \nACG\n")
        ended = self.terrace("run", self.write_job({"a": {"fasta": path, "records": "all"}},
                                                   [wavefront("s", "lcs", rows="a", columns="a")]))
        self.assertSays(ended, "2 records of ", "have no name, and are called by their index", "a.fa:1 becomes '0'")
        self.assertEqual([name.decode() for name in self.open()["s/row"][()]], ["0", "y", "2"])


class Files(SetTest):
    """Files of sequences as people have them."""

    def distances(self, given, **keys):
        """Names of a set, and the edit distances of all its pairs."""
        result = self.run_job({"a": {**given, "records": "all", **keys}}, stages_of(["edit"], columns="a"), "--fresh")
        return [name.decode() for name in result["edit/row"][()]], result["edit/score"][()].tolist()

    def refuse(self, kind, content, *parts):
        name = "bad." + ("fa" if kind == "fasta" else "fq") + (".gz" if content[:2] == b"\x1f\x8b" else "")
        job = self.write_job({"a": {kind: self.write(name, content), "records": "all"}}, stages_of(["edit"], columns="a"))
        ended = self.terrace("check", job, expect=WRONG)
        self.assertSays(ended, "job.yaml:4:3: input 'a': ", name, *parts)

    def test_fasta(self):
        expected = (["x", "y", "z"], [[0, 1, 5], [1, 0, 4], [5, 4, 0]])
        plain = ">x\nACGTA\n>y\nACGT\n>z\n"
        for content in (plain, plain.lower(), plain.replace("\n", "\r\n"), "\n\n" + plain.replace("\n", "\n\n"), plain[:-1],
                        "\ufeff" + plain, ";of\n" + plain.replace("CG", "C G\t\n;comment\n"),
                        plain.replace(">x", ">x a\tlong header").replace(">y", ">\t y\tz").replace(">z", "> z")):
            for name, written in (("a.fa", content.encode()), ("a.fa.gz", gzip.compress(content.encode()))):
                with self.subTest(content=content, name=name):
                    self.assertEqual(self.distances({"fasta": self.write(name, written)}), expected)

    def test_fastq(self):
        expected = (["x", "y", "z"], [[0, 1, 5], [1, 0, 4], [5, 4, 0]])
        plain = "@x 1\nACGTA\n+\n@>+I;\n@y\nACGT\n+y\n@@@@\n@z\n\n+\n\n"
        for content in (plain, plain.replace("\n", "\r\n"), plain[:-1], plain + "\n\n", plain.replace("ACGT", "AC\nGT"),
                        plain.replace("@@@@", "@@\n@@")):
            for name, written in (("a.fq", content.encode()), ("a.fq.gz", gzip.compress(content.encode()))):
                with self.subTest(content=content, name=name):
                    self.assertEqual(self.distances({"fastq": self.write(name, written)}), expected)

    def test_opposite_strands(self):
        for name, content in (("a.fa", ">x\nAAC\nG\n>y\n>z\nACGN\n"), ("a.fq", "@x\nAAC\nG\n+\nIIII\n@y\n\n+\n@z\nACGN\n+\nIIII\n")):
            for written in (content.encode(), gzip.compress(content.encode())):
                kind = "fasta" if name == "a.fa" else "fastq"
                given = {"a": {kind: self.write(name, written), "records": "all", "reverse_complement": True},
                         "b": self.set_of("b", ["CGTT", "", "NCGT"])}
                result = self.run_job(given, stages_of(["edit"], pairs="same"), "--fresh")
                self.assertEqual(result["edit/score"][()].tolist(), [0, 0, 0])
                self.assertEqual([name.decode() for name in result["edit/row"][()]], ["x/rc", "y/rc", "z/rc"])

    def test_bad_fasta(self):
        for content, parts in ((b"", ["has no record: no line begins with '>'"]), (b"\n\n", ["has no record"]),
                               (gzip.compress(b""), ["has no record"]), (b"ACGT\n", [":1:1: letters before the first record"]),
                               (b">x\nACGT\n>y\nAC1\n", [":4:3: '1' has no place in FASTA"]),
                               (b">x\rACGT\r>y\rAC\r", [":1:3: a carriage return in a line", "mac2unix"]),
                               (">x\nACGT\n".encode("utf-16"), ["is UTF-16: write it as UTF-8"]),
                               (gzip.compress(b">x\n" + b"ACGTGA\n" * 999)[:-9], ["the gzip data end too soon"]),
                               (b"BZh91AY", ["is compressed with bzip2", "bunzip2 -k"])):
            with self.subTest(content=content[:20]):
                self.refuse("fasta", content, *parts)

    def test_bad_fastq(self):
        good = b"@x\nACGT\n+\nIIII\n"
        for content, parts in ((b"", ["has no record: no line begins with '@'"]), (b">x\nAC\n", [":1:1: a FASTQ file begins with"]),
                               (good + b"@y\nAC\n", [":5: the record that begins here has no end; the file was cut short"]),
                               (good + b"@y\nAC\n+\nI", [":5: the record that begins here has no end"]),
                               (b"@x\nACGT\n+\nIIIII\n", [":4:1: the record of line 1 has 4 letters, and with this line 5 qualities"]),
                               (b"@x\nACGT\n+\nIII\n" + good, [":5:1: the record of line 1 has 4 letters, and with this line 5 qualities"]),
                               (good + b"@y\nAC\n+z\nII\n", [":7:2: behind '+' stands another header"]),
                               (good + b"@y\nA1\n+\nII\n", [":6:2: '1' has no place in a sequence"]),
                               (good + b"@y\nAC\n+\nI \n", [":8:2: ' ' is no quality"]),
                               (gzip.compress(good * 999)[:-9], ["the gzip data end too soon"])):
            with self.subTest(content=content[:60]):
                self.refuse("fastq", content, *parts)


class Names(SetTest):
    """Pairs by the names of a table."""

    def setUp(self):
        super().setUp()
        self.inputs = {"a": self.set_of("a", ["ACGT", "AC", "G"]), "b": self.set_of("b", ["ACG", "", "T"])}

    def job(self, kind, content, **keys):
        table = {kind: self.write("pairs", content), "names": True, **keys}
        return {**self.inputs, "p": table}, [wavefront("s", "edit_distance", rows="a", columns="b", pairs="p")]

    def refuse(self, *parts, table):
        self.assertSays(self.terrace("check", self.write_job(*table), expect=WRONG), *parts)

    def test_tables_as_people_have_them(self):
        for table in (self.job("csv", "a0,b2\na2,b0\na0,b1\n"), self.job("csv", "row,column\na0,b2\na2,b0\na0,b1\n", header=True),
                      self.job("csv", "query\tsubject\r\na0\tb2\r\n\r\na2\tb0\r\na0\tb1\r\n", header=True, separator="tab"),
                      self.job("csv", ',q,s\n0,"a0",b2\n1,a2,"b0"\n2,a0,b1\n', header=True),
                      self.job("text", "# of two sets\na0 b2\na2   b0\na0\tb1\n"),
                      self.job("csv", gzip.compress(b"a0,b2\na2,b0\na0,b1\n")), self.job("csv", "a0,b2\n", shape=[1, 2])):
            self.terrace("run", self.write_job(*table), "--fresh")
            expected = [[0, 2], [2, 0], [0, 1]]
            pairs = self.open()["s/pair"][()].tolist()
            self.assertEqual(pairs, expected[:len(pairs)])
            self.assertEqual(self.open()["s/score"][()].tolist(), [3, 2, 4][:len(pairs)])

    def test_arrays_of_texts_are_names(self):
        texts = numpy.array([["a0", "b2"], ["a2", "b0"], ["a0", "b1"]])
        self.write("p.npy", texts)
        numpy.save(self.folder / "bytes.npy", numpy.asfortranarray(texts.astype("S")))
        numpy.savez_compressed(self.folder / "p.npz", texts)
        numpy.savez(self.folder / "plain.npz", texts)
        with h5py.File(self.folder / "p.h5", "w") as file:
            file["fixed"] = texts.astype("S")
            file.create_dataset("strings", data=texts.astype(object), dtype=h5py.string_dtype())
        for given in ({"npy": "p.npy"}, {"npy": "bytes.npy"}, {"npz": "p.npz"}, {"npz": "plain.npz"},
                      {"hdf5": "p.h5", "dataset": "fixed"}, {"hdf5": "p.h5", "dataset": "strings"}):
            result = self.run_job({**self.inputs, "p": given}, self.job("csv", "")[1], "--fresh")
            self.assertEqual(result["s/pair"][()].tolist(), [[0, 2], [2, 0], [0, 1]], given)
            self.assertEqual(result["s/score"][()].tolist(), [3, 2, 4], given)
        texts[1, 1] = "b3"
        self.write("p.npy", texts)
        self.refuse("'p', row 1, column 1 (", "p.npy): 'b3' is the name of none of the 3 items of the columns",
                    table=({**self.inputs, "p": {"npy": "p.npy"}}, self.job("csv", "")[1]))

    def test_numbers_are_names_if_the_table_has_names(self):
        self.inputs = {name: {"fasta": self.write(name + ".fa", ">1\nA\n>0\nACG\n"), "records": "all"} for name in "ab"}
        inputs, stages = self.job("csv", "0,1\n1,1\n")
        self.assertEqual(self.run_job(inputs, stages)["s/pair"][()].tolist(), [[1, 0], [0, 0]])
        del inputs["p"]["names"]
        self.assertEqual(self.run_job(inputs, stages, "--fresh")["s/pair"][()].tolist(), [[0, 1], [1, 1]])

    def test_wrong(self):
        self.refuse("'p', row 1, column 1 (", "pairs:2:4): 'b22' is the name of none of the 3 items of the columns; did you mean",
                    table=self.job("csv", "a0,b2\na2,b22\n"))
        self.refuse("row 0, column 0 (", "'query' is the name of none of the 3 items of the rows; if the first line of a text names "
                    "the columns, say `header: true`", table=self.job("csv", "query,subject\na0,b2\n"))
        self.refuse("pairs:1:1: 'a0\\x09b2' has a tab", "`separator: tab`", table=self.job("csv", "a0\tb2\n"))
        self.refuse("pairs:2:4: a name is missing", table=self.job("csv", "a0,b2\na2,\n"))
        self.refuse("pairs:2:7: this line has 3 values, and line 1 has 2", table=self.job("csv", "a0,b2\na2,b0,b1\n"))
        self.refuse("'p' is 2 x 3; give pairs as n x 2, an index or a name", table=self.job("csv", "a0,b2,b1\na2,b0,b1\n"))
        self.refuse("type: is of numbers, and `names: true` makes names", table=self.job("csv", "a0,b2\n", type="i32"))
        inputs, stages = self.job("csv", "a0,b2\n")
        del inputs["p"]["names"]
        self.refuse("pairs:1:1: 'a0' is no number", "say `header: true`", "`names: true`", table=(inputs, stages))
        inputs, _ = self.job("csv", "a0,b2\n")
        self.refuse("'p' holds names, and `grid` takes numbers", table=(inputs, [wavefront("s", "summed_area", grid="p")]))

    def test_names_that_are_there_twice(self):
        self.inputs["b"] = {"fasta": self.write("b.fa", ">b0\nA\n>b1\nC\n>b0\nG\n"), "records": "all"}
        self.refuse("'p', row 1, column 1 (", "pairs:2:4): 'b0' is the name of several records of the columns: give the records "
                    "names of their own, or pair them by index", table=self.job("csv", "a0,b1\na2,b0\n"))
        self.terrace("check", self.write_job(*self.job("csv", "a0,b1\na2,b0#2\n")))

    def test_another_table_is_another_result(self):
        self.terrace("run", self.write_job(*self.job("csv", "a0,b2\na2,b0\n")))
        self.write("pairs", "a0,b1\na2,b0\n")
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "result.h5")
        self.terrace("run", "job.yaml", "--fresh")
        self.assertEqual(self.open()["s/pair"][()].tolist(), [[0, 1], [2, 0]])


if __name__ == "__main__":
    main()
