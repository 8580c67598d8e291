"""usage: shell_test.py ROOT: shellcheck finds nothing in the tree's shell scripts."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tree_test import files, text_of  # noqa: E402  (its folder is known only now)


def is_shell(path):
    first = text_of(path).split("\n", 1)[0]
    return path.endswith(".sh") or (first.startswith("#!") and first.rstrip().endswith("sh"))


def main():
    scripts = sorted(path for path in files(sys.argv[1]) if is_shell(path))
    if not shutil.which("shellcheck"):
        print("SKIPPED: shellcheck is not installed")
        return 0
    if len(scripts) < 4:
        print(f"only {scripts} found: where are the others?")
        return 1
    return subprocess.run(["shellcheck", "--external-sources", *scripts]).returncode


if __name__ == "__main__":
    sys.exit(main())
