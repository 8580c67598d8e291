"""The files of the cases that are not text, as other programs write them."""
import struct
import zlib

import h5py
import numpy


def make_all(folder):
    """Makes every file of this page in a folder."""
    for make in (no_edge_of_integers, packed_arrays, damaged_attributes, files_of_netcdf, weights_with_fills,
                 terrace_results, other_formats, halves, truths, palettes, few_bits, transparent, tiffs):
        make(folder)


def no_edge_of_integers(folder):
    """A matrix of weights without attributes, whose absent edges the job names."""
    with h5py.File(folder / "weights.h5", "w") as file:
        file["w"] = numpy.array([[0, 5, 9999], [9999, 0, 7], [9, 9999, 0]], "i4")


def packed_arrays(folder):
    """Attributes by CF, as h5netcdf, GDAL and h5py write them."""
    with h5py.File(folder / "packed.nc", "w") as file:
        def add(name, values, kind, **attributes):
            file[name] = numpy.array(values, kind)
            for key, value in attributes.items():
                file[name].attrs[key] = value

        two = [[-215, -115, -15], [85, 185, -32767]]
        fill = numpy.int16(-32767)
        add("scaled", two, "i2", scale_factor=0.01, add_offset=273.15, _FillValue=fill)
        add("single", two, "i2", scale_factor=numpy.float32(0.5), _FillValue=fill)
        add("offset", [[1, 2], [3, 4]], "u1", add_offset=-1)
        add("identity", [[1, 2], [3, 4]], "i2", scale_factor=1.0, add_offset=0.0)
        add("bytes", [[0, 1, 2], [3, 127, -1]], "i1", _Unsigned="true")
        add("small_bytes", [[0, 1, 2], [3, 127, 5]], "i1", _Unsigned="true")
        add("filled_bytes", [[0, 1, 2], [3, 127, -1]], "i1", _Unsigned="true", _FillValue=numpy.int8(-1))
        add("signed", [[0, 255]], "u1", _Unsigned="false")
        add("missing", [[1, 2, 3], [4, 5, 6]], "i4", missing_value=numpy.int32(5))
        add("several", [[1, 2, 3], [4, 5, 6]], "i4", missing_value=numpy.array([5, 9], "i4"))
        add("missing_f8", [[1, 2, 3], [4, 1e20, 6]], "f4", missing_value=1e20)
        add("no_nan", [[1, 2, 3], [4, 5, 6]], "f4", _FillValue=numpy.float32("nan"))
        add("nan", [[1, 2, 3], [4, numpy.nan, 6]], "f8", _FillValue=numpy.float64("nan"))
        add("long", [[2**53 + 1, 2], [3, -1]], "i8", _FillValue=numpy.int64(-1))
        add("long_even", [[2**53 + 2, 2], [3, -1]], "i8", _FillValue=numpy.int64(-1))
        add("unused", [[1, 2, 3], [4, 5, 6]], "i4", _FillValue=numpy.int32(-1), valid_range=numpy.array([0, 9], "i4"))
        add("range", [[1, 2, 3], [4, 50, 6]], "i4", valid_range=numpy.array([0, 9], "i4"))
        add("least", [[1, 2, 3], [4, -5, 6]], "i4", valid_min=numpy.int32(0))
        add("most", [[1, 2, 3], [4, 50, 6]], "f4", valid_max=numpy.float64(9))
        add("scaled_range", [[1, 2, 3], [4, 50, 6]], "i2", scale_factor=0.5, valid_range=numpy.array([0, 9], "i2"))
        add("value_range", [[1, 2, 3], [4, 50, 6]], "i2", scale_factor=0.5, valid_range=[0.0, 9.0])
        add("empty", numpy.zeros((0, 3)), "i2", scale_factor=0.01)
        file.create_dataset("chunked", data=numpy.array(two, "i2"), chunks=(1, 2), compression="gzip")
        file["chunked"].attrs["scale_factor"] = 2.0


def damaged_attributes(folder):
    with h5py.File(folder / "texts.h5", "w") as file:
        file["t"] = numpy.array([[1, 2], [3, 4]], "i4")
        file["t"].attrs["scale_factor"] = "0.01"


def files_of_netcdf(folder):
    """Default fill values, which count in files of netCDF alone."""
    for name, of_netcdf in (("default.nc", True), ("default.h5", False)):
        with h5py.File(folder / name, "w") as file:
            if of_netcdf:
                file.attrs["_NCProperties"] = numpy.bytes_("version=2,netcdf=4.9.2,hdf5=1.14.3")
            file["f"] = numpy.array([[1, 2], [3, 9.969209968386869e36]], "f4")
            file["i"] = numpy.array([[1, 2], [3, -2147483647]], "i4")
            file["b"] = numpy.array([[1, 2], [3, -127]], "i1")
    with open(folder / "classic.nc", "wb") as file:
        file.write(b"CDF\x02" + bytes(28))


