"""Sets of which some items are too long for lanes: their pairs are swept, and give what stages of their own give."""
import itertools
import re

from set_runs import GAPS, PROBLEMS, SetTest, sequences, stages_of
from terrace_runs import WRONG, main, mutated, numpy, random_text, wavefront

LONG = 65535  # letters that lanes take


def with_long(count, seed, *lengths):
    """Short sequences, and among them one of each of these lengths, the first of which begins with the second short
    one."""
    letters = sequences(count, 150, seed)
    for number, length in enumerate(lengths):
        letters.insert(2 + 2 * number, (letters[1] + random_text(length, seed + 50 + number))[:length])
    return letters


class Long(SetTest):
    def setUp(self):
        super().setUp()
        self.rows, self.columns = with_long(4, 1, LONG, LONG + 1, 70000), sequences(7, 150, 2)
        self.inputs = {"a": self.set_of("a", self.rows), "b": self.set_of("b", self.columns)}


class Scores(Long):
    def test_pairs_of_all_problems_are_those_of_stages_of_their_own(self):
        for rows, columns in ((self.rows, self.columns[:4]), (self.columns[:4], self.rows)):
            inputs, stages = {"a": self.set_of("a", rows), "b": self.set_of("b", columns)}, stages_of()
            result = self.run_job(inputs, stages, "--fresh")
            self.check_singles(result, stages, inputs,
                               list(itertools.product(range(len(rows)), range(len(columns)))))

    def test_both_sides_long(self):
        inputs = {"a": self.set_of("a", ["ACGT", self.rows[6]]),
                  "b": self.set_of("b", [mutated(self.rows[6], 9, 0.01), "ACC"])}
        stages = stages_of(["local", "edit"])
        result = self.run_job(inputs, stages)
        self.check_singles(result, stages, inputs, list(itertools.product(range(2), range(2))))

    def test_series(self):
        draw = numpy.random.default_rng(3)
        for kind in ("f4", "f8"):
            values = numpy.full((4, LONG + 40), numpy.nan, kind)
            for row, length in zip(values, (60, LONG + 40, 90, 1)):
                row[:length] = draw.normal(size=length)
            files = {"a": self.write("a.npy", values), "b": self.write("b.npy", values[:, :100].copy())}
            inputs = {name: {"npy": path, "each": "row", "end": "nan"} for name, path in files.items()}
            stages = [wavefront("whole", "dtw", rows="a", columns="b"),
                      wavefront("part", "dtw", rows="b", columns="a", free_ends="columns", steps="symmetric2")]
            result = self.run_job(inputs, stages, "--fresh", output="sets.h5")
            named = {"a1": {"npy": files["a"], "select": [1, [0, LONG + 40]]}, "b0": {"npy": files["b"], "select": [0, [0, 60]]}}
            singles = self.run_job(named, [
                wavefront("whole", "dtw", rows="a1", columns="b0"),
                wavefront("part", "dtw", rows="b0", columns="a1", free_ends="columns", steps="symmetric2")],
                                   "--fresh", output="single.h5", name="single.yaml")
            self.assertEqual(result["whole/score"][1, 0], singles["whole/score"][()])
            self.assertEqual(result["part/score"][0, 1], singles["part/score"][()])
            self.assertEqual(list(result["part/end"][0, 1]), list(singles["part/end"][()]))

    def test_one_long_sequence_against_a_set(self):
        whole = self.run_job(self.inputs, stages_of(["local", "edit"]))
        one = {**self.inputs, "a": {"fasta": self.inputs["a"]["fasta"], "record": "a6"}}
        found = self.run_job(one, stages_of(["local", "edit"]), output="one.h5")
        for kind, name in (("local", "score"), ("local", "end"), ("edit", "score")):
            numpy.testing.assert_array_equal(found[kind][name][()], whole[kind][name][6])


