"""Sets of sequences for tests, and the stages that compare their pairs."""
from terrace_runs import JobTest, mutated, numpy, random_text, wavefront

GAPS = {"match": 2, "mismatch": -3, "gap_open": 3, "gap_extend": 1}
LINEAR = {"match": 1, "mismatch": -1, "gap": 2}
DECIMALS = {"match": 1.5, "mismatch": -0.5, "gap": 1.25}
# Settings of every problem on letters.
PROBLEMS = {
    "local": ("smith_waterman", GAPS), "local_linear": ("smith_waterman", LINEAR),
    "decimals": ("smith_waterman", DECIMALS), "whole": ("needleman_wunsch", GAPS),
    "ends": ("needleman_wunsch", {**GAPS, "free_ends": "both"}),
    "found": ("needleman_wunsch", {**LINEAR, "free_ends": "columns"}),
    "edit": ("edit_distance", {}), "common": ("lcs", {}),
}


def sequences(count, longest, seed):
    """Related and unrelated sequences of lengths from 0 to `longest`, the first one empty."""
    draw = numpy.random.default_rng(seed)
    ancestor = random_text(longest, seed)
    found = [""]
    for number in range(1, count):
        length = int(draw.integers(0, longest + 1))
        start = int(draw.integers(0, longest + 1 - length))
        part = ancestor[start:start + length] if number % 3 else random_text(length, seed + number)
        found.append(mutated(part, seed + number)[:longest])
    return found


class SetTest(JobTest):
    always = {"backend": "cpu"}

    def set_of(self, name, letters, **keys):
        """A FASTA file of all of them, named NAME0, NAME1, ..., as a set."""
        def lines(one):
            return "".join(one[at:at + 60] + "\n" for at in range(0, len(one), 60))

        text = "".join(f">{name}{number} of {len(one)}\n{lines(one)}" for number, one in enumerate(letters))
        return {"fasta": self.write(f"{name}.fa", text), "records": "all", **keys}

    def singles(self, inputs, stages, pairs, output="single.h5"):
        """Every pair of two files by a stage of its own. @return of each stage a list of its groups, by pair"""
        named, made = {}, []
        for row, column in pairs:
            for side, number in (("a", row), ("b", column)):
                named[f"{side}{number}"] = {"fasta": inputs[side]["fasta"], "record": f"{side}{number}"}
            for stage in stages:
                settings = {**stage["wavefront"], "rows": f"a{row}", "columns": f"b{column}"}
                made.append({"name": f"{stage['name']}_{row}_{column}", "wavefront": settings})
        result = self.run_job(named, made, "--fresh", output=output, name="single.yaml")
        return {stage["name"]: {pair: result[f"{stage['name']}_{pair[0]}_{pair[1]}"] for pair in pairs}
                for stage in stages}

    def check_singles(self, result, stages, inputs, pairs):
        """The scores and ends of these pairs are those of stages of their own."""
        for kind, groups in self.singles(inputs, stages, pairs).items():
            for (row, column), group in groups.items():
                with self.subTest(kind=kind, row=row, column=column):
                    self.assertEqual(result[kind]["score"][row, column], group["score"][()])
                    self.assertEqual("end" in result[kind], "end" in group)
                    if "end" in group:
                        self.assertEqual(list(result[kind]["end"][row, column]), list(group["end"][()]))


def stages_of(kinds=PROBLEMS, **more):
    return [wavefront(kind, PROBLEMS[kind][0], **{"rows": "a", "columns": "b", **PROBLEMS[kind][1], **more})
            for kind in kinds]