def weights_with_fills(folder):
    """A matrix of weights whose absent edges are a fill value, in several types."""
    with h5py.File(folder / "roads.h5", "w") as file:
        for kind, none in (("i4", 9999), ("u1", 255), ("f4", 1e20)):
            file[kind] = numpy.array([[0, 5, none], [none, 0, 7], [9, none, 0]], kind)
            file[kind].attrs["_FillValue"] = file[kind].dtype.type(none)
        file["stated"] = numpy.array([[0, 5, 1 << 30], [1 << 30, 0, 7], [9, 1 << 30, 0]], "i4")
        file["stated"].attrs["valid_range"] = numpy.array([0, 9], "i4")


def terrace_results(folder):
    """A product in min_plus as a result has it: no path is a fill value, and the no edge of its type."""
    none = numpy.int32(2**31 - 1 >> 1)
    with h5py.File(folder / "product.h5", "w") as file:
        file["p"] = numpy.array([[0, 5, none], [none, 0, 7], [9, none, 0]], "i4")
        file["p"].attrs["_FillValue"] = none


def other_formats(folder):
    with h5py.File(folder / "lzf.h5", "w") as file:
        file.create_dataset("d", data=numpy.ones((4, 4)), chunks=(4, 4), compression="lzf")


def halves(folder):
    values = numpy.array([[0.5, -2, 65504], [6e-8, 1, 0.099975586]], "f2")
    numpy.save(folder / "half.npy", values)
    numpy.save(folder / "half_fortran.npy", numpy.asfortranarray(values.astype(">f2")))
    numpy.savez(folder / "half.npz", stored=values)
    numpy.savez_compressed(folder / "half_small.npz", packed=values)
    with h5py.File(folder / "half.h5", "w") as file:
        file["h"] = values


def truths(folder):
    """Masks of booleans, as NumPy, h5py and xarray write them, and bytes that are none."""
    values = numpy.array([[True, False, True], [False, False, True]])
    numpy.save(folder / "mask.npy", values)
    numpy.save(folder / "mask_fortran.npy", numpy.asfortranarray(values))
    numpy.savez(folder / "mask.npz", mask=values)
    with h5py.File(folder / "mask.h5", "w") as file:
        file["h5py"] = values
        file.create_dataset("packed", data=values, chunks=(1, 2), compression="gzip")
        file["xarray"] = values.astype("i1")
        file["xarray"].attrs["dtype"] = "bool"
        file["bytes"] = values.astype("u1")
        states = h5py.enum_dtype({"OFF": 0, "ON": 1}, "i1")
        file.create_dataset("states", data=values.astype("i1"), dtype=states)


