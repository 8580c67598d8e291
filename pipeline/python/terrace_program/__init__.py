"""The program within a wheel: bin/terrace, beside this file. The command `terrace` starts it without NumPy and h5py."""
import os
import pathlib
import sys


def main():
    program = str(pathlib.Path(__file__).resolve().parent / "bin" / "terrace")
    os.execv(program, [program, *sys.argv[1:]])
