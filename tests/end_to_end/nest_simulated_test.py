"""Nests on a simulated GPU: beside the CPU, over blocks, with failures, stops and kills, and without a compiler."""
import json
import os
import unittest.mock

from terrace_runs import FAILED, WRONG, JobTest, main, numpy, random_text, wavefront

NO_COMPILER = "/nowhere/libnvrtc.so"


def edits(keep=("last", "table", "corner")):
    return {"name": "edits", "nest": {
        "loops": {"i": "size(a)", "j": "size(b)"},
        "arrays": {"D": {"type": "i32", "outside": "i + j + 2", "keep": list(keep), "best": "max"}},
        "cells": ["D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)"]}}


SOR = "A[i][j] = 0.2*A[i][j] + 0.2*A[i][j+1] + 0.2*A[i+1][j] + 0.2*A[i-1][j] + 0.2*A[i][j-1]"
CHAMFER = ("A[i][j] = min(A[i][j], A[i-1][j] + 3, A[i][j-1] + 3, A[i-1][j-1] + 4, A[i-1][j+1] + 4, A[i+1][j] + 3, "
           "A[i][j+1] + 3)")


def sweeps(cell=SOR, grid="g", count=5, array=(), **settings):
    """A nest that sweeps a grid in place."""
    return {"name": "s", "nest": {
        "loops": {"t": count, "i": [1, f"size({grid}, 0) - 1"], "j": [1, f"size({grid}, 1) - 1"]},
        "arrays": {"A": {"from": grid, **dict(array)}}, "cells": [cell], **settings}}


