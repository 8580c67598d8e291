"""In-place sweeps in whole jobs: against PolyBench's dumps, and against plain loops at any budget."""
import re
import unittest

from terrace_runs import WRONG, JobTest, data, main, numpy, wavefront


def seidel(name, grid, **settings):
    return wavefront(name, "seidel", grid=grid, **settings)


def sor(name, grid, **settings):
    return wavefront(name, "sor", grid=grid, **settings)


def polybench_grid(size):
    """What seidel-2d begins with."""
    i, j = numpy.mgrid[0:size, 0:size].astype(numpy.float64)
    return (i * (j + 2) + 2) / size


def sweep_sor(grid, sweeps, omega):
    """The definition, along anti-diagonals: a cell needs those of the one before, new, and of the next, old."""
    grid = grid.copy()
    one, share = grid.dtype.type(1 - omega), grid.dtype.type(omega / 4)
    rows, columns = grid.shape
    for _ in range(sweeps):
        for d in range(2, rows + columns - 3):
            i = numpy.arange(max(1, d - columns + 2), min(rows - 2, d - 1) + 1)
            j = d - i
            grid[i, j] = ((((one * grid[i, j] + share * grid[i, j + 1]) + share * grid[i + 1, j]) +
                           share * grid[i - 1, j]) + share * grid[i, j - 1])
    return grid


class Dumps(JobTest):
    def check(self, size, sweeps, name, **keys):
        with open(data("stencil", f"seidel-2d.{name}.out")) as file:
            dump = file.read()
        numbers = re.search(r"begin dump: A(.*)end +dump: A", dump, re.DOTALL).group(1).split()
        self.assertEqual(len(numbers), size * size)
        result = self.run_job({"a": {"npy": self.write("a.npy", polybench_grid(size))}},
                              [seidel("swept", "a", sweeps=sweeps)], **keys)
        self.assertEqual(["%.17g" % value for value in result["swept/grid"][()].ravel()], numbers)

    def test_of_polybench_mini(self):
        self.check(40, 20, "MINI")

    def test_of_polybench_small(self):
        self.check(120, 40, "SMALL")

    def test_of_polybench_small_in_several_passes(self):
        self.check(120, 40, "SMALL", memory={"host": 200000})


class Budgets(JobTest):
    def test_the_grid_is_the_same_at_any_budget(self):
        random = numpy.random.default_rng(5)
        grid = random.normal(size=(700, 150)).astype(numpy.float32)
        expected = sweep_sor(grid, 37, 1.4)
        path = self.write("a.npy", grid)
        blocks = set()
        for number, host in enumerate(["1GiB", "500KiB", "250KiB", "160KiB"]):
            output = f"out{number}.h5"
            job = self.write_job({"a": {"npy": path}}, [sor("swept", "a", sweeps=37, omega=1.4)], output=output)
            self.terrace("run", job, "--set", f"memory.host={host}")
            result = self.open(output)
            with self.subTest(host=host):
                self.assertEqual(result["swept/grid"].dtype, numpy.float32)
                self.assertTrue(numpy.array_equal(result["swept/grid"][()], expected))
            blocks.add(int(result["profile/stages/blocks"][0]))
        self.assertGreater(len(blocks), 2, "the budgets were to force several slabs and passes")

    def test_a_budget_that_no_slab_fits_names_the_least(self):
        job = self.write_job({"a": {"generate": "uniform", "shape": [1000, 10000], "type": "f64"}},
                             [sor("swept", "a", sweeps=3)])
        ended = self.terrace("run", job, "--set", "memory.host=100KiB", expect=WRONG)
        self.assertSays(ended, "memory.host is too small for any plan of this stage: the least is ")
        least = re.search(r"the least is ([0-9.]+ ?[A-Za-z]+)", ended.stderr).group(1).replace(" ", "")
        self.terrace("run", job, "--set", f"memory.host={least}")


class Grids(JobTest):
    def test_grids_without_inner_cells_stay_as_they_are(self):
        for rows in range(4):
            for columns in range(4):
                grid = numpy.arange(rows * columns, dtype=numpy.float64).reshape(rows, columns) ** 2 + 1
                inputs = {"a": {"npy": self.write("a.npy", grid)}}
                many = 70 if rows == columns == 3 else 10**12
                result = self.run_job(inputs, [sor("s", "a", sweeps=3), seidel("t", "a", sweeps=many)], "--fresh")
                if rows == columns == 3:
                    self.assertTrue(numpy.array_equal(result["s/grid"][()], sweep_sor(grid, 3, 1)))
                    continue
                for stage in "st":
                    self.assertEqual(result[f"{stage}/grid"].shape, grid.shape)
                    self.assertTrue(numpy.array_equal(result[f"{stage}/grid"][()], grid))

    def test_integers_are_swept_in_f64_or_in_the_type_that_is_asked_for(self):
        grid = numpy.arange(30 * 20, dtype=numpy.int16).reshape(30, 20) % 77
        result = self.run_job({"a": {"npy": self.write("a.npy", grid)}},
                              [sor("wide", "a", sweeps=5), sor("narrow", "a", sweeps=5, type="f32"),
                               seidel("on", "wide/grid", sweeps=2)])
        for stage, kind in (("wide", numpy.float64), ("narrow", numpy.float32)):
            self.assertEqual(result[stage + "/grid"].dtype, kind)
            self.assertTrue(numpy.array_equal(result[stage + "/grid"][()], sweep_sor(grid.astype(kind), 5, 1)))
        self.assertEqual(result["on/grid"].dtype, numpy.float64)

    def test_a_schedule_that_is_not_theirs_is_refused(self):
        flat = {"a": {"npy": self.write("a.npy", numpy.zeros((4, 4), numpy.float32))}}
        ended = self.terrace("run", self.write_job(flat, [sor("s", "a", schedule="peer_square")]), expect=WRONG)
        self.assertSays(ended, "job.yaml:", "'schedule' takes one of auto, registers, not ")
        self.terrace("run", self.write_job(flat, [sor("s", "a", schedule="registers")]))

    def test_what_is_no_grid_and_what_is_no_number_of_sweeps_is_an_error(self):
        cube = {"a": {"generate": "uniform", "shape": [3, 4, 5], "type": "f64"}}
        self.assertSays(self.terrace("run", self.write_job(cube, [sor("s", "a")]), expect=WRONG),
                        "'a' has 3 dimensions; a grid has two")
        flat = {"a": {"generate": "uniform", "shape": [3, 4], "type": "f64"}}
        for settings in ({"sweeps": 0}, {"sweeps": -1}, {"omega": 2.5}, {"boundary": "periodic"}, {"gap": 1}):
            with self.subTest(**settings):
                self.terrace("run", self.write_job(flat, [sor("s", "a", **settings)]), expect=WRONG)


if __name__ == "__main__":
    main()
