"""usage: tree_test.py ROOT: the tree stands for itself: nothing in it names places of the machine it was written on."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

# Folders in which people and machines keep what is theirs alone.
OUTSIDE = re.compile(r"(?<![\w.}$])/(?:" + "|".join(["home", "root", "work", "mnt", "media", "srv", "Users"]) + r")/\w")


def files(root):
    """The tree's own files: those under version control or, where there is none, all but builds and runs."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--full-name"], capture_output=True, text=True) \
        if shutil.which("git") and os.path.exists(os.path.join(root, ".git")) else None
    if listed and listed.returncode == 0 and listed.stdout:
        paths = [os.path.join(root, name) for name in listed.stdout.split("\0") if name]
        return [path for path in paths if os.path.isfile(path)]
    return list(walked(root))


def walked(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders
                      if name not in (".git", ".device", "__pycache__") and not name.endswith(".run")
                      and not (folder == root and name.startswith("build"))]
        for name in names:
            yield os.path.join(folder, name)


def text_of(path):
    """The text of a file; empty for binary ones."""
    with open(path, "rb") as file:
        content = file.read()
    return "" if b"\0" in content else content.decode(errors="replace")


def outside_names(root):
    """A line "file:line: text" for each place outside that a file names."""
    return [f"{os.path.relpath(path, root)}:{number}: {line.strip()}"
            for path in files(root)
            for number, line in enumerate(text_of(path).split("\n"), 1) if OUTSIDE.search(line)]


def scripts_that_cannot_run(root):
    return [os.path.relpath(path, root) for path in files(root)
            if text_of(path).startswith("#!") and not os.stat(path).st_mode & stat.S_IXUSR]


class Tree(unittest.TestCase):
    def test_names_no_place_outside(self):
        self.assertEqual(outside_names(root_of_tree), [])
        self.assertGreater(len(files(root_of_tree)), 20)

    def test_has_scripts_that_can_be_run(self):
        self.assertEqual(scripts_that_cannot_run(root_of_tree), [])

    def test_is_found_out_when_it_does(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in ("io", "build/io"):
                os.makedirs(os.path.join(root, folder))
            for name, text in {"io/a.cpp": "int a;\n// see /ho" + "me/me/b\n", "build/io/a.cpp": "/ho" + "me/me\n",
                               "io/b.cpp": '"/profile/stages" and ${FOLDER}/ho' + "me/x, ../ho" + "me/x\n",
                               "run": "#!/bin/sh\n"}.items():
                with open(os.path.join(root, name), "w") as file:
                    file.write(text)
            self.assertEqual(outside_names(root), ["io/a.cpp:2: // see /ho" + "me/me/b"])
            self.assertEqual(scripts_that_cannot_run(root), ["run"])


if __name__ == "__main__":
    root_of_tree = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
