"""usage: names_test.py ROOT: no two files define classes of one name in one namespace, which would be ill-formed."""
import collections
import os
import re
import sys
import tempfile
import unittest

NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)
CLASS = re.compile(r"^(?:template <[^\n]*>\n(?:requires[^\n]*\n)?)?(?:struct|class)(?: alignas\([^\n]*\))? (\w+)"
                   r"(?: final)?(?: :[^\n]*)? \{", re.MULTILINE)
TOP = ("pipeline", "stages", "kernels", "io")


def sources(root):
    for top in TOP:
        for folder, _, names in os.walk(os.path.join(root, top)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".hpp", ".cuh", ".cpp")))


def defined_twice(root):
    """Names of classes with the files that define them, if there are several. Unnamed namespaces do not count."""
    found = collections.defaultdict(set)
    for path in sources(root):
        with open(path) as file:
            text = UNNAMED.sub("", file.read())
        namespace = NAMESPACE.search(text)
        for name in CLASS.findall(text):
            found[(namespace.group(1) if namespace else "", name)].add(os.path.relpath(path, root))
    return {key: sorted(files) for key, files in found.items() if len(files) > 1}


class Names(unittest.TestCase):
    def test_no_class_is_defined_twice(self):
        self.assertEqual(defined_twice(ROOT), {})

    def test_two_templates_of_one_name_are_found(self):
        with tempfile.TemporaryDirectory() as root:
            for folder, template in (("kernels/a", "template <class T>\nclass Slab {\n};\n"),
                                     ("kernels/b", "template <int S>\nstruct Slab {\n};\n"),
                                     ("io", "namespace {\n\nstruct Slab {\n};\n\n}  // namespace\n")):
                os.makedirs(os.path.join(root, folder))
                with open(os.path.join(root, folder, "slab.hpp"), "w") as file:
                    file.write("namespace terrace {\n\n" + template + "\n}  // namespace terrace\n")
            self.assertEqual(defined_twice(root), {("terrace", "Slab"): ["kernels/a/slab.hpp", "kernels/b/slab.hpp"]})


if __name__ == "__main__":
    ROOT = sys.argv.pop(1)
    unittest.main()
