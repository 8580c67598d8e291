"""Stencils in whole jobs: against PolyBench's and Rodinia's results, against plain NumPy, and at any budget."""
import itertools
import json
import math
import re
import unittest

from terrace_runs import FAILED, ON_DISK, WRONG, JobTest, data, h5py, main, numpy

PADS = {"periodic": "wrap", "edge": "edge", "reflect": "reflect", "symmetric": "symmetric", "fixed": "edge"}


def stencil(name, operator, **settings):
    return {"name": name, "stencil": {"operator": operator, **settings}}


def offsets_of(shape, rank, radius):
    """Offsets in lexicographic order."""
    every = itertools.product(range(-radius, radius + 1), repeat=rank)
    return [o for o in every if shape == "box" or sum(c != 0 for c in o) <= 1]


def padded(grid, radius, boundary):
    """The grid with the values outside, axis by axis. @param boundary of an axis: (low, high), words"""
    for axis, sides in enumerate(boundary):
        width = [(radius, radius) if other == axis else (0, 0) for other in range(grid.ndim)]
        low, high = (numpy.pad(grid, width, mode=PADS[face]) for face in sides)
        begin, end = numpy.split(low, [radius], axis)[0], numpy.split(high, [high.shape[axis] - radius], axis)[1]
        grid = numpy.concatenate([begin, grid, end], axis=axis)
    return grid


def values_outside(grid, radius, boundary):
    """padded(), with the numbers of faces wherever any axis says one."""
    rank = grid.ndim
    words = [[face if isinstance(face, str) else "edge" for face in sides] for sides in boundary]
    whole = padded(grid, radius, words)
    for axis, sides in enumerate(boundary):
        for side, face in enumerate(sides):
            if isinstance(face, str):
                continue
            where = [slice(None)] * rank
            where[axis] = slice(0, radius) if side == 0 else slice(whole.shape[axis] - radius, None)
            whole[tuple(where)] = face
    return whole


def step_sum(grid, offsets, coefficients, radius, boundary, source=None):
    """One step of a sum over offsets."""
    whole = values_outside(grid, radius, boundary)
    total = numpy.zeros_like(grid)
    for offset, coefficient in zip(offsets, coefficients):
        window = tuple(slice(radius + o, radius + o + n) for o, n in zip(offset, grid.shape))
        total = total + coefficient * whole[window]
    if source is not None:
        total = total + source
    return keep_rim(grid, total, radius, boundary)


def keep_rim(before, after, radius, boundary):
    for axis, (low, high) in enumerate(boundary):
        if low == "fixed":
            where = [slice(None)] * before.ndim
            where[axis] = slice(0, radius)
            after[tuple(where)] = before[tuple(where)]
        if high == "fixed":
            where = [slice(None)] * before.ndim
            where[axis] = slice(max(0, before.shape[axis] - radius), None)
            after[tuple(where)] = before[tuple(where)]
    return after


def dump(name):
    """The arrays of one of PolyBench's dumps, by name."""
    with open(data("stencil", name)) as file:
        text = file.read()
    found = re.findall(r"begin dump: (\w+)(.*?)end +dump: \w+", text, re.DOTALL)
    return {array: numpy.array([float(number) for number in numbers.split()]) for array, numbers in found}


class StencilTest(JobTest):
    place = ON_DISK

    def npy(self, name, array):
        return {"npy": self.write(name + ".npy", array)}

    def assertNear(self, found, expected, bound=1e-12):
        self.assertEqual(found.shape, expected.shape)
        scale = max(1.0, float(numpy.abs(expected).max(initial=0)))
        self.assertLess(float(numpy.abs(found - expected).max(initial=0)), bound * scale)


