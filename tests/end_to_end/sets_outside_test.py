"""Scores of sets against edlib and parasail, which know nothing of Terrace."""
import ctypes
import ctypes.util
import itertools

from terrace_runs import JobTest, main, mutated, numpy, random_text, skip, wavefront

try:
    import edlib
except ImportError:
    edlib = None

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"


def random_protein(length, seed):
    return "".join(AMINO_ACIDS[i] for i in numpy.random.default_rng(seed).integers(len(AMINO_ACIDS), size=length))


def related(count, longest, seed, make=random_text):
    """Sequences of one letter and more, every second one a part of the same ancestor with some letters changed."""
    draw = numpy.random.default_rng(seed)
    ancestor, found = make(longest, seed), []
    for number in range(count):
        length = int(draw.integers(1, longest + 1))
        start = int(draw.integers(0, longest + 1 - length))
        part = ancestor[start:start + length] if number % 2 else make(length, seed + number)
        found.append(mutated(part, seed + number, 0.01 + 0.1 * (number % 5))[:longest] or "A")
    return found


class OutsideTest(JobTest):
    always = {"backend": "cpu"}

    def sets(self, rows, columns):
        def fasta(name, letters):
            text = "".join(f">{name}{number}\n{one}\n" for number, one in enumerate(letters))
            return {"fasta": self.write(f"{name}.fa", text), "records": "all"}

        return {"a": fasta("a", rows), "b": fasta("b", columns)}

    def check(self, rows, columns, stages, expected):
        """Runs stages over all pairs. @param expected of each stage a function of two texts"""
        result = self.run_job(self.sets(rows, columns), stages)
        for stage in stages:
            scores = result[stage["name"]]["score"][()]
            for (i, row), (j, column) in itertools.product(enumerate(rows), enumerate(columns)):
                self.assertEqual(scores[i, j], expected[stage["name"]](row, column), (stage["name"], i, j))


