"""Stages of a finished result that a changed job takes over: nothing is computed twice, and nothing wrong is kept."""
import json
import os
import resource
import shutil
import stat
import subprocess
import time

import terrace_runs
from runs_test import LONG, Runs
from terrace_runs import DONE, FAILED, WRONG, JobTest, affine, h5py, main, numpy, random_letters, wavefront

try:
    import xxhash
except ImportError:
    xxhash = None

CHANGED = "--fresh=changed"

# A file system that shares bytes, as far as the program sees: the ioctl copies, and nothing else may.
SHARES = """
    #include <fcntl.h>
    #include <linux/fs.h>
    #include <stdarg.h>
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int ioctl(int file, unsigned long request, ...) {
      va_list rest;
      va_start(rest, request);
      void* argument = va_arg(rest, void*);
      va_end(rest);
      if (request != FICLONERANGE) return syscall(SYS_ioctl, file, request, argument);
      const struct file_clone_range* range = argument;
      char* bytes = malloc(range->src_length);
      if (pread(range->src_fd, bytes, range->src_length, range->src_offset) != range->src_length) abort();
      if (pwrite(file, bytes, range->src_length, range->dest_offset) != range->src_length) abort();
      free(bytes);
      return 0;
    }
    int sync_file_range(int file, off64_t at, off64_t bytes, unsigned flags) { abort(); }  // after tiles copied
"""


def routes(name, matrix, **settings):
    """All-pairs distances with paths: a stage with two large datasets."""
    return {"name": name, "recursive": {"problem": "floyd_warshall", "matrix": matrix, "paths": True, **settings}}


def query(name, of, **settings):
    return {"name": name, "query": {"matrix": of + "/distance", "reduce": ["eccentricity", "diameter"], **settings}}


def weights(seed=1, nodes=90, kind="int32"):
    return numpy.random.default_rng(seed).integers(1, 1000, (nodes, nodes)).astype(kind)


class Taking(JobTest):
    def job(self, stages, inputs=None, **keys):
        keys = {"backend": "cpu", "memory": {"host": 2 << 20, "device": 200 << 10}, **keys}
        return self.write_job(inputs or self.inputs, stages, **keys)

    def setUp(self):
        super().setUp()
        self.write("m.npy", weights())
        self.inputs = {"m": {"npy": "m.npy"}, "a": random_letters(300, 1), "b": random_letters(280, 2)}

    def letters(self, name, seed):
        return self.write(name, ">x\n" + "".join(numpy.random.default_rng(seed).choice(list("ACGT"), 200)) + "\n")

    def held(self, name="x.fa"):
        return {**self.inputs, "x": {"fasta": name}}

    def run_stages(self, stages, *arguments, inputs=None, **keys):
        self.job(stages, inputs, **keys)
        return self.terrace("run", "job.yaml", *arguments)

    def blocks(self):
        """Blocks that the last run computed, by stage."""
        with h5py.File(self.folder / "result.h5") as result:
            columns = result["profile/stages"]
            rows = zip((name.decode() for name in columns["name"][()]), columns["blocks"][()], columns["taken_over"][()])
            return {name: 0 if taken else int(blocks) for name, blocks, taken in rows}

    def profile(self, stage, path="result.h5"):
        """The rows of a stage in the tables of the profile: a list a table, of rows without numbers of stages."""
        with h5py.File(self.folder / path) as result:
            def columns(table):
                group = result["profile"][table]
                return {name: group[name][()] for name in group if group[name].shape and group[name].dtype.kind != "V"
                        and "This is a netCDF dimension" not in str(group[name].attrs.get("NAME", ""))}

            names = [name.decode() for name in columns("stages")["name"]]
            number = names.index(stage)
            found = {"stages": {name: values[number] for name, values in columns("stages").items()}}
            for table in ("parts", "blocks", "copies"):
                rows = columns(table)
                of_stage = rows["stage"] == number
                found[table] = {name: values[of_stage].tolist() for name, values in rows.items() if name != "stage"}
            return found

    def datasets(self, path="result.h5"):
        """Every dataset of a stage with its values and attributes."""
        found = {}

        def visit(name, node):
            if isinstance(node, h5py.Dataset) and not name.startswith(("profile/", "job")):
                texts = {key: str(value) for key, value in node.attrs.items()
                         if key not in ("DIMENSION_LIST", "REFERENCE_LIST")}
                value = node[()]
                found[name] = (str(node.dtype), node.shape, value.tobytes() if node.dtype.kind != "O" else str(value),
                               texts, [dimension.label for dimension in node.dims])

        with h5py.File(self.folder / path) as result:
            result.visititems(visit)
        return found

    def assertComputes(self, *stages):
        """The last run has computed these stages and no others."""
        self.assertEqual(sorted(name for name, blocks in self.blocks().items() if blocks > 0), sorted(stages))
        self.assertFalse((self.folder / "result.h5.run").exists())
        self.terrace("verify", "result.h5")

    def assertSameAsAnew(self):
        """The result has the same datasets as one of the same job that is computed from nothing."""
        job = json.loads((self.folder / "job.yaml").read_text())
        (self.folder / "anew.yaml").write_text(json.dumps({**job, "output": "anew.h5"}))
        self.terrace("run", "anew.yaml", "--fresh")
        self.assertEqual(self.datasets(), self.datasets("anew.h5"))

    def assertRefused(self, *says, code=WRONG):
        before = (self.folder / "result.h5").read_bytes()
        ended = self.terrace("run", "job.yaml", expect=code)
        self.assertSays(ended, *says)
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)
        self.assertFalse((self.folder / "result.h5.run").exists())

    def alter(self, dataset, index=(3, 4)):
        with h5py.File(self.folder / "result.h5", "r+") as result:
            result[dataset][index] += 1


