"""Point sources and receivers of stencils, and coordinates of cells: against NumPy, at any budget, after kills."""
import unittest

from stencil_test import StencilTest, stencil
from terrace_runs import WRONG, main, numpy


def laplacian(u):
    """The sum of the four neighbours of inner cells minus four times the cell, in the order of the formula below."""
    return ((u[:-2, 1:-1] + u[2:, 1:-1]) + u[1:-1, :-2]) + u[1:-1, 2:] - numpy.float32(4) * u[1:-1, 1:-1]


class Waves:
    """An acoustic wave in NumPy, every operation rounded to f32, in a grid whose rim keeps its values."""

    cells = {"u": "(u + u - previous) + c*((((u[-1,0] + u[1,0]) + u[0,-1]) + u[0,1]) - 4*u)", "previous": "u"}

    def __init__(self, u, previous, c, mask):
        self.u, self.previous, self.c, self.mask = u.copy(), previous.copy(), c, mask

    def step(self, sources, number):
        made, inner = self.u.copy(), (slice(1, -1), slice(1, -1))
        moved = (self.u[inner] + self.u[inner] - self.previous[inner]) + self.c[inner] * laplacian(self.u)
        made[inner] = numpy.where(self.mask[inner] != 0, self.u[inner], moved)
        # A field that copies another one keeps its rim and its masked cells, too.
        before = self.previous.copy()
        before[inner] = numpy.where(self.mask[inner] != 0, before[inner], self.u[inner])
        self.u, self.previous = made, before
        for field, (i, j), values in sources:
            if self.mask[i, j] == 0:
                getattr(self, field)[i, j] += values[number]


