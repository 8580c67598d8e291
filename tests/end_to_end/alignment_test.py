"""Alignments of whole jobs: every path is replayed and gives the score, at any budget; PAF lines say the same."""
import itertools
import re

from terrace_runs import (JobTest, WRONG, affine, data, main, mutated, numpy, random_letters, random_text,
                          wavefront)

OPERATIONS = re.compile(r"([0-9]+)([=XID])")


def linear(name, rows, columns, **settings):
    return wavefront(name, "smith_waterman", rows=rows, columns=columns, match=2, mismatch=-1, gap=1, **settings)


def edit(name, rows, columns, **settings):
    return wavefront(name, "edit_distance", rows=rows, columns=columns, **settings)


def lcs(name, rows, columns, **settings):
    return wavefront(name, "lcs", rows=rows, columns=columns, **settings)


def whole(name, rows, columns, **settings):
    return wavefront(name, "needleman_wunsch", rows=rows, columns=columns, match=1, mismatch=-1, gap_open=2,
                     gap_extend=1, **settings)


PROBLEMS = {"affine": affine, "linear": linear, "edit": edit, "lcs": lcs, "whole": whole}
# What a step brings: equal letters, different ones, a gap, each of its letters.
SCORES = {"affine": (1, -3, -3, -2), "linear": (2, -1, 0, -1), "edit": (0, 1, 0, 1), "lcs": (1, 0, 0, 0),
          "whole": (1, -1, -2, -1)}


def operations(cigar):
    """The runs of a cigar: (count, letter)."""
    found = [(int(count), letter) for count, letter in OPERATIONS.findall(cigar)]
    assert "".join(f"{count}{letter}" for count, letter in found) == cigar, cigar
    return found


def letters_of(path):
    """The letters of a FASTA file with one record, in upper case."""
    with open(path) as file:
        return "".join(line.strip() for line in file if not line.startswith(">")).upper()


class AlignmentTest(JobTest):
    def stages(self, kinds=PROBLEMS):
        return [PROBLEMS[kind](kind, "a", "b", keep="alignment", ambiguous="literal") for kind in kinds]

    def replay(self, result, kind, rows, columns):
        self.follow(result[kind], SCORES[kind], rows, columns, whole=kind in ("edit", "lcs", "whole"))

    def follow(self, group, scores, rows, columns, whole):
        """Follows the path letter by letter; one of the whole sequences begins and ends at their ends."""
        equal, different, opened, each = scores
        (row, column), end = group["start"][()], tuple(group["end"][()])
        score = length = matches = 0
        runs = operations(group["cigar"][()].decode())
        for (_, before), (_, letter) in itertools.pairwise(runs):
            self.assertNotEqual(before, letter)
        for count, letter in runs:
            length += count
            if letter in "=X":
                same = [a == b for a, b in zip(rows[row:row + count], columns[column:column + count])]
                self.assertEqual(same, [letter == "="] * count)
                score += count * (equal if letter == "=" else different)
                matches += count * (letter == "=")
                row, column = row + count, column + count
            else:
                score += opened + count * each
                row, column = (row + count, column) if letter == "I" else (row, column + count)
        self.assertEqual((row, column), end)
        self.assertEqual(score, group["score"][()])
        self.assertEqual(group["identity"][()], matches / length if length else 0)
        if whole:
            self.assertEqual(list(group["start"][()]), [0, 0])
            self.assertEqual(end, (len(rows), len(columns)))

    def align(self, rows, columns, kinds=PROBLEMS, output="result.h5", **keys):
        inputs = {"a": self.fasta("a", rows), "b": self.fasta("b", columns)}
        result = self.run_job(inputs, self.stages(kinds), "--backend", "cpu", output=output, **keys)
        for kind in kinds:
            self.replay(result, kind, rows, columns)
        return result


