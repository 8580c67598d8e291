"""Stencils that jobs write as formulas: against NumPy, beside built-in operators, and wrong ones."""
import signal
import subprocess
import time
import unittest

import terrace_runs
from terrace_runs import STOPPED, WRONG, JobTest, main, numpy


def formula(name, **settings):
    return {"name": name, "stencil": {"operator": "formula", **settings}}


def rolled(grid, down, right):
    """The values at an offset, of a periodic grid."""
    return numpy.roll(grid, (-down, -right), (0, 1))


class Formulas(JobTest):
    def grids(self, shape, kind="f4", count=2):
        random = numpy.random.default_rng(7)
        grids = [random.random(shape).astype(kind) for _ in range(count)]
        return {name: {"npy": self.write(f"{name}.npy", grid)} for name, grid in zip("ab", grids)}, grids

    def test_gray_and_scott_equals_numpy_in_every_bit(self):
        inputs, (u, v) = self.grids((37, 53))
        result = self.run_job(
            inputs,
            [formula("spots", fields={"u": "a", "v": "b"}, parameters={"Du": 0.16, "Dv": 0.08, "F": 0.035, "k": 0.065},
                     cells={"u": "u + Du*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u) - u*v*v + F*(1 - u)",
                            "v": "v + Dv*(v[-1,0] + v[1,0] + v[0,-1] + v[0,1] - 4*v) + u*v*v - (F + k)*v"},
                     boundary="periodic", steps=40)])
        f = numpy.float32
        for _ in range(40):
            def spread(x):
                return rolled(x, -1, 0) + rolled(x, 1, 0) + rolled(x, 0, -1) + rolled(x, 0, 1) - f(4) * x
            new_u = u + f(0.16) * spread(u) - u * v * v + f(0.035) * (f(1) - u)
            new_v = v + f(0.08) * spread(v) + u * v * v - (f(0.035) + f(0.065)) * v
            u, v = new_u, new_v
        self.assertTrue(numpy.array_equal(result["spots/u"], u))
        self.assertTrue(numpy.array_equal(result["spots/v"], v))

    def test_formulas_of_operators_give_their_bits(self):
        inputs, _ = self.grids((41, 300), "f8")
        steps = {"steps": 23, "boundary": ["edge", "reflect"]}
        result = self.run_job(inputs, [
            {"name": "built_in", "stencil": {"operator": "wave2d", "fields": {"u": "a", "previous": "b"}, "dt": 0.5,
                                             "speed": 0.9, **steps}},
            formula("written", fields={"u": "a", "previous": "b"}, parameters={"dt": 0.5, "c": 0.9},
                    cells={"u": "fma((dt*c)*(dt*c), fma(-4, u, ((u[-1,0] + u[0,-1]) + u[0,1]) + u[1,0]), "
                                "(u + u) - previous)", "previous": "u"}, **steps)])
        for field in ("u", "previous"):
            self.assertTrue(numpy.array_equal(result[f"built_in/{field}"], result[f"written/{field}"]))

    def test_arrays_series_and_places(self):
        inputs, (a, b) = self.grids((9, 12), "f8")
        inputs["s"] = {"npy": self.write("s.npy", numpy.arange(5, dtype="f8"))}
        result = self.run_job(inputs, [formula(
            "one", fields={"u": "a"}, arrays={"c": "b"}, series={"pulse": "s"},
            cells={"u": "if(i == 3 && j > size(1) - 3, pulse, c*u) + t"}, boundary="edge", steps=5,
            snapshots={"every": 2})])
        i, j = numpy.indices(a.shape)
        snapshots = []
        for t in range(5):
            a = numpy.where((i == 3) & (j > 9), float(t), b * a) + t
            if t % 2 == 1:
                snapshots.append(a)
        self.assertTrue(numpy.array_equal(result["one/u"], a))
        self.assertTrue(numpy.array_equal(result["one/snapshots"], snapshots))

    def test_cells_in_turn_are_made_in_the_order_of_the_job(self):
        inputs, (a, b) = self.grids((8, 10), "f8")
        cells = {"u": "0.5*(u + v[0,1])", "v": "v + u[1,0]"}

        def run(order):
            return self.run_job(inputs, [formula("s", fields={"u": "a", "v": "b"}, update="in_turn",
                                                 cells={name: cells[name] for name in order}, boundary="periodic",
                                                 steps=3)], output=order + ".h5")

        first, second = run("uv"), run("vu")
        u, v = a, b
        for _ in range(3):
            u = 0.5 * (u + rolled(v, 0, 1))
            v = v + rolled(u, 1, 0)
        self.assertTrue(numpy.array_equal(first["s/u"], u))
        self.assertTrue(numpy.array_equal(first["s/v"], v))
        u, v = a, b
        for _ in range(3):
            v = v + rolled(u, 1, 0)
            u = 0.5 * (u + rolled(v, 0, 1))
        self.assertTrue(numpy.array_equal(second["s/u"], u))
        self.assertTrue(numpy.array_equal(second["s/v"], v))

    def test_a_later_stage_reads_a_field(self):
        inputs, (a, _) = self.grids((8, 10), "f8")
        result = self.run_job(inputs, [formula("s", fields={"w": "a"}, cells={"w": "w + 1"}, boundary="edge", steps=2),
                                       formula("r", fields={"x": "s/w"}, cells={"x": "2*x"}, boundary="edge",
                                               steps=1)])
        self.assertTrue(numpy.array_equal(result["r/x"], 2 * (a + 1 + 1)))

    def test_wrong_formulas_are_refused_at_their_place(self):
        inputs, _ = self.grids((8, 10), "f8")

        def said(expected, **settings):
            job = {"fields": {"u": "a"}, "cells": {"u": "u"}, "steps": 1, **settings}
            self.assertSays(self.terrace("check", self.write_job(inputs, [formula("s", **job)]), expect=WRONG), expected)

        said("there is nothing of the name 'w'; there is i, j, t, u", cells={"u": "u + w"})
        said("a neighbour in a grid of 2 dimensions is written as u[-1, 0]", cells={"u": "u[1]"})
        said("two whole numbers are divided within a real expression", cells={"u": "u + 1/4"})
        said("a formula reaches at most 8 cells", cells={"u": "u[9,0]"})
        said("'i' is an index of the cell in formulas", fields={"i": "a"}, cells={"i": "i"})
        said("the field 'v' has no formula here", fields={"u": "a", "v": "b"})
        said("there is no field 'v'", cells={"u": "u", "v": "u"})
        said("'c' stands for two things in formulas", parameters={"c": 1}, arrays={"c": "b"})
        said("the array 'c' is read at the cell alone", arrays={"c": "b"}, cells={"u": "c[0,1]"})
        said("a parameter is a number, not 'x'", parameters={"c": "x"})
        said("the new 'u' of a neighbour is read", fields={"u": "a", "v": "b"}, update="in_turn",
             cells={"u": "u + 1", "v": "u[0,1]"})
        said("the stage has another dataset of that name", fields={"time": "a"}, cells={"time": "time"})

    def test_faults_name_line_and_column_inside_a_text(self):
        inputs, _ = self.grids((8, 10), "f8")
        job = self.write("text.yaml", f"""job: text
inputs: {{a: {{npy: {inputs["a"]["npy"]}}}}}
stages:
  - name: s
    stencil:
      operator: formula
      fields: {{u: a}}
      cells:
        u: >-
          u +
          w
      steps: 1
output: out.h5
""")
        self.assertSays(self.terrace("check", job, expect=WRONG), "text.yaml:11:11: stage 's': there is nothing")

    # A job, and the same one in other words.
    WORDS = {"fields": {"u": "a", "v": "b"}, "arrays": {"c": "b", "d": "a"}, "parameters": {"D": 0.25, "F": -2},
             "cells": {"u": "u + D*(v[0,1] - u) + c*d", "v": "v*D + F*u[1,0]*0.1"},
             "boundary": "edge", "steps": 300}
    SAME_WORDS = {**WORDS, "arrays": {"speed": "b", "damping": "a"}, "parameters": {"rate": "2.5e-1"},
                  "cells": {"v": " (v * rate) + (-2*u[1, 0])*1e-1",
                            "u": "(u + rate*(v[0,1]-u))\n  + (speed*damping)"}}

    def computed(self, job, *arguments):
        """Runs the job and returns whether it was computed, and not there already."""
        ended = self.terrace("run", job, *arguments)
        there = "is there already, made by this job" in ended.stderr
        self.assertEqual(there, "done in" not in ended.stderr, ended.stderr)
        return not there

    def test_the_same_formulas_in_other_words_are_there_already(self):
        inputs, _ = self.grids((30, 40), "f8")
        self.assertTrue(self.computed(self.write_job(inputs, [formula("s", **self.WORDS)])))
        same = self.write_job(inputs, [formula("s", **self.SAME_WORDS)])
        self.assertFalse(self.computed(same))
        self.terrace("verify", "result.h5", "--sample", "1")

        def differs(said, **changes):
            job = self.write_job(inputs, [formula("s", **{**self.WORDS, **changes})])
            self.assertSays(self.terrace("run", job, expect=WRONG), "was made by another job", said)

        cells = self.WORDS["cells"]
        differs("stages.s.cells.u was", cells={**cells, "u": "u + D*(v[0,1] - u) + (c + d)"})
        differs("stages.s.cells.u was", cells={**cells, "u": "u + (D*(v[0,1] - u) + c*d)"})
        differs("stages.s.cells.u was", cells={**cells, "u": "u + D*(v[0,1] - u) + d*c"})
        differs("stages.s.parameters.D was", parameters={"D": 0.5, "F": -2})
        differs("stages.s.parameters.F was", parameters={"D": 0.25, "F": "-2.0"})
        differs("stages.s.arrays.c was", arrays={"c": "a", "d": "b"})
        # Names of fields are names of datasets.
        differs('stages.s.cells was ["u","v"] and is ["w","v"]', fields={"w": "a", "v": "b"},
                cells={name.replace("u", "w"): text.replace("u", "w") for name, text in cells.items()})

    def test_cells_that_change_their_turns_are_another_stage(self):
        inputs, _ = self.grids((8, 10), "f8")
        cells = {"u": "0.5*(u + v)", "v": "v + u"}

        def job(order, update):
            return self.write_job(inputs, [formula("s", fields={"u": "a", "v": "b"}, update=update, steps=3,
                                                   cells={name: cells[name] for name in order})], output=update + ".h5")

        for update in ("in_turn", "together"):
            self.assertTrue(self.computed(job("uv", update)))
        self.assertFalse(self.computed(job("vu", "together")))
        self.assertSays(self.terrace("run", job("vu", "in_turn"), expect=WRONG), "stages.s.cells was")

    def test_stages_in_other_words_are_taken_over(self):
        inputs, _ = self.grids((30, 40), "f8")
        reader = formula("r", fields={"x": "s/u"}, cells={"x": "2*x"}, steps=1)
        self.terrace("run", self.write_job(inputs, [formula("s", **self.WORDS)]))
        ended = self.terrace("run", self.write_job(inputs, [formula("s", **self.SAME_WORDS), reader]))
        self.assertSays(ended, "'s' is taken over")
        result = self.open()
        expected = 2 * result["s/u"][()]
        expected[0], expected[-1], expected[:, 0], expected[:, -1] = (result["s/u"][()][at] for at in
                                                                      (0, -1, (slice(None), 0), (slice(None), -1)))
        self.assertTrue(numpy.array_equal(result["r/x"], expected))

    def test_a_renamed_field_is_computed_under_its_new_name(self):
        inputs, _ = self.grids((30, 40), "f8")
        cells = self.WORDS["cells"]
        renamed = {**self.WORDS, "fields": {"w": "a", "v": "b"},
                   "cells": {name.replace("u", "w"): text.replace("u", "w") for name, text in cells.items()}}
        before = self.run_job(inputs, [formula("s", **self.WORDS)])["s/u"][()]
        result = self.run_job(inputs, [formula("s", **renamed)], "--fresh=changed")
        self.assertNotIn("u", result["s"])
        self.assertTrue(numpy.array_equal(result["s/w"], before))

    def test_a_stopped_run_goes_on_in_other_words(self):
        inputs, _ = self.grids((300, 400))
        expected = self.run_job(inputs, [formula("s", **self.WORDS)], output="whole.h5")
        keys = {"memory": {"host": 3 << 20, "device": 2 << 20}, "checkpoint": {"every": "1ms"}, "backend": "cpu"}
        job = self.write_job(inputs, [formula("s", **self.WORDS)], **keys)
        process = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        ledgers = self.folder / "result.h5.run" / "ledger"
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            if ledgers.exists() and sum(file.stat().st_size for file in ledgers.iterdir()) > 2000:
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), STOPPED)
        other = self.write_job(inputs, [formula("s", **{**self.SAME_WORDS, "steps": 301})], **keys)
        self.assertSays(self.terrace("run", other, expect=WRONG), "holds a run of another job", "stages.s.steps was")
        ended = self.terrace("run", self.write_job(inputs, [formula("s", **self.SAME_WORDS)], **keys))
        self.assertSays(ended, "going on with the run in")
        result = self.open()
        for field in ("u", "v"):
            self.assertTrue(numpy.array_equal(result[f"s/{field}"], expected[f"s/{field}"]))

    def test_survives_kills(self):
        inputs, _ = self.grids((300, 400))
        self.check_survives_kills(
            inputs, formula("s", fields={"u": "a", "v": "b"}, cells={"u": "u + 0.1*(v[0,1] - u)", "v": "v + 0.1*u[1,0]"},
                            boundary="edge", steps=400), "u", "v")


if __name__ == "__main__":
    main()
