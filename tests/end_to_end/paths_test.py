"""Paths in whole jobs: following `next` gives every distance, whatever the budget, the type, zeros and ties."""
import unittest

from terrace_runs import JobTest, data, main, numpy

NONE = {"int16": 16383, "int32": 2 ** 30 - 1, "int64": 2 ** 62 - 1, "float32": numpy.inf, "float64": numpy.inf}


def paths(name, matrix, **settings):
    """A stage of a job."""
    return {"name": name, "recursive": {"problem": "floyd_warshall", "matrix": matrix, "paths": True, **settings}}


def shortest(weights, loops=False):
    """The definition: distances, and of the shortest paths with the fewest edges the least next nodes."""
    nodes = len(weights)
    d, h = weights.astype(float), numpy.ones(weights.shape)
    n = numpy.tile(numpy.arange(nodes), (nodes, 1))
    if not loops:
        numpy.fill_diagonal(d, 0)
        numpy.fill_diagonal(h, 0)
        numpy.fill_diagonal(n, nodes)
    for k in range(nodes):
        through, along = d[:, k:k + 1] + d[k:k + 1, :], h[:, k:k + 1] + h[k:k + 1, :]
        first = numpy.tile(n[:, k:k + 1], (1, nodes))
        better = (through < d) | (numpy.isfinite(through) & (through == d)
                                  & ((along < h) | ((along == h) & (first < n))))
        d, h, n = (numpy.where(better, new, old) for new, old in ((through, d), (along, h), (first, n)))
    return d, numpy.where(numpy.isfinite(d), numpy.where(n == nodes, numpy.arange(nodes)[:, None], n), -1)


def sums_along(next_nodes, weights):
    """The sum of the edges' weights from each node to each, following the next nodes; of no path infinity."""
    nodes = len(weights)
    to = numpy.tile(numpy.arange(nodes), (nodes, 1))
    at, total = numpy.tile(numpy.arange(nodes)[:, None], (1, nodes)), numpy.zeros(weights.shape)
    there = next_nodes < 0
    total[there] = numpy.inf
    there |= at == to
    for _ in range(nodes + 1):
        if there.all():
            return total
        after = numpy.where(there, at, next_nodes[at, to])
        total += numpy.where(there, 0, weights[at, after])
        at = after
        there |= at == to
    raise AssertionError("some path never ends")


def zero_cycle():
    """Two nodes that lie in other blocks of pivots than 20 and 21 are joined by edges of no weight; in blocks of pivots
    it does not suffice to keep what is there on a tie."""
    weights = numpy.full((90, 90), numpy.inf)
    for a, b, weight in ((20, 3, 0), (3, 20, 0), (3, 21, 1), (21, 80, 1), (20, 70, 0), (70, 20, 0), (70, 21, 1)):
        weights[a, b] = weight
    return weights


def random_weights(nodes, degree, seed, kind):
    draw = numpy.random.default_rng(seed)
    most = {"zeros": 1, "ties": 3}.get(kind, 30)
    weights = numpy.where(draw.random((nodes, nodes)) < degree / nodes, draw.integers(0, most, (nodes, nodes)),
                          numpy.inf)
    if kind == "negative":
        # Every cycle keeps its weight: many are zero.
        height = draw.integers(0, 20, nodes)
        weights[numpy.isfinite(weights) & (draw.random((nodes, nodes)) < 0.5)] = 0
        weights += height - height[:, None]
    return weights


