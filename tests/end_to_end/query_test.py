"""Queries of tables of distances: pairs, paths and totals, of what a stage before wrote and of inputs."""
import unittest

from terrace_runs import FAILED, WRONG, JobTest, data, main, numpy

NONE = {"int16": 16383, "int32": 2 ** 30 - 1, "int64": 2 ** 62 - 1, "float32": numpy.inf, "float64": numpy.inf}
ALL = ["eccentricity", "diameter", "sum", "minimum", "count"]


def query(name, matrix, **settings):
    """A stage of a job."""
    return {"name": name, "query": {"matrix": matrix, **settings}}


def routes(matrix, **settings):
    """A stage whose results are asked about."""
    return {"name": "r", "recursive": {"problem": "floyd_warshall", "matrix": matrix, "paths": True, **settings}}


def random_distances(nodes, seed, kind):
    draw = numpy.random.default_rng(seed)
    table = draw.integers(-40, 3000, (nodes, nodes)).astype(kind)
    table[draw.random((nodes, nodes)) < 0.3] = NONE[kind]
    table[nodes // 2] = NONE[kind]
    numpy.fill_diagonal(table, 5000)  # which is not looked at
    return table


def histogram_of(table, sources=None, bins=256, span=None):
    """The counts of a table's finite distances between different nodes, and those that are not counted."""
    rows = numpy.arange(len(table)) if sources is None else numpy.asarray(sources)
    others = rows[:, None] != numpy.arange(table.shape[1])
    values = table[others & (table != NONE[table.dtype.name])]
    counts, edges = numpy.histogram(values.astype(float), bins, span or (0, bins))
    return {"histogram": counts, "bin": edges[:-1], "outside": len(values) - counts.sum(),
            "unreachable": others.sum() - len(values)}


class Totals(JobTest):
    def check_histogram(self, found, expected):
        for name, values in expected.items():
            numpy.testing.assert_array_equal(found[name][()], values, name)
            self.assertEqual(found[name].dtype, numpy.float64 if name == "bin" else numpy.int64)

    def test_histograms_are_those_of_numpy_in_every_type_and_budget(self):
        for number, kind in enumerate(NONE):
            for nodes in (0, 1, 2, 311):
                table = random_distances(nodes, number, kind) if nodes else numpy.zeros((0, 0), kind)
                inputs = {"m": {"npy": self.write("m.npy", table)}}
                for settings in ({}, {"bins": 1}, {"bins": 70, "range": [-10.5, 2000]}):
                    for host in ("40KiB", "1GiB"):
                        with self.subTest(kind=kind, nodes=nodes, host=host, **settings):
                            stage = query("q", "m", reduce=["histogram", "count"], **settings)
                            found = self.run_job(inputs, [stage], "--fresh", backend="cpu", memory={"host": host})["q"]
                            self.check_histogram(found, histogram_of(
                                table, bins=settings.get("bins", 256), span=settings.get("range")))
                            self.assertEqual(found["histogram"][()].sum() + found["outside"][()], found["count"][()])
                self.terrace("verify", "result.h5", "--sample", "1")

    def test_a_histogram_of_a_table_larger_than_memory_survives_kills(self):
        table = random_distances(900, 3, "int32")
        inputs = {"m": {"npy": self.write("m.npy", table)}}
        stage = query("q", "m", reduce=["histogram"], bins=900, range=[-40, 3000])
        self.check_survives_kills(inputs, stage, "histogram", "bin", "outside", "unreachable",
                                  memory={"host": "64KiB"})
        result = self.open("q-whole.h5")
        self.check_histogram(result["q"], histogram_of(table, bins=900, span=(-40, 3000)))
        self.assertGreater(int(result["profile/stages/blocks"][0]), 100)
        self.assertLessEqual(int(result["profile/stages/peak_host"][0]), 64 << 10)

    def check(self, table, *arguments, **settings):
        kind = str(table.dtype)
        result = self.run_job({"m": {"npy": self.write("m.npy", table)}}, [query("q", "m", reduce=ALL, **settings)],
                              "--fresh", *arguments, backend="cpu")["q"]
        finite = (table != NONE[kind]) & ~numpy.eye(len(table), dtype=bool)
        far = numpy.where(finite, table, numpy.iinfo(table.dtype).min if table.dtype.kind == "i" else -numpy.inf).max(
            axis=1, initial=numpy.iinfo(table.dtype).min if table.dtype.kind == "i" else -numpy.inf)
        far = numpy.where(finite.any(axis=1), far, NONE[kind]).astype(kind)
        numpy.testing.assert_array_equal(result["eccentricity"][()], far)
        self.assertEqual(result["eccentricity"].dtype, table.dtype)
        for name in ("eccentricity", "diameter", "minimum"):
            self.assertEqual(result[name].attrs.get("_FillValue", numpy.inf), NONE[kind])
            self.assertNotIn("_FillValue", result["sum"].attrs)
        values = table[finite]
        some = len(values) > 0
        self.assertEqual(result["diameter"][()], values.max() if some else NONE[kind])
        self.assertEqual(result["minimum"][()], values.min() if some else NONE[kind])
        self.assertEqual((result["count"][()], result["count"].dtype), (len(values), numpy.int64))
        self.assertEqual(result["sum"][()], values.sum(dtype=numpy.float64 if table.dtype.kind == "f" else numpy.int64))

    def test_totals_are_those_of_numpy_in_every_type_and_budget(self):
        for number, kind in enumerate(NONE):
            for nodes in (0, 1, 2, 40, 311):
                for host in ("12KiB", "1GiB"):
                    with self.subTest(kind=kind, nodes=nodes, host=host):
                        self.check(random_distances(nodes, number, kind) if nodes else numpy.zeros((0, 0), kind),
                                   "--set", f"memory.host={host}")

    def test_a_table_is_never_in_memory_as_a_whole(self):
        self.check(random_distances(600, 3, "int32"), "--set", "memory.host=32KiB")
        stages = self.open()["profile/stages"]
        self.assertLessEqual(int(stages["peak_host"][0]), 32 << 10)
        self.assertGreater(int(stages["blocks"][0]), 100)

    def test_sums_that_no_number_holds_are_an_error(self):
        table = numpy.full((3, 3), 2 ** 61, numpy.int64)
        job = self.write_job({"m": {"npy": self.write("m.npy", table)}}, [query("q", "m", reduce=["sum"])],
                             backend="cpu")
        self.assertSays(self.terrace("run", job, expect=FAILED), "the sum of all distances leaves i64")
        table[:] = -2 ** 60
        result = self.run_job({"m": {"npy": self.write("m.npy", table)}}, [query("q", "m", reduce=["sum"])], "--fresh",
                              backend="cpu")
        self.assertEqual(int(result["q/sum"][()]), -6 * 2 ** 60)

    def test_of_flight_routes_and_social_networks(self):
        for graph, kind, diameter, total in (
                ({"graph": data("graphs", "openflights_m.gr")}, "i64", 42064495, 99775066222758),
                ({"graph": data("graphs", "facebook_combined.txt"), "directed": False}, "i16", 8, 60222874)):
            stages = [{"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g", "type": kind}},
                      query("q", "d/distance", reduce=["diameter", "sum"])]
            result = self.run_job({"g": graph}, stages, "--fresh", backend="cpu")
            self.assertEqual((int(result["q/diameter"][()]), int(result["q/sum"][()])), (diameter, total))


