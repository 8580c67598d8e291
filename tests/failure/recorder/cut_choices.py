"""Which of the changes that are not durable a power cut lets happen (see rebuild.py)."""
from cut_nodes import Change, apply_change, grow

SECTOR = 512


class Nothing:
    """Of what is not durable, nothing happened."""

    def happens(self):
        return False

    def steps(self, count):
        return 0

    def write(self, content, change):
        pass


class Everything:
    def happens(self):
        return True

    def steps(self, count):
        return count

    def write(self, content, change):
        apply_change(content, change)


class NamesAlone(Nothing):
    def steps(self, count):
        return count


class ContentsAlone(Everything):
    def steps(self, count):
        return 0


class Chance:
    """Each happens with a likelihood that is itself chosen by chance, so that sparse and full states both come up."""

    def __init__(self, generator):
        self.random = generator
        self.likely = generator.choice((0.1, 0.5, 0.9))

    def happens(self):
        return self.random.random() < self.likely

    def steps(self, count):
        return self.random.randint(0, count)

    def write(self, content, change):
        fate = self.random.random()
        if fate < 0.4:
            if self.happens():
                apply_change(content, change)
            return
        end = change.offset + len(change.data)
        if self.happens():
            grow(content, end)
        at = change.offset
        while at < end:
            stop = min(end, at - at % SECTOR + SECTOR)
            if self.happens():
                apply_change(content, Change(at, change.data[at - change.offset:stop - change.offset]))
            at = stop


CORNERS = (Nothing, Everything, NamesAlone, ContentsAlone)
