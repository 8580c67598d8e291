"""`verify --sample` of stencils: cells of stored states are made again from the input or the snapshot before."""
import re

from stencil_test import stencil
from terrace_runs import DONE, FAILED, main, numpy
from verify_test import VerifyTest

FACES = [["periodic", "fixed"], ["reflect", "symmetric"], [{"value": 2}, "edge"]]


class StencilVerify(VerifyTest):
    def random(self, seed, *shape, kind=numpy.float64):
        values = numpy.random.default_rng(seed).random(shape).astype(kind)
        return {"npy": self.write(f"{seed}.npy", values)}


class OfOperators(StencilVerify):
    def test_sums(self):
        inputs = {"line": self.random(1, 300, kind=numpy.float32), "grid": self.random(2, 40, 50),
                  "cube": self.random(3, 12, 14, 16, kind=numpy.float32), "c": self.random(4, 40, 50)}
        stages = [stencil("s1", "star1d", grid="line", steps=9, radius=3),
                  stencil("b1", "box1d", grid="line", steps=9, boundary="periodic"),
                  stencil("s2", "star2d", grid="grid", steps=12, coefficients=[0.1, "c", 0.3, 0.2, 0.1]),
                  stencil("b2", "box2d", grid="grid", steps=7, radius=2, boundary=FACES[0]),
                  stencil("f2", "box2d", grid="grid", steps=7, radius=3, arithmetic="fast"),
                  stencil("s3", "star3d", grid="cube", steps=5, boundary="edge"),
                  stencil("b3", "box3d", grid="cube", steps=3, boundary="reflect"),
                  stencil("o", "offsets", grid="grid", steps=6, offsets=[[0, 2], [-1, 0], [3, -1]], boundary="symmetric")]
        self.check_finds(inputs, stages, *(f"{stage['name']}/grid" for stage in stages), ("b2/grid", (0, 0)),
                         ("s3/grid", (0, 13, 0)), "s1/steps")

    def test_formulas(self):
        inputs = {"a": self.random(1, 30, 40), "b": self.random(2, 30, 40), "h": self.random(3, 30, 40),
                  "cube": self.random(4, 10, 12, 14), "c": self.random(5, 10, 12, 14), "drive": self.random(6, 20)}
        waves, volumes = {"u": "a", "previous": "b"}, {"u": "cube", "previous": "c"}
        stages = [stencil("h2", "heat2d", grid="a", steps=9, dt=0.2, diffusivity="b", source="h", boundary="edge"),
                  stencil("h3", "heat3d", grid="cube", steps=6, dt=0.1, diffusivity=1),
                  stencil("w2", "wave2d", fields=waves, steps=9, dt=0.5, speed="h", boundary="periodic"),
                  stencil("w3", "wave3d", fields=volumes, steps=6, dt=0.4, speed=1),
                  stencil("fdtd", "fdtd2d", fields={"ex": "a", "ey": "b", "hz": "h"}, drive="drive", steps=15,
                          snapshots=[4]),
                  stencil("spot", "hotspot", grid="a", power="b", steps=8)]
        self.check_finds(inputs, stages, "h2/grid", "h3/grid", "w2/u", "w2/previous", "w3/u", "w3/previous", "fdtd/ex",
                         "fdtd/ey", "fdtd/hz", "fdtd/hz_snapshots", ("fdtd/ey", (0, 3)), "spot/grid")

    def test_faces_sources_and_masks(self):
        mask = (numpy.random.default_rng(5).random((31, 23)) < 0.2).astype(numpy.uint8)
        inputs = {"a": self.random(1, 31, 23), "q": self.random(2, 31, 23), "m": {"npy": self.write("m.npy", mask)}}
        stages = [stencil(f"s{i}", "star2d", grid="a", source="q", mask="m", steps=8, radius=2, boundary=faces,
                          until={"residual": 1e-9, "norm": "l2", "every": 3}) for i, faces in enumerate(FACES)]
        flips = [(f"s{i}/grid", point) for i in range(3) for point in ((0, 0), (30, 22), (15, 11))]
        masked = tuple(int(i) for i in numpy.argwhere(mask)[0])
        self.check_finds(inputs, stages, *flips, ("s1/grid", masked), "s0/residual", "s2/residual")


