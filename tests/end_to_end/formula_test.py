"""Stencils that jobs write as formulas: against NumPy, beside built-in operators, and wrong ones."""
import unittest

from terrace_runs import WRONG, JobTest, main, numpy


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

    def test_survives_kills(self):
        inputs, _ = self.grids((300, 400))
        self.check_survives_kills(
            inputs, formula("s", fields={"u": "a", "v": "b"}, cells={"u": "u + 0.1*(v[0,1] - u)", "v": "v + 0.1*u[1,0]"},
                            boundary="edge", steps=400), "u", "v")


if __name__ == "__main__":
    main()
