"""Substitution matrices: those that jobs name, and files, against plain programs; wrong and changed files."""
import gzip
import itertools
import json
import re

from terrace_runs import FAILED, WRONG, JobTest, main, numpy, wavefront

LETTERS = "ACDEFGHIKLMNPQRSTVWY*"


def text_of(letters, scores):
    """A matrix as NCBI writes it."""
    lines = ["# made up", "   " + "  ".join(letters)]
    return "\n".join(lines + [letter + "".join(f"{score:5}" for score in row)
                              for letter, row in zip(letters, scores)]) + "\n"


def tables(scores, rows, columns, opened, each, local, free_rows=False, free_columns=False):
    """H of a table cell by cell, with its border. @param scores of a row's letter and a column's, by codes"""
    h = numpy.full((len(rows) + 1, len(columns) + 1), -10**9)
    e, f = h.copy(), h.copy()
    h[0, 0] = 0
    h[0, 1:] = 0 if local or free_columns else -opened - each * numpy.arange(1, len(columns) + 1)
    h[1:, 0] = 0 if local or free_rows else -opened - each * numpy.arange(1, len(rows) + 1)
    for i, j in itertools.product(range(1, len(rows) + 1), range(1, len(columns) + 1)):
        e[i, j] = max(e[i, j - 1], h[i, j - 1] - opened) - each
        f[i, j] = max(f[i - 1, j], h[i - 1, j] - opened) - each
        h[i, j] = max(h[i - 1, j - 1] + scores[rows[i - 1], columns[j - 1]], e[i, j], f[i, j], *([0] if local else []))
    return h


class MatrixTest(JobTest):
    def setUp(self):
        super().setUp()
        self.draw = numpy.random.default_rng(3)

    def letters(self, count, letters=LETTERS):
        return "".join(letters[code] for code in self.draw.integers(len(letters), size=count))

    def inputs(self, rows, columns, matrix=None):
        named = {"matrix": {"substitution": self.write("m.mat", matrix)}} if matrix else {}
        return {"a": self.fasta("a", rows), "b": self.fasta("b", columns), **named}

    def stage(self, name, problem, **settings):
        return wavefront(name, problem, rows="a", columns="b", **{"matrix": "matrix", "gap_open": 5, "gap_extend": 2,
                                                                  **settings})


