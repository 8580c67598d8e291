"""Problems over intervals in whole jobs: against plain loops at any budget, known answers, and what is refused."""
import json
import random
import re

from terrace_runs import WRONG, JobTest, data, main, numpy


def recursive(name, problem, **settings):
    """A stage of a job."""
    return {"name": name, "recursive": {"problem": problem, **settings}}


def solved(nodes, leaf, split, whole, choose=numpy.argmin, first_of=None):
    """The definition: the table, and the first of the best splits."""
    table = numpy.zeros((nodes, nodes))
    splits = numpy.full((nodes, nodes), -1)
    for i in range(nodes - 1):
        table[i, i + 1] = leaf(i)
    for length in range(2, nodes):
        for i in range(nodes - length):
            j = i + length
            middle = numpy.arange(i + 1, j)
            values = table[i, i + 1:j] + table[i + 1:j, j] + split(i, middle, j)
            at = choose(values)
            splits[i, j] = middle[at]
            table[i, j] = values[at] + whole(i, j)
            if first_of is not None and first_of(i, j) and table[i + 1, j - 1] + 1 >= table[i, j]:
                table[i, j], splits[i, j] = table[i + 1, j - 1] + 1, i
    return table, splits


def chain(sizes):
    sizes = numpy.array(sizes, float)
    return solved(len(sizes), lambda i: 0, lambda i, k, j: sizes[i] * sizes[k] * sizes[j], lambda i, j: 0)


def search_tree(keys, gaps):
    return solved(len(gaps) + 1, lambda i: gaps[i], lambda i, k, j: 0,
                  lambda i, j: sum(gaps[i:j]) + sum(keys[i:j - 1]))


PAIRS = {"AU", "UA", "CG", "GC"}
WOBBLE = {"GU", "UG"}


def pairing(bases, inside, wobble):
    pairs = PAIRS | (WOBBLE if wobble else set())
    return solved(len(bases) + 1, lambda i: 0, lambda i, k, j: 0, lambda i, j: 0, numpy.argmax,
                  lambda i, j: j - 1 - i > inside and bases[i] + bases[j - 1] in pairs)


def brackets(splits, i, j):
    """The items i to j - 1 as an expression."""
    if j - i < 2:
        return str(i) if j > i else ""
    k = splits[i, j]
    return f"({brackets(splits, i, k)} {brackets(splits, k, j)})"


def tree(splits, i, j):
    """The keys between gaps i to j - 1."""
    if j - i < 2:
        return ""
    k = splits[i, j]
    return "(" + " ".join(part for part in (tree(splits, i, k), str(k - 1), tree(splits, k, j)) if part) + ")"


class Intervals(JobTest):
    def ran(self, inputs, problem, *arguments, backend="cpu", **settings):
        return self.run_job(inputs, [recursive("p", problem, **settings)], "--fresh", *arguments, backend=backend)["p"]

    def refused(self, inputs, problem, *says, **settings):
        job = self.write_job(inputs, [recursive("p", problem, **settings)], backend="cpu")
        self.assertSays(self.terrace("check", job, expect=WRONG), *says)
        self.assertSays(self.terrace("run", job, "--fresh", expect=WRONG), *says)


