"""Tables whose steps may be taken a number of times, in whole jobs: against a plain program, at any budget."""
import collections
import math
import random
import re
import shutil
import subprocess
import time

import terrace_runs
from terrace_runs import FAILED, WRONG, JobTest, main, numpy, skip

UNREACHED = {"min": numpy.inf, "max": -numpy.inf, "count": 0, "any": 0}


def dp_table(name, **settings):
    return {"name": name, "dp_table": settings}


def plain(extents, steps, costs, each, combine, modulus=None):
    """All cells: step after step, every cell by all numbers of times."""
    exact = numpy.dtype(object) if combine == "count" else numpy.dtype(float)
    table = numpy.full(extents, UNREACHED[combine], exact)
    table[(0,) * len(extents)] = 1 if combine in ("count", "any") else 0
    for step, cost, most in zip(steps, costs, each):
        made = table.copy()
        for times in range(1, most + 1):
            shift = [times * component for component in step]
            if any(s >= e for s, e in zip(shift, extents)):
                break
            to = tuple(slice(s, None) for s in shift)
            source = table[tuple(slice(0, e - s) for s, e in zip(shift, extents))]
            if combine == "count":
                made[to] += source
            elif combine == "any":
                made[to] = numpy.maximum(made[to], source)
            else:
                best = numpy.minimum if combine == "min" else numpy.maximum
                made[to] = best(made[to], source + times * cost)
        table = made % modulus if modulus else made
    return table


