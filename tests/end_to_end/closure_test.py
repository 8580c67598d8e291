"""Closures in whole jobs: against plain loops at any budget, against PolyBench's dumps, and what is refused."""
import re
import unittest

from terrace_runs import FAILED, WRONG, JobTest, data, main, numpy

INFINITY = {kind: numpy.iinfo(kind).max // 2 for kind in ("int16", "int32", "int64")}


def recursive(name, problem, **settings):
    """A stage of a job."""
    return {"name": name, "recursive": {"problem": problem, **settings}}


def distances(name, matrix, **settings):
    return recursive(name, "floyd_warshall", matrix=matrix, **settings)


def floyd_warshall(matrix):
    """The definition, in f64, where there is no path: infinity."""
    d = matrix.astype(float)
    for k in range(len(d)):
        d = numpy.minimum(d, d[:, k:k + 1] + d[k:k + 1, :])
    return d


def random_graph(nodes, degree, seed, negative=False):
    """Whole weights in f64, infinity where there is no edge; some negative, but no cycle."""
    draw = numpy.random.default_rng(seed)
    matrix = numpy.where(draw.random((nodes, nodes)) < degree / max(1, nodes), draw.integers(0, 30, (nodes, nodes)),
                         numpy.inf)
    if negative:
        height = draw.integers(0, 20, nodes)
        matrix += height - height[:, None]
    numpy.fill_diagonal(matrix, 0)
    return matrix


def as_type(distances, kind):
    """Distances as a type holds them."""
    found = numpy.full(distances.shape, INFINITY.get(kind, numpy.inf), kind)
    found[numpy.isfinite(distances)] = distances[numpy.isfinite(distances)]
    return found


class Budgets(JobTest):
    def check(self, nodes, kind, budgets, negative=False, **settings):
        matrix = random_graph(nodes, 4, nodes, negative)
        expected = floyd_warshall(matrix)
        stored, wanted = as_type(matrix, kind), as_type(expected, kind)
        path = self.write("m.npy", stored)
        blocks = []
        for number, host in enumerate(budgets):
            job = self.write_job({"m": {"npy": path}}, [distances("paths", "m", **settings)],
                                 output=f"out-{kind}-{number}.h5", backend="cpu")
            self.terrace("run", job, "--fresh", "--set", f"memory.host={host}")
            result = self.open(f"out-{kind}-{number}.h5")
            with self.subTest(nodes=nodes, kind=kind, host=host):
                self.assertEqual(result["paths/distance"].dtype, numpy.dtype(kind))
                numpy.testing.assert_array_equal(result["paths/distance"][()], wanted)
            blocks.append(int(result["profile/stages/blocks"][0]))
        return blocks

    def test_every_type_gives_the_same_distances_at_any_budget(self):
        for kind in ("float32", "float64", "int16", "int32", "int64"):
            blocks = self.check(150, kind, ["1GiB", "60KiB"], negative=kind != "float32")
            self.assertGreaterEqual(blocks[1], 27)

    def test_tables_far_larger_than_memory_are_cut_at_every_level(self):
        # Six tiles of the table's hundred fit, and the recursion goes down four times.
        blocks = self.check(310, "float32", ["28KiB", "90KiB"])
        self.assertGreater(blocks[0], 900)

    def test_every_schedule_gives_the_same_distances(self):
        for schedule in ("two_way", "r_way", "plain"):
            self.check(170, "int32", ["100KiB"], schedule=schedule)

    def test_tables_of_few_nodes(self):
        for nodes in (0, 1, 2, 33):
            self.check(nodes, "float32", ["1GiB", "21KiB"])
            self.check(nodes, "int16", ["1GiB", "21KiB"])

    def test_a_budget_that_no_tile_fits_names_the_least(self):
        path = self.write("m.npy", random_graph(100, 3, 1).astype(numpy.float64))
        job = self.write_job({"m": {"npy": path}}, [distances("paths", "m")], backend="cpu")
        ended = self.terrace("run", job, "--set", "memory.host=10KiB", expect=WRONG)
        self.assertSays(ended, "memory.host is too small for any plan of this stage: the least is ")
        least = re.search(r"the least is ([0-9.]+ ?[A-Za-z]+)", ended.stderr).group(1).replace(" ", "")
        self.terrace("run", job, "--set", f"memory.host={least}")

    def test_memory_and_traffic_stay_within_bounds(self):
        nodes = 512
        path = self.write("m.npy", random_graph(nodes, 6, 3).astype(numpy.float32))
        host = nodes * nodes * 4 // 2
        job = self.write_job({"m": {"npy": path}}, [distances("paths", "m")], backend="cpu", memory={"host": host})
        self.terrace("run", job)
        result = self.open()
        self.assertLessEqual(int(result["profile/stages/peak_host"][0]), host)

    def test_a_run_that_is_killed_goes_on_to_the_same_bytes(self):
        path = self.write("m.npy", random_graph(400, 5, 8, negative=True).astype(numpy.float64))
        self.check_survives_kills({"m": {"npy": path}}, distances("paths", "m"), "distance", jobs=3,
                                  memory={"host": 300000})


class Weights(JobTest):
    def closed(self, matrix, *arguments, **settings):
        path = self.write("m.npy", matrix)
        result = self.run_job({"m": {"npy": path}}, [distances("d", "m", **settings)], "--fresh", *arguments,
                              backend="cpu")
        return result["d/distance"][()]

    def refused(self, matrix, *says, expect=FAILED, **settings):
        job = self.write_job({"m": {"npy": self.write("m.npy", matrix)}}, [distances("d", "m", **settings)],
                             backend="cpu")
        self.assertSays(self.terrace("run", job, "--fresh", expect=expect), *says)

    def test_a_number_may_say_that_there_is_no_edge(self):
        matrix = numpy.array([[0, 3, -1], [-1, 0, 4], [1, -1, 0]], dtype=numpy.int32)
        closed = self.closed(matrix, no_edge=-1)
        numpy.testing.assert_array_equal(closed, [[0, 3, 7], [5, 0, 4], [1, 4, 0]])
        numpy.testing.assert_array_equal(self.closed(matrix.astype(numpy.float64), no_edge=-1), closed)
        nowhere = self.closed(numpy.full((2, 2), 9, numpy.uint8), no_edge=9)
        self.assertEqual(nowhere.dtype, numpy.int16)
        numpy.testing.assert_array_equal(nowhere, [[0, 16383], [16383, 0]])

    def test_that_number_is_one_of_the_matrix_s_type(self):
        for none in (1e30, 9999.9, 0.1):
            matrix = numpy.array([[0, none], [5, 0]], dtype=numpy.float32)
            numpy.testing.assert_array_equal(self.closed(matrix, no_edge=none), [[0, numpy.inf], [5, 0]])
        matrix = numpy.array([[0, 2**63 - 1], [5, 0]])
        numpy.testing.assert_array_equal(self.closed(matrix, no_edge=2**63 - 1), [[0, 2**62 - 1], [5, 0]])
        for kind, none in ((numpy.uint8, -1), (numpy.int16, 99999), (numpy.int32, 0.5), (numpy.float32, 1e300),
                           (numpy.int64, 2**53)):
            with self.subTest(kind=kind):
                self.refused(numpy.zeros((2, 2), kind), "no_edge", "'m' is a matrix of", expect=WRONG, no_edge=none)

    def test_the_diagonal_is_zero_or_as_given(self):
        matrix = numpy.array([[7.0, 1.0], [2.0, 9.0]])
        numpy.testing.assert_array_equal(self.closed(matrix), [[0, 1], [2, 0]])
        numpy.testing.assert_array_equal(self.closed(matrix, diagonal="given"), [[3, 1], [2, 3]])

    def test_the_type_is_the_matrix_s_or_the_narrowest_that_is_safe_or_the_one_given(self):
        matrix = numpy.array([[0, 300], [300, 0]], dtype=numpy.int64)
        for settings, kind in (({}, "int64"), ({"type": "auto"}, "int16"), ({"type": "f32"}, "float32"),
                               ({"type": "i32"}, "int32")):
            closed = self.closed(matrix, **settings)
            self.assertEqual(closed.dtype, numpy.dtype(kind))
            numpy.testing.assert_array_equal(closed, matrix)
        for weight, kind in ((8191, "int16"), (8192, "int32"), (536870911, "int32"), (536870912, "int64")):
            matrix[0, 1] = weight
            self.assertEqual(self.closed(matrix, type="auto").dtype, numpy.dtype(kind))
        matrix[0, 1], matrix[1, 0] = -8190, 8190
        self.assertEqual(self.closed(matrix, type="auto").dtype, numpy.int16)
        matrix[0, 1], matrix[1, 0] = -8191, 8191
        self.assertEqual(self.closed(matrix, type="auto").dtype, numpy.int32)

    def test_what_is_no_weight_is_an_error_with_its_place(self):
        matrix = numpy.zeros((40, 40))
        matrix[17, 31] = numpy.nan
        self.refused(matrix, "job.yaml:", "'m', row 17, column 31 (", "): is no number (NaN)")
        matrix[17, 31] = -numpy.inf
        self.refused(matrix, "'m', row 17, column 31 (", "): is minus infinity")
        matrix[17, 31] = 0.5
        self.refused(matrix, "row 17, column 31", "is no whole number", type="i32")
        matrix[17, 31] = 1e300
        self.refused(matrix, "row 17, column 31", "too large", type="f32")
        self.refused(matrix, "row 17, column 31", "too large", type="i64")
        self.refused(numpy.full((2, 2), 20000, numpy.int16), "row 0, column 0", "20000 is too large")
        matrix[17, 31] = numpy.inf
        self.refused(matrix, "row 17, column 31", "another value for no edge", no_edge=-1)

    def test_a_negative_cycle_is_an_error_that_names_a_node_on_it(self):
        for kind in (numpy.float32, numpy.int32):
            matrix = numpy.full((300, 300), 50, dtype=kind)
            matrix[20, 250], matrix[250, 20] = -3, 2
            self.refused(matrix, "'m' has a negative cycle through node 250")
            self.refused(numpy.diag(numpy.full(5, -1)).astype(kind), "negative cycle through node 0")

    def test_distances_that_the_type_may_not_hold_are_an_error_that_names_one_that_does(self):
        ring = numpy.full((12, 12), 16383, dtype=numpy.int16)
        for i in range(12):
            ring[i, (i + 1) % 12] = 1200
        closed = self.closed(ring)
        self.assertEqual(int(closed.max()), 11 * 1200)
        ring[3, 4] = 4000
        self.refused(ring, "distances of 'm' leave i16: say `type: i32`")
        self.assertEqual(int(self.closed(ring, type="i32").max()), 4000 + 10 * 1200)
        ring[3, 4] = -1
        self.refused(ring, "'m' has weights from -1 to 1200", "may leave i16: say `type: i32`")
        self.assertEqual(int(self.closed(ring, type="i32")[3, 4]), -1)
        line = numpy.full((3, 3), numpy.inf, dtype=numpy.float32)
        line[0, 1] = line[1, 2] = 3e38
        self.refused(line, "distances of 'm' leave f32: say `type: f64`")
        self.assertEqual(self.closed(line, type="f64")[0, 2], 2 * float(numpy.float32(3e38)))

    def test_what_is_no_square_matrix_is_refused(self):
        for shape in ((3, 4), (5,), (2, 2, 2)):
            self.refused(numpy.zeros(shape), "job.yaml:", "give a square matrix", expect=WRONG)

    def test_distances_are_distances(self):
        draw = numpy.random.default_rng(12)
        matrix = draw.random((130, 130), dtype=numpy.float32)
        d = self.closed(matrix, "--set", "memory.host=70KiB").astype(float)
        self.assertTrue((d <= matrix).all())
        self.assertEqual(numpy.abs(numpy.diag(d)).max(), 0)
        # Sums of a few numbers below 1, each rounded: the triangle inequality holds up to that.
        through = (d[:, :, None] + d[None, :, :]).min(axis=1)
        self.assertLess((d - through).max(), 130 * 2 ** -24)
        self.assertLess(numpy.abs(d - floyd_warshall(numpy.where(numpy.eye(130), 0, matrix))).max(), 130 * 2 ** -24)


class Dumps(JobTest):
    def check(self, size, name, **keys):
        with open(data("stencil", f"floyd-warshall.{name}.out")) as file:
            dump = file.read()
        numbers = re.search(r"begin dump: path(.*)end +dump: path", dump, re.DOTALL).group(1).split()
        self.assertEqual(len(numbers), size * size)
        i, j = numpy.mgrid[0:size, 0:size]
        matrix = (i * j % 7 + 1).astype(numpy.int32)
        matrix[((i + j) % 13 == 0) | ((i + j) % 7 == 0) | ((i + j) % 11 == 0)] = 999
        result = self.run_job({"m": {"npy": self.write("m.npy", matrix)}}, [distances("d", "m", diagonal="given")],
                              backend="cpu", **keys)
        self.assertEqual([str(value) for value in result["d/distance"][()].ravel()], numbers)

    def test_of_polybench_mini(self):
        self.check(60, "MINI")

    def test_of_polybench_small_in_many_tiles(self):
        self.check(180, "SMALL", memory={"host": 60000})


if __name__ == "__main__":
    main()
