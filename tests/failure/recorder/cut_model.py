"""A recorded folder: a log's events applied one by one, and the states after a cut (see rebuild.py)."""
import os

from cut_choices import Everything
from cut_nodes import Change, File, Folder


class Unsupported(Exception):
    """The log has something that the model cannot rebuild."""


class Model:
    """The recorded folder: what the program saw, and what was durable."""

    def __init__(self, data, initial=None):
        self.root = Folder()
        self.data = data
        self.files = {}  # number of an open file -> node
        self.requests = {}
        if initial is not None:
            load(self.root, initial)

    def find(self, path):
        node = self.root
        for name in [] if path == "." else path.split("/"):
            node = node.now[name]
        return node

    def place(self, path):
        parent, _, name = path.rpartition("/")
        return self.find(parent or "."), name

    def apply(self, event):
        try:
            getattr(self, "on_" + event["kind"])(event)
        except (KeyError, AttributeError) as error:
            raise Unsupported(f"call {event['n']}, {event}: unknown {error}") from error

    def on_open(self, event):
        if event["created"]:
            folder, name = self.place(event["path"])
            folder.change({name: File()})
        node = self.find(event["path"])
        self.files[event["file"]] = node
        if event["truncated"]:
            node.add(Change(0, None))

    def on_close(self, event):
        pass

    def on_none(self, event):
        pass

    def written(self, event, complete):
        data = self.data[event["data"]:event["data"] + event["bytes"]]
        if len(data) != event["bytes"]:
            raise Unsupported(f"call {event['n']}: the log lacks its bytes")
        return self.files[event["file"]].add(Change(event["offset"], data, complete))

    def on_write(self, event):
        change = self.written(event, True)
        if event["synced"]:
            self.make_durable(self.files[event["file"]], change)

    def make_durable(self, node, change):
        change.durable = True
        node.settle()

    def on_submit(self, event):
        change = self.written(event, False)
        self.requests[event["request"]] = (self.files[event["file"]], change, event["synced"])

    def on_complete(self, event):
        node, change, synced = self.requests.pop(event["request"])
        if event["bytes"] != len(change.data):
            change.doubtful = True
            return
        change.complete = True
        if synced:
            self.make_durable(node, change)

    def on_resize(self, event):
        node = self.files[event["file"]] if "file" in event else self.find(event["path"])
        node.add(Change(event["size"], None))

    def on_reserve(self, event):
        node = self.files[event["file"]]
        if event["size"] > node.size:
            node.add(Change(event["size"], None))

    def on_sync(self, event):
        self.files[event["file"]].sync()

    def on_sync_failed(self, event):
        node = self.files[event["file"]]
        if isinstance(node, File):
            node.lose()

    def on_sync_all(self, event):
        for node in every_node(self.root):
            node.sync()

    def on_mkdir(self, event):
        folder, name = self.place(event["path"])
        folder.change({name: Folder()})

    def on_unlink(self, event):
        folder, name = self.place(event["path"])
        folder.change({name: None})

    def on_link(self, event):
        folder, name = self.place(event["to"])
        folder.change({name: self.find(event["path"])})

    def on_rename(self, event):
        node = self.find(event["path"])
        folder, name = self.place(event["path"])
        to_folder, to_name = self.place(event["to"])
        if to_folder.now.get(to_name) is node:
            return  # two names of one file: a rename does nothing
        if folder is to_folder:
            folder.change({name: None, to_name: node})
        else:
            arrival = to_folder.change({to_name: node})
            folder.change({name: None}, requires=arrival)

    def now(self):
        """What the program saw, as a map from paths to bytes (None for a folder)."""
        return tree(self.root, lambda folder: folder.now, Everything())

    def after_cut(self, choice):
        """A state after a power cut, as a map from paths to bytes (None for a folder)."""
        kept = {}
        for folder in every_folder(self.root):
            kept[folder] = choice.steps(len(folder.pending))
        shorten(kept)

        def entries(folder):
            if not kept.get(folder):
                return folder.durable
            names = dict(folder.durable)
            for step in folder.pending[:kept[folder]]:
                step.apply(names)
            return names

        return tree(self.root, entries, choice)


def shorten(kept):
    """Ends each folder's steps before one whose requirement has not happened."""
    changed = True
    while changed:
        changed = False
        for folder, count in kept.items():
            for index, step in enumerate(folder.pending[:count]):
                needed = step.requires
                pending = needed.folder.pending if needed else []
                if needed in pending and pending.index(needed) >= kept.get(needed.folder, 0):
                    kept[folder] = index
                    changed = True
                    break


def every_node(root):
    """All nodes that are, or after a cut could be, under the root; folders after their contents."""
    seen = set()
    found = []

    def visit(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, Folder):
            steps = [step.names for step in node.pending]
            for names in [node.durable, *steps]:
                for child in names.values():
                    if child is not None:
                        visit(child)
        found.append(node)

    visit(root)
    return found


def every_folder(root):
    return [node for node in every_node(root) if isinstance(node, Folder)]


def tree(root, entries, choice):
    contents = {}
    result = {}

    def visit(folder, prefix):
        for name, node in sorted(entries(folder).items()):
            path = prefix + name
            if isinstance(node, Folder):
                result[path] = None
                visit(node, path + "/")
            else:
                if id(node) not in contents:
                    contents[id(node)] = node.content(choice)
                result[path] = contents[id(node)]

    visit(root, "")
    return result


def load(folder, path):
    for entry in os.scandir(path):
        if entry.is_dir(follow_symlinks=False):
            node = Folder()
            load(node, entry.path)
        else:
            with open(entry.path, "rb") as file:
                node = File(file.read())
        folder.now[entry.name] = folder.durable[entry.name] = node
