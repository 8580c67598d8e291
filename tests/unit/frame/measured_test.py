"""usage: measured_test.py ROOT: every entry of the tables of measured sizes says which machine it was measured on, or
that it was not.
"""
import glob
import os
import re
import sys
import tempfile
import unittest

ENTRY = re.compile(r"^\s*(TERRACE_HOST_DEVICE )?(static|inline) constexpr |^\s+\{[^}]")
COMMENT = re.compile(r"^\s*///?")
SOURCE = re.compile(r"H200|H100|EPYC|Xeon|One core|[Nn]ot measured|not recorded|papers' size|[Ss]ee `")


def tables(root):
    """The tables of kernel families and stages."""
    return sorted(glob.glob(os.path.join(root, "kernels", "*", "measured*.hpp")) +
                  glob.glob(os.path.join(root, "stages", "*", "measured.hpp")))


def entries(path):
    """(line, its comment) of every entry: constants, and rows of a table of rows."""
    with open(path) as file:
        lines = file.read().split("\n")
    for at, line in enumerate(lines):
        if not ENTRY.match(line):
            continue
        first = at
        while first > 0 and COMMENT.match(lines[first - 1]):
            first -= 1
        yield at + 1, " ".join(COMMENT.sub("", line).strip() for line in lines[first:at])


def without_source(root):
    return [f"{os.path.relpath(path, root)}:{line}: which machine, and what did it measure?"
            for path in tables(root) for line, comment in entries(path) if not SOURCE.search(comment)]


class Measured(unittest.TestCase):
    maxDiff = None

    def test_tables_of_all_families(self):
        families = {os.path.basename(os.path.dirname(path)) for path in tables(root_of_tree)
                    if os.path.relpath(path, root_of_tree).startswith("kernels")}
        self.assertEqual(families, {"dp_table", "graph", "in_place", "nest", "pairs", "recursive", "stencil", "wavefront"})

    def test_every_entry_has_its_source(self):
        self.assertEqual(without_source(root_of_tree), [])

    def test_what_has_none_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "kernels", "stencil"))
            with open(os.path.join(root, "kernels", "stencil", "measured.hpp"), "w") as file:
                file.write("/// Rows of a lane. H200: 3 T.\nstatic constexpr int rows = 4;\n"
                           "/// Threads.\ninline constexpr int threads = 128;\n"
                           "/// Blocks.\n/// Not measured.\nstatic constexpr int blocks = 2, more = 3;\n"
                           "struct Pair {\n  int first, second;\n};\nconstexpr int twice(int n) { return 2 * n; }\n"
                           "/// EPYC.\ninline constexpr Pair pairs[] = {\n"
                           "    // H200: 2 T.\n    {1, 2},\n    {3, 4},\n};\n")
            self.assertEqual([line.split(":")[1] for line in without_source(root)], ["4", "16"])


if __name__ == "__main__":
    root_of_tree = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
