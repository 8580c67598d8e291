"""Optical flow by Horn and Schunck: to the bit against NumPy, against known answers, and wrong jobs."""
import json
import subprocess

import terrace_runs
from kernel_graph_parts_test import total
from terrace_runs import WRONG, JobTest, data, main, numpy

F = numpy.float32


def flow(name="s", **settings):
    return {"name": name, "kernel_graph": {"problem": "horn_schunck", "source": "a", "target": "b", **settings}}


def halved(a):
    rows, columns = a.shape[0] // 2, a.shape[1] // 2
    a = a[:2 * rows, :2 * columns]
    return F(0.25) * (((a[::2, ::2] + a[1::2, ::2]) + a[::2, 1::2]) + a[1::2, 1::2])


def mirrored(k, n):
    return numpy.where(k < 0, -k - 1, numpy.where(k >= n, 2 * n - 1 - k, k))


def bilinear(a, x, y):
    def split(at, n):
        at = numpy.minimum(numpy.maximum(at, F(1 - n)), F(2 * n - 2))
        whole = numpy.trunc(at)
        first = mirrored(whole.astype(numpy.int64), n)
        return first, mirrored(first + 1, n), numpy.abs(at - whole)

    (i, below, dy), (j, right, dx) = split(y, a.shape[0]), split(x, a.shape[1])
    left, above = F(1) - dx, F(1) - dy
    total = a[i, j] * left * above
    total = total + a[i, right] * dx * above
    total = total + a[below, j] * left * dy
    return total + a[below, right] * dx * dy


def derivative(a, axis):
    wide = numpy.pad(a, 2, mode="symmetric")
    rows, columns = a.shape
    at = lambda k: (wide[2 + k:2 + k + rows, 2:-2] if axis == 0 else wide[2:-2, 2 + k:2 + k + columns])
    t = at(-2) - F(8) * at(-1)
    t = t + F(8) * at(1)
    return (t - at(2)) / F(12)


def mean(a):
    wide = numpy.pad(a, 1, mode="edge")
    return (((wide[1:-1, :-2] + wide[1:-1, 2:]) + wide[2:, 1:-1]) + wide[:-2, 1:-1]) * F(0.25)


def horn_schunck(source, target, alpha, levels, warps, iterations):
    pyramid = [(source, target)]
    for _ in range(levels - 1):
        pyramid.append(tuple(map(halved, pyramid[-1])))
    u = v = None
    for source, target in reversed(pyramid):
        i, j = (index.astype(F) for index in numpy.indices(source.shape))
        if u is None:
            u = v = numpy.zeros(source.shape, F)
        else:
            x, y = (j - F(0.5)) * F(0.5), (i - F(0.5)) * F(0.5)
            u, v = (bilinear(a, x, y) * (F(large) / F(small))
                    for a, large, small in ((u, source.shape[1], u.shape[1]), (v, source.shape[0], v.shape[0])))
        for _ in range(warps):
            moved = bilinear(target, j + u, i + v)
            ix, iy = ((derivative(source, axis) + derivative(moved, axis)) * F(0.5) for axis in (1, 0))
            iz = moved - source
            divisor = ix * ix + iy * iy + F(alpha)
            du = dv = numpy.zeros(source.shape, F)
            for _ in range(iterations):
                mean_u, mean_v = mean(du), mean(dv)
                share = (ix * mean_u + iy * mean_v + iz) / divisor
                du, dv = mean_u - ix * share, mean_v - iy * share
            u, v = u + du, v + dv
    return u, v


def end_point_error(u, v, truth):
    known = numpy.abs(truth).max(axis=2) <= 1e9
    apart = numpy.hypot(u.astype(float) - truth[..., 0], v.astype(float) - truth[..., 1])
    return apart[known].mean()


