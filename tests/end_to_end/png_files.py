"""Reads pictures: PNG files of 8 bits a colour."""
import struct
import zlib

import numpy


def unfiltered(kind, line, before, step):
    """A line of bytes as it was before its filter (PNG specification, section 9)."""
    if kind == 0:
        return line
    if kind == 2:
        return line + before
    pixels = line.reshape(-1, step)
    if kind == 1:
        return numpy.cumsum(pixels, axis=0, dtype=numpy.uint64).astype(numpy.uint8).reshape(-1)
    result, left = [], [0] * step
    corner = [0] * step
    for pixel, above in zip(pixels.tolist(), before.reshape(-1, step).tolist()):
        new = []
        for value, a, b, c in zip(pixel, left, above, corner):
            if kind == 3:
                guess = (a + b) // 2
            else:
                towards = a + b - c
                distances = abs(towards - a), abs(towards - b), abs(towards - c)
                guess = (a, b, c)[distances.index(min(distances))]
            new.append((value + guess) & 255)
        result.append(new)
        left, corner = new, above
    return numpy.array(result, numpy.uint8).reshape(-1)


def read_png(path):
    """The picture as an array of rows x columns x 3 (red, green, blue)."""
    content = path.read_bytes()
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path} is no PNG file")
    at, packed = 8, b""
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        piece = content[at + 8:at + 8 + length]
        if zlib.crc32(kind + piece) != struct.unpack(">I", content[at + 8 + length:at + 12 + length])[0]:
            raise ValueError(f"{path} has a damaged piece {kind}")
        if kind == b"IHDR":
            width, height, bits, colours = struct.unpack(">IIBB", piece[:10])
        if kind == b"IDAT":
            packed += piece
        at += 12 + length
    step = {2: 3, 6: 4}[colours]
    assert bits == 8
    lines = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(height, 1 + width * step)
    before = numpy.zeros(width * step, numpy.uint8)
    rows = []
    for line in lines:
        before = unfiltered(line[0], line[1:], before, step)
        rows.append(before)
    return numpy.array(rows).reshape(height, width, step)[:, :, :3]
