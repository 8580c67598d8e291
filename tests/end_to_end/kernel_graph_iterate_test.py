"""Graphs of kernels with formulas and iterations: against NumPy, at any budget, and wrong ones."""
import re
import signal
import subprocess
import time

import terrace_runs
from terrace_runs import STOPPED, WRONG, JobTest, main, numpy


def graph(name, nodes, keep, **settings):
    return {"name": name, "kernel_graph": {"nodes": nodes, "keep": keep, **settings}}


def shifted(array, i, j, mode="edge"):
    """The array with its rows and columns moved, with what lies outside."""
    wide = numpy.pad(array, 3, mode=mode)
    rows, columns = array.shape
    return wide[3 + i:3 + i + rows, 3 + j:3 + j + columns]


# Gray-Scott: two states, which the steps read at neighbours.
LAPLACE = "0.2*(x[-1,0] + x[1,0] + x[0,-1] + x[0,1]) + 0.05*(x[-1,-1] + x[-1,1] + x[1,-1] + x[1,1]) - x"


def spread(x, mode):
    at = lambda i, j: shifted(x, i, j, mode)
    near = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) * x.dtype.type(0.2)
    far = (at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)) * x.dtype.type(0.05)
    return near + far - x


def reactions(times, boundary):
    nodes = {"lu": {"formula": LAPLACE, "operands": {"x": "u"}}, "lv": {"formula": LAPLACE, "operands": {"x": "v"}},
             "r": {"formula": "u*v*v", "operands": {"u": "u", "v": "v"}},
             "next_u": {"formula": "u + (0.2*l - r + f*(1 - u))",
                        "operands": {"u": "u", "l": "lu", "r": "r", "f": "feed"}},
             "next_v": {"formula": "v + (0.1*l + r - (f + 0.06)*v)",
                        "operands": {"v": "v", "l": "lv", "r": "r", "f": "feed"}}}
    for name in ("lu", "lv"):
        nodes[name]["boundary"] = boundary
    return {"i": {"iterate": {"state": {"u": "a", "v": "b"}, "nodes": nodes, "next": {"u": "next_u", "v": "next_v"}},
                  "times": times}}


def reacted(u, v, feed, times, mode):
    kind = u.dtype.type
    for _ in range(times):
        lu, lv, r = spread(u, mode), spread(v, mode), u * v * v
        u, v = (u + ((kind(0.2) * lu - r) + feed * (1 - u)), v + ((kind(0.1) * lv + r) - (feed + kind(0.06)) * v))
    return u, v


