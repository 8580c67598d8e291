"""Every notebook of configs/notebooks runs from its first cell to its last, in Python and, where it is, in Jupyter."""
import json
import os
import re
import shutil
import subprocess
import sys

import terrace_runs
from terrace_runs import JobTest, main, python_environment, skip


def notebooks():
    return sorted((terrace_runs.root / "configs" / "notebooks").glob("*.ipynb"))


def as_program(cells):
    """The code of all cells; the value of a cell's last line is shown as text, as a notebook would."""
    program = ["import ast, sys\n"
               "def cell(text):\n"
               "    tree = ast.parse(text)\n"
               "    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None\n"
               "    exec(compile(tree, 'cell', 'exec'), globals())\n"
               "    if last:\n"
               "        value = eval(compile(ast.Expression(last.value), 'cell', 'eval'), globals())\n"
               "        shown = [name for name in ('_repr_png_', '_repr_html_') if hasattr(value, name)]\n"
               "        print(*(f'{name} {len(getattr(value, name)())}' for name in shown) if shown else [value])\n"]
    return "".join(program + [f"cell({text!r})\n" for text in cells])


class Notebooks(JobTest):
    def setUp(self):
        super().setUp()
        if not shutil.which("gnuplot"):
            skip("there is no gnuplot (Debian: gnuplot-nox)")
        self.environment = {**os.environ, **python_environment(), "TMPDIR": str(self.folder)}

    def call(self, *command):
        ended = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                               timeout=300)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout

    def test_are_those_that_the_guide_names(self):
        guide = (terrace_runs.root / "configs" / "README.md").read_text()
        self.assertEqual(re.findall(r"\((notebooks/\w+\.ipynb)\)", guide),
                         [f"notebooks/{path.name}" for path in notebooks()])
        self.assertEqual(len(notebooks()), 3)

    def test_are_kept_without_what_they_printed(self):
        for path in notebooks():
            for cell in json.loads(path.read_text())["cells"]:
                self.assertEqual(cell.get("outputs", []), [], path)

    def test_run_in_python(self):
        for path in notebooks():
            with self.subTest(notebook=path.stem):
                cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
                said = self.call(sys.executable, "-c", as_program("".join(cell["source"]) for cell in cells))
                self.assertRegex(said, r"(?m)^_repr_png_ \d{4,}$")

    def test_run_in_jupyter(self):
        kernel = subprocess.run([sys.executable, "-c", "import nbconvert, ipykernel"], capture_output=True, text=True)
        if kernel.returncode != 0:
            skip("there is no nbconvert with ipykernel (Debian: python3-nbconvert, python3-ipykernel)")
        self.environment["HOME"] = str(self.folder)
        self.call(sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(self.folder),
                  str(notebooks()[0]))
        outputs = [output for cell in json.loads((self.folder / notebooks()[0].name).read_text())["cells"]
                   for output in cell.get("outputs", [])]
        self.assertTrue(any("image/png" in output.get("data", {}) for output in outputs))
        self.assertTrue(any("done in" in "".join(output.get("text", [])) for output in outputs))


if __name__ == "__main__":
    main()