class Edlib(OutsideTest):
    """edlib 1.2 (Šošić, Šikić 2017): edit distances by bits."""

    def setUp(self):
        super().setUp()
        if edlib is None:
            skip("edlib is not installed (Debian: python3-edlib)")

    def test_distances(self):
        def whole(row, column):
            return edlib.align(row, column, mode="NW")["editDistance"]

        def within(row, column):
            return -edlib.align(row, column, mode="HW")["editDistance"]

        unit = {"rows": "a", "columns": "b", "match": 0, "mismatch": -1, "gap": 1}
        stages = [wavefront("whole", "edit_distance", rows="a", columns="b"),
                  wavefront("within", "needleman_wunsch", **unit, free_ends="columns")]
        for longest, count in ((40, 40), (700, 24), (4000, 6)):
            rows, columns = related(count, longest, longest), related(count, longest, longest + 1)
            rows = [row[:max(1, longest // 3)] for row in rows]
            self.check(rows, columns, stages, {"whole": whole, "within": within})
            (self.folder / "result.h5").unlink()

    def test_pairs_within_a_distance(self):
        rows, columns = related(50, 300, 5), related(60, 300, 5)
        result = self.run_job(self.sets(rows, columns),
                              [wavefront("s", "edit_distance", rows="a", columns="b", at_most=70)])
        expected = []
        for (i, row), (j, column) in itertools.product(enumerate(rows), enumerate(columns)):
            distance = edlib.align(row, column, mode="NW", k=70)["editDistance"]
            if distance >= 0:
                expected.append((i, j, distance))
        self.assertGreater(len(expected), 100)
        found = numpy.column_stack([result["s/pair"][()], result["s/score"][()]])
        self.assertEqual(found.tolist(), [list(one) for one in expected])

    def test_alignments_within_a_distance(self):
        rows, columns = related(12, 200, 9), related(12, 200, 9)
        stage = wavefront("s", "edit_distance", rows="a", columns="b", at_most=90, keep="alignment")
        result = self.run_job(self.sets(rows, columns), [stage])["s"]
        begins, cigars = result["cigar_begin"][()], result["cigar"][()].tobytes().decode()
        self.assertGreater(len(result["pair"]), 20)
        for number, (i, j) in enumerate(result["pair"][()]):
            counts = {"=": 0, "X": 0, "I": 0, "D": 0}
            length = ""
            for byte in cigars[begins[number]:begins[number + 1]]:
                if byte.isdigit():
                    length += byte
                    continue
                counts[byte] += int(length)
                length = ""
            self.assertEqual(counts["X"] + counts["I"] + counts["D"],
                             edlib.align(rows[i], columns[j], mode="NW")["editDistance"])
            self.assertEqual(counts["="] + counts["X"] + counts["I"], len(rows[i]))
            self.assertEqual(counts["="] + counts["X"] + counts["D"], len(columns[j]))


class Parasail(OutsideTest):
    """parasail 2.6 (Daily 2016), whose gaps cost `open` for the first letter and `extend` for each further one.
    Its striped functions give other scores than its plain ones where both are equal; its scans do not."""

    def setUp(self):
        super().setUp()
        path = ctypes.util.find_library("parasail")
        if path is None:
            skip("parasail is not installed (Debian: libparasail-dev)")
        self.library = ctypes.CDLL(path)
        for make in ("parasail_matrix_create", "parasail_matrix_lookup"):
            getattr(self.library, make).restype = ctypes.c_void_p

    def score(self, function, matrix, opening, extend):
        call, library = getattr(self.library, function), self.library
        call.restype = ctypes.c_void_p
        call.argtypes = [ctypes.c_char_p, ctypes.c_int] * 2 + [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
        library.parasail_result_get_score.argtypes = library.parasail_result_free.argtypes = [ctypes.c_void_p]

        def of_pair(row, column):
            found = call(row.encode(), len(row), column.encode(), len(column), opening + extend, extend, matrix)
            score = library.parasail_result_get_score(found)
            library.parasail_result_free(found)
            return score

        return of_pair

    def check_all(self, rows, columns, matrix, scoring, gaps):
        settings = {"rows": "a", "columns": "b", **scoring, "gap_open": gaps[0], "gap_extend": gaps[1]}
        stages = [wavefront("local", "smith_waterman", **settings), wavefront("whole", "needleman_wunsch", **settings)]
        functions = {"local": "parasail_sw_scan_32", "whole": "parasail_nw_scan_32"}
        for free, function in (("rows", "sg_qx"), ("columns", "sg_dx"), ("both", "sg")):
            stages.append(wavefront(free, "needleman_wunsch", **settings, free_ends=free))
            functions[free] = f"parasail_{function}_scan_32"
        expected = {name: self.score(function, matrix, *gaps) for name, function in functions.items()}
        overlap = expected["both"]
        # parasail aligns some letters; two sequences may also follow one another, with a score of 0.
        expected["both"] = lambda row, column: max(0, overlap(row, column))
        self.check(rows, columns, stages, expected)
        (self.folder / "result.h5").unlink()

    def test_dna(self):
        for number, (match, mismatch, gaps) in enumerate(((2, -3, (5, 2)), (1, -1, (0, 1)), (5, -4, (10, 1)))):
            matrix = self.library.parasail_matrix_create(b"ACGT", match, mismatch)
            for longest, count in ((60, 30), (900, 14)):
                self.check_all(related(count, longest, number), related(count, longest, number), matrix,
                               {"match": match, "mismatch": mismatch}, gaps)

    def test_proteins(self):
        for name, gaps in ((b"blosum62", (11, 1)), (b"blosum50", (10, 2)), (b"pam250", (12, 2))):
            rows, columns = (related(14, 500, seed, random_protein) for seed in (3, 3))
            self.check_all(rows, columns, self.library.parasail_matrix_lookup(name), {"matrix": name.decode()}, gaps)


if __name__ == "__main__":
    main()
