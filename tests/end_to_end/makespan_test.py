"""Schedules of jobs on identical machines, each checked from outside."""
import itertools
import math
import pathlib
import re
import unittest

from terrace_runs import WRONG, JobTest, data, main, numpy

# Optima of published instances, or brackets of them.
OPTIMA = {
    "m10": (30, 30), "m25": (3458, 3458), "m50n200": (977, 977), "m50n1000": (9763, 9763),
    "PCMAX_NU_1_0500_25_6": (1881, 1881), "PCMAX_NU_1_1000_25_7": (3760, 3760),
    "PCMAX_NU_2_0500_25_1": (18770, 18770), "PCMAX_NU_2_1000_25_3": (37661, 37661),
    "PCMAX_NU_3_0010_05_9": (19014, 19014), "PCMAX_NU_3_0050_10_4": (47077, 47077),
    "PCMAX_NU_3_0500_25_1": (187693, 187693), "PCMAX_U_1_0010_05_3": (125, 125), "PCMAX_U_1_0050_25_8": (97, 97),
    "PCMAX_U_1_0100_25_1": (195, 195), "PCMAX_U_2_0050_25_8": (995, 995), "PCMAX_U_2_0100_25_4": (1793, 1793),
    "PCMAX_U_3_0100_25_1": (17197, 17197)}


def makespan(times, machines, epsilon, name="s", **settings):
    """A stage of a job."""
    return {"name": name, "makespan": {"times": times, "machines": machines, "epsilon": epsilon, **settings}}


def lpt(times, machines):
    """The makespan of longest processing time first."""
    load = [0] * machines
    for time in sorted(times, reverse=True):
        load[load.index(min(load))] += time
    return max(load)


