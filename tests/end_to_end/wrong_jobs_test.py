"""A hundred mistakes that users make: each ends at once with one error, at its place, and leaves nothing behind."""
import concurrent.futures
import gzip
import io
import os
import re
import subprocess
import tempfile
import threading
import zipfile

import terrace_runs
from errors_test import png
from inputs_test import tiff
from terrace_runs import FAILED, WRONG, JobTest, h5py, main, numpy

LONGEST = 5  # seconds of processor time up to an error
# Lines of standard error that are no part of the error itself.
PROGRESS = re.compile(r"\w+(?: \(\d of \d\))?: \d+(?:\.\d)?%.*|Run with --help for more information\.|  \| .*")


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def npz(**arrays):
    file = io.BytesIO()
    numpy.savez(file, **arrays)
    return file.getvalue()


def zipped(name, content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


def hdf5(**datasets):
    """A file with these datasets; `__` in a name stands for a slash."""
    file = io.BytesIO()
    with h5py.File(file, "w") as opened:
        for name, value in datasets.items():
            opened[name.replace("__", "/")] = value
    return file.getvalue()


SUMS = "stages:\n- name: s\n  wavefront: {problem: summed_area, grid: g}\noutput: out.h5\n"


def grid(given):
    """A job that sums a grid; `given` begins at 2:7."""
    return f"inputs:\n  g: {{{given}}}\n{SUMS}"


def letters(given):
    """A job that compares a sequence with itself; `given` begins at 2:7."""
    return f"inputs:\n  a: {{{given}}}\nstages:\n- name: s\n  wavefront: {{problem: lcs, rows: a, columns: a}}\n" \
        "output: out.h5\n"


def graph(given, stage="recursive: {problem: floyd_warshall, matrix: g}"):
    """A job of one stage that reads a graph or a matrix; `given` begins at 2:7."""
    return f"inputs:\n  g: {{{given}}}\nstages:\n- name: s\n  {stage}\noutput: out.h5\n"


def of_stage(stage, inputs="{}"):
    """A job of one stage, which begins at 4:3."""
    return f"inputs: {inputs}\nstages:\n- name: s\n  {stage}\noutput: out.h5\n"


def of_stencil(keys):
    """A job of a stencil; `keys` begin at 4:13."""
    return of_stage(f"stencil: {{{keys}}}", "{g: {generate: uniform, shape: [20, 20]}}")


def of_letters(keys):
    """A job of an alignment; `keys` begin at 4:93."""
    return of_stage("wavefront: {problem: smith_waterman, rows: a, columns: a, match: 1, mismatch: -1, gap: 1, "
                    f"{keys}}}", "{a: {generate: dna, length: 9}}")


SCORED = of_stage("wavefront: {problem: smith_waterman, rows: a, columns: a, matrix: m, gap: 1}",
                  "{a: {generate: dna, length: 9}, m: {substitution: m.mat}}")
TWO = "{g: {values: [1, 2], shape: [1, 2]}}"
def result(*datasets):
    """The names of a result of Terrace, as far as a job that reads it meets them."""
    file = io.BytesIO()
    with h5py.File(file, "w") as written:
        written.attrs["checksums"] = ""
        for name in (*datasets, "job", "profile/blocks/begin", "checksums/heat/grid"):
            written[name] = 1
    return file.getvalue()


GRID = npy(numpy.arange(12, dtype=numpy.int32).reshape(3, 4))
PICTURE = tiff(30, 20, bytes(600))
FINE = grid("npy: g.npy")
FILES = {"g.npy": GRID}
IN_G = "job.yaml:2:3: input 'g': {}"  # {}: the folder of the job
IN_A = "job.yaml:2:3: input 'a': {}"

# A mistake, the job, the beginning of what is said; files beside FILES, and the exit code if it is not WRONG.
JOBS = [
    # The text of a job.
    ("UTF-16", FINE.encode("utf-16"), "job.yaml:1:1: this is no text in UTF-8 (byte 0 of the file)"),
    ("a picture", png(20, 30), "job.yaml:1:1: this is no text in UTF-8"),
    ("Latin-1", FINE.replace("s\n", "\xe9\n", 1).encode("latin-1"), "job.yaml:4:9: this is no text in UTF-8 (byte 42"),
    ("a quote left open", FINE.replace("out.h5", "'out.h5"), "job.yaml:6:9: this quote is not closed"),
    ("a quote left open in braces", grid("npy: 'g.npy"), "job.yaml:2:12: this quote is not closed"),
    ("a merge key", "inputs:\n  h: &b {npy: g.npy}\n  g: {<<: *b}\n" + SUMS,
     "job.yaml:3:7: merge keys (<<) are no part of a job"),
    ("no colon", FINE.replace("g: {", "g {"), "job.yaml:2:5: a ':' and a blank are missing before this '{'"),
    ("no blank after a colon", FINE.replace("g: {", "g:{"), "job.yaml:2:5: a ':' and a blank are missing before"),
    ("no-break spaces", FINE.replace("  g:", "\u00a0\u00a0g:"), "job.yaml:2:1: this is a no-break space (U+00A0)"),
    ("an escape that is none", grid('npy: "g\\q.npy"'), "job.yaml:2:16: a '\\' in double quotes begins no escape"),
    ("an at sign", grid("npy: @g.npy"), "job.yaml:2:12: a text cannot begin with this letter: put it in quotes"),
    ("no blank behind a colon", grid("npy:g.npy"), "job.yaml:2:10: a blank is missing behind this ':'; write 'npy: g.npy'"),
    ("a star", grid("npy: *.npy"), "job.yaml:2:12: this alias names no anchor above it"),
    ("another version of YAML", "%YAML 9.9\n---\n" + FINE, "job.yaml:1:1: a line that begins with '%' has no meaning"),
    ("a list as a key", "? [a, b]\n: 3\n" + FINE, "job.yaml:1:3: a key must be a word, not a list or a map"),
    ("an anchor for another shape", "inputs:\n  h: {values: [1, 2], shape: &s [1, 2]}\n"
     "  g: {values: [1, 2, 3], shape: *s}\n" + SUMS, "job.yaml:2:30: shape: 1 x 2 are 2 numbers, but values has 3"),
    ("more after the end", FINE + "...\nmore: 3\n", "job.yaml:8:1: a second document begins"),
    # The top of a job.
    ("an output twice", FINE + "output: more.h5\n", "job.yaml:7:1: duplicate key 'output': it was given before, at"),
    ("an output that is a list", FINE.replace("out.h5", "[out.h5]"), "job.yaml:6:9: 'output' takes a path, not a list"),
    ("the folder above as output", FINE.replace("out.h5", ".."), "job.yaml:6:9: 'output' names a folder; name a file"),
    ("the job as output", FINE.replace("out.h5", "job.yaml"),
     "job.yaml:6:9: {}job.yaml is there and was not made by Terrace: it is not replaced; name another output"),
    ("percents of memory", "memory: {host: 50%}\n" + FINE, "job.yaml:1:16: 'memory.host' takes a size in bytes"),
    ("memory in seconds", "memory: {host: 64s}\n" + FINE, "job.yaml:1:16: 'memory.host' takes a size in bytes"),
    ("memory as a list", "memory: [4GiB, 2GiB]\n" + FINE, "job.yaml:1:9: 'memory' takes a map {host: ...} with host"),
    ("a budget of a page", "memory: {host: 4KiB}\n" + FINE, "job.yaml:6:3: stage 's': memory.host is too small for"),
    ("all threads", "threads: auto\n" + FINE, "job.yaml:1:10: 'threads' takes a whole number from 1 to 4096"),
    ("minutes by a letter", "checkpoint: {every: 5m}\n" + FINE,
     "job.yaml:1:21: 'checkpoint.every' takes a time of at least 0.001 s, such as 30s, or auto, not '5m'; units are"),
    ("a back end of another name", "backend: gpu\n" + FINE,
     "job.yaml:1:10: 'backend' takes one of auto, cuda, cpu, not 'gpu'; did you mean 'cuda'?"),
    ("scratch space in a file", "scratch: {path: g.npy}\n" + FINE, "job.yaml:1:17: 'scratch.path' names a file; name"),
    ("a file where the run lives", FINE, "job.yaml:6:9: {}out.h5.run: is where the run of out.h5 would live, and is no",
     {"out.h5.run": b"x"}),
    # Stages.
    ("one stage that is no list", FINE.replace("- name", "  name"), "job.yaml:4:3: 'stages' takes a list of stages"),
    ("keys next to their kind", of_stage("wavefront:\n  problem: sor\n  grid: g", TWO),
     "job.yaml:5:3: 'problem' belongs to the map of the stage's kind: indent it below 'wavefront'"),
    ("keys without their kind", "stages:\n- {name: s, problem: sor, grid: g}\noutput: out.h5\n",
     "job.yaml:2:13: the stage is of no kind: write wavefront: {problem: sor, ...}"),
    ("a problem for an operator", of_stencil("problem: star2d, grid: g, steps: 5"),
     "job.yaml:4:13: 'stencil' has no 'problem': it takes 'operator', one of star1d"),
    ("fields in place of a grid", of_stencil("operator: heat2d, fields: {u: g}, steps: 5, dt: 0.1, diffusivity: 1"),
     "job.yaml:4:31: unknown key 'fields' in stage 's' (stencil, heat2d); it belongs to wave2d, wave3d, fdtd2d, formula, "
     "not to heat2d; it needs 'grid': "),
    ("a cycle of stages", "stages:\n- {name: a, wavefront: {problem: sor, grid: b/grid}}\n"
     "- {name: b, wavefront: {problem: sor, grid: a/grid}}\noutput: out.h5\n",
     "job.yaml:2:45: stage 'b' comes later; a stage reads what stages above it wrote"),
    ("a file in place of an input", of_stage("wavefront: {problem: sor, grid: g.npy}", TWO),
     "job.yaml:4:35: there is no array 'g.npy'; there is g"),
    ("an input within a stage", of_stage("wavefront: {problem: sor, grid: {npy: g.npy}}"),
     "job.yaml:4:35: 'grid' takes the name of an input, or stage/output of an earlier stage, not a map"),
    ("a table of next nodes that is not kept", "inputs:\n  g: {graph: g.txt}\nstages:\n"
     "- {name: d, recursive: {problem: floyd_warshall, matrix: g}}\n"
     "- {name: q, query: {matrix: d/distance, next: d/next, pairs: [[a, b]]}}\noutput: out.h5\n",
     "job.yaml:5:47: stage 'd' writes 'next' only with 'paths, without sources'", {"g.txt": b"a b 3\nb c 4\n"}),
    ("a node that is not there", "inputs:\n  g: {graph: g.txt}\nstages:\n"
     "- {name: d, recursive: {problem: floyd_warshall, matrix: g}}\n"
     "- {name: q, query: {matrix: d/distance, pairs: [[a, tim]]}}\noutput: out.h5\n",
     "job.yaml:5:48: stage 'q': pair 0: 'tim' is no node: there are 'a', 'b', 'c'", {"g.txt": b"a b 3\nb c 4\n"}),
    ("a pair of one", of_stage("query: {matrix: g, pairs: [[1]]}", TWO),
     "job.yaml:4:30: 'pairs' takes the name of an input, or stage/output of an earlier stage, or a list of pairs"),
    ("lines without borders", of_letters("every: 5"), "job.yaml:4:100: every says how many rows and columns `keep:"),
    ("two kept", of_letters("keep: [score, table]"), "job.yaml:4:99: 'keep' takes one of score, table, borders"),
    ("an alphabet of RNA", of_letters("alphabet: rna"), "job.yaml:4:103: 'alphabet' takes one of dna, protein, text"),
    ("a matrix of another number", of_stage("wavefront: {problem: smith_waterman, rows: a, columns: a, matrix: "
     "blosum63, gap: 1}", "{a: {generate: dna, length: 9}}"),
     "job.yaml:4:69: there is no array 'blosum63'; did you mean 'blosum62'?"),
    ("a schedule of others", of_stage("wavefront: {problem: sor, grid: g, schedule: peer_square}", TWO),
     "job.yaml:4:48: 'schedule' takes one of auto, registers, not 'peer_square'"),
    ("a histogram without ends", of_stage("wavefront: {problem: integral_histogram, grid: g, bins: 4}", TWO),
     "job.yaml:4:3: stage 's': a histogram of a grid of i64 needs `range: [low, high]`, the ends of its bins"),
    ("too much relaxation", of_stage("wavefront: {problem: sor, grid: g, omega: 2.5}", TWO),
     "job.yaml:4:45: 'omega' takes a number from 0 to 2, not '2.5'"),
    ("an end by a number alone", of_stencil("operator: star2d, grid: g, steps: 5, until: 1e-6"),
     "job.yaml:4:57: 'until' takes a map {residual: ...} with residual, norm, every, not '1e-6'"),
    ("faces of another program", of_stencil("operator: star2d, grid: g, steps: 5, boundary: wrap"),
     "job.yaml:4:60: 'boundary' takes one of fixed, periodic, edge, reflect, symmetric or {value: NUMBER}"),
    ("one periodic side", of_stencil("operator: star2d, grid: g, steps: 5, boundary: [[periodic, fixed], fixed]"),
     "job.yaml:4:61: 'boundary': both sides of an axis are periodic, or none"),
    ("another spelling", of_stencil("operator: star2d, grid: g, steps: 5, coefficients: {centre: 1, neighbours: 2}"),
     "job.yaml:4:65: unknown key 'centre' in 'coefficients' of stage 's' (stencil, star2d); did you mean 'center'?"),
    ("a field of another name", of_stencil("operator: wave2d, fields: {u: g, prev: g}, steps: 5, dt: 0.1, speed: 1"),
     "job.yaml:4:46: unknown key 'prev' in 'fields' of stage 's' (stencil, wave2d); did you mean 'previous'?"),
    ("endless steps of time", of_stencil("operator: heat2d, grid: g, steps: 5, dt: .inf, diffusivity: 1"),
     "job.yaml:4:54: 'dt' takes a number, not '.inf'"),
    ("half precision", of_stencil("operator: star2d, grid: g, steps: 5, type: f16"),
     "job.yaml:4:56: 'type' takes one of auto, f32, f64, not 'f16'; did you mean 'f32'?"),
    ("a single extent", of_stage("dp_table: {extents: 101, steps: [[1]]}"),
     "job.yaml:4:23: 'extents' takes a list of whole numbers, each of at least 1, such as [1, 2], not '101'"),
    ("steps in one list", of_stage("dp_table: {extents: [101], steps: [1, 3]}"),
     "job.yaml:4:37: 'steps' takes a list of lists of whole numbers"),
    ("no machines", of_stage("makespan: {times: g, machines: 0, epsilon: 0.2}", TWO),
     "job.yaml:4:34: 'machines' takes a whole number from 1 to 16777216"),
    ("percents of epsilon", of_stage("makespan: {times: g, machines: 2, epsilon: 20%}", TWO),
     "job.yaml:4:46: 'epsilon' takes a number from 0 to 1, not '20%'"),
    ("time that is given back", of_stage("makespan: {times: g, machines: 2, epsilon: 0.2}", "{g: {values: [1, -2]}}"),
     "job.yaml:4:21: stage 's': g[1] (job.yaml:1:26): is negative; give whole numbers that are not negative"),
    ("factors that do not fit", of_stage("recursive: {problem: semiring_product, left: g, right: g}", TWO),
     "job.yaml:4:58: stage 's': 'g' is 1 x 2, and 'g' 1 x 2; the right matrix has as many rows as the left one has"),
    ("a cycle of negative weight", graph("graph: g.txt"),
     "terrace: job.yaml:5:3: stage 's': 'g' has a negative cycle through node 'b'", {"g.txt": b"a b -3\nb a 1\n"},
     FAILED),
    ("a pivot of zero", of_stage("recursive: {problem: gaussian_elimination, matrix: g}",
     "{g: {values: [0, 1, 1, 0], shape: [2, 2], type: f64}}"),
     "terrace: job.yaml:4:3: stage 's': the pivot in row 0 of 'g' (counted from 0) is zero", {}, FAILED),
    # Inputs.
    ("a kind by its suffix", grid("png: g.png"), "job.yaml:2:7: unknown kind of input 'png'; did you mean 'image'?"),
    ("a type by another name", grid("external: g.npy, type: float32, shape: [3, 4]"),
     "job.yaml:2:30: 'type' takes a type (u8, i8, u16, i16, u32, i32, u64, i64, f32, f64), not 'float32'; did you mean "
     "'f32'?"),
    ("an array of complex numbers", FINE, IN_G + "g.npy: the .npy header has the element type '<c16'",
     {"g.npy": npy(numpy.zeros((2, 2), complex))}),
    ("records of NumPy", FINE, IN_G + "g.npy: the .npy header describes records (structured types)",
     {"g.npy": npy(numpy.zeros(3, [("a", "i4"), ("b", "f8")]))}),
    ("a header cut short", FINE, IN_G + "g.npy: was cut short in the .npy header", {"g.npy": GRID[:40]}),
    ("an array cut short", FINE, IN_G + "g.npy: has 172 bytes, but 3 x 4 elements of i32 from byte 128 on need more",
     {"g.npy": GRID[:-4]}),
    ("an array of negative extents", FINE, IN_G + "g.npy: the .npy header has a shape that is none",
     {"g.npy": GRID.replace(b"(3, 4)", b"(3,-4)")}),
    ("an archive as an array", FINE, IN_G + "g.npy: is no .npy file", {"g.npy": npz(a=numpy.zeros((2, 2)))}),
    ("a part twice", grid("npy: g.npy, select: [[0, 2], [0, 2]], range: [0, 1]"),
     "job.yaml:2:52: range: `select` chooses a part already; give one of the two"),
    ("a part of too few dimensions", grid("npy: g.npy, select: [[0, 2]]"),
     "job.yaml:2:27: select: {}g.npy is of shape 3 x 4: give 2 ranges or indices, not 1"),
    ("a step back", "stages:\n- {name: s, dp_table: {extents: [9], steps: [[-1]]}}\noutput: out.h5\n",
     "job.yaml:2:47: 'steps' takes a list of lists of whole numbers, all of one length, each of at least 0, such as "
     "[[0, 1], [1, 0]], or the name of an array (an input, or stage/output), not '-1'"),
    ("a part outside of an array", grid("npy: g.npy, select: [[0, 3], [1, 5]]"),
     "job.yaml:2:36: select: {}g.npy is of shape 3 x 4: [1, 5) does not lie in dimension 1"),
    ("a table of one row", grid("csv: g.csv"),
     "job.yaml:5:43: stage 's': 'g' has 1 dimension; a grid has two (rows and columns); for one row, `csv`, `text` and "
     "`values` take `shape: [1, 3]`", {"g.csv": b"1,2,3\n"}),
    ("a result without the name of a dataset", grid("hdf5: r.h5"),
     "job.yaml:2:13: dataset: {}r.h5 has '/heat/grid', '/heat/time'; name one",
     {"r.h5": result("heat/grid", "heat/time")}),
    ("an unknown dataset of a result", grid("hdf5: r.h5, dataset: heat/gird"),
     "job.yaml:2:28: dataset: {}r.h5 has no 'heat/gird'; it has '/heat/grid'; did you mean '/heat/grid'?",
     {"r.h5": result("heat/grid")}),
    ("an archive without its end", grid("npz: z.npz, array: a"), IN_G + "z.npz: is no .npz file, which is a zip",
     {"z.npz": npz(a=numpy.zeros((2, 2)))[:-30]}),
    ("an archive of text", grid("npz: z.npz"), IN_G + "z.npz, array readme.txt: is no .npy file",
     {"z.npz": zipped("readme.txt", "x")}),
    ("names of columns", grid("csv: g.csv"),
     IN_G + "g.csv:1:1: 'time' is no number; if this line names the columns, say `header: true`",
     {"g.csv": b"time,level\n1,2\n"}),
    ("another separator", grid("csv: g.csv"),
     IN_G + "g.csv:1:1: '1;2' is no number; if values stand between other characters, say so by `separator`",
     {"g.csv": b"1;2\n3;4\n"}),
    ("a table without rows", grid("csv: g.csv"),
     "job.yaml:5:43: stage 's': 'g' is empty: {}g.csv has no rows of values", {"g.csv": b"# nothing yet\n\n"}),
    ("no table of values", grid("values: []"), "job.yaml:5:43: stage 's': 'g' is empty"),
    ("a cell without number", grid("csv: g.csv"), IN_G + "g.csv:2:3: a number is missing", {"g.csv": b"1,2\n3,\n"}),
    ("a number of no type", grid("csv: g.csv"), IN_G + "g.csv:2:3: '1e999' does not fit f64",
     {"g.csv": b"1,2\n3,1e999\n"}),
    ("a table damaged in its archive", grid("csv: g.csv.gz"), IN_G + "g.csv.gz: byte ",
     {"g.csv.gz": gzip.compress(b"1,2\n" * 50)[:-6] + b"abcdef"}),
    ("a record of a near name", letters("fasta: r.fa, record: chr1"),
     "job.yaml:2:28: record: there is no 'chr1' in {}r.fa (2 records, 'chr10', 'chr2'); did you mean 'chr10' or",
     {"r.fa": b">chr10\nACGT\n>chr2\nAC\n"}),
    ("a range of three", letters("fasta: r.fa, range: [0, 1, 2]"), "job.yaml:2:27: range: give two numbers",
     {"r.fa": b">r\nACGT\n"}),
    ("reads as a genome", letters("fasta: r.fq"), IN_A + "r.fq:1:1: letters before the first record",
     {"r.fq": b"@r\nACGT\n+\nIIII\n"}),
    ("qualities cut short", letters("fastq: r.fq"), IN_A + "r.fq:1: the record that begins here has no end",
     {"r.fq": b"@r\nACGT\n+\nIII\n"}),
    ("another compression", letters("fasta: r.fa.xz"), IN_A + "r.fa.xz: is compressed with xz",
     {"r.fa.xz": b"\xfd7zXZ\0\0\4" + bytes(30)}),
    ("a picture of another kind", grid("image: g.jpg"), IN_G + "g.jpg: is no PNG, PGM, PPM or TIFF image",
     {"g.jpg": b"\xff\xd8\xff\xe0" + bytes(100)}),
    ("a TIFF without its directory", grid("image: g.tif"), IN_G + "g.tif: cannot be read as TIFF: Failed to read",
     {"g.tif": PICTURE[:-40]}),
    ("a value that does not fit", grid("values: [1, 300], type: u8, shape: [1, 2]"),
     "job.yaml:2:19: values: number 1: '300' does not fit u8"),
    ("an extent below zero", grid("values: [1, 2], shape: [2, -1]"), "job.yaml:2:34: shape: the extent -1 is negative"),
    ("a band that is not there", grid("image: g.tif, band: 3"),
     "job.yaml:2:27: band: there is no band 3 in {}g.tif, which has 1 band, from 0", {"g.tif": PICTURE}),
    ("a picture cut short", grid("image: g.pgm"), IN_G + "g.pgm, byte 10: the file ends too soon: 11 bytes left for",
     {"g.pgm": b"P5\n4 4\n255\n" + bytes(10)}),
    ("a group in place of a dataset", grid("hdf5: g.h5, dataset: /run"),
     "job.yaml:2:28: dataset: '/run' of {}g.h5 is a group, not a dataset; it has '/run/t'; did you mean '/run/t'?",
     {"g.h5": hdf5(run__t=numpy.zeros((2, 3)))}),
    ("text in HDF5", grid("hdf5: g.h5"), "job.yaml:5:43: stage 's': 'g' holds names, and `grid` takes numbers",
     {"g.h5": hdf5(s=numpy.array([b"a", b"b"]))}),
    ("HDF5 cut short", grid("hdf5: g.h5"), IN_G + "g.h5: cannot be opened; the file is damaged, cut short, or still",
     {"g.h5": hdf5(t=numpy.zeros((20, 30)))[:1000]}),
    ("an offset beyond the end", grid("external: g.raw, type: f32, shape: [3, 4], offset: 1"),
     IN_G + "g.raw: has 48 bytes, but 3 x 4 elements of f32 from byte 1 on need more", {"g.raw": bytes(48)}),
    ("a column of weights that is not there", graph("graph: g.txt, weight: km"),
     "job.yaml:2:29: weight: 'km' is neither a column of a header of {}g.txt nor an index from 2 on",
     {"g.txt": b"from to length\na b 3\n"}),
    ("a first weight that is too large", graph("graph: g.txt"), IN_G + "g.txt:1:5: '1e400' is no number",
     {"g.txt": b"a b 1e400\nb c 2\n"}),
    ("a graph in broken XML", graph("graph: g.graphml"), IN_G + "g.graphml:1:61: is no XML: ",
     {"g.graphml": b'<graphml><graph edgedefault="directed"><node id="a"></graph></graphml>'}),
    ("complex weights", graph("graph: g.mtx"), IN_G + "g.mtx:1:1: a graph begins with `%%MatrixMarket matrix",
     {"g.mtx": b"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3 4\n"}),
    ("a score of a number", SCORED, "job.yaml:1:41: input 'm': {}m.mat:1:5: '1' is no letter",
     {"m.mat": b"  A 1\nA 1 2\n1 1 2\n"}),
]

# A command, how it ends, and what it says, in the folder of a job that is right.
COMMANDS = [
    (["run", ""], "JOB: is empty; name a file"),
    (["show", ""], "RESULT: is empty; name a file"),
    (["run", "job.yaml", "--log", ""], "--log: is empty; name a file"),
    (["run", "."], ".: this is a folder; name a job file in it"),
    (["run", "job.yaml", "job.yaml"], "The following argument was not expected: job.yaml"),
    (["run", "job.yaml", "--fresh="], "--fresh=: the value behind '=' is missing"),
    (["run", "job.yaml", "--fresh", "all"], "The following argument was not expected: all; write --fresh=all"),
    (["run", "--fresh", "changed", "job.yaml"], "The following argument was not expected: job.yaml; write --fresh=changed"),
    (["show", "nothere.h5"], "nothere.h5: is not there"),
    (["verify", "nothere.h5"], "nothere.h5: is not there"),
    (["report", "nothere.h5", "-o", "page.html"], "nothere.h5: is not there"),
    (["trace", "nothere.h5", "-o", "trace.json"], "nothere.h5: is not there"),
    (["plot", "nothere.h5", "-o", "picture.png"], "nothere.h5: is not there"),
    (["plan", "job.yaml", "--fresh=t"], "--fresh=t: there is no such value"),
    (["run", "job.yaml", "--set", "memory.host"], "--set memory.host: a setting is key=value"),
    (["run", "job.yaml", "--set", "stages.t.grid=g"], "--set stages.t.grid=g: the job has no stage 't'; its stages: s"),
    (["run", "job.yaml", "--set", "output='x"], "--set output='x: a quote is not closed"),
    (["run", "job.yaml", "--threads", "many"], "--set threads=many: 'threads' takes a whole number from 1 to 4096"),
    (["run", "job.yaml", "--log", "no/where.log"], "--log no/where.log: {}no is no folder; make it first"),
    (["verify", "out.h5", "--sample", "2"], "--sample: a fraction is above 0 and at most 1, as 0.01; not '2'"),
    (["verify", "out.h5", "--sample", "1", "--seed", "1.5"], "--seed: a seed is a whole number of 64 bits; not '1.5'"),
    (["operators", "sor"], "there is no operator 'sor'; it is a problem: see `terrace problems sor`"),
    (["problems", "heat2d"], "there is no problem 'heat2d'; it is an operator: see `terrace operators heat2d`"),
    (["runn", "job.yaml", "--help"], "there is no command 'runn'; did you mean 'run'?"),
    (["--help", "runn"], "there is no command 'runn'; did you mean 'run'?"),
    (["--version", "runn"], "there is no command 'runn'; did you mean 'run'?"),
    (["inputs", "tiff"], "there is no kind of input 'tiff'; did you mean 'image'?"),
]


class WrongJobs(JobTest):
    def called(self, folder, arguments, **user):
        """Runs the program in a folder. @return exit code, what it said, seconds of processor time"""
        with tempfile.TemporaryFile("w+") as said:
            process = subprocess.Popen([terrace_runs.program, *arguments], cwd=folder, stdout=said, stderr=said, **user)
            hangs = threading.Timer(60, process.kill)
            hangs.start()
            _, status, usage = os.wait4(process.pid, 0)
            hangs.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return process.returncode, said.read(), usage.ru_utime + usage.ru_stime

    def check(self, folder, ended, said, code):
        """One error, which begins so, and nothing left behind."""
        returned, text, seconds = ended
        self.assertEqual(returned, code, text)
        self.assertLess(seconds, LONGEST)
        errors = [line for line in text.splitlines() if not PROGRESS.fullmatch(line)]
        self.assertEqual(len(errors), 1, text)
        self.assertEqual(errors[0][:len(said)], said, text)
        if re.match(r"(terrace: )?job\.yaml:\d", said):
            self.assertRegex(text, r"\n  \| .*\n  \| *\^", "the line of the job, and the column")
        self.assertFalse((folder / "out.h5").exists())
        self.assertFalse((folder / "out.h5.run").is_dir())

    def folder_of(self, name, job, files):
        folder = self.folder / name
        for file, content in {**files, "job.yaml": job if isinstance(job, bytes) else job.encode()}.items():
            self.write(f"{name}/{file}", content)
        return folder

    def check_all(self, rows):
        """@param rows a title, the folder, the arguments, what is said, the exit code"""
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            calls = [pool.submit(self.called, folder, arguments) for _, folder, arguments, _, _ in rows]
            for (title, folder, _, said, code), call in zip(rows, calls):
                with self.subTest(title=title):
                    self.check(folder, call.result(), said.replace("{}", f"{folder}/"), code)

    def test_in_jobs_have_one_error_at_their_place(self):
        self.assertGreaterEqual(len(JOBS) + len(COMMANDS), 100)
        rows = []
        for number, (title, job, said, *more) in enumerate(JOBS):
            files = more[0] if more else {}
            code = more[1] if len(more) > 1 else WRONG
            folder = self.folder_of(f"job{number}", job, {**FILES, **files})
            rows.append((title, folder, ["run", "job.yaml"], said, code))
        self.check_all(rows)

    def test_in_commands_are_one_error(self):
        folder = self.folder_of("commands", FINE, FILES)
        self.check_all([(" ".join(arguments), folder, arguments, said, WRONG) for arguments, said in COMMANDS])

    def test_in_permissions_have_their_place(self):
        other = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        self.folder.chmod(0o755)
        for name, closed, mode, said in (
                ("input", "g.npy", 0, IN_G + "g.npy: cannot be opened: Permission denied"),
                ("folder_of_input", "d", 0, "job.yaml:2:3: input 'g': {}d/g.npy: Permission denied"),
                ("job", "job.yaml", 0, "job.yaml: cannot read the job: Permission denied"),
                ("output", ".", 0o555, "job.yaml:6:9: {}out.h5.run: cannot be made: Permission denied; name another")):
            with self.subTest(name=name):
                files = {"d/g.npy": GRID} if closed == "d" else FILES
                folder = self.folder_of(name, FINE.replace("g.npy", next(iter(files))), files)
                folder.chmod(0o777)
                (folder / closed).chmod(mode)
                self.addCleanup((folder / closed).chmod, 0o777)
                self.check(folder, self.called(folder, ["run", "job.yaml"], **other), said.replace("{}", f"{folder}/"),
                           WRONG)


if __name__ == "__main__":
    main()
