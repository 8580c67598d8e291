"""Paths of time warping: every step is legal, their costs in order are the score to the bit, ties go as documented."""
import itertools

from terrace_runs import FAILED, WRONG, JobTest, data, main, numpy, wavefront

VARIANTS = {f"{cost}_{steps}_{type}": dict(cost=cost, steps=steps, type=type)
            for cost in ("absolute", "squared") for steps in ("symmetric1", "symmetric2") for type in ("f32", "f64")}
TYPES = {"f32": numpy.float32, "f64": numpy.float64}


def cost_of(settings, a, b):
    """Cost of a pair of values, in their type."""
    return numpy.abs(a - b) if settings["cost"] == "absolute" else (a - b) * (a - b)


def plain_path(rows, columns, settings):
    """The path by the recurrence over the whole table, of whole numbers, whose sums are exact."""
    window, weight = settings.get("window", numpy.inf), 2 if settings["steps"] == "symmetric2" else 1
    table = numpy.full((len(rows) + 1, len(columns) + 1), numpy.inf)
    costs = numpy.abs(rows[:, None] - columns) if settings["cost"] == "absolute" else (rows[:, None] - columns) ** 2
    table[0, 0] = (1 - weight) * costs[0, 0]
    for i, j in itertools.product(range(len(rows)), range(len(columns))):
        if abs(i - j) <= window:
            table[i + 1, j + 1] = min(table[i, j] + weight * costs[i, j], table[i, j + 1] + costs[i, j],
                                      table[i + 1, j] + costs[i, j])
    i, j, path = len(rows), len(columns), []
    while i and j:
        path.append((i - 1, j - 1))
        cost = costs[i - 1, j - 1]
        if table[i, j] == table[i - 1, j - 1] + weight * cost:
            i, j = i - 1, j - 1
        elif table[i, j] == table[i - 1, j] + cost:
            i -= 1
        else:
            j -= 1
    return path[::-1]


class PathsTest(JobTest):
    def warp(self, rows, columns, variants=VARIANTS, output="result.h5", window=None, **keys):
        """Runs every variant and replays its path."""
        own = {} if window is None else {"window": window}
        stages = [wavefront(name, "dtw", rows="a", columns="b", keep="alignment", **settings, **own)
                  for name, settings in variants.items()]
        inputs = {name: {"npy": self.write(name + ".npy", values)} for name, values in (("a", rows), ("b", columns))}
        result = self.run_job(inputs, stages, "--backend", "cpu", output=output, **keys)
        for name, settings in variants.items():
            with self.subTest(variant=name, output=output):
                self.replay(result[name], rows, columns, {**settings, **own})
        return result

    def replay(self, group, rows, columns, settings):
        path = group["path"][()]
        self.assertEqual(path.dtype, numpy.int64)
        self.assertEqual((tuple(path[0]), tuple(path[-1])), ((0, 0), (len(rows) - 1, len(columns) - 1)))
        steps = numpy.diff(path, axis=0)
        self.assertTrue(((steps >= 0) & (steps <= 1)).all() and (steps.sum(axis=1) > 0).all())
        self.assertLessEqual(numpy.abs(path[:, 0] - path[:, 1]).max(), settings.get("window", numpy.inf))
        kind = TYPES[settings["type"]]
        costs = cost_of(settings, rows.astype(kind)[path[:, 0]], columns.astype(kind)[path[:, 1]])
        self.assertEqual(costs.dtype, kind)
        twice = settings["steps"] == "symmetric2"
        score = costs[0]
        for cost, step in zip(costs[1:], steps):
            score = score + (cost + cost if twice and step.all() else cost)
        self.assertEqual(float(score), group["score"][()])
        self.assertNotIn("cigar", group)


def walk(length, seed, kind=numpy.float64):
    return numpy.random.default_rng(seed).normal(size=length).cumsum().astype(kind)


def whole_numbers(length, seed, most=3):
    return numpy.random.default_rng(seed).integers(0, most, length).astype(numpy.float64)


class Paths(PathsTest):
    def test_of_short_and_odd_pairs_replay(self):
        sizes = ((1, 1), (1, 9), (9, 1), (2, 2), (65, 64), (3, 700), (700, 3), (300, 530))
        for number, (rows, columns) in enumerate(sizes):
            self.warp(walk(rows, number), walk(columns, 100 + number), output=f"{number}.h5")
        self.warp(numpy.zeros(40), numpy.zeros(40), output="equal.h5")

    def test_in_a_window_stay_inside(self):
        for number, (rows, columns, window) in enumerate(((1, 1, 0), (50, 50, 0), (300, 280, 20), (280, 300, 21),
                                                          (900, 880, 300), (600, 600, 599))):
            self.warp(walk(rows, number), walk(columns, 50 + number), window=window, output=f"{number}.h5")

    def test_with_ties_go_diagonally_then_up_then_left(self):
        for number, (rows, columns, window) in enumerate(((1, 1, None), (40, 40, None), (70, 64, 9), (31, 90, None),
                                                          (90, 31, None))):
            a, b = whole_numbers(rows, number), whole_numbers(columns, 9 + number)
            result = self.warp(a, b, window=window, output=f"{number}.h5")
            for name, settings in VARIANTS.items():
                settings = settings if window is None else {**settings, "window": window}
                self.assertEqual([tuple(pair) for pair in result[name + "/path"]], plain_path(a, b, settings), name)

    def test_are_the_same_at_every_budget(self):
        a, b = walk(3000, 1), walk(2700, 2)
        variants = {name: VARIANTS[name] for name in ("absolute_symmetric1_f32", "squared_symmetric2_f64")}
        for window in (None, 400):
            expected = self.warp(a, b, variants, window=window, output=f"whole_{window}.h5")
            for number, (budget, least) in enumerate(((1 << 20, 20), (200 << 10, 70), (140 << 10, 100))):
                result = self.warp(a, b, variants, window=window, output=f"{window}_{number}.h5",
                                   memory={"host": 64 << 20, "device": budget})
                for name in variants:
                    numpy.testing.assert_array_equal(result[name + "/path"], expected[name + "/path"][()])
                self.assertGreater(sum(result["profile/stages/blocks"]), least)

    def test_of_real_series_replay(self):
        for name in ("Beef", "ECG200", "Lightning7"):
            series = []
            for side in ("TEST", "TRAIN"):
                with open(data("timeseries", f"{name}_{side}.txt")) as file:
                    series.append(numpy.array(file.readline().replace(",", " ").split()[1:], float))
            self.warp(*series, output=name + ".h5")


class Refusals(PathsTest):
    def test_of_a_paf_line_say_what_has_one(self):
        self.warp(walk(30, 1), walk(40, 2), {"warp": VARIANTS["absolute_symmetric1_f64"]})
        ended = self.terrace("show", "result.h5", "warp", "--paf", expect=WRONG)
        self.assertSays(ended, "/warp", "has no alignment")

    def test_of_windows_without_a_path_and_of_empty_series_stand(self):
        for rows, columns, settings, said in ((9, 20, {"window": 5}, "a window of 5 holds no path"),
                                              (0, 5, {}, "is empty")):
            inputs = {"a": {"values": [1.0] * rows, "type": "f64"}, "b": {"values": [2.0] * columns, "type": "f64"}}
            job = self.write_job(inputs, [wavefront("w", "dtw", rows="a", columns="b", keep="alignment", **settings)])
            self.assertSays(self.terrace("run", job, expect=WRONG), said)


if __name__ == "__main__":
    main()
