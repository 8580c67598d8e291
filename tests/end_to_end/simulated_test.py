"""Whole jobs on a simulated GPU: what they give is what the CPU gives, at every budget and under every schedule."""
import json
import os
import re
import signal
import struct
import subprocess
import time
import unittest
import unittest.mock

import terrace_runs
from on_simulated_gpu import OnSimulatedGpu, dp_table, product_of_triangles, recursive, stencil, values
from terrace_runs import FAILED, STOPPED, WRONG, affine, main, mutated, numpy, random_letters, random_text, wavefront


class Jobs(OnSimulatedGpu):
    def test_alignments_of_letters_are_the_same(self):
        stages = [affine("affine", "a", "b"), affine("table", "a", "b", keep="table"),
                  wavefront("linear", "smith_waterman", rows="a", columns="b", match=2, mismatch=-1, gap=1),
                  wavefront("whole", "needleman_wunsch", rows="a", columns="b", match=1, mismatch=-1, gap_open=2,
                            gap_extend=1, free_ends="columns"),
                  wavefront("edit", "edit_distance", rows="a", columns="b"),
                  wavefront("common", "lcs", rows="a", columns="b", keep="table")]
        self.check_same(stages, (8 << 20, 1 << 20))

    def test_paths_are_the_same(self):
        pair = {"rows": "a", "columns": "b", "keep": "alignment"}
        letters = random_text(600, 7)
        self.inputs.update(c=self.fasta("c", letters), d=self.fasta("d", mutated(letters, 8, longest=9)))
        stages = [affine("affine", "a", "b", keep="alignment"), affine("like", "c", "d", keep="alignment"),
                  wavefront("linear", "smith_waterman", match=2, mismatch=-1, gap=1, **pair),
                  wavefront("whole", "needleman_wunsch", match=1, mismatch=-1, gap_open=2, gap_extend=1,
                            free_ends="columns", **pair),
                  wavefront("edit", "edit_distance", **pair), wavefront("common", "lcs", **pair),
                  wavefront("warping", "dtw", rows="x", columns="y", keep="alignment"),
                  wavefront("near", "dtw", rows="x", columns="y", cost="squared", steps="symmetric2", window=60,
                            keep="alignment"),
                  wavefront("found", "dtw", rows="x", columns="y", free_ends="columns", keep="alignment"),
                  wavefront("weighted", "dtw", rows="y", columns="x", cost="squared", steps="symmetric2",
                            free_ends="columns", keep="alignment")]
        self.check_same(stages, (8 << 20, 1 << 20, 256 << 10))

    def test_paths_of_no_letters_are_the_same(self):
        self.inputs["n"] = self.fasta("n", "")
        stages = [wavefront(f"edit{turn}", "edit_distance", rows=rows, columns=columns, keep="alignment")
                  for turn, (rows, columns) in enumerate((("n", "a"), ("a", "n"), ("n", "n")))]
        self.check_same(stages, (1 << 20,))

    def test_paths_through_blocks_of_several_rows_of_cells_are_the_same(self):
        letters = random_text(5000, 5)
        self.inputs.update(long=self.fasta("long", letters), short=self.fasta("short", mutated(letters[2000:3100], 6)))
        stages = [affine("tall", "long", "short", keep="alignment"),
                  wavefront("flat", "edit_distance", rows="short", columns="long", keep="alignment")]
        self.check_same(stages, (400 << 10, 1 << 20))

    def test_paths_between_lines_in_differences_are_the_same(self):
        letters = random_text(2600, 8)
        self.inputs.update(c=self.fasta("c", letters), d=self.fasta("d", mutated(letters, 9, longest=40)))
        stages = [wavefront("edit", "edit_distance", rows="c", columns="d", keep="alignment"),
                  wavefront("common", "lcs", rows="d", columns="c", keep="alignment")]
        self.check_same(stages, (16 << 20, 2 << 20, 300 << 10))

    def test_kept_rows_and_columns_are_the_same(self):
        for every in (1, 7, 32, 100, 1000):
            stages = [affine("affine", "a", "b", keep="borders", every=every),
                      wavefront("whole", "needleman_wunsch", rows="a", columns="b", match=1.5, mismatch=-1, gap=2,
                                type="f64", keep="borders", every=every),
                      wavefront("common", "lcs", rows="a", columns="b", keep="borders", every=every),
                      wavefront("near", "dtw", rows="x", columns="y", cost="squared", window=60, keep="borders",
                                every=every),
                      wavefront("found", "dtw", rows="x", columns="y", free_ends="columns", keep="borders",
                                every=every)]
            with self.subTest(every=every):
                self.check_same(stages, (8 << 20, 1 << 20))

    def test_what_only_the_cpu_computes_is_computed_there_if_the_job_leaves_the_choice(self):
        lines = wavefront("lines", "needleman_wunsch", rows="a", columns="b", match=1.5, mismatch=-1, gap=2, type="f64",
                          keep="borders", every=50, schedule="square_barrier")
        stages = [lines, wavefront("common", "lcs", rows="a", columns="b", keep="table")]
        job = self.write_job(self.used(stages), stages)
        refused = self.terrace("run", job, "--backend", "cuda", expect=WRONG)
        self.assertIn("job.yaml:", refused.stderr)
        self.assertIn("borders are kept by cells in registers", refused.stderr)
        planned = json.loads(self.terrace("plan", job, "--json").stdout)
        self.assertEqual([stage["backend"] for stage in planned["stages"]], ["cpu", "cuda"])
        ended = self.terrace("run", job, "--log", "log")
        for said in (ended.stderr, (self.folder / "log").read_text()):
            self.assertIn("stage 'lines' is computed on the CPU: ", said)
            self.assertNotIn("stage 'common' is computed on the CPU", said)
        result = self.open()
        self.assertEqual(result["profile/stages/backend"].asstr()[()].tolist(), ["cpu", "cuda"])
        devices = result["profile/devices/name"].asstr()[()].tolist()
        self.assertEqual(["simulated GPU" in name for name in devices], [True, False])
        stage_of, device_of = (result["profile/blocks"][name][()] for name in ("stage", "device"))
        self.assertEqual(set(zip(stage_of, device_of)), {(0, 1), (1, 0)})
        expected = self.run_job(self.used(stages), stages, "--backend", "cpu", output="cpu.h5")
        for name in ("lines/border_rows", "common/table"):
            numpy.testing.assert_array_equal(result[name][()], expected[name][()])
        for command in ("show", "report", "trace", "verify"):
            self.terrace(command, "result.h5", *(("-o", command) if command in ("report", "trace") else ()))

    def test_levels_of_tables_are_computed_on_the_cpu(self):
        cells = dp_table("cells", extents=[30, 40], steps=[[1, 0], [0, 1], [2, 3]], schedule="levels")
        job = self.write_job({}, [cells])
        for command in ("check", "plan", "run"):
            refused = self.terrace(command, job, "--backend", "cuda", expect=WRONG)
            self.assertIn("job.yaml:", refused.stderr)
            self.assertIn("`schedule: levels` is computed on the CPU only", refused.stderr)
        self.assertIn("stage 'cells' is computed on the CPU: ", self.terrace("run", job).stderr)
        result = self.open()
        self.assertEqual(result["profile/stages/backend"].asstr()[()].tolist(), ["cpu"])
        self.assertEqual(result["profile/stages/method"].asstr()[()].tolist(), ["levels"])

    def test_searches_of_graphs_are_made_on_the_cpu(self):
        lines = "".join(f"{node} {(node * 7 + 3) % 60} {node % 5}\n{node} {(node * 3 + 1) % 60} 2\n" for node in range(60))
        graph = {"r": {"graph": self.write("r.txt", lines), "header": False}}
        paths = {"matrix": "r", "paths": True}
        stages = [recursive("searched", "floyd_warshall", schedule="searches", **paths),
                  recursive("updated", "floyd_warshall", schedule="two_way", **paths),
                  recursive("some", "floyd_warshall", sources=[5, 7], **paths),
                  recursive("reduced", "floyd_warshall", matrix="r", keep="reductions")]
        for stage, key in ((stages[0], "`schedule: searches` is computed on the CPU only"),
                           (stages[2], "distances from some nodes are searched on the CPU only"),
                           (stages[3], "rows that are not kept are searched on the CPU only")):
            job = self.write_job(graph, [stage])
            self.assertSays(self.terrace("plan", job, "--backend", "cuda", expect=WRONG), "job.yaml:", key)
        job = self.write_job(graph, stages)
        self.assertIn("method        nearest, on the CPU", self.terrace("plan", job).stdout)
        self.assertIn("stage 'searched' is computed on the CPU: ", self.terrace("run", job).stderr)
        result = self.open()
        self.assertEqual(result["profile/stages/backend"].asstr()[()].tolist(), ["cpu", "cuda", "cpu", "cpu"])
        for name in ("distance", "next"):
            numpy.testing.assert_array_equal(result[f"searched/{name}"][()], result[f"updated/{name}"][()])
        numpy.testing.assert_array_equal(result["some/distance"][()], result["updated/distance"][()][[5, 7]])

    def test_a_stage_on_the_cpu_is_taken_over_and_gone_on_with(self):
        lines = wavefront("lines", "needleman_wunsch", rows="a", columns="b", match=1.5, mismatch=-1, gap=2, type="f64",
                          keep="borders", every=50, schedule="square_barrier")
        first = [lines, wavefront("common", "lcs", rows="a", columns="b")]
        self.terrace("run", self.write_job(self.used(first), first))
        second = [lines, wavefront("common", "lcs", rows="b", columns="a")]
        again = self.terrace("run", self.write_job(self.used(second), second), "--fresh=changed")
        self.assertIn("'lines' is taken over", again.stderr)
        alone = self.write_job(self.used([lines]), [lines], output="alone.h5")
        self.terrace("run", alone, "--backend", "cpu")  # the devices of that run differ, and the back end of the stage not
        both = self.write_job(self.used(second), second, output="alone.h5")
        self.assertIn("'lines' is taken over", self.terrace("run", both, "--fresh=changed").stderr)

    def test_a_stopped_run_goes_on_with_the_stage_on_the_cpu(self):
        self.inputs.update(c=random_letters(60_000, 11), d=random_letters(60_000, 12))
        stages = [wavefront("common", "lcs", rows="a", columns="b"),
                  wavefront("lines", "needleman_wunsch", rows="c", columns="d", match=1.5, mismatch=-1, gap=2, type="f64",
                            keep="borders", every=5000, schedule="square_barrier")]
        job = self.write_job(self.used(stages), stages)
        run = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        noted = self.folder / "result.h5.run" / "progress"
        while run.poll() is None and not (noted.exists() and struct.unpack("q", noted.read_bytes()[:8]) == (1,)):
            time.sleep(0.001)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), STOPPED)
        self.assertIn("going on with", self.terrace("run", job).stderr)
        result = self.open()
        self.assertEqual(result["profile/stages/backend"].asstr()[()].tolist(), ["cuda", "cpu"])
        expected = self.run_job(self.used(stages), stages, "--backend", "cpu", output="cpu.h5")
        numpy.testing.assert_array_equal(result["lines/border_rows"][()], expected["lines/border_rows"][()])

    def test_warping_is_the_same(self):
        stages = [wavefront("absolute", "dtw", rows="x", columns="y", cost="absolute", keep="table"),
                  wavefront("squared", "dtw", rows="x", columns="y", cost="squared", steps="symmetric2", window=60)]
        self.check_same(stages, (8 << 20, 1 << 20))

    def test_sums_and_counts_are_the_same(self):
        stages = [wavefront("sums", "summed_area", grid="g"), wavefront("wide", "summed_area", grid="g", type="i64"),
                  wavefront("real", "summed_area", grid="f"),
                  wavefront("narrow", "summed_area", grid="f", type="input"),
                  wavefront("counts", "integral_histogram", grid="g", bins=3, range=[0, 256])]
        self.check_same(stages, (8 << 20, 1 << 20))

    def test_sweeps_in_place_are_the_same_to_the_bit(self):
        stages = [wavefront("sor", "sor", grid="f", sweeps=20, omega=0.8),
                  wavefront("seidel", "seidel", grid="f", sweeps=9)]
        self.check_same(stages, (8 << 20, 1 << 20))

    def test_distances_are_the_same_in_every_type(self):
        draw = numpy.random.default_rng(5)
        weights = numpy.where(draw.random((150, 150)) < 0.03, draw.integers(0, 30, (150, 150)), -1)
        self.inputs["m"] = {"npy": self.write("m.npy", weights)}
        stages = [recursive(kind, "floyd_warshall", matrix="m", no_edge=-1, type=kind)
                  for kind in ("f32", "f64", "i16", "i32", "i64")]
        self.check_same(stages, (8 << 20,))
        self.check_same(stages[1:3], (300 << 10,), host=150 << 10)  # ten tiles of the table's on the device, or fewer

    def test_distances_over_negative_edges_are_the_same_under_every_schedule(self):
        draw = numpy.random.default_rng(6)
        height = draw.integers(0, 20, 140)
        weights = draw.integers(0, 30, (140, 140)) + height - height[:, None]
        self.inputs["m"] = {"npy": self.write("m.npy", weights.astype(numpy.int32))}
        for schedule in ("two_way", "r_way", "plain"):
            self.check_same([recursive("paths", "floyd_warshall", matrix="m", schedule=schedule)], (300 << 10,))

    def test_paths_between_nodes_are_the_same_in_every_type(self):
        draw = numpy.random.default_rng(15)
        weights = numpy.where(draw.random((150, 150)) < 0.03, draw.integers(0, 3, (150, 150)), -1)
        self.inputs["m"] = {"npy": self.write("m.npy", weights)}
        stages = [recursive(kind, "floyd_warshall", matrix="m", no_edge=-1, type=kind, paths=True)
                  for kind in ("f32", "f64", "i16", "i32", "i64")]
        self.check_same(stages, (8 << 20,))
        self.check_same(stages[2:4], (600 << 10,), host=300 << 10)

    def test_totals_of_distances_are_the_same_in_every_type(self):
        draw = numpy.random.default_rng(17)
        weights = numpy.where(draw.random((300, 300)) < 0.4, draw.integers(-9, 3000, (300, 300)), -10)
        stages = []
        for kind in ("float32", "float64", "int16", "int32", "int64"):
            self.inputs[kind] = {"npy": self.write(kind + ".npy", weights.astype(kind))}
            stages.append({"name": kind + "s", "query": {"matrix": kind, "no_edge": -10,
                                                         "reduce": ["eccentricity", "diameter", "sum", "minimum"]}})
        self.check_same(stages, (8 << 20, 32 << 10))
        for stage in stages:
            stage["query"].update(reduce=["histogram", "count"], range=[-5, 2000])
        for bins in (9, 3000):  # counted in shared and in global memory
            for stage in stages:
                stage["query"]["bins"] = bins
            self.check_same(stages, (8 << 20, 100 << 10))

    def test_answers_about_a_stage_before_are_the_same(self):
        draw = numpy.random.default_rng(20)
        weights = numpy.where(draw.random((130, 130)) < 0.03, draw.integers(0, 9, (130, 130)), -1)
        self.inputs["m"] = {"npy": self.write("m.npy", weights.astype(numpy.int32))}
        self.inputs["p"] = {"npy": self.write("p.npy", draw.integers(0, 130, (60, 2)))}
        stages = [recursive("r", "floyd_warshall", matrix="m", no_edge=-1, paths=True),
                  {"name": "q", "query": {"matrix": "r/distance", "next": "r/next", "pairs": "p",
                                          "reduce": ["eccentricity", "sum"]}}]
        self.check_same(stages, (8 << 20, 600 << 10))

    def test_transitive_closures_are_the_same(self):
        edges = numpy.random.default_rng(16).random((400, 400)) < 1.2 / 400
        self.inputs["m"] = {"npy": self.write("m.npy", edges.astype(numpy.uint8))}
        stages = [recursive("cells", "transitive_closure", matrix="m"),
                  recursive("packed", "transitive_closure", matrix="m", packed=True)]
        self.check_same(stages, (8 << 20, 100 << 10))

    def test_counts_are_the_same(self):
        draw = numpy.random.default_rng(22)
        for name, shape in (("left", (330, 210)), ("right", (210, 275))):
            self.inputs[name] = {"npy": self.write(name + ".npy", (draw.random(shape) < 0.5).astype(numpy.uint8))}
        self.inputs["added"] = {"npy": self.write("added.npy", draw.integers(-99, 99, (330, 275)))}
        stages = [recursive("count", "semiring_product", left="left", right="right", semiring="count"),
                  recursive("more", "semiring_product", left="left", right="right", accumulate="added", semiring="count")]
        self.check_same(stages, (8 << 20,))
        self.check_same(stages, (400 << 10,), host=200 << 10)
        self.assertGreater(self.open(f"{self.jobs}-{400 << 10}.h5")["profile/stages/blocks"][0], 4)
        self.check_survives_kills(self.used(stages[1:]), stages[1], "product", backend="cuda",
                                  memory={"host": 200 << 10, "device": 400 << 10})

    def test_products_are_the_same_in_every_semiring(self):
        draw = numpy.random.default_rng(7)
        for name, shape in (("left", (140, 90)), ("right", (90, 75)), ("added", (140, 75))):
            self.inputs[name] = {"npy": self.write(name + ".npy", draw.integers(0, 9, shape).astype(numpy.int16))}
        stages = []
        for semiring in ("plus_times", "min_plus", "max_plus", "max_min", "or_and", "max_times"):
            for kind in ({"or_and": ("input",), "max_times": ("f32", "f64")}.get(semiring, ("i16", "i64", "f32"))):
                stages.append(recursive(f"{semiring}-{kind}", "semiring_product", left="left", right="right",
                                        accumulate="added", semiring=semiring, type=kind))
        self.check_same(stages, (8 << 20,))
        self.check_same(stages[::4], (200 << 10,), host=150 << 10)

    def test_values_of_intervals_are_the_same(self):
        draw = numpy.random.default_rng(8)
        self.inputs["d"] = {"npy": self.write("d.npy", draw.integers(1, 30, 110))}
        self.inputs["g"] = {"npy": self.write("g.npy", draw.integers(1, 30, 111))}
        self.inputs["s"] = random_letters(120, 4)
        stages = [recursive("chain-" + kind, "matrix_chain", dimensions="d", type=kind, keep="table", splits=True)
                  for kind in ("i32", "i64", "f64")]
        stages += [recursive("tree", "optimal_bst", keys="d", gaps="g"),
                   recursive("fold", "nussinov", sequence="s", keep="table", splits=True),
                   recursive("folded", "nussinov", sequence="s", type="i32")]
        self.check_same(stages, (8 << 20,))
        self.check_same([stages[0], *stages[3:5]], (200 << 10,), host=150 << 10)

    def test_eliminations_of_whole_numbers_are_the_same(self):
        self.inputs["m"] = {"npy": self.write("m.npy", product_of_triangles(190, 18))}
        stages = [recursive(kind, "gaussian_elimination", matrix="m", type=kind) for kind in ("f32", "f64")]
        self.check_same(stages, (8 << 20,))
        for schedule in ("two_way", "r_way"):
            stages = [recursive("lu", "gaussian_elimination", matrix="m", schedule=schedule)]
            self.check_same(stages, (450 << 10,), host=200 << 10)

    def test_a_pivot_of_no_use_is_an_error_there_too(self):
        matrix = numpy.eye(150)
        matrix[130, 130] = 0
        self.inputs["m"] = {"npy": self.write("m.npy", matrix)}
        stages = [recursive("lu", "gaussian_elimination", matrix="m")]
        job = self.write_job(self.used(stages), stages)
        for budget in (8 << 20, 450 << 10):
            ended = self.terrace("run", job, "--fresh", "--backend", "cuda", "--set", f"memory.device={budget}",
                                 expect=FAILED)
            self.assertIn("the pivot in row 130 of 'm'", ended.stderr)

    def test_updates_in_place_that_are_killed_go_on_to_the_same_bytes(self):
        draw = numpy.random.default_rng(21)
        weights = numpy.where(draw.random((110, 110)) < 0.06, draw.integers(0, 9, (110, 110)), -1)
        self.inputs["m"] = {"npy": self.write("m.npy", weights.astype(numpy.float32))}
        self.inputs["d"] = {"npy": self.write("d.npy", draw.integers(1, 30, 160))}
        # Tiles of 32 x 32 numbers, so few of them on the device and in host memory that they pass all levels often.
        paths = recursive("paths", "floyd_warshall", matrix="m", no_edge=-1, paths=True)
        chain = recursive("chain", "matrix_chain", dimensions="d", keep="table", splits=True)
        for stage, datasets, device, host in ((paths, ("distance", "next"), 200 << 10, 40 << 10),
                                              (chain, ("table", "split", "expression"), 60 << 10, 40 << 10)):
            self.check_survives_kills(self.used([stage]), stage, *datasets, backend="cuda",
                                      memory={"host": host, "device": device})

    def test_products_over_nothing_are_the_same(self):
        for name, shape in (("left", (5, 0)), ("right", (0, 7)), ("added", (5, 7))):
            self.inputs[name] = {"npy": self.write(name + ".npy", numpy.ones(shape, numpy.int32))}
        self.check_same([recursive("zero", "semiring_product", left="left", right="right"),
                         recursive("sum", "semiring_product", left="left", right="right", accumulate="added")], (1 << 20,))

    def test_a_negative_cycle_is_an_error_there_too(self):
        weights = numpy.full((100, 100), 50, numpy.int32)
        weights[3, 70], weights[70, 3] = -8, 2
        self.inputs["m"] = {"npy": self.write("m.npy", weights)}
        stages = [recursive("paths", "floyd_warshall", matrix="m")]
        job = self.write_job(self.used(stages), stages)
        ended = self.terrace("run", job, "--backend", "cuda", expect=FAILED)
        self.assertIn("a negative cycle through node 70", ended.stderr)

    def stencils(self):
        draw = numpy.random.default_rng(11)
        for name in ("u", "v", "k"):
            self.inputs[name] = {"npy": self.write(name + ".npy", draw.random((230, 60)).astype(numpy.float32))}
        self.inputs["s"] = {"npy": self.write("s.npy", draw.normal(size=(90, 9, 11)))}
        self.inputs["line"] = {"npy": self.write("line.npy", draw.normal(size=4000))}
        self.inputs["beat"] = {"npy": self.write("beat.npy", draw.normal(size=20))}
        return [stencil("star", "star2d", grid="u", steps=25, radius=2, boundary="periodic", snapshots=[4, 20],
                        until={"residual": 1e-12, "every": 10, "norm": "l2"}),
                stencil("heat", "heat2d", grid="u", steps=21, dt=0.1, diffusivity="k", source="v", boundary="edge"),
                stencil("fields", "fdtd2d", fields={"ex": "u", "ey": "v", "hz": "k"}, drive="beat", steps=20),
                stencil("cube", "box3d", grid="s", steps=9, boundary=["periodic", "reflect", {"value": 1}]),
                stencil("line", "star1d", grid="line", steps=30, radius=3)]

    def test_stencils_at_every_budget_and_on_several_devices(self):
        stages = self.stencils()
        for devices, budgets in (("1", (64 << 20, 110 << 10)), ("2", (160 << 10,)), ("3", (110 << 10,))):
            with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=devices):
                self.check_same(stages, budgets)

    def test_points_of_stencils_at_every_budget_and_on_several_devices(self):
        star, heat, fields, cube, line = self.stencils()
        self.inputs["rhythm"] = {"npy": self.write("rhythm.npy", numpy.random.default_rng(13).normal(size=(30,)))}
        draw = numpy.random.default_rng(14)

        def add(stage, shape, every, **field):
            low = 2 if stage["name"] == "star" else 3
            cells = [[int(draw.integers(low, extent - low)) for extent in shape] for _ in range(6)]
            stage["stencil"]["point_sources"] = [{"at": at, "values": "rhythm", **field} for at in cells[:4]]
            stage["stencil"]["receivers"] = {"at": cells[2:] + [[0] * len(shape)], "every": every, **field}

        add(star, (230, 60), 3)
        add(heat, (230, 60), 1)
        add(fields, (230, 60), 2, field="hz")
        add(cube, (90, 9, 11), 1)
        add(line, (4000,), 7)
        stages = [star, heat, fields, cube, line]
        for stage in stages:  # several steps at a time, in one slab and in the smallest ones
            job = self.write_job(self.used([stage]), [stage], memory={"device": "1KiB"})
            said = self.terrace("plan", job, "--backend", "cuda", expect=WRONG).stderr
            least = re.search(r"the least is ([0-9.]+) ?([A-Za-z]+)", said)
            self.check_same([stage], (64 << 20, "".join(least.groups())))
        for stage in stages:
            stage["stencil"]["schedule"] = "plain"
        for devices, budget in (("1", 200 << 10), ("2", 260 << 10), ("3", 200 << 10)):
            with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=devices):
                self.check_same(stages, (budget,))

    def test_stencils_whose_slabs_have_several_tiles(self):
        draw = numpy.random.default_rng(14)
        for name in ("tall", "power"):
            self.inputs[name] = {"npy": self.write(name + ".npy", draw.random((700, 70)).astype(numpy.float32))}
        stages = [stencil("sum", "star2d", grid="tall", steps=40, radius=2, boundary="periodic", snapshots=[9, 30],
                          until={"residual": 1e-12, "every": 10, "norm": "l2"}),
                  stencil("chip", "hotspot", grid="tall", power="power", steps=60)]
        for devices, budget in (("1", 220 << 10), ("2", 240 << 10)):
            with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=devices):
                job = self.write_job(self.used(stages), stages, memory={"host": 64 << 20, "device": budget})
                planned = json.loads(self.terrace("plan", job, "--backend", "cuda", "--json").stdout)["stages"]
                for stage in planned:
                    self.assertRegex(stage["block_shape"], r"in [23] tiles", stage["name"])
                self.check_same(stages, (budget,))

    def test_schedules_of_tiles_of_stencils(self):
        self.stencils()
        self.inputs["d"] = {"npy": self.write("d.npy", numpy.random.default_rng(12).normal(size=(120, 75)))}
        stages = [stencil("overlapped", "star2d", grid="u", steps=21, radius=2, schedule="overlapped",
                          snapshots=[5, 20], until={"residual": 1e-12, "every": 10, "norm": "l2"}),
                  stencil("skewed", "box2d", grid="u", steps=19, schedule="time_skewed"),
                  stencil("far", "offsets", grid="d", steps=9, offsets=[[2, -1], [0, 0], [-4, 5]], tile="64x32",
                          schedule="time_skewed"),
                  stencil("small", "star2d", grid="d", steps=12, radius=8, tile="32x32", schedule="time_skewed")]
        for devices, first, second in (("1", (64 << 20, 140 << 10), (370 << 10,)), ("2", (140 << 10,), (376 << 10,))):
            with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=devices):
                self.check_same(stages[:2], first)
                self.check_same(stages[2:], second)

    def test_stencils_are_dealt_to_the_devices(self):
        stages = self.stencils()[:1]
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES="3"):
            result = self.run_job(self.used(stages), stages, "--backend", "cuda", memory={"device": 110 << 10})
        self.assertEqual(len(result["profile/devices/name"]), 3)
        self.assertEqual(set(result["profile/blocks/device"][()]), {0, 1, 2})

    def test_one_of_several_devices_computes_and_a_line_says_which(self):
        def said(devices, *arguments, count="3"):
            stages = [affine("align", "a", "b")]
            keys = {} if devices is None else {"devices": devices}
            job = self.write_job(self.used(stages), stages, backend="cuda", **keys)
            with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=count):
                ended = self.terrace("run", job, "--fresh", *arguments)
            self.assertEqual(list(self.open()["profile/devices/name"].asstr()), ["simulated GPU"])
            return [line for line in ended.stderr.splitlines() if "device" in line]

        chooses = "a run uses one, device {} (`devices: [N]` chooses)"
        self.assertEqual(said(None), ["3 devices are here; " + chooses.format(0)])
        self.assertEqual(said("all"), ["3 devices are here; " + chooses.format(0)])
        self.assertEqual(said([2, 0]), ["2 devices are listed; " + chooses.format(2)])
        for devices, arguments, count in (([1], (), "3"), (None, ("--quiet",), "3"), (None, (), "1")):
            self.assertEqual(said(devices, *arguments, count=count), [])
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES="3"):
            job = self.write_job(self.used([affine("align", "a", "b")]), [affine("align", "a", "b")], devices=[3])
            self.assertSays(self.terrace("run", job, "--fresh", expect=WRONG), "job.yaml:", "there is no device 3",
                            "`terrace devices` lists 3")

    def test_a_job_of_a_kibibyte_opens_one_device_of_several(self):
        inputs = {"a": {"generate": "uniform", "shape": [16, 16], "type": "f32"}}
        stage = {"name": "s", "stencil": {"operator": "star2d", "radius": 1, "grid": "a", "steps": 3}}
        for keys, opened in (({}, 1), ({"devices": "all"}, 1), ({"devices": [2, 0]}, 2),
                             ({"memory": {"device": 1 << 20}}, 3)):
            with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES="3"):
                result = self.run_job(inputs, [stage], "--fresh", backend="cuda", **keys)
            self.assertEqual(len(result["profile/devices/name"]), opened)

    def test_every_schedule_gives_the_same(self):
        text = subprocess.run([terrace_runs.program, "problems", "--markdown"], capture_output=True, text=True,
                              check=True).stdout
        for schedule in re.search(r"`schedule` \(([^)]*)\)", text).group(1).split(", "):
            stages = [affine("align", "a", "b", keep="table", schedule=schedule),
                      wavefront("edit", "edit_distance", rows="a", columns="b", schedule=schedule),
                      wavefront("warping", "dtw", rows="x", columns="y", schedule=schedule),
                      wavefront("sums", "summed_area", grid="g", schedule=schedule)]
            with self.subTest(schedule=schedule):
                self.check_same(stages, (2 << 20,))

    def test_tables_of_many_dimensions_are_the_same(self):
        def table(name, **settings):
            return {"name": name, "dp_table": settings}

        every = ["table", "choice", "solution"]
        lattice = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
        stages = [table("bins", extents=[9, 7, 6, 8], capacity={"weights": [3, 4, 5, 7], "at_most": 13}, keep=every),
                  table("partitioned", extents=[9, 7, 6, 8], capacity={"weights": [3, 4, 5, 7], "at_most": 13},
                        keep=every, schedule="partitioned"),
                  table("coins", extents=[5000], steps=[[1], [7], [60], [900]], keep=every),
                  table("cargo", extents=[40, 30, 20], steps=[[4, 2, 3], [3, 5, 1], [6, 1, 2], *lattice],
                        cost=[11, 12, 14.5, 0, 0, 0, 1], combine="max", keep=every),
                  table("ways", extents=[30, 25, 20], steps=lattice, combine="count", modulus=1000003, keep=["table"]),
                  table("best", extents=[40, 30, 20], steps=[[4, 2, 3], [3, 5, 1], [6, 1, 2]], cost=[11, 12, 14.5],
                        combine="max", fill="at_most", keep=every),
                  table("change", extents=[5000], steps=[[1], [7], [60], [900]], combine="count", order="unordered",
                        modulus=255, keep="table"),
                  table("pairs", extents=[30, 25, 20], steps=lattice, combine="count", order="unordered", keep="table"),
                  table("reached", extents=[60, 50], steps=[[3, 4], [5, 2], [7, 7]], combine="any", keep=every)]
        self.check_same(stages, (8 << 20, 1 << 20))

    def test_the_best_schedules_are_computed_on_the_cpu(self):
        stage = {"name": "best", "makespan": {"times": "t", "machines": 3, "epsilon": 0}}
        job = self.write_job({"t": {"values": [79, 73, 68, 65, 61, 53, 50, 40, 39, 39, 38, 38]}}, [stage])
        refused = self.terrace("run", job, "--backend", "cuda", expect=WRONG)
        self.assertSays(refused, "job.yaml:", "`epsilon: 0` is computed on the CPU only")
        self.assertIn("stage 'best' is computed on the CPU: ", self.terrace("run", job).stderr)
        result = self.open()
        self.assertEqual(result["profile/stages/backend"].asstr()[()].tolist(), ["cpu"])
        self.assertEqual(result["best/guarantee"][()], 1)

    def test_schedules_of_jobs_are_as_good(self):
        draw = numpy.random.default_rng(8)
        self.inputs["t"] = {"values": draw.integers(5, 100, 30).tolist()}
        stages = [{"name": f"shifts{bounds}", "makespan": {"times": "t", "machines": 7, "epsilon": 0.4, "bounds": bounds}}
                  for bounds in (False, True)]
        times = numpy.array(self.inputs["t"]["values"])
        expected = self.run_job(self.used(stages), stages, "--backend", "cpu", output="cpu.h5")
        for number, devices in enumerate(("1", "3")):
            with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=devices):
                result = self.run_job(self.used(stages), stages, "--backend", "cuda", output=f"{number}.h5",
                                      devices="all", memory={"host": 64 << 20, "device": 16 << 20})
            for stage in stages:
                there, here = result[stage["name"]], expected[stage["name"]]
                for key in ("makespan", "lower_bound", "guarantee"):
                    self.assertEqual(there[key][()], here[key][()], key)
                load = numpy.bincount(there["assignment"][()], weights=times, minlength=7)
                self.assertEqual(load.max(), there["makespan"][()])

    def test_tables_of_a_search_in_ranges_of_rows_are_the_same(self):
        draw = numpy.random.default_rng(4)
        times = draw.integers(40, 100, 36).tolist()
        self.inputs["t"] = {"values": times}
        stage = {"name": "shifts", "makespan": {"times": "t", "machines": 16, "epsilon": 0.3, "bounds": False}}
        expected = self.run_job(self.used([stage]), [stage], "--backend", "cpu", output="cpu.h5")["shifts"]
        blocks = []
        for budget in (16 << 20, 400 << 10, 200 << 10, 100 << 10):
            result = self.run_job(self.used([stage]), [stage], "--backend", "cuda", output=f"{budget}.h5",
                                  memory={"host": 64 << 20, "device": budget})
            blocks.append(int(result["profile/stages/blocks"][0]))
            found = result["shifts"]
            for key in ("makespan", "lower_bound", "tables/target", "tables/feasible", "tables/extents", "assignment"):
                numpy.testing.assert_array_equal(found[key][()], expected[key][()], key)
            load = numpy.bincount(found["assignment"][()], weights=times, minlength=16)
            self.assertEqual(load.max(), found["makespan"][()])
        self.assertEqual(blocks, sorted(set(blocks)))

    def test_copies_that_wait_are_a_part_of_the_time_that_is_expected(self):
        stage = dp_table("ways", extents=[200, 100, 50], steps=numpy.eye(3, dtype=int).tolist(), combine="any",
                         keep="table")
        job = self.write_job({}, [stage], memory={"host": "64MiB", "device": "1MiB"}, backend="cuda")
        self.assertIn("(assumed), while nothing is computed", self.terrace("plan", job).stdout)
        planned = json.loads(self.terrace("plan", job, "--json").stdout)["stages"][0]
        self.assertGreater(planned["link_seconds"], 0)
        # Of writing the result only the last tile is not written beside the computation.
        least = sum(planned[name] for name in ("compute_seconds", "link_seconds", "memory_seconds"))
        least += planned["disk_seconds"] / planned["blocks"]
        self.assertGreaterEqual(planned["predicted_seconds"], least * (1 - 1e-9))
        self.assertNotIn("nothing is computed", self.terrace("plan", job, "--set", "memory.device=16MiB").stdout)

    def test_what_is_left_out_changes_nothing(self):
        def mutated(name, seed):
            return {"generate": "dna", "mutate": {"of": name, "rate": 0.02}, "seed": seed}

        self.inputs |= {"c": random_letters(4100, 4), "d": mutated("c", 5),
                        "e": {"fasta": self.write("e.fa", ">e\n" + 4100 * "A")},
                        "p": random_letters(1500, 6), "q": mutated("p", 7)}
        stages = [wavefront("edit", "edit_distance", rows="c", columns="d"),
                  wavefront("every_edit", "edit_distance", rows="c", columns="d", schedule="registers"),
                  wavefront("common", "lcs", rows="c", columns="e"), affine("local", "p", "q"),
                  affine("every_local", "p", "q", schedule="registers")]
        # A GPU of one multiprocessor is filled by a band of 4096 diagonals.
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_PROCESSORS="1"):
            self.check_same(stages, (8 << 20,))
        profile = self.open(f"{self.jobs}-{8 << 20}.h5")["profile/stages"]
        blocks, cells = list(profile["blocks"]), list(profile["operations"])
        self.assertEqual(blocks, [1, 1, 2, 1, 1])  # of unlike sequences the band proves nothing
        self.assertLess(cells[0], 0.8 * cells[1])

    def test_a_gpu_of_one_multiprocessor_makes_partitioned_tables(self):
        steps = [[0, 1], [1, 0], [2, 1]]
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_PROCESSORS="1"):
            self.check_same([dp_table("few", extents=[3, 4], steps=steps, schedule="partitioned"),
                             dp_table("more", extents=[20, 30], steps=steps, schedule="partitioned")], (8 << 20,))

    def test_tables_of_bounded_steps_are_the_same(self):
        draw = numpy.random.default_rng(23)
        near, far = draw.integers(1, 300, (9, 1)).tolist(), draw.integers(1, 1900, (5, 1)).tolist()
        flat, deep = draw.integers(0, 12, (6, 2)).tolist(), [[1, 2, 0], [0, 0, 1], [2, 0, 3], [0, 1, 0], [3, 3, 3]]
        costs = draw.integers(1, 10**12, 9).tolist()
        stages = [dp_table("best", extents=[3001], steps=near, cost=costs, each=1, combine="max", fill="at_most",
                           keep=["table", "solution"]),
                  dp_table("far", extents=[4000], steps=far, cost=[-3, 2, 5, 0, 7], each=[1, 3, 9, 2, 1],
                           keep=["table", "solution"]),
                  dp_table("reals", extents=[40, 30], steps=flat, cost=[2.25] * 6, each=2, combine="max",
                           keep=["table", "solution"]),
                  dp_table("sums", extents=[3001], steps=near, each=1, combine="any", keep=["table", "solution"]),
                  dp_table("sums_of_two", extents=[20, 150], steps=flat, each=[1, 2, 3] * 2, combine="any",
                           keep=["table", "solution"]),
                  dp_table("ways", extents=[9, 10, 12], steps=deep, each=[1, 9, 2, 4, 1], combine="count",
                           order="unordered", modulus=1000003, keep="table"),
                  dp_table("all_ways", extents=[900], steps=[[7], [9], [20]], each=[5, 6, 99], combine="count",
                           order="unordered", keep="table")]
        self.check_same(stages, (8 << 20, 50 << 10))

    def test_solutions_with_little_scratch_are_the_same(self):
        draw = numpy.random.default_rng(29)
        items = {"each": 1, "combine": "max", "fill": "at_most", "keep": "solution"}
        stages = [dp_table("best", extents=[1501], steps=draw.integers(1, 300, (900, 1)).tolist(),
                           cost=draw.integers(1, 30, 900).tolist(), **items),
                  dp_table("two", extents=[30, 40], steps=draw.integers(1, 12, (800, 2)).tolist(),
                           cost=draw.integers(1, 9, 800).tolist(), **items),
                  dp_table("sums", extents=[3001], steps=draw.integers(1, 100, (200, 1)).tolist(), each=1,
                           combine="any", keep="solution")]
        for stage in stages:
            expected = values(self.run_job({}, [stage], "--backend", "cpu", output=stage["name"] + ".h5")[stage["name"]])
            ways = []
            for device in (8 << 20, 180 << 10):
                keys = {"memory": {"host": 64 << 20, "device": device}, "backend": "cuda"}
                job = self.write_job({}, [stage], **keys)
                refused = self.terrace("plan", job, "--fresh=all", "--set", "scratch.size=1", expect=WRONG).stderr
                least = re.search(r"needs ([0-9.]+) (KiB|MiB) of scratch", refused)
                size = int((float(least[1]) + 0.01) * {"KiB": 1 << 10, "MiB": 1 << 20}[least[2]])
                with self.subTest(stage=stage["name"], device=device):
                    planned = self.terrace("plan", job, "--fresh=all", "--set", f"scratch.size={size}").stdout
                    ways.append("divide and conquer" in planned)
                    result = self.run_job({}, [stage], "--fresh=all", scratch={"size": size}, **keys)
                    there = values(result[stage["name"]])
                    self.assertEqual(sorted(there), sorted(expected))
                    for key in expected:
                        numpy.testing.assert_array_equal(there[key], expected[key], key)
            self.assertIn(True, ways)

    def test_the_least_budgets_that_are_named_suffice(self):
        self.inputs["m"] = {"npy": self.write("m.npy", product_of_triangles(60, 19))}
        for stage in (affine("table", "a", "b", keep="table"), affine("path", "a", "b", keep="alignment"),
                      affine("lines", "a", "b", keep="borders", every=50),
                      wavefront("edit", "edit_distance", rows="a", columns="b"),
                      wavefront("sums", "summed_area", grid="g"), wavefront("sor", "sor", grid="f", sweeps=5),
                      recursive("paths", "floyd_warshall", matrix="w"),
                      recursive("reached", "transitive_closure", matrix="w"),
                      recursive("routes", "floyd_warshall", matrix="w", paths=True),
                      recursive("factors", "gaussian_elimination", matrix="m"),
                      recursive("product", "semiring_product", left="w", right="w"),
                      # Parts of many tiles are assembled for a block.
                      dp_table("reached", combine="any", extents=[54, 54], keep=["table", "solution"],
                               steps=[[0, 2], [1, 0], [3, 4], [0, 1], [2, 0], [0, 3], [21, 0], [1, 3]]),
                      dp_table("once", extents=[6000], steps=[[170], [4], [2345]], each=1, combine="max",
                               fill="at_most", keep=["table", "solution"]),
                      dp_table("costs", extents=[43, 69], cost=[-10**9, 3, 254, 127, 255],
                               steps=[[0, 1], [3, 1], [2, 0], [23, 48], [1, 1]])):
            with self.subTest(stage["name"]):
                job = self.write_job(self.used([stage]), [stage], memory={"host": 64 << 20, "device": 4096})
                ended = self.terrace("run", job, "--backend", "cuda", expect=WRONG)
                least = re.search(r"the least is ([0-9.]+) ([KM]iB)", ended.stderr)
                self.assertIsNotNone(least, ended.stderr)
                unit = {"KiB": 1 << 10, "MiB": 1 << 20}[least[2]]
                self.check_same([stage], (int((float(least[1]) + 0.1) * unit),))


    def test_the_least_host_memory_that_is_named_suffices(self):
        """Tiles of a device pass through host memory, as a whole."""
        for stage in (affine("table", "a", "b", keep="table"), affine("path", "a", "b", keep="alignment"),
                      wavefront("edit", "edit_distance", rows="a", columns="b", keep="alignment"),
                      wavefront("costs", "dtw", rows="x", columns="y", keep="table"),
                      wavefront("sums", "summed_area", grid="g"), wavefront("sor", "sor", grid="f", sweeps=7),
                      stencil("steps", "star2d", grid="f", steps=9),
                      stencil("heat", "heat2d", grid="f", diffusivity="f", mask="f", dt=0.1, steps=9, snapshots=[3, 5]),
                      stencil("until", "star2d", grid="f", steps=9, boundary="periodic",
                              until={"residual": 1e-3, "every": 3}),
                      recursive("routes", "floyd_warshall", matrix="w", paths=True),
                      recursive("reached", "transitive_closure", matrix="w"),
                      recursive("product", "semiring_product", left="w", right="w"),
                      dp_table("cells", extents=[30, 40], steps=[[1, 0], [0, 1], [2, 3]], keep="table"),
                      dp_table("once", extents=[6000], steps=[[170], [4], [2345]], each=1, keep=["table", "solution"])):
            with self.subTest(stage["name"]):
                self.check_least_budgets(self.write_job(self.used([stage]), [stage], backend="cuda"), "memory.host")


if __name__ == "__main__":
    main()
