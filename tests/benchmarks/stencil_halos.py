"""usage: stencil_halos.py

Two ways to cut a grid that is larger than a device's memory into slabs that make many steps while they are there, by a
model of their time: skewed slabs, which hand rows of every step on (stages/stencil), and slabs with redundant halos,
which make the rows that they need of their neighbours again. Prints the rate of both, each with its best number of
steps a pass and rows of a slab, for budgets of the device in rows of the grid, and every case that the second way wins.
Nothing is measured: rates of kernels, memory and links are those of RESULTS.md.
"""
from typing import NamedTuple

STEPS = (512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)


class Case(NamedTuple):
    name: str
    radius: int
    size: int       # bytes of a cell
    rate: float     # cells a second, in core
    memory: float   # bytes a second of the device
    link: float     # bytes a second each way
    depth: int      # steps that the kernel makes at a time
    filling: int    # rows for which a launch of the kernel takes longer than its own rows


CASES = (Case("GPU, star2d r1, f32, host memory", 1, 4, 4.10e12, 4.2e12, 50e9, 16, 48),
         Case("GPU, star2d r1, f64, host memory", 1, 8, 2.06e12, 4.2e12, 50e9, 16, 48),
         Case("GPU, star2d r4, f32, host memory", 4, 4, 1.11e12, 4.2e12, 50e9, 4, 48),
         Case("GPU, box2d r3, f32, host memory", 3, 4, 0.478e12, 4.2e12, 50e9, 4, 36),
         Case("GPU, star3d r1, f32, host memory", 1, 4, 0.79e12, 4.2e12, 50e9, 4, 10),
         Case("GPU, star2d r1, f32, disk", 1, 4, 4.10e12, 4.2e12, 2e9, 16, 48),
         Case("EPYC, star2d r1, f32, disk", 1, 4, 15e9, 45e9, 2e9, 16, 16),
         Case("EPYC, star2d r4, f32, disk", 4, 4, 3.8e9, 45e9, 2e9, 4, 16),
         Case("EPYC, box3d r1, f32, disk", 1, 4, 1.4e9, 45e9, 2e9, 4, 8))


def skewed(case, steps, budget):
    """Seconds a cell and step, and rows of a slab. The budget holds four tiles (or two, if nothing is to overlap), the
    kernel's workspace of a tile, and the rows that are handed on; a slab is at least as high as its kernel demands."""
    deep = min(case.depth, steps)
    least = max(2 * case.radius * deep, case.radius * (steps + deep - 1), 1)
    for tiles in (4, 2):
        rows = (budget - 3 * case.radius * steps) / (tiles + 1)
        if rows < least:
            continue
        handed_on = 4 * case.radius * case.size / case.memory / rows
        computing = (1 + case.filling / rows) / case.rate + handed_on
        moving = case.size / steps / case.link
        yield (max(computing, moving) if tiles == 4 else computing + 2 * moving), steps, rows


def redundant(case, steps, budget):
    """Likewise: a slab with its halos twice, and a tile that comes and one that goes, or neither."""
    halo = case.radius * steps
    for tiles in (2, 0):
        rows = (budget - 4 * halo) / (tiles + 2)
        if rows < 1:
            continue
        computing = (1 + halo / rows) * (1 + case.filling / (rows + halo)) / case.rate
        moving = case.size / steps / case.link * (1 + 2 * halo / rows)
        yield (max(computing, moving) if tiles == 2 else computing + 2 * moving), steps, rows


def best(way, case, budget, most):
    return min((found for steps in STEPS if steps <= most for found in way(case, steps, budget)), default=None)


def text(found):
    return f"{1e-9 / found[0]:9.3g} G, {found[1]:3} steps, {found[2]:7.0f} rows" if found else "         does not fit"


def main():
    wins = []
    for case in CASES:
        print(case.name)
        for most in (512, 16):
            for budget in (8, 16, 64, 256, 1024, 4096, 16384, 65536):
                one, other = best(skewed, case, budget, most), best(redundant, case, budget, most)
                print(f"  {budget:6} rows, at most {most:3} steps: skewed {text(one):38}  redundant {text(other)}")
        wins += [(budget, case.name) for budget in range(4, 4000) for most in (512, 16)
                 if (other := best(redundant, case, budget, most))
                 and (not (one := best(skewed, case, budget, most)) or other[0] < 0.99 * one[0])]
    print("redundant halos win by more than 1%, of budgets of 4 to 3999 rows:")
    for name in sorted({name for _, name in wins}):
        budgets = {budget for budget, of in wins if of == name}
        print(f"  {name}: {len(budgets)}, {min(budgets)} to {max(budgets)} rows")


if __name__ == "__main__":
    main()