class Files(MatrixTest):
    def test_score_by_the_letter_of_the_row_and_that_of_the_column(self):
        for least, largest, opened, each in ((-4, 6, 5, 2), (-128, 127, 90, 11), (-128, 127, 0, 0), (-9, -1, 3, 1)):
            scores = self.draw.integers(least, largest + 1, (len(LETTERS), len(LETTERS)))
            scores[0, 1], scores[1, 0] = least, largest
            rows, columns = self.letters(43), self.letters(57)
            codes = [[LETTERS.index(letter) for letter in text] for text in (rows, columns)]
            costs = {"gap_open": opened, "gap_extend": each}
            stages = [self.stage("local", "smith_waterman", keep="table", **costs)]
            expected = {"local": tables(scores, *codes, opened, each, True)}
            for ends in ("none", "rows", "columns", "both"):
                stages.append(self.stage(ends, "needleman_wunsch", keep="table", free_ends=ends, **costs))
                expected[ends] = tables(scores, *codes, opened, each, False, ends in ("rows", "both"),
                                        ends in ("columns", "both"))
            # Letters of either case, here and in the matrix.
            inputs = self.inputs(rows.lower(), columns, text_of(LETTERS.lower(), scores))
            result = self.run_job(inputs, stages, "--fresh=all", backend="cpu")
            for name, table in expected.items():
                numpy.testing.assert_array_equal(result[name + "/table"][()], table[1:, 1:], name)
            result.close()
            whole = [self.stage(name, "needleman_wunsch" if name != "local" else "smith_waterman", keep=keep,
                                **({"every": 10} if keep == "borders" else {}), **costs,
                                **({"free_ends": name} if name != "local" else {}))
                     for name, keep in itertools.product(expected, ("score", "borders"))]
            for number, stage in enumerate(whole):
                stage["name"] += f"_{stage['wavefront']['keep']}"
            memory = {"host": "16MiB", "device": "64KiB"}
            result = self.run_job(inputs, whole, "--fresh=all", backend="cpu", memory=memory)
            for name, table in expected.items():
                ends = [table[-1, -1]]
                ends += list(table[-1]) if name in ("columns", "both") else []
                ends += list(table[:, -1]) if name in ("rows", "both") else []
                best = table.max() if name == "local" else max(ends)
                self.assertEqual(int(result[name + "_score/score"][()]), best, name)
                kept = result[name + "_borders/border_row_index"][()]
                numpy.testing.assert_array_equal(result[name + "_borders/border_rows"][()], table[1:][kept, 1:])
            result.close()
            self.check_alignments(inputs, scores, costs, rows, columns)

    def check_alignments(self, inputs, scores, costs, rows, columns):
        """The path of an alignment has its score."""
        stages = [self.stage(problem, problem, keep="alignment", **costs)
                  for problem in ("smith_waterman", "needleman_wunsch")]
        result = self.run_job(inputs, stages, "--fresh=all", backend="cpu")
        for group in (result["smith_waterman"], result["needleman_wunsch"]):
            (row, column), score = group["start"][()], 0
            for count, step in re.findall("([0-9]+)([=XID])", group["cigar"][()].decode()):
                if step in "ID":
                    score -= costs["gap_open"] + int(count) * costs["gap_extend"]
                    row, column = row + (step == "I") * int(count), column + (step == "D") * int(count)
                    continue
                for _ in range(int(count)):
                    self.assertEqual(rows[row] == columns[column], step == "=")
                    score += scores[LETTERS.index(rows[row]), LETTERS.index(columns[column])]
                    row, column = row + 1, column + 1
            self.assertEqual((score, [row, column]), (int(group["score"][()]), list(group["end"][()])))
        result.close()
        said = self.terrace("verify", "result.h5", "--sample", "1").stdout
        self.assertEqual(said.count("followed over the inputs, equal"), 2)

    def test_may_be_packed_and_schedules_agree(self):
        scores = self.draw.integers(-20, 21, (len(LETTERS), len(LETTERS)))
        inputs = self.inputs(self.letters(300), self.letters(200))
        inputs["matrix"] = {"substitution": self.write("m.mat.gz", gzip.compress(text_of(LETTERS, scores).encode()))}
        schedules = ("registers", "square_barrier", "hyperplane_barrier", "peer_square")
        stages = [self.stage(f"{problem}_{schedule}", problem, schedule=schedule, keep="table", gap_open=9.5)
                  for problem in ("smith_waterman", "needleman_wunsch") for schedule in schedules]
        result = self.run_job(inputs, stages, backend="cpu")
        for problem in ("smith_waterman", "needleman_wunsch"):
            first = result[f"{problem}_registers/table"][()]
            self.assertEqual(first.dtype, numpy.float64)
            for schedule in schedules[1:]:
                numpy.testing.assert_array_equal(result[f"{problem}_{schedule}/table"][()], first)
        self.assertIn("equal", self.terrace("verify", "result.h5", "--sample", "1").stdout)
        self.assertNotIn("DIFFERENT", self.terrace("verify", "result.h5", "--all").stdout)

    def test_are_named_in_results(self):
        inputs = self.inputs("MKV", "MKI", text_of("MKVI", numpy.eye(4, dtype=int)))
        result = self.run_job(inputs, [self.stage("own", "smith_waterman"),
                                       self.stage("known", "needleman_wunsch", matrix="pam250")])
        self.assertTrue(result["own/score"].attrs["long_name"].endswith(", scored by 'matrix' (m.mat)"))
        said = " ".join(self.terrace("show", "result.h5").stdout.split())
        self.assertIn("best local alignment of two sequences, scored by 'matrix' (m.mat)", said)
        self.assertIn("best global alignment of two sequences, scored by pam250", said)


class Known(MatrixTest):
    def test_matrices_score_letters(self):
        # W and W, C and M, B and *, in the files of these names.
        known = {"blosum45": (15, -2, -5), "blosum50": (15, -2, -5), "blosum62": (11, -1, -4), "blosum80": (16, -3, -8),
                 "pam250": (17, -5, -8)}
        for number, (rows, columns) in enumerate((("W", "W"), ("C", "M"), ("b", "*"))):
            stages = [self.stage(name, "needleman_wunsch", matrix=name, gap_open=100) for name in known]
            result = self.run_job(self.inputs(rows, columns), stages, output=f"{number}.h5")
            self.assertEqual({name: int(result[name + "/score"][()]) for name in known},
                             {name: scores[number] for name, scores in known.items()})

    def test_words_are_in_schema_and_help(self):
        words = ["blosum45", "blosum50", "blosum62", "blosum80", "pam250"]
        schema = json.loads(self.terrace("schema").stdout)
        for problem in ("smith_waterman", "needleman_wunsch"):
            said = next(part for part in schema["definitions"]["wavefront"]["anyOf"] if part["title"] == problem)
            accepted = said["properties"]["matrix"]["anyOf"]
            self.assertIn({"enum": words}, accepted)
            self.assertTrue(any("string" in part.get("type", []) for part in accepted))
            self.assertIn(", ".join(words), " ".join(self.terrace("problems", problem).stdout.split()))


