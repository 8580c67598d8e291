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


class Totals(JobTest):
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
                                        ({"matrix": "wide", "reduce": ["sum"]}, WRONG, "give a square matrix")):
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


if __name__ == "__main__":
    main()