class KnownAnswers(StencilTest):
    def test_heat_3d_of_polybench(self):
        for size, times, name in ((10, 20, "MINI"), (20, 40, "SMALL")):
            i, j, k = numpy.mgrid[0:size, 0:size, 0:size].astype(float)
            grid = (i + j + (size - k)) * 10 / size
            result = self.run_job({"a": self.npy("a", grid)},
                                  [stencil("s", "heat3d", grid="a", dt=0.125, diffusivity=1, steps=2 * times)],
                                  "--fresh")
            self.assertNear(result["s/grid"][()].ravel(), dump(f"heat-3d.{name}.out")["A"])

    def test_fdtd_2d_of_polybench(self):
        for rows, columns, times, name in ((20, 30, 20, "MINI"), (60, 80, 40, "SMALL")):
            i, j = numpy.mgrid[0:rows, 0:columns].astype(float)
            inputs = {"ex": self.npy("ex", i * (j + 1) / rows), "ey": self.npy("ey", i * (j + 2) / columns),
                      "hz": self.npy("hz", i * (j + 3) / rows),
                      "drive": self.npy("drive", numpy.arange(times, dtype=float))}
            fields = {"ex": "ex", "ey": "ey", "hz": "hz"}
            result = self.run_job(inputs, [stencil("s", "fdtd2d", fields=fields, drive="drive", steps=times)],
                                  "--fresh")
            expected = dump(f"fdtd-2d.{name}.out")
            for field in fields:
                self.assertNear(result["s/" + field][()].ravel(), expected[field])

    def alternating(self, first, second, weight):
        """Coefficients and a source with which a grid's rim is in turn that of two grids, and its inside a sum."""
        inside = numpy.zeros(first.shape)
        inside[(slice(1, -1),) * first.ndim] = 1
        return weight * inside, weight * inside - (1 - inside), (1 - inside) * (first + second)

    def test_jacobi_of_polybench(self):
        for rank, size, times, name in ((1, 30, 20, "MINI"), (1, 120, 40, "SMALL"), (2, 30, 20, "MINI"),
                                        (2, 90, 40, "SMALL")):
            index = numpy.mgrid[(slice(0, size),) * rank].astype(float)
            if rank == 1:
                first, second, weight = (index[0] + 2) / size, (index[0] + 3) / size, 0.33333
            else:
                first, second = (index[0] * (index[1] + shift) + 2 + (shift - 2) for shift in (2, 3))
                first, second, weight = first / size, second / size, 0.2
            neighbour, centre, source = self.alternating(first, second, weight)
            names = ["n"] * rank + ["c"] + ["n"] * rank
            result = self.run_job({"a": self.npy("a", first), "n": self.npy("n", neighbour),
                                   "c": self.npy("c", centre), "q": self.npy("q", source)},
                                  [stencil("s", f"star{rank}d", grid="a", coefficients=names, source="q",
                                           boundary="edge", steps=2 * times)], "--fresh")
            self.assertNear(result["s/grid"][()].ravel(), dump(f"jacobi-{rank}d.{name}.out")["A"])

    def test_hotspot_of_rodinia(self):
        def table(name):
            return numpy.loadtxt(data("stencil", name)).reshape(64, 64)

        for iterations in (1, 100):
            expected = numpy.loadtxt(data("stencil", f"hotspot_64_iters{iterations}.out"))[:, 1].reshape(64, 64)
            # Six digits were written; each step of a program in f32 rounds a value below 512, and so does reading it.
            half_unit = (iterations + 1) * 2.0 ** -16
            for kind, bound in ((numpy.float64, 0.0005 + half_unit), (numpy.float32, 0.0005 + 2 * half_unit)):
                result = self.run_job({"t": self.npy("t", table("temp_64").astype(kind)),
                                       "p": self.npy("p", table("power_64").astype(kind))},
                                      [stencil("s", "hotspot", grid="t", power="p", steps=iterations)], "--fresh")
                self.assertLess(numpy.abs(result["s/grid"][()] - expected).max(), bound)

    def test_a_mode_of_the_heat_equation_decays_as_it_should(self):
        rows, columns, steps, rate = 33, 65, 50, 0.2
        i, j = numpy.mgrid[0:rows, 0:columns]
        mode = numpy.sin(math.pi * 3 * i / (rows - 1)) * numpy.sin(math.pi * 5 * j / (columns - 1))
        factor = 1 - rate * (4 - 2 * math.cos(math.pi * 3 / (rows - 1)) - 2 * math.cos(math.pi * 5 / (columns - 1)))
        result = self.run_job({"a": self.npy("a", mode)},
                              [stencil("s", "heat2d", grid="a", dt=0.1, diffusivity=2, steps=steps)])
        self.assertNear(result["s/grid"][()], mode * factor ** steps, 1e-13)

    def test_waves_run_backwards(self):
        draw = numpy.random.default_rng(2)
        u, previous = draw.normal(size=(2, 40, 30))
        inputs = {"u": self.npy("u", u), "p": self.npy("p", previous)}
        keys = {"dt": 0.5, "speed": 1, "boundary": "periodic", "steps": 30}
        result = self.run_job(inputs, [stencil("on", "wave2d", fields={"u": "u", "previous": "p"}, **keys),
                                       stencil("back", "wave2d", fields={"u": "on/previous", "previous": "on/u"},
                                               **keys)])
        self.assertNear(result["back/previous"][()], u, 1e-11)
        self.assertNear(result["back/u"][()], previous, 1e-11)


class Faces(StencilTest):
    def test_every_kind_of_face_on_every_axis(self):
        draw = numpy.random.default_rng(7)
        kinds = ["fixed", "edge", "reflect", "symmetric", {"value": 0.5}]
        for case in range(24):
            rank, radius = 1 + case % 3, 1 + case % 2
            shape = tuple(int(n) for n in draw.integers(2 * radius + 2, 14, size=rank))
            grid = draw.normal(size=shape)
            boundary, plain = [], []
            for _ in range(rank):
                if draw.random() < 0.3:
                    boundary.append("periodic")
                    plain.append(("periodic", "periodic"))
                    continue
                sides = [kinds[n] for n in draw.integers(len(kinds), size=2)]
                boundary.append(sides)
                plain.append(tuple(face["value"] if isinstance(face, dict) else face for face in sides))
            offsets = offsets_of("star" if case % 2 else "box", rank, radius)
            weights = [float(w) for w in draw.normal(size=len(offsets)) / len(offsets)]
            steps = int(draw.integers(1, 9))
            expected = grid
            for _ in range(steps):
                expected = step_sum(expected, offsets, weights, radius, plain)
            operator = f"{'star' if case % 2 else 'box'}{rank}d"
            result = self.run_job({"a": self.npy("a", grid)},
                                  [stencil("s", operator, grid="a", radius=radius, coefficients=weights,
                                           boundary=boundary, steps=steps)], "--fresh")
            with self.subTest(case=case, boundary=boundary, shape=shape):
                self.assertNear(result["s/grid"][()], expected)

    def test_offsets_in_any_order_and_a_wide_rim(self):
        draw = numpy.random.default_rng(8)
        grid = draw.normal(size=(20, 17))
        offsets, weights = [(0, 2), (-1, 0), (1, -1), (0, 0)], [0.5, -0.25, 0.125, 0.3]
        for radius in (2, 5):
            expected = grid
            for _ in range(4):
                expected = step_sum(expected, offsets, weights, radius, [("fixed", "fixed")] * 2)
            result = self.run_job({"a": self.npy("a", grid)},
                                  [stencil("s", "offsets", grid="a", offsets=offsets, coefficients=weights,
                                           radius=radius, steps=4)], "--fresh")
            self.assertNear(result["s/grid"][()], expected)

    def test_masks_sources_and_arrays_of_coefficients(self):
        draw = numpy.random.default_rng(9)
        grid, source, diffusivity = draw.normal(size=(3, 25, 31))
        diffusivity = numpy.abs(diffusivity)
        mask = (draw.random((25, 31)) < 0.2).astype(numpy.uint8) * 3
        expected = grid
        for _ in range(6):
            whole = numpy.pad(expected, 1, mode="edge")
            change = whole[:-2, 1:-1] + whole[2:, 1:-1] + whole[1:-1, :-2] + whole[1:-1, 2:] - 4 * expected
            made = expected + 0.05 * diffusivity * change + 0.05 * source
            expected = numpy.where(mask != 0, expected, made)
        result = self.run_job({"a": self.npy("a", grid), "q": self.npy("q", source), "d": self.npy("d", diffusivity),
                               "m": self.npy("m", mask)},
                              [stencil("s", "heat2d", grid="a", source="q", diffusivity="d", mask="m", dt=0.05,
                                       boundary="edge", steps=6)])
        self.assertNear(result["s/grid"][()], expected)


