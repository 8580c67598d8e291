"""BigTIFF files of gray images of 8 bits, and what configs/gigapixel.yaml makes of them."""
import struct

import numpy

WEIGHTS = numpy.array([1, 4, 6, 4, 1], numpy.float32) / 16


def write_bigtiff(path, shape, tile, rows):
    """@param tile edge of a tile; 0: strips of 16 rows @param rows makes rows [begin, end) of the image"""
    height = tile or 16
    blocks = -(-shape[0] // height) * (-(-shape[1] // tile) if tile else 1)
    sizes = [height * (tile or shape[1])] * blocks
    if not tile and shape[0] % height:
        sizes[-1] = shape[0] % height * shape[1]
    begins = [16]
    for size in sizes:
        begins.append(begins[-1] + size)
    tags = [(256, 4, [shape[1]]), (257, 4, [shape[0]]), (258, 3, [8]), (259, 3, [1]), (262, 3, [1]), (277, 3, [1])]
    tags += [(322, 4, [tile]), (323, 4, [tile])] if tile else [(278, 4, [height])]
    tags += [(324 if tile else 273, 16, begins[:-1]), (325 if tile else 279, 16, sizes)]
    with open(path, "wb") as file:
        file.write(b"II" + struct.pack("<HHHQ", 43, 8, 0, begins[-1]))
        for begin in range(0, shape[0], height):
            band = rows(begin, min(begin + height, shape[0]))
            if tile:
                band = numpy.pad(band, ((0, height - len(band)), (0, -shape[1] % tile)))
                band = band.reshape(height, -1, tile).swapaxes(0, 1)
            file.write(numpy.ascontiguousarray(band).data)
        directory, lists = struct.pack("<Q", len(tags)), b""
        beyond = begins[-1] + 8 + 20 * len(tags) + 8
        for tag, kind, values in sorted(tags):
            packed = struct.pack(f"<{len(values)}{ {3: 'H', 4: 'I', 16: 'Q'}[kind]}", *values)
            directory += struct.pack("<HHQ", tag, kind, len(values))
            if len(packed) <= 8:
                directory += packed.ljust(8, b"\0")
            else:
                directory += struct.pack("<Q", beyond + len(lists))
                lists += packed
        file.write(directory + struct.pack("<Q", 0) + lists)


def bright(image, above, below):
    """The pixels of `bright` of an image of bytes. @param above, below whether its first and last two rows are ends,
    where it is mirrored; else they are neighbours alone"""
    ends = (2 if above else 0, 2 if below else 0)
    wide = numpy.pad(image.astype(numpy.float32) / numpy.float32(255), (ends, (2, 2)), mode="symmetric")
    columns = image.shape[1]
    wide = added([weight * wide[:, k:k + columns] for k, weight in enumerate(WEIGHTS)])
    smooth = added([weight * wide[k:len(wide) - 4 + k] for k, weight in enumerate(WEIGHTS)])
    smooth = numpy.where(smooth < numpy.float32(0.5), numpy.float32(0), smooth)
    return numpy.clip(numpy.rint(smooth * numpy.float32(255)), 0, 255).astype(numpy.uint8)


def added(terms):
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total