class NestsOnSimulatedGpu(JobTest):
    def letters(self, rows, columns):
        return {"a": self.fasta("a", random_text(rows, 1)), "b": self.fasta("b", random_text(columns, 2))}

    def check_as_on_the_cpu(self, inputs, stage, names, **keys):
        there = self.run_job(inputs, [stage], "--backend", "cuda", "--fresh", output="cuda.h5", **keys)
        here = self.run_job(inputs, [stage], "--backend", "cpu", "--fresh", output="cpu.h5")
        self.assertEqual(there["profile/stages/backend"][0], b"cuda")
        for name in names:
            path = f"{stage['name']}/{name}"
            numpy.testing.assert_array_equal(there[path][()], here[path][()], path)
        return there

    def test_edit_distances_are_the_built_in_ones_and_the_choice_is_the_gpu(self):
        inputs = self.letters(150, 210)
        result = self.run_job(inputs, [edits(), wavefront("own", "edit_distance", rows="a", columns="b", keep="table")])
        self.assertEqual(result["profile/stages/backend"].asstr()[()].tolist(), ["cuda", "cuda"])
        numpy.testing.assert_array_equal(result["edits/D"][()], result["own/table"][()])
        numpy.testing.assert_array_equal(result["edits/D_last"][()], result["own/table"][-1])
        self.assertEqual(result["edits/D_corner"][()], result["own/table"][-1, -1])
        self.assertEqual(result["edits/D_best"][()], result["own/table"][()].max())

    def test_blocks_of_a_small_device_give_the_same(self):
        there = self.check_as_on_the_cpu(self.letters(300, 400), edits(), ("D", "D_last", "D_corner", "D_best", "D_best_at"),
                                         memory={"host": "16MiB", "device": "300KiB"})
        self.assertGreater(there["profile/stages/blocks"][0], 3)

    bands = {"name": "s", "nest": {
        "loops": {"i": "size(a)", "j": "size(b)"},
        "arrays": {"D": {"type": "i32", "outside": "i + j + 2", "keep": ["last", "corner"]}},
        "cells": ["D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)"]}}

    def test_last_rows_of_tables_are_made_in_bands(self):
        for device in ("64MiB", "49KiB"):
            with self.subTest(device=device):
                there = self.check_as_on_the_cpu(self.letters(600, 700), self.bands, ("D_last", "D_corner"),
                                                 memory={"host": "16MiB", "device": device})
                self.assertEqual(there["profile/stages/method"].asstr()[0], "bands")
                self.assertEqual(there["profile/stages/blocks"][0] > 1, device == "49KiB")
        job = self.write_job(self.letters(60, 50), [edits()], backend="cuda")
        said = self.terrace("plan", job, "--explain").stdout
        self.assertIn("no: it keeps the last row and the last element alone", said)

    def test_bands_survive_kills(self):
        self.check_survives_kills(self.letters(600, 700), self.bands, "D_last", "D_corner", jobs=1, backend="cuda",
                                  memory={"host": 16 << 20, "device": 49 << 10})

    def test_sweeps_in_place_are_the_same_over_blocks(self):
        there = self.check_as_on_the_cpu(self.grid(40, 50), sweeps(schedule="hyperplanes"), ["A"],
                                         memory={"host": "16MiB", "device": "700KiB"})
        self.assertGreater(there["profile/stages/blocks"][0], 1)
        self.assertEqual(there["profile/stages/method"].asstr()[0], "march")

    def grid(self, *shape, kind="f4"):
        values = numpy.random.default_rng(5).normal(size=shape) * 100
        return {"g": {"npy": self.write("g.npy", values.astype(kind))}}

    def test_sweeps_are_made_as_those_of_sor_are_and_give_the_same(self):
        byte = {"type": "i32"}
        for kind, stage in (("f4", sweeps(count=40)), ("f8", sweeps()), ("u1", sweeps(CHAMFER, count=3, array=byte)),
                            ("f8", sweeps(array={"type": "f32"}, count=2))):
            for device in ("64MiB", "400KiB"):
                with self.subTest(kind, cell=stage["nest"]["cells"][0], device=device):
                    there = self.check_as_on_the_cpu(self.grid(700, 90, kind=kind), stage, ["A"],
                                                     memory={"host": "16MiB", "device": device})
                    self.assertEqual(there["profile/stages/method"].asstr()[0], "in_place")
                    self.assertEqual(there["profile/stages/blocks"][0] > 1, device == "400KiB")

    def test_a_plan_says_which_nests_are_swept(self):
        job = self.write_job(self.grid(60, 50), [sweeps()], backend="cuda")
        said = self.terrace("plan", job, "--explain").stdout
        self.assertRegex(said, r"in_place +\S+ \S+, chosen")
        self.assertIn("skew: 1 0 0; 1 1 0; 1 0 1, swept in place, bands of rows behind one another", said)
        self.assertEqual(json.loads(self.terrace("plan", job, "--json").stdout)["stages"][0]["method"], "in_place")
        for other, why in ((sweeps(schedule="hyperplanes"), "the job asks for a skew of its own"),
                           (sweeps("A[i][j] = A[i-1][j]*0.5 + i"), "its cells know neither their places nor tables"),
                           (sweeps(array={"best": "max"}), "it keeps the array alone")):
            said = self.terrace("plan", self.write_job(self.grid(60, 50), [other], backend="cuda"), "--explain").stdout
            self.assertRegex(said, r"march +\S+ \S+, chosen")
            self.assertRegex(said, "in_place +no: " + why)

    def test_sweeps_of_rows_for_which_there_is_no_memory_are_marched(self):
        there = self.check_as_on_the_cpu(self.grid(4, 60000), sweeps(count=2), ["A"],
                                         memory={"host": "16MiB", "device": "900KiB"})
        self.assertEqual(there["profile/stages/method"].asstr()[0], "march")

    def test_sweeps_survive_kills(self):
        self.check_survives_kills(self.grid(700, 90), sweeps(count=60), "A", jobs=1, backend="cuda",
                                  memory={"host": 16 << 20, "device": 400 << 10})
        self.assertEqual(self.open("s-whole.h5")["profile/stages/method"].asstr()[0], "in_place")

    def test_a_cell_without_a_value_is_named(self):
        inputs = {"x": {"values": [3, 0, 2], "type": "i32"}}
        stage = {"name": "s", "nest": {"loops": {"i": 3}, "arrays": {"D": {"type": "i32", "outside": 1, "keep": ["last"]}},
                                       "cells": ["D[i] = 7 / x[i] + D[i-1]"]}}
        job = self.write_job(inputs, [stage], backend="cuda")
        self.assertSays(self.terrace("run", job, expect=FAILED), "D[1] at i = 1", "7 / 0 divides by 0")

    def test_of_several_cells_without_a_value_the_cpu_names_the_same(self):
        x = numpy.full((70, 600), 7, "i4")
        x[69, 0] = x[6, 3] = x[5, 590] = x[5, 500] = 0
        stage = {"name": "s", "nest": {"loops": {"i": "size(x, 0)", "j": "size(x, 1)"},
                                       "arrays": {"D": {"type": "i32", "outside": 1}},
                                       "cells": ["D[i][j] = 50 / x[i][j] + (D[i-1][j] + D[i][j-1]) % 9"]}}
        inputs = {"x": {"npy": self.write("x.npy", x)}}
        for backend in ("cuda", "cpu"):
            job = self.write_job(inputs, [stage], backend=backend, output=backend + ".h5")
            self.assertSays(self.terrace("run", job, expect=FAILED), "D[5][500] at i = 5, j = 500")

    def test_a_machine_without_the_compiler_takes_the_cpu_or_says_what_is_missing(self):
        job = self.write_job(self.letters(30, 40), [edits()])
        said = f"nests cannot run on CUDA: {NO_COMPILER} is not there"
        with unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_COMPILER=NO_COMPILER):
            self.assertSays(self.terrace("plan", job, "--backend", "cuda", expect=WRONG), "job.yaml:", said)
            self.assertSays(self.terrace("run", job), "is computed on the CPU: ", said)
        self.assertEqual(self.open()["profile/stages/backend"][0], b"cpu")

    def test_survives_kills(self):
        self.check_survives_kills(self.letters(300, 400), edits(), "D", "D_last", "D_corner", jobs=1, backend="cuda",
                                  memory={"host": 16 << 20, "device": 300 << 10})


if __name__ == "__main__":
    main()