class Chains(Intervals):
    def check(self, sizes, host, problem="matrix_chain", key="dimensions", **settings):
        result = self.ran({"d": {"npy": self.write("d.npy", sizes)}}, problem, "--set", f"memory.host={host}",
                          keep="table", splits=True, **{key: "d"}, **settings)
        table, splits = chain(sizes)
        with self.subTest(nodes=len(sizes), host=host, **settings):
            numpy.testing.assert_array_equal(result["table"][()], table)
            numpy.testing.assert_array_equal(result["split"][()], splits)
            none = result["split"].attrs["_FillValue"]
            self.assertEqual((none, none.dtype), (-1, result["split"].dtype))
            self.assertNotIn("_FillValue", result["table"].attrs)
            self.assertEqual(result["cost"][()], table[0, -1])
            self.assertEqual(result["expression"].asstr()[()], brackets(splits, 0, len(sizes) - 1))
        return result

    def test_the_least_budgets_that_errors_name_suffice(self):
        for more in ({}, {"splits": True}, {"keep": "table"}):
            job = self.write_job({"rna": {"generate": "dna", "length": 2000, "seed": 3}},
                                 [recursive("fold", "nussinov", sequence="rna", **more)], backend="cpu")
            self.check_least_budgets(job, "memory.host", "memory.device")

    def test_every_type_at_any_budget_and_in_every_order(self):
        sizes = numpy.random.default_rng(3).integers(1, 30, 150)
        for kind in ("i32", "i64", "f64"):
            for host in ("1GiB", "45KiB"):
                result = self.check(sizes, host, type=kind)
                self.assertEqual(result["cost"].dtype, numpy.int64)
                self.assertEqual(result["table"].dtype, {"i32": "int32", "i64": "int64", "f64": "float64"}[kind])
        for schedule in ("two_way", "r_way", "plain"):
            self.check(sizes, "45KiB", type="i32", schedule=schedule)

    def test_chains_of_any_length(self):
        for nodes in (1, 2, 3, 17, 65):
            self.check(numpy.random.default_rng(nodes).integers(1, 9, nodes), "1GiB")
        for nodes in (2, 40):
            self.check(numpy.random.default_rng(nodes).integers(0, 9, nodes), "1GiB", "polygon_triangulation", "vertices")

    def test_the_value_alone_is_the_same_and_keeps_no_table(self):
        sizes = numpy.random.default_rng(5).integers(1, 500, 200)
        inputs = {"d": {"npy": self.write("d.npy", sizes)}}
        for settings in ({}, {"splits": True}):
            for host in ("1GiB", "45KiB"):
                result = self.ran(inputs, "matrix_chain", "--set", f"memory.host={host}", dimensions="d", **settings)
                self.assertEqual(result["cost"][()], chain(sizes)[0][0, -1])
                self.assertNotIn("table", result)
                self.assertEqual("split" in result, bool(settings))

    def test_numbers_that_are_not_whole(self):
        sizes = numpy.random.default_rng(6).random(90) * 10
        result = self.ran({"d": {"npy": self.write("d.npy", sizes)}}, "matrix_chain", "--set", "memory.host=40KiB",
                          dimensions="d", keep="table")
        self.assertEqual(result["cost"].dtype, numpy.float64)
        # Each value is a sum of at most 90 products of three, each sum and product rounded.
        numpy.testing.assert_allclose(result["table"][()], chain(sizes)[0], rtol=91 * 2.0 ** -52, atol=0)

    def test_whole_numbers_are_exact_or_refused(self):
        for size, kind in ((600, "int32"), (9000, "float64"), (50000, "float64"), (70000, "int64"), (800000, "int64")):
            sizes = numpy.full(4, size)
            inputs = {"d": {"npy": self.write("d.npy", sizes)}}
            result = self.ran(inputs, "matrix_chain", dimensions="d", keep="table")
            limit = {600: "int32", 9000: "float64"}.get(size)
            if limit:
                self.assertEqual(result["table"].dtype, limit)
            self.assertEqual(int(result["cost"][()]), 2 * size ** 3)
        inputs = {"d": {"npy": self.write("d.npy", numpy.full(4, 9000))}}
        self.refused(inputs, "matrix_chain", "costs may leave i32: say `type: f64`", dimensions="d", type="i32")
        inputs = {"d": {"npy": self.write("d.npy", numpy.full(4, 800000))}}
        self.refused(inputs, "matrix_chain", "costs may leave f64: say `type: i64`", dimensions="d", type="f64")
        inputs = {"d": {"npy": self.write("d.npy", numpy.full(4, 2000000))}}
        self.refused(inputs, "matrix_chain", "costs may leave every type that is exact: divide", dimensions="d")
        inputs = {"d": {"npy": self.write("d.npy", numpy.array([1.5, 2, 3]))}}
        self.refused(inputs, "matrix_chain", "numbers that are not whole: say `type: f64`", dimensions="d", type="i64")

    def test_what_is_no_size_is_refused(self):
        for value, says in ((numpy.nan, "is no number (NaN)"), (numpy.inf, "is infinite"), (-1.0, "is negative")):
            inputs = {"d": {"npy": self.write("d.npy", numpy.array([1, 2, value]))}}
            self.refused(inputs, "matrix_chain", "job.yaml:", "d[2] (", "d.npy): " + says, dimensions="d")
        self.refused({"d": {"npy": self.write("d.npy", numpy.ones((2, 2)))}}, "matrix_chain", "in one dimension",
                     dimensions="d")
        self.refused({"d": {"npy": self.write("d.npy", numpy.ones(0))}}, "polygon_triangulation", "at least one number",
                     vertices="d")

    def test_a_budget_that_no_tile_fits_names_the_least_and_the_least_suffices(self):
        inputs = {"d": {"npy": self.write("d.npy", numpy.arange(1, 300))}}
        job = self.write_job(inputs, [recursive("p", "matrix_chain", dimensions="d", splits=True)], backend="cpu")
        said = self.terrace("run", job, "--set", "memory.host=3KiB", expect=WRONG).stderr
        self.assertIn("memory.host is too small", said)
        least = float(re.search(r"the least is ([\d.]+) KiB", said).group(1))
        self.terrace("run", job, "--set", f"memory.host={int(least) + 1}KiB")
        self.assertEqual(self.open()["p/cost"][()], chain(range(1, 300))[0][0, -1])