class OfPoints(StencilVerify):
    def test_sources_receivers_and_coordinates(self):
        inputs = {"a": self.random(1, 40, 50), "cube": self.random(2, 10, 12, 14, kind=numpy.float32),
                  "line": self.random(3, 90), "v": self.random(4, 12), "w": self.random(5, 12)}
        stages = [stencil("l", "star1d", grid="line", steps=9, boundary="periodic",
                          point_sources=[{"at": [0], "values": "v"}], receivers={"at": [[89], [44]], "every": 2}),
                  stencil("g", "wave2d", fields={"u": "a", "previous": "a"}, steps=12, dt=0.5, speed=1,
                          boundary=["periodic", "edge"], snapshots=[5],
                          point_sources=[{"at": [0, 49], "values": "v"}, {"at": [0, 49], "values": "w"},
                                         {"at": [39, 3], "values": "w", "field": "previous"}],
                          receivers={"at": [[0, 0], [39, 48], [20, 20]]}, spacing=[0.1, 2]),
                  stencil("c", "star3d", grid="cube", steps=8, point_sources=[{"at": [4, 5, 6], "values": "v"}],
                          receivers={"at": [[4, 5, 6], [5, 5, 6]]}, until={"residual": 1e-30, "every": 4})]
        self.check_finds(inputs, stages, "l/receivers", ("l/receivers", (3, 0)), "l/grid", "l/receiver_time", "g/u",
                         ("g/receivers", (11, 1)), ("g/receivers", (4, 2)), "g/row", "g/column", "g/receiver_time",
                         "c/receivers", "c/receiver_time", "c/grid")
        (self.folder / "result.h5").write_bytes((self.folder / "whole.h5").read_bytes())
        said = self.verify("--sample", "1").stdout
        self.assertIn("g/receivers: 6 of 6 traces computed again, equal", said)
        self.assertIn("equal", self.verify("--all").stdout)


class OfStates(StencilVerify):
    def test_snapshots_and_checks(self):
        inputs = {"a": self.random(1, 40, 30, kind=numpy.float32)}
        stages = [stencil("listed", "star2d", grid="a", steps=10, snapshots=[0, 3, 4, 10]),
                  stencil("until", "star2d", grid="a", steps=1000, snapshots=[20, 500, 900],
                          until={"residual": 0.02, "every": 7}),
                  stencil("never", "star2d", grid="a", steps=30, until={"residual": 1e-30, "every": 8})]
        flips = [("listed/snapshots", (time, 20, 15)) for time in range(4)]
        self.check_finds(inputs, stages, *flips, "listed/grid", "listed/time", "listed/steps", "until/grid",
                         "until/snapshots", ("until/snapshots", (0, 0, 0)), "until/residual", "until/residual_step",
                         "until/time", "until/steps", "never/residual", "never/residual_step", "never/steps")

    def test_says_what_is_checked_and_from_where(self):
        self.run_stages({"a": self.random(1, 40, 30)},
                        [stencil("s", "star2d", grid="a", steps=10, snapshots=[3, 4],
                                 until={"residual": 0, "every": 2})])
        said = self.verify("--sample", "1").stdout
        for line in ("s/snapshots: 2 of 2 tiles computed again, each from the input or the snapshot before it, equal",
                     "s/grid: 1 of 1 tiles computed again, from the snapshot after step 4, equal",
                     "s/steps: compared with the residuals, equal",
                     "s/residual: 5 of 5 residuals computed again, equal"):
            self.assertIn(line, said)
        self.flip("s/snapshots", (1, 7, 8))
        said = self.verify("--sample", "1", expect=FAILED).stdout
        self.assertRegex(said, r"s/snapshots: .*DIFFERENT: snapshot 1, row 7, column 8: \S+ is stored, ")

    def test_tiles_of_larger_grids(self):
        self.run_stages({"a": self.random(1, 1100, 1100, kind=numpy.float32)},
                        [stencil("s", "star2d", grid="a", steps=40, boundary="periodic")])
        self.assertIn("25 of 25 tiles computed again, from the input, equal", self.verify("--sample", "1").stdout)
        self.flip("s/grid", (1099, 3))
        codes = set()
        for seed in range(1, 7):
            ended = self.terrace("verify", "result.h5", "--sample", "0.2", "--seed", seed, expect=None)
            codes.add(ended.returncode)
            self.assertIn("5 of 25 tiles computed again", ended.stdout)
            self.assertEqual(ended.returncode == FAILED, "DIFFERENT: row 1099, column 3: " in ended.stdout)
        self.assertEqual(codes, {DONE, FAILED})

    def test_states_of_too_many_steps_are_named(self):
        self.run_stages({"a": self.random(1, 400, 300)},
                        [stencil("s", "star2d", grid="a", steps=9100, snapshots=[10, 9000, 9090],
                                 until={"residual": 0, "every": 3000})])
        said = self.verify("--sample", "0.5").stdout
        self.assertIn("s/snapshots: not sampled: state after step 9000: too many steps from the state stored", said)
        self.assertRegex(said, r"s/snapshots: \d+ of \d+ tiles computed again, each")
        self.assertIn("computed again, from the snapshot after step 9090, equal", said)
        self.assertIn("s/residual: 1 of 2 residuals computed again, equal", said)
        self.assertIn("s/residual: not sampled: 1 of 3: too many steps of the whole grid", said)

    def test_grids_without_cells_and_thin_ones(self):
        for number, shape in enumerate(((0, 4), (64, 0), (2, 10), (1, 1))):
            inputs = {"a": {"npy": self.write(f"{number}.npy", numpy.full(shape, 0.5))}}
            self.run_job(inputs, [stencil("s", "star2d", grid="a", steps=27, snapshots=[0, 9],
                                          until={"residual": 0, "every": 2})], output=f"{number}.h5").close()
            said = self.verify("--sample", "1", result=f"{number}.h5").stdout
            self.assertNotIn("not sampled", said)
            self.assertEqual(len(re.findall(", equal$", said, re.MULTILINE)), 6, said)


if __name__ == "__main__":
    main()
