"""Products of matrices in whole jobs: against plain loops in every semiring, at any budget, and what is refused."""
import json
import os
import re
import resource
import signal
import subprocess
import time

import terrace_runs
from terrace_runs import DONE, FAILED, ON_DISK, STOPPED, WRONG, JobTest, main, numpy

OPERATIONS = {"plus_times": (numpy.sum, numpy.multiply), "min_plus": (numpy.min, numpy.add),
              "max_plus": (numpy.max, numpy.add), "max_min": (numpy.max, numpy.minimum),
              "max_times": (numpy.max, numpy.multiply)}
ZERO = {"plus_times": 0, "min_plus": numpy.inf, "max_plus": -numpy.inf, "max_min": -numpy.inf, "max_times": 0}


def product(semiring, left, right, accumulate=None):
    """The definition, in f64."""
    fold, combine = OPERATIONS[semiring]
    terms = combine(left.astype(float)[:, :, None], right.astype(float)[None, :, :])
    terms = numpy.concatenate([terms, numpy.full((len(left), 1, right.shape[1]), ZERO[semiring])], axis=1)
    result = fold(terms, axis=1)
    return result if accumulate is None else fold(numpy.stack([result, accumulate.astype(float)]), axis=0)


class Products(JobTest):
    place = ON_DISK

    def stage(self, matrices, **settings):
        inputs = {name: {"npy": self.write(name + ".npy", matrix)} for name, matrix in matrices.items()}
        names = {name: name for name in matrices}
        return inputs, [{"name": "c", "recursive": {"problem": "semiring_product", **names, **settings}}]

    def multiplied(self, matrices, *arguments, **settings):
        inputs, stages = self.stage(matrices, **settings)
        return self.run_job(inputs, stages, "--fresh", *arguments, backend="cpu")["c/product"][()]

    def refused(self, matrices, *says, expect=FAILED, **settings):
        inputs, stages = self.stage(matrices, **settings)
        job = self.write_job(inputs, stages, backend="cpu")
        ended = self.terrace("run", job, "--fresh", expect=expect)
        self.assertSays(ended, *says)
        return ended.stderr

    def test_every_semiring_in_every_type_at_any_budget(self):
        draw = numpy.random.default_rng(3)
        for semiring in OPERATIONS:
            for kind in (("float32", "float64") if semiring == "max_times" else
                         ("float32", "float64", "int16", "int32", "int64")):
                left, right, added = (draw.integers(0, 9, shape).astype(kind) for shape in
                                      ((70, 90), (90, 50), (70, 50)))
                expected = product(semiring, left, right, added)
                # Of the least tiles OpenBLAS takes 4 KiB a thread.
                for host in ("1GiB", f"{21 + 4 * os.cpu_count()}KiB"):
                    found = self.multiplied({"left": left, "right": right, "accumulate": added}, "--set",
                                            f"memory.host={host}", semiring=semiring)
                    with self.subTest(semiring=semiring, kind=kind, host=host):
                        self.assertEqual(found.dtype, numpy.dtype(kind))
                        numpy.testing.assert_array_equal(found, expected)

    def test_whether_there_is_a_pair(self):
        draw = numpy.random.default_rng(4)
        for rows, depth, columns, host in ((200, 150, 90, "24KiB"), (60, 80, 40, "1MiB"), (3, 70, 1, "1MiB"),
                                           (65, 64, 33, "28KiB"), (1, 1, 1, "1MiB"), (130, 0, 70, "28KiB")):
            left, right = draw.random((rows, depth)) < 0.1, draw.random((depth, columns)) < 0.1
            added = draw.random((rows, columns)) < 0.02
            expected = (left.astype(int) @ right.astype(int)) > 0
            for kind in (numpy.uint8, numpy.float32):
                with self.subTest(rows=rows, depth=depth, columns=columns, kind=kind):
                    given = {"left": left.astype(kind) * 3, "right": right.astype(kind)}
                    found = self.multiplied(given, "--set", f"memory.host={host}", semiring="or_and")
                    self.assertEqual(found.dtype, numpy.uint8)
                    numpy.testing.assert_array_equal(found, expected)
                    given["accumulate"] = added.astype(kind) * 2
                    found = self.multiplied(given, "--set", f"memory.host={host}", semiring="or_and")
                    numpy.testing.assert_array_equal(found, expected | added)

    def test_the_number_of_pairs(self):
        draw = numpy.random.default_rng(14)
        small, large = f"{70 + 72 * os.cpu_count()}KiB", "64MiB"  # a thread counts in 64 KiB and some more
        for rows, depth, columns, host in ((200, 150, 90, small), (60, 80, 40, large), (3, 70, 1, large),
                                           (65, 64, 33, small), (1, 1, 1, large), (130, 0, 70, small),
                                           (0, 5, 4, large), (500, 700, 300, f"{200 + 200 * os.cpu_count()}KiB")):
            left, right = draw.random((rows, depth)) < 0.6, draw.random((depth, columns)) < 0.9
            added = draw.integers(1 - 2 ** 30, 2 ** 30 - 1, (rows, columns))
            expected = left.astype(int) @ right.astype(int)
            for kind in (numpy.uint8, numpy.float32, numpy.int64):
                with self.subTest(rows=rows, depth=depth, columns=columns, kind=kind):
                    given = {"left": left.astype(kind), "right": right.astype(kind)}
                    found = self.multiplied(given, "--set", f"memory.host={host}", semiring="count")
                    self.assertEqual(found.dtype, numpy.int32)
                    numpy.testing.assert_array_equal(found, expected)
                    if host == small and rows > 128:
                        self.assertGreater(self.open()["profile/stages/blocks"][0], 3)
                    given["accumulate"] = added
                    found = self.multiplied(given, "--set", f"memory.host={host}", semiring="count", type="i32")
                    numpy.testing.assert_array_equal(found, expected + added)

    def test_counts_that_are_killed_go_on_to_the_same_bytes(self):
        draw = numpy.random.default_rng(16)
        inputs, stages = self.stage({"left": draw.integers(0, 2, (400, 600), numpy.uint8),
                                     "right": draw.integers(0, 2, (600, 350), numpy.uint8),
                                     "accumulate": draw.integers(-9, 9, (400, 350))}, semiring="count")
        self.check_survives_kills(inputs, stages[0], "product", backend="cpu",
                                  memory={"host": (200 + 75 * os.cpu_count()) << 10})

    def test_triangles_of_a_graph_are_half_the_common_neighbours_of_its_edges(self):
        draw = numpy.random.default_rng(15)
        edges = numpy.triu(draw.random((300, 300)) < 0.07, 1)
        neighbours = [set(numpy.flatnonzero(row)) for row in edges]
        triangles = sum(len(neighbours[i] & neighbours[j]) for i in range(300) for j in neighbours[i])
        self.assertGreater(triangles, 1000)
        matrix = (edges | edges.T).astype(numpy.uint8)
        common = self.multiplied({"left": matrix, "right": matrix}, semiring="count")
        self.assertEqual((common * matrix).sum(), 6 * triangles)
        numpy.testing.assert_array_equal(common.diagonal(), matrix.sum(axis=1))

    def test_of_a_graph_an_edge_is_one_and_no_edge_is_none(self):
        graph = {"g": {"graph": self.write("g.txt", "0 1 0\n1 2 7\n2 0 1.5\n1 3 1\n3 3 2\n")}}
        edges = numpy.zeros((4, 4), int)
        edges[[0, 1, 2, 1, 3], [1, 2, 0, 3, 3]] = 1
        stages = [{"name": semiring, "recursive": {"problem": "semiring_product", "left": "g", "right": "g",
                                                   "semiring": semiring}} for semiring in ("or_and", "count")]
        result = self.run_job(graph, stages, "--fresh", backend="cpu")
        numpy.testing.assert_array_equal(result["count/product"][()], edges @ edges)
        numpy.testing.assert_array_equal(result["or_and/product"][()], edges @ edges > 0)
        self.terrace("verify", "result.h5", "--sample", "1")

    def test_what_cannot_be_counted_is_refused(self):
        one = numpy.ones((3, 3), numpy.int32)
        for parameter in ("left", "right"):
            for value, says in ((2, "2 is neither 0 nor 1"), (-1, "-1 is neither 0 nor 1"), (0.5, "0.5 is neither 0 nor 1"),
                                (1e-9, "1e-09 is neither 0 nor 1"), (numpy.inf, "is infinite; elements"),
                                (numpy.nan, "is no number (NaN)")):
                wrong = one.astype(type(value))
                wrong[2, 1] = value
                self.refused({"left": one, "right": one} | {parameter: wrong}, f"'{parameter}', row 2, column 1", says,
                             semiring="count")
        for value, says in ((2 ** 30 - 1, "1073741823 is too large for the type of the result"),
                            (1.5, "1.5 is no whole number")):
            added = one.astype(type(value))
            added[0, 2] = value
            said = self.refused({"left": one, "right": one, "accumulate": added}, "'accumulate', row 0, column 2", says,
                                semiring="count")
            self.assertNotIn("give a", said)
        self.refused({"left": one, "right": one}, "in i32: leave out `type`", expect=WRONG, semiring="count", type="i64")
        self.refused({"left": one, "right": one[:2]}, "has as many rows as the left one has columns", expect=WRONG,
                     semiring="count")
        for depth, keys in ((2 ** 31, {}), (2 ** 30 + 1, {"accumulate": "one"})):
            inputs = {name: {"generate": "uniform", "shape": shape, "type": "u8", "minimum": 0, "maximum": 1, "seed": 1}
                      for name, shape in (("a", [1, depth]), ("b", [depth, 1]), ("one", [1, 1]))}
            stage = {"problem": "semiring_product", "left": "a", "right": "b", "semiring": "count", **keys}
            job = self.write_job({name: inputs[name] for name in ("a", "b", *keys.values())},
                                 [{"name": "c", "recursive": stage}], backend="cpu")
            self.assertSays(self.terrace("check", job, expect=WRONG), f"i32 may not hold counts over {depth} columns of 'a'",
                            f"the most are {depth - 1}")
        self.refused({"left": one, "right": one, "accumulate": one[:2]}, "and the product 3 x 3", expect=WRONG,
                     semiring="count")

    def test_infinities_of_the_semiring_stay_infinite_in_every_type(self):
        for semiring, sign in (("min_plus", 1), ("max_plus", -1), ("max_min", -1)):
            left = numpy.array([[numpy.inf * sign, -5.0], [numpy.inf * sign, numpy.inf * sign]])
            right = numpy.array([[3.0, 1.0], [2.0, numpy.inf * sign]])
            expected = product(semiring, left, right)
            numpy.testing.assert_array_equal(
                self.multiplied({"left": left, "right": right}, semiring=semiring), expected)
            for kind in ("int16", "int32", "int64"):
                most = numpy.iinfo(kind).max // 2

                def as_integers(matrix):
                    return numpy.array([[sign * most if numpy.isinf(value) else int(value) for value in row]
                                        for row in matrix], dtype=kind)
                found = self.multiplied({"left": as_integers(left), "right": as_integers(right)}, semiring=semiring)
                self.assertEqual(found.dtype, numpy.dtype(kind))
                numpy.testing.assert_array_equal(found, as_integers(expected))
                none = self.open()["c/product"].attrs["_FillValue"]
                self.assertEqual((none, none.dtype), (sign * most, numpy.dtype(kind)))
            self.multiplied({"left": left, "right": right}, semiring=semiring)
            self.assertNotIn("_FillValue", self.open()["c/product"].attrs)
        self.multiplied({"left": numpy.eye(2, dtype=numpy.int32), "right": numpy.eye(2, dtype=numpy.int32)})
        self.assertNotIn("_FillValue", self.open()["c/product"].attrs)

    def test_the_unit_matrix_changes_nothing_and_squaring_a_graph_s_matrix_closes_it(self):
        draw = numpy.random.default_rng(5)
        matrix = draw.random((75, 75), dtype=numpy.float32)
        numpy.testing.assert_array_equal(
            self.multiplied({"left": matrix, "right": numpy.eye(75, dtype=numpy.float32)}), matrix)
        weights = draw.integers(1, 50, (40, 40)).astype(numpy.float64)
        numpy.fill_diagonal(weights, 0)
        inputs = {"d0": {"npy": self.write("d0.npy", weights)}}
        stages = [{"name": f"d{n + 1}", "recursive": {"problem": "semiring_product", "semiring": "min_plus",
                                                      "left": f"d{n}/product" if n else "d0",
                                                      "right": f"d{n}/product" if n else "d0"}} for n in range(6)]
        stages.append({"name": "closed", "recursive": {"problem": "floyd_warshall", "matrix": "d0"}})
        result = self.run_job(inputs, stages, "--fresh", backend="cpu")
        numpy.testing.assert_array_equal(result["d6/product"][()], result["closed/distance"][()])

    def test_sums_of_numbers_that_are_not_whole_are_right_to_rounding(self):
        draw = numpy.random.default_rng(6)
        left, right = draw.normal(size=(120, 300)), draw.normal(size=(300, 90))
        for kind, unit in ((numpy.float32, 2.0 ** -24), (numpy.float64, 2.0 ** -53)):
            a, b = left.astype(kind), right.astype(kind)
            found = self.multiplied({"left": a, "right": b}, "--set", "memory.host=100KiB")
            # Higham 2002, section 3.5: a sum of n products is off by n units of the sum of their magnitudes at most.
            bound = 301 * unit * (abs(a.astype(float)) @ abs(b.astype(float)))
            exact = a.astype(numpy.longdouble) @ b.astype(numpy.longdouble)
            self.assertTrue((abs(found - exact) <= bound).all())

    def test_shapes_without_elements(self):
        added = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
        for rows, depth, columns in ((0, 3, 4), (3, 0, 4), (3, 4, 0)):
            left, right = numpy.ones((rows, depth), numpy.float32), numpy.ones((depth, columns), numpy.float32)
            numpy.testing.assert_array_equal(self.multiplied({"left": left, "right": right}), left @ right)
        numpy.testing.assert_array_equal(
            self.multiplied({"left": numpy.ones((3, 0), numpy.float32), "right": numpy.ones((0, 4), numpy.float32),
                             "accumulate": added}), added)
        for rows, depth, columns in ((0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (1, 200, 1), (200, 1, 3)):
            left, right = numpy.ones((rows, depth), numpy.int32), numpy.ones((depth, columns), numpy.int32)
            numpy.testing.assert_array_equal(self.multiplied({"left": left, "right": right}), left @ right)
        added = numpy.arange(12, dtype=numpy.int32).reshape(3, 4)
        numpy.testing.assert_array_equal(
            self.multiplied({"left": numpy.ones((3, 0), numpy.int32), "right": numpy.ones((0, 4), numpy.int32),
                             "accumulate": added}), added)

    def test_types_hold_the_elements_of_all_matrices(self):
        for left, right, kind in (("uint8", "int8", "int16"), ("uint16", "int16", "int32"), ("int32", "uint32", "int64"),
                                  ("int16", "float32", "float32"), ("int32", "float32", "float64"),
                                  ("float32", "float64", "float64")):
            found = self.multiplied({"left": numpy.full((2, 2), 3, left), "right": numpy.full((2, 2), 5, right)})
            self.assertEqual((found.dtype, found[0, 0]), (numpy.dtype(kind), 30))

    def test_products_that_may_leave_their_type_are_refused(self):
        large = {"left": numpy.full((3, 4), 100, numpy.int16), "right": numpy.full((4, 2), 82, numpy.int16)}
        self.refused(large, "the product of 'left' and 'right' may leave i16: say `type: i32`")
        self.assertEqual(self.multiplied(large, type="i32")[0, 0], 32800)
        large["right"][:] = 81
        self.assertEqual(self.multiplied(large)[0, 0], 32400)
        sums = {"left": numpy.full((2, 2), 9000, numpy.int16), "right": numpy.full((2, 2), 7382, numpy.int16)}
        self.assertEqual(self.multiplied(sums, semiring="min_plus")[0, 0], 16382)
        sums["right"][:] = 7383
        self.refused(sums, "may leave i16: say `type: i32`", semiring="min_plus")
        sums["right"][:] = -1
        self.refused(sums, "may leave i16: say `type: i32`", semiring="min_plus")

    def test_what_is_no_factor_is_refused(self):
        one = numpy.ones((2, 2))
        self.refused({"left": one, "right": numpy.ones((3, 2))}, "has as many rows as the left one has columns",
                     expect=WRONG)
        self.refused({"left": one, "right": one, "accumulate": numpy.ones((2, 3))}, "and the product 2 x 2",
                     expect=WRONG)
        self.refused({"left": numpy.ones(4), "right": one}, "give a matrix", expect=WRONG)
        self.refused({"left": one, "right": one}, "in u8: leave out `type`", expect=WRONG, semiring="or_and", type="i32")
        for value, semiring, says in ((numpy.nan, "plus_times", "is no number (NaN)"),
                                      (numpy.nan, "or_and", "is no number (NaN)"),
                                      (numpy.inf, "plus_times", "is infinite"), (-numpy.inf, "min_plus", "minus infinity"),
                                      (numpy.inf, "max_plus", "is infinite"), (-2.0, "max_times", "is negative")):
            wrong = numpy.ones((3, 2))
            wrong[2, 1] = value
            self.refused({"left": one, "right": numpy.ones((2, 2)), "accumulate": one} | {"left": wrong[1:]},
                         "'left', row 1, column 1", says, semiring=semiring)

    def test_a_budget_that_no_tile_fits_names_the_least(self):
        inputs, stages = self.stage({"left": numpy.ones((200, 200)), "right": numpy.ones((200, 200))})
        job = self.write_job(inputs, stages, backend="cpu")
        ended = self.terrace("run", job, "--set", "memory.host=10KiB", expect=WRONG)
        least = re.search(r"the least is ([0-9.]+ ?[A-Za-z]+)", ended.stderr).group(1).replace(" ", "")
        self.terrace("run", job, "--set", f"memory.host={least}")

    def stopped(self, name):
        """Stops a product of real numbers at a checkpoint, and returns its job."""
        inputs = {side: {"generate": "uniform", "shape": [2500, 2500], "type": "f32", "minimum": -1, "maximum": 1,
                         "seed": seed} for seed, side in enumerate(("left", "right"))}
        _, stages = self.stage({})
        stages[0]["recursive"].update(left="left", right="right")
        job = self.write_job(inputs, stages, output=name + ".h5", name=name + ".yaml", backend="cpu",
                             memory={"host": 3 << 20})
        process = subprocess.Popen([terrace_runs.program, "run", job, "--set", "checkpoint.every=10ms"],
                                   cwd=self.folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        progress = self.folder / (name + ".h5.run") / "progress"
        while process.poll() is None and not (progress.exists() and int.from_bytes(progress.read_bytes()[8:], "little")):
            time.sleep(0.001)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), STOPPED)
        return job

    def go_on(self, job, **environment):
        """Goes on with a run, on one core."""
        here = next(iter(os.sched_getaffinity(0)))
        return subprocess.run([terrace_runs.program, "run", job], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=300,
                              preexec_fn=lambda: os.sched_setaffinity(0, [here]))

    def test_a_run_that_goes_on_with_fewer_cores_multiplies_as_it_began(self):
        job = self.stopped("stopped")
        plan = json.loads((self.folder / "stopped.h5.run" / "plan.json").read_text())["plan"]
        self.assertEqual(plan["stages"][0]["threads"], len(os.sched_getaffinity(0)))
        ended = self.go_on(job)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.terrace("run", self.stopped("whole"))
        stopped, whole = (self.open(name + ".h5")["c/product"][()] for name in ("stopped", "whole"))
        self.assertEqual(stopped.tobytes(), whole.tobytes())

    def test_a_run_does_not_go_on_with_an_openblas_that_rounds_otherwise(self):
        job = self.stopped("stopped")
        plan = (self.folder / "stopped.h5.run" / "plan.json").read_text()
        other = "Haswell" if "Prescott" in plan else "Prescott"  # which OpenBLAS takes for CPUs that it does not know
        ended = self.go_on(job, OPENBLAS_CORETYPE=other)
        self.assertEqual(ended.returncode, WRONG)
        self.assertSays(ended, "stage 'c' has computed with OpenBLAS ", "and here is OpenBLAS ", other, "--fresh")
        self.assertEqual(self.go_on(job).returncode, 0)

    def test_a_limit_of_address_space_is_met_with_an_error_and_not_with_waiting(self):
        job = self.write_job({"a": {"generate": "uniform", "shape": [300, 300], "type": "f64", "seed": 1}},
                             [{"name": "c", "recursive": {"problem": "semiring_product", "left": "a", "right": "a"}}],
                             memory={"host": 16 << 20}, backend="cpu")

        def confine(limit):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        def confined(limit, *arguments):
            return subprocess.run([terrace_runs.program, *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=60, preexec_fn=lambda: confine(limit << 20))

        # Below this the dynamic loader finds no room for the program.
        least = next(limit for limit in range(25, 1000, 25) if confined(limit, "--version").returncode == DONE)
        said = ""

        def first_done(limits):
            nonlocal said
            for limit in limits:
                run = confined(limit, "run", job, "--fresh")
                self.assertIn(run.returncode, (DONE, FAILED), f"{limit} MiB: {run.stderr}")
                said += run.stderr
                if run.returncode == DONE:
                    return limit
            self.fail("no limit lets the job end")

        # In small steps where memory ends late, in any thread.
        enough = first_done(range(least, 1000, 25))
        first_done(range(enough - 24, 1000))
        self.assertIn("OpenBLAS: no room for the 128 MiB of address space that each of 1 threads takes", said)
        self.assertIn("ulimit -v", said)

    def test_openblas_is_asked_for_only_by_products_of_real_numbers(self):
        matrices = {"left": numpy.ones((2, 2)), "right": numpy.ones((2, 2))}
        self.write("none/libopenblas.so.0", "no library")
        for semiring in ("min_plus", "plus_times"):
            inputs, stages = self.stage(matrices, semiring=semiring)
            job = self.write_job(inputs, stages, output=semiring + ".h5", name=semiring + ".yaml", backend="cpu")
            ended = self.go_on(job, LD_LIBRARY_PATH=str(self.folder / "none"))
            if semiring == "min_plus":
                self.assertEqual(ended.returncode, 0, ended.stderr)
            else:
                self.assertEqual(ended.returncode, FAILED)
                self.assertSays(ended, "OpenBLAS", "install Debian's libopenblas0-pthread")


if __name__ == "__main__":
    main()