class Kept(Long):
    def setUp(self):
        super().setUp()
        self.matrix = self.run_job(self.inputs, stages_of(["local", "decimals", "edit"]), output="matrix.h5")

    def check_list(self, pairs, entries, **keys):
        stages = [{**stage, "wavefront": {**stage["wavefront"], "pairs": pairs}}
                  for stage in stages_of(["local", "decimals", "edit"])]
        result = self.run_job({**self.inputs, **keys}, stages, "--fresh")
        for kind in ("local", "decimals", "edit"):
            for name in set(result[kind]) & {"score", "end"}:
                expected = [self.matrix[kind][name][row, column].tolist() for row, column in entries]
                self.assertEqual(result[kind][name][()].tolist(), expected)

    def test_lists_of_pairs(self):
        given = numpy.random.default_rng(4).integers(0, 7, (40, 2))
        self.check_list("p", given, p={"npy": self.write("p.npy", given)})
        self.check_list([[2, 3], [0, 0], [6, 1]], [(2, 3), (0, 0), (6, 1)])
        self.check_list("same", [(at, at) for at in range(7)])

    def test_upper(self):
        inputs = {"a": self.inputs["a"]}
        stage = wavefront("edit", "edit_distance", rows="a", columns="a")
        matrix = self.run_job(inputs, [stage], output="square.h5")["edit/score"][()]
        listed = self.run_job(inputs, [wavefront("edit", "edit_distance", rows="a", columns="a", pairs="upper")])
        self.assertEqual(listed["edit/score"][()].tolist(), matrix[numpy.triu_indices(len(matrix), 1)].tolist())

    def test_hits_and_limits(self):
        stages = stages_of(["local", "decimals", "edit"], best=3)
        result = self.run_job(self.inputs, stages, "--fresh")
        for kind, sign in (("local", -1), ("decimals", -1), ("edit", 1)):
            score = self.matrix[kind]["score"][()]
            order = numpy.argsort(sign * score, axis=1, kind="stable")[:, :3]
            self.assertEqual(result[kind]["hit"][()].tolist(), order.tolist())
            self.assertEqual(result[kind]["hit_score"][()].tolist(),
                             numpy.take_along_axis(score, order, axis=1).tolist())
        local, edit = (self.matrix[kind]["score"][()] for kind in ("local", "edit"))
        best, most = (int(numpy.sort(of[4])[3]) for of in (local, edit))
        limits = [wavefront("local", "smith_waterman", rows="a", columns="b", at_least=best, **GAPS),
                  wavefront("edit", "edit_distance", rows="a", columns="b", at_most=most)]
        result = self.run_job(self.inputs, limits, "--fresh", output="limits.h5")
        for kind, counts in (("local", local >= best), ("edit", edit <= most)):
            self.assertEqual(result[kind]["pair"][()].tolist(), numpy.argwhere(counts).tolist())
            self.assertEqual(result[kind]["score"][()].tolist(), self.matrix[kind]["score"][()][counts].tolist())
            self.assertTrue(counts[4].any() and not counts.all())

    def test_alignments(self):
        stage = stages_of(["local"], keep="alignment", pairs=[[4, 1], [1, 1], [6, 3]])[0]
        result = self.run_job(self.inputs, [stage], "--fresh")["local"]
        bounds = result["cigar_begin"][()]
        singles = self.singles(self.inputs, stages_of(["local"], keep="alignment"), [(4, 1), (1, 1), (6, 3)])["local"]
        for at, single in enumerate(singles.values()):
            self.assertEqual(result["score"][at], single["score"][()])
            self.assertEqual(bytes(result["cigar"][bounds[at]:bounds[at + 1]]).decode(),
                             single["cigar"].asstr()[()])
            self.assertEqual(result["start"][at].tolist(), single["start"][()].tolist())
            self.assertEqual(result["end"][at].tolist(), single["end"][()].tolist())


class Runs(Long):
    def test_plan_and_profile_tell_of_them(self):
        job = self.write_job(self.inputs, stages_of(["edit"]))
        plan = self.terrace("plan", job, "--explain").stdout
        self.assertRegex(plan, r"sweeps +[0-9.]+ \w+/s, chosen")
        self.assertRegex(plan, r"lanes +[0-9.]+ \w+/s, chosen")
        self.assertIn("analysis      14 pairs with an item of more than 65,535 letters are swept one after another", plan)
        short = self.write_job({"a": self.set_of("c", ["ACGT", "ACC"])},
                               [wavefront("edit", "edit_distance", rows="a", columns="a")], name="short.yaml")
        plan = self.terrace("plan", short, "--explain").stdout
        self.assertRegex(plan, r"sweeps +no: no item has more than 65,535 elements")

    def test_budgets(self):
        stages = stages_of(["local", "edit"])
        expected = self.run_job(self.inputs, stages)
        job = self.write_job(self.inputs, stages, name="least.yaml")
        said = self.terrace("plan", job, "--set", "memory.host=300KiB", expect=WRONG).stderr
        least = re.search(r"memory.host is too small for any plan of this stage: the least is ([0-9.]+) (\w+)", said)
        for host in ("".join(least.groups()), "30MiB"):
            result = self.run_job(self.inputs, stages, "--set", f"memory.host={host}", output=f"{host}.h5")
            for kind, name in (("local", "score"), ("local", "end"), ("edit", "score")):
                numpy.testing.assert_array_equal(result[kind][name][()], expected[kind][name][()])

    def test_survives_kills(self):
        memory = {"host": "16MiB"}
        self.check_survives_kills(self.inputs, stages_of(["local"])[0], "score", "end", memory=memory)
        self.check_survives_kills(self.inputs, stages_of(["edit"], at_most=LONG - 50)[0], "pair", "score", memory=memory)
        self.check_survives_kills(self.inputs, stages_of(["whole"], best=2, keep="alignment")[0], "hit", "cigar",
                                  jobs=1)

    def test_verify_computes_a_sample_again(self):
        self.run_job(self.inputs, stages_of(["local", "edit"]))
        said = self.terrace("verify", "result.h5", "--sample", "1").stdout
        self.assertIn("local/score, end: 7 of 7 parts of rows computed again, equal", said)


if __name__ == "__main__":
    main()
