"""Shortest paths of sparse graphs by searches: the same as by updates of tiles, whatever the weights, the type, the
budget or a kill; what is wrong is named with its place."""
import json
import pathlib
import re
import time

from paths_test import NONE, random_weights, shortest, sums_along
from terrace_runs import FAILED, WRONG, JobTest, data, main, numpy


def searches(name="p", **settings):
    """A stage of a job."""
    settings = {"schedule": "searches", **settings}
    return {"name": name, "recursive": {"problem": "floyd_warshall", "matrix": "g", **settings}}


def edge_list(weights):
    """The edges of a matrix, as a list."""
    return "".join(f"{a} {b} {weights[a, b]:.17g}\n" for a, b in zip(*numpy.nonzero(numpy.isfinite(weights))))


class SearchTest(JobTest):
    always = {"backend": "cpu"}

    def graph(self, weights, **settings):
        lines = edge_list(weights) or "# none\n"
        return {"g": {"graph": self.write("g.txt", lines), "nodes": len(weights), "header": False, **settings}}

    def distances(self, result, name="p"):
        found = result[f"{name}/distance"][()]
        return numpy.where(found == NONE[found.dtype.name], numpy.inf, found.astype(float))


class Searches(SearchTest):
    def test_distances_and_paths_are_those_of_updates_in_every_type(self):
        for number, (kind, element) in enumerate(
                (("int16", "i16"), ("int32", "i32"), ("int64", "i64"), ("float32", "f32"), ("float64", "f64"))):
            for weights in ("zeros", "ties", "negative", "equal"):
                matrix = random_weights(150, 4, number, weights)
                if weights == "equal":
                    matrix[numpy.isfinite(matrix)] = 3
                for loops in (False, True):
                    with self.subTest(kind=kind, weights=weights, loops=loops):
                        settings = {"type": element, "diagonal": "given" if loops else "zero"}
                        stages = [searches("p", paths=True, **settings), searches("q", **settings),
                                  searches("u", paths=True, **{**settings, "schedule": "two_way"})]
                        result = self.run_job(self.graph(matrix), stages, "--fresh=all")
                        expected, canonical = shortest(matrix, loops)
                        for name in "pqu":
                            self.assertEqual(result[f"{name}/distance"].dtype, numpy.dtype(kind))
                            numpy.testing.assert_array_equal(self.distances(result, name), expected)
                        numpy.testing.assert_array_equal(result["p/next"][()], canonical)
                        for name in ("distance", "next"):
                            attributes = [dict(result[f"{stage}/{name}"].attrs) for stage in "pu"]
                            self.assertEqual(attributes[0].keys(), attributes[1].keys())
                            self.assertEqual(attributes[0].get("_FillValue"), attributes[1].get("_FillValue"))
                            self.assertEqual(attributes[0]["long_name"], attributes[1]["long_name"])

    def test_budgets_do_not_matter_and_are_kept(self):
        for weights, settings in (("ties", {}), ("negative", {"paths": True}), ("equal", {}),
                                  ("ties", {"type": "f64", "paths": True})):
            matrix = random_weights(700, 3, 3, weights)
            if weights == "equal":
                matrix[numpy.isfinite(matrix)] = 1
            expected = None
            for host in ("1GiB", "1500KiB"):
                result = self.run_job(self.graph(matrix), [searches(type=settings.get("type", "i32"), **{
                    key: value for key, value in settings.items() if key != "type"})], "--fresh=all",
                    memory={"host": host})
                found = self.distances(result)
                expected = found if expected is None else expected
                numpy.testing.assert_array_equal(found, expected)
            self.assertGreater(int(result["profile/stages/blocks"][0]), 2)
            self.assertLessEqual(int(result["profile/stages/peak_host"][0]), 1500 << 10)
            job = str(self.folder / "job.yaml")
            said = self.terrace("plan", job, "--fresh=all", "--set", "memory.host=100KiB", expect=WRONG).stderr
            least = re.search(r"memory.host is too small for any plan of this stage: the least is ([0-9.]+ ?\w+)", said)
            self.terrace("run", job, "--fresh=all", "--set", f"memory.host={least[1].replace(' ', '')}")
            numpy.testing.assert_array_equal(self.distances(self.open()), expected)

    def test_a_run_that_is_killed_goes_on_to_the_same_bytes(self):
        matrix = random_weights(900, 4, 8, "negative")
        self.check_survives_kills(self.graph(matrix), searches(paths=True, type="i32"), "distance", "next",
                                  memory={"host": "2500KiB"})
        matrix[numpy.isfinite(matrix)] = 1
        self.check_survives_kills(self.graph(matrix), searches("e", type="i16"), "distance",
                                  memory={"host": "2500KiB"})

    def test_of_flight_routes(self):
        graph = {"g": {"graph": data("graphs", "openflights_m.gr")}}
        result = self.run_job(graph, [searches("p"), searches("u", schedule="two_way")])
        numpy.testing.assert_array_equal(result["p/distance"][()], result["u/distance"][()])

    def test_paths_can_be_asked_for(self):
        graph = {"g": {"graph": self.write("g.txt", "rome oslo 3\noslo bonn 4\nbonn riga 1\nrome riga 9\n")}}
        query = {"name": "q", "query": {"matrix": "p/distance", "next": "p/next", "pairs": [["rome", "riga"]],
                                        "reduce": ["eccentricity"]}}
        result = self.run_job(graph, [searches(paths=True), query])
        self.assertEqual([name.decode() for name in result["q/path"][()]], ["rome", "oslo", "bonn", "riga"])
        self.assertEqual(int(result["q/distance"][0]), 8)

    def test_there_may_be_few_nodes_and_no_edges(self):
        for nodes in (0, 1, 5):
            for paths in (False, True):
                result = self.run_job(self.graph(numpy.full((nodes, nodes), numpy.inf)),
                                      [searches(paths=paths, type="i32")], "--fresh=all")
                expected = numpy.full((nodes, nodes), numpy.inf)
                numpy.fill_diagonal(expected, 0)
                numpy.testing.assert_array_equal(self.distances(result), expected)

    def test_sums_of_numbers_that_are_no_whole_ones(self):
        weights = random_weights(200, 5, 3, "ties")
        draw = numpy.random.default_rng(5)
        weights += draw.random(weights.shape)
        result = self.run_job(self.graph(weights), [searches("p", type="f64", paths=True),
                                                    searches("f", type="f32"),
                                                    searches("u", type="f64", schedule="two_way")])
        exact = self.distances(result)
        numpy.testing.assert_allclose(exact, self.distances(result, "u"), rtol=200 * 2.0 ** -53)
        numpy.testing.assert_allclose(sums_along(result["p/next"][()], weights), exact, rtol=200 * 2.0 ** -53)
        numpy.testing.assert_allclose(self.distances(result, "f"), exact, rtol=4 * 2.0 ** -24)
        # Cycles keep their weight, but for rounding.
        height = draw.random(200) * 20
        weights += height - height[:, None]
        result = self.run_job(self.graph(weights), [searches("p", type="f64", paths=True)], "--fresh=all")
        numpy.testing.assert_allclose(self.distances(result), exact + height - height[:, None], atol=1e-10)

    def test_verify_finds_right_and_wrong_rows(self):
        self.run_job(self.graph(random_weights(120, 4, 1, "negative")), [searches(paths=True, type="i32")])
        self.terrace("verify", "result.h5", "--sample", "1")