class Added(Taking):
    def test_a_query_of_what_is_there_computes_the_query_alone(self):
        self.run_stages([routes("r", "m"), affine("align", "a", "b", keep="alignment")])
        old = self.datasets()
        ended = self.run_stages([routes("r", "m"), affine("align", "a", "b", keep="alignment"), query("q", "r")])
        self.assertSays(ended, "'align', 'r' are taken over from", "result.h5")
        self.assertComputes("q")
        new = self.datasets()
        self.assertEqual({name: new.get(name) for name in old}, old)
        self.assertSameAsAnew()
        self.assertSays(self.terrace("run", "job.yaml"), "is there already, made by this job")
        sampled = self.terrace("verify", "result.h5", "--sample", "0.5")
        self.assertIn("q/eccentricity: ", sampled.stdout + sampled.stderr)

    def test_so_does_a_stage_before_the_others(self):
        self.run_stages([routes("r", "m")])
        self.run_stages([affine("align", "a", "b"), routes("r", "m")])
        self.assertComputes("align")
        self.assertSameAsAnew()

    def test_stages_in_another_order_are_not_computed(self):
        stages = [routes("r", "m"), affine("align", "a", "b"), query("q", "r")]
        self.run_stages(stages)
        self.run_stages([stages[1], stages[0], stages[2]])
        self.assertComputes()
        self.assertSameAsAnew()

    def test_what_is_taken_over_is_taken_over_again(self):
        stages = [routes("r", "m"), query("q", "r"), affine("align", "a", "b"), query("p", "r", reduce=["sum"])]
        for count in range(1, 5):
            self.run_stages(stages[:count])
            self.assertComputes(stages[count - 1]["name"])
        self.assertSameAsAnew()

    def test_a_result_says_who_made_each_stage(self):
        self.run_stages([routes("r", "m")])
        with h5py.File(self.folder / "result.h5") as result:
            made = json.loads(result.attrs["stages"])
        self.run_stages([routes("r", "m"), query("q", "r")])
        with h5py.File(self.folder / "result.h5") as result:
            now = json.loads(result.attrs["stages"])
            self.assertEqual(now["r"], made["r"])
            self.assertEqual(set(now), {"r", "q"})
            self.assertEqual(now["q"]["commit"], result.attrs["commit"])

    def test_empty_datasets_single_values_and_texts_are_taken_over(self):
        inputs = {**self.inputs, "none": {"values": [], "type": "f32"}, "empty": {"npy": "e.npy"}}
        self.write("e.npy", numpy.zeros((0, 7), "int32"))
        stages = [wavefront("sums", "summed_area", grid="empty"), affine("align", "a", "b", keep="alignment"),
                  affine("table", "a", "b", keep="table"), wavefront("borders", "lcs", rows="a", columns="b",
                                                                    keep="borders", every=50)]
        del inputs["none"]
        self.run_stages(stages, inputs=inputs)
        self.run_stages([*stages, affine("more", "b", "a")], inputs=inputs)
        self.assertComputes("more")
        self.assertSameAsAnew()

    def test_a_temporary_stage_that_only_kept_stages_read_is_not_computed(self):
        first = {**routes("r", "m"), "temporary": True}
        self.run_stages([first, query("q", "r")])
        self.run_stages([first, query("q", "r"), affine("align", "a", "b")])
        self.assertComputes("align")
        self.run_stages([first, query("q", "r"), affine("align", "a", "b"), query("p", "r", reduce=["sum"])])
        self.assertComputes("r", "p")
        self.assertSameAsAnew()

    def test_other_budgets_are_no_reason_to_compute(self):
        self.run_stages([routes("r", "m")])
        self.run_stages([routes("r", "m"), query("q", "r")], memory={"host": 1 << 20, "device": 100 << 10})
        self.assertComputes("q")

    def test_the_plan_says_so_and_counts_the_space(self):
        self.run_stages([routes("r", "m")])
        self.job([routes("r", "m"), query("q", "r")])
        before = (self.folder / "result.h5").read_bytes()
        said = self.terrace("plan", "job.yaml").stdout
        self.assertIn("stage r\n  taken over from", said)
        self.assertRegex(said, r"disk: .* for the result \(.*KiB of it taken over")
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)
        self.job([routes("r", "m", diagonal="given"), query("q", "r")])
        ended = self.terrace("plan", "job.yaml")
        self.assertSays(ended, "/r/distance is to be computed anew", CHANGED)
        self.assertNotIn("taken over", ended.stdout)


