"""usage: pages_test.py ROOT: links of the tree's pages lead somewhere, and files hold the names that pages find in them.

A page that says "`name` in [file](file)" promises that the file holds the name. What is too long for a cell of a table
is a list.
"""
import os
import re
import sys
import tempfile
import unittest

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FOUND_IN = re.compile(r" in \[[^\]]*\]\(([^)\s]+)\)")
NAME = re.compile(r"`([A-Za-z_][\w:]*)`")
# What separates statements: ends of sentences and of cells of a table, and other links.
SEPARATORS = re.compile(r"[|;(]|\. |\]\([^)\s]*\)")
LONGEST_CELL = 400
SOURCES = (".hpp", ".cpp", ".cuh", ".py", ".cmake")


def pages(root):
    """The pages of the tree, but none of builds and runs."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build")) and not name.endswith(".run")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".md"))


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """The headings of a page as links name them."""
    with open(path) as file:
        headings = re.findall(r"^#+ (.*)$", without_code(file.read()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def wrong_link(page, link):
    """Why a link of a page leads nowhere; None where it leads somewhere."""
    if re.match(r"[a-z]+:", link):
        return None
    name, _, anchor = link.partition("#")
    target = os.path.join(os.path.dirname(page), name) if name else page
    if not os.path.exists(target):
        return f"no file {link}"
    return f"no heading {link}" if anchor and anchor not in anchors(target) else None


def missing_names(page, text):
    """Names that a page finds in a source that does not hold them."""
    for found in FOUND_IN.finditer(text):
        target = os.path.join(os.path.dirname(page), found[1])
        if not target.endswith(SOURCES) or not os.path.exists(target):
            continue
        with open(target) as file:
            held = set(re.findall(r"\w+", file.read()))
        for name in NAME.findall(SEPARATORS.split(text[:found.start()])[-1]):
            if not set(name.split("::")) <= held | {"NAME_kind"}:
                yield f"{found[1]} has no {name}"


def long_cells(text):
    """The beginnings of cells of tables that are too long."""
    rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [cell.strip()[:40] for row in rows for cell in row if len(cell.strip()) > LONGEST_CELL]


def mistakes(root):
    """A line "page: what is wrong" for each mistake."""
    found = []
    for page in pages(root):
        with open(page) as file:
            written = without_code(file.read())
        text = re.sub(r"\s+", " ", written)
        long = [f"a cell of over {LONGEST_CELL} characters: {cell}" for cell in long_cells(written)]
        wrong = long + [why for link in LINK.findall(text) if (why := wrong_link(page, link))]
        found += [f"{os.path.relpath(page, root)}: {why}" for why in [*wrong, *missing_names(page, text)]]
    return sorted(found)


class Pages(unittest.TestCase):
    maxDiff = None

    def test_name_what_is_there(self):
        self.assertEqual(mistakes(root_of_tree), [])
        self.assertGreater(len(list(pages(root_of_tree))), 5)

    def test_are_found_out_when_they_do_not(self):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {"a.cpp": "int width() { return Box::side; }\n",
                               "long.md": "| a | b |\n|---|---|\n| c | " + 80 * "text " + "|\n| d | " + 81 * "text " + "|\n",
                               "README.md": "# A page\n`width` and `Box::side` in [a](a.cpp). `gone`: `height` in\n"
                                            "[a](a.cpp), [b](b.cpp), [up](#a-page), [no](#page), [web](https://a.b)\n"
                                            "```\n[code](is.no.link)\n```\n"}.items():
                with open(os.path.join(root, name), "w") as file:
                    file.write(text)
            self.assertEqual(mistakes(root), ["README.md: a.cpp has no gone", "README.md: a.cpp has no height",
                                              "README.md: no file b.cpp", "README.md: no heading #page",
                                              "long.md: a cell of over 400 characters: " + 8 * "text "])


if __name__ == "__main__":
    root_of_tree = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
