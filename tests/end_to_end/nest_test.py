"""Recurrences that jobs write: beside built-in problems, against other programs, over blocks, and wrong ones."""
import itertools
import json
import os
import unittest
import unittest.mock

import h5py

import terrace_runs
from terrace_runs import FAILED, WRONG, JobTest, h5py, main, mutated, numpy, random_text, skip, wavefront

EDITS = "D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)"


def nest(name, **settings):
    return {"name": name, "nest": settings}


def edits(name="edits", keep=("last", "table", "corner"), **keys):
    return nest(name, loops={"i": "size(a)", "j": "size(b)"},
                arrays={"D": {"type": "i32", "outside": "i + j + 2", "keep": list(keep)}}, cells=[EDITS], **keys)


def sweeps(name, rank, cell, steps=6, **keys):
    """A nest over a grid g in place, its rim fixed."""
    loops = {"t": steps}
    for axis, loop in zip(range(rank), "ijk"):
        loops[loop] = [1, f"size(g, {axis}) - 1"]
    return nest(name, loops=loops, arrays={"A": {"from": "g"}}, cells=[cell], **keys)


class Nests(JobTest):
    always = {"backend": "cpu"}

    def letters(self, rows, columns):
        a = random_text(rows, 1) if rows else ""
        b = random_text(columns, 2) if columns else ""
        return {"a": self.fasta("a", a), "b": self.fasta("b", b)}, a, b

    def test_edit_distances_are_the_built_in_ones(self):
        inputs, _, _ = self.letters(150, 210)
        result = self.run_job(inputs, [edits(), wavefront("own", "edit_distance", rows="a", columns="b", keep="table")])
        self.assertTrue(numpy.array_equal(result["edits/D"], result["own/table"]))
        self.assertTrue(numpy.array_equal(result["edits/D_last"], result["own/table"][-1]))
        self.assertEqual(result["edits/D_corner"][()], result["own/table"][-1, -1])

    def test_longest_common_subsequences_and_local_scores_are_the_built_in_ones(self):
        inputs, a, _ = self.letters(90, 0)
        inputs["b"] = self.fasta("b", mutated(a, 3))
        loops = {"i": "size(a)", "j": "size(b)"}
        result = self.run_job(inputs, [
            nest("lcs", loops=loops, arrays={"L": {"outside": 0, "keep": "table"}},
                 cells=["L[i][j] = max(L[i-1][j-1] + (a[i] == b[j]), L[i-1][j], L[i][j-1])"]),
            wavefront("own_lcs", "lcs", rows="a", columns="b", keep="table"),
            nest("local", loops=loops, arrays={"H": {"outside": 0, "best": "max"}},
                 cells=["H[i][j] = max(0, H[i-1][j-1] + if(a[i] == b[j], 2, -3), H[i-1][j] - 4, H[i][j-1] - 4)"]),
            wavefront("own_local", "smith_waterman", rows="a", columns="b", match=2, mismatch=-3, gap=4)])
        self.assertTrue(numpy.array_equal(result["lcs/L"], result["own_lcs/table"]))
        self.assertEqual(result["lcs/L"].dtype, numpy.int64)
        self.assertEqual(result["local/H_best"][()], result["own_local/score"][()])
        self.assertEqual(list(result["local/H_best_at"]), [at - 1 for at in result["own_local/end"]])

    def test_blocks_of_any_size_give_the_same(self):
        inputs, _, _ = self.letters(700, 900)
        whole = self.run_job(inputs, [edits()], output="whole.h5")
        cut = self.run_job(inputs, [edits()], output="cut.h5", memory={"host": "9MiB", "device": "600KiB"})
        self.assertGreater(cut["profile/stages/blocks"][0], 9)
        for name in ("D", "D_last", "D_corner"):
            self.assertTrue(numpy.array_equal(whole[f"edits/{name}"], cut[f"edits/{name}"]), name)

    def test_large_nests_are_compiled_unless_the_job_forbids_it(self):
        inputs, _, _ = self.letters(14000, 14000)
        own = wavefront("own", "edit_distance", rows="a", columns="b", keep="borders", every=14000)
        result = self.run_job(inputs, [edits(keep=["last", "corner"]), own], output="compiled.h5", threads=2)
        self.assertEqual(result["profile/stages/method"][0], b"compiled")
        self.assertEqual(result["edits/D_corner"][()], result["own/score"][()])
        numpy.testing.assert_array_equal(result["edits/D_last"][()], result["own/border_rows"][-1])
        planned = self.terrace("plan", self.write_job(inputs, [edits(keep=["corner"])], compile="never"), "--explain")
        self.assertIn("the job says `compile: never`", planned.stdout)

    def test_a_compiler_that_fails_leaves_the_interpreter(self):
        inputs, _, _ = self.letters(14000, 9000)
        with unittest.mock.patch.dict(os.environ, CXX="/bin/false"):
            job = self.write_job(inputs, [edits(keep=["corner"])], threads=2)
            said = self.terrace("run", job)
        self.assertSays(said, "stage 'edits': its formulas were not compiled, and cells computed them")

    def test_letters_compare_as_alignments_compare_them(self):
        inputs = {"a": self.fasta("a", "ACGTNRacguX"), "b": self.fasta("b", "NRACGUXnracgt")}
        for ambiguous in ("literal", "mismatch"):
            result = self.run_job(inputs, [edits(ambiguous=ambiguous),
                                           wavefront("own", "edit_distance", rows="a", columns="b", keep="table",
                                                     ambiguous=ambiguous)], output=ambiguous + ".h5")
            self.assertTrue(numpy.array_equal(result["edits/D"], result["own/table"]), ambiguous)

    def test_empty_sequences_leave_the_border(self):
        for rows, columns in ((0, 5), (5, 0), (0, 0), (1, 1)):
            inputs, a, b = self.letters(rows, columns)
            result = self.run_job(inputs, [edits()], output=f"{rows}{columns}.h5")
            distance = max(rows, columns) if 0 in (rows, columns) else int(a != b)
            self.assertEqual(result["edits/D_corner"][()], distance)
            self.assertEqual(result["edits/D"].shape, (rows, columns))
            if rows == 0:
                self.assertEqual(list(result["edits/D_last"]), list(range(1, columns + 1)))

    def test_sweeps_in_place_are_the_built_in_ones(self):
        grid = numpy.random.default_rng(5).random((70, 90)).astype("f4")
        inputs = {"g": {"npy": self.write("g.npy", grid)}}
        cell = ("A[i][j] = (((w*A[i][j] + s*A[i][j+1]) + s*A[i+1][j]) + s*A[i-1][j]) + s*A[i][j-1]")
        written = sweeps("written", 2, cell, 9, parameters={"w": 0.2, "s": 0.2})
        own = wavefront("own", "sor", grid="g", sweeps=9, omega=0.8)
        whole = self.run_job(inputs, [written, own], output="whole.h5")
        self.assertTrue(numpy.array_equal(whole["written/A"], whole["own/grid"]))
        cut = self.run_job(inputs, [written], output="cut.h5", memory={"host": "9MiB", "device": "300KiB"})
        self.assertGreater(cut["profile/stages/blocks"][0], 3)
        self.assertTrue(numpy.array_equal(cut["written/A"], whole["own/grid"]))
        balanced = dict(written["nest"], schedule="balanced", storage="given")
        other = self.run_job(inputs, [nest("written", **balanced)], output="balanced.h5")
        self.assertTrue(numpy.array_equal(other["written/A"], whole["own/grid"]))

    def test_sweeps_in_place_of_grids_larger_than_memory(self):
        draw = numpy.random.default_rng(6)
        for shape, budgets in (((600, 600), ("600KiB", "1MiB", "2MiB")), ((40000,), ("150KiB", "300KiB"))):
            inputs = {"g": {"npy": self.write("g.npy", draw.random(shape).astype("f4"))}}
            cell = "A[i][j] = 0.25*(A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1])" if len(shape) == 2 \
                else "A[i] = 0.5*(A[i] + A[i+1])"
            stage = sweeps("s", len(shape), cell, 3)
            whole = self.run_job(inputs, [stage], "--fresh", output="whole.h5")["s/A"][()]
            for budget in budgets:
                with self.subTest(shape=shape, budget=budget):
                    cut = self.run_job(inputs, [stage], "--fresh", output="cut.h5", memory={"host": budget})
                    numpy.testing.assert_array_equal(cut["s/A"][()], whole)

    def test_what_a_plan_counts_suffices_at_every_budget(self):
        inputs = {"g": {"npy": self.write("g.npy", numpy.random.default_rng(6).random((80, 110)).astype("f4"))}}
        job = self.write_job(inputs, [sweeps("s", 2, "A[i][j] = 0.25*(A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1])", 9)])
        self.terrace("run", job)
        whole = self.open()["s/A"][()]
        for kibibytes in range(84, 118, 2):
            with self.subTest(kibibytes=kibibytes):
                self.terrace("run", job, "--fresh=all", "--set", f"memory.host={kibibytes}KiB")
                numpy.testing.assert_array_equal(self.open()["s/A"][()], whole)

    def test_copies_by_statements_are_steps_of_jacobi(self):
        g = numpy.random.default_rng(6).random(60).astype("f4")
        inputs = {"g": {"npy": self.write("g.npy", g)}}
        in_place = nest("in_place", loops={"t": 15, "i": [1, "size(g) - 1"]},
                        arrays={"A": {"from": "g"}, "B": {"type": "f32"}}, order="statements",
                        cells=["B[i] = (A[i-1] + A[i] + A[i+1])/3", "A[i] = B[i]"])
        table = nest("table", loops={"t": 15, "i": [1, "size(g) - 1"]}, arrays={"A": {"from": "g", "keep": ["last", "table"]}},
                     cells=["A[t+1][i] = (A[t][i-1] + A[t][i] + A[t][i+1])/3"])
        result = self.run_job(inputs, [in_place, table])
        steps = [g]
        for _ in range(15):
            g = g.copy()
            g[1:-1] = (g[:-2] + g[1:-1] + g[2:]) / numpy.float32(3)
            steps.append(g)
        self.assertTrue(numpy.array_equal(result["in_place/A"], g))
        self.assertTrue(numpy.array_equal(result["table/A_last"], g))
        self.assertTrue(numpy.array_equal(result["table/A"], steps[1:]))

    def test_finite_differences_in_time_are_those_of_numpy(self):
        random = numpy.random.default_rng(7)
        f = numpy.float32
        ex, ey, hz = (random.random((20, 30)).astype("f4") for _ in range(3))
        pulse = numpy.arange(8, dtype="f4")
        inputs = {name: {"npy": self.write(name + ".npy", value)}
                  for name, value in (("ex0", ex), ("ey0", ey), ("hz0", hz), ("pulse", pulse))}
        result = self.run_job(inputs, [nest(
            "fields", loops={"t": 8, "i": 20, "j": 30}, order="statements",
            arrays={"ey": {"from": "ey0"}, "ex": {"from": "ex0"}, "hz": {"from": "hz0"}},
            cells=[{"for": {"i": 1}, "do": "ey[i][j] = pulse[t]"},
                   {"for": {"i": [1, 20]}, "do": "ey[i][j] = ey[i][j] - 0.5*(hz[i][j] - hz[i-1][j])"},
                   {"for": {"j": [1, 30]}, "do": "ex[i][j] = ex[i][j] - 0.5*(hz[i][j] - hz[i][j-1])"},
                   {"for": {"i": 19, "j": 29},
                    "do": "hz[i][j] = hz[i][j] - 0.7*(ex[i][j+1] - ex[i][j] + ey[i+1][j] - ey[i][j])"}])])
        for t in range(8):
            ey[0] = pulse[t]
            ey[1:] = ey[1:] - f(0.5) * (hz[1:] - hz[:-1])
            ex[:, 1:] = ex[:, 1:] - f(0.5) * (hz[:, 1:] - hz[:, :-1])
            hz[:-1, :-1] = hz[:-1, :-1] - f(0.7) * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        for name, value in (("ex", ex), ("ey", ey), ("hz", hz)):
            self.assertTrue(numpy.array_equal(result[f"fields/{name}"], value), name)

    def test_a_nest_reads_what_an_earlier_stage_wrote(self):
        inputs, _, _ = self.letters(30, 40)
        result = self.run_job(inputs, [
            edits(keep=["table"]),
            nest("sums", inputs={"d": "edits/D"}, loops={"i": "size(d, 0)", "j": "size(d, 1)"},
                 arrays={"S": {"outside": 0, "keep": "table"}},
                 cells=["S[i][j] = S[i-1][j] + S[i][j-1] - S[i-1][j-1] + d[i][j]"])])
        self.assertTrue(numpy.array_equal(result["sums/S"], result["edits/D"][()].cumsum(0).cumsum(1)))

    def test_a_nest_that_is_killed_goes_on(self):
        inputs, _, _ = self.letters(500, 400)
        self.check_survives_kills(inputs, edits(), "D", "D_last", "D_corner", jobs=1, memory={"host": "9MiB", "device": "400KiB"})
        grid = numpy.random.default_rng(5).random((60, 80))
        self.check_survives_kills({"g": {"npy": self.write("g.npy", grid)}},
                                  sweeps("swept", 2, "A[i][j] = 0.25*(A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1])", 20),
                                  "A", jobs=1, memory={"host": "9MiB", "device": "500KiB"})

    def test_least_budgets_are_named(self):
        inputs, _, _ = self.letters(300, 300)
        self.check_least_budgets(self.write_job(inputs, [edits()], memory={"host": "64MiB"}), "memory.device")
        grid = numpy.zeros((90, 110), "f4")
        swept = sweeps("s", 2, "A[i][j] = 0.25*(A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1])")
        job = self.write_job({"g": {"npy": self.write("g.npy", grid)}}, [swept], memory={"host": "64MiB"})
        self.check_least_budgets(job, "memory.device")

    def test_a_cell_without_a_value_ends_the_run(self):
        inputs = {"x": {"values": [4, 2, 0, 1], "type": "i32"}}
        stage = nest("s", loops={"i": "size(x)"}, arrays={"D": {"outside": 100, "type": "i8"}}, cells=["D[i] = 7/x[i]"])
        ended = self.terrace("run", self.write_job(inputs, [stage]), expect=FAILED)
        self.assertSays(ended, "D[2] at i = 2, by 'D[i] = 7/x[i]': 7 / 0 divides by 0", "job.yaml:")
        self.assertEqual(ended.stderr.count("stage '"), 1, ended.stderr)
        stage["nest"]["cells"] = ["D[i] = D[i-1] + 9*x[i]"]
        ended = self.terrace("run", self.write_job(inputs, [stage]), "--fresh=all", expect=FAILED)
        self.assertSays(ended, "D[0] at i = 0", "136 is beyond i8, the array's type")

    def test_verification_runs_loops_again_or_takes_tiles_from_their_neighbours(self):
        inputs, _, _ = self.letters(60, 70)
        self.run_job(inputs, [edits()], output="small.h5").close()
        said = self.terrace("verify", "small.h5", "--sample", "0.1").stdout
        self.assertIn("edits/D: computed again by the loops as they are written, equal", said)
        inputs, _, _ = self.letters(3000, 4000)
        self.run_job(inputs, [edits(keep=["table", "corner"])], output="large.h5").close()
        said = self.terrace("verify", "large.h5", "--sample", "0.01").stdout
        self.assertIn("edits/D: 2 of 188 tiles computed again, equal", said)
        self.assertIn("edits/D_corner: not sampled", said)
        with h5py.File(self.folder / "large.h5", "r+") as file:
            file["edits/D"][...] += numpy.arange(3000)[:, None] % 2
        said = self.terrace("verify", "large.h5", "--sample", "0.01", expect=FAILED)
        self.assertIn(" is stored, ", said.stdout + said.stderr)

    # The same nest in two ways of writing it.
    WORDS = {"loops": {"i": "size(x)", "j": [1, "n + 5"]}, "parameters": {"n": 10, "w": 2, "half": 0.5},
             "arrays": {"D": {"type": "i32", "outside": "i + j*w", "keep": ["last", "table"]}},
             "cells": [{"for": {"j": [1, 13]}, "do": "D[i][j] = (D[i-1][j] + w*x[i]) % 97"},
                       {"for": {"j": [13, 15], "i": "size(x)"}, "do": "D[i][j] = i64(half*D[i][j-1])"}]}
    SAME_WORDS = {"loops": {"r": "size( x )", "s": ["3 - w", "15"]}, "parameters": {"w": 2},
                  "arrays": {"D": {"type": "i32", "outside": "(r + (s*2))", "keep": ["last", "table"]}},
                  "cells": [{"for": {"s": [1, 13]}, "do": "D[r][s]=((D[r-1][s]) + w * x[r])\n % 97"},
                            {"for": {"r": "size( x )", "s": [13, 15]}, "do": "D[r][s] = i64(5e-1 * D[r][s - 1])"}]}

    def computed(self, job):
        return "there already" not in self.terrace("run", job).stderr

    def test_the_same_nest_in_other_words_is_there_already(self):
        inputs = {"x": {"values": list(range(20)), "type": "i32"}}
        self.assertTrue(self.computed(self.write_job(inputs, [nest("s", **self.WORDS)])))
        self.assertFalse(self.computed(self.write_job(inputs, [nest("s", **self.SAME_WORDS)])))
        self.terrace("verify", "result.h5", "--sample", "1")

        def differs(said, **changes):
            job = self.write_job(inputs, [nest("s", **{**self.WORDS, **changes})])
            self.assertSays(self.terrace("run", job, expect=WRONG), "was made by another job", said)

        first, second = self.WORDS["cells"]
        differs("stages.s.cells[0].do was", cells=[{**first, "do": "D[i][j] = D[i-1][j] + w*x[i] % 97"}, second])
        differs("stages.s.cells[1].do was", cells=[first, {**second, "do": "D[i][j] = i64(0.25*D[i][j-1])"}])
        differs("stages.s.cells[0].for.j was", cells=[{**first, "for": {"j": [1, 12]}}, {**second, "for": {"j": [12, 15]}}])
        differs("stages.s.loops.j", loops={**self.WORDS["loops"], "j": [0, "n + 5"]})
        differs("stages.s.parameters.w was", parameters={"n": 10, "w": 3, "half": 0.5})
        array = self.WORDS["arrays"]["D"]
        differs("stages.s.arrays.D.type was", arrays={"D": {**array, "type": "i64"}})
        differs("stages.s.arrays.D.keep was", arrays={"D": {**array, "keep": ["table"]}})
        differs("stages.s.arrays.D.outside was", arrays={"D": {**array, "outside": "i - j*w"}})
        # Names of arrays are names of datasets.
        renamed = [{**cell, "do": cell["do"].replace("D", "E")} for cell in (first, second)]
        differs("stages.s.arrays was", arrays={"E": array}, cells=renamed)

    def test_loops_that_change_places_are_another_nest(self):
        inputs = {"x": {"values": list(range(20)), "type": "i32"}}

        def job(*loops):
            return self.write_job(inputs, [nest("s", loops=dict.fromkeys(loops, 4), arrays={"D": {"outside": "3*i + j"}},
                                                inputs={"x": "x"}, cells=["D[%s][%s] = x[i] + j" % loops])])

        self.assertTrue(self.computed(job("i", "j")))
        self.assertSays(self.terrace("run", job("j", "i"), expect=WRONG), "was made by another job", "stages.s.")

    def test_a_nest_in_other_words_is_taken_over(self):
        inputs = {"x": {"values": list(range(20)), "type": "i32"}}
        self.terrace("run", self.write_job(inputs, [nest("s", **self.WORDS)]))
        more = nest("more", inputs={"d": "s/D"}, loops={"i": "size(d, 0)"}, arrays={"E": {"outside": 0}},
                    cells=["E[i] = d[i][0] + 1"])
        self.assertSays(self.terrace("run", self.write_job(inputs, [nest("s", **self.SAME_WORDS), more])),
                        "'s' is taken over")
        result = self.open()
        self.assertEqual(result["more/E_last"][()], result["s/D"][-1, 0] + 1)

    def test_check_and_plan_print_what_was_found(self):
        inputs, _, _ = self.letters(30, 40)
        job = self.write_job(inputs, [edits()])
        said = self.terrace("check", job).stdout
        for part in ("stage edits\n", "skew: 1 0; 0 1, wavefronts along the sum of the rows, the last row is marched",
                     "D[i][j] needs D[i-1][j-1]: (1, 1)", "D: i32, values within ["):
            self.assertIn(part, said)
        found = json.loads(self.terrace("check", job, "--json").stdout)["analysis"]["edits"]
        self.assertEqual(len(found), 5)
        said = self.terrace("plan", job).stdout
        self.assertIn("  analysis      " + found[0] + "\n", said)
        self.assertNotIn(found[1], said)

    def test_plans_print_what_was_found(self):
        grid = numpy.zeros((9, 9), "f4")
        job = self.write_job({"g": {"npy": self.write("g.npy", grid)}},
                             [sweeps("s", 1, "A[i] = (A[i-1] + A[i] + A[i+1])/3", schedule="balanced")])
        self.write("g.npy", numpy.zeros(9, "f4"))
        said = self.terrace("plan", "--explain", job).stdout
        self.assertIn("A[i] needs A[i+1]: (1, -1)", said)
        self.assertIn("skew: 2 1; 1 1", said)
        self.assertIn("wavefronts along the first row", said)

    def test_wrong_nests_are_refused_at_their_places(self):
        inputs, _, _ = self.letters(5, 7)

        def wrong(text, *parts):
            path = self.write("wrong.yaml", f"""job: test
backend: cpu
inputs:
  a: {{fasta: {inputs['a']['fasta']}}}
  b: {{fasta: {inputs['b']['fasta']}}}
stages:
  - name: s
    nest:
{text}
output: wrong.h5
""")
            ended = self.terrace("check", path, expect=WRONG)
            self.assertSays(ended, *parts)

        loops = "      loops: {i: size(a), j: size(b)}\n      arrays: {D: {type: i32, outside: 0}}\n"
        wrong(loops + "      cells: ['D[i][j] = D[i-1][j] + x']", "wrong.yaml:11:38: ", "there is nothing of the name 'x'")
        wrong(loops + "      cells:\n        - >-\n          D[i][j] = D[i-1][j] +\n          D[j][i]",
              "wrong.yaml:14:13: ", "subscript 0 of 'D'", "not constant")
        wrong(loops + "      cells: ['D[i][j] = 0.5*D[i-1][j]']", "i64(x) drops the fraction")
        wrong(loops + "      cells: [{for: {j: [1, 9]}, do: 'D[i][j] = 1'}]", "wrong.yaml:11:25: ", "is not inside the loop's")
        wrong(loops + "      cells: [{for: {q: [1, 9]}, do: 'D[i][j] = 1'}]", "there is no loop 'q'")
        wrong(loops + "      cells: []", "'cells' takes")
        wrong(loops.replace("size(a)", "200000000").replace("size(b)", "200000000") + "      cells: ['D[i][j] = 1']",
              "too large for any run")
        wrong(loops.replace("size(b)", "'size(b, 1)'") + "      cells: ['D[i][j] = 1']", "wrong.yaml:9:39: ",
              "'b' has no axis 1")
        wrong(loops.replace(", outside: 0", "") + "      cells: ['D[i][j] = D[i-1][j]']", "give 'D' an `outside`")
        wrong(loops.replace("outside: 0", "outside: 'a[i]'") + "      cells: ['D[i][j] = D[i-1][j]']", "wrong.yaml:10:41: ",
              "a[i] is read outside the input")
        wrong(loops + "      cells: ['D[i][j] = D[i-1][j] + D[i+1][j]']", "no order computes the nest", "D[i][j] needs")
        wrong("      loops: {i: [8, 1]}\n      arrays: {D: {type: i32}}\n      cells: ['D[i] = i']",
              "'i' ends at 1, before it begins at 8")
        wrong(loops.replace("D:", "E:") + "      cells: ['D[i][j] = 1']", "there is no array 'D' to write")
        wrong(loops.replace("D: {type: i32, outside: 0}", "D: {type: i32}, E: {}") + "      cells: ['D[i][j] = 1']",
              "wrong.yaml:10:32: ", "no statement writes 'E'")
        wrong(loops + "      cells: ['D[i][j] = a[i+1]']", "a[i+1] is read outside the input")
        wrong(loops + "      cells: ['D[i][j] = if(a[i], 1, 2)']", "is a condition")
        wrong(loops + "      cells: ['D[i][j] = " + 70 * "(" + "1" + 70 * ")" + "']", "nested at most 64 deep")
        wrong(loops + "      cells: ['D[i][j] = " + 1000000 * "(" + "']", "at most 65536 bytes")
        wrong(loops + "      cells: ['D[i][j] = " + 10000000 * "(" + "']", "at most 4.00 MiB")


