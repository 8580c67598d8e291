"""Time warping of a series to any part of a longer one, of single series and of sets, against NumPy."""
from terrace_runs import WRONG, JobTest, main, numpy, wavefront

VARIANTS = {f"{cost}_{steps}_{type}": dict(cost=cost, steps=steps, type=type)
            for cost in ("absolute", "squared") for steps in ("symmetric1", "symmetric2") for type in ("f32", "f64")}
TYPES = {"f32": numpy.float32, "f64": numpy.float64}


def plain_table(rows, columns, settings):
    """The table by the recurrence: a warping begins in any column, with its pair's cost."""
    kind, twice = TYPES[settings["type"]], settings["steps"] == "symmetric2"
    rows, columns = rows.astype(kind), columns.astype(kind)
    apart = rows[:, None] - columns
    costs = numpy.abs(apart) if settings["cost"] == "absolute" else apart * apart
    table = numpy.empty_like(costs)
    table[0] = costs[0]
    for i in range(1, len(rows)):
        for j in range(len(columns)):
            if j == 0:
                table[i, j] = table[i - 1, j] + costs[i, j]
            elif twice:
                table[i, j] = min(table[i - 1, j - 1] + kind(2) * costs[i, j],
                                  min(table[i - 1, j], table[i, j - 1]) + costs[i, j])
            else:
                table[i, j] = min(table[i - 1, j - 1], table[i - 1, j], table[i, j - 1]) + costs[i, j]
    return table


def walk(length, seed):
    return numpy.random.default_rng(seed).normal(size=length).cumsum()


class SubsequenceTest(JobTest):
    def stages(self, **keys):
        return [wavefront(name, "dtw", rows="a", columns="b", free_ends="columns", **settings, **keys)
                for name, settings in VARIANTS.items()]

    def inputs(self, rows, columns):
        return {name: {"npy": self.write(name + ".npy", values)} for name, values in (("a", rows), ("b", columns))}


class Single(SubsequenceTest):
    def test_series_are_found_where_the_last_row_is_least(self):
        for number, (rows, columns) in enumerate(((1, 1), (1, 60), (40, 1), (30, 200), (200, 90))):
            a, b = walk(rows, number), walk(columns, 20 + number)
            result = self.run_job(self.inputs(a, b), self.stages(), "--backend", "cpu", output=f"{number}.h5")
            for name, settings in VARIANTS.items():
                last = plain_table(a, b, settings)[-1]
                group = result[name]
                self.assertEqual(group["score"][()], float(last.min()), name)
                self.assertEqual(list(group["end"]), [rows, int(last.argmin()) + 1], name)
                self.assertNotIn("normalized", group)

    def test_paths_replay_and_begin_at_their_start(self):
        for number, (rows, columns) in enumerate(((1, 50), (50, 1), (120, 700), (300, 250))):
            a, b = walk(rows, number), walk(columns, 40 + number)
            result = self.run_job(self.inputs(a, b), self.stages(keep="alignment"), "--backend", "cpu",
                                  output=f"{number}.h5")
            for name, settings in VARIANTS.items():
                with self.subTest(name=name, rows=rows):
                    self.replay(result[name], a, b, settings)
            self.terrace("verify", f"{number}.h5", "--sample", "1")

    def replay(self, group, rows, columns, settings):
        kind, path, score = TYPES[settings["type"]], group["path"][()], group["score"][()]
        self.assertEqual(list(path[0]), list(group["start"]))
        self.assertEqual(list(path[-1] + 1), list(group["end"]))
        self.assertEqual((path[0, 0], path[-1, 0]), (0, len(rows) - 1))
        steps = numpy.diff(path, axis=0)
        self.assertTrue(((steps >= 0) & (steps <= 1)).all() and (steps.sum(axis=1) > 0).all())
        apart = rows.astype(kind)[path[:, 0]] - columns.astype(kind)[path[:, 1]]
        costs = numpy.abs(apart) if settings["cost"] == "absolute" else apart * apart
        total = costs[0]
        for cost, step in zip(costs[1:], steps):
            total = total + (cost + cost if settings["steps"] == "symmetric2" and step.all() else cost)
        self.assertEqual(float(total), score)
        self.assertEqual(score, float(plain_table(rows, columns, settings)[-1].min()))

    def test_results_are_the_same_at_every_budget_and_verify(self):
        a, b = walk(700, 1), walk(3000, 2)
        expected = self.run_job(self.inputs(a, b), self.stages(keep="alignment"), "--backend", "cpu", output="whole.h5")
        for number, budget in enumerate((1 << 20, 150 << 10)):
            result = self.run_job(self.inputs(a, b), self.stages(keep="alignment"), "--backend", "cpu",
                                  output=f"{number}.h5", memory={"host": 64 << 20, "device": budget})
            for name in VARIANTS:
                for dataset in ("score", "start", "end", "path"):
                    numpy.testing.assert_array_equal(result[f"{name}/{dataset}"], expected[f"{name}/{dataset}"][()])

    def test_tables_and_borders_verify(self):
        a, b = walk(150, 5), walk(400, 6)
        stages = [*self.stages(keep="table"),
                  wavefront("borders", "dtw", rows="a", columns="b", free_ends="columns", keep="borders", every=64)]
        result = self.run_job(self.inputs(a, b), stages, "--backend", "cpu")
        for name, settings in VARIANTS.items():
            numpy.testing.assert_array_equal(result[name + "/table"], plain_table(a, b, settings))
        self.terrace("verify", "result.h5", "--all")

    def test_a_window_with_free_ends_is_refused_at_its_place(self):
        job = self.write_job(self.inputs(walk(5, 1), walk(9, 2)),
                             [wavefront("w", "dtw", rows="a", columns="b", window=5, free_ends="columns")])
        self.assertSays(self.terrace("check", job, expect=WRONG), "window", "leave out window, or free_ends")


