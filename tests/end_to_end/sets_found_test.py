"""What is found in sets: the best hits of rows, pairs beyond a limit, alignments of both, and how they are printed."""
import itertools

from set_runs import PROBLEMS, SetTest, sequences, stages_of
from terrace_runs import WRONG, main, numpy, wavefront


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
        job = self.write_job(self.inputs, [*stages_of(["edit"], at_most=5),
                                           wavefront("t", "summed_area", grid="edit/pair")])
        self.assertSays(self.terrace("check", job, expect=WRONG),
                        "the length of 'edit/pair' is known when its stage has run")


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
        for least, most in ((-1, 0), (40, 40), (10000, 10000)):
            stages = stages_of(["local"], keep="alignment", at_least=least)
            stages += stages_of(["edit"], keep="alignment", at_most=most)
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


if __name__ == "__main__":
    main()
