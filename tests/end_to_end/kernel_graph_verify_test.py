"""`verify --sample` of graphs: cells, numbers and lists are made again from inputs."""
from horn_schunck_test import flow
from kernel_graph_test import graph
from terrace_runs import FAILED, h5py, main, numpy
from verify_test import VerifyTest

BOUNDARIES = ["symmetric", "edge", "reflect", "periodic", {"value": 0.25}]


class GraphVerify(VerifyTest):
    always = {"backend": "cpu"}

    def image(self, name, *shape, kind=numpy.float32, seed=1):
        values = numpy.random.default_rng(seed).random(shape)
        if kind in (numpy.uint8, numpy.uint16):
            values = (values * numpy.iinfo(kind).max).round()
        return {"npy": self.write(f"{name}.npy", values.astype(kind))}


class OfSmallGraphs(GraphVerify):
    """All of an array is made again at once."""

    def test_neighbourhoods_at_every_boundary(self):
        inputs = {"image": self.image("image", 41, 37), "wide": self.image("wide", 30, 26, kind=numpy.float64)}
        nodes = {"s": {"stencil": "image", "coefficients": [[0.1, -0.2, 0.3], [0.4, 0.5, -0.6], [0.7, 0.8, 0.9]]},
                 "b": {"box_sum": "s", "radius": 2}, "g": {"sobel": "b", "axis": "x"},
                 "f": {"formula": "x[-2, 1] + i*y[0, -3] - if(j < 5, x, y)", "operands": {"x": "g", "y": "image"}},
                 "m": {"mix": ["f", "s"], "mask": "image"}, "p": {"peaks": "b"}}
        stages = [graph(f"s{n}", nodes, ["f", "m", "p"], boundary=boundary) for n, boundary in enumerate(BOUNDARIES)]
        stages.append(graph("wide", {"s": {"stencil": "wide", "rows": [1, 2, 1], "columns": [0.5, 0.5, 0.25, 1, 1]}},
                            ["s"]))
        flips = [(f"s{n}/{name}", point) for n in range(len(BOUNDARIES)) for name, point in
                 (("f", (0, 0)), ("m", (40, 36)), ("p", (20, 11)))]
        self.check_finds(inputs, stages, *flips, "wide/s")

    def test_scales_and_types(self):
        inputs = {"image": self.image("image", 43, 38, kind=numpy.uint8)}
        nodes = {"down": {"pyramid_down": "image"}, "up": {"pyramid_up": "down", "like": "image", "type": "u16"},
                 "half": {"downscale": "image", "type": "f64"}, "twice": {"upscale": "half", "type": "u8"},
                 "scaled": {"scale": "up", "factor": -1.5, "offset": 0.5}}
        self.check_finds(inputs, [graph("s", nodes, ["up", "half", "twice", "scaled"])], "s/up", "s/half",
                         ("s/twice", (0, 0)), ("s/scaled", (42, 37)))

    def test_numbers_counts_and_positions(self):
        inputs = {"image": self.image("image", 45, 52)}
        nodes = {"smooth": {"box_sum": "image", "radius": 1}, "top": {"reduce": "smooth", "with": "maximum"},
                 "low": {"reduce": "image", "with": "minimum"}, "all": {"reduce": "smooth", "with": "sum"},
                 "strong": {"threshold": "smooth", "below": {"of": "top", "times": 0.8}},
                 "counts": {"histogram": "strong", "bins": 12, "range": [0, 10]}, "peaks": {"peaks": "strong"},
                 "found": {"positions": "peaks", "most": 1000}, "more": {"histogram": "image"}}
        keep = ["strong", "all", "low", "counts", "found", "more"]
        self.check_finds(inputs, [graph("s", nodes, keep)], "s/strong", "s/all", "s/low", ("s/counts", (3,)),
                         ("s/more", (255,)), ("s/found", (0, 0)), ("s/found", (2, 1)))

    def test_warps_and_iterations(self):
        inputs = {"image": self.image("image", 60, 50), "u": self.image("u", 60, 50, seed=2),
                  "v": self.image("v", 60, 50, seed=3)}
        body = {"mean": {"stencil": "a", "coefficients": [[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]]},
                "next": {"formula": "x + 0.1*(m[0, 1] - y)", "operands": {"x": "mean", "m": "image", "y": "b"}}}
        nodes = {"far": {"scale": "u", "factor": 30, "offset": -15},
                 "moved": {"warp": "image", "by": ["far", "v"]}, "again": {"warp": "moved", "by": ["v", "far"]},
                 "none": {"constant": 0, "like": "image"},
                 "i": {"iterate": {"state": {"a": "again", "b": "none"}, "nodes": body,
                                   "next": {"a": "next", "b": "mean"}}, "times": 7},
                 "sum": {"add": ["i/a", "i/b"]}}
        stages = [graph("s", nodes, ["moved", "again", "i/a", "sum"])]
        stages += [graph(f"t{n}", nodes, ["sum"], boundary=boundary) for n, boundary in enumerate(BOUNDARIES[1:])]
        self.check_finds(inputs, stages, "s/moved", ("s/again", (0, 0)), ("s/i_a", (59, 49)), "s/sum", "t0/sum",
                         "t1/sum", ("t2/sum", (0, 49)), "t3/sum")

    def test_flows(self):
        inputs = {"a": self.image("a", 40, 36), "b": self.image("b", 40, 36, seed=2),
                  "t": self.image("t", 40, 36, 2, seed=3)}
        settings = {"alpha": 0.2, "levels": 2, "warps": 2, "iterations": 12, "truth": "t"}
        stages = [flow("exact", **settings), flow("fast", arithmetic="fast", **settings)]
        self.check_finds(inputs, stages, "exact/u", ("exact/v", (0, 0)), "exact/error", "fast/u", "fast/v")

    def test_corners(self):
        inputs = {"image": self.image("image", 64, 61, kind=numpy.uint8)}
        stages = [{"name": "s", "kernel_graph": {"problem": "harris", "source": "image", "threshold": 0.3}}]
        self.check_finds(inputs, stages, "s/response", ("s/corners", (1, 1)))
        self.remove_last("s/corners")
        said = self.verify("--sample", "1", expect=FAILED).stdout
        self.assertRegex(said, r"s/corners: .*DIFFERENT: row [0-9]+, column [0-9]+ was computed, and is not listed")

    def remove_last(self, dataset):
        with h5py.File(self.folder / "whole.h5") as whole, h5py.File(self.folder / "result.h5", "r+") as file:
            values = whole[dataset][()][:-1]
            del file[dataset]
            file[dataset] = values


