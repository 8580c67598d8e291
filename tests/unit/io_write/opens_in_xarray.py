"""Opens the sample result with h5py and, group by group, with xarray, and checks what they see.

usage: opens_in_xarray.py PROGRAM, the program that writes the sample to the file it is given
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
    import xarray
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py, python3-xarray, python3-h5netcdf)")
    sys.exit(0)


def check_h5py(path):
    with h5py.File(path) as file:
        table = file["/align/table"]
        assert table.dtype == "<i4" and table[299, 999] == 299999
        assert [scales[0].name for scales in table.dims] == ["/align/row", "/align/column"]
        assert file["/align/cigar"][()] == b"12=1X3D"
        assert file.attrs["version"] == "0.1.0"
        assert list(file.attrs["devices"]) == ["cpu", "gpu 0"]
        assert file["/profile/stages/name"].asstr()[2] == "wärme"
        assert file["/heat/nothing"].shape == (0, 7)
        tiles = file["/checksums/align/table"]
        assert tiles.dtype == "<u8" and tiles.shape == (12,) and list(tiles.attrs["tile"]) == [100, 300]
        lines = file.attrs["checksums"].splitlines()
        assert [line.split(" ")[1:] for line in lines if line.endswith("/align/table")] == [
            ["i32", "300x1000", "100x300", "/align/table"]]


def check_xarray(path, **engine):
    with xarray.open_dataset(path, group="align", **engine) as align:
        assert align["table"].dims == ("row", "column")
        assert align["table"].attrs["units"] == "1"
        assert int(align["table"][299, 999]) == 299999
        assert int(align["score"]) == 88353
        assert set(align.variables) == {"table", "score", "start", "cigar"}, set(align.variables)
    with xarray.open_dataset(path, group="/heat", **engine) as heat:
        assert heat["grid"].dims == ("z", "y", "x")
        assert heat["grid"].attrs == {"units": "K", "long_name": "temperature"}, heat["grid"].attrs
        assert numpy.array_equal(heat["x"], numpy.arange(7) / 2)
        assert float(heat["grid"].sel(x=1.5)[63, 32]) == 64 * 33 * 7 - 4
        assert heat["nothing"].shape == (0, 7)
        assert heat.attrs["steps"] == 12 and heat.attrs["diffusivity"] == 0.25
    with xarray.open_dataset(path, group="checksums/align", **engine) as checksums:
        assert checksums["table"].dims == ("table_tile",)
    with xarray.open_dataset(path, group="profile/stages", **engine) as stages:
        assert list(stages["name"].values) == ["align", "", "wärme"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "result.h5")
        subprocess.run([sys.argv[1], path], check=True)
        check_h5py(path)
        check_xarray(path)  # the engine that xarray chooses
        engines = [name for name in ("h5netcdf", "netcdf4") if name in xarray.backends.list_engines()]
        if not engines:
            print("SKIPPED: xarray has no engine for HDF5 (Debian: python3-h5netcdf)")
        for engine in engines:
            check_xarray(path, engine=engine)
            print("opened with", engine)


if __name__ == "__main__":
    main()
