"""Stages whose blocks are dealt to several devices, simulated ones: what one device or the CPU gives, to the bit."""
import json
import os
import re
import unittest.mock

from on_simulated_gpu import OnSimulatedGpu, OnSlowDevices, device_counts, dp_table, on, product_of_triangles, recursive
from terrace_runs import FAILED, main, numpy, random_letters


class Tables(OnSimulatedGpu):
    """Tables of tiles, of which memory holds some."""

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(5)
        weights = numpy.where(draw.random((150, 150)) < 0.03, draw.integers(0, 30, (150, 150)), -1)
        edges = draw.random((600, 600)) < 1.2 / 600
        for name, values in (("m", weights), ("e", edges.astype(numpy.uint8)), ("t", product_of_triangles(190, 18)),
                             ("d", draw.integers(1, 30, 110)), ("left", draw.integers(0, 9, (140, 90)).astype("i2")),
                             ("right", draw.integers(0, 9, (90, 75)).astype("i2"))):
            self.inputs[name] = {"npy": self.write(name + ".npy", values)}
        self.inputs["s"] = random_letters(120, 4)

    def check_dealt(self, devices, stage, budget, host):
        """All devices compute."""
        with on(devices):
            self.check_same([stage], (budget,), host=host)
        used = self.open(f"{self.jobs}-{budget}.h5")["profile/blocks/device"][()]
        self.assertEqual(set(used), set(range(devices)))

    def test_distances(self):
        for kind in ("f32", "i16"):
            stage = recursive(kind, "floyd_warshall", matrix="m", no_edge=-1, type=kind)
            for devices in device_counts(2, 3, 5):
                with self.subTest(kind, devices=devices):
                    self.check_dealt(devices, stage, 80 << 10, 60 << 10)

    def test_paths(self):
        stage = recursive("paths", "floyd_warshall", matrix="m", no_edge=-1, paths=True)
        self.check_dealt(3, stage, 300 << 10, 150 << 10)

    def test_closures(self):
        stage = recursive("packed", "transitive_closure", matrix="e", packed=True)
        for devices in device_counts(2, 5):
            self.check_dealt(devices, stage, 80 << 10, 60 << 10)

    def test_products_by_rows_and_by_columns(self):
        draw = numpy.random.default_rng(6)
        self.inputs["wide"] = {"npy": self.write("wide.npy", draw.integers(0, 9, (75, 190)).astype("i2"))}
        for semiring, left, right in (("plus_times", "left", "right"), ("min_plus", "right", "wide")):
            stage = recursive("product", "semiring_product", left=left, right=right, semiring=semiring)
            for devices in device_counts(2, 5):
                with self.subTest(semiring, devices=devices):
                    self.check_dealt(devices, stage, 80 << 10, 60 << 10)

    def test_counts(self):
        draw = numpy.random.default_rng(7)
        self.inputs["bits"] = {"npy": self.write("bits.npy", (draw.random((390, 390)) < 0.5).astype("u1"))}
        stage = recursive("count", "semiring_product", left="bits", right="bits", semiring="count")
        for devices in (1, 2, 3):
            self.check_dealt(devices, stage, 300 << 10, 120 << 10)

    def test_intervals(self):
        for stage, devices, budget in (
                (recursive("chain", "matrix_chain", dimensions="d", keep="table", splits=True), 3, 80 << 10),
                (recursive("fold", "nussinov", sequence="s", keep="table", splits=True), 2, 150 << 10)):
            self.check_dealt(devices, stage, budget, 100 << 10)

    def test_eliminations(self):
        for kind, devices, budget in (("f32", 2, 80 << 10), ("f64", 5, 150 << 10)):
            stage = recursive(kind, "gaussian_elimination", matrix="t", type=kind)
            self.check_dealt(devices, stage, budget, 100 << 10)

    def test_a_run_that_is_killed_goes_on_with_another_number_of_devices(self):
        stage = recursive("r", "floyd_warshall", matrix="m", no_edge=-1, paths=True, type="i32")
        self.check_survives_kills(self.used([stage]), stage, "distance", "next", backend="cuda",
                                  memory={"host": 150 << 10, "device": 300 << 10},
                                  environments=[{"TERRACE_SIMULATED_DEVICES": str(devices)}
                                                for devices in device_counts(3, 1, 5, 2)])

    def test_a_plan_says_how_many_devices_compute(self):
        stages = [recursive("r", "floyd_warshall", matrix="m", no_edge=-1)]
        job = self.write_job(self.used(stages), stages, backend="cuda")
        with on(3):
            self.assertIn("devices       1 of 3: 1 row of tiles", self.terrace("plan", job).stdout)
            said = self.terrace("plan", job, "--set", f"memory.device={150 << 10}").stdout
            in_json = json.loads(self.terrace("plan", job, "--json").stdout)
        self.assertRegex(said, r"devices       3 of 3: \d+ rows of tiles")
        self.assertEqual((in_json["devices"], in_json["stages"][0]["devices"]), (3, 1))