class Sources(SearchTest):
    def check_previous(self, row, previous, source, weights):
        """Following the nodes before each gives the distance, over the least of those that are as good."""
        for to, distance in enumerate(row):
            at, total, steps = to, 0, 0
            while at != source and previous[at] >= 0 and steps <= len(row):
                total += weights[previous[at], at]
                at, steps = int(previous[at]), steps + 1
            self.assertEqual(total if at == source else numpy.inf, distance)

    def test_rows_are_those_of_the_sources_with_the_nodes_before_each(self):
        for weights in ("equal", "ties", "negative"):
            matrix = random_weights(130, 3, 6, "ties" if weights == "equal" else weights)
            if weights == "equal":
                matrix[numpy.isfinite(matrix)] = 2
            sources = [77, 3, 128, 3]
            for settings in ({}, {"schedule": "searches", "type": "f64"}):
                stage = searches(**{"schedule": "auto", **settings}, sources=sources, paths=True)
                result = self.run_job(self.graph(matrix), [stage, searches("d", sources=sources)], "--fresh=all")
                self.assertEqual(result["p/source"][()].tolist(), sources)
                self.assertNotIn("next", result["p"])
                self.assertEqual([axis[0].name for axis in result["p/distance"].dims], ["/p/source", "/p/to"])
                expected = shortest(matrix)[0][sources]
                numpy.testing.assert_array_equal(self.distances(result), expected)
                numpy.testing.assert_array_equal(self.distances(result, "d"), expected)
                for row, previous, source in zip(expected, result["p/previous"][()], sources):
                    self.check_previous(row, previous, source, matrix)
                self.terrace("verify", "result.h5", "--sample", "1")

    def test_sources_have_the_names_of_the_graph(self):
        graph = {"g": {"graph": self.write("g.txt", "rome oslo 3\noslo bonn 4\nbonn riga 1\n")}}
        result = self.run_job(graph, [searches(sources=["oslo"], paths=True, schedule="auto")])
        self.assertEqual([name.decode() for name in result["p/source"][()]], ["oslo"])
        self.assertEqual(self.distances(result).tolist(), [[numpy.inf, 0, 4, 5]])
        self.assertEqual(result["p/previous"][()].tolist(), [[-1, 1, 1, 2]])

    def test_the_only_node_of_a_graph(self):
        graph = {"g": {"graph": self.write("g.txt", "rome rome 3\n")}}
        self.assertEqual(self.distances(self.run_job(graph, [searches(sources=["rome"])])).tolist(), [[0]])

    def test_what_is_wrong_is_named_with_its_place(self):
        graph = {"g": {"graph": self.write("g.txt", "rome oslo 3\noslo bonn 4\n")}}
        for sources, says in ((["bern"], "'bern' is no node"), ([], "name a node"),
                              (["rome", "oslo", "bonn"], "'g' has 3 nodes: name fewer")):
            job = self.write_job(graph, [searches(sources=sources)])
            self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", says)
        job = self.write_job(graph, [searches(sources=["rome"], schedule="plain")])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", "distances from some `sources` are searched")
        matrix = {"g": {"npy": self.write("m.npy", numpy.ones((4, 4), numpy.int32))}}
        job = self.write_job(matrix, [searches(sources=["1"], schedule="auto")])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", "`sources` follows the edges")