class Errors(MatrixTest):
    def wrong(self, inputs, *parts, expect=WRONG, **settings):
        job = self.write_job(inputs, [self.stage("s", "smith_waterman", **settings)])
        self.assertSays(self.terrace("run" if expect == FAILED else "check", job, expect=expect), *parts)

    def test_in_a_file_name_it_and_the_place(self):
        for text, said in (("A C\nA 1 x\nC 1 2\n", "m.mat:2:5: 'x' is no whole number"),
                           ("A C\nA 1 2\n", "m.mat:1:3: 'C' has a column and no line of scores"),
                           ("A C\nA 1 200\nC 1 2\n", "m.mat:2:5: '200' is no score from -128 to 127"),
                           ("A C\nA 1 2 3\nC 1 2\n", "m.mat:2:7: this line has 3 scores, and line 1 names 2 columns")):
            self.wrong(self.inputs("A", "C", text), "job.yaml:", "input 'matrix'", said)
        inputs = {**self.inputs("A", "C"), "matrix": {"substitution": "none.mat"}}
        self.wrong(inputs, "job.yaml:", "input 'matrix'", "none.mat")

    def test_of_names_say_what_there_is(self):
        inputs = self.inputs("A", "C")
        self.wrong(inputs, "there is no array 'blosum26'; did you mean 'blosum62'?", matrix="blosum26")
        self.wrong(inputs, "there is no array 'identity'; there is a, b; words in its place are blosum45, ",
                   matrix="identity")
        self.wrong(inputs, "job.yaml:", "stage 's': 'b' is no substitution matrix", "{substitution: FILE}", matrix="b")
        grid = {**inputs, "grid": {"values": [1, 2, 3, 4], "shape": [2, 2]}}
        self.wrong(grid, "stage 's': 'grid' is no substitution matrix", matrix="grid")
        self.wrong({**inputs, "b": {"substitution": self.write("m.mat", "A\nA 1\n")}}, "'b' is an array of i8 (1 x 1)",
                   matrix="pam250")

    def test_of_settings_beside_it(self):
        inputs = self.inputs("A", "A", "A\nA 1\n")
        self.wrong(inputs, "the letters are those of the matrix 'matrix': leave alphabet out", alphabet="protein")
        self.wrong(inputs, "matrix stands in place of match and mismatch", match=1, mismatch=-1)

    def test_of_letters_that_it_lacks_name_the_place(self):
        inputs = self.inputs("ACGTN", "ACGT", text_of("ACGT", numpy.eye(4, dtype=int)))
        for ambiguous in ("mismatch", "literal", "error"):
            self.wrong(inputs, "stage 's': a[4] (", "a.fa:2:5): 'N' is no letter of the matrix 'matrix', which has ",
                       expect=FAILED, ambiguous=ambiguous)


class Changes(MatrixTest):
    def test_of_the_file_make_another_result(self):
        text = text_of(LETTERS, numpy.eye(len(LETTERS), dtype=int))
        job = self.write_job(self.inputs(self.letters(90), self.letters(80), text),
                             [self.stage("s", "smith_waterman", keep="alignment")])
        self.terrace("run", job)
        self.assertSays(self.terrace("run", job), "is there already, made by this job")
        self.write("m.mat", text.replace(" 1", " 2"))
        self.assertSays(self.terrace("run", job, expect=WRONG), "input 'matrix' has changed", "m.mat")
        ended = self.terrace("verify", "result.h5", "--sample", "1", expect=FAILED)
        self.assertSays(ended, "input 'matrix' has changed")
        self.terrace("run", job, "--fresh")
        self.terrace("verify", "result.h5", "--sample", "1")


if __name__ == "__main__":
    main()
