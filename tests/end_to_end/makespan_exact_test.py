"""The best schedules of jobs on identical machines, each checked from outside."""
import signal
import subprocess
import time

import terrace_runs
from makespan_test import OPTIMA, ScheduleTest, least, makespan
from terrace_runs import STOPPED, WRONG, JobTest, main, numpy

# Proved in well under a second.
SOON = ("m10", "m25", "m50n200", "m50n1000", "PCMAX_NU_1_0500_25_6", "PCMAX_NU_1_1000_25_7", "PCMAX_NU_3_0010_05_9",
        "PCMAX_NU_3_0050_10_4", "PCMAX_U_1_0010_05_3", "PCMAX_U_1_0050_25_8", "PCMAX_U_1_0100_25_1",
        "PCMAX_U_2_0050_25_8", "PCMAX_U_2_0100_25_4")
# 100 jobs on 25 machines: whether a schedule of the mean load exists takes far longer than a test.
HARD = [int(time) for time in numpy.random.default_rng(7).integers(1, 1_000_000, 100)]


class ExactTest(ScheduleTest):
    def check(self, result, times, machines):
        """The stage's datasets say what is true of them. @return makespan and lower bound"""
        assignment, load = result["assignment"][()], result["load"][()]
        self.assertEqual((assignment.shape, load.shape), ((len(times),), (machines,)))
        found = [0] * machines
        for time_of_job, machine in zip(times, assignment):
            found[machine] += int(time_of_job)
        self.assertEqual([int(value) for value in load], found)
        best, bound = int(result["makespan"][()]), int(result["lower_bound"][()])
        self.assertEqual(best, max(found))
        self.assertLessEqual(max(-(-sum(map(int, times)) // machines), max(times)), bound)
        self.assertLessEqual(bound, best)
        self.assertAlmostEqual(float(result["guarantee"][()]), best / bound if bound else 1)
        self.assertNotIn("tables", result)
        return best, bound

    def best(self, times, machines, *arguments, **settings):
        result = self.run_job({"t": {"values": [int(time) for time in times], "type": "i64"}},
                              [makespan("t", machines, 0, **settings)], "--fresh=all", *arguments, backend="cpu")
        return self.check(result["s"], times, machines)


class Small(ExactTest):
    def test_schedules_of_few_jobs_are_the_best(self):
        draw = numpy.random.default_rng(1)
        for number in range(25):
            machines, most = int(draw.integers(1, 5)), int(draw.choice([3, 50, 1000, 2**51]))
            times = [int(time) for time in draw.integers(0, most, int(draw.integers(1, 9)))]
            with self.subTest(number=number, times=times, machines=machines):
                optimum = least(times, machines)
                self.assertEqual(self.best(times, machines), (optimum, optimum))

    def test_edges(self):
        for times, machines, optimum in (([7], 1, 7), ([7], 5, 7), ([0, 0], 2, 0), ([5] * 9, 3, 15), ([1], 300, 1),
                                         ([5, 5, 4, 4, 3, 3, 3], 3, 9), ([2**55, 2**55 - 1], 1, 2**56 - 1),
                                         ([2**54, 2**54 - 2, 2**54 - 6, 0, 0, 8], 2, 2**55 - 8),
                                         ([3, 0, 3, 0, 2, 2, 2], 2, 6)):
            with self.subTest(times=times[:3], machines=machines):
                self.assertEqual(self.best(times, machines), (optimum, optimum))

    def test_a_schedule_that_is_known_to_be_the_best_needs_no_search(self):
        self.best([5, 5, 5], 3)
        self.assertEqual(int(self.open()["profile/stages/blocks"][0]), 0)

    def test_results_are_verified(self):
        # The last ones' least makespan is more than the bounds of the times.
        for times, machines, said in (([5, 5, 4, 4, 3, 3, 3], 3, "of the times"),
                                      ([79, 73, 68, 65, 61, 53, 50, 40, 39, 39, 38, 38], 4, "proved again")):
            best, bound = self.best(times, machines)
            self.assertEqual(best, bound)
            verified = self.terrace("verify", "result.h5", "--sample", "1").stdout
            for line in (f"s/lower_bound: {said}, equal", "s/guarantee: divided again, equal",
                         "s/load: added up from the assignment, equal", "s/makespan: the largest load, equal"):
                self.assertIn(line, verified)


class Limits(ExactTest):
    machines = 25

    def job(self, limit, output="result.h5"):
        return self.write_job({"t": {"values": HARD}}, [makespan("t", self.machines, 0, time_limit=limit)],
                              backend="cpu", output=output)

    def test_the_best_schedule_within_the_limit_is_the_result_with_its_gap_and_a_warning(self):
        began = time.monotonic()
        ended = self.terrace("run", self.job("700ms"))
        self.assertLess(time.monotonic() - began, 30)
        best, bound = self.check(self.open()["s"], HARD, self.machines)
        self.assertLess(bound, best)
        self.assertSays(ended, "`time_limit` was reached", f"a makespan of {best}", f"less than {bound}")
        self.terrace("verify", "result.h5")

    def test_a_limit_of_nothing_gives_the_schedule_of_simple_rules(self):
        ended = self.terrace("run", self.job("0s"))
        self.check(self.open()["s"], HARD, self.machines)
        self.assertSays(ended, "`time_limit` was reached")

    def blocks(self):
        return int(self.open()["profile/stages/blocks"][0]), int(self.open()["profile/stages/repeated"][0])

    def test_a_search_that_is_stopped_goes_on_from_there(self):
        job = self.job("5s")
        run = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        time.sleep(2.5)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, STOPPED, said)
        self.terrace("run", job)
        self.check(self.open()["s"], HARD, self.machines)
        blocks, repeated = self.blocks()
        self.assertEqual(repeated, 0)
        self.assertLessEqual(blocks, 13)  # rounds of half a second, one of 0.1 s before them, and the report

    def test_a_search_that_is_killed_goes_on_from_its_checkpoint(self):
        job = self.job("4s")
        for _ in range(3):
            run = subprocess.Popen([terrace_runs.program, "run", job, "--set", "checkpoint.every=1ms"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(1.2)
            run.kill()
            run.wait()
        self.terrace("run", job)
        best, bound = self.check(self.open()["s"], HARD, self.machines)
        self.assertLess(bound, best)
        # Of each killed attempt at most the rounds since its last checkpoint are made again.
        attempts = self.open()["profile/blocks/attempt"][()]
        self.assertLess((attempts == attempts.max()).sum(), 9)


class Published(ExactTest):
    def test_optima_are_found_and_proved(self):
        for name in SOON:
            machines, times = self.instance(name)
            with self.subTest(name=name):
                optimum = OPTIMA[name][0]
                self.assertEqual(OPTIMA[name][1], optimum)
                self.assertEqual(self.best(times, machines), (optimum, optimum))


class Wrong(JobTest):
    def test_settings_that_do_not_go_together(self):
        for settings, *parts in (({"epsilon": 0, "probes": 3}, "probes", "without tables"),
                                 ({"epsilon": 0, "bounds": False}, "bounds", "without tables"),
                                 ({"epsilon": 0.2, "time_limit": "5s"}, "time_limit", "only the search of `epsilon: 0`"),
                                 ({"epsilon": 1e-12}, "epsilon", "give 0, or a number from 1e-09 to 1"),
                                 ({"epsilon": 0, "time_limit": -1}, "time_limit")):
            with self.subTest(settings=settings):
                stage = {"name": "s", "makespan": {"times": "t", "machines": 2, **settings}}
                ended = self.terrace("check", self.write_job({"t": {"values": [3, 4]}}, [stage]), expect=WRONG)
                self.assertSays(ended, *parts)
                self.assertRegex(ended.stderr, r"job\.yaml:[0-9]+:[0-9]+")

    def test_memory_that_is_too_small(self):
        job = self.write_job({"t": {"npy": self.write("t.npy", numpy.array(HARD))}},
                             [makespan("t", 25, 0, time_limit="300ms")], backend="cpu")
        self.check_least_budgets(job, "memory.host")


if __name__ == "__main__":
    main()