class Polygons(Intervals):
    """Triangulations of points: the least sum of perimeters."""

    def check(self, points, host="1GiB", **settings):
        nodes = len(points)
        apart = numpy.linalg.norm(points[:, None].astype(float) - points[None].astype(float), axis=2)
        table, splits = solved(nodes, lambda i: 0, lambda i, k, j: apart[i, k] + apart[k, j] + apart[i, j],
                               lambda i, j: 0)
        result = self.ran({"p": {"npy": self.write("p.npy", points)}}, "polygon_triangulation", "--set",
                          f"memory.host={host}", vertices="p", keep="table", splits=True)
        # Each value is a sum of at most 6 n lengths, each sum and length rounded.
        close = {"rtol": 7 * nodes * 2.0 ** -52, "atol": 7 * nodes * 2.0 ** -52 * apart.max()}
        numpy.testing.assert_allclose(result["cost"][()], table[0, -1], **close)
        numpy.testing.assert_allclose(result["table"][()], table + numpy.triu(apart), **close)
        self.assertEqual(result["expression"].asstr()[()], brackets(splits, 0, nodes - 1))

    def test_points_at_any_budget(self):
        draw = numpy.random.default_rng(31)
        angles = numpy.sort(draw.random(140)) * 2 * numpy.pi
        convex = numpy.stack([numpy.cos(angles), numpy.sin(angles)], axis=1)
        for nodes in (1, 2, 3, 4, 140):
            for host in ("1GiB", "60KiB"):
                self.check(convex[:nodes], host)
        numbers = numpy.arange(-14, 14)
        self.check(numpy.stack([numbers, numbers ** 2 - 100], axis=1).astype(numpy.int16))

    def test_a_square_is_cut_once(self):
        square = numpy.array([[0, 0], [3, 0], [3, 4], [0, 4]])
        result = self.ran({"p": {"npy": self.write("p.npy", square)}}, "polygon_triangulation", vertices="p")
        self.assertEqual(float(result["cost"][()]), 2 * (3 + 4 + 5))

    def test_what_is_no_polygon_is_refused(self):
        points = numpy.random.default_rng(32).random((5, 2))
        for shape in ((5, 3), (0, 2)):
            self.refused({"p": {"npy": self.write("p.npy", numpy.ones(shape))}}, "polygon_triangulation",
                         "give numbers, or points as vertices x 2", vertices="p")
        for value, says in ((numpy.nan, "is no number (NaN)"), (numpy.inf, "is infinite")):
            points[3, 1] = value
            self.refused({"p": {"npy": self.write("p.npy", points)}}, "polygon_triangulation",
                         "job.yaml:", "'p', row 3, column 1 (", "p.npy): " + says, vertices="p")
        points[3, 1] = 0.5
        self.refused({"p": {"npy": self.write("p.npy", points)}}, "polygon_triangulation", "job.yaml:", "'p', row ",
                     "p.npy): turns inwards", vertices="p")
        points = numpy.array([[0, 0], [1e200, 0], [1e200, 1e200], [0, 1]])
        self.refused({"p": {"npy": self.write("p.npy", points)}}, "polygon_triangulation", "costs may leave",
                     vertices="p")
        points = numpy.array([[0, 0], [1.5, 0], [1, 1], [0, 1]])
        self.refused({"p": {"npy": self.write("p.npy", points)}}, "polygon_triangulation", "not whole", vertices="p",
                     type="i64")