class Configured(JobTest):
    """Stages of a job of configs/ over other inputs, each against a program of its own."""

    def run_stage(self, config, name, **inputs):
        try:
            import yaml
        except ImportError as missing:
            skip(f"{missing} (Debian: python3-yaml)")
        job = yaml.safe_load((terrace_runs.root / "configs" / f"{config}.yaml").read_text())
        stage = next(stage for stage in job["stages"] if stage["name"] == name)
        given = {key: self.fasta(key, value) if isinstance(value, str) else {"npy": self.write(key + ".npy", value)}
                 for key, value in inputs.items()}
        return self.run_job(given, [stage], output=f"{name}.h5", backend="cpu")[name]


class PapersNests(Configured):
    """The nests of the paper in configs/nests.yaml, to the bit."""

    def grid(self, *shape):
        return numpy.random.default_rng(1).random(shape).astype("f4")

    def check_sweeps(self, name, grid, steps, sweep, **inputs):
        """Compares A with a grid that sweep(grid) changes in each step."""
        expected = grid.copy()
        for _ in range(steps):
            sweep(expected)
        numpy.testing.assert_array_equal(self.run_stage("nests", name, **inputs)["A"][()], expected, name)

    def check_steps(self, name, grid, steps, total, divisor=None, **inputs):
        """The same of steps into another grid. @param total of the cells inside the rim"""
        inside = (slice(1, -1),) * grid.ndim

        def step(of):
            of[inside] = total(of) if divisor is None else total(of) / numpy.float32(divisor)

        self.check_sweeps(name, grid, steps, step, **inputs)

    def test_steps_into_another_array(self):
        line, plane, box = self.grid(50), self.grid(9, 12), self.grid(5, 6, 7)
        self.check_steps("jacobi_1d", line, 50, lambda a: a[:-2] + a[1:-1] + a[2:], 3, line=line)

        def five(a):
            return a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, :-2]

        def at(a, *offsets):
            return a[tuple(slice(1 + offset, size - 1 + offset) for offset, size in zip(offsets, a.shape))]

        self.check_steps("jacobi_2d", plane, 20, lambda a: numpy.float32(0.2) * five(a), plane=plane)
        self.check_steps("heat_2d", plane, 20, lambda a: five(a) + at(a, -1, -1) + at(a, 1, 1), 7, plane=plane)
        self.check_steps("jacobi_3d", box, 8, lambda a: (at(a, 0, 0, 0) + at(a, -1, 0, 0) + at(a, 1, 0, 0) +
                                                         at(a, 0, -1, 0) + at(a, 0, 1, 0) + at(a, 0, 0, -1) +
                                                         at(a, 0, 0, 1)), 7, box=box)

        def all_around(a):
            total = None
            for offsets in itertools.product((-1, 0, 1), repeat=3):
                total = at(a, *offsets) if total is None else total + at(a, *offsets)
            return total

        self.check_steps("jacobi_3d_27", box, 8, all_around, 27, box=box)

    def test_sweeps_in_place(self):
        line, plane, f4 = self.grid(50), self.grid(9, 12), numpy.float32

        def figure_2(a):
            for i in range(len(a) - 1):
                a[i] = f4(0.5) * (a[i] + a[i + 1])

        def sor_1d(a):
            for i in range(1, len(a) - 1):
                a[i] = (a[i - 1] + a[i] + a[i + 1]) / f4(3)

        def sor_2d(a):
            for i, j in itertools.product(range(1, a.shape[0] - 1), range(1, a.shape[1] - 1)):
                a[i, j] = f4(0.2) * (a[i, j] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j] + a[i, j - 1])

        self.check_sweeps("figure_2", line, 50, figure_2, line=line)
        self.check_sweeps("sor_1d", line, 50, sor_1d, line=line)
        self.check_sweeps("sor_2d", plane, 20, sor_2d, plane=plane)

    def test_finite_differences(self):
        ey, ex, hz = self.grid(9, 12), self.grid(9, 12)[::-1].copy(), self.grid(9, 12) - numpy.float32(0.5)
        pulse, half = self.grid(15), numpy.float32(0.5)
        group = self.run_stage("nests", "fdtd_2d", plane=ey, other=ex, third=hz, pulse=pulse)
        for value in pulse:
            ey[0] = value
            ey[1:] -= half * (hz[1:] - hz[:-1])
            ex[:, 1:] -= half * (hz[:, 1:] - hz[:, :-1])
            hz[:-1, :-1] -= numpy.float32(0.7) * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        for name, expected in (("ey", ey), ("ex", ex), ("hz", hz)):
            numpy.testing.assert_array_equal(group[name][()], expected, name)