def png(path, colour, depth, rows, *chunks):
    """A PNG with the colour type and depth, rows of packed bytes, and chunks before the pixels."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    header = struct.pack(">IIBBBBB", len(rows[0]) * 8 // depth // samples, len(rows), depth, colour, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunk(*one) for one in chunks) +
                     chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def palettes(folder):
    """Labels with a palette of colours, also transparent ones; a gray picture with a palette."""
    rows = [[0, 1, 2, 3], [3, 2, 1, 0]]
    colours = bytes([0, 0, 0, 128, 0, 0, 0, 128, 0, 128, 128, 0])
    png(folder / "labels.png", 3, 8, rows, (b"PLTE", colours))
    png(folder / "few_labels.png", 3, 4, [[0x01, 0x23], [0x32, 0x10]], (b"PLTE", colours))
    png(folder / "glass.png", 3, 8, rows, (b"PLTE", colours), (b"tRNS", bytes([0, 100])))
    ramp = bytes(gray for gray in (0, 85, 170, 255) for _ in range(3))
    png(folder / "ramp.png", 3, 8, rows, (b"PLTE", ramp))


def few_bits(folder):
    """Gray of 1, 2, 4 and 8 bits, and a PGM whose largest value is 3."""
    png(folder / "gray1.png", 0, 1, [[0b01011010], [0b11110000]])
    png(folder / "gray2.png", 0, 2, [[0b00011011], [0b11100100]])
    png(folder / "gray4.png", 0, 4, [[0x01, 0x2f], [0xf2, 0x10]])
    png(folder / "gray8.png", 0, 8, [[0, 1, 2, 3], [3, 2, 1, 0]])
    (folder / "three.pgm").write_bytes(b"P5 4 2 3\n" + bytes([0, 1, 2, 3, 3, 2, 1, 0]))


def transparent(folder):
    """Pixels with alpha, and one transparent gray."""
    png(folder / "rgba.png", 6, 8, [[1, 2, 3, 10, 4, 5, 6, 20], [7, 8, 9, 30, 1, 1, 1, 40]])
    png(folder / "gray_alpha.png", 4, 8, [[1, 10, 2, 20], [3, 30, 4, 40]])
    png(folder / "key.png", 0, 8, [[1, 2], [3, 2]], (b"tRNS", struct.pack(">H", 2)))


def tiff(path, pixels, photometric=1, samples=1, **more):
    """A TIFF of one strip; more tags by number, as (type, count, bytes)."""
    width = pixels.shape[1] // samples
    kind = {"u": 1, "i": 2, "f": 3}[pixels.dtype.kind]
    bits = 8 * pixels.dtype.itemsize
    data = pixels.tobytes()
    tags = {256: (4, 1, width), 257: (4, 1, pixels.shape[0]), 258: (3, 1, bits), 259: (3, 1, 1),
            262: (3, 1, photometric), 273: (4, 1, 8), 277: (3, 1, samples), 278: (4, 1, pixels.shape[0]),
            279: (4, 1, len(data)), 339: (3, 1, kind)}
    if samples > 1:
        tags[258] = (3, samples, struct.pack("<H", bits) * samples)
        tags[339] = (3, samples, struct.pack("<H", kind) * samples)
    tags.update({int(name[1:]): value for name, value in more.items()})
    begin = 8 + len(data) + 2 + 12 * len(tags) + 4
    entries, beyond = b"", b""
    for tag, (form, count, value) in sorted(tags.items()):
        if isinstance(value, bytes) and len(value) > 4:
            value, beyond = begin + len(beyond), beyond + value
        content = value.ljust(4, b"\0") if isinstance(value, bytes) else struct.pack("<I", value)
        entries += struct.pack("<HHI", tag, form, count) + content
    path.write_bytes(b"II" + struct.pack("<HI", 42, 8 + len(data)) + data + struct.pack("<H", len(tags)) + entries +
                     bytes(4) + beyond)


def tiffs(folder):
    """GDAL's value for no data, a palette, and alpha."""
    def no_data(text):
        return {"t42113": (2, len(text) + 1, text.encode() + b"\0")}

    tiff(folder / "height.tif", numpy.array([[1, 2, 3], [4, -9999, 6]], "f4"), **no_data("-9999"))
    tiff(folder / "lowest.tif", numpy.array([[1, 2, 3], [4, -3.4028234663852886e38, 6]], "f4"),
         **no_data("-3.4028234663852886e+38"))
    tiff(folder / "nan.tif", numpy.array([[1, 2, 3], [4, 5, 6]], "f4"), **no_data("nan"))
    tiff(folder / "classes.tif", numpy.array([[1, 2, 3], [4, 255, 6]], "u1"), **no_data("255"))
    tiff(folder / "unused.tif", numpy.array([[1, 2, 3], [4, 5, 6]], "u1"), **no_data("-9999"))
    tiff(folder / "labels.tif", numpy.array([[0, 1, 2], [3, 2, 1]], "u1"), photometric=3,
         t320=(3, 768, bytes(2 * 768)))
    metadata = ('<GDALMetadata>\n  <Item name="OFFSET" sample="0" role="offset">273.15</Item>\n'
                '  <Item name="SCALE" sample="0" role="scale">0.01</Item>\n</GDALMetadata>\n').encode() + b"\0"
    tiff(folder / "scaled.tif", numpy.array([[-215, -115, -15], [85, 185, -32767]], "i2"),
         t42112=(2, len(metadata), metadata), **no_data("-32767"))
    for name, text in (("no_xml", "<GDALMetadata>"), ("no_number", '<M><Item sample="0" role="scale">ten</Item></M>'),
                       ("other_band", '<M><Item sample="1" role="scale">10</Item></M>')):
        tiff(folder / f"{name}.tif", numpy.array([[1, 2], [3, 4]], "u1"),
             t42112=(2, len(text) + 1, text.encode() + b"\0"))
    tiff(folder / "rgb.tif", numpy.array([[1, 2, 3, 0, 0, 0]], "u1"), photometric=2, samples=3, **no_data("0"))
    tiff(folder / "rgba.tif", numpy.array([[1, 2, 3, 10, 4, 5, 6, 20]], "u1"), photometric=2, samples=4,
         t338=(3, 1, 2))
