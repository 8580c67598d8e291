"""Graphs in their files' formats: what each says, what other programs found, and what is wrong with some."""
import gzip
import json
import re

from terrace_runs import WRONG, JobTest, data, h5py, main, numpy

NONE = numpy.iinfo(numpy.int64).max // 2


class Graphs(JobTest):
    def distances(self, graph, *arguments, **settings):
        stage = {"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g", **settings}}
        result = self.run_job({"g": graph}, [stage], "--fresh=all", *arguments, backend="cpu")
        found = result["d/distance"]
        if found.dtype.kind == "f":
            self.assertNotIn("_FillValue", found.attrs)
            return found[()]
        none = found.attrs["_FillValue"]
        self.assertEqual((none, none.dtype), (numpy.iinfo(found.dtype).max // 2, found.dtype))
        return numpy.where(found[()] == none, NONE, found[()].astype(numpy.int64))

    def refused(self, graph, *says):
        stage = {"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}
        job = self.write_job({"g": graph}, [stage], backend="cpu")
        self.assertSays(self.terrace("check", job, expect=WRONG), *says)


class Formats(Graphs):
    # Three nodes: 0 to 1 twice, 1 to 2, and 2 to itself.
    DISTANCES = [[0, 4, 9], [NONE, 0, 5], [NONE, NONE, 0]]

    def check(self, name, text, **settings):
        numpy.testing.assert_array_equal(self.distances({"graph": self.write(name, text), **settings}), self.DISTANCES)

    def test_dimacs(self):
        self.check("g.gr", "c three nodes\np sp 3 4\na 1 2 7\na 1 2 4\na 2 3 5\na 3 3 1\n")

    def test_lists_of_edges(self):
        self.check("g.txt", "# SNAP\n0\t1\t4\n0 1 7\n\n1 2 5\n2 2 1\n")
        self.check("g.csv", "from,to,cost\n0,1,4\n1,2,5\n")
        self.check("g.csv", "from,to,name,cost\n0,1,8,4\n1,2,9,5\n", weight="cost")
        self.check("g.txt", "0 1 8 4\n1 2 9 5\n", weight="3")
        self.check("g.txt", "0 1 4\n1 2 5\n", weight="2")
        for weight in ("none", "1", "cost"):
            self.refused({"graph": self.write("g.txt", "0 1 4\n1 2 5\n"), "weight": weight},
                         f"job.yaml:6:14: weight: '{weight}' is neither a column of a header of ",
                         "g.txt nor an index from 2 on\n")
        self.check("g.gr", "7 90 4\n90 2000000000000 5\n", format="edges", nodes="used")
        self.check("g.csv", ",to,from,cost,weight\n0,1,0,8,4\n1,2,1,9,5\n")
        self.check("g.csv", "a,b,c,d\n4,8,0,1\n5,9,1,2\n", **{"from": "c", "to": "d", "weight": "a"})
        self.check("g.txt", "4 8 0 1\n5 9 1 2\n", **{"from": 2, "to": "3", "weight": 0})

    def test_matrix_market(self):
        self.check("g.mtx", "%%MatrixMarket matrix coordinate integer general\n% a comment\n3 3 2\n1 2 4\n2 3 5\n")

    def test_formats_with_one_place_for_weights_take_no_key_for_it(self):
        for name, text, kind in (("g.gr", "p sp 2 1\na 1 2 7\n", "dimacs"),
                                 ("g.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 4\n",
                                  "matrix_market")):
            self.refused({"graph": self.write(name, text), "weight": "2"}, "job.yaml:",
                         f"weight: a file of format {kind} says by itself what its weights are")

    def test_gml(self):
        text = ('Creator "x [ y"\ngraph [ directed 1\n node [ id 10 label "a" ]\n node [ id 4 graphics [ x 1 ] ]\n'
                ' node [ id 7 ]\n edge [ source 10 target 4 weight 4 ]\n edge [ source 4 target 7 weight 5 len 9 ]\n]\n')
        self.check("g.gml", text)
        self.check("g.gml", text.replace("weight", "len", 1).replace("weight 5 len", "old 1 len").replace(
            "len 9", "len 5"), weight="len")

    def test_edges_go_both_ways_where_the_file_or_the_job_says_so(self):
        both = [[0, 4, 9], [4, 0, 5], [9, 5, 0]]
        lines = "0 1 4\n1 2 5\n"
        for name, text, settings in (
                ("g.txt", lines, {"directed": False}),
                ("g.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 4\n3 2 5\n", {}),
                ("g.gml", "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 weight 4 ] "
                          "edge [ source 1 target 2 weight 5 ] ]", {})):
            numpy.testing.assert_array_equal(self.distances({"graph": self.write(name, text), **settings}), both)

    def test_headers_of_lists_of_edges(self):
        # Three nodes, from 1, and as many edges as the first line says.
        for lines in ("3 3\n1 2 4\n2 3 5\n1 2 7\n", "# a comment\n3\t3\n1\t2\t4\n2\t3\t5\n1\t2\t7\n",
                      "3 3\n0 1 4\n1 2 5\n0 1 7\n", "3,3\n1,2,4\n2,3,5\n1,2,7\n"):
            with self.subTest(lines=lines):
                for settings in ({}, {"header": True}):
                    self.check("g.txt", lines, **settings)
        # Edges without weights, and a header only where the job says so.
        path = self.write("g.txt", "4 2\n1 2\n2 4\n")
        for header, shape, far in ((True, (4, 4), (0, 3)), (False, (3, 3), (0, 1))):
            found = self.distances({"graph": path, "header": header})
            self.assertEqual((found.shape, int(found[far])), (shape, 2 if header else 1))
        self.assertEqual(self.distances({"graph": self.write("g.txt", "5\n0 1 4\n"), "header": True}).shape, (2, 2))
        self.check("g.txt", "7 9 2\n0 1 4\n1 2 5\n", header=True)
        job = self.write_job({"g": {"graph": self.write("g.txt", "4 2\n1 2\n2 4\n")}},
                             [{"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}], backend="cpu")
        self.assertSays(self.terrace("check", job), "warning: ", "g.txt:1: this line is read as an edge from node 4",
                        "`header: true`", "job.yaml:")
        job = self.write_job({"g": {"graph": self.write("g.txt", "4 3\n1 2\n2 4\n"), "nodes": "used"}},
                             [{"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}], backend="cpu")
        self.assertNotIn("warning", self.terrace("check", job).stderr)

    def test_nodes_without_edges_are_left_out_of_lists_and_said_to_be(self):
        job = self.write_job({"g": {"graph": self.write("g.txt", "1000 2000 5\n")}},
                             [{"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}], backend="cpu")
        self.assertSays(self.terrace("check", job), "warning: ", "1,999 of 2,001 nodes have no edge", "`nodes: used`")
        for nodes in ("used", "all", "3000"):
            self.assertNotIn("warning", self.terrace("check", job, "--set", f"inputs.g.nodes={nodes}").stderr)
        for text in ("0 2 1\n1 2 1\n", "0 1\n", "# none\n", "ann bob 4\nbob eve 5\n"):
            self.write("g.txt", text)
            self.assertNotIn("warning", self.terrace("check", job).stderr)

    def test_weights_are_whole_numbers_or_not_or_all_one(self):
        path = self.write("g.txt", "0 1 2.5\n1 2 5\n")
        found = self.distances({"graph": path})
        numpy.testing.assert_array_equal(found, [[0, 2.5, 7.5], [numpy.inf, 0, 5], [numpy.inf, numpy.inf, 0]])
        self.assertEqual(self.distances({"graph": path, "unweighted": True})[0, 2], 2)
        self.assertEqual(self.distances({"graph": self.write("g.txt", "0 1\n1 2\n")})[0, 2], 2)

    def test_there_may_be_nodes_without_edges(self):
        path = self.write("g.txt", "0 2 1\n")
        self.assertEqual(self.distances({"graph": path, "nodes": "all"}).shape, (3, 3))
        self.assertEqual(self.distances({"graph": path}).shape, (2, 2))
        self.assertEqual(self.distances({"graph": path, "nodes": 5}).shape, (5, 5))
        self.assertEqual(self.distances({"graph": path, "nodes": "used"}).tolist(), [[0, 1], [NONE, 0]])
        self.assertEqual(self.distances({"graph": self.write("g.txt", "# none\n")}).shape, (0, 0))
        self.assertEqual(self.distances({"graph": self.write("g.gr", "p sp 4 0\n")}).shape, (4, 4))

    def test_what_is_wrong_is_named_with_its_place(self):
        for name, text, says, settings in (
                ("g.gr", "a 1 2 3\n", ":1:1: an edge before the problem line", {}),
                ("g.gr", "p sp 2 1\nb 1 2 3\n", ":2:1: 'b' begins no line", {}),
                ("g.gr", "0 1 5\n", ":1:1: '0' begins no line of a shortest-path file (c, p, a); if it is a list "
                                   "of edges, say `format: edges`", {}),
                ("g.gr", "p sp 2 1\na 1 x 3\n", ":2:5: 'x' is no number of a node", {}),
                ("g.gr", "p sp 2 1\na 1 3 3\n", ":2:5: node 3 is none of the 2 nodes, counted from 1", {}),
                ("g.gr", "p sp 2 1\na 1 2\n", "this edge has no weight", {}),
                ("g.gr", "", "has no problem line", {}),
                ("g.gr", "p sp 3 9\na 1 2 4\na 2 3 1\n", "has 2 edges, and says that it has 9", {}),
                ("g.txt", "", "is empty", {}),
                ("g.txt", "this is no graph\n", "has a line of names and no edge", {}),
                ("g.txt", "0 1 2\n0 -1 2\n", ":2:3: '-1' is no number of a node", {}),
                ("g.txt", "0 1 2\n0 1 nan\n", ":2:5: 'nan' is no weight", {}),
                ("g.txt", "0 1 2\n0 1 9007199254740993\n", "magnitudes up to 2^53", {}),
                ("g.txt", "0 1 2\n0\n", "an edge has two nodes", {}),
                ("g.txt", "0 1 2\n", "is neither a column of a header of", {"weight": "cost"}),
                ("g.txt", "0 1 2\n0 1 2 9\n", ":2:7: this line has 4 fields, and line 1 has 3", {}),
                ("g.txt", "0 1 2\n0 1\n", ":2:4: this line has 2 fields, and line 1 has 3", {}),
                ("g.txt", "0 1\n0 1 2 3\n", "if line 1 is a header, say `header: true`", {}),
                ("g.txt", "3 3\n1 2 4\n2 3 5\n", ":1: the file says that it has 3 edges, and has 2", {}),
                ("g.txt", "2 2\n1 2 4\n2 3 5\n", ":3: node 3 is none of the 2 nodes, counted from 1", {}),
                ("g.txt", "2 2\n0 2 4\n1 0 5\n", ":2: node 2 is none of the 2 nodes, counted from 0", {}),
                ("g.txt", "2 1\n1 2 4\n", "this line has 3 fields, and line 1 has 2", {"header": False}),
                ("g.gr", "p sp 2 1\na 1 2 3\n", "header: a file of format dimacs has none", {"header": True}),
                ("g.txt", "ann bob 3\nbob eve x\n", ":2:9: 'x' is no number", {}),
                ("g.txt", "0 1 2\n0 1 \x1b[31m\n", "'\\x1b[31m' is no number", {}),
                ("g.graphml", "<?xml version='1.0'?>\n<graphml/>\n", "has no <graph>", {}),
                ("g.txt.gz", gzip.compress(b"0 1 2\n")[:-1], ": the gzip data end too soon", {}),
                ("g.txt.bz2", b"BZh91AY&SY", "unpack it first (bunzip2 -k)", {}),
                ("g.gr", gzip.compress(b"p sp 0 1\n"), "has 0 edges, and says that it has 1", {}),
                ("g.mtx", "%%MatrixMarket matrix coordinate real general\n1000000000000 1000000000000 1\n1 2 3\n",
                 "has 1000000000000 nodes", {}),
                ("g.gml", "graph [\n node [ id 1 ]\n edge [ source 1\n target 7 weight 2 ] ]",
                 ":4: this edge is one of node 7", {}),
                ("g.txt", "0 9999999999 2\n", "say `nodes: used`", {"nodes": "all"}),
                ("g.txt", "0 5 2\n", "has 6, more than 3", {"nodes": 3}),
                ("g.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", "a graph begins with", {}),
                ("g.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n", ":2:3: the matrix of a graph", {}),
                ("g.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n", "has 1 edge, and says", {}),
                ("g.gml", "graph [ node [ id 1 ] edge [ source 1 target 1 ] ]", "this edge has no 'weight'", {}),
                ("g.gml", "graph [ node [ id 1 ] edge [ source 1 ] ]", ":1:28: this edge has no source or no", {}),
                ("g.gml", "graph [\n node [ id 1 ]\n node [ id 1 ] ]", "has two nodes with the id 1", {}),
                ("g.gml", "graph [ node [ id 1 ]", "a `]` is missing", {}),
                ("g.gml", 'graph [ label "x ]', "a quote is missing", {}),
                ("g.gml", "[" * 200, "", {}), ("g.gml", "graph " + "[ a " * 200, "too deep", {}),
                ("g.gml", "node [ ]", "has no `graph", {})):
            with self.subTest(text=text[:80]):
                self.refused({"graph": self.write(name, text), **settings}, says)
        self.refused({"graph": self.write("g.txt", "0 1\n"), "weight": "2", "unweighted": True},
                     "an unweighted graph has none")


class Types(Graphs):
    def kind(self, graph, **settings):
        self.distances(graph, **settings)
        return self.open()["d/distance"].dtype

    def test_of_distances_are_the_narrowest_that_hold_them_where_nothing_is_said(self):
        for weight, kind in ((4, "int16"), (30000, "int32"), (2 ** 40, "int64")):
            graph = {"graph": self.write("g.txt", f"0 1 {weight}\n1 2 1\n")}
            self.assertEqual(self.kind(graph), kind)
            self.assertEqual(self.kind(graph, type="input"), "int64")
        self.assertEqual(self.kind({"graph": self.write("g.txt", "0 1 2.5\n1 2 1\n")}), "float64")

    def test_by_the_default_of_an_earlier_version_are_named_and_kept_by_the_setting(self):
        graph = {"g": {"graph": self.write("g.txt", "0 1 4\n1 2 1\n")}}

        def job(**settings):
            return self.write_job(graph, [{"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g",
                                                                      **settings}}], backend="cpu")

        # The default was `input`, and the matrix's keys were fewer.
        self.terrace("run", job(type="input"))
        with h5py.File(self.folder / "result.h5", "r+") as file:
            identity = json.loads(file.attrs["identity"])
            del identity["stages"][0]["settings"]["diagonal"]
            file.attrs["identity"] = json.dumps(identity)
        ended = self.terrace("run", job(), expect=WRONG)
        self.assertSays(ended, "job.yaml:", "stages.d.type was input, the default of an earlier version, and is auto",
                        "`type: input` keeps it")
        self.assertIn("distance  i64", self.terrace("show", "result.h5").stdout)
        self.assertSays(self.terrace("run", job(type="input")), "is there already, made by this job")
        ended = self.terrace("run", job(type="input", diagonal="given"), expect=WRONG)
        self.assertSays(ended, "stages.d.diagonal was not given")

    def test_nodes_by_the_default_of_an_earlier_version_are_named_and_kept_by_the_setting(self):
        def job(**settings):
            return self.write_job({"g": {"graph": "g.txt", **settings}},
                                  [{"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}],
                                  backend="cpu")

        def make_earlier(text):
            """The result of a version whose lists of edges had all nodes by default."""
            self.write("g.txt", text)
            self.terrace("run", job(nodes="all"), "--fresh=all")
            with h5py.File(self.folder / "result.h5", "r+") as file:
                identity = json.loads(file.attrs["identity"])
                del identity["inputs"]["g"]["settings"]["nodes"]
                file.attrs["identity"] = json.dumps(identity)

        make_earlier("0 2 4\n2 5 1\n")
        ended = self.terrace("run", job(), expect=WRONG)
        self.assertSays(ended, "inputs.g.nodes was all, the default of an earlier version, and is used, the default "
                        "now; `nodes: all` keeps it")
        self.assertSays(self.terrace("run", job(nodes="all")), "is there already, made by this job")
        self.assertSays(self.terrace("run", job(nodes="used"), expect=WRONG), "inputs.g.nodes was not given")
        # It is computed again with all nodes; its identity was changed here.
        said = self.terrace("verify", "result.h5", "--sample", "1", expect=1)
        self.assertIn("d/distance: 6 of 6 rows computed again, equal", said.stdout)
        # All numbers have an edge: both defaults read the same.
        make_earlier("0 1 4\n1 2 1\n")
        self.assertSays(self.terrace("run", job()), "is there already, made by this job")


class Names(Graphs):
    def named(self, graph, *stages, **keys):
        first = {"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g", "paths": True}}
        return self.run_job({"g": graph}, [first, *stages], "--fresh=all", backend="cpu", **keys)

    def texts(self, dataset):
        return [text.decode() if isinstance(text, bytes) else text for text in dataset[()].tolist()]

    def test_of_nodes_are_in_every_stage_that_is_made_of_a_graph(self):
        path = self.write("g.txt", "oslo rome 4\nrome \"new york\" 5\n")
        closure = {"name": "c", "recursive": {"problem": "transitive_closure", "matrix": "g"}}
        question = {"name": "q", "query": {"matrix": "d/distance", "reduce": ["sum"]}}
        result = self.named({"graph": path}, closure, question)
        for stage in "dcq":
            self.assertEqual(self.texts(result[stage + "/node"]), ["oslo", "rome", "new york"])
        for axis, name in enumerate(("from", "to")):
            self.assertEqual(self.texts(result["d/distance"].dims[axis][0]), ["oslo", "rome", "new york"])
            self.assertEqual(result["d/distance"].dims[axis][0].name, "/d/" + name)
        self.assertRegex(self.terrace("show", "result.h5").stdout, "node +text +3 +oslo, rome, new york")

    def test_that_are_ids_are_numbers(self):
        result = self.named({"graph": self.write("g.gr", "p sp 3 1\na 1 3 7\n")})
        self.assertEqual(result["d/node"][()].tolist(), [1, 2, 3])
        result = self.named({"graph": self.write("g.txt", "10 20 3\n20 35 4\n")})
        self.assertEqual(result["d/node"][()].tolist(), [10, 20, 35])
        gml = "graph [ node [ id 7 label \"a\" ] node [ id 5 label \"b\" ] edge [ source 7 target 5 weight 2 ] ]"
        result = self.named({"graph": self.write("g.gml", gml)})
        self.assertEqual((self.texts(result["d/node"]), result["d/node_id"][()].tolist()), (["a", "b"], [7, 5]))

    def test_are_what_pairs_and_paths_have(self):
        path = self.write("g.txt", "oslo rome 4\nrome \"new york\" 5\noslo \"new york\" 20\n")
        pairs = [["oslo", "new york"], ["rome", "oslo"]]
        question = {"name": "q", "query": {"matrix": "d/distance", "next": "d/next", "pairs": pairs}}

        def check(result):
            self.assertEqual(result["q/distance"][0], 9)
            self.assertEqual(self.texts(result["q/path"]), ["oslo", "rome", "new york"])
            self.assertEqual(result["q/path_begin"][()].tolist(), [0, 3, 3])

        check(self.named({"graph": path}, question))
        self.terrace("verify", "result.h5", "--sample", "1")
        said = self.terrace("show", "result.h5").stdout
        self.assertIn("path 0: oslo -> rome -> new york\n", said)
        self.assertIn("path 1: none\n", said)
        # The same of a result that is an input.
        (self.folder / "result.h5").rename(self.folder / "first.h5")
        inputs = {name: {"hdf5": "first.h5", "dataset": "d/" + name} for name in ("distance", "next")}
        question = {"name": "q", "query": {"matrix": "distance", "next": "next", "pairs": pairs}}
        check(self.run_job(inputs, [question], backend="cpu"))
        job = self.write_job(inputs, [{"name": "q", "query": {"matrix": "distance", "pairs": [["oslo", "rom"]]}}])
        self.assertSays(self.terrace("check", job, expect=WRONG), "pair 0: 'rom' is no node; did you mean 'rome'?")

    def test_pairs_of_ids_are_never_positions(self):
        question = {"name": "q", "query": {"matrix": "d/distance", "next": "d/next", "pairs": [[1, 3]]}}
        result = self.named({"graph": self.write("g.gr", "p sp 3 2\na 1 2 7\na 2 3 1\n")}, question)
        self.assertEqual((result["q/distance"][0], result["q/path"][()].tolist()), (8, [1, 2, 3]))
        job = self.write_job({"g": {"graph": "g.gr"}}, [{"name": "q", "query": {"matrix": "g", "pairs": [[0, 1]]}}])
        self.assertSays(self.terrace("check", job, expect=WRONG), "'0' is no node: give whole numbers from 1 to 3")
        inputs = {"g": {"graph": "g.gr"}, "p": {"values": [1, 2]}}
        result = self.run_job(inputs, [{"name": "q", "query": {"matrix": "g", "pairs": "p"}}], "--fresh=all",
                              backend="cpu")
        self.assertEqual(result["q/distance"][()].tolist(), [7])

    def test_open_in_xarray(self):
        self.named({"graph": self.write("g.txt", "oslo rome 4\nrome bern 5\n")})
        try:
            import xarray
        except ImportError:
            self.skipTest("no xarray")
        with xarray.open_dataset(self.folder / "result.h5", group="d", engine="h5netcdf", phony_dims="sort") as opened:
            self.assertEqual(int(opened.distance.sel({"from": "oslo", "to": "bern"})), 9)

    def test_in_graphml_are_read(self):
        text = ('<graphml><key id="w" for="edge" attr.name="weight"/><key id="n" for="node" attr.name="name"/>'
                '<graph edgedefault="undirected"><node id="n0"><data key="n">Oslo</data></node><node id="n1"/>'
                '<edge source="n0" target="n1"><data key="w">4</data></edge></graph></graphml>')
        result = self.named({"graph": self.write("g.graphml.gz", gzip.compress(text.encode()))})
        self.assertEqual(self.texts(result["d/node"]), ["Oslo", "n1"])
        self.assertEqual(self.texts(result["d/node_id"]), ["n0", "n1"])
        self.assertEqual(result["d/distance"][()].tolist(), [[0, 4], [4, 0]])


class KnownAnswers(Graphs):
    def finite(self, distances):
        if distances.dtype.kind == "f":
            return distances[numpy.isfinite(distances)]
        return distances[distances < numpy.iinfo(distances.dtype).max // 2]

    def test_of_flight_routes(self):
        found = self.finite(self.distances({"graph": data("graphs", "openflights_m.gr")}))
        self.assertEqual((self.open()["d/distance"].dtype, int(found.max()), int(found.sum(dtype=numpy.int64)), len(found)),
                         (numpy.int64, 42064495, 99775066222758, 10033263))

    def test_of_social_networks(self):
        graph = {"graph": data("graphs", "facebook_combined.txt"), "directed": False}
        found = self.finite(self.distances(graph))
        self.assertEqual((self.open()["d/distance"].dtype, found.max(), found.sum(dtype=numpy.int64)), (numpy.int16, 8, 60222874))

    def test_of_backbones(self):
        for name in ("backbone_europe", "caida_2024-08_3356"):
            path = data("graphs", "topohub", name + ".gml")
            with open(path) as file:
                text = file.read()
            says = {key: float(re.search(key + " ([0-9.]+)", text).group(1)) for key in ("diameter_len", "diameter_hops")}
            length = self.finite(self.distances({"graph": path, "weight": "dist"})).max()
            # Weights are rounded to 0.01: a path of at most 40 edges may be off by that much each.
            self.assertLess(abs(length - says["diameter_len"]), 0.005 * 41)
            hops = self.finite(self.distances({"graph": path, "unweighted": True})).max()
            self.assertEqual(hops, says["diameter_hops"])

    def test_of_lists_of_edges_with_their_headers(self):
        """Johnson's algorithm's test cases of Coursera's and Stanford's courses: shortest of all shortest paths."""
        for number in range(1, 33):
            nodes = 2 ** ((number - 1) // 4 + 1)
            graph = {"graph": data("graphs", "stanford", f"input_random_{number}_{nodes}.txt")}
            with open(data("graphs", "stanford", f"output_random_{number}_{nodes}.txt")) as file:
                answer = file.read().strip()
            with self.subTest(number=number):
                if answer == "NULL":
                    stage = {"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}
                    job = self.write_job({"g": graph}, [stage], backend="cpu")
                    self.assertSays(self.terrace("run", job, "--fresh=all", expect=1), "has a negative cycle through node")
                    continue
                found = self.distances(graph)
                self.assertEqual(found.shape, (nodes, nodes))
                numpy.fill_diagonal(found, NONE)
                self.assertEqual(int(found.min()), int(answer))

    def test_of_directed_graphs_with_negative_weights(self):
        for number in range(1, 26, 4):
            nodes = 2 if number < 5 else 2 ** ((number - 1) // 4 + 1)
            with open(data("graphs", "stanford", f"input_random_{number}_{nodes}.txt")) as file:
                lines = file.read().split("\n")
            with open(data("graphs", "stanford", f"output_random_{number}_{nodes}.txt")) as file:
                answer = file.read().strip()
            size, edges = lines[0].split()
            text = f"p sp {size} {edges}\n" + "".join(f"a {line}\n" for line in lines[1:] if line.strip())
            graph = {"graph": self.write("g.gr", text)}
            if answer == "NULL":
                stage = {"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "g"}}
                job = self.write_job({"g": graph}, [stage], backend="cpu")
                self.assertSays(self.terrace("run", job, "--fresh=all", expect=1), "has a negative cycle through node")
                continue
            found = self.distances(graph)
            numpy.fill_diagonal(found, NONE)
            self.assertEqual(int(found.min()), int(answer))


if __name__ == "__main__":
    main()