class BoundedStepsTest(JobTest):
    def assertTable(self, result, expected, combine):
        table = result["t/table"][()]
        if combine in ("min", "max") and table.dtype.kind != "f":
            info = numpy.iinfo(table.dtype)
            expected = numpy.where(numpy.isinf(expected), info.max if combine == "min" else info.min,
                                   numpy.where(numpy.isinf(expected), 0, expected).astype(table.dtype))
        self.assertTrue((table == expected).all())
        if "end" not in result["t"]:
            self.assertEqual(result["t/value"][()], expected.flat[-1])

    def assertSolution(self, result, settings, steps, costs, each, expected):
        combine = settings["combine"]
        way = result["t/solution"][()].tolist()
        end = tuple(result["t/end"][()]) if "end" in result["t"] else tuple(e - 1 for e in settings["extents"])
        value = expected[end]
        if value == UNREACHED[combine]:
            self.assertEqual(way, [])
            return
        self.assertEqual(way, sorted(way))
        used = collections.Counter(way)
        self.assertTrue(all(times <= each[step] for step, times in used.items()))
        self.assertEqual(tuple(sum(steps[i][d] for i in way) for d in range(len(end))), end)
        if combine != "any":
            self.assertEqual(sum(costs[i] for i in way), value)

    def test_random_tables_are_as_they_are_defined_at_any_budget(self):
        draw, most_blocks = random.Random(5), 0
        for number in range(24):
            rank = 1 + number % 3
            extents = [draw.randrange(2, (6000, 150, 30)[rank - 1]) for _ in range(rank)]
            steps = [[draw.randrange(0, max(2, e // draw.choice([3, 9, 20]))) if draw.random() < 0.7 else 0
                      for e in extents] for _ in range(draw.randrange(1, 12))]
            steps = [step for step in steps if any(step)] or [[1] * rank]
            combine = ("min", "max", "count", "any")[number // 3 % 4]
            each = [draw.choice([1, 1, 2, 3, 5, 12, 10**9]) for _ in steps]
            if draw.random() < 0.4:
                each = [draw.choice([1, 2, 7])] * len(steps)
            settings = {"extents": extents, "steps": steps, "combine": combine, "keep": ["table"],
                        "each": each[0] if len(set(each)) == 1 else each}
            costs, modulus = [1] * len(steps), None
            if combine == "count":
                modulus = settings["modulus"] = draw.choice([2, 255, 1000003, 4 * 10**18])
                settings["order"] = "unordered"
            elif combine != "any":
                costs = [draw.choice([draw.randrange(-5, 20), 2.5]) if number % 2 else draw.randrange(0, 10**10)
                         for _ in steps]
                settings["cost"] = costs
                settings["fill"] = "at_most" if combine == "max" and draw.random() < 0.5 else "exact"
            if combine != "count":
                settings["keep"].append("solution")
            with self.subTest(number=number, settings=settings):
                expected = plain(extents, steps, costs, each, combine, modulus)
                solutions = []
                for memory in ({"host": 64 << 20}, {"host": 400 << 10, "device": 60 << 10}):
                    result = self.run_job({}, [dp_table("t", **settings)], "--fresh=all", backend="cpu", memory=memory)
                    self.assertTable(result, expected, combine)
                    if settings.get("fill") == "at_most":
                        most = expected.max()
                        end = numpy.unravel_index(numpy.flatnonzero(expected == most)[0], extents)
                        self.assertEqual(result["t/value"][()], most)
                        self.assertEqual(tuple(result["t/end"][()]), end)
                    if combine != "count":
                        self.assertSolution(result, settings, steps, costs, each, expected)
                        solutions.append(result["t/solution"][()].tolist())
                    most_blocks = max(most_blocks, result["profile/stages/blocks"][()][0])
                verified = self.terrace("verify", "result.h5", "--sample=1")
                self.assertIn("all cells computed again", verified.stdout)
                self.assertTrue(len(solutions) < 2 or solutions[0] == solutions[1])
        self.assertGreater(most_blocks, 60)

    def test_items_that_fit_once(self):
        """The 0/1 knapsack of a textbook: its best load, and one that fills it to the last."""
        weights, values = [11, 7, 9, 14, 5], [62, 35, 48, 80, 21]
        item = {"extents": [31], "steps": [[w] for w in weights], "cost": values, "each": 1, "combine": "max",
                "keep": "solution"}
        sums = {"extents": [31], "steps": item["steps"], "each": 1, "combine": "any", "keep": "solution"}
        change = {"extents": [101], "steps": [[50], [25], [10]], "each": [1, 2, 10], "keep": "solution"}
        result = self.run_job({}, [dp_table("best", fill="at_most", **item), dp_table("full", **item),
                                   dp_table("sums", **sums), dp_table("change", **change)], backend="cpu")
        self.assertEqual(result["best/value"][()], 163)
        self.assertEqual(result["best/solution"][()].tolist(), [1, 2, 3])  # of two best loads that without the last item
        self.assertEqual(result["full/value"][()], result["best/value"][()])
        self.assertEqual(result["sums/value"][()], 1)
        self.assertEqual(result["change/value"][()], 3)

    def test_two_limits_of_weingartner_and_ness(self):
        """The first two instances of OR-Library's mknap2 with two limits, whose best values are published."""
        values = [1898, 440, 22507, 270, 14148, 3100, 4650, 30800, 615, 4975, 1160, 4225, 510, 11880, 479, 440, 490, 330,
                  110, 560, 24355, 2885, 11748, 4550, 750, 3720, 1950, 10500]
        limits = [[45, 0, 85, 150, 65, 95, 30, 0, 170, 0, 40, 25, 20, 0, 0, 25, 0, 0, 25, 0, 165, 0, 85, 0, 0, 0, 0, 100],
                  [30, 20, 125, 5, 80, 25, 35, 73, 12, 15, 15, 40, 5, 10, 10, 12, 10, 9, 0, 20, 60, 40, 50, 36, 49, 40,
                   19, 150]]
        items = self.write("items.npy", numpy.transpose(limits))
        for capacity, best in ((600, 141278), (500, 130883)):
            result = self.run_job({"items": {"npy": items}, "worth": {"values": values}},
                                  [dp_table("t", extents=[capacity + 1] * 2, steps="items", cost="worth", each=1,
                                            combine="max", fill="at_most", keep="solution")],
                                  backend="cpu", output=f"{capacity}.h5")
            way = result["t/solution"][()].tolist()
            self.assertEqual(result["t/value"][()], best)
            self.assertEqual(sum(values[i] for i in way), best)
            self.assertTrue(all(sum(limit[i] for i in way) <= capacity for limit in limits))

    def test_items_from_inputs_are_as_those_in_the_job(self):
        draw = random.Random(12)
        steps = [[draw.randrange(0, 9), draw.randrange(1, 9)] for _ in range(60)]
        costs, each = [draw.randrange(-5, 99) for _ in steps], [draw.randrange(1, 4) for _ in steps]
        listed = {"extents": [40, 50], "combine": "max", "fill": "at_most", "keep": ["table", "solution"]}
        inputs = {"rows": {"csv": self.write("rows.csv", "".join(f"{a},{b}\n" for a, b in steps))},
                  "worth": {"npy": self.write("worth.npy", numpy.array(costs, numpy.int32))},
                  "often": {"npy": self.write("often.npy", numpy.array(each, numpy.float64))},
                  "weights": {"csv": self.write("weights.csv", "".join(f"{b}\n" for _, b in steps))},
                  "reals": {"npy": self.write("reals.npy", numpy.array(costs) + 0.25)}}
        line = {**listed, "extents": [500]}
        result = self.run_job(inputs, [
            dp_table("listed", steps=steps, cost=costs, each=each, **listed),
            dp_table("named", steps="rows", cost="worth", each="often", **listed),
            dp_table("listed_line", steps=[[b] for _, b in steps], cost=[c + 0.25 for c in costs], **line),
            dp_table("named_line", steps="weights", cost="reals", **line)], backend="cpu")
        for listed, named in (("listed", "named"), ("listed_line", "named_line")):
            for name in ("table", "value", "end", "solution", "steps"):
                self.assertEqual(result[listed][name][()].tolist(), result[named][name][()].tolist(), name)
        self.assertEqual(result["named/table"].dtype, result["listed/table"].dtype)
        verified = self.terrace("verify", "result.h5", "--sample=1").stdout
        self.assertNotIn("not the same", verified)
        # Other content of an input is another job.
        self.write("often.npy", numpy.array(each[::-1], numpy.float64))
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "often.npy")

    def test_wrong_items_of_inputs_name_their_row(self):
        def table(**settings):
            return [dp_table("t", **{"extents": [50, 50], "steps": "rows", "each": 1, **settings})]

        rows = {"csv": self.write("rows.csv", "1,2\n3,4\n0,0\n")}
        inputs = {"rows": rows, "negative": {"csv": self.write("negative.csv", "1,2\n3,-4\n")},
                  "part": {"csv": self.write("part.csv", "1,2\n3,4.5\n")},
                  "three": {"values": [1, 2, 3]}, "zero": {"values": [1, 0]},
                  "right": {"csv": self.write("right.csv", "1,2\n3,4\n")},
                  "none": {"npy": self.write("none.npy", numpy.array([1.5, numpy.nan]))},
                  "wide": {"npy": self.write("wide.npy", numpy.ones((2, 3)))},
                  "cube": {"npy": self.write("cube.npy", numpy.ones((2, 2, 2)))}}
        for settings, said in (
                ({}, ("'rows', row 2", "rows.csv", "all zeros")),
                ({"steps": "negative"}, ("'negative', row 1, column 1", "negative.csv", "is negative")),
                ({"steps": "part"}, ("'part', row 1, column 1", "is no whole number")),
                ({"steps": "wide"}, ("'wide' is 2 x 3", "a column for each of the 2 dimensions")),
                ({"steps": "cube"}, ("'cube' is 2 x 2 x 2",)),
                ({"steps": "right", "cost": "three"}, ("3 numbers for 2 steps",)),
                ({"steps": "right", "cost": "none"}, ("none[1]", "is not finite")),
                ({"steps": "right", "cost": "wide"}, ("'wide' is 2 x 3", "a number for each step")),
                ({"steps": "right", "each": "zero"}, ("zero[1]", "is less than 1")),
                ({"steps": "right", "each": "three"}, ("3 numbers for 2 steps",)),
                ({"steps": "rigth"}, ("'rigth'", "'right'"))):
            with self.subTest(settings=settings):
                used = {name: inputs[name] for name in {"rows", "right", *map(str, settings.values())} & inputs.keys()}
                used = {name: used[name] for name in used
                        if name in (settings.get("steps", "rows"), *settings.values()) or "rigth" in settings.values()}
                job = self.write_job(used, table(**settings), backend="cpu")
                self.assertSays(self.terrace("check", job, expect=WRONG), *said)

    def test_sums_that_f64_rounds_are_warned_of(self):
        stage = {"extents": [100], "steps": [[1], [2]], "cost": [2**50 + 1, 3], "each": 40, "combine": "max"}
        warned = self.terrace("plan", self.write_job({}, [dp_table("t", type="f64", **stage)], backend="cpu"))
        self.assertSays(warned, "2^53", "`type: i64`")
        exact = self.terrace("plan", self.write_job({}, [dp_table("t", **stage)], backend="cpu"))
        self.assertNotIn("2^53", exact.stderr)

    def correlated(self, count, largest, strongly, seed):
        """Weights and values of instances as Pisinger's, and half of all weight as the capacity."""
        draw = random.Random(seed)
        weights = [draw.randrange(1, largest + 1) for _ in range(count)]
        tenth = largest // 10
        values = [w + tenth if strongly else max(1, w + draw.randrange(-tenth, tenth + 1)) for w in weights]
        return weights, values, sum(weights) // 2

    def best_load(self, weights, values, capacity, name):
        result = self.run_job({}, [dp_table("t", extents=[capacity + 1], steps=[[w] for w in weights], cost=values,
                                            each=1, combine="max", fill="at_most", keep="solution")],
                              backend="cpu", output=name + ".h5")
        way = result["t/solution"][()].tolist()
        self.assertEqual(len(set(way)), len(way))
        self.assertLessEqual(sum(weights[i] for i in way), capacity)
        self.assertEqual(sum(values[i] for i in way), result["t/value"][()])
        return int(result["t/value"][()])

    def test_correlated_instances_of_10000_items(self):
        for strongly in (False, True):
            with self.subTest(strongly=strongly):
                weights, values, _ = self.correlated(10000, 1000, strongly, 3)
                capacity = 20000
                best = numpy.zeros(capacity + 1, numpy.int64)
                for w, v in zip(weights, values):
                    best[w:] = numpy.maximum(best[w:], best[:-w] + v)
                self.assertEqual(self.best_load(weights, values, capacity, f"large{strongly}"), best[capacity])

    def test_correlated_instances_against_glpk(self):
        glpsol = shutil.which("glpsol") or skip("there is no glpsol (Debian: glpk-utils)")
        for strongly in (False, True):
            with self.subTest(strongly=strongly):
                weights, values, capacity = self.correlated(40, 100, strongly, 9)
                terms = [" + ".join(f"{number} x{i}" for i, number in enumerate(numbers)) for numbers in (values, weights)]
                program = (f"Maximize\n value: {terms[0]}\nSubject To\n weight: {terms[1]} <= {capacity}\nBinary\n " +
                           " ".join(f"x{i}" for i in range(len(weights))) + "\nEnd\n")
                (self.folder / "items.lp").write_text(program.replace(" + ", "\n + "))
                # Values are whole numbers: a gap below that of one proves the best.
                subprocess.run([glpsol, "--lp", "items.lp", "--cuts", "--mipgap", "1e-5", "--tmlim", "60", "-w",
                                "items.sol"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
                found = next(line.split() for line in (self.folder / "items.sol").read_text().splitlines()
                             if line.startswith("s "))
                self.assertEqual(found[4], "o")  # proved
                self.assertEqual(self.best_load(weights, values, capacity, f"small{strongly}"), int(found[5]))

    def least_scratch(self, job):
        """The scratch space that a job needs at least, in bytes."""
        ended = self.terrace("plan", job, "--set", "scratch.size=1", expect=WRONG)
        number, unit = re.search(r"needs ([0-9.]+) (KiB|MiB) of scratch", ended.stderr).groups()
        return int((float(number) + 0.01) * {"KiB": 1 << 10, "MiB": 1 << 20}[unit])

    def test_solutions_are_the_same_with_little_scratch(self):
        """By divide and conquer, where scratch does not hold a bit for each cell and pass."""
        draw, most_times = random.Random(21), 0
        for number in range(8):
            rank = 1 + number % 3
            extents = [draw.randrange(e // 2, e) for e in ((9000,), (90, 120), (20, 24, 30))[rank - 1]]
            steps = [[draw.randrange(1, max(2, e // draw.choice([3, 9, 20]))) for e in extents] for _ in range(150)]
            settings = {"extents": extents, "steps": steps, "combine": ("max", "any", "min")[number % 3],
                        "each": draw.choice([1, 3]), "keep": ["table", "solution"]}
            if settings["combine"] != "any":
                settings["cost"] = [draw.choice([draw.randrange(1, 9), 0.3]) if number % 2 else draw.randrange(1, 9)
                                    for _ in steps]
            if settings["combine"] == "max":
                settings["fill"] = "at_most"
            with self.subTest(number=number, settings=settings):
                for memory in ({"host": 64 << 20}, {"host": 600 << 10, "device": 160 << 10}):
                    stage = dp_table("t", **settings)
                    keys = {"backend": "cpu", "memory": memory}
                    whole = self.run_job({}, [stage], "--fresh=all", **keys)
                    expected = [whole["t"][name][()].tolist() for name in ("table", "value", "solution")]
                    least = self.least_scratch(self.write_job({}, [stage], **keys))
                    for scratch in (least, 2 * least):
                        keys["scratch"] = {"size": scratch}
                        job = self.write_job({}, [stage], output="little.h5", **keys)
                        times = re.search(r"divide and conquer.* up to (\d+) times", self.terrace("plan", job).stdout)
                        most_times = max(most_times, int(times[1]) if times else 1)
                        self.terrace("run", job, "--fresh=all")
                        little = self.open("little.h5")
                        self.assertEqual([little["t"][name][()].tolist() for name in ("table", "value", "solution")],
                                         expected)
        self.assertGreaterEqual(most_times, 5)

    def test_a_run_with_little_scratch_that_is_killed_goes_on_the_same_way(self):
        draw = random.Random(9)
        stage = dp_table("little", extents=[20000], steps=[[draw.randrange(1, 900)] for _ in range(1500)],
                         cost=[draw.randrange(1, 900) for _ in range(1500)], each=1, combine="max", fill="at_most",
                         keep=["table", "solution"])
        keys = {"memory": {"host": 700 << 10, "device": 160 << 10}}
        scratch = self.least_scratch(self.write_job({}, [stage], backend="cpu", **keys))
        self.check_survives_kills({}, stage, "table", "solution", "value", "end", scratch={"size": scratch}, **keys)
        # A run that has begun keeps its way when there is more space.
        job = self.write_job({}, [stage], backend="cpu", scratch={"size": scratch}, **keys)
        self.assertIn("divide and conquer", self.terrace("plan", job).stdout)
        process = subprocess.Popen([terrace_runs.program, "run", job, "--set", "checkpoint.every=1ms"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.1)
        process.kill()
        process.wait()
        self.terrace("run", job, "--set", "scratch.size=1GiB")
        self.assertEqual(self.open()["little/solution"][()].tolist(),
                         self.open("little-whole.h5")["little/solution"][()].tolist())

    def test_runs_that_are_killed_end_with_the_same_bytes(self):
        draw = random.Random(8)
        steps = [[draw.randrange(1, 900)] for _ in range(150)]
        small = {"host": 400 << 10, "device": 60 << 10}
        stage = dp_table("best", extents=[20000], steps=steps, cost=[draw.randrange(1, 900) for _ in steps], each=1,
                         combine="max", fill="at_most", keep=["table", "solution"])
        self.check_survives_kills({}, stage, "table", "solution", "value", "end", memory=small)
        stage = dp_table("ways", extents=[40, 50, 30], steps=[[1, 2, 0], [0, 1, 3], [2, 0, 1], [1, 1, 1]],
                         each=[1, 3, 6, 2], combine="count", order="unordered", keep="table")
        self.check_survives_kills({}, stage, "table", "value", memory=small)

    def test_a_count_that_leaves_its_type_names_the_cell_and_the_step(self):
        items, first = next((n, k) for n in range(99) for k in range(n) if math.comb(n, k) >= 2**63)
        for memory in ({"host": 64 << 20}, {"host": 200 << 10, "device": 40 << 10}):
            job = self.write_job({}, [dp_table("t", extents=[5001], steps=[[1]] * 70, each=1, combine="count",
                                               order="unordered")], backend="cpu", memory=memory)
            self.assertSays(self.terrace("run", job, "--fresh=all", expect=FAILED),
                            f"cell {first} with the steps up to number {items - 1};", "modulus")

    def test_wrong_settings_are_refused(self):
        for settings, said in (
                ({"extents": [9], "steps": [[1]], "each": 0}, "at least 1"),
                ({"extents": [9], "steps": [[1]], "each": 1.5}, "whole numbers"),
                ({"extents": [1, 2], "steps": [[0, 2], [2, 0], [0, 1]], "each": [2, 0, 5], "cost": [36, -47, -40]},
                 "at least 1"),
                ({"extents": [9], "steps": [[1]], "each": 1, "partition_dimensions": 2}, "tables without `each`"),
                ({"extents": [9], "steps": [[1], [2]], "each": [1, 2, 3]}, "3 numbers for 2 steps"),
                ({"extents": [9] * 4, "steps": [[1] * 4], "each": 1}, "a dimension of its own"),
                ({"extents": [9], "steps": [[1]], "each": 1, "combine": "count"}, "`order: unordered`"),
                ({"extents": [9], "steps": [[1]], "each": 1, "keep": "choice"}, "keep `solution`"),
                ({"extents": [9], "steps": [[1]], "each": 1, "schedule": "levels"}, "tables without `each`")):
            with self.subTest(settings=settings):
                job = self.write_job({}, [dp_table("t", **settings)], backend="cpu")
                ended = self.terrace("check", job, expect=WRONG)
                self.assertSays(ended, said, "job.yaml:")
                self.assertNotIn("at most -", ended.stderr)

    def test_each_small_budget_is_refused_or_suffices(self):
        """Once a budget suffices, all larger ones do."""
        draw = random.Random(4)
        for number, (extents, combine, keep) in enumerate((
                ([64, 63], "count", ["table"]), ([138, 82], "max", ["table", "solution"]), ([143, 10], "any", ["solution"]),
                ([26, 16, 4], "min", ["table"]), ([7000], "any", ["table", "solution"]), ([3000], "max", ["solution"]))):
            steps = [[draw.randrange(0, 9) for _ in extents] for _ in range(40)]
            settings = {"extents": extents, "steps": [step for step in steps if any(step)], "combine": combine,
                        "each": draw.choice([1, 3]), "keep": keep}
            if combine == "count":
                settings.update(order="unordered", modulus=1000003)
            expected, suffices = None, False
            for host in [*range(4, 60, 4), *range(60, 420, 60), 1 << 14]:
                with self.subTest(number=number, host=host):
                    job = self.write_job({}, [dp_table("t", **settings)], backend="cpu", memory={"host": host << 10})
                    planned = self.terrace("plan", job, expect=None)
                    if planned.returncode != 0:
                        self.assertFalse(suffices, planned.stderr)
                        self.assertSays(planned, "memory.host", "the least is")
                        continue
                    suffices = True
                    self.terrace("run", job, "--fresh=all")
                    found = [self.open()["t"][name][()].tolist() for name in (*keep, "value")]
                    expected = expected or found
                    self.assertEqual(found, expected)
            self.assertTrue(suffices)
            self.check_least_budgets(job, "memory.host")

    def test_a_budget_without_room_names_the_least(self):
        job = self.write_job({}, [dp_table("t", extents=[5000], steps=[[100]], each=1)], backend="cpu",
                             memory={"host": 64 << 20, "device": 4096})
        self.assertSays(self.terrace("plan", job, expect=WRONG), "memory.device")


if __name__ == "__main__":
    main()
