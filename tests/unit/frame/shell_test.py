"""usage: shell_test.py ROOT: shellcheck finds nothing in the tree's shell scripts, and no pipe ends before its writer.

Under `set -o pipefail` a writer whose reader has left ends by SIGPIPE, now and then, and the script with it.
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tree_test import files, text_of  # noqa: E402  (its folder is known only now)


def is_shell(path):
    first = text_of(path).split("\n", 1)[0]
    return path.endswith(".sh") or (first.startswith("#!") and first.rstrip().endswith("sh"))


# A reader that may leave before it has read all.
LEAVES = re.compile(r"\|\s*(head\b|grep\s+-\w*[qm]|sed\s[^|]*\bq['\"]|awk\s[^|]*\bexit\b)")


def readers_that_leave(paths):
    return [f"{path}:{number}: the reader may leave before it has read all: {line.strip()}"
            for path in paths for number, line in enumerate(text_of(path).split("\n"), 1) if LEAVES.search(line)]


def main():
    scripts = sorted(path for path in files(sys.argv[1]) if is_shell(path))
    leaving = readers_that_leave(scripts)
    if leaving or not LEAVES.search("a | awk '/b/ {print; exit}'"):
        print("\n".join(leaving) or "a reader that leaves is not found")
        return 1
    if not shutil.which("shellcheck"):
        print("SKIPPED: shellcheck is not installed")
        return 0
    if len(scripts) < 4:
        print(f"only {scripts} found: where are the others?")
        return 1
    return subprocess.run(["shellcheck", "--external-sources", *scripts]).returncode


if __name__ == "__main__":
    sys.exit(main())
