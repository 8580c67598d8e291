"""Optical flow by Horn and Schunck: to the bit against NumPy, against known answers, and wrong jobs."""
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

    def test_known_answers(self):
        """Mean end-point errors of two scenes of Middlebury, found by an independent program."""
        whale, venus = ("RubberWhale", 1.2560), ("Venus", 3.8017)
        for (scene, none), channel, error in ((whale, "gray", 0.4093), (whale, "red", 0.4637), (venus, "gray", 0.8968),
                                              (venus, "red", 1.0092)):
            with self.subTest(scene=scene, channel=channel):
                inputs = {name: {"image": data("flow", scene, file), "channel": channel}
                          for name, file in (("a", "frame10.png"), ("b", "frame11.png"))}
                result = self.run_job(inputs, [flow(alpha=0.2, levels=5, warps=3, iterations=500)], "--fresh=all")
                with open(data("flow", scene, "flow10.flo"), "rb") as file:
                    raw = file.read()
                self.assertEqual(raw[:4], b"PIEH")
                columns, rows = numpy.frombuffer(raw, "<i4", 2, 4)
                truth = numpy.frombuffer(raw, "<f4", -1, 12).reshape(rows, columns, 2)
                self.assertAlmostEqual(end_point_error(0 * truth[..., 0], 0 * truth[..., 1], truth), none, 4)
                self.assertAlmostEqual(end_point_error(result["s/u"][()], result["s/v"][()], truth), error, 4)


class WrongFlows(JobTest):
    always = {"backend": "cpu"}

    def refused(self, *parts, shape=(20, 30), **settings):
        inputs = {"a": {"generate": "uniform", "shape": [20, 30], "type": "f32"},
                  "b": {"generate": "uniform", "shape": list(shape), "type": "f32"}}
        job = self.write_job(inputs, [flow(**{"alpha": 0.2, "levels": 2, "warps": 1, "iterations": 1, **settings})])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", *parts)

    def test_settings(self):
        self.refused("`alpha` is 0; give a number above 0", alpha=0)
        self.refused("`alpha` is -1", "images of 20 x 30 have at most 4 levels of 2 pixels and more, not 5", alpha=-1,
                     levels=5)
        self.refused("`target` is 20 x 31, and `source` 20 x 30", shape=(20, 31))
        self.refused("'warps' takes", warps=0)


if __name__ == "__main__":
    main()
