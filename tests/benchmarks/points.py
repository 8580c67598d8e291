"""usage: points.py TERRACE [--backend cpu] [--scale 1] [--side 1] [--only TEXT] [--folder FOLDER]

Compares the rate of stencils with 100 point sources and 100 receivers at random cells with that of the same stencils
without them, and prints a table in Markdown. --scale multiplies the number of steps, --side the extents of grids (by
default 1 on a GPU, 1/8 on the CPU). FOLDER (the system's for temporary files) takes up to 3 GiB.
"""
import random
import tempfile

from formulas import HEAT, WAVE
from stencil_rates import rate_of, read_arguments, size_in_words, sized

SPEEDS = {"fields": {"u": "a", "previous": "b"}, "parameters": {"c": 0.2}, "boundary": "edge",
          "cells": {"u": "2*u - previous + c*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)", "previous": "u"}}
VOLUMES = {**WAVE, "operator": "wave3d", "boundary": "edge", "dt": 0.1}
# name, shape, steps, keys
STENCILS = [
    ("wave2d", [4096, 4096], 1024, {**WAVE, "boundary": "edge"}),
    ("wave2d", [8192, 8192], 512, {**WAVE, "boundary": "edge"}),
    ("heat2d", [16384, 16384], 512, {**HEAT, "boundary": "edge"}),
    ("a wave as a formula", [8192, 8192], 512, {**SPEEDS, "operator": "formula"}),
    ("wave3d", [512, 512, 512], 256, VOLUMES),
]


def main():
    arguments = read_arguments(__doc__, side_on_cpu=0.125)
    draw = random.Random(1)
    print("| stencil, f32 | size, steps | method | without, G cells/s | with sources; receivers; both, of that |\n"
          "|---|---|---|---|---|")
    for name, shape, steps, keys in STENCILS:
        if arguments.only not in name:
            continue
        shape, steps = sized(arguments, shape, steps)
        at = [[draw.randrange(extent) for extent in shape] for _ in range(200)]
        sources = {"point_sources": [{"at": place, "values": "s"} for place in at[:100]]}
        receivers = {"receivers": {"at": at[100:]}}
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            def rate(points):
                return rate_of(arguments, folder, shape, "f32", steps, {**keys, **points})

            plain, method, _ = rate({})
            others = [f"{100 * rate(points)[0] / plain:.0f}%" for points in (sources, receivers, {**sources, **receivers})]
        print(f"| {name} | {size_in_words(shape, steps)} | {method} | {plain:.4g} | {'; '.join(others)} |", flush=True)


if __name__ == "__main__":
    main()