class LongPairs(OnSlowDevices):
    """Tables of two sequences or series, in strips that are dealt in turn."""

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(8)
        self.inputs.update({"low": random_letters(1100, 11), "wide": random_letters(12000, 12),
                            "high": random_letters(5000, 13), "short": random_letters(4000, 14),
                            "p": {"npy": self.write("p.npy", draw.normal(size=1100).astype("f4"))},
                            "q": {"npy": self.write("q.npy", draw.normal(size=6000).astype("f4"))}})

    def pair(self, problem, rows="low", columns="wide", **settings):
        return {"name": "s", "wavefront": {"problem": problem, "rows": rows, "columns": columns, **settings}}

    affine = {"match": 2, "mismatch": -1, "gap_open": 3, "gap_extend": 1}

    def test_scores(self):
        for problem, settings in (("smith_waterman", self.affine), ("lcs", {"schedule": "registers"}),
                                  ("needleman_wunsch", {"match": 2, "mismatch": -1, "gap": 1})):
            for devices in device_counts(2, 3, 5):
                with self.subTest(problem, devices=devices):
                    self.check_dealt(devices, self.pair(problem, **settings))

    def test_high_tables(self):
        for problem, settings in (("smith_waterman", self.affine), ("edit_distance", {"schedule": "registers"})):
            with self.subTest(problem):
                self.check_dealt(2, self.pair(problem, "high", "short", **settings))

    def test_kept_tables(self):
        for problem, settings in (("smith_waterman", self.affine), ("lcs", {})):
            for devices, memory in ((2, {}), (3, {"host": 40 << 20}), (5, {})):
                with self.subTest(problem, devices=devices):
                    self.check_dealt(devices, self.pair(problem, keep="table", **settings), **memory)
        self.check_dealt(2, self.pair("dtw", "p", "q", cost="absolute", keep="table"))

    def test_series(self):
        self.check_dealt(3, self.pair("dtw", "p", "q", cost="absolute"))
        result = f"{self.jobs}-{64 << 20}.h5"
        self.assertRegex(self.terrace("show", result).stdout,
                         r"device 1 +\d+ blocks?, computing .*, .* to device 2, .* from device 0\n")
        self.terrace("report", result, "-o", "report.html")
        page = (self.folder / "report.html").read_text()
        self.assertIn("Devices of stages that several computed", page)
        copies = self.open(result)["profile/copies"]
        ways = set(zip(copies["from"][()][copies["movement"].asstr()[()] == "peer"],
                       copies["device"][()][copies["movement"].asstr()[()] == "peer"]))
        self.assertTrue({(0, 1), (1, 2)} <= ways, ways)

    def test_alignments(self):
        self.inputs["widest"] = random_letters(70000, 15)
        stage = self.pair("needleman_wunsch", columns="widest", match=2, mismatch=-1, gap=1, keep="alignment")
        self.check_dealt(2, stage)

    def test_a_plan_says_why_one_device_computes(self):
        for settings, said in (({"keep": "borders", "every": 256}, "1 of 3: what is kept waits for the disk"),
                               ({"keep": "table"}, r"[23] of 3: \d+ strips of columns"),
                               ({}, r"[23] of 3: \d+ strips of columns")):
            self.assertRegex(self.plan_on(3, self.pair("smith_waterman", **self.affine, **settings)), said)
        # A device that computes faster than a disk writes.
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_KILOHERTZ="1000000"):
            self.assertIn("1 of 3: what is kept waits for the disk",
                          self.plan_on(3, self.pair("smith_waterman", **self.affine, keep="table")))

    def test_a_run_that_is_killed_goes_on_with_another_number_of_devices(self):
        stage = self.pair("smith_waterman", "high", "short", **self.affine)
        self.check_survives_kills_on(device_counts(2, 1, 3, 2), stage, "score", "end")
        self.check_survives_kills_on(device_counts(2, 3, 5, 1), {**self.pair("lcs", keep="table"), "name": "t"},
                                     "table", "score")