class Pairs(JobTest):
    def test_paths_of_pairs_are_those_of_the_tables(self):
        draw = numpy.random.default_rng(4)
        weights = numpy.where(draw.random((120, 120)) < 0.02, draw.integers(0, 9, (120, 120)), -1).astype(numpy.int32)
        pairs = draw.integers(0, 120, (300, 2))
        pairs[0] = 7
        inputs = {"m": {"npy": self.write("m.npy", weights)}, "p": {"npy": self.write("p.npy", pairs)}}
        for temporary in (False, True):
            first = {**routes("m", no_edge=-1), "temporary": temporary}
            result = self.run_job(inputs, [first, query("q", "r/distance", next="r/next", pairs="p")], "--fresh",
                                  backend="cpu", memory={"host": 100 << 10})
            if not temporary:
                distance = result["r/distance"][()]
            found, path, begin = (result["q/" + name][()] for name in ("distance", "path", "path_begin"))
            numpy.testing.assert_array_equal(found, distance[pairs[:, 0], pairs[:, 1]])
            for number, (start, end) in enumerate(pairs.tolist()):
                nodes = path[begin[number]:begin[number + 1]].tolist()
                if found[number] == NONE["int32"]:
                    self.assertEqual(nodes, [])
                    continue
                self.assertEqual((nodes[0], nodes[-1]), (start, end))
                self.assertEqual(sum(int(weights[a, b]) for a, b in zip(nodes, nodes[1:])), found[number])

    def test_pairs_may_be_a_list_in_the_job(self):
        table = numpy.array([[0, 2.5], [numpy.inf, 0]])
        inputs = {"m": {"npy": self.write("m.npy", table)}, "p": {"values": [0, 1, 1, 0, 1, 1]}}
        result = self.run_job(inputs, [query("q", "m", pairs="p")], backend="cpu")
        self.assertEqual(result["q/distance"][()].tolist(), [2.5, numpy.inf, 0])
        self.assertNotIn("path", result["q"])

    def test_what_is_wrong_is_named(self):
        table = numpy.zeros((3, 3), numpy.int32)
        inputs = {"m": {"npy": self.write("m.npy", table)}, "n": {"npy": self.write("n.npy", table - 5)},
                  "o": {"npy": self.write("o.npy", numpy.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], numpy.int32))},
                  "p": {"values": [0, 1]}, "three": {"values": [0, 1, 2]}, "far": {"values": [0, 3]},
                  "wide": {"npy": self.write("w.npy", table[:2])}}
        for settings, expect, *says in (({}, WRONG, "nothing is asked"),
                                        ({"pairs": "three"}, WRONG, "two nodes a pair"),
                                        ({"pairs": "far"}, WRONG, "far[1] (", "): is no node"),
                                        ({"pairs": "p", "next": "wide"}, WRONG, "give whole numbers, 3 x 3"),
                                        ({"reduce": ["sum"], "next": "n"}, WRONG, "for the paths of `pairs`"),
                                        ({"reduce": ["mean"]}, WRONG, "mean"),
                                        ({"reduce": ["sum"], "bins": 9}, WRONG, "ask for it by `reduce: [histogram]`"),
                                        ({"reduce": ["histogram"], "range": [1, 1]}, WRONG, "the lower first"),
                                        ({"pairs": "p", "next": "n", "previous": "n"}, WRONG, "in place of `next`"),
                                        ({"reduce": ["sum"], "previous": "n"}, WRONG, "for the paths of `pairs`"),
                                        ({"matrix": "wide", "reduce": ["sum"]}, WRONG, "give a square matrix, or a table that `floyd_warshall` wrote of its `sources`")):
            with self.subTest(says=says):
                stage = {"name": "q", "query": {"matrix": "m", **settings}}
                used = {name: what for name, what in inputs.items() if name in stage["query"].values()}
                job = self.write_job(used, [stage], backend="cpu")
                self.assertSays(self.terrace("run", job, "--fresh", expect=expect), *says)
        # Next nodes that lead around, or nowhere, never hang.
        around = numpy.array([[0, 2, 2], [0, 1, 2], [0, 0, 2]], numpy.int32)
        for table in (around, numpy.full((3, 3), 7, numpy.int32)):
            inputs["o"] = {"npy": self.write("o.npy", table)}
            job = self.write_job({name: inputs[name] for name in "mop"}, [query("q", "m", next="o", pairs="p")],
                                 backend="cpu")
            self.assertSays(self.terrace("run", job, "--fresh=all", expect=FAILED), "it is no table of next nodes")


