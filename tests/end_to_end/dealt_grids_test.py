"""Grids, nests and graphs that are dealt to several devices, simulated ones: what the CPU gives, to the bit."""
import os
import unittest.mock

from kernel_graph_test import HARRIS, graph
from on_simulated_gpu import OnSlowDevices, device_counts
from terrace_runs import main, numpy, random_letters


class InPlaceSweeps(OnSlowDevices):
    """Slabs in parts of neighbours, over which passes go one behind another."""

    # One multiprocessor, so that a few bands of rows give a device work.
    environment = {**OnSlowDevices.environment, "TERRACE_SIMULATED_PROCESSORS": "1"}

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(9)
        for name, shape in (("grid", (2200, 40)), ("narrow", (1300, 30))):
            self.inputs[name] = {"npy": self.write(name + ".npy", draw.normal(size=shape).astype("f4"))}

    def sweeps(self, problem="sor", grid="grid", sweeps=40, **settings):
        if problem == "sor":
            settings = {"omega": 1.5, **settings}
        return {"name": "s", "wavefront": {"problem": problem, "grid": grid, "sweeps": sweeps, **settings}}

    def test_grids(self):
        for problem, settings in (("sor", {}), ("seidel", {"type": "f64"})):
            for devices in device_counts(2, 3, 5):
                with self.subTest(problem, devices=devices):
                    self.check_dealt(devices, self.sweeps(problem, **settings))

    def test_grids_of_nests(self):
        nest = {"name": "s", "nest": {
            "inputs": {"g": "grid"}, "loops": {"t": 40, "i": [1, "size(g, 0) - 1"], "j": [1, "size(g, 1) - 1"]},
            "arrays": {"A": {"from": "grid"}}, "cells": ["A[i][j] = 0.3*A[i-1][j+1] + 0.4*A[i][j] + 0.2*A[i+1][j]"]}}
        for devices in device_counts(2, 3):
            with self.subTest(devices=devices):
                self.check_dealt(devices, nest)
        self.assertRegex(self.plan_on(3, nest), r"[23] of 3: [23] parts of slabs")

    def test_grids_in_little_memory(self):
        for devices in device_counts(2, 3):
            with self.subTest(devices=devices):
                self.check_dealt(devices, self.sweeps(sweeps=30), 400 << 10, host=150 << 10)

    def test_a_plan_says_how_many_devices_sweep(self):
        self.assertRegex(self.plan_on(3, self.sweeps()), r"[23] of 3: [23] parts of slabs")
        self.assertIn("1 of 3: so few sweeps are over", self.plan_on(3, self.sweeps(sweeps=1)))

    def test_a_run_that_is_killed_goes_on_with_another_number_of_devices(self):
        self.check_survives_kills_on(device_counts(3, 2, 5, 1), self.sweeps(sweeps=100), "grid")


class Nests(OnSlowDevices):
    """Blocks of iterations by levels, of which the blocks of one are shared."""

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(10)
        self.inputs.update({"a": random_letters(300, 21), "b": random_letters(400, 22),
                            "g": {"npy": self.write("g.npy", draw.random((120, 140)).astype("f4"))}})

    edits = {"name": "s", "nest": {
        "inputs": {"a": "a", "b": "b"}, "loops": {"i": "size(a)", "j": "size(b)"},
        "arrays": {"D": {"type": "i32", "outside": "i + j + 2", "keep": ["last", "table", "corner"], "best": "max"}},
        "cells": ["D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)"]}}
    in_place = {"name": "s", "nest": {
        "inputs": {"g": "g"}, "loops": {"t": 7, "i": [1, "size(g, 0) - 1"], "j": [1, "size(g, 1) - 1"]},
        "arrays": {"A": {"from": "g"}}, "schedule": "hyperplanes",
        "cells": ["A[i][j] = 0.2*A[i][j] + 0.2*A[i][j+1] + 0.2*A[i+1][j] + 0.2*A[i-1][j] + 0.2*A[i][j-1]"]}}

    def test_tables_and_sweeps_in_place(self):
        bands = {"name": "s", "nest": {**self.edits["nest"], "arrays": {
            "D": {"type": "i32", "outside": "i + j + 2", "keep": ["last", "corner"]}}}}
        for name, stage in (("edits", self.edits), ("bands", bands), ("in place", self.in_place)):
            for devices in device_counts(2, 3, 5):
                with self.subTest(name, devices=devices):
                    self.check_dealt(devices, stage)

    def test_a_plan_says_how_many_devices_make_the_blocks(self):
        self.assertRegex(self.plan_on(3, self.edits), r"[23] of 3: \d+ blocks in \d+ levels")
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_KILOHERTZ="1000000"):
            self.assertIn("1 of 3: a block of so small a nest", self.plan_on(3, self.edits))

    def test_a_run_that_is_killed_goes_on_with_another_number_of_devices(self):
        self.check_survives_kills_on(device_counts(2, 3, 5, 1), self.edits, "D", "D_last", "D_corner")


class KernelGraphs(OnSlowDevices):
    """Slabs of rows in parts of neighbours."""

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(12)
        self.inputs["image"] = {"npy": self.write("image.npy", draw.random((301, 170)).astype("f4"))}

    edges = {**HARRIS, "small": {"pyramid_down": "response"}, "tiny": {"downscale": "small", "type": "u8"}}
    edges_kept = ["response", "small", "tiny", "gx"]
    # The first part finds a number and counts, slab after slab; the second one takes the number, and is shared.
    found = {"top": {"reduce": "image", "with": "maximum"}, "bins": {"histogram": "image", "range": [0, 1]},
             "bright": {"threshold": "image", "below": {"of": "top", "times": 0.5}},
             "gx": {"sobel": "bright", "axis": "x"}, "gy": {"sobel": "bright", "axis": "y"},
             **{name: node for name, node in HARRIS.items() if name not in ("gx", "gy")}}
    found_kept = ["response", "bright", "top", "bins"]

    def test_graphs(self):
        for name, nodes, kept, settings in (("edges", self.edges, self.edges_kept, {"boundary": "periodic"}),
                                            ("found", self.found, self.found_kept, {})):
            for devices in device_counts(2, 3, 5):
                for budget in (64 << 20, 2 << 20):
                    with self.subTest(name, devices=devices, budget=budget):
                        self.check_dealt(devices, graph("s", nodes, kept, **settings), budget)

    def test_a_plan_says_how_many_devices_make_the_slabs(self):
        stage = graph("s", self.edges, self.edges_kept)
        self.assertRegex(self.plan_on(3, stage), r"3 of 3: \d+ slabs of rows")
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_KILOHERTZ="1000000"):
            self.assertIn("1 of 3: slabs of so small a graph", self.plan_on(3, stage))

    def test_a_run_that_is_killed_goes_on_with_another_number_of_devices(self):
        self.check_survives_kills_on(device_counts(2, 3, 5, 1), graph("s", self.found, self.found_kept),
                                     *self.found_kept)


if __name__ == "__main__":
    main()
