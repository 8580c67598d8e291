"""usage: format_test.py ROOT: clang-format would change no source."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tree_test import files  # noqa: E402  (its folder is known only now)

VERSION = 14  # others format otherwise
SOURCES = (".hpp", ".cpp", ".cuh", ".cu")


def main():
    program = shutil.which(f"clang-format-{VERSION}") or shutil.which("clang-format")
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout if program else ""
    if not re.search(rf"version {VERSION}\.", said):
        print(f"SKIPPED: clang-format {VERSION} is not installed")
        return 0
    sources = sorted(path for path in files(sys.argv[1]) if path.endswith(SOURCES))
    if len(sources) < 100:
        print(f"only {sources} found: where are the others?")
        return 1
    ended = subprocess.run([program, "--dry-run", "-Werror", *sources], capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^(.*?):\d+:\d+: error", ended.stderr, re.M)))
    for path in wrong:
        print(f"{path}: run `clang-format -i` on it")
    if ended.returncode != 0 and not wrong:
        print(ended.stderr)
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