class Events(StencilTest):
    def setUp(self):
        super().setUp()
        self.grid = numpy.random.default_rng(3).normal(size=(30, 22))
        self.inputs = {"a": self.npy("a", self.grid)}

    def after(self, steps):
        grid = self.grid
        for _ in range(steps):
            grid = step_sum(grid, offsets_of("star", 2, 1), [0.2] * 5, 1, [("fixed", "fixed")] * 2)
        return grid

    def test_snapshots_at_given_steps_and_every_so_many(self):
        for wanted, steps in (([0, 3, 4, 10], [0, 3, 4, 10]), ({"every": 4}, [4, 8])):
            result = self.run_job(self.inputs, [stencil("s", "star2d", grid="a", steps=10, snapshots=wanted)],
                                  "--fresh")
            self.assertEqual(list(result["s/time"][()]), steps)
            self.assertEqual(int(result["s/steps"][()]), 10)
            for number, step in enumerate(steps):
                self.assertNear(result["s/snapshots"][number], self.after(step))
            self.assertNear(result["s/grid"][()], self.after(10))

    def test_no_steps_give_the_input(self):
        result = self.run_job(self.inputs, [stencil("s", "star2d", grid="a", steps=0, snapshots=[0])])
        self.assertTrue(numpy.array_equal(result["s/grid"][()], self.grid))
        self.assertTrue(numpy.array_equal(result["s/snapshots"][0], self.grid))

    def test_a_stage_ends_when_the_residual_is_small(self):
        for norm in ("max", "l2"):
            job = stencil("s", "star2d", grid="a", steps=1000, snapshots=[20, 900],
                          until={"residual": 0.01, "norm": norm, "every": 7})
            result = self.run_job(self.inputs, [job], "--fresh")
            steps, at = int(result["s/steps"][()]), list(result["s/residual_step"][()])
            self.assertEqual(at, list(range(7, steps + 1, 7)))
            for step, residual in zip(at, result["s/residual"][()]):
                change = self.after(step) - self.after(step - 1)
                expected = numpy.abs(change).max() if norm == "max" else numpy.sqrt((change ** 2).sum())
                self.assertAlmostEqual(residual, expected, 12)
                self.assertEqual(residual < 0.01, step == steps)
            self.assertNear(result["s/grid"][()], self.after(steps))
            self.assertEqual(list(result["s/time"][()]), [20, steps])
            self.assertNear(result["s/snapshots"][1], self.after(steps))

    def test_snapshots_after_an_early_end_are_the_last_grid_once(self):
        """As long as what was made, whatever was reserved, also for a later run that takes the stage over."""
        until = {"residual": 0.01, "every": 7}
        steps = int(self.run_job(self.inputs, [stencil("s", "star2d", grid="a", steps=5000, until=until)])["s/steps"][()])
        for wanted, times in (({"every": 5}, [*range(5, steps, 5), steps]), ([3, steps, 900, 1000], [3, steps]),
                              ([900, 901], [steps]), ([3, 4], [3, 4]), ({"every": 7}, list(range(7, steps + 1, 7)))):
            job = stencil("s", "star2d", grid="a", steps=5000, snapshots=wanted, until=until)
            more = stencil("more", "star2d", grid="s/grid", steps=1)
            for stages in ([job], [job, more]):
                result = self.run_job(self.inputs, stages, *(["--fresh"] if len(stages) == 1 else []))
                with self.subTest(snapshots=wanted, stages=len(stages)):
                    self.assertEqual(list(result["s/time"][()]), times)
                    self.assertEqual(result["s/snapshots"].shape, (len(times), *self.grid.shape))
                    self.assertEqual(result["s/snapshots"].dims[0][0].name, "/s/time")
                    for number, step in enumerate(times):
                        self.assertNear(result["s/snapshots"][number], self.after(step))
                    self.assertEqual(len(result["checksums/s/snapshots"]), len(times))
                result.close()
                self.terrace("verify", "result.h5", "--sample", "1")

    def test_snapshots_whose_number_the_run_finds_are_read_from_the_result(self):
        until = {"residual": 0.01, "every": 7}
        stages = [stencil("s", "star2d", grid="a", steps=50, snapshots=[10, 20], until=until),
                  stencil("t", "star3d", grid="s/snapshots", steps=1)]
        self.assertSays(self.terrace("run", self.write_job(self.inputs, stages), expect=WRONG),
                        "the length of 's/snapshots' is known when its stage has run: read it from the result")
        del stages[0]["stencil"]["until"]
        self.assertEqual(self.run_job(self.inputs, stages)["t/grid"].shape, (2, 30, 22))

    def test_a_check_or_a_snapshot_that_never_comes_is_a_warning(self):
        for settings, says in (({"until": {"residual": 1e-9}}, "`until` is never checked: there are 10 steps"),
                               ({"snapshots": {"every": 20}}, "there are no snapshots: there are 10 steps")):
            path = self.write_job(self.inputs, [stencil("s", "star2d", grid="a", steps=10, **settings)])
            self.assertSays(self.terrace("run", path, "--fresh"), says)

    def test_a_grid_that_does_not_change_ends_at_the_first_check(self):
        for shape in ((0, 4), (64, 0), (20, 10)):
            result = self.run_job({"a": self.npy("a", numpy.full(shape, 0.5))},
                                  [stencil("s", "star2d", grid="a", steps=27, until={"residual": 0, "every": 2},
                                           coefficients={"center": 1, "neighbours": 0})], "--fresh")
            self.assertEqual(int(result["s/steps"][()]), 2)
            self.assertEqual((list(result["s/residual"]), list(result["s/residual_step"])), ([0], [2]))

    def test_a_residual_that_is_nan_ends_the_stage(self):
        grid = self.grid.copy()
        grid[11, 12] = numpy.nan
        for norm in ("max", "l2"):
            job = stencil("s", "star2d", grid="a", steps=100, nan="allow", snapshots=[5, 50],
                          until={"residual": 1e-9, "norm": norm, "every": 4})
            path = self.write_job({"a": self.npy("nan", grid)}, [job])
            self.assertSays(self.terrace("run", path, "--fresh"),
                            "it ended at step 4, where the residual of `until` is NaN")
            result = self.open()
            self.assertEqual((int(result["s/steps"][()]), list(result["s/time"][()])), (4, [4]))
            self.assertEqual(int(result["s/not_finite"][()]), int(numpy.isnan(result["s/grid"][()]).sum()))
            result.close()
            self.terrace("verify", "result.h5", "--sample", "1")

    def test_a_residual_that_is_not_reached_is_a_warning(self):
        path = self.write_job(self.inputs, [stencil("s", "star2d", grid="a", steps=10,
                                                    until={"residual": 1e-30, "every": 4})])
        ended = self.terrace("run", path)
        self.assertSays(ended, "the residual did not fall below")
        self.assertEqual(list(self.open()["s/residual_step"][()]), [4, 8])