class Iterations(JobTest):
    always = {"backend": "cpu"}

    def arrays(self, names, shape, dtype=numpy.float32):
        draw = numpy.random.default_rng(7)
        found = {name: draw.random(shape).astype(dtype) for name in names}
        return {name: {"npy": self.write(f"{name}.npy", array)} for name, array in found.items()}, found

    def test_formulas_are_those_of_numpy(self):
        for dtype in (numpy.float32, numpy.float64):
            inputs, arrays = self.arrays(("a", "b"), (41, 90), dtype)
            nodes = {"f": {"formula": "x[0,0] - 0.25*(x[-1,0] + x[1,0] + y)", "operands": {"x": "a", "y": "b"},
                           "boundary": "edge"},
                     "wide": {"formula": "if(x[0,3] < x[0,-3], i + 0.5*j, size(1) - x)", "operands": {"x": "f"},
                              "boundary": {"value": 0.25}}}
            result = self.run_job(inputs, [graph("s", nodes, ["f", "wide"])], "--fresh=all")
            a = arrays["a"]
            f = a - dtype(0.25) * (shifted(a, -1, 0) + shifted(a, 1, 0) + arrays["b"])
            self.assertTrue(numpy.array_equal(result["s/f"][()], f))
            wide = numpy.pad(f, 3, constant_values=dtype(0.25))
            rows, columns = numpy.indices(f.shape)
            expected = numpy.where(wide[3:-3, 6:] < wide[3:-3, :-6], rows + dtype(0.5) * columns.astype(dtype),
                                   dtype(90) - f).astype(dtype)
            self.assertTrue(numpy.array_equal(result["s/wide"][()], expected))

    def test_iterations_are_those_of_numpy(self):
        for dtype, mode, boundary in ((numpy.float32, "edge", "edge"), (numpy.float64, "wrap", "periodic"),
                                      (numpy.float32, "reflect", "reflect")):
            inputs, arrays = self.arrays(("a", "b", "feed"), (50, 37), dtype)
            result = self.run_job(inputs, [graph("s", reactions(12, boundary), ["i/u", "i/v"])], "--fresh=all")
            u, v = reacted(arrays["a"], arrays["b"], arrays["feed"], 12, mode)
            self.assertTrue(numpy.array_equal(result["s/i_u"][()], u), mode)
            self.assertTrue(numpy.array_equal(result["s/i_v"][()], v), mode)

    def test_states_are_read_by_nodes_and_later_stages(self):
        inputs, arrays = self.arrays(("a", "b", "feed"), (30, 21))
        nodes = {**reactions(3, "edge"), "all": {"add": ["i/u", "i/v"]}}
        again = {"half": {"scale": "v", "factor": 0.5}}
        result = self.run_job(inputs, [graph("s", nodes, ["all", "i/v"]),
                                       graph("t", again, "half", inputs={"v": "s/i_v"})])
        u, v = reacted(arrays["a"], arrays["b"], arrays["feed"], 3, "edge")
        self.assertTrue(numpy.array_equal(result["s/all"][()], u + v))
        self.assertTrue(numpy.array_equal(result["t/half"][()], v * numpy.float32(0.5)))

    def test_no_step_leaves_the_first_values(self):
        inputs, arrays = self.arrays(("a", "b", "feed"), (8, 9))
        result = self.run_job(inputs, [graph("s", reactions(0, "edge"), ["i/u", "i/v"])])
        self.assertTrue(numpy.array_equal(result["s/i_u"][()], arrays["a"]))
        self.assertTrue(numpy.array_equal(result["s/i_v"][()], arrays["b"]))

    def test_states_may_change_places(self):
        """A wave: the state before becomes the one of two steps before."""
        inputs, arrays = self.arrays(("a", "b"), (19, 25))
        step = {"new": {"formula": "2*u - w + 0.25*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)",
                        "operands": {"u": "u", "w": "before"}, "boundary": {"value": 0}}}
        nodes = {"i": {"iterate": {"state": {"u": "a", "before": "b"}, "nodes": step,
                                   "next": {"u": "new", "before": "u"}}, "times": 9}}
        result = self.run_job(inputs, [graph("s", nodes, ["i/u", "i/before"])])
        u, before = arrays["a"], arrays["b"]
        for _ in range(9):
            at = lambda i, j: shifted(u, i, j, "constant")
            near = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * u
            u, before = 2 * u - before + numpy.float32(0.25) * near, u
        self.assertTrue(numpy.array_equal(result["s/i_u"][()], u))
        self.assertTrue(numpy.array_equal(result["s/i_before"][()], before))

    def test_slabs_of_any_height_give_the_same(self):
        inputs = {name: {"generate": "uniform", "shape": [400, 300], "type": "f32", "seed": seed}
                  for seed, name in enumerate(("a", "b", "feed"))}
        stage = graph("s", {**reactions(10, "edge"), "x": {"sobel": "i/u", "axis": "x"}}, ["x", "i/v"])
        whole = self.run_job(inputs, [stage], output="whole.h5")
        job = self.write_job(inputs, [stage], output="cut.h5", memory={"host": "8MiB", "device": "1MiB"})
        self.terrace("run", job)
        cut = self.open("cut.h5")
        self.assertGreater(cut["profile/stages/blocks"][0], 3)
        for name in ("x", "i_v"):
            self.assertTrue(numpy.array_equal(whole[f"s/{name}"][()], cut[f"s/{name}"][()]), name)

    def uniform(self, shape):
        return {name: {"generate": "uniform", "shape": shape, "type": "f32", "seed": seed}
                for seed, name in enumerate(("a", "b", "feed"))}

    def test_slabs_hand_rows_of_many_steps_on(self):
        inputs = self.uniform([900, 40])
        nodes = {**reactions(150, "symmetric"), "all": {"add": ["i/u", "i/v"]}, "n": {"histogram": "i/u"}}
        for times in (2, 150):
            nodes["i"]["times"] = times
            stage = graph("s", nodes, ["all", "i/v", "n"])
            whole = self.run_job(inputs, [stage], "--fresh=all", output="whole.h5")
            job = self.write_job(inputs, [stage], output="cut.h5", memory={"host": "8MiB", "device": "700KiB"})
            self.terrace("run", job, "--fresh=all")
            cut = self.open("cut.h5")
            self.assertGreater(cut["profile/stages/blocks"][0], 5)
            for name in ("all", "i_v", "n"):
                self.assertTrue(numpy.array_equal(whole[f"s/{name}"][()], cut[f"s/{name}"][()]), (name, times))

    def test_a_killed_run_goes_on(self):
        stage = graph("s", reactions(60, "edge"), ["i/u", "i/v"])
        self.check_survives_kills(self.uniform([800, 90]), stage, "i_u", "i_v", memory={"host": "8MiB", "device": "900KiB"})

    def test_steps_of_slabs_are_done_once(self):
        job = self.write_job(self.uniform([3000, 40]), [graph("s", reactions(500, "edge"), ["i/u"])],
                             memory={"device": "2MiB"})
        said = self.terrace("plan", job).stdout
        share = float((re.search(r"([0-9.]+)% of the work is done again", said) or ["", "0"])[1])
        self.assertLess(share, 5, said)

    def long_stage(self, name, times, u="a", v="b"):
        """A reaction that starts at given arrays, and reads another one that is made."""
        nodes = reactions(times, "edge")
        nodes["i"]["iterate"]["state"] = {"u": "u0", "v": "v0"}
        nodes["feed"] = {"scale": "c", "factor": 0.05}
        return graph(name, nodes, ["i/u", "i/v"], inputs={"u0": u, "v0": v, "c": "c"})

    def long_inputs(self, shape):
        return {name: {"generate": "uniform", "shape": shape, "type": "f32", "seed": seed}
                for seed, name in enumerate(("a", "b", "c"))}

    def parts_of(self, job):
        said = self.terrace("plan", job, "--explain").stdout
        parts = re.search(r"computed in f32, in (\d+) parts", said)
        return (1 if parts is None else int(parts[1])), said

    def test_long_iterations_are_stopped_and_killed_between_their_parts(self):
        inputs, times = self.long_inputs([40, 30]), 60000
        # The same as stages that are not cut.
        last, stages = ("a", "b"), []
        for number in range(40):
            stages.append(self.long_stage(f"s{number}", times // 40, *last))
            last = f"s{number}/i_u", f"s{number}/i_v"
        expected = self.run_job(inputs, stages, output="stages.h5")
        job = self.write_job(inputs, [self.long_stage("s", times)], name="long.yaml", output="long.h5")
        parts, said = self.parts_of(job)
        self.assertGreater(parts, 5)
        self.assertRegex(said, r"i/u: 60000 steps, at most \d+ of them in a part")
        often = ("--set", "checkpoint.every=1ms")
        for number, code in ((signal.SIGTERM, STOPPED), (signal.SIGKILL, -signal.SIGKILL)):
            process = subprocess.Popen([terrace_runs.program, "run", job, *often], cwd=self.folder, text=True,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.addCleanup(process.kill)
            process.stderr.readline()  # it computes
            time.sleep(0.15)
            began = time.monotonic()
            process.send_signal(number)
            process.communicate()
            self.assertEqual(process.returncode, code)
            self.assertLess(time.monotonic() - began, 5)  # a tenth of that on a machine with nothing else to do
        self.terrace("run", job, "--set", "memory.host=40MiB")
        made = self.open("long.h5")
        self.assertLess(made["profile/stages/blocks"][0], parts)  # of this attempt
        for name in ("i_u", "i_v"):
            self.assertTrue(numpy.array_equal(made[f"s/{name}"][()], expected[f"s39/{name}"][()]), name)

    def test_parts_of_long_iterations_have_slabs(self):
        inputs, times = self.long_inputs([3000, 30]), 1000
        expected = self.run_job(inputs, [self.long_stage("s0", times // 2), self.long_stage("s", times // 2, "s0/i_u", "s0/i_v")],
                                output="stages.h5")
        for memory in ("10MiB", "8MiB"):
            job = self.write_job(inputs, [self.long_stage("s", times)], name="long.yaml", output="long.h5",
                                 memory={"host": "16MiB", "device": memory})
            parts, said = self.parts_of(job)
            self.assertGreater(parts, 1, said)
            self.terrace("run", job, "--fresh=all")
            made = self.open("long.h5")
            self.assertGreater(made["profile/stages/blocks"][0], parts, said)
            for name in ("i_u", "i_v"):
                self.assertTrue(numpy.array_equal(made[f"s/{name}"][()], expected[f"s/{name}"][()]), (name, memory))

    def test_very_long_iterations_are_planned_at_once(self):
        job = self.write_job(self.long_inputs([40, 30]), [self.long_stage("s", 1000000000)])
        began = time.monotonic()
        parts, said = self.parts_of(job)
        self.assertLess(time.monotonic() - began, 3)  # a tenth of that on a machine with nothing else to do
        self.assertGreater(parts, 100000)
        self.assertLess(len(said.splitlines()), 30)

    def test_a_formula_in_other_words_is_the_same_stage(self):
        inputs = {"a": {"generate": "uniform", "shape": [20, 30], "type": "f32"}}
        run = lambda text, **operands: self.terrace("run", self.write_job(
            inputs, [graph("s", {"f": {"formula": text, "operands": operands}}, "f")]))
        run("x + 0.5*x[0, 1]", x="a")
        self.assertIn("is there already", run("here + (0.50 * here[0,1])", here="a").stderr)


class WrongIterations(JobTest):
    always = {"backend": "cpu"}

    def refused(self, nodes, keep, *parts):
        inputs = {"a": {"generate": "uniform", "shape": [20, 30], "type": "f32"},
                  "b": {"generate": "uniform", "shape": [20, 31], "type": "f32"}}
        used = {"o": {"add": ["a", "a"]}, "p": {"scale": "b"}}
        job = self.write_job(inputs, [graph("s", {**nodes, **used}, [keep, "o", "p"])])
        self.assertSays(self.terrace("check", job, expect=WRONG), "job.yaml:", *parts)

    def iterate(self, *parts, keep="i/u", times=3, **changes):
        iteration = {"state": {"u": "a"}, "nodes": {"n": {"formula": "0.5*x[0,1]", "operands": {"x": "u"}}},
                     "next": {"u": "n"}, **changes}
        self.refused({"i": {"iterate": iteration, "times": times}}, keep, *parts)

    def test_formulas(self):
        formula = lambda text, **operands: {"f": {"formula": text, "operands": operands}}
        self.refused(formula("x +* y", x="a", y="a"), "f", "node 'f'", "job.yaml:")
        self.refused(formula("x + zz", x="a"), "f", "node 'f': ", "'zz'")
        self.refused(formula("x[0,17]", x="a"), "f", "reaches at most 16 rows and columns")
        self.refused(formula("x[1]", x="a"), "f", "a neighbour is written with offsets of its row and its column")
        self.refused(formula("x + y", x="a", y="b"), "f", "20 x 30 and 20 x 31")
        self.refused(formula("x + y", x="a", y="c"), "f", "there is no node or input 'c'")
        self.refused({"f": {"formula": "1.0"}}, "f", "`formula` needs `operands`")
        self.refused({"f": {"scale": "a", "operands": {"x": "a"}}}, "f", "`scale` takes no `operands`")

    def test_places_are_inside_of_formulas(self):
        job = self.write_text_job('        f: {formula: "x + (zz * 2)", operands: {x: a}}')
        said = self.terrace("check", job, expect=WRONG).stderr
        self.assertIn("job.yaml:7:28: stage 's': node 'f': ", said)

    def write_text_job(self, node):
        return self.write("job.yaml", "\n".join((
            "job: j", "inputs: {a: {generate: uniform, shape: [4, 5], type: f32}}", "stages:", "  - name: s",
            "    kernel_graph:", "      nodes:", node, "      keep: f", "backend: cpu", "output: r.h5", "")))

    def test_states(self):
        self.iterate("`next` of 'w': there is no such state", "state 'u' has no `next`", next={"w": "n"})
        self.iterate("there is no node or state 'm' in the iteration", next={"u": "m"})
        self.iterate("no node of the iteration reads state 'v'", state={"u": "a", "v": "a"}, next={"u": "n", "v": "n"})
        self.iterate("there is no node or input 'c'", state={"u": "c"})
        self.iterate("there is no node 'i/w'", "did you mean", keep="i/w")
        self.iterate("there is no node 'i'", keep="i")
        self.iterate("'nodes.i.times' takes a whole number from 0", times=-1)

    def test_nodes_of_iterations(self):
        n = {"formula": "0.5*x[0,1]", "operands": {"x": "u"}}
        self.iterate("nodes depend on themselves: m <- k <- m",
                     nodes={"n": n, "k": {"add": ["m", "n"]}, "m": {"scale": "k"}}, next={"u": "m"})
        self.iterate("no next state depends on node 'k'", nodes={"n": n, "k": {"scale": "u"}})
        self.iterate("unknown key 'warp'", nodes={"n": n, "k": {"warp": "u", "by": ["u", "u"]}})
        self.iterate("there is no node or input 'nn'", "did you mean 'n'",
                     nodes={"n": {"scale": "u"}, "m": {"scale": "nn"}}, next={"u": "m"})
        self.iterate("'o' has the name of a state, or of an array outside", nodes={"o": n}, next={"u": "o"})
        self.iterate("20 x 30 and 20 x 31", nodes={"n": {"add": ["u", "b"]}})
        self.refused({"i": {"iterate": {"state": {"u": "i/u"}, "nodes": {"n": n}, "next": {"u": "n"}}, "times": 1}},
                     "i/u", "nodes depend on themselves")


if __name__ == "__main__":
    main()
