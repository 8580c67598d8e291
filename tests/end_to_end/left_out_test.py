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