class Points(StencilTest):
    shape, steps = (60, 45), 50

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(11)
        f4 = numpy.float32
        self.u, self.previous, self.c = (draw.normal(size=self.shape).astype(f4) for _ in range(3))
        self.c = (abs(self.c) / 10).astype(f4)
        self.mask = (draw.random(self.shape) < 0.1).astype(numpy.uint8)
        self.mask[20, 20], self.mask[7, 9] = 0, 1
        self.pulses = [draw.normal(size=self.steps + more).astype(f4) for more in (0, 3)]
        self.inputs = {"u": self.npy("u", self.u), "p": self.npy("p", self.previous), "c": self.npy("c", self.c),
                       "m": self.npy("m", self.mask), "a": self.npy("a", self.pulses[0]),
                       "b": self.npy("b", self.pulses[1])}
        # Two sources of one cell, one in a masked cell, one of the other field.
        self.sources = [("u", (20, 20), 0), ("u", (20, 20), 1), ("u", (7, 9), 0), ("previous", (30, 1), 1),
                        ("u", (58, 43), 0)]
        self.receivers = [(20, 20), (21, 22), (0, 5), (7, 9), (58, 1), (58, 1)]
        self.settings = {
            "fields": {"u": "u", "previous": "p"}, "arrays": {"c": "c"}, "cells": Waves.cells, "mask": "m",
            "steps": self.steps,
            "point_sources": [{"at": list(at), "values": "ab"[pulse], **({} if field == "u" else {"field": field})}
                              for field, at, pulse in self.sources],
            "receivers": {"at": [list(at) for at in self.receivers], "every": 3}}

    def expected(self, steps):
        """The wave after so many steps, and the values of the receivers after each of them."""
        waves = Waves(self.u, self.previous, self.c, self.mask)
        sources = [(field, at, self.pulses[pulse]) for field, at, pulse in self.sources]
        received = []
        for number in range(steps):
            waves.step(sources, number)
            received.append([waves.u[at] for at in self.receivers])
        return waves, numpy.array(received)

    def test_a_wave_equals_numpy_in_every_bit(self):
        result = self.run_job(self.inputs, [stencil("s", "formula", snapshots=[7], spacing=[0.5, 10], **self.settings)])
        waves, received = self.expected(self.steps)
        self.assertTrue(numpy.array_equal(result["s/u"][()], waves.u))
        self.assertTrue(numpy.array_equal(result["s/previous"][()], waves.previous))
        self.assertTrue(numpy.array_equal(result["s/u_snapshots"][0], self.expected(7)[0].u))
        self.assertEqual(result["s/receivers"].dtype, numpy.float32)
        self.assertTrue(numpy.array_equal(result["s/receivers"][()], received[2::3]))
        self.assertEqual(result["s/receiver_time"][()].tolist(), list(range(3, self.steps + 1, 3)))
        self.assertEqual([d[0].name for d in result["s/receivers"].dims], ["/s/receiver_time", "/s/receiver"])
        for axis, (name, distance) in enumerate((("row", 0.5), ("column", 10.0))):
            self.assertEqual(result["s/" + name][()].tolist(), [i * distance for i in range(self.shape[axis])])
            self.assertEqual(result["s/u"].dims[axis][0].name, "/s/" + name)

    def test_a_source_in_a_masked_cell_is_a_warning(self):
        ended = self.terrace("check", self.write_job(self.inputs, [stencil("s", "formula", **self.settings)]))
        self.assertSays(ended, "the cell is masked and keeps its value: the source there adds nothing")

    def test_until_ends_receivers_early(self):
        grid = numpy.zeros((20, 30))
        inputs = {"g": self.npy("g", grid), "v": self.npy("v", 0.1 ** numpy.arange(200))}
        found = self.run_job(inputs, [stencil(
            "s", "star2d", grid="g", steps=200, point_sources=[{"at": [9, 9], "values": "v"}],
            receivers={"at": [[9, 9], [9, 10]], "every": 4}, until={"residual": 0.01, "every": 10})])
        made = int(found["s/steps"][()])
        self.assertLess(made, 200)
        self.assertEqual(found["s/receiver_time"][()].tolist(), list(range(4, made + 1, 4)))
        self.assertEqual(found["s/receivers"].shape, (made // 4, 2))
        whole = self.run_job(inputs, [stencil(
            "s", "star2d", grid="g", steps=made, point_sources=[{"at": [9, 9], "values": "v"}],
            receivers={"at": [[9, 9], [9, 10]]})], output="whole.h5")
        self.assertTrue(numpy.array_equal(found["s/receivers"][()], whole["s/receivers"][3::4]))

    def test_without_a_record_there_are_none(self):
        found = self.run_job(self.inputs, [stencil("s", "formula", **{**self.settings, "receivers": {
            "at": [[1, 1]], "every": 51}})])
        self.assertEqual((found["s/receivers"].shape, found["s/receiver_time"].shape), ((0, 1), (0,)))

    def test_results_are_the_same_at_any_budget(self):
        draw = numpy.random.default_rng(5)
        rows, steps = 900, 50
        inputs = {"a": self.npy("g", draw.normal(size=(rows, 120)).astype(numpy.float32)),
                  "v": self.npy("v", draw.normal(size=steps).astype(numpy.float32))}
        cells = [[int(i), int(draw.integers(8, 112))] for i in draw.integers(8, rows - 8, 30)]
        points = {"steps": steps, "point_sources": [{"at": at, "values": "v"} for at in cells],
                  "receivers": {"at": cells[:5] + [[0, 0], [rows - 1, 119]] + cells[7:], "every": 2}}
        for operator, boundary, radius in (("star2d", "fixed", 1), ("star2d", "periodic", 2),
                                           ("box2d", ["reflect", {"value": 2}], 1)):
            budgets, expected, blocks = ["1GiB", "1200KiB", "700KiB"], None, set()
            for budget in budgets:
                path = self.write_job(inputs, [stencil("s", operator, grid="a", boundary=boundary, radius=radius,
                                                       until={"residual": 1e-9, "every": 20, "norm": "l2"},
                                                       snapshots=[7, 30], **points)], backend="cpu")
                self.terrace("run", path, "--set", f"memory.host={budget}", "--fresh")
                result = self.open()
                found = [result["s/" + name][()].tobytes() for name in ("grid", "receivers", "snapshots", "residual")]
                blocks.add(int(result["profile/stages/blocks"][0]))
                result.close()
                expected = expected or found
                self.assertEqual(found, expected, (operator, budget))
            self.assertEqual(len(blocks), len(budgets))

    def test_lines_and_cubes(self):
        draw = numpy.random.default_rng(6)
        inputs = {"line": self.npy("line", draw.normal(size=500)), "cube": self.npy("cube", draw.normal(size=(9, 8, 7))),
                  "v": self.npy("v", draw.normal(size=6))}
        found = self.run_job(inputs, [
            stencil("l", "offsets", grid="line", steps=6, offsets=[[-1], [1]], coefficients=[0.5, 0.25],
                    boundary="periodic", point_sources=[{"at": [0], "values": "v"}],
                    receivers={"at": [[499], [1]]}, spacing=[2]),
            stencil("c", "offsets", grid="cube", steps=6, offsets=[[-1, 0, 0], [0, 0, 1]], coefficients=[0.5, 0.25],
                    boundary="periodic", point_sources=[{"at": [8, 7, 6], "values": "v"}],
                    receivers={"at": [[0, 7, 6], [8, 7, 5]]})])
        line, cube, pulse = (numpy.load(self.folder / f"{name}.npy") for name in ("line", "cube", "v"))
        received = {"l": [], "c": []}
        for number in range(6):
            line = 0.5 * numpy.roll(line, 1) + 0.25 * numpy.roll(line, -1)
            line[0] += pulse[number]
            cube = 0.5 * numpy.roll(cube, 1, 0) + 0.25 * numpy.roll(cube, -1, 2)
            cube[8, 7, 6] += pulse[number]
            received["l"].append([line[499], line[1]])
            received["c"].append([cube[0, 7, 6], cube[8, 7, 5]])
        for name, grid in (("l", line), ("c", cube)):
            self.assertNear(found[name + "/grid"][()], grid)
            self.assertNear(found[name + "/receivers"][()], numpy.array(received[name]))
        self.assertEqual(found["l/cell"][499], 998)

    def test_kills(self):
        inputs = {"a": {"generate": "uniform", "shape": [2000, 300], "type": "f64"},
                  "v": {"generate": "ramp", "shape": [60], "type": "f64"}}
        cells = [[100 * i, 7 * i] for i in range(20)]
        self.check_survives_kills(inputs, stencil(
            "s", "star2d", grid="a", steps=60, boundary="periodic", snapshots=[20, 50],
            point_sources=[{"at": at, "values": "v"} for at in cells], receivers={"at": cells, "every": 2}),
            "grid", "receivers", "receiver_time", memory={"host": "3MiB"})


class WrongPoints(StencilTest):
    def refused(self, *says, operator="star2d", **settings):
        inputs = {"g": {"generate": "constant", "shape": [20, 30], "type": "f64", "value": 0},
                  "v": {"generate": "ramp", "shape": [10], "type": "f64"}}
        settings = {"steps": 10, **({"grid": "g"} if operator == "star2d" else {}), **settings}
        ended = self.terrace("check", self.write_job(inputs, [stencil("s", operator, **settings)]), expect=WRONG)
        self.assertRegex(ended.stderr, r"job.yaml:\d+:\d+: ")
        self.assertSays(ended, *says)

    def source(self, **keys):
        return [{"at": [5, 5], "values": "v", **keys}]

    def test_are_errors_with_their_place(self):
        self.refused("'v' has 10 values, and there are 11 steps", steps=11, point_sources=self.source())
        self.refused("a source has index 20 along axis 0, and the grid 20 x 30 there cells 0 to 19",
                     point_sources=self.source(at=[20, 5]))
        self.refused("a source has 1 index, and the grid 2 dimensions", point_sources=self.source(at=[5]))
        self.refused("within 1 cell of a `fixed` face", point_sources=self.source(at=[0, 5]))
        self.refused("there is no field 'w' here: the only one is grid", point_sources=self.source(field="w"))
        self.refused("'g' is 20 x 30: one dimension, a value a step", point_sources=self.source(values="g"))
        self.refused("receiver 1 has index 30 along axis 1", receivers={"at": [[1, 1], [1, 30]]})
        self.refused("receiver 0 has 3 indices", receivers={"at": [[1, 1, 1]]})
        self.refused("there are no receivers", receivers={"at": []})
        self.refused("there is no field 'vw' here", receivers={"at": [[1, 1]], "field": "vw"})
        self.refused("`spacing` has 1 number, and the grid 2 dimensions", spacing=[1])
        self.refused("a distance between cells is positive", spacing=[1, 0])
        self.refused("say which `field` is meant: ex, ey, hz", operator="fdtd2d", drive="v",
                     fields={"ex": "g", "ey": "g", "hz": "g"}, receivers={"at": [[1, 1]]})

    def test_schedules_of_tiles_take_no_points(self):
        self.refused("`overlapped` computes grids without point sources and receivers", schedule="overlapped",
                     receivers={"at": [[1, 1]]})


if __name__ == "__main__":
    main()