class Sets(SubsequenceTest):
    def test_pairs_of_sets_equal_single_pairs(self):
        a = numpy.stack([walk(40, n) for n in range(3)])
        b = numpy.stack([walk(150, 10 + n) for n in range(5)])
        inputs = {name: {"npy": self.write(name + ".npy", values), "each": "row"} for name, values in (("a", a), ("b", b))}
        result = self.run_job(inputs, self.stages(), "--backend", "cpu")
        for name, settings in VARIANTS.items():
            for i, j in numpy.ndindex(3, 5):
                last = plain_table(a[i], b[j], settings)[-1]
                self.assertEqual(result[name + "/score"][i, j], float(last.min()))
                self.assertEqual(list(result[name + "/end"][i, j]), [40, int(last.argmin()) + 1])
        self.terrace("verify", "result.h5", "--all")

    def test_limits_and_hits_leave_what_they_should(self):
        a = numpy.stack([walk(60, n) for n in range(4)])
        b = numpy.stack([numpy.concatenate([walk(50, 20 + n), a[n % 4] + 0.01 * n, walk(50, 40 + n)]) for n in range(12)])
        inputs = {name: {"npy": self.write(name + ".npy", values), "each": "row"} for name, values in (("a", a), ("b", b))}
        own = dict(cost="squared", steps="symmetric1", type="f64")
        scores = numpy.array([[plain_table(row, column, own)[-1].min() for column in b] for row in a])
        limit = float(numpy.sort(scores.ravel())[10])
        result = self.run_job(inputs, [
            wavefront("near", "dtw", rows="a", columns="b", free_ends="columns", at_most=limit, **own),
            wavefront("best", "dtw", rows="a", columns="b", free_ends="columns", best=3, **own)], "--backend", "cpu")
        near = numpy.argwhere(scores <= limit)
        numpy.testing.assert_array_equal(result["near/pair"], near)
        numpy.testing.assert_array_equal(result["near/score"], scores[tuple(near.T)])
        numpy.testing.assert_array_equal(result["best/hit"], numpy.argsort(scores, axis=1, kind="stable")[:, :3])


if __name__ == "__main__":
    main()