class Flows(JobTest):
    always = {"backend": "cpu"}

    def images(self, shape, seed=3):
        draw = numpy.random.default_rng(seed)
        arrays = [draw.random(shape).astype(F) for _ in "ab"]
        return {name: {"npy": self.write(f"{name}.npy", array)} for name, array in zip("ab", arrays)}, arrays

    def check_same(self, result, expected, name="s"):
        for found, array in zip(("u", "v"), expected):
            same = result[f"{name}/{found}"][()].view(numpy.int32) == array.view(numpy.int32)
            self.assertTrue(same.all(), (found, numpy.argwhere(~same)[:3]))

    def test_flows_are_those_of_numpy_to_the_bit(self):
        for shape in ((37, 50), (8, 9), (90, 31), (5, 4)):
            with self.subTest(shape=shape):
                inputs, (a, b) = self.images(shape)
                result = self.run_job(inputs, [flow(alpha=0.2, levels=2, warps=2, iterations=20)], "--fresh=all")
                self.assertEqual(result["s/u"].dtype, F)
                self.check_same(result, horn_schunck(a, b, 0.2, 2, 2, 20))

    def test_slabs_of_any_height_give_the_same(self):
        inputs, (a, b) = self.images((300, 100))
        stage = flow(alpha=0.1, levels=3, warps=1, iterations=7)
        job = self.write_job(inputs, [stage], memory={"host": "9MiB", "device": "768KiB"})
        self.terrace("run", job)
        result = self.open()
        self.assertGreater(result["profile/stages/blocks"][0], 12)
        self.check_same(result, horn_schunck(a, b, 0.1, 3, 1, 7))

    def test_parts_that_are_not_alive_at_once_share_space_on_disk(self):
        """Of a warp two flows, four derivatives and two states of the change are alive at a time."""
        inputs = {name: {"generate": "uniform", "shape": [1024, 512], "type": "f32", "seed": seed}
                  for seed, name in enumerate("ab")}
        stage = flow(alpha=0.2, levels=1, warps=4, iterations=300)
        for memory in ({"host": "56MiB", "device": "40MiB"}, {"host": "1GiB"}):
            job = self.write_job(inputs, [stage], memory=memory)
            plan = json.loads(self.terrace("plan", job, "--json").stdout)
            said = self.terrace("plan", job, "--explain").stdout
            self.assertRegex(said, r"change_u_0_3: 300 steps, at most \d+ of them in a part")
            array = 1024 * 512 * 4
            self.assertLess(plan["disk"]["scratch"], 1.5 * 10 * array)
            self.check_reserves(job, plan["disk"]["scratch"])
            self.check_survives_kills(inputs, stage, "u", "v", jobs=1, memory=memory)

    def check_reserves(self, job, scratch):
        """The scratch files of a run have the planned size, and no other."""
        process = subprocess.Popen([terrace_runs.program, "run", job, "--fresh=all"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stderr.readline()  # it computes
        process.kill()
        process.communicate()
        files = [path for path in (self.folder / "result.h5.run").iterdir() if "-s-" in path.name]
        self.assertEqual(sum(path.stat().st_size for path in files), scratch)

    def check_error(self, result, truth, name="s"):
        """The mean end-point error, to the bit."""
        u, v = (result[f"{name}/{flow}"][()] for flow in "uv")
        a, b = truth[..., 0].astype(u.dtype), truth[..., 1].astype(u.dtype)
        with numpy.errstate(invalid="ignore", over="ignore"):
            known = (numpy.abs(a) <= 1e9) & (numpy.abs(b) <= 1e9)
            apart = numpy.where(known, numpy.sqrt((u - a) * (u - a) + (v - b) * (v - b)), u.dtype.type(0))
        self.assertEqual(result[f"{name}/error"].dtype, numpy.float64)
        self.assertEqual(result[f"{name}/error"].shape, ())
        self.assertEqual(result[f"{name}/error"][()], total(apart.astype(numpy.float64)) / known.sum())

    def test_errors_leave_out_what_is_not_known(self):
        inputs, (a, b) = self.images((37, 50))
        for dtype in (numpy.float32, numpy.float64):
            truth = numpy.random.default_rng(9).normal(size=(37, 50, 2)).astype(dtype)
            truth[3, 4, 0], truth[5, 6, 1], truth[7, 8], truth[9, 10, 1] = 1e10, -1.1e9, numpy.nan, 1e9
            truth[0, 0] = numpy.inf
            inputs["c"] = {"npy": self.write("c.npy", truth)}
            result = self.run_job(inputs, [flow(alpha=0.2, levels=2, warps=1, iterations=9, truth="c")], "--fresh=all")
            self.check_same(result, horn_schunck(a, b, 0.2, 2, 1, 9))
            self.check_error(result, truth)
        inputs["c"] = {"npy": self.write("c.npy", numpy.full((37, 50, 2), 1e10))}
        result = self.run_job(inputs, [flow(alpha=0.2, levels=1, warps=1, iterations=1, truth="c")], "--fresh=all")
        self.assertTrue(numpy.isnan(result["s/error"][()]))

    def test_errors_do_not_depend_on_slabs(self):
        inputs, _ = self.images((300, 100))
        truth = numpy.random.default_rng(9).normal(size=(300, 100, 2)).astype(F)
        self.write("c.flo", b"PIEH" + numpy.array([100, 300], "<i4").tobytes() + truth.tobytes())
        inputs["c"] = {"flo": "c.flo"}
        job = self.write_job(inputs, [flow(alpha=0.1, levels=3, warps=1, iterations=7, truth="c")],
                             memory={"host": "9MiB", "device": "900KiB"})
        self.terrace("run", job)
        result = self.open()
        self.assertGreater(result["profile/stages/blocks"][0], 12)
        self.check_error(result, truth)

    def test_known_answers(self):
        """Mean end-point errors of two scenes of Middlebury, found by an independent program."""
        whale, venus = ("RubberWhale", 1.2560), ("Venus", 3.8017)
        for (scene, none), channel, error in ((whale, "gray", 0.4093), (whale, "red", 0.4637), (venus, "gray", 0.8968),
                                              (venus, "red", 1.0092)):
            with self.subTest(scene=scene, channel=channel):
                inputs = {name: {"image": data("flow", scene, file), "channel": channel}
                          for name, file in (("a", "frame10.png"), ("b", "frame11.png"))}
                inputs["truth"] = {"flo": data("flow", scene, "flow10.flo")}
                stage = flow(alpha=0.2, levels=5, warps=3, iterations=500, truth="truth")
                result = self.run_job(inputs, [stage], "--fresh=all")
                with open(data("flow", scene, "flow10.flo"), "rb") as file:
                    raw = file.read()
                self.assertEqual(raw[:4], b"PIEH")
                columns, rows = numpy.frombuffer(raw, "<i4", 2, 4)
                truth = numpy.frombuffer(raw, "<f4", -1, 12).reshape(rows, columns, 2)
                self.assertAlmostEqual(end_point_error(0 * truth[..., 0], 0 * truth[..., 1], truth), none, 4)
                self.assertAlmostEqual(end_point_error(result["s/u"][()], result["s/v"][()], truth), error, 4)
                self.assertAlmostEqual(result["s/error"][()], error, 4)
                self.check_error(result, truth)


    def test_fast_arithmetic_is_close(self):
        for scene in ("RubberWhale", "Venus"):
            inputs = {name: {"image": data("flow", scene, file), "channel": "gray"}
                      for name, file in (("a", "frame10.png"), ("b", "frame11.png"))}
            stages = [flow(name, alpha=0.2, levels=5, warps=3, iterations=500, arithmetic=name)
                      for name in ("exact", "fast")]
            result = self.run_job(inputs, stages, "--fresh=all")
            for array in "uv":
                apart = abs(result[f"exact/{array}"][()] - result[f"fast/{array}"][()]).max()
                self.assertGreater(apart, 0)
                self.assertLess(apart, 2e-4)


class WrongFlows(JobTest):
    always = {"backend": "cpu"}

    def refused(self, *parts, shape=(20, 30), truth=None, **settings):
        inputs = {"a": {"generate": "uniform", "shape": [20, 30], "type": "f32"},
                  "b": {"generate": "uniform", "shape": list(shape), "type": "f32"}}
        if truth:
            inputs["c"] = {"generate": "uniform", "maximum": 9, "type": "f32", **truth}
            settings["truth"] = "c"
        job = self.write_job(inputs, [flow(**{"alpha": 0.2, "levels": 2, "warps": 1, "iterations": 1, **settings})])
        self.assertSays(self.terrace("plan", job, expect=WRONG), "job.yaml:", *parts)

    def test_truths(self):
        self.refused("'c' is 20 x 30: a flow is rows x columns x 2", truth={"shape": [20, 30]})
        self.refused("'c' is 20 x 30 x 3: a flow is rows x columns x 2", truth={"shape": [20, 30, 3]})
        self.refused("'c' is of i32: displacements are f32 or f64", truth={"shape": [20, 30, 2], "type": "i32"})
        self.refused("`truth` is of 20 x 31 pixels, and `source` 20 x 30", truth={"shape": [20, 31, 2]})

    def test_settings(self):
        self.refused("`alpha` is 0; give a number above 0", alpha=0)
        self.refused("`alpha` is -1", "images of 20 x 30 have at most 4 levels of 2 pixels and more, not 5", alpha=-1,
                     levels=5)
        self.refused("`target` is 20 x 31, and `source` 20 x 30", shape=(20, 31))
        self.refused("'warps' takes", warps=0)
        self.refused("`alpha` is 1e+300, which is too large for f32", "give `type: f64`", alpha=1e300)
        self.refused("`alpha` is 1e-300, which is 0 in f32", alpha=1e-300)

    def test_files_that_are_no_flows(self):
        right = b"PIEH" + numpy.array([30, 20], "<i4").tobytes() + bytes(20 * 30 * 8)
        for content, said in ((b"PIEX" + right[4:], "begins with the letters PIEH"),
                              (right[:9], "the file ends within its header of 12 bytes"),
                              (right[:4] + bytes(4) + right[8:], "byte 4: it has 0 columns"),
                              (right[:-1], "truth.flo"), (right + b"x", "1 byte follow")):
            self.write("truth.flo", content)
            inputs = {name: {"generate": "uniform", "shape": [20, 30], "type": "f32"} for name in "ab"}
            job = self.write_job({**inputs, "c": {"flo": "truth.flo"}},
                                 [flow(alpha=1, levels=1, warps=1, iterations=1, truth="c")])
            self.assertSays(self.terrace("plan", job, expect=WRONG), "truth.flo", said)

    def test_boundaries_are_no_setting(self):
        for boundary in ("edge", {"value": 0}):
            self.refused("job.yaml:32:5: unknown key 'boundary'", "it belongs to graph, harris, blend, not to "
                         "horn_schunck, whose definition has its boundaries: images and the flow are mirrored",
                         boundary=boundary)


if __name__ == "__main__":
    main()
