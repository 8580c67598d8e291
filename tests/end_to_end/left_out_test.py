"""What `auto` leaves out changes no score and no end, in one block and in many, and after a stop."""
import unittest

from terrace_runs import JobTest, affine, main, numpy, random_letters, wavefront


def letters(generator, length):
    return generator.choice(list("ACGT"), length)


def mutated(generator, sequence, rate):
    """Some letters changed, some left out, some doubled."""
    kind = numpy.where(generator.random(len(sequence)) < rate, generator.integers(0, 3, len(sequence)), 3)
    changed = numpy.where(kind == 0, letters(generator, len(sequence)), sequence)
    return numpy.repeat(changed, numpy.select([kind == 1, kind == 2], [0, 2], 1))


class LeftOut(JobTest):
    always = {"backend": "cpu"}

    def inputs(self):
        generator = numpy.random.default_rng(11)
        base = letters(generator, 9000)
        part = base[:600]
        sequences = {"base": base, "alike": mutated(generator, base, 0.01), "far": mutated(generator, base, 0.3),
                     "other": letters(generator, 8000), "moved": numpy.concatenate([base[2500:], base[:2500]]),
                     "cut": base[3000:], "same": numpy.full(7000, "A"),
                     "again": numpy.concatenate([part, letters(generator, 3000), part, letters(generator, 2000), part])}
        return {name: {"fasta": self.write(name + ".fa", f">{name}\n{''.join(sequence)}\n")}
                for name, sequence in sequences.items()}

    def stages(self, **keys):
        pairs = [("base", "base"), ("base", "alike"), ("alike", "base"), ("base", "far"), ("base", "other"),
                 ("moved", "base"), ("cut", "base"), ("base", "cut"), ("same", "base"), ("same", "same"),
                 ("again", "base")]
        stages = []
        for rows, columns in pairs:
            stages.append(wavefront(f"edit-{rows}-{columns}", "edit_distance", rows=rows, columns=columns, **keys))
            stages.append(wavefront(f"lcs-{rows}-{columns}", "lcs", rows=rows, columns=columns, **keys))
            stages.append(affine(f"local-{rows}-{columns}", rows, columns, **keys))
        return stages

    def results(self, result):
        return {name: [result[name]["score"][()], *(result[name]["end"][:] if "end" in result[name] else [])]
                for name in result if name.startswith(("edit", "lcs", "local"))}

    def test_is_nothing_that_a_result_shows(self):
        inputs = self.inputs()
        whole = self.results(self.run_job(inputs, self.stages(schedule="registers"), output="all.h5"))
        self.assertEqual(len(whole), 33)
        self.assertEqual(self.results(self.run_job(inputs, self.stages(), output="auto.h5")), whole)
        cut = self.run_job(inputs, self.stages()[::2], output="cut.h5", memory={"host": 120 << 10})
        self.assertGreater(cut["profile/stages/blocks"][:].min(), 20)
        found = self.results(cut)
        self.assertEqual(found, {name: whole[name] for name in found})

    def test_is_much_of_what_alike_sequences_have(self):
        inputs = {"a": random_letters(60000, 1), "b": {"generate": "dna", "seed": 2, "mutate": {"of": "a", "rate": 0.005}}}
        result = self.run_job(inputs, [wavefront("distance", "edit_distance", rows="a", columns="b")])
        self.assertLess(result["profile/stages/operations"][0], 60000 * 60000 / 20)
        self.assertEqual(result["profile/stages/whole_operations"][0], result["distance/lengths"][:].prod())
        self.assertTrue(result["profile/parts/name"][0].startswith(b"band of margin "))
        share = result["profile/stages/operations"][0] / result["profile/stages/whole_operations"][0]
        self.assertAlmostEqual(result["profile/stages/skipped"][0], 1 - share)
        result.close()
        self.assertRegex(self.terrace("show", "result.h5").stdout,
                         r"left out +[0-9.]+% of 3[0-9.]+ Gcells, which cannot change the result")

    def test_is_more_where_seeds_limit_the_last_band(self):
        inputs = {"a": random_letters(60000, 1),
                  "b": {"generate": "dna", "seed": 2, "mutate": {"of": "a", "rate": 0.03}}}
        problems = ("edit_distance", "lcs")
        def run(output, schedule, **keys):
            stages = [wavefront(problem, problem, rows="a", columns="b", schedule=schedule) for problem in problems]
            return self.run_job(inputs, stages, output=output, **keys)
        with run("whole.h5", "registers") as whole:
            expected = [whole[problem]["score"][()] for problem in problems]
        for output, keys in (("one.h5", {}), ("cut.h5", {"memory": {"host": 64 << 20, "device": 200 << 10}})):
            with run(output, "auto", **keys) as result:
                self.assertEqual([result[problem]["score"][()] for problem in problems], expected)
                names = [name.decode() for name in result["profile/parts/name"][:]]
                limited = f"limits of seeds for distance {expected[0]}"
                self.assertIn(limited, names)
                cells = dict(zip(names, result["profile/parts/operations"][:]))[limited]
                self.assertLess(cells, 60000 * expected[0] / 2)

    def test_is_most_of_what_alignments_of_alike_sequences_have(self):
        inputs = {"a": random_letters(150000, 1), "b": {"generate": "dna", "seed": 2,
                                                        "mutate": {"of": "a", "rate": 0.02}}}
        for problem in ("edit_distance", "lcs"):
            stages = [wavefront(schedule, problem, rows="a", columns="b", keep="alignment", schedule=schedule)
                      for schedule in ("auto", "registers")]
            result = self.run_job(inputs, stages, "--backend", "cpu", output=problem + ".h5")
            for name in ("score", "start", "end", "identity", "cigar"):
                there, here = (result[f"{schedule}/{name}"][()] for schedule in ("registers", "auto"))
                numpy.testing.assert_array_equal(here, there)
            skipped = dict(zip(result["profile/stages/name"][:], result["profile/stages/skipped"][:]))
            self.assertGreaterEqual(skipped[b"auto"], 0.9)
            self.assertEqual(skipped[b"registers"], 0)
            names = [name.decode() for name in result["profile/parts/name"][:]]
            self.assertTrue(any(name.startswith("band of margin ") for name in names), names)
            self.assertIn("table", names)
            result.close()

    def test_of_alignments_is_the_same_at_every_budget(self):
        inputs = self.inputs()
        pairs = [("base", "alike"), ("alike", "base"), ("base", "far"), ("moved", "base"), ("cut", "base"),
                 ("same", "same")]
        def stages(schedule):
            return [wavefront(f"{problem}-{rows}-{columns}", problem, rows=rows, columns=columns, keep="alignment",
                              schedule=schedule) for problem in ("edit_distance", "lcs") for rows, columns in pairs]
        def cigars(output, schedule, **keys):
            result = self.run_job(inputs, stages(schedule), "--backend", "cpu", output=output, **keys)
            return {name: result[name]["cigar"][()] for name in result if "-" in name}
        expected = cigars("whole.h5", "registers")
        self.assertEqual(len(expected), 12)
        for number, device in enumerate((64 << 20, 333333, 150 << 10, 99 << 10)):
            found = cigars(f"{number}.h5", "auto", memory={"host": 64 << 20, "device": device})
            self.assertEqual(found, expected, device)

    def test_of_local_alignments_is_left_out_of_the_way_back_as_well(self):
        inputs = {"a": random_letters(60000, 1), "b": {"generate": "dna", "seed": 2, "mutate": {"of": "a", "rate": 0.01}}}
        stages = [affine(schedule, "a", "b", keep="alignment", schedule=schedule) for schedule in ("auto", "registers")]
        result = self.run_job(inputs, stages, "--backend", "cpu")
        for name in ("score", "start", "end", "identity", "cigar"):
            there, here = (result[f"{schedule}/{name}"][()] for schedule in ("registers", "auto"))
            numpy.testing.assert_array_equal(here, there)
        stage, part, blocks, operations = (result["profile/parts/" + name][:]
                                           for name in ("stage", "name", "blocks", "operations"))
        boxes, walks = ({int(s): (int(b), float(c)) for s, n, b, c in zip(stage, part, blocks, operations) if n == name}
                        for name in (b"boxes of level 1", b"walks"))
        self.assertEqual(sorted(boxes), [0, 1])
        for at in boxes:
            self.assertLessEqual(boxes[at][0], walks[at][0])  # a box is one block
        result.close()

    def test_is_said_of_plans_of_scores_and_alignments_alone(self):
        inputs = {"a": random_letters(9000, 1), "b": random_letters(9000, 2)}
        stages = [wavefront("auto", "edit_distance", rows="a", columns="b"),
                  wavefront("path", "lcs", rows="a", columns="b", keep="alignment"), affine("local", "a", "b"),
                  wavefront("all", "edit_distance", rows="a", columns="b", schedule="registers"),
                  affine("table", "a", "b", keep="table")]
        said = self.terrace("plan", self.write_job(inputs, stages)).stdout.split("\nstage ")[1:]
        expected = {"auto": True, "path": True, "local": True, "all": False, "table": False}
        at_most = {text.split()[0]: "at most: what cannot change the result is left out" in text for text in said}
        self.assertEqual(at_most, expected)
        self.assertEqual({text.split()[0]: "if nothing is left out" in text for text in said}, expected)

    def test_of_local_alignments_is_counted(self):
        inputs = {"a": random_letters(60000, 1), "b": {"generate": "dna", "seed": 2, "mutate": {"of": "a", "rate": 0.005}}}
        stages = [affine("auto", "a", "b"), affine("all", "a", "b", schedule="registers")]
        whole = self.run_job(inputs, stages, output="whole.h5")["profile/stages/skipped"][:]
        self.assertGreater(whole[0], 0.9)
        self.assertLess(whole[0], 1)
        self.assertEqual(whole[1], 0)
        said = self.terrace("show", "whole.h5").stdout
        self.assertRegex(said, r"left out +[0-9.]+% of 3[0-9.]+ Gcells, which cannot change the result")
        self.assertEqual(said.count("left out"), 1)


if __name__ == "__main__":
    main()
