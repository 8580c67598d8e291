"""Transitive closures in whole jobs: against plain loops at any budget, packed and not, of graphs and of matrices."""
import unittest

from terrace_runs import FAILED, WRONG, JobTest, main, numpy


def closure(name, matrix, **settings):
    """A stage of a job."""
    return {"name": name, "recursive": {"problem": "transitive_closure", "matrix": matrix, **settings}}


def closed(edges):
    """The definition."""
    reached = edges.astype(bool)
    for k in range(len(reached)):
        reached |= reached[:, k:k + 1] & reached[k:k + 1, :]
    return reached


def random_edges(nodes, degree, seed):
    return numpy.random.default_rng(seed).random((nodes, nodes)) < degree / max(1, nodes)


class Closures(JobTest):
    def close(self, matrix, *arguments, **settings):
        result = self.run_job({"m": {"npy": self.write("m.npy", matrix)}}, [closure("c", "m", **settings)], "--fresh",
                              *arguments, backend="cpu")
        return result["c/closure"][()]

    def test_any_budget_and_schedule_gives_what_the_definition_says(self):
        for nodes in (0, 1, 2, 33, 700):
            edges = random_edges(nodes, 1.3, nodes)
            for host in ("40KiB", "150KiB", "1GiB"):
                for schedule in ("two_way", "plain"):
                    with self.subTest(nodes=nodes, host=host, schedule=schedule):
                        found = self.close(edges.astype(numpy.uint8), "--set", f"memory.host={host}",
                                           schedule=schedule)
                        self.assertEqual(found.dtype, numpy.uint8)
                        numpy.testing.assert_array_equal(found, closed(edges))

    def test_tables_far_larger_than_memory_stay_within_it(self):
        edges = random_edges(900, 1.2, 4)
        numpy.testing.assert_array_equal(self.close(edges.astype(numpy.int32), "--set", "memory.host=24KiB"),
                                         closed(edges))
        stages = self.open()["profile/stages"]
        self.assertGreater(int(stages["blocks"][0]), 1000)
        self.assertLessEqual(int(stages["peak_host"][0]), 24 << 10)

    def test_bits_are_packed_as_numpy_packs_them(self):
        for nodes in (1, 7, 8, 9, 130, 500):
            edges = random_edges(nodes, 1.4, nodes)
            for host in ("36KiB", "1GiB"):
                packed = self.close(edges.astype(numpy.float32), "--set", f"memory.host={host}", packed=True)
                numpy.testing.assert_array_equal(packed, numpy.packbits(closed(edges), axis=1, bitorder="little"))

    def test_a_closure_is_its_own_closure(self):
        edges = random_edges(300, 1.5, 6)
        once = self.close(edges.astype(numpy.uint8))
        numpy.testing.assert_array_equal(self.close(once), once)

    def test_what_is_an_edge_depends_on_the_input(self):
        weights = numpy.array([[0, 3, -1], [-1, 0, -1], [-1, 0, -1]])
        numpy.testing.assert_array_equal(self.close(weights), closed(weights != 0))
        numpy.testing.assert_array_equal(self.close(weights, no_edge=-1), closed(weights != -1))
        # Of a graph also edges that weigh nothing are edges.
        graph = {"graph": self.write("g.txt", "0 1 0\n1 2 7\n3 3 1\n")}
        result = self.run_job({"g": graph}, [closure("c", "g")], "--fresh", backend="cpu")
        numpy.testing.assert_array_equal(result["c/closure"][()],
                                         [[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]])

    def test_infinity_is_no_edge(self):
        edges = random_edges(60, 1.3, 8)
        for kind in ("f4", "f8", "i2", "i4", "i8"):
            with self.subTest(kind=kind):
                none = numpy.inf if kind[0] == "f" else numpy.iinfo(kind).max // 2
                weights = numpy.where(edges, 5, none).astype(kind)
                numpy.testing.assert_array_equal(self.close(weights), closed(edges))
                # Where another value means none, too.
                weights[edges & (numpy.arange(60) % 2 == 0)] = -1
                numpy.testing.assert_array_equal(self.close(weights, no_edge=-1),
                                                 closed(edges & (numpy.arange(60) % 2 == 1)))
        # In other types no value is special.
        numpy.testing.assert_array_equal(self.close(numpy.full((3, 3), 32767, numpy.uint16)), numpy.ones((3, 3)))

    def test_of_distances_is_that_of_their_edges(self):
        edges = random_edges(80, 1.2, 5)
        for kind in ("f4", "i2", "i4", "i8"):
            with self.subTest(kind=kind):
                none = numpy.inf if kind[0] == "f" else numpy.iinfo(kind).max // 2
                weights = numpy.where(edges, 3, none).astype(kind)
                stages = [{"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "m"}},
                          closure("c", "d/distance"), closure("own", "m")]
                result = self.run_job({"m": {"npy": self.write("m.npy", weights)}}, stages, "--fresh", backend="cpu")
                off = ~numpy.eye(80, dtype=bool)
                found, own = result["c/closure"][()], result["own/closure"][()]
                # A node that reaches another and is reached from it lies on a cycle; loops are no part of distances.
                numpy.testing.assert_array_equal(found[off], closed(edges)[off])
                numpy.testing.assert_array_equal(own, closed(edges))
                self.assertLess(found.mean(), 1)

    def test_what_is_wrong_is_named(self):
        matrix = numpy.zeros((40, 40))
        matrix[17, 31] = numpy.nan
        job = self.write_job({"m": {"npy": self.write("m.npy", matrix)}}, [closure("c", "m")], backend="cpu")
        self.assertSays(self.terrace("run", job, expect=FAILED), "job.yaml:", "'m', row 17, column 31 (", "m.npy): is no number (NaN)")
        job = self.write_job({"m": {"npy": self.write("m.npy", matrix[:3])}}, [closure("c", "m")], backend="cpu")
        self.assertSays(self.terrace("run", job, expect=WRONG), "give a square matrix")


if __name__ == "__main__":
    main()
