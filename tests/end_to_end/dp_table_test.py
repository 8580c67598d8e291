"""Tables with many dimensions in whole jobs: against plain recursion, known answers, at any budget."""
import functools
import itertools
import math
import random
import re

from terrace_runs import FAILED, WRONG, JobTest, main, numpy

LARGEST = {"u8": 255, "i8": 127, "u16": 65535, "i16": 32767, "i32": 2**31 - 1, "i64": 2**63 - 1}


def dp_table(name, **settings):
    return {"name": name, "dp_table": settings}


def capacity_steps(extents, weights, at_most):
    return [s for s in itertools.product(*(range(e) for e in extents))
            if any(s) and sum(w * c for w, c in zip(weights, s)) <= at_most]


def plain(extents, steps, costs, combine, modulus=None):
    """Values and choices of all cells by the definition; None: not reached."""
    values, choices = {}, {}
    for v in itertools.product(*(range(e) for e in extents)):
        if not any(v):
            values[v] = {"count": 1, "any": 1}.get(combine, 0)
            choices[v] = -1
            continue
        found = []
        for number, (step, cost) in enumerate(zip(steps, costs)):
            u = tuple(a - b for a, b in zip(v, step))
            if min(u) >= 0 and values[u] is not None:
                found.append((values[u] + (cost if combine in ("min", "max") else 0), number))
        choices[v] = -1
        if combine == "count":
            values[v] = sum(value for value, _ in found)
            if modulus:
                values[v] %= modulus
        elif not found:
            values[v] = None
        elif combine == "any":
            values[v], choices[v] = 1, found[0][1]
        else:
            best = (min if combine == "min" else max)(value for value, _ in found)
            values[v] = best
            choices[v] = next(number for value, number in found if value == best)
    return values, choices


def unreached(combine, kind):
    if kind.startswith("float"):
        return numpy.inf if combine == "min" else -numpy.inf
    info = numpy.iinfo(kind)
    return {"min": info.max, "max": info.min}.get(combine, 0)