class Paths(AlignmentTest):
    def test_of_short_and_odd_pairs_replay(self):
        base = random_text(700, 1)
        pairs = {"one": ("A", "A"), "other": ("A", "C"), "flat": ("ACGT", base), "tall": (base, "TTGA"),
                 "equal": (base, base), "mutated": (base, mutated(base, 2)), "unrelated": (base, random_text(650, 3)),
                 "nothing in common": ("A" * 90, "C" * 70)}
        for number, (name, (rows, columns)) in enumerate(pairs.items()):
            with self.subTest(name):
                self.align(rows, columns, output=f"{number}.h5")

    def test_of_empty_sequences_are_gaps_or_empty(self):
        result = self.align("ACG", "", output="rows.h5")
        self.assertEqual(result["edit/cigar"][()], b"3I")
        self.assertEqual(result["affine/cigar"][()], b"")
        self.assertEqual(list(result["affine/end"][()]), [0, 0])
        self.assertEqual(self.align("", "AC", output="columns.h5")["lcs/cigar"][()], b"2D")
        self.assertEqual(self.align("", "", output="none.h5")["edit/cigar"][()], b"")

    def test_are_the_same_at_every_budget(self):
        base = random_text(3000, 5)
        other = mutated(base, 6, rate=0.05, longest=60)
        expected = self.align(base, other, output="whole.h5")
        for number, budget in enumerate((1 << 20, 200 << 10, 120 << 10)):
            result = self.align(base, other, output=f"{number}.h5", memory={"host": 64 << 20, "device": budget})
            for kind in PROBLEMS:
                self.assertEqual(result[kind + "/cigar"][()], expected[kind + "/cigar"][()], (kind, budget))

    def test_are_the_same_where_parts_that_cannot_hold_them_are_left_out(self):
        base, part = random_text(2500, 11), random_text(400, 12)
        repeats = [number * "A" + part + 300 * "A" + part + 500 * "A" + part for number in (0, 700)]
        unlike = [letter * 300 + part + letter * 1500 for letter in "AC"]
        for number, (rows, columns) in enumerate(((base, mutated(base, 13, rate=0.02, longest=9)), repeats, unlike)):
            for keys in ({}, {"memory": {"host": 64 << 20, "device": 200 << 10}}):
                with self.subTest(number, **keys):
                    inputs = {"a": self.fasta("a", rows), "b": self.fasta("b", columns)}
                    stages = [PROBLEMS[kind](kind + schedule, "a", "b", keep="alignment", schedule=schedule)
                              for kind in ("affine", "linear") for schedule in ("auto", "registers")]
                    result = self.run_job(inputs, stages, "--backend", "cpu", "--fresh", **keys)
                    for kind in ("affine", "linear"):
                        for name in ("score", "start", "end", "cigar"):
                            there, here = (result[f"{kind}{way}/{name}"][()] for way in ("auto", "registers"))
                            numpy.testing.assert_array_equal(there, here)
                    result.close()

    def test_take_far_fewer_checkpoints_than_boxes(self):
        inputs = {"a": {"generate": "dna", "length": 3000, "seed": 1},
                  "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}, "seed": 2}}
        result = self.run_job(inputs, [whole("way", "a", "b", keep="alignment")], "--backend", "cpu",
                              memory={"host": 64 << 20, "device": 120 << 10})
        blocks, cuts = (int(result["profile/stages/" + name][0]) for name in ("blocks", "cuts"))
        self.assertGreater(blocks, 40)
        self.assertLess(cuts, blocks / 8)

    def test_are_planned_with_what_the_way_back_computes_again(self):
        inputs = {"a": {"generate": "dna", "length": 9000, "seed": 1},
                  "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}, "seed": 2}}
        keys = {"memory": {"host": 64 << 20, "device": 1 << 20}}
        planned = self.terrace("plan", self.write_job(inputs, self.stages(["whole"]), **keys), "--backend", "cpu").stdout
        amount, unit = re.search(r"work +([0-9.]+) ([MG])cells", planned).groups()
        work = float(amount) * {"M": 1e6, "G": 1e9}[unit]
        blocks = int(re.search(r"blocks +([0-9]+) of", planned)[1])
        result = self.run_job(inputs, self.stages(["whole"]), "--backend", "cpu", **keys)
        computed, swept = (float(result["profile/stages/" + name][0]) for name in ("operations", "blocks"))
        self.assertGreater(computed, 1.05 * 9000 * 9000)
        cells = float(numpy.prod(result["whole/lengths"][:]))
        self.assertEqual(result["profile/stages/whole_operations"][0], cells)
        parts = {name.decode(): float(count) for name, count in zip(result["profile/parts/name"],
                                                                    result["profile/parts/operations"])}
        self.assertEqual(parts["table"], cells)
        self.assertEqual(sum(parts.values()), computed)
        self.assertEqual(sum(result["profile/parts/blocks"][:]), swept)
        result.close()
        said = self.terrace("show", "result.h5").stdout
        self.assertRegex(said, r"parts +table .* in [0-9]+ blocks, .*walks .* in [0-9]+ blocks")
        self.assertRegex(said, r"computed +1[0-9][0-9]% of 8[0-9.]+ Mcells")
        self.assertLess(abs(work / computed - 1), 0.25)
        self.assertLess(abs(blocks / swept - 1), 0.5)

    def test_in_which_a_gap_crosses_many_blocks_replay(self):
        base = random_text(2600, 7)
        without = base[:600] + base[1700:]
        keys = {"memory": {"host": 64 << 20, "device": 100 << 10}}
        for number, (rows, columns) in enumerate(((base, without), (without, base))):
            result = self.align(rows, columns, output=f"{number}.h5", **keys)
            runs = operations(result["edit/cigar"][()].decode())
            self.assertEqual(sum(count for count, letter in runs if letter == "ID"[number]), 1100)

    def test_of_a_budget_too_small_for_any_plan_is_refused_with_the_least(self):
        inputs = {"a": random_letters(5000, 1), "b": random_letters(5000, 2)}
        job = self.write_job(inputs, self.stages(["affine"]), memory={"host": 64 << 20, "device": 8 << 10})
        ended = self.terrace("run", job, "--backend", "cpu", expect=WRONG)
        self.assertSays(ended, "memory.device is too small", "the least is")
        least = re.search(r"the least is ([0-9.]+) ([KM]iB)", ended.stderr)
        budget = f"{float(least[1]) + 1:.0f}{least[2]}"
        self.terrace("run", job, "--backend", "cpu", "--set", f"memory.device={budget}")

    def test_with_free_ends_leave_out_what_hangs_over(self):
        base = random_text(400, 21)
        inputs = {"a": self.fasta("a", base[100:300]), "b": self.fasta("b", base)}
        result = self.run_job(inputs, [whole("whole", "a", "b", keep="alignment", free_ends="columns")], "--backend",
                              "cpu")
        self.assertEqual(result["whole/cigar"][()], b"200=")
        self.assertEqual((list(result["whole/start"]), list(result["whole/end"])), ([0, 100], [200, 300]))
        self.assertEqual(result["whole/score"][()], 200)

    def test_of_real_pairs_replay(self):
        pairs = {("mitochondria", "MT-human.fa", "MT-orang.fa"): dict(affine=6680, edit=3315, lcs=13966),
                 ("human_p59", "hg38.fa", "chm13.fa"): dict(affine=50980, edit=10, lcs=51017),
                 ("mummer_slices", "H_pylori26695_Bslice.fasta", "H_pyloriJ99_Bslice.fasta"):
                     dict(affine=33581, edit=12128),
                 ("mummer_slices", "H_pylori26695_Eslice.fasta", "H_pyloriJ99_Eslice.fasta"):
                     dict(edit=86309, lcs=219521)}
        for kept, distance in {99: 990, 97: 2977, 94: 6042, 90: 9506, 80: 20333, 70: 30147, 60: 39829}.items():
            pairs["edlib_phage", "ref.fasta", f"mutated_{kept}.fasta"] = dict(edit=distance)
        pairs["edlib_phage", "ref.fasta", "mutated_90.fasta"]["lcs"] = 87903
        pairs["edlib_chr1M", "ref.fasta", "mutated_97.fasta"] = dict(edit=31467)
        for number, ((folder, first, second), known) in enumerate(pairs.items()):
            with self.subTest(folder=folder, second=second):
                files = [data("dna", folder, name) for name in (first, second)]
                result = self.run_job({"a": {"fasta": files[0]}, "b": {"fasta": files[1]}}, self.stages(known),
                                      "--backend", "cpu", output=f"{number}.h5")
                rows, columns = (letters_of(file) for file in files)
                for kind, score in known.items():
                    self.assertEqual(result[kind + "/score"][()], score)
                    self.replay(result, kind, rows, columns)

    def test_of_many_real_pairs_replay(self):
        """Distances, and global alignments by two penalties: of a mismatch, a gap, and each letter of a gap."""
        with open(data("dna", "wfa", "wfa.utest.seq")) as file:
            sequences = [line[1:].strip() for line in file if line.strip()]
        pairs = list(zip(sequences[::2], sequences[1::2]))
        self.assertEqual(len(pairs), 305)
        inputs = {}
        for number, (rows, columns) in enumerate(pairs):
            inputs[f"a{number}"], inputs[f"b{number}"] = self.fasta(f"a{number}", rows), self.fasta(f"b{number}", columns)
        penalties = {"edit": None, "affine": (4, 6, 2), "affine.p1": (3, 1, 4)}
        for kind, penalty in penalties.items():
            stages, scores = [], SCORES["edit"]
            for number in range(len(pairs)):
                stage = edit if penalty is None else self.globally(*penalty)
                stages.append(stage(f"s{number}", f"a{number}", f"b{number}", keep="alignment"))
            if penalty is not None:
                mismatch, gap_open, gap_extend = penalty
                scores = (0, -mismatch, -gap_open, -gap_extend)
            result = self.run_job(inputs, stages, "--backend", "cpu", output=kind + ".h5")
            with open(data("dna", "wfa", f"test.score.{kind}.alg")) as file:
                costs = [abs(int(line.split()[0])) for line in file if line.strip()]
            self.assertEqual(len(costs), len(pairs))
            for number, cost in enumerate(costs):
                group = result[f"s{number}"]
                self.assertEqual(abs(group["score"][()]), cost)
                self.follow(group, scores, *pairs[number], whole=True)

    def globally(self, mismatch, gap_open, gap_extend):
        """A stage with those penalties."""
        return lambda name, rows, columns, **settings: wavefront(
            name, "needleman_wunsch", rows=rows, columns=columns, match=0, mismatch=-mismatch, gap_open=gap_open,
            gap_extend=gap_extend, **settings)


class Paf(AlignmentTest):
    def paf(self, stage, output="result.h5"):
        return self.terrace("show", output, stage, "--paf").stdout

    def test_line_says_what_the_result_holds(self):
        base = random_text(900, 11)
        result = self.align(base, mutated(base, 12))
        for kind in PROBLEMS:
            line = self.paf(kind)
            self.assertEqual(line.count("\n"), 1)
            fields = line.rstrip("\n").split("\t")
            tags = dict((tag[:4], tag[5:]) for tag in fields[12:])
            group = result[kind]
            (row, column), (row_end, column_end) = group["start"][()], group["end"][()]
            self.assertEqual(fields[:5], ["a", str(len(base)), str(row), str(row_end), "+"])
            self.assertEqual(fields[5:9], ["b", str(group["lengths"][1]), str(column), str(column_end)])
            runs = operations(tags["cg:Z"])
            self.assertEqual(tags["cg:Z"].encode(), group["cigar"][()])
            self.assertEqual(int(fields[9]), sum(count for count, letter in runs if letter == "="))
            self.assertEqual(int(fields[10]), sum(count for count, _ in runs))
            self.assertEqual(fields[11], "255")
            score, other = ("NM:i", "AS:i") if kind == "edit" else ("AS:i", "NM:i")
            self.assertEqual(int(tags[score]), group["score"][()])
            self.assertNotIn(other, tags)

    def test_names_records_by_their_first_words_parts_as_regions_and_others_as_the_job_does(self):
        letters = random_text(300, 13)
        path = self.write("two.fa", f">first of two\n{letters}\n>second\n{letters}\n")
        inputs = {"whole": {"fasta": path, "record": "first"}, "part": {"fasta": path, "record": "second",
                                                                        "range": [100, 200]},
                  "back": {"fasta": path, "record": 1, "reverse_complement": True}, "made": random_letters(50, 1)}
        pairs = {"a": ("whole", "part"), "b": ("made", "back")}
        self.run_job(inputs, [edit(name, *pair, keep="alignment") for name, pair in pairs.items()], "--backend", "cpu")
        named = {stage: [self.paf(stage).split("\t")[i] for i in (0, 5)] for stage in pairs}
        self.assertEqual(named, {"a": ["first", "second:101-200"], "b": ["made", "second/rc"]})

    def test_of_an_empty_alignment_is_none(self):
        self.align("AAAA", "CCCC", kinds=["affine"])
        self.assertEqual(self.paf("affine"), "")

    def test_of_what_has_no_alignment_is_an_error(self):
        self.run_job({"a": random_letters(50, 1), "b": random_letters(60, 2)}, [affine("align", "a", "b")])
        ended = self.terrace("show", "result.h5", "align", "--paf", expect=WRONG)
        self.assertSays(ended, "/align", "keep: alignment")
        ended = self.terrace("show", "result.h5", "nothing", "--paf", expect=WRONG)
        self.assertSays(ended, "nothing")
        self.terrace("show", "result.h5", "--paf", expect=WRONG)


if __name__ == "__main__":
    main()