class SearchTrees(Intervals):
    def test_every_type_at_any_budget(self):
        draw = numpy.random.default_rng(8)
        keys, gaps = draw.integers(0, 20, 120), draw.integers(0, 20, 121)
        table, splits = search_tree(keys.tolist(), gaps.tolist())
        inputs = {"k": {"npy": self.write("k.npy", keys)}, "g": {"npy": self.write("g.npy", gaps)}}
        for kind in ("auto", "i32", "i64", "f64"):
            for host in ("1GiB", "45KiB"):
                result = self.ran(inputs, "optimal_bst", "--set", f"memory.host={host}", keys="k", gaps="g",
                                  keep="table", splits=True, type=kind)
                numpy.testing.assert_array_equal(result["table"][()], table)
                numpy.testing.assert_array_equal(result["split"][()], splits)
                self.assertEqual(result["expression"].asstr()[()], tree(splits, 0, 121))

    def test_trees_without_gaps_or_without_keys(self):
        inputs = {"k": {"values": [34, 8, 50]}, "none": {"npy": self.write("none.npy", numpy.zeros(0, int))},
                  "one": {"values": [7]}}
        result = self.ran(inputs, "optimal_bst", keys="k", splits=True)
        self.assertEqual((result["cost"][()], result["expression"].asstr()[()]), (142, "((0 (1)) 2)"))
        self.assertEqual(self.ran(inputs, "optimal_bst", keys="none", gaps="one", splits=True)["cost"][()], 7)
        self.assertEqual(self.ran(inputs, "optimal_bst", keys="none")["cost"][()], 0)
        self.refused(inputs, "optimal_bst", "'one' has 1 elements, and 'k' 3", keys="k", gaps="one")


class Pairings(Intervals):
    def test_sequences_at_any_budget(self):
        for length, inside, wobble in ((0, 3, True), (1, 3, True), (2, 0, True), (90, 0, True),
                                       (90, 1, False), (90, 3, True), (64, 30, True)):
            bases = "".join(random.Random(length + inside).choices("ACGU", k=length))
            table, splits = pairing(bases, inside, wobble)
            for host in ("1GiB", "55KiB"):
                result = self.ran({"s": self.fasta("s", bases)}, "nussinov", "--set", f"memory.host={host}",
                                  sequence="s", minimum_loop=inside, wobble=wobble, keep="table", splits=True)
                with self.subTest(length=length, inside=inside, host=host):
                    numpy.testing.assert_array_equal(result["table"][()], table)
                    numpy.testing.assert_array_equal(result["split"][()], splits)
                    self.check_structure(result["structure"].asstr()[()], bases, inside, wobble, table[0, -1])

    def check_structure(self, structure, bases, inside, wobble, score):
        self.assertEqual(len(structure), len(bases))
        stack, pairs = [], 0
        for j, letter in enumerate(structure):
            if letter == "(":
                stack.append(j)
            elif letter == ")":
                i = stack.pop()
                pairs += 1
                self.assertGreater(j - i, inside)
                self.assertIn(bases[i] + bases[j], PAIRS | (WOBBLE if wobble else set()))
        self.assertEqual((stack, pairs), ([], score))

    def test_letters_of_either_case_and_unknown_bases(self):
        self.assertEqual(self.ran({"s": self.fasta("s", "ggggNNNcctt")}, "nussinov", sequence="s")["score"][()], 4)
        self.assertEqual(self.ran({"s": self.fasta("s", "NNNNNNNNNN")}, "nussinov", sequence="s")["score"][()], 0)
        self.refused({"s": self.fasta("s", "ACGUX")}, "nussinov", "job.yaml:", "s[4]", "is no base of RNA",
                     sequence="s")
        self.refused({"s": {"values": [1, 2]}}, "nussinov", "job.yaml:", "a sequence is one of letters", sequence="s")
        self.refused({"s": self.fasta("s", "ACGU")}, "matrix_chain", "'s' holds letters", dimensions="s")

    def test_scores_that_leave_their_type_are_refused(self):
        self.refused({"s": {"generate": "dna", "length": 40000}}, "nussinov", "costs may leave i16: say `type: i32`",
                     sequence="s", type="i16")