def rounded(times, k, target):
    """Sizes of long jobs, falling, and how many jobs have each."""
    unit = target // k ** 2
    long = [time if unit == 0 else time // unit * unit for time in times if time * k > target]
    return [(size, long.count(size)) for size in sorted(set(long), reverse=True)]


def least(times, machines):
    """The least makespan by trying all assignments, of few jobs."""
    best = sum(times)
    for places in itertools.product(range(machines), repeat=max(0, len(times) - 1)):
        load = [0] * machines
        for time, place in zip(times, (0, *places)):
            load[place] += time
        best = min(best, max(load))
    return best


class ScheduleTest(JobTest):
    def check(self, result, times, machines, epsilon):
        """The stage's datasets say what is true of them. @return the makespan"""
        times = [int(time) for time in times]
        k = math.ceil(1 / epsilon - 1e-9)
        assignment, load = result["assignment"][()], result["load"][()]
        self.assertEqual((assignment.shape, load.shape), ((len(times),), (machines,)))
        found = [0] * machines
        for time, machine in zip(times, assignment):
            found[machine] += time
        self.assertEqual(list(load), found)
        best, bound = int(result["makespan"][()]), int(result["lower_bound"][()])
        self.assertEqual(best, max(found))
        self.assertLessEqual(max(-(-sum(times) // machines), max(times)), bound)
        self.assertLessEqual(bound, best)
        self.assertLessEqual(best, (1 + epsilon) * bound + 1e-9)
        self.assertAlmostEqual(float(result["guarantee"][()]), best / bound if bound else 1)
        tables = result["tables"]
        for target, extents, cells in zip(tables["target"][()], tables["extents"][()], tables["cells"][()]):
            expected = [count + 1 for _, count in rounded(times, k, int(target))]
            self.assertEqual([extent for extent in extents if extent > 0], expected)
            self.assertEqual(cells, math.prod(expected))
        return best

    def instance(self, name):
        """Machines and times."""
        numbers = [int(word) for word in pathlib.Path(data("scheduling", name + ".txt")).read_text().split()]
        return numbers[0], numbers[2:]

    def schedule(self, times, machines, epsilon, *arguments, **settings):
        result = self.run_job({"t": {"values": [int(time) for time in times]}},
                              [makespan("t", machines, epsilon, **settings)], "--fresh=all", *arguments, backend="cpu")
        return self.check(result["s"], times, machines, epsilon), result


class Small(ScheduleTest):
    def test_few_jobs_are_within_epsilon_of_the_least(self):
        draw = numpy.random.default_rng(1)
        for number in range(12):
            machines = int(draw.integers(1, 4))
            times = draw.integers(0, 50, int(draw.integers(1, 8)))
            optimum = least([int(time) for time in times], machines)
            for epsilon, bounds in ((1, True), (0.5, False), (0.3, True), (0.2, False)):
                with self.subTest(number=number, epsilon=epsilon, bounds=bounds):
                    best, result = self.schedule(times, machines, epsilon, bounds=bounds)
                    self.assertLessEqual(optimum, best)
                    self.assertLessEqual(best, (1 + epsilon) * optimum + 1e-9)
                    self.assertLessEqual(int(result["s/lower_bound"][()]), optimum)

    def test_edges(self):
        for times, machines in (([7], 1), ([7], 5), ([0, 0], 2), ([5] * 9, 3), ([1], 300), ([3] * 260, 256)):
            for bounds in (True, False):
                with self.subTest(times=times[:3], machines=machines, bounds=bounds):
                    best, _ = self.schedule(times, machines, 0.25, bounds=bounds)
                    self.assertEqual(best, max(times) * -(-len(times) // machines))

    def test_any_number_of_probes_finds_a_schedule(self):
        times = numpy.random.default_rng(2).integers(1, 100, 30)
        for probes in (1, 2, 3, 8, 64):
            with self.subTest(probes=probes):
                _, result = self.schedule(times, 7, 0.3, probes=probes, bounds=False)
                targets = result["s/tables/target"][()]
                self.assertEqual(len(set(targets)), len(targets))

    def test_targets_of_the_first_round(self):
        times = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29]
        _, result = self.schedule(times, 3, 0.2, bounds=False)
        lower = -(-sum(times) // 3)
        upper = lower + max(times)
        self.assertEqual(list(result["s/tables/target"][:4]), [lower + i * (upper - lower) // 5 for i in range(1, 5)])

    def test_bounds_give_a_better_schedule_where_there_is_one(self):
        draw = numpy.random.default_rng(3)
        for _ in range(5):
            times = draw.integers(1, 200, 40)
            best, _ = self.schedule(times, 6, 0.5)
            self.assertLessEqual(best, lpt([int(time) for time in times], 6))

    def test_times_from_files(self):
        times = [9, 4, 7, 7, 1, 12]
        expected = None
        for given in ({"values": times}, {"npy": self.write("t.npy", numpy.array(times, "uint8"))},
                      {"npy": self.write("f.npy", numpy.array(times, "float64"))},
                      {"csv": self.write("t.csv", ",".join(map(str, times)) + "\n")},
                      {"npy": self.write("row.npy", numpy.array([times], "int64"))},
                      {"npy": self.write("column.npy", numpy.array(times, "int64").reshape(-1, 1))},
                      {"text": self.write("t.txt", "2 6\n" + "\n".join(map(str, times))), "skip": 2}):
            with self.subTest(given=given):
                result = self.run_job({"t": given}, [makespan("t", 2, 0.2)], "--fresh=all", backend="cpu")["s"]
                self.check(result, times, 2, 0.2)
                expected = expected or list(result["assignment"][()])
                self.assertEqual(list(result["assignment"][()]), expected)


class Budgets(ScheduleTest):
    times = [int(time) for time in numpy.random.default_rng(4).integers(40, 100, 36)]
    # One job more than two a machine: the lower bound is out of reach.
    tight = [int(time) for time in numpy.random.default_rng(5).integers(60, 100, 33)]

    def test_tables_of_several_tiles_give_the_same(self):
        tables = ("target", "extents", "cells", "steps", "feasible")
        cut, refused, infeasible = 0, 0, 0
        for times, machines, epsilon, probes in ((self.times, 16, 0.3, 4), (self.times, 14, 0.25, 2),
                                                 (self.tight, 16, 0.2, 4), (self.tight, 16, 0.25, 3)):
            settings = {"bounds": False, "probes": probes}
            best, whole = self.schedule(times, machines, epsilon, **settings)
            rows = [whole["s/tables/" + name][()] for name in tables]
            infeasible += int((rows[4] == 0).sum())
            blocks = int(whole["profile/stages/blocks"][0])
            for host in (16 << 10, 32 << 10, 48 << 10, 100 << 10):
                with self.subTest(machines=machines, epsilon=epsilon, host=host):
                    def run(budget, expect):
                        return self.terrace("run", self.write_job(
                            {"t": {"values": times}}, [makespan("t", machines, epsilon, **settings)], backend="cpu",
                            memory={"host": budget}), "--fresh=all", expect=expect)

                    ended = run(host, None)
                    if ended.returncode != 0:
                        self.assertEqual(ended.returncode, WRONG, ended.stderr)
                        self.assertSays(ended, "the smallest epsilon whose tables fit is")
                        refused += 1
                        # The least budget that is named suffices.
                        least = re.search(r"memory\.host is too small .* the least is ([0-9.]+) KiB", ended.stderr)
                        self.assertIsNotNone(least, ended.stderr)
                        host = int((float(least[1]) + 0.1) * 1024)
                        run(host, 0)
                    found = self.open()
                    self.check(found["s"], times, machines, epsilon)
                    self.assertEqual(best, int(found["s/makespan"][()]))
                    for name, row in zip(tables, rows):
                        numpy.testing.assert_array_equal(found["s/tables/" + name][()], row)
                    self.assertLessEqual(int(found["profile/stages/peak_host"][0]), host)
                    cut += int(found["profile/stages/blocks"][0]) > 2 * blocks
        self.assertGreaterEqual(cut, 3)
        self.assertGreaterEqual(infeasible, 3)
        self.assertGreaterEqual(refused, 1)

    def test_a_killed_search_goes_on(self):
        datasets = ("makespan", "assignment", "tables/target", "tables/feasible")
        for name, times, host in (("times", self.times, 48 << 10), ("tight", self.tight, 100 << 10)):
            stage = makespan("t", 16, 0.3 if name == "times" else 0.2, name=name, bounds=False)
            self.check_survives_kills({"t": {"values": times}}, stage, *datasets, memory={"host": host})


class Bounds(ScheduleTest):
    """Schedules that are known without tables end the search, or stand in for tables that do not fit."""
    # Two jobs of 65 on one of ten machines; ones fill the others up to 100.
    times = [65] * 11 + [1] * 285

    def test_a_schedule_within_epsilon_is_the_result_at_once(self):
        for epsilon, tables in ((1, 0), (0.31, 0), (0.3, 0), (0.299, 1)):
            with self.subTest(epsilon=epsilon):
                best, result = self.schedule(self.times, 10, epsilon)
                self.assertEqual(best, 130)
                self.assertEqual(min(1, len(result["s/tables/target"])), tables)
                if not tables:
                    self.assertEqual(int(result["profile/stages/blocks"][0]), 0)
        # Without bounds the scheme is run whole.
        _, result = self.schedule(self.times, 10, 0.3, bounds=False)
        self.assertGreater(len(result["s/tables/target"]), 0)

    def test_the_search_ends_once_the_lower_bound_proves_the_schedule(self):
        for seed in range(6):
            times = [int(time) for time in numpy.random.default_rng(seed).integers(60, 100, 33)]
            with self.subTest(seed=seed):
                best, result = self.schedule(times, 16, 0.25)
                bound, targets = int(result["s/lower_bound"][()]), result["s/tables/target"][()]
                # No table is made for a target that the schedule at hand settles.
                known = lpt(times, 16)
                self.assertTrue(all(4 * known > 5 * target for target in targets))
                self.assertLessEqual(4 * best, 5 * bound)

    def test_tables_that_do_not_fit_give_the_bounds_with_their_guarantee_and_a_warning(self):
        many = [int(time) for time in numpy.random.default_rng(6).integers(500, 1000, 120)]
        for times, machines, epsilon, keys, said in (
                (many, 40, 0.001, {}, "more than 32 sizes"),
                (self.times, 10, 0.299, {"scratch": {"size": 4 << 10}}, "has no tiles that the budgets"),
                (self.times, 10, 0.299, {"memory": {"host": 16 << 10, "device": 1 << 10}}, "has no tiles that the")):
            with self.subTest(said=said, keys=keys):
                job = self.write_job({"t": {"values": times}}, [makespan("t", machines, epsilon)], backend="cpu", **keys)
                self.assertSays(self.terrace("plan", job), "warning: stage 's': the result is the best schedule of LPT")
                ended = self.terrace("run", job, "--fresh=all")
                self.assertSays(ended, said, "`bounds: false`", f"in place of {1 + epsilon}")
                result = self.open()["s"]
                best, bound = int(result["makespan"][()]), int(result["lower_bound"][()])
                self.assertEqual(bound, max(-(-sum(times) // machines), max(times)))
                self.assertGreater(best, (1 + epsilon) * bound)
                self.assertAlmostEqual(float(result["guarantee"][()]), best / bound)
                self.assertSays(ended, f"a makespan of {best}", f"guarantee of {best / bound:.5g}"[:-1])
                self.assertEqual(len(result["tables/target"]), 0)
                self.terrace("verify", self.folder / "result.h5", "--sample", "1")


class Published(ScheduleTest):
    def test_makespans_are_within_epsilon_of_the_optimum(self):
        most_cells = 2e6
        for name, (lower, upper) in OPTIMA.items():
            machines, times = self.instance(name)
            for epsilon, bounds in ((0.5, False), (0.5, True), (0.3, True), (0.2, True)):
                k = math.ceil(1 / epsilon)
                start = max(-(-sum(times) // machines), max(times))
                cells = max(math.prod(count + 1 for _, count in rounded(times, k, target))
                            for target in (start, upper, start + max(times) // 5))
                if cells > most_cells:
                    continue
                with self.subTest(name=name, epsilon=epsilon, bounds=bounds):
                    best, result = self.schedule(times, machines, epsilon, bounds=bounds)
                    self.assertLessEqual(best, (1 + epsilon) * upper)
                    self.assertGreaterEqual(best, lower)
                    self.assertLessEqual(int(result["s/lower_bound"][()]), upper)
                    if bounds:
                        self.assertLessEqual(best, lpt(times, machines))

    def test_an_instance_that_defeats_lpt_is_solved_better(self):
        machines, times = self.instance("m10")
        self.assertEqual(lpt(times, machines), 39)
        self.assertLess(self.schedule(times, machines, 0.2)[0], 39)


class Wrong(ScheduleTest):
    def refused(self, given, stage, *parts, **keys):
        ended = self.terrace("run", self.write_job({"t": given}, [stage], backend="cpu", **keys), expect=WRONG)
        self.assertSays(ended, *parts)
        self.assertRegex(ended.stderr, r"job\.yaml:[0-9]+:[0-9]+|t\.(csv|npy)")
        return ended.stderr

    def test_jobs_and_machines(self):
        good = {"values": [3, 4]}
        self.refused({"npy": self.write("t.npy", numpy.zeros(0, "int64"))}, makespan("t", 2, 0.5), "has no job")
        self.refused({"values": [3, -1]}, makespan("t", 2, 0.5), "is negative")
        self.refused({"values": [3, 1.5], "type": "f64"}, makespan("t", 2, 0.5), "is no whole number")
        self.refused({"csv": self.write("t.csv", "3,nan\n")}, makespan("t", 2, 0.5), "is no number")
        self.refused({"values": [2 ** 55, 2 ** 55, 2 ** 55], "type": "i64"}, makespan("t", 2, 0.5), "sum of all times")
        self.refused({"npy": self.write("t.npy", numpy.zeros((2, 2)))}, makespan("t", 2, 0.5), "in one dimension")
        for given in ({"csv": self.write("t.csv", "1,2\n3,4\n")}, {"text": self.write("t.txt", "1 2\n3 4\n")}):
            self.refused(given, makespan("t", 2, 0.5), "is 2 x 2", "in one dimension, one row or one column")
        self.refused({"csv": self.write("t.csv", "1\n2\n-3\n")}, makespan("t", 2, 0.5), "is negative", "t.csv")
        for machines in (0, -1, 2**24 + 1):
            self.refused(good, makespan("t", machines, 0.5), "machines", "from 1 to 16777216")
        for epsilon in (-0.5, 1.5):
            self.refused(good, makespan("t", 2, epsilon), "epsilon", "from 0 to 1")
        self.assertIn("16777216", self.terrace("problems", "makespan").stdout)
        for probes in (0, 65):
            self.refused(good, makespan("t", 2, 0.5, probes=probes), "probes")

    def test_tables_that_are_too_large_name_the_smallest_epsilon(self):
        times = [int(time) for time in numpy.random.default_rng(6).integers(500, 1000, 120)]
        stage = makespan("t", 40, 0.05, bounds=False)
        sizes = self.refused({"values": times}, stage, "more than 32 sizes", "the smallest epsilon whose tables fit is")
        self.assertNotIn("probes", sizes)  # they take no sizes away
        stage = makespan("t", 40, 0.2, bounds=False)
        self.refused({"values": times}, stage, "of scratch space", "fewer `probes` take less room",
                     "the smallest epsilon whose tables fit is", scratch={"size": 64 << 10})

    def test_the_named_epsilon_fits(self):
        times = [int(time) for time in numpy.random.default_rng(6).integers(500, 1000, 60)]
        keys = {"backend": "cpu", "scratch": {"size": 1 << 20}, "memory": {"host": 100 << 10}}
        job = self.write_job({"t": {"values": times}}, [makespan("t", 20, 0.05, bounds=False)], **keys)
        ended = self.terrace("plan", job, expect=WRONG)
        epsilon = float(ended.stderr.split("tables fit is ")[1].split()[0].rstrip(";"))
        self.terrace("run", self.write_job({"t": {"values": times}}, [makespan("t", 20, epsilon, bounds=False)], **keys))
        self.check(self.open()["s"], times, 20, epsilon)

    def test_plan_and_check_run_nothing(self):
        job = self.write_job({"t": {"values": [5, 6, 7, 8, 9]}}, [makespan("t", 2, 0.3, bounds=False)], backend="cpu")
        self.terrace("check", job)
        self.assertIn("cell", self.terrace("plan", job).stdout)
        self.assertFalse((self.folder / "result.h5").exists())


if __name__ == "__main__":
    main()
