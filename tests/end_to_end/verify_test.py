"""Finished results are compared with their checksums, and parts of them with what plain programs compute."""
import os
import pathlib
import random
import re
import shutil
import subprocess

import terrace_runs
from terrace_runs import (FAILED, WRONG, JobTest, affine, h5py, main, mutated, numpy, random_letters,
                          random_text, wavefront)


def recursive(name, problem, **settings):
    return {"name": name, "recursive": {"problem": problem, **settings}}


class VerifyTest(JobTest):
    def verify(self, *arguments, expect=terrace_runs.DONE, result="result.h5"):
        return self.terrace("verify", result, *arguments, expect=expect)

    def run_stages(self, inputs, stages, **keys):
        """Runs a job and forgets its checksums, so that a change is left to the sample to find."""
        self.run_job(inputs, stages, **keys).close()
        self.forget_checksums()

    def forget_checksums(self, result="result.h5"):
        with h5py.File(self.folder / result, "r+") as file:
            if "checksums" in file.attrs:
                del file.attrs["checksums"]
            if "checksums" in file:
                del file["checksums"]

    def flip(self, dataset, point=None, result="result.h5"):
        """Changes one element of a dataset of numbers, or one letter of a text, clearly."""
        with h5py.File(self.folder / result, "r+") as file:
            found = file[dataset]
            if found.dtype.kind == "O":
                text = found[()].decode()
                digit = re.search("[0-9]", text)
                at = digit.start() if digit else 0
                changed = str((int(text[at]) + 1) % 10) if digit else "x"
                found[()] = text[:at] + changed + text[at + 1:]
                return
            values = found[()]
            point = tuple(extent // 2 for extent in found.shape) if point is None else point
            value = values[point] if found.shape else values
            if found.dtype.kind == "f":
                new = 7.0 if not numpy.isfinite(value) else value * 1.5 + 1
            else:
                new = value ^ found.dtype.type(1)
            if found.shape:
                found[point] = new
            else:
                found[()] = new

    def datasets(self, group):
        """The datasets in a group that hold values."""
        found = []

        def look_at(name, item):
            if isinstance(item, h5py.Dataset) and not item.attrs.get("NAME", b"").startswith(b"This is a netCDF"):
                found.append(name)

        group.visititems(look_at)
        return found

    def assertNamesAll(self, said, stages):
        """Every dataset of the stages stands at the beginning of a line."""
        named = set()
        for line in said.splitlines():
            stage, _, names = line.partition(": ")[0].partition("/")
            named |= {f"{stage}/{name}" for name in names.split(", ")}
        with h5py.File(self.folder / "result.h5") as file:
            for stage in stages:
                self.assertLessEqual({f"{stage['name']}/{name}" for name in self.datasets(file[stage["name"]])}, named)

    def check_finds(self, inputs, stages, *flips, **keys):
        """A sample of all is equal and names all; one of a part is equal, too. After a change of any of the datasets
        it says so."""
        self.run_stages(inputs, stages, **keys)
        said = self.verify("--sample", "1").stdout
        self.assertNotIn("DIFFERENT", said)
        self.assertNamesAll(said, stages)
        self.assertIn("equal", self.verify("--sample", "0.1", "--seed", "7").stdout)
        whole = self.folder / "whole.h5"
        shutil.copy(self.folder / "result.h5", whole)
        for flip in flips:
            dataset, point = (flip, None) if isinstance(flip, str) else flip
            with self.subTest(dataset=dataset, point=point):
                shutil.copy(whole, self.folder / "result.h5")
                self.flip(dataset, point)
                said = self.verify("--sample", "1", expect=FAILED).stdout
                lines = [line for line in said.splitlines() if "DIFFERENT" in line]
                self.assertTrue(lines and all(line.startswith(dataset.split("/")[0] + "/") for line in lines[:1]), said)


class OfSequences(VerifyTest):
    def setUp(self):
        super().setUp()
        base = random_text(420, 5)
        self.inputs = {"a": self.fasta("a", base), "b": self.fasta("b", mutated(base, 6, rate=0.2, longest=5))}

    def test_tables(self):
        stages = [affine("local", "a", "b", keep="table"),
                  wavefront("linear", "smith_waterman", rows="a", columns="b", match=2, mismatch=-1, gap=1,
                            keep="table"),
                  wavefront("global", "needleman_wunsch", rows="a", columns="b", match=1.5, mismatch=-1, gap_open=2,
                            gap_extend=0.5, free_ends="both", keep="table"),
                  wavefront("distance", "edit_distance", rows="a", columns="b", keep="table", type="i64"),
                  wavefront("common", "lcs", rows="a", columns="b", keep="table")]
        flips = [f"{stage['name']}/table" for stage in stages]
        self.check_finds(self.inputs, stages, *flips, ("local/table", (0, 0)), ("global/table", (0, 300)),
                         ("common/table", (300, 0)), "local/score", "local/end", "global/score", "distance/score",
                         "common/lengths")

    def test_borders(self):
        stages = [affine("local", "a", "b", keep="borders", every=100),
                  wavefront("common", "lcs", rows="a", columns="b", keep="borders", every=64),
                  wavefront("global", "needleman_wunsch", rows="a", columns="b", match=1, mismatch=-1, gap_open=2.5,
                            gap_extend=1, keep="borders", every=10000)]
        flips = [f"{stage['name']}/border_{name}" for stage in stages for name in ("rows", "columns", "row_index")]
        self.check_finds(self.inputs, stages, *flips, "local/border_row_gaps", "local/border_column_gaps",
                         "local/score", "local/end", "common/score", ("common/border_rows", (0, 0)))

    def test_alignments(self):
        stages = [affine("local", "a", "b", keep="alignment"),
                  wavefront("global", "needleman_wunsch", rows="a", columns="b", match=1.5, mismatch=-1, gap=1,
                            free_ends="columns", keep="alignment"),
                  wavefront("distance", "edit_distance", rows="a", columns="b", keep="alignment")]
        self.check_finds(self.inputs, stages, *(f"{stage['name']}/{name}" for stage in stages for name in
                                                ("cigar", "start", "end", "score", "identity")))

    def test_series(self):
        draw = numpy.random.default_rng(3)
        inputs = {name: {"npy": self.write(name + ".npy", draw.normal(size=length).cumsum())}
                  for name, length in (("a", 210), ("b", 190))}
        stages = [wavefront("table", "dtw", rows="a", columns="b", cost="squared", type="f32", window=60, keep="table"),
                  wavefront("borders", "dtw", rows="a", columns="b", steps="symmetric2", keep="borders", every=50),
                  wavefront("path", "dtw", rows="a", columns="b", steps="symmetric2", keep="alignment")]
        self.check_finds(inputs, stages, "table/table", "table/score", "borders/border_rows", "borders/border_columns",
                         "path/path", "path/score", "path/normalized")

    def test_empty_sequences(self):
        for rows, columns in ((0, 0), (0, 5), (5, 0)):
            inputs = {"a": {"values": [65] * rows, "type": "u8"}, "b": {"values": [67] * columns, "type": "u8"}}
            stages = [affine("local", "a", "b", keep="table"), affine("border", "a", "b", keep="borders", every=2),
                      wavefront("way", "edit_distance", rows="a", columns="b", keep="alignment"),
                      wavefront("cells", "edit_distance", rows="a", columns="b", keep="table")]
            with self.subTest(rows=rows, columns=columns):
                self.run_job(inputs, stages, output=f"{rows}{columns}.h5").close()
                self.verify("--sample", "1", result=f"{rows}{columns}.h5")


class OfGrids(VerifyTest):
    def test_sums(self):
        draw = numpy.random.default_rng(4)
        inputs = {"g": {"npy": self.write("g.npy", draw.integers(-100, 100, (270, 310), dtype=numpy.int32))},
                  "r": {"npy": self.write("r.npy", draw.normal(size=(200, 150)).astype(numpy.float32))},
                  "w": {"npy": self.write("w.npy", draw.integers(2**30, 2**31 - 1, (140, 140), dtype=numpy.int32))}}
        stages = [wavefront("whole", "summed_area", grid="g"), wavefront("real", "summed_area", grid="r"),
                  wavefront("wrapped", "summed_area", grid="w", type="i32", overflow="wrap"),
                  wavefront("counts", "integral_histogram", grid="g", bins=4, range=[-100, 100]),
                  wavefront("of_counts", "integral_histogram", grid="r", bins=3, range=[-1, 1], type="i64")]
        self.check_finds(inputs, stages, *(stage["name"] + "/table" for stage in stages),
                         ("whole/table", (0, 0)), ("real/table", (199, 149)), "counts/edges")

    def test_sweeps_are_run_again(self):
        grid = self.write("g.npy", numpy.random.default_rng(5).normal(size=(60, 70)))
        stages = [wavefront("sweeps", "sor", grid="g", sweeps=9), wavefront("nine", "seidel", grid="g", sweeps=3),
                  affine("score", "a", "b")]
        inputs = {"g": {"npy": grid}, "a": random_letters(300, 1), "b": random_letters(280, 2)}
        self.run_stages(inputs, stages)
        said = self.verify("--sample", "1", expect=terrace_runs.DONE).stdout
        for name in ("sweeps/grid", "nine/grid", "score/score, end"):
            self.assertIn(name + ": not sampled", said)
        said = self.verify("--all").stdout
        for name in ("sweeps/grid", "nine/grid", "score/score", "score/end"):
            self.assertIn(name + ": run again, equal", said)
        for dataset in ("sweeps/grid", "nine/grid", "score/score"):
            whole = (self.folder / "result.h5").read_bytes()
            self.flip(dataset)
            self.assertIn(dataset + ": run again, DIFFERENT", self.verify("--all", expect=FAILED).stdout)
            (self.folder / "result.h5").write_bytes(whole)
        self.assertEqual([path.name for path in self.folder.glob("*verify*")], [])


class OfMatrices(VerifyTest):
    def graph(self, nodes, seed, least=0, kind=numpy.int32, none=2**30 - 1):
        draw = numpy.random.default_rng(seed)
        weights = draw.integers(max(least, 0), 50, (nodes, nodes)).astype(float)
        if least < 0:  # potentials: no cycle is negative
            heights = draw.integers(0, -least, nodes)
            weights = weights + heights[:, None] - heights[None, :]
        weights[draw.random((nodes, nodes)) < 0.9] = none
        return {"npy": self.write(f"graph{seed}.npy", weights.astype(kind))}

    def test_distances(self):
        inputs = {"m": self.graph(70, 1), "n": self.graph(60, 2, least=-20),
                  "r": self.graph(50, 3, kind=numpy.float32, none=numpy.inf)}
        stages = [recursive("plain", "floyd_warshall", matrix="m"),
                  recursive("paths", "floyd_warshall", matrix="m", paths=True),
                  recursive("negative", "floyd_warshall", matrix="n", paths=True, type="i64"),
                  recursive("given", "floyd_warshall", matrix="m", paths=True, diagonal="given"),
                  recursive("real", "floyd_warshall", matrix="r", paths=True),
                  recursive("reached", "transitive_closure", matrix="m", no_edge=2**30 - 1),
                  recursive("packed", "transitive_closure", matrix="m", no_edge=2**30 - 1, packed=True)]
        self.check_finds(inputs, stages, *(f"{name}/distance" for name in
                                           ("plain", "paths", "negative", "given", "real")),
                         ("paths/next", (3, 5)), ("negative/next", (4, 4)), "given/next", "real/next",
                         "reached/closure", "packed/closure")

    def test_searches(self):
        draw = numpy.random.default_rng(3)
        lines = "".join(f"{a} {b} {w}\n" for a, b, w in draw.integers(0, 90, (300, 3)).tolist())
        inputs = {"g": {"graph": self.write("g.txt", lines), "nodes": 90, "header": False}}
        stages = [recursive("all", "floyd_warshall", matrix="g", schedule="searches", paths=True, type="i32"),
                  recursive("real", "floyd_warshall", matrix="g", schedule="searches", paths=True, type="f32"),
                  recursive("some", "floyd_warshall", matrix="g", sources=[5, 70], paths=True),
                  recursive("reduced", "floyd_warshall", matrix="g", keep="reductions"),
                  recursive("few", "floyd_warshall", matrix="g", keep="reductions", sources=[8, 2], type="f64"),
                  *(recursive(name, "floyd_warshall", matrix="g", keep="reductions", type=kind, bins=6, range=[20, 90])
                    for name, kind in (("counted", "i32"), ("weighed", "f32")))]
        self.check_finds(inputs, stages, "all/distance", "all/next", "real/distance", "some/distance", "some/previous",
                         ("some/source", (1,)), *(f"{name}/{what}" for name in ("counted", "weighed")
                                                  for what in ("histogram", "bin", "outside", "unreachable")),
                         *(f"{name}/{what}" for name in ("reduced", "few")
                                                  for what in ("eccentricity", "sum", "reached")))
        shutil.copy(self.folder / "whole.h5", self.folder / "result.h5")
        self.flip("few/sum")
        said = self.verify("--sample", "1", expect=FAILED).stdout
        self.assertRegex(said, r"few/eccentricity, sum, reached: .*DIFFERENT: sum, element ")
        self.assertNotRegex(said, "(few|reduced)/.*not sampled")

    def test_names_of_nodes(self):
        inputs = {"g": {"graph": self.write("g.txt", "10 20 5\n20 30 7\n30 10 2\n30 40 1\n")}}
        stages = [recursive("near", "floyd_warshall", matrix="g"),
                  recursive("reached", "transitive_closure", matrix="g"),
                  {"name": "ask", "query": {"matrix": "near/distance", "reduce": ["eccentricity"]}}]
        self.check_finds(inputs, stages, "near/distance", "near/node", "near/from", ("near/to", (3,)),
                         ("reached/node", (0,)), "ask/node")
        self.run_stages(inputs, stages[1:2], output="alone.h5")
        self.assertIn("reached/node, from, to: compared with the names of nodes in the inputs, equal",
                      self.verify("--sample", "1", result="alone.h5").stdout)

    def test_names_and_ids_of_nodes(self):
        nodes = "".join(f'node [ id {id} label "{label}" ]\n' for id, label in ((7, "Rome"), (3, "Oslo"), (5, "Bern")))
        inputs = {"g": {"graph": self.write("g.gml", f"graph [\n{nodes}edge [ source 7 target 3 ]\n]\n"),
                        "unweighted": True}}
        self.run_stages(inputs, [recursive("near", "floyd_warshall", matrix="g")])
        self.assertIn("near/node, node_id, from, to: compared with the names", self.verify("--sample", "1").stdout)
        for name, change, says in (("node", "Paris", "node, element 1: 'Paris' is stored, and the inputs have 'Oslo'"),
                                   ("node_id", 4, "node_id, element 1: '4' is stored, and the inputs have '3'")):
            whole = (self.folder / "result.h5").read_bytes()
            with h5py.File(self.folder / "result.h5", "r+") as file:
                file[f"near/{name}"][1] = change
            self.assertIn(f"DIFFERENT: {says}", self.verify("--sample", "1", expect=FAILED).stdout)
            (self.folder / "result.h5").write_bytes(whole)

    def test_products(self):
        draw = numpy.random.default_rng(6)
        shapes = {"a": (90, 130), "b": (130, 75), "c": (90, 75)}
        inputs = {}
        for name, shape in shapes.items():
            inputs[name] = {"npy": self.write(name + ".npy", draw.integers(-9, 9, shape, dtype=numpy.int32))}
            inputs[name + "r"] = {"npy": self.write(name + "r.npy", draw.normal(size=shape).astype(numpy.float32))}
            inputs[name + "t"] = {"npy": self.write(name + "t.npy", draw.integers(0, 2, shape, dtype=numpy.uint8))}
        algebras = ("plus_times", "min_plus", "max_plus", "max_min", "or_and")
        stages = [recursive(name, "semiring_product", left="a", right="b", semiring=name) for name in algebras]
        stages += [recursive("count", "semiring_product", left="at", right="bt", semiring="count"),
                   recursive("counted", "semiring_product", left="at", right="bt", accumulate="c", semiring="count")]
        stages += [recursive("real", "semiring_product", left="ar", right="br", accumulate="cr"),
                   recursive("least", "semiring_product", left="ar", right="br", accumulate="cr", semiring="min_plus"),
                   recursive("added", "semiring_product", left="a", right="b", accumulate="c", type="i64")]
        self.check_finds(inputs, stages, *(stage["name"] + "/product" for stage in stages), ("real/product", (0, 0)))

    def test_elimination(self):
        draw = numpy.random.default_rng(7)
        matrix = draw.normal(size=(150, 150)) + 150 * numpy.eye(150)
        inputs = {"m": {"npy": self.write("m.npy", matrix)}, "n": {"npy": self.write("n.npy", matrix.astype("f4"))}}
        self.check_finds(inputs, [recursive("wide", "gaussian_elimination", matrix="m"),
                                  recursive("narrow", "gaussian_elimination", matrix="n")],
                         "wide/lu", ("wide/lu", (0, 149)), ("wide/lu", (149, 0)), "narrow/lu")

    def test_intervals(self):
        draw = numpy.random.default_rng(8)
        inputs = {"sizes": {"values": [int(size) for size in draw.integers(1, 60, 90)]},
                  "keys": {"npy": self.write("keys.npy", draw.random(50))},
                  "gaps": {"npy": self.write("gaps.npy", draw.random(51))},
                  "corners": {"npy": self.write("corners.npy", numpy.stack(
                      [numpy.cos(numpy.arange(40) / 7), numpy.sin(numpy.arange(40) / 7)], axis=1))},
                  "rna": self.fasta("rna", random_text(120, 9).replace("T", "U"))}
        both = {"keep": "table", "splits": True}
        stages = [recursive("chain", "matrix_chain", dimensions="sizes", **both),
                  recursive("tree", "optimal_bst", keys="keys", gaps="gaps", **both),
                  recursive("polygon", "polygon_triangulation", vertices="corners", **both),
                  recursive("fold", "nussinov", sequence="rna", **both),
                  recursive("cost", "matrix_chain", dimensions="sizes"),
                  recursive("splits", "nussinov", sequence="rna", splits=True)]
        self.check_finds(inputs, stages, *((f"{name}/{what}", (10, 30)) for name in ("chain", "tree", "polygon", "fold")
                                           for what in ("table", "split")),
                         ("chain/table", (30, 10)), "chain/cost", "chain/expression", "tree/expression", "tree/cost",
                         "polygon/cost", "fold/score", "fold/structure", "cost/cost", ("splits/split", (10, 30)),
                         "splits/score", "splits/structure")

    def test_queries(self):
        inputs = {"m": self.graph(60, 11), "p": {"values": [0, 5, 7, 7, 3, 40, 59, 1]}}
        asked = ["eccentricity", "diameter", "sum", "minimum", "count"]
        stages = [recursive("paths", "floyd_warshall", matrix="m", paths=True),
                  {"name": "ask", "query": {"matrix": "paths/distance", "next": "paths/next", "pairs": "p",
                                            "reduce": asked}}]
        self.check_finds(inputs, stages, *(f"ask/{name}" for name in ("distance", "path", "path_begin", *asked)))


    def test_random_matrices(self):
        draw = numpy.random.default_rng(20)
        for number in range(6):
            kind = draw.choice(["int16", "int32", "int64", "float32", "float64"])
            none = numpy.inf if kind.startswith("f") else numpy.iinfo(kind).max // 2
            nodes = int(draw.integers(1, 130))
            inputs = {"m": self.graph(nodes, 100 + number, least=int(draw.choice([0, -9])), kind=kind, none=none)}
            stages = [recursive("near", "floyd_warshall", matrix="m", paths=bool(draw.integers(2)),
                                diagonal=str(draw.choice(["zero", "given"]))),
                      recursive("reached", "transitive_closure", matrix="m", no_edge=none,
                                packed=bool(draw.integers(2))),
                      recursive("two", "semiring_product", left="m", right="m", semiring="min_plus"),
                      {"name": "ask", "query": {"matrix": "near/distance", "reduce": ["sum", "diameter"]}}]
            if none == numpy.inf:
                stages[1].pop("recursive")
                stages[1]["recursive"] = {"problem": "transitive_closure", "matrix": "m"}
            with self.subTest(number=number, kind=kind, nodes=nodes):
                self.run_job(inputs, stages, output=f"{number}.h5").close()
                said = self.verify("--sample", "1", result=f"{number}.h5").stdout
                self.assertNotIn("not sampled", said)

    def test_real_numbers_that_a_second_run_rounds_otherwise_are_sampled(self):
        draw = numpy.random.default_rng(9)
        inputs = {name: {"npy": self.write(name + ".npy", draw.normal(size=(300, 300)).astype(numpy.float32))}
                  for name in "ab"}
        self.run_stages(inputs, [recursive("real", "semiring_product", left="a", right="b")],
                        memory={"host": 600 << 10})
        with h5py.File(self.folder / "result.h5", "r+") as file:
            file["real/product"][0, 0] = numpy.nextafter(file["real/product"][0, 0], numpy.float32(0))
        said = self.verify("--all").stdout
        self.assertIn("real/product: run again, not equal bit by bit", said)
        self.assertIn("computed again, within", said)
        self.flip("real/product", (7, 7))
        self.assertIn("DIFFERENT", self.verify("--all", expect=FAILED).stdout)


class OfInputs(VerifyTest):
    def setUp(self):
        super().setUp()
        self.letters = self.fasta("a", random_text(200, 1))
        self.inputs = {"a": self.letters, "b": random_letters(150, 2)}

    def run_it(self, inputs=None):
        self.run_job(inputs or self.inputs, [affine("align", "a", "b", keep="table")], output="out/result.h5").close()

    def verify(self, *arguments, expect=terrace_runs.DONE):
        return self.terrace("verify", "out/result.h5", "--sample", "1", *arguments, expect=expect)

    def test_that_are_missing_are_named(self):
        self.run_it()
        (self.folder / "a.fa").unlink()
        self.assertSays(self.verify(expect=FAILED), "input 'a'", "a.fa")

    def test_that_have_changed_are_named(self):
        self.run_it()
        text = (self.folder / "a.fa").read_text()
        (self.folder / "a.fa").write_text(text[:50] + ("A" if text[50] != "A" else "C") + text[51:])
        ended = self.verify(expect=FAILED)
        self.assertSays(ended, "input 'a' has changed")
        self.assertIn("align/table, score, end: 4 of 4 tiles computed again, DIFFERENT", ended.stdout)

    def test_that_are_longer_cannot_be_used(self):
        self.run_it()
        with open(self.folder / "a.fa", "a") as file:
            file.write("ACGT\n")
        self.assertSays(self.verify(expect=FAILED), "input 'a' has changed", "cannot be computed again")

    def test_are_found_from_any_folder(self):
        """Relative to the job's folder, by `../` too, and from what --set named, relative to where it was run."""
        (self.folder / "jobs").mkdir()
        self.write_job({"a": {"fasta": "../a.fa"}, "b": {"fasta": "none.fa"}},
                       [affine("align", "a", "b", keep="table")], name="jobs/job.yaml", output="../out/result.h5")
        self.fasta("b", random_text(100, 4))
        self.terrace("run", "jobs/job.yaml", "--set", "inputs.b.fasta=b.fa")
        self.verify()

    def test_are_found_whatever_bytes_their_paths_have(self):
        """In the job's folder, recorded relative to it, and beside it, recorded with all of their path."""
        folder = os.path.join(self.folder, os.fsdecode(b"caf\xe9"), "jobs")
        os.makedirs(folder)
        for number, name in enumerate(("../a.fa", "b.fa")):
            self.write(os.path.join(folder, name), f">x\n{random_text(200, number)}\n")
        self.write_job({"a": {"fasta": "../a.fa"}, "b": {"fasta": "b.fa"}}, [affine("align", "a", "b", keep="table")],
                       name=os.path.join(folder, "job.yaml"), output="../../result.h5")
        # What is said of such paths is no text in UTF-8.
        self.assertEqual(subprocess.run([terrace_runs.program, "run", "job.yaml"], cwd=folder, capture_output=True).returncode,
                         terrace_runs.DONE)

        def check(*arguments):
            ended = subprocess.run([terrace_runs.program, "verify", "result.h5", *arguments], cwd=self.folder,
                                   capture_output=True)
            self.assertEqual(ended.returncode, terrace_runs.DONE, ended.stderr)
            self.assertIn(b"equal", ended.stdout)

        check("--sample", "1")
        check("--all")
        # Its folder follows from the inputs' where the result does not say it.
        with h5py.File(self.folder / "result.h5", "r+") as file:
            del file.attrs["folder"]
        self.forget_checksums()
        check("--sample", "1")

    def test_of_results_that_do_not_record_the_folder_are_found(self):
        self.write_job({"a": {"fasta": "../data/a.fa"}, "b": {"fasta": "more/b.fa"}},
                       [affine("align", "a", "b", keep="table")], name="jobs/job.yaml", output="../out/result.h5")
        letters = (self.folder / "a.fa").read_text()
        self.write("data/a.fa", letters)
        self.write("jobs/more/b.fa", letters)
        self.terrace("run", "jobs/job.yaml")
        with h5py.File(self.folder / "out/result.h5", "r+") as file:
            for name in ("folder", "settings", "checksums"):
                del file.attrs[name]
        self.assertIn("equal", self.verify("--all").stdout)

    def test_of_temporary_stages_are_not_sampled(self):
        stages = [{**affine("table", "a", "b", keep="table"), "temporary": True},
                  wavefront("sums", "summed_area", grid="table/table")]
        self.run_job(self.inputs, stages, output="out/result.h5").close()
        said = self.verify("--all").stdout
        self.assertIn("sums/table: not sampled: reads 'table/table' of a temporary stage", said)
        self.assertIn("sums/table: run again, equal", said)


class OfCommands(VerifyTest):
    def test_that_are_wrong_say_so(self):
        for arguments in (("--sample", "0"), ("--sample", "1.5"), ("--sample", "x"), ("--sample",), ("--seed", "3"),
                          ("--sample", "nan")):
            with self.subTest(arguments=arguments):
                self.verify(*arguments, expect=WRONG)
        self.terrace("verify", expect=WRONG)

    def test_choose_the_same_sample_again(self):
        self.run_stages({"a": random_letters(1500, 1), "b": random_letters(1500, 2)},
                        [wavefront("t", "lcs", rows="a", columns="b", keep="table")])
        self.flip("t/table", (700, 700))
        codes = set()
        for seed in range(1, 9):
            found = [self.sample(seed) for _ in range(2)]
            self.assertEqual(*found)
            codes.add(found[0][0])
        self.assertEqual(codes, {terrace_runs.DONE, FAILED})

    def sample(self, seed):
        ended = subprocess.run([terrace_runs.program, "verify", "result.h5", "--sample", "0.3", "--seed", str(seed)],
                               cwd=self.folder, capture_output=True, text=True)
        return ended.returncode, ended.stdout


class OfRandomJobs(VerifyTest):
    def test_samples_of_all_are_equal(self):
        draw = random.Random(12)
        for number in range(12):
            rows, columns = draw.randint(1, 500), draw.randint(1, 500)
            inputs = {"a": random_letters(rows, number), "b": random_letters(columns, number + 100)}
            keep = draw.choice([{"keep": "table"}, {"keep": "borders", "every": draw.randint(1, 300)},
                                {"keep": "alignment"}])
            gaps = draw.choice([{"gap": draw.choice([0, 1, 2.5])},
                                {"gap_open": draw.randint(0, 9), "gap_extend": draw.choice([0, 0.5, 3])}])
            problem = draw.choice([
                wavefront("s", "smith_waterman", rows="a", columns="b", match=draw.randint(1, 3),
                          mismatch=draw.randint(-3, 1), **gaps, **keep),
                wavefront("s", "needleman_wunsch", rows="a", columns="b", match=draw.randint(0, 3), mismatch=-1.25,
                          free_ends=draw.choice(["none", "rows", "columns", "both"]), **gaps, **keep),
                wavefront("s", "edit_distance", rows="a", columns="b", **keep),
                wavefront("s", "lcs", rows="a", columns="b", **keep)])
            with self.subTest(number=number, problem=problem):
                self.run_job(inputs, [problem], output=f"{number}.h5").close()
                said = self.terrace("verify", f"{number}.h5", "--sample", "1").stdout
                self.assertNotIn("not sampled", said)


class OfConfigs(VerifyTest):
    def test_results_pass(self):
        """Jobs that run as they are on what comes with them."""
        shutil.copytree(terrace_runs.root / "configs", self.folder / "configs")
        (self.folder / "build").mkdir()
        for name in ("folding", "rivers", "states", "proteins", "time_warping", "elimination", "table", "summed_area",
                     "integral_histogram", "relaxation", "alignment", "heat"):
            with self.subTest(name=name):
                output = pathlib.Path(self.terrace("run", f"configs/{name}.yaml").stdout.strip())
                said = self.terrace("verify", output, "--sample", "0.05").stdout
                self.assertIn("equal", said)
                self.assertNotIn("DIFFERENT", said)


if __name__ == "__main__":
    main()