class Paths(JobTest):
    def follow(self, weights, kind, *arguments, loops=False, schedule="auto", **keys):
        stored = numpy.full(weights.shape, NONE[kind], kind)
        stored[numpy.isfinite(weights)] = weights[numpy.isfinite(weights)]
        settings = {"schedule": schedule, "diagonal": "given" if loops else "zero"}
        result = self.run_job({"m": {"npy": self.write("m.npy", stored)}}, [paths("p", "m", **settings)], "--fresh",
                              *arguments, backend="cpu", **keys)
        distance, next_nodes = result["p/distance"][()], result["p/next"][()]
        self.assertEqual((distance.dtype, next_nodes.dtype), (numpy.dtype(kind), numpy.int32))
        none = result["p/next"].attrs["_FillValue"]
        self.assertEqual((none, none.dtype), (-1, numpy.int32))
        found = numpy.where(distance == NONE[kind], numpy.inf, distance.astype(float))
        expected, canonical = shortest(weights, loops)
        numpy.testing.assert_array_equal(found, expected)
        numpy.testing.assert_array_equal(next_nodes, canonical)
        if not loops:
            numpy.testing.assert_array_equal(sums_along(next_nodes, weights), expected)
        return result

    def test_every_path_adds_up_to_its_distance_in_every_type(self):
        for number, kind in enumerate(NONE):
            for weights in ("zeros", "ties", "negative"):
                with self.subTest(kind=kind, weights=weights):
                    self.follow(random_weights(140, 4, number, weights), kind)

    def test_every_path_adds_up_to_its_distance_in_tables_far_larger_than_memory(self):
        for kind, weights in (("float32", "zeros"), ("int32", "negative"), ("float64", "ties"), ("int16", "zeros")):
            result = self.follow(random_weights(200, 4, 7, weights), kind, memory={"host": 60 << 10})
            self.assertGreater(int(result["profile/stages/blocks"][0]), 300)
            self.assertLessEqual(int(result["profile/stages/peak_host"][0]), 60 << 10)

    def test_cycles_without_weight_are_left_in_every_schedule(self):
        for schedule in ("two_way", "r_way", "plain"):
            for host in ("36KiB", "60KiB", "1GiB"):
                self.follow(zero_cycle(), "float32", "--set", f"memory.host={host}", schedule=schedule)
        self.follow(numpy.zeros((70, 70)), "int32")

    def test_loops_are_edges_where_the_diagonal_is_given(self):
        weights = random_weights(80, 3, 5, "ties")
        weights[numpy.arange(0, 80, 3), numpy.arange(0, 80, 3)] = 2
        self.follow(weights, "int32", loops=True, memory={"host": 50 << 10})

    def test_graphs_of_few_nodes_have_paths_too(self):
        for nodes in (0, 1, 2, 5):
            self.follow(random_weights(nodes, 1.5, nodes, "ties") if nodes else numpy.zeros((0, 0)), "float32")

    def test_a_run_that_is_killed_goes_on_to_the_same_bytes(self):
        path = self.write("m.npy", random_weights(300, 5, 8, "zeros"))
        self.check_survives_kills({"m": {"npy": path}}, paths("p", "m", type="f32"), "distance", "next",
                                  memory={"host": 200000})

    def test_sums_of_numbers_that_are_no_whole_ones_are_close_to_the_distances(self):
        weights = numpy.random.default_rng(3).random((150, 150)).astype(numpy.float32)
        numpy.fill_diagonal(weights, 0)
        result = self.run_job({"m": {"npy": self.write("m.npy", weights)}}, [paths("p", "m")], backend="cpu",
                              memory={"host": 90 << 10})
        total = sums_along(result["p/next"][()], weights.astype(float))
        self.assertLess(numpy.abs(total - result["p/distance"][()]).max(), 150 * 2 ** -24)

    def test_of_flight_routes(self):
        graph = {"g": {"graph": data("graphs", "openflights_m.gr")}}
        result = self.run_job(graph, [paths("p", "g", type="i32")], backend="cpu")
        distance, next_nodes = result["p/distance"][()], result["p/next"][()]
        self.assertEqual(int(distance[distance < NONE["int32"]].max()), 42064495)
        with open(graph["g"]["graph"]) as file:
            edges = [line.split() for line in file if line.startswith("a ")]
        weights = {}
        for _, a, b, weight in edges:
            pair = (int(a) - 1, int(b) - 1)
            weights[pair] = min(int(weight), weights.get(pair, 10 ** 9))
        for start, end in numpy.random.default_rng(2).integers(0, len(distance), (3000, 2)).tolist():
            at, total = start, 0
            while at != end and next_nodes[at, end] >= 0:
                total += weights[at, int(next_nodes[at, end])]
                at = int(next_nodes[at, end])
            self.assertEqual(total if at == end else NONE["int32"], distance[start, end])


if __name__ == "__main__":
    main()