class KnownAnswers(Intervals):
    def test_cases_of_textbooks(self):
        with open(data("parenthesization.json")) as file:
            cases = json.load(file)
        for case in cases["matrix_chain"]:
            result = self.ran({"d": {"values": case["dims"]}}, "matrix_chain", dimensions="d")
            self.assertEqual(result["cost"][()], case["cost"])
        for case in cases["optimal_bst"]:
            result = self.ran({"p": {"values": case["p"]}, "q": {"values": case["q"]}}, "optimal_bst", keys="p",
                              gaps="q")
            self.assertAlmostEqual(result["cost"][()], case["cost"], delta=1e-14)
        first = self.ran({"d": {"values": [30, 35, 15, 5, 10, 20, 25]}}, "matrix_chain", dimensions="d", splits=True)
        self.assertEqual(first["expression"].asstr()[()], "((0 (1 2)) ((3 4) 5))")

    def test_published_sequences(self):
        with open(data("rna", "5domain16S_rRNA_E.coli.db")) as file:
            long = file.readline().strip()
        for bases, score, settings in (
                ("AUUUCCACUAGAGAAGGUCUAGAGUGUUUGUCGUUUGUCAGAAGUCCCUAUUCC", 18, {}), ("GGGGAAAACCCC", 4, {}),
                ("GGGAAAUCC", 3, {"minimum_loop": 1, "wobble": False}), (long, 204, {})):
            for host in ("1GiB", "60KiB"):
                result = self.ran({"s": self.fasta("s", bases)}, "nussinov", "--set", f"memory.host={host}",
                                  sequence="s", **settings)
                self.assertEqual(result["score"][()], score)

    def test_polybench_s_tables(self):
        for size, bases in (("MINI", 60), ("SMALL", 180)):
            with open(data("stencil", f"nussinov.{size}.out")) as file:
                text = file.read()
            values = numpy.array(text.split("begin dump: table")[1].split("end   dump")[0].split(), float)
            expected = numpy.zeros((bases, bases))
            expected[numpy.triu_indices(bases)] = values
            sequence = "".join("ACGU"[(i + 1) % 4] for i in range(bases))
            table = self.ran({"s": self.fasta("s", sequence)}, "nussinov", "--set", "memory.host=60KiB", sequence="s",
                             minimum_loop=1, wobble=False, keep="table")["table"][()]
            found = numpy.triu(table[:-1, 1:])  # bases i to j are the interval [i, j + 1)
            numpy.testing.assert_array_equal(found, expected)


class Kills(Intervals):
    def test_a_run_that_is_killed_goes_on_to_the_same_bytes(self):
        inputs = {"d": {"npy": self.write("d.npy", numpy.random.default_rng(9).integers(1, 99, 300))}}
        stage = recursive("p", "matrix_chain", dimensions="d", keep="table", splits=True)
        self.check_survives_kills(inputs, stage, "table", "split", "cost", "expression", memory={"host": 150000})


if __name__ == "__main__":
    main()
