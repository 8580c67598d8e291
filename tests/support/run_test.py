"""usage: run_test.py COMMAND...: runs a test, and ends with 77 when it succeeded and said "SKIPPED: reason" in a line.

ctest's own SKIP_REGULAR_EXPRESSION takes a test that failed for a skipped one as soon as it has said so.
"""
import subprocess
import sys

SKIPPED = 77


def main():
    skipped = False
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as test:
        for line in test.stdout:
            skipped = skipped or line.startswith(b"SKIPPED: ")
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
    if test.returncode < 0:
        print(f"ended by signal {-test.returncode}")
        return 1
    return SKIPPED if skipped and test.returncode == 0 else test.returncode


if __name__ == "__main__":
    sys.exit(main())
