"""Tables whose steps may be taken a number of times, in whole jobs: against a plain program, at any budget."""
import collections
import math
import random
import shutil
import subprocess

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
                ({"extents": [9], "steps": [[1]], "each": 0}, "0 times"),
                ({"extents": [9], "steps": [[1]], "each": 1.5}, "1.5 times"),
                ({"extents": [1, 2], "steps": [[0, 2], [2, 0], [0, 1]], "each": [2, 0, 5], "cost": [36, -47, -40]}, "0 times"),
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

    def test_a_budget_without_room_names_the_least(self):
        job = self.write_job({}, [dp_table("t", extents=[5000], steps=[[100]], each=1)], backend="cpu",
                             memory={"host": 64 << 20, "device": 4096})
        self.assertSays(self.terrace("plan", job, expect=WRONG), "memory.device")


if __name__ == "__main__":
    main()