class DpTableTest(JobTest):
    def assertTable(self, result, name, extents, steps, costs, combine, modulus=None):
        values, choices = plain(extents, steps, costs, combine, modulus)
        stage = result[name]
        table = stage["table"][()]
        none = unreached(combine, table.dtype.name)
        expected = numpy.array([none if values[v] is None else values[v]
                                for v in itertools.product(*(range(e) for e in extents))], table.dtype)
        self.assertTrue(numpy.array_equal(table, expected.reshape(extents)))
        last = tuple(e - 1 for e in extents)
        self.assertEqual(stage["value"][()], expected[-1])
        self.assertTrue(numpy.array_equal(stage["steps"][()].reshape(len(steps), -1), steps))
        if combine == "count":
            return
        expected = [choices[v] for v in itertools.product(*(range(e) for e in extents))]
        self.assertEqual(stage["choice"][()].ravel().tolist(), expected)
        way, v = [], last
        while choices[v] >= 0:
            way.append(choices[v])
            v = tuple(a - b for a, b in zip(v, steps[way[-1]]))
        self.assertEqual(stage["solution"][()].tolist(), way[::-1])

    def test_random_tables_are_as_they_are_defined_at_any_budget_and_under_every_schedule(self):
        draw = random.Random(1)
        for number in range(24):
            rank = draw.randrange(1, 7)
            extents = [draw.randrange(1, (60, 20, 9, 6, 4, 4)[rank - 1]) for _ in range(rank)]
            combine = draw.choice(["min", "max", "count", "any"])
            settings = {"extents": extents, "combine": combine, "schedule": draw.choice(["auto", "partitioned", "levels"])}
            if draw.random() < 0.4:
                weights = [draw.randrange(1, 5) for _ in extents]
                settings["capacity"] = {"weights": weights, "at_most": draw.randrange(1, 8)}
                steps = capacity_steps(extents, weights, settings["capacity"]["at_most"])
            else:
                steps = [[draw.randrange(0, min(e, 5) + 1) if draw.random() < 0.5 else 0 for e in extents]
                         for _ in range(draw.randrange(1, 9))]
                steps = [step for step in steps if any(step)] or [[1] * rank]
                settings["steps"] = steps
            costs, modulus = [1] * len(steps), None
            if combine in ("min", "max") and draw.random() < 0.7:
                costs = [draw.choice([draw.randrange(-5, 20), draw.randrange(0, 9), 2.5]) for _ in steps]
                if draw.random() < 0.6:
                    costs = [round(cost) for cost in costs]
                settings["cost"] = costs
            if combine == "count":
                modulus = settings["modulus"] = draw.choice([2, 255, 65536, 1000003])
            settings["keep"] = ["table"] if combine == "count" else ["table", "choice", "solution"]
            memory = draw.choice([{"host": 64 << 20}, {"host": 1 << 20, "device": 40960}, {"host": 2 << 20, "device": 49152}])
            with self.subTest(number=number, settings=settings, memory=memory):
                if not steps:
                    continue
                result = self.run_job({}, [dp_table("t", **settings)], output=f"{number}.h5", name=f"{number}.yaml",
                                      backend="cpu", memory=memory)
                self.assertTable(result, "t", extents, steps, costs, combine, modulus)

    def test_tables_of_several_tiles_go_through_memory_and_disk(self):
        """Tables larger than the host's budget in small tiles: blocks read runs of rows that lie in several tiles."""
        for extents, capacity, kib in (([120, 100, 60], {"weights": [5, 4, 3], "at_most": 14}, (500, 128)),
                                       ([12, 11, 12, 11, 12], {"weights": [3, 4, 5, 6, 7], "at_most": 12}, (180, 120)),
                                       ([300000], None, (400, 100))):
            with self.subTest(extents=extents):
                settings = {"extents": extents, "keep": ["table", "solution"]}
                if capacity:
                    settings["capacity"] = capacity
                else:
                    settings["steps"] = [[7], [900], [11000]]
                results = []
                for number, memory in enumerate(({"host": 64 << 20}, {"host": kib[0] << 10, "device": kib[1] << 10})):
                    result = self.run_job({}, [dp_table("t", **settings)], output=f"{len(extents)}-{number}.h5",
                                          backend="cpu", memory=memory)
                    results.append((result["t/table"][()], result["t/solution"][()], result["t/steps"][()]))
                    blocks = result["profile/stages/blocks"][()][0]
                self.assertGreater(blocks, 4)
                self.assertTrue(numpy.array_equal(results[0][0], results[1][0]))
                self.assertTrue(numpy.array_equal(results[0][1], results[1][1]))
                way = results[0][2].reshape(-1, len(extents))[results[0][1]]
                if len(way):
                    self.assertEqual(way.sum(axis=0).tolist(), [e - 1 for e in extents])

    def test_tiles_that_no_later_one_reads_are_dropped(self):
        """Of a table of which only the value is wanted a part is on disk, and it is the same at any budget."""
        capacity = {"weights": [5, 4, 3], "at_most": 14}
        for settings, kib, part in (({"extents": [300, 40, 60], "capacity": capacity}, (200, 64), 0.2),
                                    ({"extents": [300, 40, 60], "capacity": capacity, "keep": "choice"}, (400, 200), 0.25),
                                    ({"extents": [300000], "steps": [[7], [900], [11000]]}, (200, 64), 0.5)):
            with self.subTest(settings=settings):
                values = []
                for memory in ({"host": 64 << 20}, {"host": kib[0] << 10, "device": kib[1] << 10}):
                    result = self.run_job({}, [dp_table("t", **settings)], "--fresh=all", backend="cpu", memory=memory)
                    values.append(result["t/value"][()])
                self.assertEqual(values[0], values[1])
                self.assertGreater(result["profile/stages/blocks"][()][0], 20)
                planned = self.terrace("plan", self.folder / "job.yaml").stdout
                number, unit = re.search(r"([0-9.]+) (\S+) of scratch", planned).groups()
                scratch = float(number) * {"B": 1, "KiB": 2**10, "MiB": 2**20}[unit]
                cells = math.prod(settings["extents"]) * (1 if len(settings["extents"]) > 1 else 2)
                self.assertLess(scratch, part * cells)

    def test_a_table_that_is_kept_whole_for_the_way_back_is_counted_once(self):
        job = self.write_job({}, [dp_table("t", extents=[1 << 20, 1 << 12], steps=[[1, 0], [0, 1]], keep="solution")],
                             backend="cpu", memory={"host": 64 << 20})
        planned = self.terrace("plan", job)
        self.assertIn("16.0 GiB of scratch", planned.stdout)

    def test_plan_warns_of_a_disk_with_too_little_room(self):
        job = self.write_job({}, [dp_table("t", extents=[1 << 40, 1 << 10], steps=[[1, 0], [0, 1]], keep="solution")],
                             backend="cpu", memory={"host": 64 << 20})
        planned = self.terrace("plan", job)
        self.assertRegex(planned.stderr, r"a run would be refused: .*needs [0-9]+ bytes \(.*\) more, .*[0-9]+ free")
        self.assertFalse((self.folder / "result.h5.run").exists())
        self.assertSays(self.terrace("run", job, expect=FAILED), "more, but its file system has")
        small = self.write_job({}, [dp_table("t", extents=[9], steps=[[1]])], backend="cpu")
        self.assertNotIn("refused", self.terrace("plan", small).stderr)

    def test_known_answers(self):
        ways = dp_table("ways", extents=[101], steps=[[1]], combine="count")
        coins = [1, 2, 5, 10, 20, 50, 100, 200]
        # Ordered ways to pay 20 with these coins, and the fewest coins for 388.
        stages = [dp_table("fewest", extents=[389], steps=[[c] for c in coins], keep=["solution"]),
                  dp_table("ordered", extents=[21], steps=[[c] for c in coins], combine="count"),
                  dp_table("lattice", extents=[17, 17], steps=[[1, 0], [0, 1]], combine="count"),
                  dp_table("delannoy", extents=[9, 9, 9], steps=[list(s) for s in itertools.product((0, 1), repeat=3)
                                                                 if any(s)], combine="count"),
                  ways]
        @functools.lru_cache(None)
        def ordered(amount):
            return 1 if amount == 0 else sum(ordered(amount - coin) for coin in coins if coin <= amount)

        @functools.lru_cache(None)
        def delannoy(*v):
            if min(v) < 0:
                return 0
            return sum(delannoy(*(a - b for a, b in zip(v, s))) for s in itertools.product((0, 1), repeat=3) if any(s)) \
                if any(v) else 1

        result = self.run_job({}, stages, backend="cpu")
        self.assertEqual(result["fewest/value"][()], 8)  # 200 + 100 + 50 + 20 + 10 + 5 + 2 + 1
        self.assertEqual(sorted(coins[i] for i in result["fewest/solution"][()]), coins)
        self.assertEqual(result["ordered/value"][()], ordered(20))
        self.assertEqual(result["lattice/value"][()], 601080390)
        self.assertEqual(result["delannoy/value"][()], delannoy(8, 8, 8))
        self.assertEqual(result["ways/value"][()], 1)

    def test_unordered_counts_are_combinations_at_any_budget(self):
        """One step after the other: the loops of a textbook."""
        draw, blocks = random.Random(7), 0
        for number, memory in enumerate(({"host": 64 << 20}, {"host": 100 << 10, "device": 40960}) * 4):
            rank = 1 + number % 4
            extents = [draw.randrange(2, (9000, 120, 30, 12)[rank - 1]) for _ in range(rank)]
            steps = [[draw.randrange(0, 4) if draw.random() < 0.6 else 0 for _ in extents] for _ in range(9)]
            steps = [step for step in steps if any(step)] + [[1] * rank, [2 * extents[0]] + [0] * (rank - 1)]
            modulus = draw.choice([255, 1000003, 4 * 10**18])
            expected = numpy.zeros(extents, dtype=object)
            expected[(0,) * rank] = 1
            for step in steps:
                for v in itertools.product(*(range(s, e) for s, e in zip(step, extents))):
                    expected[v] = (expected[v] + expected[tuple(a - b for a, b in zip(v, step))]) % modulus
            with self.subTest(extents=extents, steps=steps, memory=memory):
                result = self.run_job({}, [dp_table("t", extents=extents, steps=steps, combine="count", modulus=modulus,
                                                    order="unordered", keep="table")], "--fresh=all", backend="cpu",
                                      memory=memory)
                self.assertTrue((result["t/table"][()] == expected).all())
                self.assertEqual(result["t/value"][()], expected.flat[-1])
                blocks = max(blocks, result["profile/stages/blocks"][()][0])
        self.assertGreater(blocks, 3 * 12)  # several tiles a step

    def test_known_answers_of_change_and_partitions(self):
        coins = [[c] for c in (1, 2, 5, 10, 20, 50, 100, 200)]
        unordered = {"combine": "count", "order": "unordered"}
        stages = [dp_table("change", extents=[201], steps=coins, **unordered),  # Project Euler 31
                  dp_table("partitions", extents=[101], steps=[[n] for n in range(1, 101)], **unordered),
                  dp_table("few", extents=[11], steps=[[6], [5]], **unordered),
                  dp_table("none", extents=[3], steps=[[7]], **unordered)]
        result = self.run_job({}, stages, backend="cpu")
        self.assertEqual([result[stage["name"] + "/value"][()] for stage in stages], [73682, 190569292, 1, 0])

    def test_an_unordered_count_that_leaves_its_type_names_the_cell_and_the_step(self):
        job = self.write_job({}, [dp_table("t", extents=[1001], steps=[[1]] * 9, combine="count", order="unordered")],
                             backend="cpu")
        self.assertSays(self.terrace("run", job, expect=FAILED), "cell 880 with the steps up to number 8", "modulus")

    def test_the_best_of_all_cells_at_any_budget(self):
        """A knapsack whose capacities need not be used up: the best cell, and the way to it."""
        draw = random.Random(3)
        for number, memory in enumerate(({"host": 64 << 20}, {"host": 200 << 10, "device": 60 << 10}) * 4):
            rank = 1 + number % 3
            extents = [draw.randrange(3, (9000, 120, 30)[rank - 1]) for _ in range(rank)]
            steps = [[draw.randrange(1, 3 + e // 3) for e in extents] for _ in range(5)]
            costs = [draw.choice([draw.randrange(-3, 40), 2.5]) if number > 3 else draw.randrange(-3, 40) for _ in steps]
            values, choices = plain(extents, steps, costs, "max")
            most = max(value for value in values.values() if value is not None)
            end = min(v for v, value in values.items() if value == most)
            way, v = [], end
            while choices[v] >= 0:
                way.append(choices[v])
                v = tuple(a - b for a, b in zip(v, steps[way[-1]]))
            settings = {"extents": extents, "steps": steps, "cost": costs, "combine": "max", "fill": "at_most"}
            with self.subTest(settings=settings, memory=memory):
                job = self.write_job({}, [dp_table("t", keep="solution", **settings), dp_table("alone", **settings)],
                                     backend="cpu", memory=memory)
                self.assertNotIn("warning", self.terrace("run", job, "--fresh=all").stderr)
                result = self.open()
                for name in ("t", "alone"):
                    self.assertEqual((result[name + "/value"][()], tuple(result[name + "/end"][()])), (most, end))
                self.assertEqual(result["t/solution"][()].tolist(), way[::-1])

    def test_a_cell_that_is_better_than_the_last_one_is_a_warning(self):
        knapsack = {"extents": [11], "steps": [[6], [5]], "cost": [30, 1], "combine": "max"}
        for settings, said in ((knapsack, "the value 2 is that of the last cell, 10, which the steps meet exactly; cell 6 "
                                          "has the value 30: `fill: at_most` gives the best of all cells"),
                               ({**knapsack, "type": "f32", "cost": [30.5, 1]}, "cell 6 has the value 30.5"),
                               ({**knapsack, "fill": "at_most"}, None), ({**knapsack, "cost": [30, 40]}, None),
                               ({**knapsack, "combine": "min"}, None)):
            with self.subTest(settings=settings):
                ended = self.terrace("run", self.write_job({}, [dp_table("t", **settings)], backend="cpu"), "--fresh=all")
                self.assertEqual("fill: at_most" in ended.stderr, said is not None)
                self.assertSays(ended, *([said] if said else []))

    def test_mistakes_that_do_not_follow_from_one_another_are_told_at_once(self):
        job = self.write_job({}, [dp_table("t", extents=[5, 5], steps=[[1]], cost=[1, 2], combine="count",
                                           keep=["choice"], type="i8")], backend="cpu")
        ended = self.terrace("check", job, expect=WRONG)
        self.assertSays(ended, "a step has 1 number, and `extents` has 2", "no costs; leave `cost` out", "no best one",
                        "ways without a `modulus` are counted in i64; give i64 or auto", "4 errors")

    def test_wrong_jobs_say_what_and_where(self):
        for settings, said in (
                ({"extents": [3, 0], "steps": [[1, 1]]}, "extents"),
                ({"extents": [], "steps": [[1]]}, "dimensions"),
                ({"extents": [2] * 33, "steps": [[1] * 33]}, "33 dimensions"),
                ({"extents": [2**40, 2**30], "steps": [[1, 1]]}, "2^62"),
                ({"extents": [3, 3]}, "give `steps` or `capacity`"),
                ({"extents": [3, 3], "steps": [[1, 0, 0]]}, "3 numbers"),
                ({"extents": [3, 3], "steps": [[0, 0]]}, "all zeros"),
                ({"extents": [3, 3], "steps": [[1, -1]]}, "steps"),
                ({"extents": [3], "steps": [[1]], "capacity": {"weights": [1], "at_most": 2}}, "both"),
                ({"extents": [3, 3], "capacity": {"weights": [1], "at_most": 2}}, "`weights` has 1 number, and"),
                ({"extents": [3], "steps": [[1]], "cost": [1, 2]}, "2 numbers for 1 step;"),
                ({"extents": [3], "steps": [[1]], "combine": "count", "modulus": 1}, "modulus"),
                ({"extents": [3], "steps": [[1]], "modulus": 7}, "modulus"),
                ({"extents": [3], "steps": [[1]], "combine": "count", "modulus": 4 * 10**18 + 1}, "from 2 to 4e+18"),
                ({"extents": [3], "steps": [[1]], "keep": ["table", "choice", "table"]}, "names 'table' twice"),
                ({"extents": [9], "steps": [[1]], "cost": 2**24 + 1, "type": "f32"}, "a cost of 16777217"),
                ({"extents": [9], "steps": [[1]], "cost": 16777217.0, "type": "f32"}, "`type: auto`, or i64"),
                ({"extents": [9], "steps": [[1], [2]], "cost": [0.5, 2**24 + 1], "type": "f32"}, "give `type: f64`"),
                ({"extents": [9], "steps": [[1], [2]], "cost": [0.5, 2**53 + 1]}, "that f64 does not hold"),
                ({"extents": [9], "steps": [[1], [2]], "cost": [0.5, 10**19 + 1]}, "that f64 does not hold"),
                ({"extents": [9], "steps": [[1]], "cost": 1e-50, "type": "f32"}, "closer to 0"),
                ({"extents": [3], "steps": [[1]], "combine": "count", "keep": ["choice"]}, "no best one"),
                ({"extents": [3], "steps": [[1]], "combine": "any", "cost": 2}, "no costs"),
                ({"extents": [1000], "steps": [[1]], "type": "u8"}, "u16 or auto"),
                ({"extents": [1000], "steps": [[1]], "combine": "max", "type": "u16"}, "signed"),
                ({"extents": [5], "steps": [[1]], "combine": "count", "modulus": 1000, "type": "f64"},
                 "does not hold every number below the modulus; give u16 or auto"),
                ({"extents": [100], "steps": [[1]], "cost": 9 * 10**18 + 1}, "leaves i64; give smaller costs, or"),
                ({"extents": [9], "steps": [[1]], "cost": 0.5, "type": "i32"}, "no whole number"),
                ({"extents": [5], "steps": [[1]], "cost": 1e308}, "leaves f64"),
                ({"extents": [5], "steps": [[1]], "fill": "at_most"}, "`fill: at_most` is of `combine: max`"),
                ({"extents": [5], "steps": [[1]], "combine": "any", "fill": "at_most"}, "always reached"),
                ({"extents": [5], "steps": [[1]], "combine": "count", "fill": "at_most"}, "a step of 1 in each dimension"),
                ({"extents": [5], "steps": [[1]], "order": "unordered"}, "`order: unordered` is of `combine: count`"),
                ({"extents": [5], "steps": [[1]], "combine": "count", "order": "unordered", "schedule": "partitioned"},
                 "`order: ordered`"),
                ({"extents": [5], "steps": [[1]], "cost": 2e38, "type": "f32"}, "or f64")):
            with self.subTest(settings=settings):
                job = self.write_job({}, [dp_table("t", **settings)], backend="cpu")
                self.assertSays(self.terrace("check", job, expect=WRONG), said, "job.yaml:")

    def test_a_last_cell_that_no_steps_lead_to_is_a_warning(self):
        for combine, kind, value in (("min", "u8", 255), ("max", "i16", -32768), ("max", "f32", "-inf"),
                                     ("min", "f64", "inf")):
            with self.subTest(combine=combine, kind=kind):
                stages = [dp_table("missed", extents=[10], steps=[[2]], combine=combine, type=kind),
                          dp_table("reached", extents=[9], steps=[[2]], combine=combine, type=kind)]
                ended = self.terrace("run", self.write_job({}, stages, backend="cpu"), "--fresh")
                self.assertSays(ended, f"warning: stage 'missed': no steps lead to the last cell: its value {value} "
                                       "means none\n")
                self.assertNotIn("stage 'reached'", ended.stderr)

    def test_costs_that_their_type_holds_are_taken(self):
        for cost, kind in ((2**24, "f32"), (2**25 + 4, "f32"), (0.1, "f32"), (3e9, "f32"), (1e-30, "f32"),
                           (2.0, "f32"), (2**53, "f64"), (-2**24, "f32"), (1e30, "f32")):
            with self.subTest(cost=cost, kind=kind):
                job = self.write_job({}, [dp_table("t", extents=[2], steps=[[1]], cost=cost, type=kind)],
                                     name="c.yaml", backend="cpu")
                self.terrace("check", job)
        whole = self.write_job({}, [dp_table("t", extents=[9], steps=[[1]], cost=2**24, type="f32")], backend="cpu")
        self.assertSays(self.terrace("check", whole), "beyond 2^24", "`type: f64`")
        for modulus in (2, 4 * 10**18):
            result = self.run_job({}, [dp_table("t", extents=[9], steps=[[1]], combine="count", modulus=modulus)],
                                  "--fresh=all", backend="cpu")
            self.assertEqual(result["t/value"][()], 1)

    def test_a_count_that_leaves_its_type_names_the_first_cell(self):
        job = self.write_job({}, [dp_table("t", extents=[40, 80], steps=[[1, 0], [0, 1]], combine="count")], backend="cpu")
        first = next((a, b) for a in range(40) for b in range(80) if math.comb(a + b, a) >= 2**63)
        self.assertSays(self.terrace("run", job, expect=FAILED), f"cell {first[0]} x {first[1]}", "modulus")

    def test_a_run_that_is_killed_ends_with_the_same_bytes(self):
        stage = dp_table("t", extents=[40, 30, 20, 9], capacity={"weights": [5, 4, 3, 2], "at_most": 12},
                         keep=["table", "choice", "solution"])
        self.check_survives_kills({}, stage, "table", "choice", "solution", "value",
                                  memory={"host": 1 << 20, "device": 300 << 10})

    def test_a_run_that_drops_tiles_is_killed_and_ends_with_the_same_value(self):
        stage = dp_table("t", extents=[60, 30, 20, 9], capacity={"weights": [5, 4, 3, 2], "at_most": 12})
        self.check_survives_kills({}, stage, "value", memory={"host": 1 << 20, "device": 200 << 10})

    def test_a_search_for_the_best_cell_is_killed_and_ends_with_the_same_bytes(self):
        stage = dp_table("t", extents=[60, 50, 40], steps=[[1, 0, 2], [3, 4, 1], [7, 1, 1], [2, 2, 9]],
                         cost=[3, 17, 16, 21], combine="max", fill="at_most", keep=["table", "solution"])
        self.check_survives_kills({}, stage, "table", "solution", "value", "end",
                                  memory={"host": 300 << 10, "device": 100 << 10})

    def test_unordered_counts_are_killed_and_end_with_the_same_bytes(self):
        for name, keep in (("kept", {"keep": "table"}), ("value", {})):
            with self.subTest(keep=keep):
                stage = dp_table(name, extents=[50, 40, 30], steps=[[1, 0, 0], [0, 1, 2], [3, 0, 1], [0, 0, 1], [2, 2, 2]],
                                 combine="count", order="unordered", modulus=1000003, **keep)
                self.check_survives_kills({}, stage, *keep.values(), "value",
                                          memory={"host": 300 << 10, "device": 100 << 10})

    def test_a_budget_without_room_names_the_least(self):
        job = self.write_job({}, [dp_table("t", extents=[50, 50, 50], capacity={"weights": [1, 1, 1], "at_most": 3})],
                             backend="cpu", memory={"host": 64 << 20, "device": 4096})
        self.assertSays(self.terrace("plan", job, expect=WRONG), "memory.device")


if __name__ == "__main__":
    main()
