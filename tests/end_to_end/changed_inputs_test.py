"""Inputs that are written to between two attempts of a run, or during one: the run says so, and never mixes them."""
import json
import os
import shutil
import subprocess
import time

import runs_test
import terrace_runs
from runs_test import LONG
from terrace_runs import WRONG, affine, main, numpy, random_letters, random_text, wavefront

draw = numpy.random.default_rng(5)


def recursive(problem, **settings):
    return {"name": "asked", "recursive": {"problem": problem, **settings}}


class ChangedInputs(runs_test.Runs):
    def job(self, inputs, stage):
        """A job of a first stage that takes seconds and comes to no checkpoint, and of another one."""
        first = {"a": random_letters(LONG, 7), "b": random_letters(LONG, 8)}
        return self.write_seldom_saved({**first, **inputs}, [affine("long", "a", "b"), stage], 16 << 20)

    def write_seldom_saved(self, inputs, stages, memory):
        self.write_job(inputs, stages, backend="cpu", memory={"host": memory}, checkpoint={"every": 1000})
        # JSON has no 1000 s without quotes.
        return self.write("job.yaml", (self.folder / "job.yaml").read_text().replace(" 1000", " 1000s"))

    def kill_before_a_checkpoint(self, job):
        shutil.rmtree(self.folder / "result.h5.run", ignore_errors=True)
        run = self.start(job)
        run.kill()
        self.end(run)

    def check_found(self, job, name, file):
        ended = self.terrace("run", job, expect=WRONG)
        self.assertSays(ended, f"input '{name}' has changed since the run was begun", str(self.folder / file), "--fresh")

    def check_goes_on(self, job):
        run = subprocess.Popen([terrace_runs.program, "run", job], stderr=subprocess.PIPE, text=True)
        said = run.stderr.readline()
        run.kill()
        run.communicate()
        self.assertIn("going on with the run", said)


class PlannedBy(ChangedInputs):
    """What is read to choose types, schedules and sizes."""

    def check(self, stage, name, before, after, suffix="npy", others=None):
        file = f"{name}.{suffix}"
        kind = {"npy": "npy", "fa": "fasta", "txt": "text", "gr": "graph", "mat": "substitution"}[suffix]
        self.write(file, before)
        job = self.job({name: {kind: file}, **(others or {})}, stage)
        self.kill_before_a_checkpoint(job)
        self.write(file, before)  # another time, the same bytes
        self.check_goes_on(job)
        self.write(file, after)
        self.check_found(job, name, file)
        self.write(file, before)
        self.check_goes_on(job)

    def test_dimensions_of_a_chain(self):
        small, large = draw.integers(1, 4, 700), draw.integers(1000, 200_001, 700)
        for splits in (False, True):
            self.check(recursive("matrix_chain", dimensions="sizes", splits=splits), "sizes", small, large)

    def test_keys_of_a_search_tree(self):
        self.check(recursive("optimal_bst", keys="keys"), "keys", draw.integers(1, 4, 300),
                   draw.integers(1 << 30, 1 << 40, 300))

    def test_vertices_of_a_polygon_in_a_text(self):
        self.check(recursive("polygon_triangulation", vertices="sides", splits=True), "sides", "11\n12\n13\n14\n" * 50,
                   "91\n12\n13\n14\n" * 50, "txt")

    def test_bases_of_a_fold(self):
        self.check(recursive("nussinov", sequence="rna", splits=True), "rna", ">r\n" + random_text(300, 1) + "\n",
                   ">r\n" + random_text(300, 2) + "\n", "fa")

    def test_weights_that_a_type_is_chosen_by(self):
        weights = draw.integers(1, 9, (90, 90)).astype(numpy.int32)
        changed = weights.copy()
        changed[70, 3] = 1 << 29
        self.check(recursive("floyd_warshall", matrix="weights", type="auto"), "weights", weights, changed)

    def test_edges_of_a_graph(self):
        edges = "p sp 4 3\na 1 2 5\na 2 3 5\na 3 4 {}\n"
        self.check(recursive("floyd_warshall", matrix="roads", type="auto"), "roads", edges.format(5),
                   edges.format(7), "gr")

    def test_pairs_of_nodes(self):
        matrix = {"matrix": {"npy": self.write("matrix.npy", draw.random((40, 40)))}}
        self.check({"name": "asked", "query": {"matrix": "matrix", "pairs": "pairs"}}, "pairs",
                   draw.integers(0, 40, (20, 2)), draw.integers(0, 40, (20, 2)), others=matrix)

    def test_scores_of_a_substitution_matrix(self):
        text = "# {}\nA C G T\nA {} -1 -1 -1\nC -1 1 -1 -1\nG -1 -1 1 -1\nT -1 -1 -1 1\n"
        self.check(wavefront("asked", "smith_waterman", rows="a", columns="b", matrix="scores", gap=2), "scores",
                   text.format("mine", 1), text.format("mine", 2), "mat")

    def test_letters_that_a_score_is_known_by(self):
        letters = [numpy.frombuffer(random_text(5000, seed).encode(), numpy.uint8) for seed in (1, 2)]
        self.check(wavefront("asked", "smith_waterman", rows="letters", columns="letters", match=1, mismatch=-3, gap=5),
                   "letters", *letters)