class Profiles(Taking):
    """A stage that is taken over keeps its profile, with the date at which it was computed."""

    def assertKeeps(self, stage, before, name=None, path="result.h5"):
        after = self.profile(name or stage, path)
        for columns in (before, after):
            columns["stages"] = {column: value for column, value in columns["stages"].items()
                                 if column not in ("name", "taken_over")}
        self.assertEqual(after, before)

    def test_is_carried_over_again_and_again(self):
        self.run_stages([affine("align", "a", "b", keep="alignment"), routes("r", "m")])
        before = {stage: self.profile(stage) for stage in ("align", "r")}
        self.assertGreater(before["r"]["stages"]["blocks"], 1)
        self.assertGreater(len(before["r"]["blocks"]["begin"]), 1)
        self.assertGreater(len(before["r"]["copies"]["begin"]), 1)
        self.assertGreater(len(before["align"]["parts"]["name"]), 1)
        with h5py.File(self.folder / "result.h5") as result:
            date = result.attrs["finished"]
        time.sleep(1.1)
        for stages in ([query("q", "r")], [query("q", "r"), affine("more", "b", "a")]):
            self.run_stages([routes("r", "m"), affine("align", "a", "b", keep="alignment"), *stages])
            for stage in ("align", "r"):
                columns = self.profile(stage)["stages"]
                self.assertEqual((columns["computed"].decode(), columns["taken_over"]), (date, 1))
                self.assertKeeps(stage, before[stage])
            with h5py.File(self.folder / "result.h5") as result:
                self.assertEqual(len(result["profile/devices/name"]), 1)
                self.assertNotEqual(result.attrs["finished"], date)
        said = self.terrace("show", "result.h5").stdout
        self.assertRegex(said, f"stage r: .* blocks?; taken over, computed {date}\n")
        self.assertRegex(said, r"stage more: .* blocks?\n")
        self.terrace("report", "result.h5", "-o", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertEqual(page.count(f"taken over, computed {date}"), 2)
        self.terrace("trace", "result.h5", "-o", "trace.json")
        traced = {event["args"].get("stage") for event in json.loads((self.folder / "trace.json").read_text())["traceEvents"]}
        self.assertEqual(traced - {None}, {"more"})

    def test_is_carried_over_under_another_name(self):
        self.run_stages([routes("r", "m")])
        before = self.profile("r")
        self.run_stages([routes("ways", "m"), query("q", "ways")], CHANGED)
        self.assertKeeps("r", before, "ways")

    def test_of_a_stage_that_was_complete_when_a_run_failed(self):
        self.write("x.fa", ">x\nACGTJACGT\n")
        inputs = {**self.inputs, "x": {"fasta": "x.fa"}}
        stages = [routes("r", "m"), query("q", "r"), affine("wrong", "x", "b", keep="table")]
        self.job(stages, inputs)
        self.terrace("run", "job.yaml", expect=FAILED)
        before = {stage: self.profile(stage, "result.h5.run/kept.h5") for stage in ("r", "q")}
        self.assertGreater(before["r"]["stages"]["blocks"], 1)
        self.write("x.fa", ">x\nACGTTACGT\n")
        self.terrace("run", "job.yaml")
        self.assertComputes("wrong")
        for stage in ("r", "q"):
            self.assertKeeps(stage, before[stage])

    def test_a_damaged_profile_is_no_reason_to_compute(self):
        self.run_stages([routes("r", "m")])
        with h5py.File(self.folder / "result.h5", "r+") as result:
            result["profile/blocks/begin"][0] += 1
        self.run_stages([routes("r", "m"), query("q", "r")])
        self.assertComputes("q")
        self.assertRegex(self.terrace("show", "result.h5").stdout, "stage r: taken over, computed .*; there is no profile of it\n")


class Changed(Taking):
    def test_a_change_that_would_replace_a_dataset_names_it(self):
        stages = [routes("r", "m"), affine("align", "a", "b")]
        self.run_stages(stages)
        self.job([stages[0], wavefront("align", "lcs", rows="a", columns="b")])
        self.assertRefused("job.yaml:", "dataset /align/", "is to be computed anew", CHANGED)
        self.job([stages[0]])
        self.assertRefused("dataset /align/", "is to be dropped", CHANGED)
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes()
        self.assertSameAsAnew()

    def test_a_dataset_that_was_not_kept_before_makes_its_stage_another(self):
        self.run_stages([affine("align", "a", "b"), routes("r", "m")])
        self.job([affine("align", "a", "b", keep="table"), routes("r", "m")])
        self.assertRefused('keep was "score" and is "table"', "dataset /align/", CHANGED)
        ended = self.terrace("run", "job.yaml", CHANGED)
        self.assertSays(ended, "'r' is taken over from", "/align/")
        self.assertComputes("align")
        self.assertSameAsAnew()

    def test_what_reads_a_changed_stage_is_computed_too(self):
        stages = [routes("r", "m"), query("q", "r"), affine("align", "a", "b")]
        self.run_stages(stages)
        self.run_stages([routes("r", "m", diagonal="given"), *stages[1:]], CHANGED)
        self.assertComputes("r", "q")
        self.assertSameAsAnew()

    def test_one_stage_is_computed_anew_with_what_reads_it(self):
        stages = [routes("r", "m"), query("q", "r"), affine("align", "a", "b")]
        self.run_stages(stages)
        for name, computed in (("r", ["r", "q"]), ("q", ["q"]), ("align", ["align"])):
            self.run_stages(stages, "--fresh=" + name)
            self.assertComputes(*computed)
        self.assertSameAsAnew()
        self.assertSays(self.terrace("run", "job.yaml", CHANGED), "is there already, made by this job")

    def test_a_renamed_stage_is_not_computed(self):
        self.run_stages([routes("r", "m"), query("q", "r")])
        self.job([routes("ways", "m"), query("q", "ways")])
        self.assertRefused("dataset /r/distance", "is to be dropped")
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes()
        self.assertSameAsAnew()

    def test_renamed_inputs_are_the_same(self):
        self.run_stages([routes("r", "m")])
        self.run_stages([routes("r", "n")], inputs={"n": {"npy": "m.npy"}})
        self.assertComputes()

    def test_two_stages_of_one_identity_take_over_one_each(self):
        self.run_stages([routes("r", "m"), routes("s", "m")])
        self.run_stages([routes("r", "m"), routes("s", "m"), routes("t", "m")])
        self.assertComputes("t")

    def test_results_of_a_version_that_recorded_nothing_are_refused(self):
        self.run_stages([routes("r", "m")])
        with h5py.File(self.folder / "result.h5", "r+") as result:
            record = result.attrs["checksums"]
            del result.attrs["stages"]
            result.attrs["checksums"] = "".join(line for line in record.splitlines(True) if not line.endswith("/@stages\n"))
        self.job([routes("r", "m"), query("q", "r")])
        self.assertRefused("nothing of it can be taken over", "an earlier version made it")
        self.assertSays(self.terrace("run", "job.yaml", CHANGED), "an earlier version made it")
        self.assertComputes("r", "q")

    def test_the_back_end_counts_where_numbers_are_real_or_paths_are_chosen(self):
        self.write("f.npy", weights().astype("float32"))
        inputs = {**self.inputs, "f": {"npy": "f.npy"}}
        stages = [routes("whole", "m", paths=False), routes("chosen", "m"), routes("real", "f", paths=False)]
        self.run_stages(stages, inputs=inputs)

        def made_on_cuda(stage):
            with h5py.File(self.folder / "result.h5", "r+") as result:
                made = json.loads(result.attrs["stages"])
                self.assertEqual([name for name in made if made[name].get("backend") == "cpu"], ["chosen", "real"])
                made[stage]["backend"] = "cuda"
                text, lines = json.dumps(made), result.attrs["checksums"].splitlines()
                result.attrs["stages"] = text
                sum = xxhash.xxh3_64_hexdigest(b"text - -\n" + text.encode() + b"\0")
                lines = [f"{sum} text - - /@stages" if line.endswith("/@stages") else line for line in lines]
                result.attrs["checksums"] = "\n".join(lines) + "\n"

        if xxhash is None:
            terrace_runs.skip("no xxhash (Debian: python3-xxhash)")
        made_on_cuda("real")
        self.job([*stages, query("q", "whole")], inputs)
        self.assertRefused("dataset /real/distance", "computed on cuda")
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes("real", "q")


class Inputs(Taking):
    """A stage's identity has what it reads, and no names or times."""

    def test_a_file_with_other_contents_and_the_same_name_is_another(self):
        self.letters("x.fa", 1)
        stages = [affine("align", "x", "b"), routes("r", "m")]
        self.run_stages(stages, inputs=self.held())
        state = os.stat(self.folder / "x.fa")
        self.letters("x.fa", 2)
        os.utime(self.folder / "x.fa", ns=(state.st_atime_ns, state.st_mtime_ns + 1))
        self.job([*stages, query("q", "r")], self.held())
        self.assertRefused("dataset /align/", "is to be computed anew", "input 'x' has changed")
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes("align", "q")
        self.assertSameAsAnew()

    def test_even_of_the_same_size_and_time(self):
        self.letters("x.fa", 1)
        self.run_stages([affine("align", "x", "b")], inputs=self.held())
        state = os.stat(self.folder / "x.fa")
        self.letters("x.fa", 2)
        os.utime(self.folder / "x.fa", ns=(state.st_atime_ns, state.st_mtime_ns))
        self.job([affine("align", "x", "b"), routes("r", "m")], self.held())
        self.assertRefused("dataset /align/", "holds other values")

    def test_a_file_that_is_read_in_parts_counts_by_what_was_read_of_it(self):
        self.run_stages([routes("r", "m")])
        self.write("m.npy", weights(2))
        self.job([routes("r", "m"), query("q", "r")])
        self.assertRefused("dataset /r/distance", "input 'm' has changed")
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes("r", "q")
        self.assertSameAsAnew()

    def test_even_of_the_same_size_and_time_in_parts(self):
        self.run_stages([routes("r", "m")])
        state = os.stat(self.folder / "m.npy")
        self.write("m.npy", weights(2))
        os.utime(self.folder / "m.npy", ns=(state.st_atime_ns, state.st_mtime_ns))
        self.job([routes("r", "m"), query("q", "r")])
        self.assertRefused("dataset /r/distance", "input 'm' has changed")

    def test_a_touched_copied_or_replaced_file_that_is_read_in_parts_is_the_same_if_it_holds_the_same(self):
        """Also as other types, in blocks of other shapes, and beside an input that has not changed."""
        self.write("t.npy", numpy.arange(1, 40, dtype="int32"))
        inputs = {**self.inputs, "t": {"npy": "t.npy"}, "g": {"generate": "uniform", "shape": [90, 90], "seed": 2}}
        stages = [routes("r", "m"), routes("wide", "m", type="i64"),
                  {"name": "jobs", "makespan": {"times": "t", "machines": 3, "epsilon": 0.3}},
                  {"name": "sums", "stencil": {"operator": "heat2d", "grid": "g", "source": "m", "diffusivity": 1, "dt": 0.1,
                                              "steps": 3}}]
        self.run_stages(stages, inputs=inputs)
        computed = {name for name, blocks in self.blocks().items() if blocks > 0}
        self.assertEqual(computed, {"r", "wide", "sums"})  # the schedule is found without blocks
        old = self.datasets()
        os.utime(self.folder / "m.npy")
        os.utime(self.folder / "t.npy")
        self.run_stages([*stages, query("q", "r")], inputs=inputs)
        self.assertComputes("q")
        for name in ("m.npy", "t.npy"):
            shutil.copy(self.folder / name, self.folder / ("new_" + name))
            os.remove(self.folder / name)
        inputs.update({"m": {"npy": "new_m.npy"}, "t": {"npy": "new_t.npy"}})
        self.run_stages([*stages, query("q", "r"), query("p", "wide")], inputs=inputs,
                        memory={"host": 1 << 20, "device": 90 << 10})
        self.assertComputes("p")
        new = self.datasets()
        self.assertEqual({name: new[name] for name in old}, old)

    def test_a_change_where_nothing_was_read_is_none(self):
        inputs = {**self.inputs, "m": {"npy": "m.npy", "select": [[0, 60], [10, 70]]}}
        self.run_stages([routes("r", "m")], inputs=inputs)
        changed = weights()
        changed[80, 80] += 1
        self.write("m.npy", changed)
        self.run_stages([routes("r", "m"), query("q", "r")], inputs=inputs)
        self.assertComputes("q")
        changed[59, 10] += 1
        self.write("m.npy", changed)
        self.job([routes("r", "m"), query("q", "r"), query("p", "r")], inputs)
        self.assertRefused("dataset /r/distance is to be computed anew", "input 'm' has changed")

    def test_an_input_of_times_is_read_for_the_plan_alone(self):
        self.write("t.npy", numpy.arange(1, 40, dtype="int32"))
        inputs = {**self.inputs, "t": {"npy": "t.npy"}}
        jobs = {"name": "jobs", "makespan": {"times": "t", "machines": 3, "epsilon": 0.3}}
        self.run_stages([jobs], inputs=inputs)
        self.write("t.npy", numpy.arange(2, 41, dtype="int32"))
        self.job([jobs, routes("r", "m")], inputs)
        self.assertRefused("dataset /jobs/", "is to be computed anew", "input 't' has changed")

    def test_what_cannot_be_computed_with_any_more_has_changed(self):
        self.run_stages([routes("r", "m")])
        wrong = weights()
        wrong[4, 4] = -5
        self.write("m.npy", wrong)
        self.job([routes("r", "m"), query("q", "r")])
        self.assertRefused("dataset /r/distance", "input 'm' has changed")

    def test_a_touched_copied_or_renamed_file_is_the_same_if_it_holds_the_same(self):
        self.letters("x.fa", 1)
        stages = [affine("align", "x", "b")]
        self.run_stages(stages, inputs=self.held())
        os.utime(self.folder / "x.fa")
        self.run_stages([*stages, routes("r", "m")], inputs=self.held())
        self.assertComputes("r")
        shutil.copy(self.folder / "x.fa", self.folder / "y.fa")
        self.run_stages([*stages, routes("r", "m"), query("q", "r")], inputs=self.held("y.fa"))
        self.assertComputes("q")
        os.rename(self.folder / "m.npy", self.folder / "n.npy")
        self.run_stages([*stages, routes("r", "m"), query("q", "r"), affine("more", "a", "b")],
                        inputs={**self.held("y.fa"), "m": {"npy": "n.npy"}})
        self.assertComputes("more")

    def test_another_file_of_the_same_size_and_time_is_another(self):
        self.run_stages([routes("r", "m")])
        self.write("n.npy", weights(2))
        state = os.stat(self.folder / "m.npy")
        os.utime(self.folder / "n.npy", ns=(state.st_atime_ns, state.st_mtime_ns))
        self.job([routes("r", "m"), query("q", "r")], {"m": {"npy": "n.npy"}})
        self.assertRefused("dataset /r/distance", "another file")

    def test_exchanged_inputs_are_others(self):
        self.letters("x.fa", 1)
        self.letters("y.fa", 2)
        inputs = {**self.inputs, "x": {"fasta": "x.fa"}, "y": {"fasta": "y.fa"}}
        self.run_stages([affine("align", "x", "y")], inputs=inputs)
        self.job([affine("align", "y", "x"), routes("r", "m")], inputs)
        self.assertRefused("dataset /align/", "is to be computed anew")
        # The same letters by other names.
        inputs = {**self.inputs, "x": {"fasta": "y.fa"}, "y": {"fasta": "x.fa"}}
        self.run_stages([affine("align", "y", "x"), routes("r", "m")], inputs=inputs)
        self.assertComputes("r")

    def test_mutants_of_another_input_are_others(self):
        inputs = {**self.inputs, "c": {"generate": "dna", "seed": 8, "mutate": {"of": "a", "rate": 0.1}}}
        self.run_stages([affine("align", "c", "b")], inputs=inputs)
        inputs["a"] = random_letters(300, 77)
        self.job([affine("align", "c", "b"), routes("r", "m")], inputs)
        self.assertRefused("dataset /align/", "seed was 1 and is 77")


class Nodes(Taking):
    """Names of nodes are a part of what a stage is made of, and of what is taken over."""

    TOWNS = "oslo rome 7\nrome paris 4\nparis oslo 5\nrome oslo 9\n"

    def town_job(self, stages, text=None, **graph):
        if text is not None:
            self.write("towns.txt", text)
        self.inputs = {**self.inputs, "g": {"graph": "towns.txt", **graph}}
        self.job(stages)

    def asked(self, name, of, pairs, **settings):
        """Paths between pairs, and a number for which blocks are computed."""
        return {"name": name, "query": {"matrix": of + "/distance", "next": of + "/next", "pairs": pairs,
                                        "reduce": ["diameter"], **settings}}

    def nodes(self, stage):
        with h5py.File(self.folder / "result.h5") as result:
            values = result[stage + "/node"][()].tolist()
            return [value.decode() if isinstance(value, bytes) else value for value in values]

    def assertAsks(self, first, pairs, path):
        """A query by names over the stage that is taken over."""
        self.town_job([routes("r", "g"), *first, self.asked("ask", "r", pairs)])
        self.terrace("run", "job.yaml")
        self.assertComputes("ask")
        with h5py.File(self.folder / "result.h5") as result:
            found = [value.decode() if isinstance(value, bytes) else value for value in result["ask/path"][()].tolist()]
        self.assertEqual(found, path)
        self.assertSameAsAnew()
        sampled = self.terrace("verify", "result.h5", "--sample", "1")
        self.assertIn("ask/path: ", sampled.stdout + sampled.stderr)

    def test_pairs_by_name_over_a_stage_that_is_taken_over(self):
        self.town_job([routes("r", "g")], self.TOWNS)
        self.terrace("run", "job.yaml")
        self.assertAsks([], [["oslo", "paris"]], ["oslo", "rome", "paris"])
        self.assertEqual(self.nodes("r"), ["oslo", "rome", "paris"])
        self.assertEqual(self.nodes("ask"), ["oslo", "rome", "paris"])
        # Taken over a second time, in another stage's company.
        self.town_job([routes("r", "g"), self.asked("ask", "r", [["oslo", "paris"]]),
                       self.asked("back", "r", [["paris", "rome"]])])
        self.terrace("run", "job.yaml")
        self.assertComputes("back")
        self.assertSameAsAnew()

    def test_pairs_by_labels_and_ids(self):
        self.write("g.gml", 'graph [ directed 1 node [ id 7 label "a" ] node [ id 5 label "b" ] node [ id 3 label "c" ] '
                   "edge [ source 7 target 5 weight 2 ] edge [ source 5 target 3 weight 2 ] ]")
        self.inputs = {**self.inputs, "g": {"graph": "g.gml"}}
        self.run_stages([routes("r", "g")])
        self.run_stages([routes("r", "g"), self.asked("ask", "r", [["a", "c"], ["7", "b"]])])
        self.assertComputes("ask")
        self.assertSameAsAnew()

    def test_pairs_by_numbers(self):
        self.town_job([routes("r", "g")], "10 20 3\n20 35 4\n35 10 1\n")
        self.terrace("run", "job.yaml")
        self.assertAsks([], [[10, 35]], [10, 20, 35])
        self.town_job([routes("r", "g"), self.asked("ask", "r", [[10, 11]])])
        self.assertSays(self.terrace("run", "job.yaml", CHANGED, expect=WRONG), "'11' is no node")

    def test_a_matrix_that_was_a_result_has_its_names(self):
        self.town_job([routes("r", "g")], self.TOWNS)
        self.terrace("run", "job.yaml")
        os.rename(self.folder / "result.h5", self.folder / "towns.h5")
        self.inputs = {**self.inputs, "d": {"hdf5": "towns.h5", "dataset": "r/distance"}}
        self.run_stages([routes("again", "d")])
        os.utime(self.folder / "towns.h5")
        self.run_stages([routes("again", "d"), self.asked("ask", "again", [["oslo", "paris"]])])
        self.assertComputes("ask")
        self.assertSameAsAnew()
        with h5py.File(self.folder / "towns.h5", "r+") as result:
            result["r/node"][0] = "OSLO"
        self.job([routes("again", "d"), self.asked("ask", "again", [["rome", "paris"]])])
        self.assertRefused("dataset /again/", "its nodes have other names")

    def test_other_names_of_the_same_nodes_make_another_stage(self):
        numbers = "10 20 3\n20 35 4\n35 10 1\n"
        labels = 'graph [ node [ id 7 label "a" ] node [ id 5 label "b" ] edge [ source 7 target 5 weight 2 ] ]'
        for text, other, kind in ((self.TOWNS, self.TOWNS.replace("rome", "Rome"), "edges"),
                                  (numbers, numbers.replace("35", "36"), "edges"),
                                  (labels, labels.replace('"b"', '"c"'), "gml"),
                                  (labels, labels.replace("5", "6"), "gml")):
            with self.subTest(other=other):
                self.town_job([routes("r", "g")], text, format=kind)
                self.terrace("run", "job.yaml", "--fresh")
                before, state = self.datasets(), os.stat(self.folder / "towns.txt")
                self.town_job([routes("r", "g"), query("q", "r")], other, format=kind)
                os.utime(self.folder / "towns.txt", ns=(state.st_atime_ns, state.st_mtime_ns))
                self.assertRefused("dataset /r/", "is to be computed anew", "its nodes have other names")
                self.terrace("run", "job.yaml", CHANGED)
                self.assertComputes("r", "q")
                self.assertEqual(self.datasets()["r/distance"], before["r/distance"])
                self.assertNotEqual((self.datasets()["r/node"], self.datasets().get("r/node_id")),
                                    (before["r/node"], before.get("r/node_id")))
                self.assertSameAsAnew()

    def test_altered_names_are_found(self):
        self.town_job([routes("r", "g")], self.TOWNS)
        self.terrace("run", "job.yaml")
        for dataset in ("r/node", "r/from"):
            with h5py.File(self.folder / "result.h5", "r+") as result:
                result[dataset][1] = "ROME"
            self.town_job([routes("r", "g"), self.asked("ask", "r", [["oslo", "paris"]])])
            self.assertRefused("dataset /r/", "is to be computed anew", dataset, "differs from what was written")
            self.terrace("run", "job.yaml", CHANGED)
            self.assertComputes("r", "ask")
            self.town_job([routes("r", "g")])
            self.terrace("run", "job.yaml", CHANGED)

    def test_the_plan_finds_names_of_a_stage_that_is_taken_over(self):
        self.town_job([routes("r", "g")], self.TOWNS)
        self.terrace("run", "job.yaml")
        self.town_job([routes("r", "g"), self.asked("ask", "r", [["oslo", "paris"]])])
        before = (self.folder / "result.h5").read_bytes()
        for command in (["plan", "job.yaml"], ["run", "job.yaml", "--dry-run"]):
            self.assertIn("stage r\n  taken over from", self.terrace(*command).stdout)
        told = json.loads(self.terrace("plan", "job.yaml", "--json").stdout)
        self.assertEqual([stage["name"] for stage in told["stages"] if stage["taken_over_from"]], ["r"])
        self.assertEqual(told["disk"]["taken_over"], 9 * (2 + 4))
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)
        for fresh in ("--fresh", "--fresh=all", "--fresh=changed", "--fresh=r"):
            with self.subTest(fresh=fresh):
                planned = self.terrace("plan", "job.yaml", fresh)
                dry = self.terrace("run", "job.yaml", "--dry-run", fresh)
                taken = [[line for line in said.stdout.splitlines() if line.startswith(("stage", "  taken over"))]
                         for said in (planned, dry)]
                self.assertEqual(*taken)
                self.assertEqual(len(taken[0]), 3 if fresh == "--fresh=changed" else 2)
        said = self.terrace("run", "job.yaml", "--dry-run", "--fresh=r").stdout
        self.assertNotIn("taken over", said)
        self.assertNotIn("taken over", self.terrace("run", "job.yaml", "--dry-run", "--fresh").stdout)
        self.assertSays(self.terrace("run", "job.yaml", "--dry-run", "--fresh=none", expect=WRONG), "--fresh=none")