class Budgets(StencilTest):
    def check(self, inputs, settings, budgets, operator="star2d", outputs=("grid",)):
        expected, blocks = None, set()
        for number, host in enumerate(budgets):
            output = f"{operator}{number}.h5"
            # A device with memory of its own would hold all of it.
            path = self.write_job(inputs, [stencil("s", operator, **settings)], output=output, backend="cpu")
            self.terrace("run", path, "--set", f"memory.host={host}", "--fresh")
            result = self.open(output)
            found = [result["s/" + name][()] for name in outputs]
            expected = expected or found
            for one, other in zip(found, expected):
                self.assertEqual(one.tobytes(), other.tobytes(), f"{operator} at {host}")
            blocks.add(int(result["profile/stages/blocks"][0]))
        self.assertGreater(len(blocks), 1, "the budgets were to force several slabs")

    def test_results_are_the_same_at_any_budget(self):
        draw = numpy.random.default_rng(5)
        grid = draw.normal(size=(900, 120)).astype(numpy.float32)
        inputs = {"a": self.npy("a", grid)}
        budgets = ["1GiB", "900KiB", "600KiB", "400KiB"]
        for boundary in ("fixed", "periodic", ["reflect", {"value": 2}]):
            self.check(inputs, {"grid": "a", "steps": 50, "boundary": boundary, "snapshots": [7, 30],
                                "until": {"residual": 1e-9, "every": 20, "norm": "l2"}}, budgets,
                       outputs=("grid", "snapshots", "residual"))
        self.check(inputs, {"grid": "a", "steps": 23, "radius": 3, "boundary": ["periodic", "edge"]}, budgets, "box2d")
        waves = {"u": inputs["a"], "p": self.npy("p", draw.normal(size=(900, 120)).astype(numpy.float32)),
                 "c": self.npy("c", draw.random((900, 120)).astype(numpy.float32))}
        self.check(waves, {"fields": {"u": "u", "previous": "p"}, "speed": "c", "dt": 0.5, "steps": 40,
                           "boundary": ["periodic", "fixed"]}, ["1GiB", "2MiB", "1200KiB"], "wave2d",
                   ("u", "previous"))

    def test_separable_boxes(self):
        grid = numpy.random.default_rng(7).normal(size=(900, 120)).astype(numpy.float32)
        inputs, steps, radius = {"a": self.npy("a", grid)}, 23, 3
        weights = numpy.exp(-numpy.arange(-radius, radius + 1) ** 2 / 5.0)
        weights = numpy.outer(weights, weights) / weights.sum() ** 2
        settings = {"grid": "a", "steps": steps, "radius": radius, "boundary": ["periodic", "fixed"],
                    "coefficients": weights.ravel().tolist(), "arithmetic": "fast"}
        self.check(inputs, settings, ["1GiB", "900KiB", "700KiB"], "box2d")
        results = {}
        for name, more in (("fast", {}), ("plain", {"schedule": "plain"}), ("exact", {"arithmetic": "exact"})):
            path = self.write_job(inputs, [stencil("s", "box2d", **{**settings, **more})], output=f"{name}.h5")
            self.terrace("run", path)
            results[name] = self.open(f"{name}.h5")
            self.assertEqual(results[name]["s"].attrs.get("arithmetic"),
                             None if name == "exact" else "fast: sums of rows, then of columns")
        found = {name: result["s/grid"][()] for name, result in results.items()}
        self.assertEqual(found["fast"].tobytes(), found["plain"].tobytes())
        self.assertNotEqual(found["fast"].tobytes(), found["exact"].tobytes())
        expected = grid.astype(float)
        for _ in range(steps):
            expected = step_sum(expected, offsets_of("box", 2, radius), weights.ravel(), radius,
                                [("periodic", "periodic"), ("fixed", "fixed")])
        # The bounds of `terrace operators box2d`; the coefficients are positive and their sum is 1.
        largest = numpy.abs(grid).max() * 1.0001
        for name, roundings in (("fast", 4 * radius + 22), ("exact", (2 * radius + 1) ** 2 + 2)):
            self.assertLess(numpy.abs(found[name] - expected).max(), steps * roundings * 2.0 ** -24 * largest, name)

    def test_cubes_and_rows(self):
        draw = numpy.random.default_rng(6)
        self.check({"a": self.npy("a", draw.normal(size=(200, 20, 18)))},
                   {"grid": "a", "steps": 21, "boundary": "periodic"}, ["1GiB", "1MiB", "700KiB"], "star3d")
        self.check({"a": self.npy("a", draw.normal(size=100000))},
                   {"grid": "a", "steps": 30, "radius": 2, "boundary": "symmetric"}, ["1GiB", "900KiB", "500KiB"],
                   "box1d")

    def test_a_budget_that_no_slab_fits_names_the_least(self):
        job = self.write_job({"a": {"generate": "uniform", "shape": [1000, 10000], "type": "f64"}},
                             [stencil("s", "star2d", grid="a", steps=3)])
        ended = self.terrace("run", job, "--set", "memory.host=100KiB", expect=WRONG)
        self.assertSays(ended, "memory.host is too small for any plan of this stage: the least is ")
        least = re.search(r"the least is ([0-9.]+ ?[A-Za-z]+)", ended.stderr).group(1).replace(" ", "")
        self.terrace("run", job, "--set", f"memory.host={least}")

    def test_the_least_budget_that_is_named_is_enough(self):
        def uniform(*shape):
            return {"generate": "uniform", "shape": list(shape), "type": "f64"}

        arrays = {name: uniform(64, 188) for name in "gqp"}
        heat = {"grid": "g", "diffusivity": "q", "source": "p", "dt": 0.1, "steps": 2}
        flat = {"grid": "g", "diffusivity": 1, "dt": 0.1, "steps": 93}
        for inputs, settings in ((arrays, {**heat, "boundary": "periodic"}), (arrays, heat),
                                 ({"g": uniform(1, 128)}, flat), ({"g": uniform(2, 128)}, flat)):
            job = self.write_job(inputs, [stencil("s", "heat2d", **settings)])
            self.check_least_budgets(job, "memory.host")

    def test_kills(self):
        self.check_survives_kills({"a": {"generate": "uniform", "shape": [2000, 300], "type": "f64"}},
                                  stencil("s", "star2d", grid="a", steps=60, boundary="periodic", snapshots=[20, 50],
                                          until={"residual": 1e-12, "every": 25}),
                                  "grid", "snapshots", "residual", memory={"host": 4 << 20})
        # In one pass, which keeps few tiles beside the result, in slabs of several tiles.
        self.check_survives_kills({"a": {"generate": "uniform", "shape": [6000, 300], "type": "f64"}},
                                  stencil("once", "star2d", grid="a", steps=40, radius=2), "grid",
                                  memory={"host": 8 << 20}, threads=2)
        self.assertEqual(set(self.open("once-whole.h5")["profile/blocks/phase"][()]), {0})
        planned = json.loads(self.terrace("plan", "once-whole.yaml", "--fresh", "--json").stdout)["stages"][0]
        self.assertRegex(planned["block_shape"], r"in [23] tiles")