class Unread(ChangedInputs):
    def test_an_input_of_which_nothing_was_read_is_known_by_its_file(self):
        grid = draw.integers(0, 9, (30, 40))
        path = self.folder / "grid.npy"
        changes = {
            "bytes": lambda: self.write("grid.npy", grid + 1),
            "times": lambda: os.utime(path, (86400, 86400)),
            "inode": lambda: (path.rename(self.folder / "old.npy"), self.write("grid.npy", grid),
                              os.utime(path, ns=(path.stat().st_atime_ns, (self.folder / "old.npy").stat().st_mtime_ns))),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.write("grid.npy", grid)
                job = self.job({"grid": {"npy": "grid.npy"}}, wavefront("asked", "summed_area", grid="grid"))
                self.kill_before_a_checkpoint(job)
                self.check_goes_on(job)
                change()
                self.check_found(job, "grid", "grid.npy")

    def test_letters_made_of_a_file_that_was_touched_are_what_they_were(self):
        self.write("a.fa", ">a\n" + random_text(300, 1) + "\n")
        inputs = {"of": {"fasta": "a.fa"}, "c": {"generate": "dna", "seed": 8, "mutate": {"of": "of", "rate": 0.1}}}
        job = self.job(inputs, affine("asked", "of", "c"))
        self.kill_before_a_checkpoint(job)
        os.utime(self.folder / "a.fa")
        self.check_goes_on(job)


class Rewritten(ChangedInputs):
    def test_during_a_run_that_reads_it_more_than_once(self):
        size = 1400
        matrices = [draw.integers(0, 100, (size, size)).astype(numpy.float32) for _ in range(3)]
        self.write("right.npy", matrices[1])
        path = self.folder / "left.npy"
        for number in range(3):
            self.write("left.npy", matrices[0])
            job = self.write_seldom_saved(
                {"left": {"npy": "left.npy"}, "right": {"npy": "right.npy"}},
                [recursive("semiring_product", left="left", right="right", semiring="min_plus")], 512 << 10)
            run = self.start(job)
            blocks = 5 << number
            while self.blocks() < blocks and run.poll() is None:
                time.sleep(0.001)
            self.assertIsNone(run.poll(), "it ended before anything could be changed")
            with open(path, "r+b") as file:
                file.seek(os.path.getsize(path) - matrices[2].nbytes)
                file.write(matrices[2].tobytes())
            code, out, err = self.end(run)
            self.assertEqual((code, out), (WRONG, ""), err)
            self.assertIn("input 'left' has changed since the run was begun", err)
            self.assertIn(str(path), err)
            self.write("left.npy", matrices[0])
            self.terrace("run", job, "--fresh")
            expected = numpy.full((size, size), numpy.inf, numpy.float32)
            for k in range(size):
                numpy.minimum(expected, matrices[0][:, k, None] + matrices[1][k], out=expected)
            self.assertTrue(numpy.array_equal(self.open()["asked/product"][()], expected))
            os.remove(self.folder / "result.h5")

    def blocks(self):
        """Blocks of the run that are done."""
        try:
            words = (self.folder / "result.h5.run" / "progress").read_bytes()
        except FileNotFoundError:
            return 0
        return int.from_bytes(words[8:16], "little")

    def test_before_small_results_are_read_at_the_end_of_the_run(self):
        """Paths follow a table that no block reads."""
        self.write("matrix.npy", draw.random((40, 40)))
        self.write("next.npy", numpy.tile(numpy.arange(40), (40, 1)))
        inputs = {"matrix": {"npy": "matrix.npy"}, "next": {"npy": "next.npy"}, "pairs": {"values": [0, 1, 5, 7]}}
        job = self.job(inputs, {"name": "asked", "query": {"matrix": "matrix", "next": "next", "pairs": "pairs"}})
        run = self.start(job)
        self.write("next.npy", numpy.tile(numpy.arange(40), (40, 1)) * 0 + 1)
        code, _, err = self.end(run)
        self.assertEqual(code, WRONG, err)
        self.assertIn("input 'next' has changed since the run was begun", err)
        self.assertIn(str(self.folder / "next.npy"), err)


class Replaced(runs_test.Runs):
    """A finished result whose inputs' files are replaced by files of the same size and time of content."""

    STAGES = [recursive("floyd_warshall", matrix="m"),
              {"name": "sums", "wavefront": {"problem": "summed_area", "grid": "g"}}]
    THERE = "is there already, made by this job"

    def setUp(self):
        super().setUp()
        self.draw = numpy.random.default_rng(3)
        self.make("m.npy")
        self.make("g.npy")
        self.make_job()
        self.terrace("run", "job.yaml")

    def make(self, name):
        """A file of the same size each time, with other values; not held in memory with this budget."""
        self.write(name, self.draw.integers(1, 1000, (160, 160)).astype(numpy.int32))

    def make_job(self, **files):
        inputs = {name: {"npy": files.get(name, name + ".npy")} for name in ("m", "g")}
        self.write_job(inputs, self.STAGES, backend="cpu", memory={"host": 2 << 20, "device": 200 << 10})

    def swap(self, name):
        """Another file with the name, and the size and time of the file before."""
        state = os.stat(self.folder / name)
        os.rename(self.folder / name, self.folder / ("before-" + name))
        self.make(name)
        os.utime(self.folder / name, ns=(state.st_atime_ns, state.st_mtime_ns))

    def put_back(self, name):
        os.replace(self.folder / ("before-" + name), self.folder / name)

    def test_is_another_input(self):
        for name in ("m.npy", "g.npy"):
            before = (self.folder / "result.h5").read_bytes()
            self.swap(name)
            self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), f"input '{name[0]}' has changed", "is to be computed anew",
                            "--fresh=changed")
            self.assertEqual((self.folder / "result.h5").read_bytes(), before)
            self.put_back(name)
            self.assertSays(self.terrace("run", "job.yaml"), self.THERE)

    def test_is_computed_anew_by_fresh_changed(self):
        before = self.open()["sums/table"][()]
        self.swap("g.npy")
        self.assertSays(self.terrace("run", "job.yaml", "--fresh=changed"), "'asked' is taken over from")
        result = self.open()
        grid = numpy.load(self.folder / "g.npy")
        self.assertTrue(numpy.array_equal(result["sums/table"][()], grid.cumsum(0).cumsum(1)))
        self.assertFalse(numpy.array_equal(result["sums/table"][()], before))

    def test_in_a_store_of_versions_with_fixed_times(self):
        for number in (1, 2):
            (self.folder / f"version{number}").mkdir()
            self.make(f"version{number}/g.npy")
            os.utime(self.folder / f"version{number}/g.npy", (86400, 86400))
        os.symlink("version1", self.folder / "store")
        self.make_job(g="store/g.npy")
        self.terrace("run", "job.yaml", "--fresh")
        self.assertSays(self.terrace("run", "job.yaml"), self.THERE)
        os.remove(self.folder / "store")
        os.symlink("version2", self.folder / "store")
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "input 'g' has changed")

    def test_a_file_held_in_memory_is_another_by_its_values(self):
        for swap in (True, False):
            text = "ACGTACGT" if swap else "ACGTACGG"
            self.write("x.fa", f">x\nACGTACGG\n")
            self.write_job({"x": {"fasta": "x.fa"}}, [affine("align", "x", "x")], backend="cpu")
            self.terrace("run", "job.yaml", "--fresh")
            state = os.stat(self.folder / "x.fa")
            os.remove(self.folder / "x.fa")
            self.write("x.fa", f">x\n{text}\n")
            os.utime(self.folder / "x.fa", ns=(state.st_atime_ns, state.st_mtime_ns))
            if swap:
                self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "input 'x' has changed: it holds other values")
            else:
                self.assertSays(self.terrace("run", "job.yaml"), self.THERE)

    def test_by_a_file_that_holds_the_same_is_the_same(self):
        before = (self.folder / "result.h5").read_bytes()
        os.chmod(self.folder / "g.npy", 0o600)  # another time of change
        self.assertSays(self.terrace("run", "job.yaml"), self.THERE)
        shutil.copy2(self.folder / "g.npy", self.folder / "copy.npy")
        os.replace(self.folder / "copy.npy", self.folder / "g.npy")
        for again in ([], ["--fresh=changed"]):
            self.assertSays(self.terrace("run", "job.yaml", *again), self.THERE)
        os.utime(self.folder / "m.npy")
        self.assertSays(self.terrace("run", "job.yaml"), self.THERE)
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)

    def test_a_result_that_is_copied_with_its_inputs_is_there(self):
        for copy in (shutil.copy2, shutil.copy):
            other = self.folder / copy.__name__
            other.mkdir()
            for name in ("job.yaml", "m.npy", "g.npy", "result.h5"):
                copy(self.folder / name, other / name)
            self.assertSays(self.terrace("run", str(other / "job.yaml")), self.THERE)

    def test_the_plan_reads_nothing_again_and_says_so(self):
        said = self.terrace("plan", "job.yaml")
        self.assertSays(said, self.THERE, "`terrace run` computes nothing")
        self.assertNotIn("to be compared", said.stderr)
        self.swap("g.npy")
        self.assertSays(self.terrace("plan", "job.yaml"), "computes nothing, if what stage 'sums' has read is the same", "to be compared",
                        "g.npy is another file of that size and time")
        told = json.loads(self.terrace("plan", "job.yaml", "--json").stdout)
        self.assertEqual((told["there_already"], [stage["taken_over_from"] for stage in told["stages"]]), (True, [None, None]))
        self.STAGES = [*self.STAGES, {"name": "more", "wavefront": {"problem": "summed_area", "grid": "m"}}]
        self.make_job()
        said = self.terrace("plan", "job.yaml").stdout
        self.assertRegex(said, r"stage sums\n  taken over from .*\n  to be compared: input 'g' has changed: .*g.npy is another file")
        self.assertNotRegex(said, r"stage asked\n  taken over from .*\n  to be compared")
        told = json.loads(self.terrace("plan", "job.yaml", "--json").stdout)
        self.assertEqual([stage["to_be_compared"] is None for stage in told["stages"]], [True, False, True])
        self.assertFalse(told["there_already"])

    def test_what_verify_reads_is_named(self):
        self.write("x.fa", ">x\nACGTACGG\n")
        self.write_job({"x": {"fasta": "x.fa"}}, [affine("align", "x", "x")], backend="cpu")
        self.terrace("run", "job.yaml", "--fresh")
        state = os.stat(self.folder / "x.fa")
        self.write("x.fa", ">x\nACGTACGT\n")
        os.utime(self.folder / "x.fa", ns=(state.st_atime_ns, state.st_mtime_ns))
        self.assertSays(self.terrace("verify", "result.h5", "--sample", "1", expect=None), "input 'x' has changed: it holds other values")


if __name__ == "__main__":
    main()