class Sources(JobTest):
    """Tables of some nodes alone."""
    always = {"backend": "cpu"}

    def roads(self, text="rome oslo 3\noslo bonn 4\nbonn riga 1\nrome riga 9\nkiev rome 2\n"):
        return {"g": {"graph": self.write("g.txt", text)}}

    def some(self, *sources, **settings):
        return {"name": "p", "recursive": {"problem": "floyd_warshall", "matrix": "g", "paths": True,
                                           "sources": list(sources), **settings}}

    def check_trips(self, found):
        self.assertEqual([name.decode() for name in found["path"][()]], ["rome", "oslo", "bonn", "riga", "oslo"])
        self.assertEqual(found["path_begin"][()].tolist(), [0, 4, 5, 5])
        self.assertEqual(found["distance"][()].tolist(), [8, 0, 16383])

    def test_pairs_are_found_by_names(self):
        pairs = [["rome", "riga"], ["oslo", "oslo"], ["oslo", "kiev"]]
        asked = query("q", "p/distance", previous="p/previous", pairs=pairs)
        for temporary in (False, True):
            result = self.run_job(self.roads(), [{**self.some("oslo", "rome"), "temporary": temporary}, asked], "--fresh=all")
            self.check_trips(result["q"])
        # The table of a stage that is taken over, and that of a file.
        self.run_job(self.roads(), [self.some("oslo", "rome")], "--fresh=all")
        self.check_trips(self.run_job(self.roads(), [self.some("oslo", "rome"), asked])["q"])
        self.terrace("verify", "result.h5", "--sample", "1")
        inputs = {"d": {"hdf5": "result.h5", "dataset": "p/distance"}, "b": {"hdf5": "result.h5", "dataset": "p/previous"}}
        self.check_trips(self.run_job(inputs, [query("q", "d", previous="b", pairs=pairs)], output="asked.h5")["q"])

    def test_totals_are_those_of_the_rows(self):
        draw = numpy.random.default_rng(3)
        lines = "".join(f"{a} {b} {w}\n" for a, b, w in zip(*draw.integers(0, 90, (2, 150)), draw.integers(1, 30, 150)))
        inputs = {"g": {"graph": self.write("g.txt", lines), "nodes": 90, "header": False}}
        sources = [40, 3, 89, 3, 40]
        result = self.run_job(inputs, [self.some(*sources, type="i32"),
                                       query("q", "p/distance", reduce=ALL + ["histogram"], bins=40, range=[0, 90])])
        table = result["p/distance"][()]
        found = result["q"]
        finite = (table != NONE["int32"]) & (numpy.array(sources)[:, None] != numpy.arange(90))
        self.assertEqual(int(found["sum"][()]), table[finite].sum())
        self.assertEqual(int(found["count"][()]), finite.sum())
        farthest = numpy.where(finite, table, -1).max(axis=1)
        numpy.testing.assert_array_equal(found["eccentricity"][()],
                                         numpy.where(farthest < 0, NONE["int32"], farthest))
        for name, values in histogram_of(table, sources, 40, (0, 90)).items():
            numpy.testing.assert_array_equal(found[name][()], values, name)
        self.terrace("verify", "result.h5", "--sample", "1")

    def test_tables_of_next_and_previous_nodes_are_told_apart_by_their_names(self):
        whole = self.some("oslo")
        whole["recursive"].pop("sources")
        job = self.write_job(self.roads(), [whole, query("q", "p/distance", pairs=[["rome", "riga"]], previous="p/next")])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:",
                        "'p/next' is a table for `next`: give it in place of `previous`")

    def test_what_is_not_in_the_table_is_named_with_its_place(self):
        names = {"t": {"csv": self.write("t.csv", "rome,riga\nbonn,riga\n"), "names": True, "header": False}}
        for asked, inputs, says in (
                ({"pairs": [["rome", "riga"], ["bonn", "riga"]]}, {},
                 ("pair 1: 'bonn' is none of the `sources` from which the table has distances, 'oslo', 'rome': add it to "
                  "`sources` of the stage that makes the table",)),
                ({"pairs": [["rome", "bern"]]}, {}, ("pair 0: 'bern' is no node",)),
                ({"pairs": "t"}, names, ("'t', row 1, column 0", "'bonn' is none of the `sources`")),
                ({"pairs": [["rome", "riga"]], "next": "p/previous"}, {}, ("give `previous` in its place",)),
                ({"pairs": [["rome", "riga"]], "previous": "o/previous"}, {}, ("other `sources`",))):
            with self.subTest(says=says):
                stages = [self.some("oslo", "rome"), {**self.some("oslo", "bonn"), "name": "o"},
                          query("q", "p/distance", **asked)]
                job = self.write_job({**self.roads(), **inputs}, stages)
                self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", *says)

    def test_paths_of_all_nodes_by_previous_ones(self):
        table = numpy.array([[0, 1, 3], [3, 0, 2], [1, 2, 0]])
        before = numpy.array([[-1, 0, 1], [2, -1, 1], [2, 0, -1]], numpy.int32)
        inputs = {"m": {"npy": self.write("m.npy", table)}, "b": {"npy": self.write("b.npy", before)}}
        found = self.run_job(inputs, [query("q", "m", previous="b", pairs=[["0", "2"], ["1", "0"]])])["q"]
        self.assertEqual(found["path"][()].tolist(), [0, 1, 2, 1, 2, 0])
        inputs["b"] = {"npy": self.write("b.npy", numpy.full((3, 3), 1, numpy.int32))}
        job = self.write_job(inputs, [query("q", "m", previous="b", pairs=[["0", "2"]])])
        self.assertSays(self.terrace("run", job, "--fresh=all", expect=FAILED), "it is no table of previous nodes")


if __name__ == "__main__":
    main()