class Damaged(Taking):
    def test_an_altered_element_is_found_before_it_is_taken_for_a_result(self):
        self.run_stages([routes("r", "m")])
        for dataset in ("r/distance", "r/next"):
            with self.subTest(dataset=dataset):
                self.alter(dataset)
                self.job([routes("r", "m"), query("q", "r")])
                ended = self.terrace("run", "job.yaml", expect=FAILED)
                self.assertSays(ended, dataset, "came back different from what was written", CHANGED, "stage 'r'")
                self.assertNotIn("--fresh=all", ended.stderr)
                self.assertNotIn("q", self.datasets())
                self.terrace("run", "job.yaml", "--fresh=r")
                self.assertComputes("r", "q")
                self.run_stages([routes("r", "m")], CHANGED)

    def test_a_damaged_stage_is_computed_anew_and_the_rest_is_taken_over(self):
        stages = [routes("r", "m"), query("q", "r"), affine("align", "a", "b", keep="table")]
        self.run_stages(stages)
        for dataset, computed in (("r/next", ["r", "q", "more"]), ("align/table", ["align", "more"])):
            with self.subTest(dataset=dataset):
                self.alter(dataset)
                self.job([*stages, query("more", "r", reduce=["sum"])])
                self.assertRefused(dataset, CHANGED, code=FAILED)
                ended = self.terrace("run", "job.yaml", CHANGED)
                self.assertSays(ended, dataset, "came back different", "is to be computed anew: its tiles are damaged")
                self.assertComputes(*computed)
                self.assertSameAsAnew()
                self.run_stages(stages, CHANGED)

    def test_so_it_is_if_the_file_system_shares_bytes_and_damage_is_found_late(self):
        stages = [affine("align", "a", "b", keep="table"), routes("r", "m"), affine("first", "b", "a", keep="table"),
                  query("more", "r", reduce=["sum"])]
        self.run_stages(stages[:2])
        self.alter("r/distance")
        self.job(stages)
        ended = self.terrace_with(SHARES, "run", "job.yaml", expect=FAILED)
        self.assertSays(ended, "dataset /r/distance", "came back different", CHANGED, "stage 'r'")
        self.assertSays(self.terrace("run", "job.yaml", expect=FAILED), "came back different", CHANGED)
        ended = self.terrace_with(SHARES, "run", "job.yaml", CHANGED, expect=DONE)
        self.assertSays(ended, "the unfinished run in", "'align' is taken over from", "'first' is taken over from")
        self.assertComputes("r", "more")
        self.assertSameAsAnew()

    def test_an_altered_element_of_any_tile_is_found_and_the_old_result_stays(self):
        def job(*stages):
            self.write("large.npy", weights(nodes=300))
            self.job([routes("r", "g"), *stages], {"g": {"npy": "large.npy"}},
                     memory={"host": 400 << 10, "device": 200 << 10})

        job()
        self.terrace("run", "job.yaml")
        with h5py.File(self.folder / "result.h5") as result:
            self.assertGreater(result["checksums/r/next"].size, 4)  # tiles
        whole = (self.folder / "result.h5").read_bytes()
        job(query("q", "r"))
        for dataset in ("r/distance", "r/next"):
            for place in ((0, 0), (299, 299), (150, 20)):
                with self.subTest(dataset=dataset, place=place):
                    with h5py.File(self.folder / "result.h5", "r+") as result:
                        result[dataset][place] += 1
                    altered = (self.folder / "result.h5").read_bytes()
                    ended = self.terrace("run", "job.yaml", expect=FAILED)
                    self.assertSays(ended, "dataset /" + dataset, "came back different from what was written")
                    self.assertEqual((self.folder / "result.h5").read_bytes(), altered)
                    shutil.rmtree(self.folder / "result.h5.run", ignore_errors=True)
                    (self.folder / "result.h5").write_bytes(whole)
        self.terrace("run", "job.yaml")
        self.assertComputes("q")

    def test_an_altered_small_dataset_or_attribute_is_refused_and_computed_anew(self):
        stages = [affine("align", "a", "b"), routes("r", "m")]
        self.run_stages(stages)

        def score(result):
            result["align/score"][()] += 1

        def meaning(result):
            result["align/score"].attrs["long_name"] = "something else"

        for change in (score, meaning):
            with h5py.File(self.folder / "result.h5", "r+") as result:
                change(result)
            self.job([*stages, query("q", "r")])
            self.assertRefused("dataset /align/", "differs from what was written")
            self.terrace("run", "job.yaml", CHANGED)
            self.assertComputes("align", "q")
            self.run_stages(stages, CHANGED)

    def test_what_somebody_has_added_is_not_lost(self):
        self.run_stages([routes("r", "m")])
        with h5py.File(self.folder / "result.h5", "r+") as result:
            result["mine"] = 3
        self.job([routes("r", "m"), query("q", "r")])
        self.assertRefused("/mine", "is to be dropped")
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes("q")

    def test_a_result_that_was_cut_short_is_an_error(self):
        self.run_stages([routes("r", "m")])
        whole = (self.folder / "result.h5").read_bytes()
        self.job([routes("r", "m"), query("q", "r")])
        for size in (0, 100, 5000, len(whole) // 2, len(whole) - 1):
            with self.subTest(size=size):
                (self.folder / "result.h5").write_bytes(whole[:size])
                ended = self.terrace("run", "job.yaml", expect=None)
                self.assertIn(ended.returncode, (FAILED, WRONG), ended.stderr)
                self.assertSays(ended, "result.h5")
                self.assertEqual((self.folder / "result.h5").read_bytes(), whole[:size])


class Trouble(Taking):
    def test_a_folder_that_may_not_be_written_to_is_an_error_and_changes_nothing(self):
        if os.geteuid() == 0:
            terrace_runs.skip("root may write everywhere")
        self.run_stages([routes("r", "m")])
        self.job([routes("r", "m"), query("q", "r")])
        self.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(self.folder.chmod, 0o700)
        ended = self.terrace("run", "job.yaml", expect=None)
        self.assertIn(ended.returncode, (FAILED, WRONG))
        self.assertSays(ended, "result.h5.run")

    def test_a_full_disk_while_it_is_copied_leaves_the_old_result(self):
        self.run_stages([routes("r", "m")])
        old = (self.folder / "result.h5").read_bytes()
        self.job([routes("r", "m"), query("q", "r")])
        full = """
            #include <errno.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            ssize_t pwrite64(int file, const void* from, size_t bytes, off64_t at) {
              if (bytes < 4096) return syscall(SYS_pwrite64, file, from, bytes, at);
              errno = ENOSPC;
              return -1;
            }
            ssize_t pwrite(int file, const void* from, size_t bytes, off_t at) { return pwrite64(file, from, bytes, at); }
        """
        ended = self.terrace_with(full, "run", "job.yaml", expect=FAILED)
        self.assertSays(ended, "result.h5.run", "No space left")
        self.assertEqual((self.folder / "result.h5").read_bytes(), old)
        self.terrace("run", "job.yaml")
        self.assertComputes("q")

    def test_bytes_that_the_file_system_shares_are_not_copied(self):
        self.run_stages([routes("r", "m")])
        old = self.datasets()
        self.job([routes("r", "m"), query("q", "r")])
        self.terrace_with(SHARES, "run", "job.yaml", expect=DONE)
        self.assertComputes("q")
        new = self.datasets()
        self.assertEqual({name: new[name] for name in old}, old)

    def test_two_runs_at_once(self):
        self.run_stages([routes("r", "m")])
        self.job([routes("r", "m"), query("q", "r"), affine("align", "a", "b")])
        runs = [subprocess.Popen([terrace_runs.program, "run", "job.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True) for _ in range(3)]
        ends = [(run.communicate()[1], run.returncode) for run in runs]
        for said, code in ends:
            self.assertIn(code, (DONE, FAILED), said)
        self.assertIn(DONE, [code for _, code in ends])
        self.assertSays(self.terrace("run", "job.yaml"), "is there already, made by this job")
        self.assertSameAsAnew()

    def test_a_limit_of_file_sizes_leaves_the_old_result(self):
        self.run_stages([routes("r", "m")])
        old = (self.folder / "result.h5").read_bytes()
        self.job([routes("r", "m"), query("q", "r")])
        limit = len(old) // 2
        ended = subprocess.run([terrace_runs.program, "run", "job.yaml"], cwd=self.folder, capture_output=True, text=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(ended.returncode, FAILED, ended.stderr)
        self.assertEqual((self.folder / "result.h5").read_bytes(), old)
        self.terrace("run", "job.yaml")
        self.assertComputes("q")


class Interrupted(Taking, Runs):
    """A run that takes over a stage is killed while it computes another one."""

    def killed(self, *arguments, checkpoint="auto"):
        """Returns the job's stages; the run has taken over the first of them."""
        self.letters("x.fa", 1)
        stages = [affine("align", "x", "b"), routes("r", "m")]
        inputs = {**self.held(), "c": random_letters(LONG // 2, 3), "d": random_letters(LONG // 2, 4)}
        self.run_stages(stages, inputs=inputs)
        self.job([*stages, affine("long", "c", "d")], inputs, checkpoint={"every": checkpoint})
        run = self.start("job.yaml", *arguments)
        while run.poll() is None and not (self.folder / "result.h5.run" / "ledger" / "1.log").exists():
            pass
        run.kill()
        self.end(run)
        self.assertTrue((self.folder / "result.h5.run" / "plan.json").exists())

    def test_goes_on_without_the_old_result(self):
        self.killed()
        old, profile = self.datasets(), self.profile("r")
        self.assertIn("align: complete", self.terrace("show", "result.h5.run").stdout)
        os.remove(self.folder / "result.h5")
        self.assertSays(self.terrace("run", "job.yaml"), "going on with the run in")
        self.assertComputes("long")
        self.assertEqual(self.profile("r")["blocks"], profile["blocks"])
        new = self.datasets()
        self.assertEqual({name: new[name] for name in old}, old)

    def test_goes_on_over_the_old_result_and_replaces_no_other(self):
        self.killed()
        os.utime(self.folder / "result.h5")
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "'long' is new in stages")
        self.terrace("run", "job.yaml", "--fresh=changed")
        self.assertComputes("long")

    def test_finds_an_input_that_was_changed_since(self):
        self.killed()
        before = (self.folder / "x.fa").read_bytes()
        self.letters("x.fa", 2)
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "input 'x' has changed", "'align'", "--fresh=all")
        (self.folder / "x.fa").write_bytes(before)
        self.terrace("run", "job.yaml")
        self.assertComputes("long")

    def test_finds_that_a_file_read_in_parts_was_changed(self):
        self.killed()
        self.write("m.npy", weights(2))
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "input 'm' has changed", "'r'", "--fresh=all")

    def test_goes_on_if_a_file_read_in_parts_was_only_touched(self):
        self.killed()
        shutil.copy(self.folder / "m.npy", self.folder / "copy.npy")
        os.replace(self.folder / "copy.npy", self.folder / "m.npy")
        self.terrace("run", "job.yaml")
        self.assertComputes("long")

    def test_names_of_nodes_are_there_when_the_run_goes_on(self):
        self.write("towns.txt", Nodes.TOWNS)
        inputs = {**self.inputs, "g": {"graph": "towns.txt"}, "c": random_letters(LONG // 2, 3), "d": random_letters(LONG // 2, 4)}
        self.run_stages([routes("r", "g")], inputs=inputs)
        asked = {"name": "ask", "query": {"matrix": "r/distance", "next": "r/next", "pairs": [["oslo", "paris"]],
                                          "reduce": ["diameter"]}}
        self.job([routes("r", "g"), affine("long", "c", "d"), asked], inputs)
        run = self.start("job.yaml")
        while run.poll() is None and not (self.folder / "result.h5.run" / "ledger" / "1.log").exists():
            pass
        run.kill()
        self.end(run)
        self.assertTrue((self.folder / "result.h5.run" / "plan.json").exists())
        os.remove(self.folder / "result.h5")
        self.assertSays(self.terrace("run", "job.yaml"), "going on with the run in")
        self.assertComputes("long", "ask")
        with h5py.File(self.folder / "result.h5") as result:
            self.assertEqual([name.decode() for name in result["ask/path"][()]], ["oslo", "rome", "paris"])
            self.assertEqual([name.decode() for name in result["r/node"][()]], ["oslo", "rome", "paris"])

    def test_finds_that_nodes_were_renamed_in_a_file_read_in_parts(self):
        self.write("towns.txt", Nodes.TOWNS)
        self.run_stages([routes("r", "g")], inputs={"g": {"graph": "towns.txt"}})
        os.rename(self.folder / "result.h5", self.folder / "towns.h5")
        self.inputs = {"d": {"hdf5": "towns.h5", "dataset": "r/distance"}, "c": random_letters(LONG // 2, 3),
                       "e": random_letters(LONG // 2, 4)}
        self.job([routes("again", "d"), affine("long", "c", "e")])
        ledger = self.folder / "result.h5.run" / "ledger" / "1.log"
        run = self.start("job.yaml")
        while run.poll() is None and not (ledger.exists() and b'"complete":true' in ledger.read_bytes()):
            pass
        run.kill()
        self.end(run)
        self.assertTrue((self.folder / "result.h5.run" / "plan.json").exists())
        for name in ("OSLO", "oslo"):
            with h5py.File(self.folder / "towns.h5", "r+") as result:
                result["r/node"][0] = name
            if name != "oslo":
                self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "input 'd' has changed", "other names")
        self.terrace("run", "job.yaml")

    def test_fresh_is_remembered(self):
        for value in ("--fresh=changed", "--fresh=r"):
            self.killed(value)
            plan = json.loads((self.folder / "result.h5.run" / "plan.json").read_text())["plan"]
            self.assertIn("fresh", plan)
            ended = self.terrace("run", "job.yaml", value)
            self.assertSays(ended, "going on with the run in", "begun with --fresh")
            with h5py.File(self.folder / "result.h5") as result:
                self.assertEqual(result.attrs["run"], plan["run"])
            os.remove(self.folder / "result.h5")


class Corrected(Taking, Runs):
    """A run that is stopped in a stage, whose job is then corrected: the stages that it has finished are kept."""

    def stopped(self, before=(), taken=0):
        """Kills a run of the job in its stage `long`, when it has finished the stages before, of which it took over some."""
        self.letters("x.fa", 1)
        self.inputs = {**self.inputs, **self.held(), "c": random_letters(LONG // 2, 3),
                       "d": {"fasta": self.letters_of("d.fa", 4)}}
        self.stages = [*before, routes("r", "m"), query("q", "r"), affine("long", "c", "d")]
        self.job(self.stages)
        ledger = self.folder / "result.h5.run" / "ledger" / "1.log"
        run = self.start("job.yaml")
        while run.poll() is None and not (ledger.exists() and ledger.read_bytes().count(b'"complete":true') >= len(self.stages) - 1 - taken):
            pass
        run.kill()
        self.end(run)
        self.assertTrue((self.folder / "result.h5.run" / "plan.json").exists())

    def letters_of(self, name, seed):
        self.write(name, ">d\n" + "".join(numpy.random.default_rng(seed).choice(list("ACGT"), LONG // 2)) + "\n")
        return name

    def correct(self, stages=None):
        self.stages = stages or [*self.stages[:-1], wavefront("long", "lcs", rows="a", columns="b")]
        self.job(self.stages)

    def tree(self):
        return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*")
                if path.is_file() and path.name not in ("lock", "result.h5")}

    def assertGoesOn(self):
        """The run that was stopped is still there."""
        self.assertSays(self.terrace("run", "job.yaml"), "going on with the run in")

    def test_a_corrected_stage_is_computed_alone(self):
        self.stopped()
        self.correct()
        for option in ([], ["--fresh"], ["--fresh=long"]):
            ended = self.terrace("run", "job.yaml", *option, expect=WRONG)
            self.assertSays(ended, "holds a run of another job", "it has finished 'r', 'q'", CHANGED, "--fresh=all")
        ended = self.terrace("run", "job.yaml", CHANGED)
        self.assertSays(ended, "the unfinished run in", "is discarded", "('r', 'q') is kept", "'q', 'r' are taken over from", "kept.h5")
        self.assertComputes("long")
        self.assertSameAsAnew()

    def test_so_it_is_beside_a_result(self):
        self.letters("x.fa", 1)
        align = affine("align", "x", "b")
        self.run_stages([align], inputs=self.held())
        self.stopped([align], taken=1)
        self.correct()
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "it has finished 'align', 'r', 'q'", CHANGED)
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes("long")
        self.assertSameAsAnew()

    def test_even_if_the_result_is_gone(self):
        self.letters("x.fa", 1)
        align = affine("align", "x", "b")
        self.run_stages([align], inputs=self.held())
        self.stopped([align], taken=1)
        os.remove(self.folder / "result.h5")
        self.correct()
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes("long")
        self.assertSameAsAnew()

    def test_a_corrected_input_of_the_unfinished_stage(self):
        self.stopped()
        self.letters_of("d.fa", 5)
        ended = self.terrace("run", "job.yaml", expect=WRONG)
        self.assertSays(ended, "input 'd' has changed since the run was begun", "it has finished 'r', 'q'", CHANGED)
        ended = self.terrace("run", "job.yaml", CHANGED)
        self.assertSays(ended, "'q', 'r' are taken over from", "kept.h5")
        self.assertComputes("long")
        self.assertSameAsAnew()

    def test_nothing_is_discarded_if_a_finished_stage_would_be_lost(self):
        self.stopped()
        right, before = self.stages, self.tree()
        for stages, says in (([routes("r", "m", diagonal="given"), *right[1:]], ["stage 'r' would be lost", "diagonal"]),
                             ([right[0], right[2]], ["stage 'q' would be lost", "no such stage"])):
            self.correct(stages)
            ended = self.terrace("run", "job.yaml", CHANGED, expect=WRONG)
            self.assertSays(ended, "job.yaml:", "it has finished 'r', 'q'", *says, "name another output", "--fresh=all")
            self.job(right)
            self.assertEqual(self.tree(), before)
        self.write("m.npy", weights(2))
        self.assertSays(self.terrace("run", "job.yaml", CHANGED, expect=WRONG), "input 'm' has changed")
        self.write("m.npy", weights())
        self.assertGoesOn()
        self.assertComputes("long")
        self.assertSameAsAnew()

    def test_a_corrected_job_that_cannot_be_planned_discards_nothing(self):
        self.stopped()
        right = self.stages
        self.correct([*right[:2], wavefront("long", "summed_area", grid="m", type="i8")])
        self.terrace("run", "job.yaml", CHANGED, expect=WRONG)
        self.job(right)
        self.assertGoesOn()
        self.assertComputes("long")

    def test_a_run_that_has_finished_nothing_is_discarded(self):
        self.inputs = {**self.inputs, "c": random_letters(LONG // 2, 3), "d": random_letters(LONG // 2, 4)}
        self.job([affine("long", "c", "d")])
        run = self.start("job.yaml")
        run.kill()
        self.end(run)
        self.job([affine("long", "a", "b")])
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "none of its stages is finished", CHANGED)
        self.assertSays(self.terrace("run", "job.yaml", CHANGED), "is discarded")
        self.assertComputes("long")

    def test_names_of_nodes_and_paths_are_kept(self):
        self.write("towns.txt", Nodes.TOWNS)
        self.inputs = {**self.inputs, "g": {"graph": "towns.txt"}}
        asked = {"name": "ask", "query": {"matrix": "ways/distance", "next": "ways/next", "pairs": [["oslo", "paris"]],
                                          "reduce": ["diameter"]}}
        self.stopped([routes("ways", "g"), asked])
        self.correct()
        self.terrace("run", "job.yaml", CHANGED)
        self.assertComputes("long")
        self.assertSameAsAnew()


class Errors(Taking):
    """An error in the data of a stage leaves the stages before it to the corrected job."""

    def fails(self, *arguments):
        self.write("x.fa", ">x\nACGTJACGT\n")
        self.stages = [routes("r", "m"), query("q", "r"), affine("align", "a", "b"), affine("wrong", "x", "b", keep="table"),
                       affine("last", "b", "a")]
        self.all = {**self.inputs, "x": {"fasta": "x.fa"}}
        self.job(self.stages, self.all)
        ended = self.terrace("run", "job.yaml", *arguments, expect=FAILED)
        self.assertSays(ended, "'J'", "complete: 'r', 'q', 'align'")

    def test_a_corrected_input(self):
        self.fails()
        self.assertFalse((self.folder / "result.h5").exists())
        self.write("x.fa", ">x\nACGTTACGT\n")
        ended = self.terrace("run", "job.yaml")
        self.assertSays(ended, "'align', 'q', 'r' are taken over from", "kept.h5")
        self.assertComputes("wrong", "last")
        self.assertSameAsAnew()

    def test_a_corrected_job(self):
        self.fails()
        self.run_stages([*self.stages[:3], affine("wrong", "a", "a", keep="table"), self.stages[4]], inputs=self.all)
        self.assertComputes("wrong", "last")
        self.assertSameAsAnew()

    def test_the_same_error_again_and_again_loses_nothing(self):
        self.fails()
        for _ in range(2):
            ended = self.terrace("run", "job.yaml", expect=FAILED)
            self.assertSays(ended, "'J'", "are taken over from")
        self.write("x.fa", ">x\nACGTTACGT\n")
        self.terrace("run", "job.yaml")
        self.assertComputes("wrong", "last")

    def test_what_is_kept_and_the_result_are_both_taken_over(self):
        self.run_stages([routes("r", "m"), query("q", "r")])
        old = (self.folder / "result.h5").read_bytes()
        self.write("x.fa", ">x\nACGTJACGT\n")
        inputs = {**self.inputs, "x": {"fasta": "x.fa"}}
        stages = [routes("r", "m"), query("q", "r"), affine("align", "a", "b"), affine("wrong", "x", "b", keep="table")]
        self.job(stages, inputs)
        self.assertSays(self.terrace("run", "job.yaml", expect=FAILED), "complete: 'align'")
        self.assertEqual((self.folder / "result.h5").read_bytes(), old)
        self.write("x.fa", ">x\nACGTTACGT\n")
        self.terrace("run", "job.yaml")
        self.assertComputes("wrong")
        self.assertSameAsAnew()

    def test_fresh_takes_nothing_of_it(self):
        for value in ("--fresh", "--fresh=all"):
            self.fails()
            self.write("x.fa", ">x\nACGTTACGT\n")
            self.terrace("run", "job.yaml", value)
            self.assertComputes("r", "q", "align", "wrong", "last")
            os.remove(self.folder / "result.h5")


if __name__ == "__main__":
    main()
