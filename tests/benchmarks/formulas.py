"""usage: formulas.py TERRACE [--backend cpu] [--scale 1] [--side 1] [--only TEXT] [--folder FOLDER]

Compares the rate of stencils that a job writes as formulas with operators of the list that compute the same: the
results have to be the same in every bit. Prints a table in Markdown; ends with 1 if a result differs. --scale
multiplies the number of steps, --side the extents of grids (by default 1 on a GPU, 1/4 on the CPU). FOLDER (the
system's for temporary files) takes up to 3 GiB.
"""
import sys
import tempfile

from stencil_rates import rate_of, read_arguments, size_in_words, sized

# name, shape, steps, type, keys of the operator, keys of the formula
LAPLACIAN = "fma(-4, u, ((u[-1,0] + u[0,-1]) + u[0,1]) + u[1,0])"
VOLUME = "fma(-6, u, ((((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1]) + u[0,1,0]) + u[1,0,0])"
HEAT = {"operator": "heat2d", "grid": "a", "dt": 0.1, "diffusivity": 0.8}
WAVE = {"operator": "wave2d", "fields": {"u": "a", "previous": "b"}, "dt": 0.5, "speed": 0.9}
FDTD = {"operator": "fdtd2d", "fields": {"ex": "a", "ey": "b", "hz": "a"}, "drive": "s"}
FDTD_CELLS = {"ey": "if(i == 0, drive, fma(-0.5, hz - hz[-1,0], ey))",
              "ex": "if(j == 0, ex, fma(-0.5, hz - hz[0,-1], ex))",
              "hz": "if(i + 1 < size(0) && j + 1 < size(1), fma(-0.7, ((ex[0,1] - ex) + ey[1,0]) - ey, hz), hz)"}
SPOTS_CELLS = {"u": "u + Du*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u) - u*v*v + F*(1 - u)",
               "v": "v + Dv*(v[-1,0] + v[1,0] + v[0,-1] + v[0,1] - 4*v) + u*v*v - (F + k)*v"}
STAGGERED_CELLS = {"x": "x - 0.2*(p[1,0,0] - p)", "y": "y - 0.2*(p[0,1,0] - p)", "z": "z - 0.2*(p[0,0,1] - p)",
                   "p": "p - 0.2*m*((x - x[-1,0,0]) + (y - y[0,-1,0]) + (z - z[0,0,-1]))"}
PAIRS = [
    ("heat2d", [8192, 8192], 512, "f32", HEAT,
     {"fields": {"u": "a"}, "parameters": {"dt": 0.1, "D": 0.8}, "cells": {"u": f"fma(dt*D, {LAPLACIAN}, u)"}}),
    ("heat2d, f64", [8192, 8192], 512, "f64", HEAT,
     {"fields": {"u": "a"}, "parameters": {"dt": 0.1, "D": 0.8}, "cells": {"u": f"fma(dt*D, {LAPLACIAN}, u)"}}),
    ("wave2d", [8192, 8192], 512, "f32", WAVE,
     {"fields": {"u": "a", "previous": "b"}, "parameters": {"dt": 0.5, "c": 0.9},
      "cells": {"u": f"fma((dt*c)*(dt*c), {LAPLACIAN}, (u + u) - previous)", "previous": "u"}}),
    ("fdtd2d", [8192, 8192], 512, "f32", FDTD,
     {"fields": {"ex": "a", "ey": "b", "hz": "a"}, "series": {"drive": "s"}, "update": "in_turn", "boundary": "edge",
      "cells": FDTD_CELLS}),
    ("heat3d", [1024, 512, 512], 256, "f32", {**HEAT, "operator": "heat3d"},
     {"fields": {"u": "a"}, "parameters": {"dt": 0.1, "D": 0.8}, "cells": {"u": f"fma(dt*D, {VOLUME}, u)"}}),
    ("heat3d, an array", [1024, 512, 512], 256, "f32", {**HEAT, "operator": "heat3d", "diffusivity": "b"},
     {"fields": {"u": "a"}, "arrays": {"D": "b"}, "parameters": {"dt": 0.1}, "cells": {"u": f"fma(dt*D, {VOLUME}, u)"}}),
    ("wave3d, an array", [1024, 512, 512], 256, "f32", {**WAVE, "operator": "wave3d", "speed": "c"},
     {"fields": {"u": "a", "previous": "b"}, "arrays": {"c": "c"}, "parameters": {"dt": 0.5},
      "cells": {"u": f"fma((dt*c)*(dt*c), {VOLUME}, (u + u) - previous)", "previous": "u"}}),
    ("a wave in three dimensions, pressure and velocities, f32", [512, 512, 512], 256, "f32", None,
     {"fields": {"p": "a", "x": "b", "y": "b", "z": "b"}, "arrays": {"m": "c"}, "cells": STAGGERED_CELLS}),
    ("a shot in two arrays, f32", [8192, 8192], 512, "f32", None,
     {"fields": {"u": "a", "previous": "b"}, "arrays": {"q": "c", "keep": "d"},
      "cells": {"u": "keep*(2*u - previous + 0.25*q*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u))",
                "previous": "keep*u"}}),
    ("a step in turn, f32", [8192, 8192], 512, "f32", None,
     {"fields": {"u": "a"}, "cells": {"u": "if((i + j + t) % 2 == 0, 0.25*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1]), u)"}}),
    ("Gray and Scott", [8192, 8192], 1000, "f32", None,
     {"fields": {"u": "a", "v": "b"}, "parameters": {"Du": 0.16, "Dv": 0.08, "F": 0.035, "k": 0.065},
      "cells": SPOTS_CELLS}),
]


def main():
    arguments = read_arguments(__doc__, side_on_cpu=0.25)
    print("| cells | size, steps | operator: method, G cells/s | formula: method, G cells/s | formula / operator |\n"
          "|---|---|---|---|---|")
    differ = False
    for name, shape, steps, kind, operator, formula in PAIRS:
        if arguments.only not in name:
            continue
        shape, steps = sized(arguments, shape, steps)
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            written, method, found = rate_of(arguments, folder, shape, kind, steps, {"operator": "formula", **formula})
            cells = ["-", "-"]
            if operator:
                built_in, of_operator, expected = rate_of(arguments, folder, shape, kind, steps, operator)
                cells = [f"{of_operator}, {built_in:.4g}", f"{100 * written / built_in:.0f}%"]
                if found != expected:
                    differ = True
                    cells[1] += ", DIFFERENT"
        print(f"| {name} | {size_in_words(shape, steps)} | {cells[0]} | {method}, {written:.4g} | {cells[1]} |", flush=True)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
