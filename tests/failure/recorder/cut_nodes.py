"""Files and folders as a program sees them, with what of them is durable (see rebuild.py)."""


class Change:
    """A change of a file: bytes at an offset (data) or a size (data is None)."""

    def __init__(self, offset, data, complete=True):
        self.offset = offset
        self.data = data
        self.complete = complete
        self.durable = False
        self.doubtful = False
        self.shrinks = False


class File:
    def __init__(self, content=b""):
        self.durable = bytearray(content)
        self.size = len(content)  # as the program sees it
        self.pending = []

    def add(self, change):
        if change.data is None:
            change.shrinks = change.offset < self.size
            self.size = change.offset
        else:
            self.size = max(self.size, change.offset + len(change.data))
        self.pending.append(change)
        return change

    def sync(self):
        for change in self.pending:
            if change.complete and not change.doubtful:
                change.durable = True
        self.settle()

    def settle(self):
        """Moves what is durable, from the front on, into the durable bytes."""
        count = 0
        while count < len(self.pending) and self.pending[count].durable:
            apply_change(self.durable, self.pending[count])
            count += 1
        del self.pending[:count]

    def lose(self):
        for change in self.pending:
            change.doubtful = not change.durable

    def content(self, choice):
        if not self.pending:
            return self.durable
        content = bytearray(self.durable)
        sizes_go_on = True
        shrunk = True
        for change in self.pending:
            if change.data is None:
                if change.durable or (sizes_go_on and choice.happens()):
                    apply_change(content, change)
                else:
                    sizes_go_on = False
                    shrunk = shrunk and not change.shrinks
            elif change.durable:
                apply_change(content, change)
            elif shrunk:
                choice.write(content, change)
        return content


class Folder:
    def __init__(self):
        self.now = {}  # name -> node, as the program sees it
        self.durable = {}
        self.pending = []

    def change(self, names, requires=None):
        step = Step(self, names, requires)
        step.apply(self.now)
        self.pending.append(step)
        return step

    def sync(self):
        self.settle(len(self.pending))

    def settle(self, count):
        steps, self.pending = self.pending[:count], self.pending[count:]
        for step in steps:
            needed = step.requires
            if needed and needed in needed.folder.pending:
                needed.folder.settle(needed.folder.pending.index(needed) + 1)
            step.apply(self.durable)


class Step:
    """A change of names in one folder, as one: a node, or None for a name that goes."""

    def __init__(self, folder, names, requires):
        self.folder = folder
        self.names = names
        self.requires = requires

    def apply(self, entries):
        for name, node in self.names.items():
            if node is None:
                entries.pop(name, None)
            else:
                entries[name] = node


def apply_change(content, change):
    if change.data is None:
        grow(content, change.offset)
        del content[change.offset:]
        return
    end = change.offset + len(change.data)
    grow(content, change.offset)
    content[change.offset:end] = change.data


def grow(content, size):
    if size > len(content):
        content.extend(bytes(size - len(content)))
