"""Results of an earlier version of which this one makes others: `run` refuses them, `show` and `verify` read them."""
import json
import os
import re

from terrace_runs import FAILED, WRONG, JobTest, h5py, main, numpy, skip, wavefront

try:
    import xxhash
except ImportError:
    xxhash = None


def recursive(name, problem, matrix, **settings):
    return {"name": name, "recursive": {"problem": problem, "matrix": matrix, **settings}}


class Versions(JobTest):
    def setUp(self):
        super().setUp()
        xxhash or skip("no xxhash (Debian: python3-xxhash)")

    def make_older(self, shape=None):
        """Takes the numbers of results out of a result: the first version recorded none."""
        with h5py.File(self.folder / "result.h5", "r+") as file:
            identity, inputs = (json.loads(file.attrs[name]) for name in ("identity", "inputs"))
            identity.pop("results", None)
            for entry in inputs.values():
                entry.pop("results", None)
                entry["shape"] = shape or entry["shape"]
            for name, text in (("identity", json.dumps(identity)), ("inputs", json.dumps(inputs)), ("version", "0.0.9"),
                               ("commit", "0123456789ab")):
                self.change_attribute(file, name, text)

    def change_attribute(self, file, name, text):
        """Writes an attribute of the root, and its line in the record of checksums."""
        file.attrs[name] = text
        checksum = xxhash.xxh3_64_hexdigest(b"text - -\n" + text.encode() + b"\0")
        record, count = re.subn(f"(?m)^[0-9a-f]{{16}} text - - /@{name}$", f"{checksum} text - - /@{name}",
                                file.attrs["checksums"])
        self.assertEqual(count, 1)
        file.attrs["checksums"] = record

    def assertRefused(self, job, *says):
        before = (self.folder / "result.h5").read_bytes()
        ended = self.terrace("run", job, expect=WRONG)
        self.assertSays(ended, "job.yaml:", "result.h5 was made by Terrace 0.0.9 (0123456789ab)", "--fresh", *says)
        self.assertEqual(ended.stdout, "")
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)
        self.assertFalse((self.folder / "result.h5.run").exists())
        self.assertIn("0.0.9", self.terrace("show", "result.h5").stdout)
        self.assertIn("all equal", self.terrace("verify", "result.h5").stdout)

    def closure_job(self):
        matrix = numpy.eye(40, k=1, dtype=numpy.int32)
        matrix[matrix == 0] = 2 ** 30 - 1
        self.write("m.npy", matrix)
        self.write("g.npy", numpy.arange(120, dtype=numpy.int32).reshape(10, 12))
        return self.write_job({"m": {"npy": "m.npy"}, "g": {"npy": "g.npy"}},
                              [recursive("reach", "transitive_closure", "m"),
                               wavefront("counts", "integral_histogram", grid="g", bins=4, range=[0, 120]),
                               wavefront("again", "integral_histogram", grid="reach/closure", bins=2)], backend="cpu")

    def header_job(self, text="4 2\n0 1 5\n1 2 6\n", **keys):
        return self.write_job({"g": {"graph": self.write("g.txt", text), **keys}},
                              [recursive("paths", "floyd_warshall", "g")], backend="cpu")

    def test_of_a_stage_with_other_results_are_replaced_by_fresh_alone(self):
        job = self.closure_job()
        self.terrace("run", job)
        self.assertSays(self.terrace("run", job), "is there already, made by this job")
        self.make_older()
        self.assertRefused(job, "this version gives other results of stage 'reach'")
        self.terrace("run", job, "--fresh")
        self.assertSays(self.terrace("run", job), "is there already, made by this job")

    def test_of_a_stage_with_other_results_are_not_sampled_and_the_other_stages_are(self):
        self.terrace("run", self.closure_job())
        self.make_older()
        said = self.terrace("verify", "result.h5", "--sample", "1").stdout
        self.assertIn("reach/closure: not sampled: this version gives other results of it", said)
        for stage in ("counts", "again"):
            self.assertRegex(said, f"{stage}/table: .*, equal")
        ended = self.terrace("verify", "result.h5", "--all", expect=FAILED)
        self.assertSays(ended, "result.h5: this version gives other results of stage 'reach'", "--sample")
        self.assertEqual(sorted(os.listdir(self.folder)), ["g.npy", "job.yaml", "m.npy", "result.h5"])

    def test_of_sums_of_real_numbers_name_the_setting_that_keeps_them(self):
        self.write("g.npy", numpy.ones((10, 12), numpy.float32))
        job = self.write_job({"g": {"npy": "g.npy"}}, [wavefront("sums", "summed_area", grid="g")], backend="cpu")
        self.terrace("run", job)
        self.make_older()
        self.assertRefused(job, "this version gives other results of stage 'sums'", "`type: input` keeps")

    def test_of_an_input_that_is_read_otherwise_are_replaced_by_fresh_alone(self):
        job = self.header_job()
        self.terrace("run", job)
        self.make_older()
        self.assertRefused(job, "this version reads input 'g' otherwise")
        said = self.terrace("verify", "result.h5", "--sample", "1").stdout
        self.assertIn("paths/distance: not sampled: reads input 'g', which this version reads otherwise", said)
        ended = self.terrace("verify", "result.h5", "--all", expect=FAILED)
        self.assertSays(ended, "this version reads input 'g' otherwise")
        self.terrace("run", job, "--fresh")
        self.assertSays(self.terrace("run", job), "is there already, made by this job")

    def test_of_lists_and_tables_whose_headers_were_not_used_are_replaced_by_fresh_alone(self):
        for text in (",source,target,weight\n0,0,1,5\n", "weight source target\n5 0 1\n", "02 2 5\n"):
            with self.subTest(text=text):
                self.refused_after_older(self.header_job(text, nodes="used"), "g")
        table = self.write("t.csv", ",a,b\n0,1,2\n1,3,4\n")
        self.refused_after_older(self.write_job({"t": {"csv": table, "header": True}},
                                                [wavefront("sums", "summed_area", grid="t")], backend="cpu"), "t")

    def refused_after_older(self, job, name):
        self.terrace("run", job, "--fresh=all")
        self.make_older()
        self.assertRefused(job, f"this version reads input '{name}' otherwise")

    def test_of_inputs_and_stages_that_are_the_same_are_taken(self):
        for text, keys in (("0 1 5\n1 2 6\n", {}), ("source target weight\n0 1 5\n1 2 6\n", {}),
                           ("a,b,4\nb,c,5\n", {"nodes": "used"}),
                           ("weight source target\n5 0 1\n", {"from": 1, "to": 2, "weight": 0}),
                           ("p sp 3 2\na 1 2 5\na 2 3 6\n", {"format": "dimacs"})):
            job = self.header_job(text, **keys)
            self.terrace("run", job)
            self.make_older()
            self.assertSays(self.terrace("run", job), "is there already, made by this job")
            self.assertIn("paths/distance: ", self.terrace("verify", "result.h5", "--sample", "1").stdout)
            os.remove(self.folder / "result.h5")

    def test_by_another_shape_of_an_input_that_is_read_otherwise_name_the_version(self):
        """The first version took the line of sizes for an edge, so that the matrix had other sides."""
        job = self.header_job("9 2\n0 1 5\n1 2 6\n")
        self.terrace("run", job)
        self.make_older([10, 10])
        self.assertRefused(job, "this version reads input 'g' otherwise")
        self.assertIn("not sampled", self.terrace("verify", "result.h5", "--sample", "1").stdout)


if __name__ == "__main__":
    main()