class KnownNests(Configured):
    """The nests of configs/recurrences.yaml."""

    def test_gotoh_with_three_states(self):
        a = random_text(60, 1)
        b = mutated(a, 2, 0.2, 4)
        group = self.run_stage("recurrences", "gotoh", a=a, b=b)
        low = -1000000
        m = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        f = [low] * (len(b) + 1)
        best = (0, 0, 0)
        for i in range(1, len(a) + 1):
            e = low
            for j in range(1, len(b) + 1):
                e = max(e, m[i][j - 1] - 5) - 1
                f[j] = max(f[j], m[i - 1][j] - 5) - 1
                m[i][j] = max(0, m[i - 1][j - 1] + (2 if a[i - 1] == b[j - 1] else -3), e, f[j])
                if m[i][j] > best[0]:
                    best = (m[i][j], i - 1, j - 1)
        self.assertEqual(list(group["M_last"]), m[-1][1:])
        self.assertEqual((group["M_best"][()], *group["M_best_at"]), best)

    def test_longest_common_increasing_subsequence(self):
        random = numpy.random.default_rng(3)
        series, pattern = (random.integers(0, 12, size).astype("i4") for size in (40, 30))
        lengths = [0] * len(pattern)
        for value in series:
            longest = 0
            for j, other in enumerate(pattern):
                before = lengths[j]
                if value == other:
                    lengths[j] = max(before, longest + 1)
                if value > other:
                    longest = max(longest, before)
        self.assertEqual(list(self.run_stage("recurrences", "increasing", series=series, pattern=pattern)["L_last"]), lengths)

    def test_gaps_that_depend_on_the_position(self):
        a, b = random_text(50, 4), random_text(60, 5)
        gap = numpy.random.default_rng(6).integers(2, 6, len(a)).astype("i4")
        h = numpy.zeros((len(a) + 1, len(b) + 1), int)
        for i in range(1, len(a) + 1):
            for j in range(1, len(b) + 1):
                h[i, j] = max(0, h[i - 1, j - 1] + (5 if a[i - 1] == b[j - 1] else -4), h[i - 1, j] - gap[i - 1],
                              h[i, j - 1] - gap[i - 1])
        group = self.run_stage("recurrences", "positions", a=a, b=b, gap=gap)
        self.assertEqual(list(group["H_last"]), list(h[-1, 1:]))
        self.assertEqual(group["H_best"][()], h.max())

    def test_three_sequences(self):
        c = random_text(15, 7)
        d, e = mutated(c, 8, 0.3), mutated(c, 9, 0.3)
        table = numpy.zeros((len(c) + 1, len(d) + 1, len(e) + 1), int)
        for i, x in enumerate(c, 1):
            for j, y in enumerate(d, 1):
                for k, z in enumerate(e, 1):
                    table[i, j, k] = max(table[i - 1, j, k], table[i, j - 1, k], table[i, j, k - 1],
                                         table[i - 1, j - 1, k - 1] + (x == y == z))
        corner = self.run_stage("recurrences", "three", c=c, d=d, e=e)["L_corner"]
        self.assertEqual((corner[()], corner.dtype), (table[-1, -1, -1], numpy.int16))

    def test_a_model_whose_states_follow_one_another(self):
        a = random_text(40, 10)
        emission = numpy.random.default_rng(11).integers(-9, 0, (5, 4)).astype("i4")
        low = -1000000
        way, rows = [0] + [low] * 4, []
        for letter in a:
            way = [max(way[s] - 1, (way[s - 1] if s else low) - 3) + emission[s]["ACGT".index(letter)]
                   for s in range(5)]
            rows.append(way)
        group = self.run_stage("recurrences", "states", a=a, emission=emission)
        self.assertEqual(group["V"][()].tolist(), rows)
        self.assertEqual(list(group["V_last"]), rows[-1])


if __name__ == "__main__":
    main()