class Reductions(SearchTest):
    def test_are_those_of_the_table(self):
        for weights, settings in (("equal", {}), ("ties", {}), ("ties", {"type": "f64"}), ("negative", {}),
                                  ("ties", {"sources": [5, 99, 2]}), ("ties", {"diagonal": "given"})):
            matrix = random_weights(300, 1.5, 6, "ties" if weights == "equal" else weights)
            if weights == "equal":
                matrix[numpy.isfinite(matrix)] = 2
            with self.subTest(weights=weights, **settings):
                inputs = self.graph(matrix)
                result = self.run_job(inputs, [searches(keep="reductions", **{"schedule": "auto", **settings})],
                                      "--fresh=all", memory={"host": "3MiB"})
                self.assertNotIn("distance", result["p"])
                distances, _ = shortest(matrix, settings.get("diagonal") == "given")
                numpy.fill_diagonal(distances, numpy.inf)
                distances = distances[settings.get("sources", slice(None))]
                finite = numpy.isfinite(distances)
                reached = finite.sum(axis=1)
                numpy.testing.assert_array_equal(result["p/reached"][()], reached)
                numpy.testing.assert_array_equal(result["p/sum"][()], numpy.where(finite, distances, 0).sum(axis=1))
                found = result["p/eccentricity"][()]
                found = numpy.where(found == NONE[found.dtype.name], numpy.inf, found.astype(float))
                expected = numpy.where(finite, distances, -numpy.inf).max(axis=1)
                numpy.testing.assert_array_equal(found, numpy.where(reached > 0, expected, numpy.inf))
                axis = result["p/sum"].dims[0][0].name
                self.assertEqual(axis, "/p/source" if "sources" in settings else "/p/from")
                self.terrace("verify", "result.h5", "--sample", "1")

    def test_histograms_are_those_of_the_table(self):
        for weights, settings, bins in (("equal", {}, {"bins": 9}), ("ties", {}, {"range": [-2.5, 20]}),
                                        ("ties", {"type": "f64"}, {"bins": 5, "range": [1, 9]}),
                                        ("negative", {}, {"bins": 30, "range": [-40, 40]}),
                                        ("ties", {"sources": [5, 99, 2, 99]}, {"bins": 12}),
                                        ("ties", {"diagonal": "given"}, {"bins": 60})):
            matrix = random_weights(300, 1.5, 6, "ties" if weights == "equal" else weights)
            if weights == "equal":
                matrix[numpy.isfinite(matrix)] = 2
            with self.subTest(weights=weights, **settings):
                stages = [searches("p", **settings),
                          {"name": "q", "query": {"matrix": "p/distance", "reduce": ["histogram"], **bins}},
                          searches("r", keep="reductions", **bins, **settings)]
                result = self.run_job(self.graph(matrix), stages, "--fresh=all", memory={"host": "3MiB"})
                for name in ("histogram", "bin", "outside", "unreachable"):
                    numpy.testing.assert_array_equal(result["q/" + name][()], result["r/" + name][()], name)
                    self.assertEqual(dict(result["q/" + name].attrs).get("long_name"),
                                     dict(result["r/" + name].attrs).get("long_name"))
                reached = int(result["r/reached"][()].sum())
                self.assertEqual(int(result["r/histogram"][()].sum() + result["r/outside"][()]), reached)
                self.assertGreater(int(result["r/histogram"][()].sum()), 0)

    def test_a_histogram_of_no_nodes(self):
        for nodes in (0, 1):
            result = self.run_job(self.graph(numpy.full((nodes, nodes), numpy.inf)),
                                  [searches(keep="reductions", bins=4, type="i32")], "--fresh=all")
            self.assertEqual(result["p/histogram"][()].tolist(), [0, 0, 0, 0])
            self.assertEqual((int(result["p/outside"][()]), int(result["p/unreachable"][()])), (0, 0))

    def test_a_run_that_is_killed_goes_on_to_the_same_bytes(self):
        matrix = random_weights(2500, 4, 8, "ties")
        self.check_survives_kills(self.graph(matrix), searches(keep="reductions", bins=50), "eccentricity", "sum",
                                  "reached", "histogram", "outside", "unreachable", memory={"host": "6MiB"})

    def test_what_is_wrong_is_named_with_its_place(self):
        graph = {"g": {"graph": self.write("g.txt", "0 1 3\n1 2 4\n")}}
        for settings, says in (({"paths": True}, "`keep: reductions` keeps no paths"),
                               ({"schedule": "plain"}, "rows that are not kept are searched"),
                               ({"range": [3, 2]}, "`range` is two numbers, the lower first"),
                               ({"keep": "table", "bins": 3}, "ask for it by `reduce: [histogram]` of a stage `query`")):
            job = self.write_job(graph, [searches(**{"keep": "reductions", **settings})])
            self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", says)
        matrix = {"g": {"npy": self.write("m.npy", numpy.ones((4, 4), numpy.int32))}}
        job = self.write_job(matrix, [searches(keep="reductions", schedule="auto")])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", "`keep` follows the edges")
        star = "".join(f"0 {node} {2 ** 53 - 1}\n" for node in range(1, 1100))
        job = self.write_job({"g": {"graph": self.write("g.txt", star)}}, [searches(keep="reductions", type="i64")])
        self.assertSays(self.terrace("run", job, expect=FAILED), "a sum of distances of 'g' leaves i64: say `type: f64`")