class WrongJobs(StencilTest):
    def refused(self, settings, *says, operator="star2d", inputs=None, expect=WRONG):
        grid = {"a": {"generate": "uniform", "shape": [20, 10], "type": "f64"}, **(inputs or {})}
        used = {value for value in settings.values() if isinstance(value, str)} | {"a"}
        used |= {name for value in settings.values() if isinstance(value, (list, dict))
                 for name in (value.values() if isinstance(value, dict) else value) if isinstance(name, str)}
        ended = self.terrace("run", self.write_job({name: kind for name, kind in grid.items() if name in used},
                                                   [stencil("s", operator, **settings)]), expect=expect)
        self.assertSays(ended, "job.yaml:", *says)

    def test_wrong_settings_are_errors_with_their_place(self):
        grid = {"grid": "a", "steps": 2}
        other = {"b": {"generate": "uniform", "shape": [20, 11], "type": "f64"}}
        self.refused({**grid, "radius": 9}, "'radius' takes a whole number from 1 to 8")
        self.refused({**grid, "coefficients": [1, 2]}, "has 5 terms here: give as many coefficients")
        self.refused({**grid, "coefficients.center": 0.1}, "unknown key 'coefficients.center'",
                     "written as coefficients: {center: ...}")
        self.refused({**grid, "type": "f32", "coefficients": [1e300, 0, 0, 0, 0]}, "is too large for f32")
        self.refused({**grid, "type": "f32", "dt": 1e-60, "diffusivity": 1}, "is too small for f32", operator="heat2d")
        self.refused({**grid, "snapshots": [2, 1]}, "1 comes after 2")
        self.refused({"fields": {"ex": "a", "ey": "a", "hz": "a"}, "drive": "b", "steps": 2},
                     "one dimension, a value a step, is wanted, and there are 2 steps", operator="fdtd2d",
                     inputs={"b": {"values": [1.5]}})
        many = {f"c{i}": {"generate": "uniform", "shape": [20, 10], "type": "f64"} for i in range(49)}
        self.refused({**grid, "radius": 3, "coefficients": list(many)}, "at most 32 arrays", operator="box2d",
                     inputs=many)
        self.refused({**grid, "offsets": []}, "there are no offsets", operator="offsets")
        self.refused({"fields": {"ex": "a", "ey": "a", "hz": "a"}, "drive": "b", "mask": "a", "steps": 1},
                     "unknown key 'mask'", operator="fdtd2d", inputs={"b": {"values": [1.5]}})
        self.refused({**grid, "mask": "b"}, "'b' is 20 x 11, and the grid is 20 x 10", inputs=other)
        self.refused({**grid, "coefficients": [1, 2, "b", 4, 5]}, "'b' is 20 x 11", inputs=other)
        self.refused({**grid, "boundary": ["edge", "edge", "edge"]}, "`boundary` has 3 entries")
        self.refused({**grid, "boundary": "reflect", "radius": 8, "grid": "b"}, "axis 0 of the grid has 8 cells",
                     inputs={"b": {"generate": "uniform", "shape": [8, 11], "type": "f64"}})
        self.refused({**grid, "offsets": [[0, 1, 0]]}, "an offset has 3 components, and the grid 2 dimensions",
                     operator="offsets")
        self.refused({**grid, "offsets": [[0, 9]]}, "'offsets'", "from -8 to 8", operator="offsets")
        self.refused({**grid, "offsets": [[0, 2]], "radius": 1}, "the offsets reach 2 cells", operator="offsets")
        self.refused(grid, "'a' has 2 dimensions; a grid of `star3d` has 3", operator="star3d")
        self.refused({**grid, "dt": 0, "diffusivity": 1}, "a step's time is positive", operator="heat2d")
        self.refused({**grid, "snapshots": [3]}, "a snapshot is asked for at step 3, and there are 2 steps")
        self.refused({"fields": {"u": "a", "previous": "b"}, "steps": 1, "dt": 0.1, "speed": 1}, "'b' is 20 x 11",
                     operator="wave2d", inputs=other)

    def test_schedules_of_tiles_name_what_they_compute(self):
        grid = {"grid": "a", "steps": 2}
        cube = {"b": {"generate": "uniform", "shape": [9, 9, 9], "type": "f64"}}
        for name in ("overlapped", "time_skewed"):
            tiled = {**grid, "schedule": name}
            computes = f"`{name}` computes "
            self.refused({**tiled, "boundary": "periodic"}, computes + "grids whose faces are `fixed`", "schedule")
            self.refused({**tiled, "boundary": ["fixed", ["fixed", "edge"]]}, computes + "grids whose faces")
            self.refused({**tiled, "coefficients": [1, 2, "a", 4, 5]}, computes + "sums whose coefficients are numbers")
            self.refused({**tiled, "source": "a"}, computes + "grids without a source and a mask")
            self.refused({**tiled, "grid": "b", "offsets": [[0, 0, 1]]}, computes + "sums over offsets in two dim",
                         operator="offsets", inputs=cube)
            self.refused({**tiled, "dt": 0.1, "diffusivity": 1}, "schedule", operator="heat2d")
        self.refused({**grid, "schedule": "time_skewed", "radius": 4}, "no steps for tiles of 64x64 at radius 4",
                     "64x32 and 32x32 have")
        self.refused({**grid, "schedule": "time_skewed", "radius": 8, "tile": "64x64"}, "at radius 8", "64x32 and")
        self.refused({**grid, "tile": "64x32"}, "`schedule: time_skewed` alone")
        self.refused({**grid, "schedule": "time_skewed", "tile": "8x8"}, "64x64, 64x32, 32x32")

    def test_a_nan_is_an_error_that_names_its_cell(self):
        grid = numpy.zeros((9, 7))
        grid[5, 3] = numpy.nan
        inputs = {"a": self.npy("a", grid)}
        for settings in ({"grid": "a"}, {"grid": "b", "source": "a"}):
            there = {**inputs, "b": self.npy("b", numpy.zeros((9, 7)))} if "source" in settings else inputs
            ended = self.terrace("run", self.write_job(there, [stencil("s", "star2d", steps=2, **settings)]),
                                 expect=FAILED)
            self.assertSays(ended, "'a', row 5, column 3", "is no number (NaN)", "nan: allow")
        result = self.run_job(inputs, [stencil("s", "star2d", grid="a", steps=1, nan="allow")])
        self.assertEqual(int(numpy.isnan(result["s/grid"][()]).sum()), 5)

    def test_an_unstable_step_is_a_warning_with_the_largest_that_is_stable(self):
        cubes = {"a": {"generate": "uniform", "shape": [20, 10], "type": "f64"},
                 "b": {"generate": "uniform", "shape": [9, 8, 7], "type": "f64"}}
        for diffusivity in (1, 0.3, 3e-7, 7):
            factor = {2: 4 * diffusivity, 3: 6 * diffusivity}
            for rank, grid in ((2, "a"), (3, "b")):
                def warned(dt):
                    job = stencil("s", f"heat{rank}d", grid=grid, dt=dt, diffusivity=diffusivity, steps=1)
                    said = self.terrace("run", self.write_job({grid: cubes[grid]}, [job]), "--fresh").stderr
                    found = re.search(r"Courant number is (\S+), and at most 1 is; the largest stable `dt` is (\S+)$", said,
                                      re.MULTILINE)
                    return found and found.groups()
                courant, largest = warned(2 / factor[rank])
                self.assertEqual(courant, "2")
                self.assertAlmostEqual(float(largest) * factor[rank], 1, 5)
                self.assertIsNone(warned(float(largest)))

    def test_a_negative_diffusivity_is_an_error_and_in_an_array_a_warning(self):
        grid = {"grid": "a", "steps": 1, "dt": 0.1}
        self.refused({**grid, "diffusivity": -1}, "a diffusivity is not negative", operator="heat2d")
        for shape, operator in (((9, 7), "heat2d"), ((5, 6, 7), "heat3d")):
            values = numpy.full(shape, 0.5)
            values[-1, 2] = -0.125
            inputs = {"a": self.npy("a", numpy.zeros(shape)), "d": self.npy("d", values)}
            path = self.write_job(inputs, [stencil("s", operator, diffusivity="d", **grid)])
            self.assertSays(self.terrace("run", path, "--fresh"), "job.yaml:",
                            "`diffusivity` is negative in places, the least value is -0.125")

    def test_an_unstable_step_by_the_largest_value_of_an_array_is_a_warning_with_its_number(self):
        speed = numpy.full((20, 10), 0.25, numpy.float32)
        for largest, warned in ((-1.5, True), (0.5, False)):
            speed[13, 7] = largest
            given = {"a": {"generate": "uniform", "shape": [20, 10], "type": "f64"},
                     "b": {"npy": self.write("b.npy", speed)}, "d": {"npy": self.write("d.npy", numpy.abs(speed))}}
            waves = {"u": "a", "previous": "a"}
            path = self.write_job(given, [stencil("h", "heat2d", grid="a", dt=0.5, diffusivity="d", steps=1),
                                          stencil("w", "wave2d", fields=waves, dt=1, speed="b", steps=1)])
            said = self.terrace("run", path, "--fresh").stderr
            if not warned:
                self.assertNotIn("Courant", said)
                continue
            self.assertIn("stage 'h': the step is not stable: its Courant number is 3 where `diffusivity` is largest, "
                          "1.5, and at most 1 is", said)
            self.assertIn("stage 'w': the step is not stable: its Courant number is 2.12132 where `speed` is largest, "
                          "1.5, and at most 1 is", said)
            self.assertEqual(said.count("Courant"), 2)