class OfBoxes(GraphVerify):
    def test_a_changed_pixel_of_one_tile(self):
        inputs = {"image": self.image("image", 3000, 2100, kind=numpy.uint8)}
        nodes = {"s": {"box_sum": "image", "radius": 2}, "e": {"scale": "s", "factor": 0.04, "type": "u8"}}
        self.run_stages(inputs, [graph("s", nodes, ["e"])])
        said = self.verify("--sample", "0.02").stdout
        self.assertRegex(said, "s/e: 3 of 108 tiles computed again, equal")
        self.flip("s/e", (2999, 17))
        said = self.verify("--sample", "1", expect=FAILED).stdout
        self.assertIn("row 2999, column 17", said)

    def test_boxes_of_iterations_are_apart(self):
        inputs = {"image": self.image("image", 1000, 1100)}
        mean = {"formula": "(x[0, -1] + x[0, 1] + x[1, 0] + x[-1, 0])/4", "operands": {"x": "a"}}
        nodes = {"i": {"iterate": {"state": {"a": "image"}, "nodes": {"n": mean}, "next": {"a": "n"}}, "times": 60}}
        self.run_stages(inputs, [graph("s", nodes, ["i/a"])])
        said = self.verify("--sample", "0.1").stdout
        self.assertRegex(said, "s/i_a: [0-9]+ of [0-9]+ (tiles|boxes of [0-9]+ x [0-9]+ cells) computed again, equal")
        with h5py.File(self.folder / "result.h5", "r+") as file:
            file["s/i_a"][:] = file["s/i_a"][:] + 1
        said = self.verify("--sample", "0.1", expect=FAILED).stdout
        self.assertRegex(said, "s/i_a: .*DIFFERENT")

    def test_what_is_not_sampled_is_named(self):
        inputs = {"image": self.image("image", 400, 350)}
        mean = {"formula": "(x[0, -1] + x[0, 1] + x[1, 0] + x[-1, 0])/4", "operands": {"x": "a"}}
        nodes = {"i": {"iterate": {"state": {"a": "image"}, "nodes": {"n": mean}, "next": {"a": "n"}}, "times": 24000},
                 "top": {"reduce": "i/a", "with": "maximum"},
                 "counts": {"histogram": "strong", "bins": 3},
                 "strong": {"threshold": "image", "below": {"of": "top", "times": 0.5}}}
        stages = [graph("s", nodes, ["top", "counts", "strong"])]
        self.run_stages(inputs, stages)
        said = self.verify("--sample", "0.1").stdout
        self.assertRegex(said, "s/top: not sampled: .*--all")
        self.assertIn("s/strong: ", said)
        self.assertNamesAll(said, stages)

    def test_what_reads_a_long_iteration_is_made_again_from_its_stored_result(self):
        inputs = {"image": self.image("image", 600, 350)}
        mean = {"formula": "(x[0, -1] + x[0, 1] + x[1, 0] + x[-1, 0])/4", "operands": {"x": "a"}}
        nodes = {"i": {"iterate": {"state": {"a": "image"}, "nodes": {"n": mean}, "next": {"a": "n"}}, "times": 24000},
                 "edge": {"formula": "x[0, 1] - y", "operands": {"x": "i/a", "y": "image"}},
                 "wide": {"box_sum": "edge", "radius": 2}}
        stages = [graph("s", nodes, ["i/a", "edge", "wide"])]
        self.run_stages(inputs, stages)
        said = self.verify("--sample", "1").stdout
        self.assertRegex(said, "s/edge: [0-9]+ of [0-9]+ tiles computed again from 'i/a' as stored, equal")
        self.assertRegex(said, "s/wide: [0-9]+ of [0-9]+ tiles computed again from 'edge' as stored, equal")
        self.assertRegex(said, "s/i_a: not sampled: .* by 24000 steps of 'i/a', between which no result keeps the states: "
                         "--all computes it again")
        self.flip("s/edge", (599, 17))
        said = self.verify("--sample", "1", expect=FAILED).stdout
        self.assertRegex(said, "s/edge: .*DIFFERENT: row 599, column 17")


if __name__ == "__main__":
    main()