class Choice(SearchTest):
    def plan(self, inputs, **settings):
        job = self.write_job(inputs, [searches(**settings)])
        return json.loads(self.terrace("plan", job, "--json").stdout)["stages"][0]

    def test_auto_searches_large_sparse_graphs_of_whole_weights(self):
        sparse = self.graph(random_weights(2000, 3, 1, "ties"))
        planned = self.plan(sparse, schedule="auto")
        self.assertEqual(planned["method"], "sweeps")
        job = self.write_job(sparse, [searches(schedule="auto")])
        said = self.terrace("plan", job).stdout
        self.assertIn("searches from each node are expected to compute for", said)
        self.assertIn(", updates of all pairs for", said)
        self.assertEqual(self.plan(sparse, schedule="auto", type="f64")["method"], "tiles")
        self.assertEqual(self.plan(sparse, schedule="two_way")["method"], "tiles")
        self.assertEqual(self.plan({"g": {**sparse["g"], "unweighted": True}}, schedule="auto")["method"], "levels")
        dense = self.graph(random_weights(200, 150, 1, "ties"))
        self.assertEqual(self.plan(dense, schedule="auto")["method"], "tiles")


class Wrong(SearchTest):
    def test_negative_cycles_are_those_of_updates(self):
        weights = numpy.full((6, 6), numpy.inf)
        weights[0, 1], weights[1, 2], weights[2, 0], weights[3, 0] = 2, 3, -6, 1
        for kind in ("i32", "f64"):
            for schedule in ("searches", "two_way"):
                job = self.write_job(self.graph(weights), [searches(type=kind, schedule=schedule)])
                self.assertSays(self.terrace("run", job, "--fresh=all", expect=FAILED), "'g' has a negative cycle through node '",
                                "so that no path there is the shortest; mend the weights")
        weights[2, 0] = -5
        self.run_job(self.graph(weights), [searches(type="i32")], "--fresh=all")
        weights[4, 4] = -1
        job = self.write_job(self.graph(weights), [searches(type="i32")])
        self.assertSays(self.terrace("run", job, "--fresh=all", expect=FAILED), "a negative cycle through node '4'")

    def test_types_that_may_not_hold_the_distances_are_refused_as_by_updates(self):
        line = numpy.full((5, 5), numpy.inf)
        for node in range(4):
            line[node, node + 1] = 5000
        negative = line.copy()
        negative[0, 1] = -3000
        for weights, says in ((line, "distances of 'g' leave i16: say `type: i32`"),
                              (negative, "has weights from -3000 to 5000, and distances between 5 nodes may leave i16")):
            for schedule in ("searches", "two_way"):
                job = self.write_job(self.graph(weights), [searches(type="i16", schedule=schedule)])
                self.assertSays(self.terrace("run", job, "--fresh=all", expect=FAILED), says)
        huge = numpy.where(numpy.isfinite(line), 1e300, numpy.inf)
        huge *= 1e8
        job = self.write_job(self.graph(huge), [searches(type="f64")])
        self.assertSays(self.terrace("run", job, "--fresh=all", expect=FAILED), "distances of 'g' leave f64")
        line[0, 1] = 40000
        job = self.write_job(self.graph(line), [searches(type="i16")])
        self.assertSays(self.terrace("plan", job, expect=WRONG), "40000 is too large for the type of the result")

    def test_what_is_no_graph_or_no_shortest_path_is_refused_at_its_place(self):
        matrix = {"g": {"npy": self.write("m.npy", numpy.ones((4, 4), numpy.int32))}}
        job = self.write_job(matrix, [searches()])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", "`schedule: searches` follows the edges",
                        "by `graph: FILE`")
        stage = {"name": "c", "recursive": {"problem": "transitive_closure", "matrix": "g", "schedule": "searches"}}
        self.assertSays(self.terrace("check", self.write_job(matrix, [stage]), expect=WRONG), "job.yaml:",
                        "searches find shortest paths, of `floyd_warshall`")

    def test_graphs_have_no_value_for_no_edge(self):
        graph = {"g": {"graph": self.write("g.txt", "0 1 3\n1 2 4\n")}}
        for schedule in ("searches", "two_way"):
            for kind in ("auto", "i32"):
                job = self.write_job(graph, [searches(no_edge=-1, schedule=schedule, type=kind)])
                said = self.terrace("check", job, expect=WRONG)
                self.assertSays(said, "stage 'p': 'g' is a graph, which has no value for no edge")
                line, column = map(int, re.search(r"job.yaml:(\d+):(\d+): ", said.stderr).groups())
                self.assertTrue(pathlib.Path(job).read_text().splitlines()[line - 1][column - 1:].startswith("-1"), said.stderr)

    def test_a_graph_of_more_nodes_than_memory_holds_is_refused_at_once(self):
        file = self.write("g.mtx", "%%MatrixMarket matrix coordinate integer general\n"
                          "2000000000 2000000000 2\n1 2 3\n2 3 4\n")
        for settings, says in (({"keep": "reductions"}, "searches take 14.9 GiB of memory and more"),
                               ({"sources": ["1"]}, "searches take 14.9 GiB of memory and more"),
                               ({}, "more than 2^24 rows")):
            job = self.write_job({"g": {"graph": file}}, [searches(**settings)], memory={"host": "1GiB"})
            for command in ("check", "plan", "run"):
                began = time.monotonic()
                self.assertSays(self.terrace(command, job, expect=WRONG), "job.yaml:", "'g' has ", says)
                self.assertLess(time.monotonic() - began, 10)

    def test_rows_of_a_graph_of_more_nodes_than_a_table_may_have(self):
        nodes = 2 ** 24 + 5
        file = self.write("g.mtx", f"%%MatrixMarket matrix coordinate integer general\n{nodes} {nodes} 2\n"
                          f"1 2 3\n2 {nodes} 4\n")
        result = self.run_job({"g": {"graph": file}}, [searches(sources=["1"], type="i32")])
        row = result["p/distance"][0]
        self.assertEqual((len(row), row[0], row[1], row[nodes - 1], (row < NONE["int32"]).sum()), (nodes, 0, 3, 7, 3))


if __name__ == "__main__":
    main()
