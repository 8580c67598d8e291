"""terrace show --kerchunk: places of datasets in a result, read without HDF5, and by Zarr's readers where they are."""
import base64
import itertools
import json
import math
import struct

from terrace_runs import WRONG, JobTest, affine, main, numpy, random_letters, skip, wavefront

LARGEST_CHUNK = 64 << 20


class Kerchunk(JobTest):
    def reference(self, *arguments):
        answer = json.loads(self.terrace("show", "result.h5", *arguments, "--kerchunk").stdout)
        self.assertEqual((set(answer), answer["version"]), ({"version", "refs"}, 1))
        return answer["refs"]

    def chunk(self, refs, key, array):
        """The values of a chunk; None if it has none."""
        found = refs.get(key)
        if found is None:
            return None
        if isinstance(found, str):
            content = base64.b64decode(found.removeprefix("base64:"), validate=True)
            [count] = struct.unpack_from("<I", content)
            texts, at = [], 4
            for _ in range(count):
                [length] = struct.unpack_from("<I", content, at)
                texts.append(content[at + 4:at + 4 + length].decode())
                at += 4 + length
            self.assertEqual(at, len(content))
            return numpy.array(texts, dtype=object).reshape(array["chunks"])
        path, offset, size = found
        self.assertEqual(path, str(self.folder / "result.h5"))
        self.assertLessEqual(size, LARGEST_CHUNK)
        return numpy.fromfile(path, array["dtype"], size // numpy.dtype(array["dtype"]).itemsize,
                              offset=offset).reshape(array["chunks"])

    def read(self, refs, name):
        """The dataset, from its chunks."""
        array = json.loads(refs[name + "/.zarray"])
        self.assertEqual((array["zarr_format"], array["order"], array["compressor"]), (2, "C", None))
        values = numpy.full(array["shape"], array["fill_value"] or 0, array["dtype"].replace("|O", "O"))
        counts = [math.ceil(extent / chunk) for extent, chunk in zip(array["shape"], array["chunks"])]
        for index in itertools.product(*map(range, counts)):
            part = self.chunk(refs, name + "/" + (".".join(map(str, index)) or "0"), array)
            if part is not None:
                values[tuple(slice(i * chunk, (i + 1) * chunk) for i, chunk in zip(index, array["chunks"]))] = part
        return values

    def make_results(self):
        """Numbers of several types, texts, an empty table, fill values, names of nodes, and the profile."""
        self.write("edges.txt", "a b 1\nb c 2\n")
        self.run_job({"a": random_letters(30, 1), "b": random_letters(40, 2), "none": {"values": [], "shape": [0, 3]},
                      "graph": {"graph": "edges.txt"}},
                     [affine("align", "a", "b", keep="alignment"), affine("whole", "a", "b", keep="table"),
                      wavefront("empty", "summed_area", grid="none"),
                      {"name": "ways", "recursive": {"problem": "floyd_warshall", "matrix": "graph", "paths": True}}])

    def test_gives_what_h5py_reads(self):
        self.make_results()
        refs, result, compared = self.reference(), self.open(), []

        def compare(name, dataset):
            if not hasattr(dataset, "shape") or "netCDF dimension but" in str(dataset.attrs.get("NAME", "")):
                return
            compared.append(name)
            stored = dataset.asstr()[()] if dataset.dtype == object else dataset[()]
            numpy.testing.assert_array_equal(self.read(refs, name), stored, name)
            attributes = json.loads(refs[name + "/.zattrs"])
            self.assertEqual(attributes.get("long_name"), dataset.attrs.get("long_name"))
            self.assertEqual(len(attributes["_ARRAY_DIMENSIONS"]), dataset.ndim)
            if "_FillValue" in dataset.attrs:
                self.assertEqual(json.loads(refs[name + "/.zarray"])["fill_value"], dataset.attrs["_FillValue"])

        result.visititems(compare)
        self.assertTrue({"align/cigar", "whole/table", "empty/table", "ways/next", "ways/node", "job",
                         "profile/stages/seconds"} < set(compared))
        self.assertEqual({name.removesuffix("/.zarray") for name in refs if name.endswith("/.zarray")}, set(compared))
        self.assertEqual(json.loads(refs["whole/table/.zattrs"])["_ARRAY_DIMENSIONS"], ["row", "column"])
        self.assertEqual(json.loads(refs[".zattrs"])["Conventions"], result.attrs["Conventions"])

    def test_of_a_stage_has_its_group_alone(self):
        self.make_results()
        refs = self.reference("ways")
        self.assertEqual({name.split("/")[0] for name in refs}, {".zgroup", ".zattrs", "ways"})
        self.assertSays(self.terrace("show", "result.h5", "none", "--kerchunk", expect=WRONG), "holds no datasets")
        self.terrace("show", "result.h5", "--kerchunk", "--json", expect=WRONG)

    def test_cuts_large_datasets_into_whole_rows(self):
        for rows, columns, chunks in ((6000, 4000, [2000, 4000]), (2017, 10000, [1, 10000]), (2, 9_000_000, [1, 4_500_000])):
            with self.subTest(rows=rows, columns=columns):
                result = self.run_job(
                    {"grid": {"generate": "uniform", "shape": [rows, columns], "type": "u8", "maximum": 9}},
                    [wavefront("sums", "summed_area", grid="grid")], "--fresh")
                refs = self.reference("sums")
                array = json.loads(refs["sums/table/.zarray"])
                self.assertEqual(array["chunks"], chunks)
                numpy.testing.assert_array_equal(self.read(refs, "sums/table"), result["sums/table"][()])
                result.close()

    def test_is_opened_by_xarray(self):
        try:
            import dask.array
            import fsspec
            import xarray
            import zarr  # noqa: F401  (xarray loads it)
        except ImportError as missing:
            skip(f"{missing} (Debian: python3-fsspec, python3-zarr, python3-dask)")
        self.make_results()
        self.write("reference.json", self.terrace("show", "result.h5", "--kerchunk").stdout)
        store = fsspec.get_mapper("reference://", fo=str(self.folder / "reference.json"))
        for group in ("whole", "align", "ways", "profile/stages"):
            with self.subTest(group=group):
                read = xarray.open_dataset(store, engine="zarr", group=group, consolidated=False, chunks={})
                with xarray.open_dataset(self.folder / "result.h5", group=group) as stored:
                    self.assertEqual(set(read.variables), set(stored.variables))
                    for name in stored.variables:
                        numpy.testing.assert_array_equal(read[name].values, stored[name].values)
                        self.assertEqual(read[name].dims, stored[name].dims)
        table = xarray.open_dataset(store, engine="zarr", group="whole", consolidated=False, chunks={})["table"]
        self.assertIsInstance(table.data, dask.array.Array)


if __name__ == "__main__":
    main()