class NotFinite(StencilTest):
    """Cells that become infinite, in sums of every kind of kernel and in formulas."""

    def growing(self, shape=(60, 50), **settings):
        weights = {"center": 3, "neighbours": 1}
        return {"grid": "a", "coefficients": weights, "steps": 1500, **settings}

    def first_not_finite(self, said):
        found = re.search(r"(\S.*?)(?: and (\d+) other cells?)? (?:is|are) not finite after step (\d+), and (?:all were|it was) "
                          r"after step (\d+): ", said)
        self.assertTrue(found, said)
        place, others, after, before = found.groups()
        return [int(n) for n in re.findall(r"\d+", place.rsplit(": ", 1)[-1])], int(others or 0) + 1, int(before), int(after)

    def test_a_grid_that_grows_without_bound_is_an_error(self):
        grid = numpy.random.default_rng(1).random((60, 50))
        wrong = {"a": self.npy("a", grid)}
        path = self.write_job(wrong, [stencil("s", "star2d", **self.growing(snapshots=[100, 200, 900]))])
        ended = self.terrace("run", path, expect=FAILED)
        self.assertSays(ended, "job.yaml:", "stage 's': ", "nan: allow", "snapshots up to step 200 stay in the run's folder")
        cell, count, before, after = self.first_not_finite(ended.stderr)
        self.assertLess(before, after)
        self.assertGreaterEqual(before, 200)
        # What was made before it stays, and the same command ends with the same error, at once.
        with h5py.File(self.folder / "result.h5.run" / "result.h5") as partial:
            kept = partial["s/snapshots"][()]
        self.assertTrue(numpy.isfinite(kept[:2]).all() and kept[:2].all())
        again = self.terrace("run", path, expect=FAILED)
        self.assertEqual(self.first_not_finite(again.stderr), (cell, count, before, after))
        # A run of the same steps, which are not looked at: what the error says is so.
        for steps, expected in ((before, 0), (after, count)):
            result = self.run_job(wrong, [stencil("s", "star2d", **self.growing(steps=steps, nan="allow"))],
                                  "--fresh=changed" if expected == 0 else "--fresh=all")
            found = numpy.argwhere(~numpy.isfinite(result["s/grid"][()]))
            self.assertEqual((len(found), int(result["s/not_finite"][()])), (expected, expected))
            if expected:
                self.assertEqual(list(found[0]), cell)
            result.close()
            self.terrace("verify", "result.h5", "--sample", "1")

    def test_stages_before_it_are_kept(self):
        grid = {"a": self.npy("a", numpy.random.default_rng(1).random((60, 50)))}
        smooth = stencil("smooth", "star2d", grid="a", steps=3)
        self.terrace("run", self.write_job(grid, [smooth, stencil("s", "star2d", **self.growing())]), expect=FAILED)
        fixed = self.terrace("run", self.write_job(grid, [smooth, stencil("s", "star2d", **self.growing(steps=9))]),
                             "--fresh=changed")
        self.assertIn("'smooth' is taken over", fixed.stderr)

    def test_every_kind_of_grid(self):
        draw = numpy.random.default_rng(4)
        line, cube = draw.random(3000), draw.random((12, 14, 16))
        box = {"grid": "a", "steps": 800, "coefficients": {"center": 1, "neighbours": 1}}
        dt = {"dt": 5, "diffusivity": 1, "steps": 400}
        waves = {"fields": {"u": "a", "previous": "a"}, "dt": 5, "speed": 1, "steps": 300}
        for array, operator, settings in (
                (line, "star1d", self.growing()), (line, "box1d", {**box, "boundary": "periodic"}),
                (draw.random((70, 33)), "box2d", {**box, "radius": 2, "boundary": "edge"}),
                (draw.random((70, 33)).astype(numpy.float32), "star2d", self.growing(boundary="periodic")),
                (cube, "star3d", self.growing()), (cube.astype(numpy.float32), "box3d", box),
                (draw.random((40, 30)), "heat2d", {"grid": "a", **dt}), (cube, "heat3d", {"grid": "a", **dt}),
                (draw.random((40, 30)), "wave2d", waves), (cube.astype(numpy.float32), "wave3d", waves)):
            inputs = {"a": self.npy("a", array)}
            for budget in ("1GiB", "300KiB"):
                path = self.write_job(inputs, [stencil("s", operator, **settings)])
                ended = self.terrace("run", path, "--fresh=all", "--set", f"memory.host={budget}", expect=None)
                if ended.returncode == WRONG and "too small" in ended.stderr:
                    continue
                self.assertEqual(ended.returncode, FAILED, operator)
                cell, count, before, after = self.first_not_finite(ended.stderr)
                allowed = self.run_job(inputs, [stencil("s", operator, **{**settings, "steps": after, "nan": "allow"})],
                                       "--fresh=all")
                fields = [allowed[f"s/{name}"][()] for name in settings.get("fields", {"grid": ""})]
                where = [numpy.argwhere(~numpy.isfinite(field)) for field in fields]
                with self.subTest(operator=operator, budget=budget):
                    self.assertEqual(sum(map(len, where)), count)
                    self.assertEqual(list(next(cells[0] for cells in where if len(cells))), cell)
                    self.assertEqual(int(allowed["s/not_finite"][()]), count)

    def test_an_infinity_in_what_is_read_is_computed_with(self):
        grid, source = numpy.zeros((9, 7)), numpy.zeros((9, 7))
        grid[5, 3], source[4, 4] = numpy.inf, -numpy.inf
        zeros = self.npy("zeros", numpy.zeros((9, 7)))
        for inputs, more in (({"a": self.npy("a", grid)}, {}),
                             ({"a": zeros, "q": self.npy("q", source)}, {"source": "q"})):
            path = self.write_job(inputs, [stencil("s", "star2d", grid="a", steps=2, **more)])
            ended = self.terrace("run", path, "--fresh=all")
            result = self.open()
            found = int((~numpy.isfinite(result["s/grid"][()])).sum())
            self.assertSays(ended, f"have made infinite or NaN: {found}")
            self.assertNotIn("not_finite", result["s"])
            result.close()

    def test_cells_of_no_step_are_counted(self):
        grid = numpy.zeros((9, 7), numpy.float32)
        grid[5, 3], grid[1] = numpy.inf, numpy.nan
        result = self.run_job({"a": self.npy("a", grid)}, [stencil("s", "star2d", grid="a", steps=0, nan="allow")])
        self.assertEqual(int(result["s/not_finite"][()]), 8)

    def test_a_drive_with_nan(self):
        fields = {name: "a" for name in ("ex", "ey", "hz")}
        inputs = {"a": self.npy("a", numpy.zeros((8, 9))), "d": self.npy("d", numpy.array([0, numpy.nan, 1.0]))}
        job = {"fields": fields, "drive": "d", "steps": 3}
        self.assertSays(self.terrace("run", self.write_job(inputs, [stencil("s", "fdtd2d", **job)]), expect=None),
                        "d[1]", "nan: allow")
        result = self.run_job(inputs, [stencil("s", "fdtd2d", nan="allow", **job)])
        self.assertGreater(int(result["s/not_finite"][()]), 0)

    def test_a_mask_has_numbers(self):
        mask = numpy.zeros((9, 7))
        mask[2, 2] = numpy.nan
        inputs = {"a": self.npy("a", numpy.zeros((9, 7))), "m": self.npy("m", mask)}
        for nan in ("error", "allow"):
            path = self.write_job(inputs, [stencil("s", "star2d", grid="a", steps=2, mask="m", nan=nan)])
            self.assertSays(self.terrace("run", path, expect=FAILED), "'m', row 2, column 2", "is no number (NaN)")


if __name__ == "__main__":
    main()
