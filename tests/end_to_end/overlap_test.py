"""Reading, computing and writing go on at the same time: the profile of a run larger than its memory says so.

Asserted is what holds on a busy machine as well: how the parts lie beside one another, not how long they take.
"""
import unittest

from terrace_runs import ON_DISK, JobTest, main, numpy, wavefront

MIB = 1 << 20
SIDE = 4000


class Spans:
    """Spans of time as a sorted list that do not overlap."""

    def __init__(self, begins, ends):
        self.list = []
        for begin, end in sorted(zip(begins, ends)):
            if self.list and begin <= self.list[-1][1]:
                self.list[-1][1] = max(self.list[-1][1], end)
            else:
                self.list.append([begin, end])

    def seconds(self):
        return sum(end - begin for begin, end in self.list)

    def common(self, other):
        pairs = [(max(a[0], b[0]), min(a[1], b[1])) for a in self.list for b in other.list]
        return Spans(*zip(*[pair for pair in pairs if pair[0] < pair[1]] or [(0, 0)]))

    def touch(self, begin, end):
        return any(a < end and begin < b for a, b in self.list)


class Overlap(JobTest):
    place = ON_DISK

    def profile(self):
        """The profile of a sum over a table that is read from disk, and written, in many blocks."""
        grid = numpy.random.default_rng(1).integers(0, 200, (SIDE, SIDE), numpy.int64)
        inputs = {"grid": {"npy": self.write("grid.npy", grid)}}
        result = self.run_job(inputs, [wavefront("sums", "summed_area", grid="grid")], backend="cpu",
                              memory={"host": 32 * MIB, "device": 16 * MIB})
        self.assertEqual(result["sums/table"][-1, -1], grid.sum())
        self.assertGreaterEqual(result["sums/table"].nbytes, 3 * 32 * MIB)
        return result["profile"]

    def test_of_reading_computing_and_writing(self):
        profile = self.profile()
        copies = {name: profile["copies"][name][()] for name in ("movement", "tile", "begin", "end")}
        blocks = {name: profile["blocks"][name][()] for name in ("first", "count", "begin", "end")}

        def tiles(movement):
            """(begin, end) of each tile's movement, by tile; blocks and tiles have the same numbers here."""
            chosen = copies["movement"] == movement
            return dict(zip(copies["tile"][chosen],
                            zip(copies["begin"][chosen], copies["end"][chosen])))

        reads, writes = tiles(b"read"), tiles(b"write")
        count = len(blocks["first"])
        self.assertGreater(count, 50)
        self.assertTrue((blocks["count"] == 1).all())
        self.assertEqual((len(reads), len(writes)), (count, count))

        # A part after the other would give the whole; three all the time would give three times as much.
        reading, writing = (Spans(*zip(*part.values())) for part in (reads, writes))
        computing = Spans(blocks["begin"], blocks["end"])
        begin = min(part.list[0][0] for part in (reading, computing, writing))
        end = max(part.list[-1][1] for part in (reading, computing, writing))
        parts = {"reading": reading.seconds(), "computing": computing.seconds(), "writing": writing.seconds()}
        # (Seen: 2.3 to 2.5, and 1.4 at least beside three busy loops on two cores.)
        self.assertGreater(sum(parts.values()), 1.1 * (end - begin), parts)
        self.assertGreater(reading.common(computing).common(writing).seconds(), 0, parts)

        # Blocks follow one another in a chain: each is computed once the one before it has ended. While it was, a
        # tile of an earlier block was being written and one of a later block was being read.
        between = 0
        ends = dict(zip(blocks["first"], blocks["end"]))
        for number, fed, block_end in zip(blocks["first"], blocks["begin"], blocks["end"]):
            block_begin = max(fed, ends.get(number - 1, fed))
            earlier = Spans(*zip(*[span for tile, span in writes.items() if tile < number] or [(0, 0)]))
            later = Spans(*zip(*[span for tile, span in reads.items() if tile > number] or [(0, 0)]))
            between += earlier.touch(block_begin, block_end) and later.touch(block_begin, block_end)
        self.assertGreater(between, count // 10)


if __name__ == "__main__":
    main()
