"""Gaussian elimination in whole jobs: L times U is the matrix at any budget, and useless pivots are errors."""
import os
import unittest

from terrace_runs import FAILED, WRONG, JobTest, main, numpy


def eliminate(name, matrix, **settings):
    """A stage of a job."""
    return {"name": name, "recursive": {"problem": "gaussian_elimination", "matrix": matrix, **settings}}


def eliminated(matrix):
    """The definition, in f64."""
    a = matrix.astype(float)
    for k in range(len(a)):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= a[k + 1:, k:k + 1] * a[k:k + 1, k + 1:]
    return a


def dominant(rows, seed):
    """A matrix that needs no pivoting: every pivot is larger than the rest of its row."""
    matrix = numpy.random.default_rng(seed).random((rows, rows)) - 0.5
    matrix[numpy.arange(rows), numpy.arange(rows)] += rows
    return matrix


class Eliminations(JobTest):
    def lu(self, matrix, *arguments, **settings):
        result = self.run_job({"a": {"npy": self.write("a.npy", matrix)}}, [eliminate("e", "a", **settings)], "--fresh",
                              *arguments, backend="cpu")
        return result["e/lu"][()]

    def refused(self, matrix, *says, expect=FAILED, arguments=()):
        job = self.write_job({"a": {"npy": self.write("a.npy", matrix)}}, [eliminate("e", "a")], backend="cpu")
        self.assertSays(self.terrace("run", job, "--fresh", *arguments, expect=expect), *says)

    def check(self, matrix, *arguments, **settings):
        lu = self.lu(matrix, *arguments, **settings)
        rows, unit = len(matrix), float(numpy.finfo(lu.dtype).eps)
        # Each element is a sum of at most `rows` products, each rounded (Higham, Accuracy and Stability, 9.3).
        lower, upper = numpy.tril(lu.astype(float), -1) + numpy.eye(rows), numpy.triu(lu.astype(float))
        bound = rows * unit * (numpy.abs(lower) @ numpy.abs(upper))
        self.assertTrue((numpy.abs(lower @ upper - matrix) <= bound).all())
        return lu

    def test_l_times_u_is_the_matrix_at_any_budget_and_schedule(self):
        for kind in (numpy.float32, numpy.float64):
            for rows in (1, 2, 63, 64, 65, 200):
                matrix = dominant(rows, rows).astype(kind)
                for host in ("1GiB", "90KiB"):
                    for schedule in ("two_way", "plain"):
                        with self.subTest(kind=kind, rows=rows, host=host, schedule=schedule):
                            lu = self.check(matrix, "--set", f"memory.host={host}", schedule=schedule)
                            self.assertEqual(lu.dtype, kind)
        self.assertEqual(self.lu(numpy.zeros((0, 0))).shape, (0, 0))

    def test_tables_far_larger_than_memory_stay_within_it(self):
        matrix = dominant(300, 3)
        # On one thread, for which 16 KiB are OpenBLAS's.
        processors = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, processors)
        os.sched_setaffinity(0, {min(processors)})
        lu = self.check(matrix, "--set", "memory.host=56KiB")
        stages = self.open()["profile/stages"]
        # Ten tiles across, which are cut in two four times.
        self.assertEqual(int(stages["blocks"][0]), sum(tiles ** 2 for tiles in range(1, 11)))
        self.assertLessEqual(int(stages["peak_host"][0]), 56 << 10)
        numpy.testing.assert_allclose(lu, eliminated(matrix), rtol=1e-10, atol=1e-12)

    def test_whole_numbers_are_exact_where_every_quotient_is(self):
        draw = numpy.random.default_rng(5)
        lower = numpy.tril(draw.integers(-3, 4, (120, 120)), -1) + numpy.eye(120, dtype=int)
        upper = numpy.triu(draw.integers(-3, 4, (120, 120)), 1) + numpy.diag(draw.choice([-2, -1, 1, 2], 120))
        lu = self.lu(lower @ upper, "--set", "memory.host=60KiB")
        self.assertEqual(lu.dtype, numpy.float64)
        numpy.testing.assert_array_equal(lu, lower + upper - numpy.eye(120))

    def test_a_pivot_of_no_use_is_an_error_that_names_its_row(self):
        for rows, row in ((2, 0), (150, 0), (150, 70), (150, 149)):
            matrix = dominant(rows, row)
            matrix[row] = matrix[row - 1] if row > 0 else 0
            if row > 0:
                matrix[row, :] = 0
            for host in ("1GiB", "60KiB"):
                self.refused(matrix, f"the pivot in row {row} of 'a'", arguments=("--set", f"memory.host={host}"))
        tiny = dominant(150, 9)
        tiny[5, :] = 0
        tiny[5, 5] = 1e-30
        for host in ("1GiB", "60KiB"):
            self.refused(tiny, "the pivot in row 5 of 'a'", arguments=("--set", f"memory.host={host}"))
        # Small beside other rows alone it is of use.
        graded = numpy.diag([1e20, 1, 1e-20])
        numpy.testing.assert_array_equal(self.lu(graded), graded)

    def test_numbers_that_outgrow_their_type_are_an_error(self):
        matrix = numpy.array([[1, 3e38], [-3, 1]], numpy.float32)
        self.refused(matrix, "the pivot in row 1 of 'a'", "not finite", "type: f64")
        numpy.testing.assert_allclose(self.lu(matrix, type="f64"), [[1, 3e38], [-3, 9e38]], rtol=1e-7)

    def test_whole_numbers_are_eliminated_in_f64_and_types_may_be_named(self):
        matrix = numpy.array([[2, 1], [-1, 3]])
        for settings, kind in (({}, "float64"), ({"type": "f32"}, "float32")):
            lu = self.lu(matrix.astype(numpy.int32), **settings)
            self.assertEqual(lu.dtype, numpy.dtype(kind))
            numpy.testing.assert_array_equal(lu, [[2, 1], [-0.5, 3.5]])

    def test_a_run_that_is_killed_goes_on_to_the_same_bytes(self):
        path = self.write("a.npy", dominant(400, 8))
        self.check_survives_kills({"a": {"npy": path}}, eliminate("e", "a"), "lu", memory={"host": 300000})

    def test_what_is_no_matrix_of_numbers_is_refused(self):
        matrix = dominant(40, 1)
        matrix[17, 31] = numpy.nan
        self.refused(matrix, "job.yaml:", "'a', row 17, column 31 (", "): is no number (NaN)")
        matrix[17, 31] = numpy.inf
        self.refused(matrix, "'a', row 17, column 31")
        self.refused(dominant(4, 1)[:3], "give a square matrix", expect=WRONG)


if __name__ == "__main__":
    main()
