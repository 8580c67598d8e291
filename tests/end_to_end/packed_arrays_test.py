"""Arrays whose files say what their elements stand for (CF's attributes), and files that another process writes."""
import os
import subprocess
import sys
import time

import terrace_runs
from closure_test import distances, recursive
from terrace_runs import DONE, FAILED, WRONG, JobTest, h5py, main, numpy, wavefront

WRITER = """
import h5py, sys
file = h5py.File(sys.argv[1], sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""


class Attributed(JobTest):
    always = {"backend": "cpu"}

    def dataset(self, name, values, chunks=None, **attributes):
        """An input from an HDF5 file with those attributes of its dataset."""
        with h5py.File(self.folder / f"{name}.h5", "w") as file:
            made = file.create_dataset("d", data=values, chunks=chunks)
            for key, value in attributes.items():
                made.attrs[key] = value
        return {"hdf5": f"{name}.h5"}


class LargerThanMemory(Attributed):
    def test_the_one_missing_element_is_found_wherever_it_lies(self):
        for row, column in ((0, 0), (777, 333), (1199, 1199)):
            for chunks in (None, (100, 1200)):
                values = numpy.ones((1200, 1200), "i2")
                values[row, column] = -32767
                given = self.dataset("a", values, chunks, _FillValue=numpy.int16(-32767))
                job = self.write_job({"a": given}, [wavefront("s", "summed_area", grid="a")],
                                     memory={"host": "2MiB"})
                ended = self.terrace("run", job, "--fresh=all", expect=FAILED)
                self.assertSays(ended, f"'a', row {row}, column {column}", "a.h5, dataset /d", "`_FillValue`",
                                "unpack: true", "unpack: false", "job.yaml:")

    def test_unpacked_in_tiles_is_unpacked_whole(self):
        values = numpy.random.default_rng(3).integers(-128, 127, (900, 1100)).astype("i1")
        given = {**self.dataset("a", values, _Unsigned="true"), "unpack": True}
        stage = wavefront("s", "summed_area", grid="a")
        self.check_survives_kills({"a": given}, stage, "table", memory={"host": "400KiB"})
        result = self.open("s-whole.h5")
        whole = values.view("u1").astype("i8").cumsum(0).cumsum(1)
        numpy.testing.assert_array_equal(result["s/table"][()], whole)

    def test_what_verify_computes_again_is_read_in_the_same_way(self):
        weights = numpy.random.default_rng(5).integers(1, 9, (70, 70)).astype("u1")
        weights[weights == 4] = 255
        given = {**self.dataset("w", weights, _FillValue=numpy.uint8(255)), "unpack": True}
        scaled = {**self.dataset("t", weights.astype("i2"), scale_factor=0.5), "unpack": True}
        stages = [distances("d", "w"), recursive("c", "transitive_closure", matrix="w"),
                  recursive("p", "semiring_product", left="w", right="w", semiring="min_plus"),
                  {"name": "q", "query": {"matrix": "w", "reduce": ["sum", "count"]}},
                  wavefront("s", "summed_area", grid="t")]
        result = self.run_job({"w": given, "t": scaled}, stages)
        plain = numpy.where(weights == 255, numpy.inf, weights.astype(float))
        numpy.fill_diagonal(plain, 0)
        for k in range(70):
            plain = numpy.minimum(plain, plain[:, k:k + 1] + plain[k:k + 1])
        numpy.testing.assert_array_equal(result["d/distance"][()], plain)
        self.assertEqual(result["q/count"][()], (weights != 255).sum() - (numpy.diag(weights) != 255).sum())
        self.assertSays(self.terrace("verify", "result.h5", "--all"))


class ChangedAttributes(Attributed):
    """The elements stay as they are stored, and mean something else."""

    def change(self):
        with h5py.File(self.folder / "a.h5", "r+") as file:
            file["d"].attrs["scale_factor"] = 3.0

    def test_a_stage_whose_input_means_something_else_is_computed_anew(self):
        values = numpy.arange(12, dtype="i2").reshape(3, 4)
        given = {**self.dataset("a", values, scale_factor=2.0), "unpack": True}
        job = self.write_job({"a": given}, [wavefront("s", "summed_area", grid="a")])
        self.terrace("run", job)
        self.change()
        self.terrace("run", job, expect=WRONG)
        self.assertSays(self.terrace("run", job, "--fresh=changed"))
        numpy.testing.assert_array_equal(self.open()["s/table"][()], 3.0 * values.cumsum(0).cumsum(1))

    def test_a_run_does_not_go_on_with_another_meaning(self):
        given = {**self.dataset("a", numpy.ones((2000, 2000), "i2"), scale_factor=2.0), "unpack": True}
        job = self.write_job({"a": given}, [wavefront("s", "summed_area", grid="a")], memory={"host": "2MiB"})
        process = subprocess.Popen([terrace_runs.program, "run", job, "--set", "checkpoint.every=1ms"],
                                   cwd=self.folder, stderr=subprocess.DEVNULL)
        while process.poll() is None and not os.path.exists(self.folder / "result.h5.run" / "plan.json"):
            time.sleep(0.002)
        process.kill()
        process.wait()
        if not os.path.exists(self.folder / "result.h5.run" / "plan.json"):
            self.skipTest("the run ended too soon")
        self.change()
        ended = self.terrace("run", job, expect=WRONG)
        self.assertSays(ended, "input 'a' has changed", "its attributes say otherwise what its elements stand for")


class OfXarray(Attributed):
    """What xarray writes, in its own words, is read as xarray reads it."""

    def test_a_file_of_xarray(self):
        try:
            import xarray
            import h5netcdf  # noqa: F401
        except ImportError as missing:
            self.skipTest(str(missing))
        values = numpy.array([[271.15, 272.15], [numpy.nan, 280.15]])
        clean = numpy.arange(6, dtype="f4").reshape(2, 3)
        grids = xarray.Dataset({"t": (("y", "x"), values), "clean": (("y", "z"), clean)})
        encoding = {"t": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -999}}
        grids.to_netcdf(self.folder / "x.nc", engine="h5netcdf", encoding=encoding)
        with xarray.open_dataset(self.folder / "x.nc", engine="h5netcdf") as back:
            wanted = back["t"].values.astype("f8")
        stencil = {"name": "g", "stencil": {"operator": "star2d", "radius": 1, "grid": "t", "steps": 0,
                                            "nan": "allow"}}
        inputs = {"t": {"hdf5": "x.nc", "dataset": "t", "unpack": True}, "c": {"hdf5": "x.nc", "dataset": "clean"}}
        result = self.run_job(inputs, [stencil, wavefront("s", "summed_area", grid="c")])
        numpy.testing.assert_allclose(result["g/grid"][()], wanted, rtol=1e-6)
        numpy.testing.assert_array_equal(result["s/table"][()], clean.cumsum(0).cumsum(1))


class Written(Attributed):
    """Files that another process has open."""

    def hold(self, name, mode):
        """A process that has a file open."""
        environment = {key: value for key, value in os.environ.items() if key != "HDF5_USE_FILE_LOCKING"}
        process = subprocess.Popen([sys.executable, "-c", WRITER, self.folder / name, mode], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(self.release, process)
        self.assertEqual(process.stdout.readline(), "open\n")
        return process

    def release(self, process):
        if process.poll() is None:
            process.communicate("")
        process.stdin.close()
        process.stdout.close()

    def sums(self, given, **keys):
        return self.write_job({"a": given}, [wavefront("s", "summed_area", grid="a")], **keys)

    def test_a_file_that_is_open_for_writing_is_an_error(self):
        given = self.dataset("a", numpy.ones((3, 4)))
        for mode in ("r+", "a"):
            writer = self.hold("a.h5", mode)
            for command in ("check", "run"):
                ended = self.terrace(command, self.sums(given), expect=WRONG)
                self.assertSays(ended, "job.yaml:", "a.h5 is open for writing in ", "locked: read")
                self.assertRegex(ended.stderr, rf"process {writer.pid} \(python|another process")
            self.terrace("run", self.sums({**given, "locked": "read"}, output="read.h5"), "--fresh=all")
            self.release(writer)
            self.terrace("run", self.sums(given), "--fresh=all")

    def test_a_file_that_a_link_leads_to_is_looked_at(self):
        self.dataset("a", numpy.ones((3, 4)))
        with h5py.File(self.folder / "link.h5", "w") as file:
            file["d"] = h5py.ExternalLink("a.h5", "/d")
        self.hold("a.h5", "r+")
        ended = self.terrace("run", self.sums({"hdf5": "link.h5", "dataset": "d"}), expect=WRONG)
        self.assertSays(ended, "a.h5 is open for writing")

    def test_readers_do_not_disturb_one_another(self):
        given = self.dataset("a", numpy.ones((3, 4)))
        self.hold("a.h5", "r")
        self.terrace("run", self.sums(given))

    def test_a_file_system_without_locks_is_no_error(self):
        given = self.dataset("a", numpy.ones((3, 4)))
        without = "#include <errno.h>\nint flock(int file, int way) { (void)file; (void)way; errno = ENOLCK; return -1; }"
        self.terrace_with(without, "run", self.sums(given), expect=DONE)

    def test_the_question_leaves_no_lock(self):
        given = self.dataset("a", numpy.ones((3, 4)))
        # A run that goes on for a while, with the file open.
        slow = [wavefront("s", "summed_area", grid="a"), wavefront("l", "edit_distance", rows="x", columns="x")]
        job = self.write_job({"a": given, "x": {"generate": "dna", "length": 400000}}, slow)
        process = subprocess.Popen([terrace_runs.program, "run", job], cwd=self.folder, stderr=subprocess.PIPE)
        try:
            while process.poll() is None and not os.path.exists(self.folder / "result.h5.run"):
                time.sleep(0.01)
            self.hold("a.h5", "r+")
        finally:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    main()