class TablesOfManyDimensions(OnSlowDevices):
    """Tiles by levels, of which the tiles of one are shared."""

    lattice = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    bins = {"extents": [9, 7, 6, 8], "capacity": {"weights": [3, 4, 5, 7], "at_most": 13}}

    def test_values_choices_and_solutions(self):
        every = ["table", "choice", "solution"]
        cargo = {"extents": [40, 30, 20], "steps": [[4, 2, 3], [3, 5, 1], [6, 1, 2]], "cost": [11, 12, 14.5],
                 "combine": "max"}
        stages = [dp_table("bins", **self.bins, keep=every), dp_table("cargo", **cargo, keep=every),
                  dp_table("best", **cargo, fill="at_most", keep="solution"),
                  dp_table("ways", extents=[30, 25, 20], steps=self.lattice, combine="count", modulus=1000003),
                  dp_table("reached", extents=[40, 900], steps=[[3, 4], [5, 2], [7, 7]], combine="any", keep=every)]
        for stage in stages:
            for devices in device_counts(2, 3, 5):
                with self.subTest(stage["name"], devices=devices):
                    self.check_dealt(devices, stage)

    def test_tables_of_which_only_the_value_is_kept_in_little_memory(self):
        stage = dp_table("ways", extents=[40, 35, 50], steps=self.lattice, combine="count", modulus=1000003)
        for devices in device_counts(2, 3, 5):
            with self.subTest(devices=devices):
                self.check_dealt(devices, stage, 300 << 10, host=150 << 10)

    def test_tables_that_take_one_step_after_another(self):
        change = {"combine": "count", "order": "unordered"}
        for stage in (dp_table("change", extents=[50000], steps=[[value] for value in (1, 7, 60, 900, 30000)],
                               modulus=255, keep="table", **change),
                      dp_table("pairs", extents=[30, 25, 20], steps=self.lattice, **change)):
            for devices in device_counts(2, 3, 5):
                with self.subTest(stage["name"], devices=devices):
                    self.check_dealt(devices, stage)

    def test_a_count_that_leaves_its_type_is_the_first(self):
        stage = dp_table("ways", extents=[60, 60, 9], steps=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], combine="count")
        job = self.write_job({}, [stage], backend="cuda")
        said = []
        for devices in (1, 3):
            with on(devices):
                said.append(self.terrace("run", job, "--fresh", expect=FAILED).stderr)
        cells = [re.search(r"in cell ([^,]*),", text)[1] for text in said]
        self.assertEqual(cells[0], cells[1])

    def test_a_plan_says_how_many_devices_make_the_tiles(self):
        self.assertRegex(self.plan_on(3, dp_table("bins", **self.bins)), r"[23] of 3: \d+ tiles in \d+ levels")
        self.assertIn("1 of 3: a schedule that a paper describes",
                      self.plan_on(3, dp_table("bins", **self.bins, schedule="partitioned")))
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_KILOHERTZ="1000000"):
            self.assertIn("1 of 3: a level of so small a table", self.plan_on(3, dp_table("bins", **self.bins)))

    def test_a_run_that_is_killed_goes_on_with_another_number_of_devices(self):
        for name, stage in (("bins", {**self.bins, "keep": ["table", "solution"]}),
                            ("change", {"extents": [60000], "steps": [[1], [7], [60], [900]], "combine": "count",
                                        "order": "unordered", "modulus": 255, "keep": "table"})):
            datasets = stage["keep"] if name == "bins" else ["table"]
            self.check_survives_kills_on(device_counts(2, 1, 3, 5), dp_table(name, **stage), *datasets)


if __name__ == "__main__":
    main()
