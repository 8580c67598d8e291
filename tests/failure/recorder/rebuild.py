#!/usr/bin/env python3
"""Makes the states that a power cut could have left from a log of the recorder (recorder.hpp).

  rebuild.py verify  LOG FOLDER                 whether the whole log leads to what is in FOLDER: nothing was missed
  rebuild.py state   LOG TARGET --at N --seed S the state S of a cut after the N-th recorded call, in TARGET
  rebuild.py explore LOG TARGET --states K -- COMMAND...
                                                K states one after another in TARGET, and the command on each ("{}" in
                                                it stands for TARGET); ends with 1 when the command failed on any

All take --initial FOLDER: what the recorded folder held before (durably). TARGET is emptied first.

What a cut leaves (strict POSIX, made milder only where no file system is that bad):
- Contents and size of a file are durable once fsync or fdatasync of it has returned; a write through O_DSYNC when it
  has returned. An asynchronous write counts from when its end was asked for. A failed sync makes nothing durable, and
  what it was to sync never becomes so by a later one.
- Of the later writes any subset happened, each in whole or torn at sectors of 512 bytes; where a write grew the file,
  the new size may be there without the bytes (zeros).
- Changes of size happen in order; a write after a shrinking that did not happen did not happen either.
- Names (created, renamed, removed) are durable after fsync of their folder, and not by fsync of the file. Of later
  changes in one folder the first so many happened, in their order; folders do so independently. A rename between
  folders never loses both names (both may be there).
State 0 of a cut has nothing that was not durable, 1 everything, 2 all names and no contents, 3 all contents and no
names; others are random.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys

from cut_choices import CORNERS, Chance, Everything
from cut_model import Model, Unsupported, load, tree
from cut_nodes import Folder


def write_tree(state, target):
    """Empties `target` and writes the state into it."""
    os.makedirs(target, exist_ok=True)
    for entry in os.scandir(target):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    for path, content in state.items():
        whole = os.path.join(target, path)
        if content is None:
            os.mkdir(whole)
        else:
            with open(whole, "wb") as file:
                file.write(content)


class Recording:
    """A log, and the states that it allows. Asking for cuts in rising order is fast."""

    def __init__(self, log, initial=None):
        with open(log, errors="surrogateescape") as file:
            self.events = [json.loads(line) for line in file if line.endswith("\n")]
        with open(log + ".data", "rb") as file:
            self.data = file.read()
        self.initial = initial
        self.start()

    def __len__(self):
        return len(self.events)

    def start(self):
        self.model = Model(self.data, self.initial)
        self.at = 0

    def model_at(self, at):
        if not 0 <= at <= len(self.events):
            raise ValueError(f"the log has {len(self.events)} calls, none numbered {at}")
        if at < self.at:
            self.start()
        while self.at < at:
            self.model.apply(self.events[self.at])
            self.at += 1
        return self.model

    def state(self, at, seed):
        """State `seed` of a cut after call `at` (0: before the first): paths to bytes, None for folders."""
        model = self.model_at(at)
        if seed < len(CORNERS):
            return model.after_cut(CORNERS[seed]())
        return model.after_cut(Chance(random.Random(f"{at} {seed}")))

    def cuts(self, count, seed=0):
        """`count` pairs (cut, state), rising; every cut has its corners first where there is room, and some cuts, drawn,
        have one more state, drawn among the next ones."""
        points, draw = len(self.events) + 1, random.Random(seed)
        each, rest = divmod(count, points)
        pairs = [(at, number) for at in range(points) for number in range(each)]
        pairs += [(at, each + draw.randrange(2 * len(CORNERS))) for at in draw.sample(range(points), rest)]
        return sorted(pairs)

    def differences(self, folder):
        """The paths in which the folder is not what the whole log leads to."""
        expected = self.model_at(len(self.events)).now()
        there = Folder()
        load(there, folder)
        found = tree(there, lambda node: node.now, Everything())
        return sorted(path for path in {*expected, *found}
                      if path not in found or path not in expected or found[path] != expected[path])


def explore(recording, target, count, seed, seconds, command):
    failed = 0
    for at, number in recording.cuts(count, seed):
        write_tree(recording.state(at, number), target)
        ended, said = run([word.replace("{}", target) for word in command], seconds)
        if ended != 0:
            failed += 1
            print(f"--at {at} --seed {number}: ended with {ended}\n{said}", flush=True)
    print(f"{count} states of {len(recording)} calls, {failed} failed")
    return 1 if failed else 0


def run(command, seconds):
    """How the command ended, and what it said."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                timeout=seconds, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return f"nothing within {seconds} s", ""
    return result.returncode, result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("verify", "state", "explore"))
    parser.add_argument("log")
    parser.add_argument("folder")
    parser.add_argument("--initial")
    parser.add_argument("--at", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60, help="that the command may take on a state")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options, command = parser.parse_args(words[:split]), words[split + 1:]
    try:
        return carry_out(options, command, parser)
    except Unsupported as error:
        print(f"rebuild.py: {error}; the log cannot be rebuilt", file=sys.stderr)
        return 2


def carry_out(options, command, parser):
    recording = Recording(options.log, options.initial)
    if options.action == "explore":
        if not command:
            parser.error("explore needs a command after --")
        return explore(recording, options.folder, options.states, options.seed, options.seconds, command)
    if options.action == "state":
        at = len(recording) if options.at is None else options.at
        write_tree(recording.state(at, options.seed), options.folder)
        return 0
    differences = recording.differences(options.folder)
    for path in differences:
        print(f"{path}: the log does not lead to what is there")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
