"""Small jobs of every kind of input and stage, whose files and texts the fuzz test damages."""
import gzip
import json
import os
import struct
import zlib

from runs import h5py, numpy

AFFINE = {"match": 1, "mismatch": -3, "gap_open": 3, "gap_extend": 2}


def stage(kind, problem, **settings):
    return {"name": "stage", kind: {"problem": problem, **settings}}


def png(pixels):
    """A grey PNG of 8 bits."""
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def dna(draw, length):
    return "".join("ACGT"[letter] for letter in draw.integers(4, size=length))


def edges(draw, nodes, count):
    return [(int(a), int(b), int(w)) for a, b, w in
            zip(draw.integers(nodes, size=count), draw.integers(nodes, size=count), draw.integers(1, 60, size=count))]


def write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def write_files(folder):
    """The input files; returns the jobs that read them, by name: inputs, stages."""
    draw = numpy.random.default_rng(1)
    square = draw.integers(1, 90, (24, 24)).astype(numpy.int32)
    pixels = draw.integers(0, 255, (20, 30)).astype(numpy.uint8)
    lines = edges(draw, 20, 70)
    numpy.save(os.path.join(folder, "square.npy"), square)
    numpy.save(os.path.join(folder, "real.npy"), draw.random((24, 24)))
    with open(os.path.join(folder, "flow.flo"), "wb") as file:
        file.write(b"PIEH" + struct.pack("<ii", 8, 6) + draw.random((6, 8, 2)).astype("<f4").tobytes())
    with h5py.File(os.path.join(folder, "grid.h5"), "w") as file:
        file.create_dataset("group/plain", data=square)
        file.create_dataset("chunked", data=draw.random((40, 30)), chunks=(8, 8), compression="gzip")
    write(folder, "raw.bin", square.tobytes())
    write(folder, "a.fa", f">one first\n{dna(draw, 150)}\n{dna(draw, 60)}\n>two\n{dna(draw, 80)}\n")
    write(folder, "b.fa.gz", gzip.compress(f">b\n{dna(draw, 190)}\n".encode()))
    write(folder, "table.csv", "x,y,z\n" + "\n".join(",".join(map(str, row)) for row in square[:12, :3]) + "\n")
    write(folder, "numbers.txt", "7 9\n" + " ".join(str(int(v)) for v in square[0]) + "\n")
    numpy.savez(os.path.join(folder, "stored.npz"), square=square, other=pixels)
    numpy.savez_compressed(os.path.join(folder, "packed.npz"), square=square)
    write(folder, "a.fq", f"@one first\n{dna(draw, 70)}\n+\n{'I' * 70}\n@two\n{dna(draw, 40)}\n+two\n{'@' * 40}\n")
    rows = zip("ACGT", draw.integers(-9, 9, (4, 4)))
    write(folder, "scores.mat", "# scores\n   A  C  G  T\n" +
          "".join(f"{letter} {' '.join(f'{score:3}' for score in row)}\n" for letter, row in rows))
    write(folder, "pixels.png", png(pixels))
    write(folder, "pixels.pgm", b"P5\n# made\n30 20\n255\n" + pixels.tobytes())
    write(folder, "pixels.ppm", "P3\n5 4\n255\n" + " ".join(map(str, pixels.flat[:60])) + "\n")
    write(folder, "graph.gr", "c roads\np sp 20 70\n" + "".join(f"a {a + 1} {b + 1} {w}\n" for a, b, w in lines))
    write(folder, "edges.txt", "# from to weight\n" + "".join(f"{a} {b} {w}\n" for a, b, w in lines))
    write(folder, "header.txt", "20 70\n" + "".join(f"{a} {b} {w}\n" for a, b, w in lines))
    write(folder, "graph.gml", "graph [\n directed 1\n" + "".join(f" node [ id {n} label \"n{n}\" ]\n" for n in range(20)) +
          "".join(f" edge [ source {a} target {b} weight {w} ]\n" for a, b, w in lines) + "]\n")
    write(folder, "graph.graphml", '<?xml version="1.0"?>\n<graphml>\n<key id="w" for="edge" attr.name="weight"/>\n'
          '<graph edgedefault="directed">\n' + "".join(f'<node id="n{n}"/>\n' for n in range(20)) +
          "".join(f'<edge source="n{a}" target="n{b}"><data key="w">{w}</data></edge>\n' for a, b, w in lines) +
          "</graph>\n</graphml>\n")
    write(folder, "names.csv.gz", gzip.compress(
        ("from,to,cost\n" + "".join(f"node {a},node {b},{w}\n" for a, b, w in lines)).encode()))
    pairs = sorted({(a, b): w for a, b, w in lines}.items())
    write(folder, "graph.mtx", f"%%MatrixMarket matrix coordinate integer general\n20 20 {len(pairs)}\n" +
          "".join(f"{a + 1} {b + 1} {w}\n" for (a, b), w in pairs))
    local = stage("wavefront", "smith_waterman", rows="a", columns="b", **AFFINE)
    letters = {"a": {"fasta": "a.fa", "record": "one"}, "b": {"fasta": "b.fa.gz", "range": [3, 170]}}

    def changed(job, **settings):
        return {"name": "stage", "wavefront": {**job["wavefront"], **settings}}

    def paths(**graph):
        return {"g": graph}, [stage("recursive", "floyd_warshall", matrix="g", paths=True)]

    def closure(**graph):
        return {"g": graph}, [stage("recursive", "transitive_closure", matrix="g")]

    def sums(**image):
        return {"g": image}, [stage("wavefront", "summed_area", grid="g")]

    return {
        "local": (letters, [changed(local, keep="alignment")]),
        "table": ({**letters, "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}, "seed": 3}},
                  [changed(local, keep="table"),
                   {"name": "sums", "wavefront": {"problem": "summed_area", "grid": "stage/table"}}]),
        "matrix": ({**letters, "m": {"substitution": "scores.mat"}},
                   [stage("wavefront", "needleman_wunsch", rows="a", columns="b", matrix="m", gap=3, keep="table")]),
        "distance": ({"a": {"fasta": "a.fa", "record": 1}, "b": {"generate": "dna", "length": 300, "seed": 2}},
                     [stage("wavefront", "edit_distance", rows="a", columns="b", keep="alignment")]),
        "borders": (letters, [changed(local, keep="borders", every=50)]),
        "warp": ({"a": {"text": "numbers.txt", "skip": 2}, "b": {"csv": "table.csv", "column": "y", "header": True}},
                 [stage("wavefront", "dtw", rows="a", columns="b", window=30, keep="alignment")]),
        "histogram": ({"g": {"image": "pixels.png"}},
                      [stage("wavefront", "integral_histogram", grid="g", bins=5, range=[0, 256])]),
        "pgm": sums(image="pixels.pgm"),
        "ppm": sums(image="pixels.ppm", channel="green"),
        "hdf5": sums(hdf5="grid.h5", dataset="group/plain"),
        "sweeps": ({"g": {"hdf5": "grid.h5", "dataset": "chunked"}},
                   [stage("wavefront", "sor", grid="g", sweeps=7, omega=0.8)]),
        "external": sums(external="raw.bin", type="i32", shape=[24, 24]),
        "uniform": sums(generate="uniform", shape=[40, 50], type="u8", seed=5),
        "dimacs": paths(graph="graph.gr"),
        "edges": paths(graph="edges.txt"),
        "header": paths(graph="header.txt"),
        "gml": closure(graph="graph.gml"),
        "market": closure(graph="graph.mtx"),
        "graphml": closure(graph="graph.graphml"),
        "names": ({"g": {"graph": "names.csv.gz"}},
                  [stage("recursive", "floyd_warshall", matrix="g", paths=True),
                   {"name": "ask", "query": {"matrix": "stage/distance", "next": "stage/next",
                                             "pairs": [["node 0", "node 7"], ["node 3", "node 3"]]}}]),
        "stored": sums(npz="stored.npz", array="square", select=[[2, 20], [0, 24]]),
        "packed": sums(npz="packed.npz"),
        "flow": sums(flo="flow.flo", select=[[0, 6], [0, 8], 1]),
        "reads": ({"a": {"fastq": "a.fq", "record": "one"}, "b": {"fastq": "a.fq", "record": 1}},
                  [stage("wavefront", "lcs", rows="a", columns="b")]),
        "query": ({"g": {"npy": "square.npy"}, "p": {"values": [0, 5, 7, 3, 4, 4], "shape": [3, 2]}},
                  [stage("recursive", "floyd_warshall", matrix="g", paths=True),
                   {"name": "ask", "query": {"matrix": "stage/distance", "next": "stage/next", "pairs": "p",
                                             "reduce": ["diameter", "sum"]}}]),
        "product": ({"l": {"npy": "square.npy"}, "r": {"npy": "square.npy"}},
                    [stage("recursive", "semiring_product", left="l", right="r", semiring="min_plus")]),
        "factors": ({"m": {"npy": "real.npy"}}, [stage("recursive", "gaussian_elimination", matrix="m")]),
        "chain": ({"d": {"values": [30, 35, 15, 5, 10, 20, 25]}},
                  [stage("recursive", "matrix_chain", dimensions="d", splits=True, keep="table")]),
        "tree": ({"k": {"values": [15, 10, 5, 10, 20]}, "g": {"values": [5, 10, 5, 5, 5, 10]}},
                 [stage("recursive", "optimal_bst", keys="k", gaps="g", splits=True)]),
        "polygon": ({"v": {"values": [0, 0, 4, 0, 5, 3, 2, 6, -1, 3], "shape": [5, 2]}},
                    [stage("recursive", "polygon_triangulation", vertices="v", splits=True)]),
        "fold": ({"s": {"fasta": "a.fa", "record": "two"}},
                 [stage("recursive", "nussinov", sequence="s", splits=True)]),
    }


def job_text(name, inputs, stages, **keys):
    """A job; YAML takes JSON as it is, but for sizes and times, which are no text."""
    job = {"job": name, "memory": {"host": 64 << 20, "device": 8 << 20}, "backend": "cpu",
           "checkpoint": {"every": "auto"}, "inputs": inputs, "stages": stages, "output": "out.h5", **keys}
    return json.dumps(job, indent=1)
