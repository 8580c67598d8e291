"""Completion of command lines: by the shells themselves, each skipped where it is not installed."""
import os
import pty
import shutil
import subprocess
import time

import terrace_runs
from terrace_runs import WRONG, JobTest, main, random_letters, skip, wavefront

# Completes a word, as the Tab key does, by the functions that the script defines.
BASH = """
source terrace.bash
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
compopt() {{ :; }}
_terrace
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# A shell with a terminal, in which Ctrl-T writes the matches of the line to a file.
ZSHRC = """
unsetopt global_rcs
fpath=($ZDOTDIR $fpath)
autoload -U compinit
compinit -u -D
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a __matches
  builtin compadd -A __matches "$@"
  print -l -- $__matches >> $ZDOTDIR/matches
}
write_matches() { _main_complete; print -- END >> $ZDOTDIR/matches }
zle -C write_matches complete-word write_matches
bindkey '^T' write_matches
PROMPT='ready '
"""


class Completion(JobTest):
    def setUp(self):
        super().setUp()
        self.write("job.yaml", "")
        (self.folder / "terrace").symlink_to(terrace_runs.program)
        self.run_job({"a": random_letters(30, 1), "b": random_letters(40, 2)},
                     [wavefront("first", "lcs", rows="a", columns="b", keep="table"),
                      wavefront("second", "lcs", rows="a", columns="b", keep="alignment")]).close()
        (self.folder / "result.h5").rename(self.folder / "a result.h5")

    def environment(self):
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "HOME": str(self.folder),
                "ZDOTDIR": str(self.folder), "TERM": "dumb"}

    def needs(self, shell):
        if not shutil.which(shell):
            skip(f"there is no {shell} (Debian: {shell})")

    def call(self, *command):
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=self.folder,
                               env=self.environment())
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def by_bash(self, line):
        words = line.replace("\\ ", "\0").split(" ")
        quoted = " ".join("'" + word.replace("\0", "\\ ") + "'" for word in words)
        return set(self.call("bash", "-c", BASH.format(words=quoted)).splitlines())

    def by_fish(self, line):
        said = self.call("fish", "--no-config", "-c", "source terrace.fish; complete -C $argv[1]", "--", line)
        return {match.split("\t")[0] for match in said.splitlines()}

    def by_zsh(self, line):
        matches = self.folder / "matches"
        matches.unlink(missing_ok=True)
        ours, theirs = pty.openpty()
        shell = subprocess.Popen(["zsh", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.folder,
                                 env=self.environment(), start_new_session=True)
        os.close(theirs)
        try:
            said = b""
            while b"ready " not in said:
                said += os.read(ours, 1 << 12)
            os.write(ours, line.encode() + b"\x14")
            end = time.monotonic() + 60
            while not (matches.exists() and matches.read_text().endswith("END\n")):
                self.assertLess(time.monotonic(), end, line)
                time.sleep(0.02)
        finally:
            shell.kill()
            shell.wait()
            os.close(ours)
        return set(matches.read_text().split("\n")) - {"", "END"}

    def check(self, complete):
        commands = complete("terrace ")
        self.assertEqual(complete("terrace pla"), {"plan"})
        self.assertTrue({"run", "show", "plot", "submit", "completion"} <= commands)
        self.assertFalse({"man", "complete"} & commands)
        self.assertEqual(complete("terrace run --dr"), {"--dry-run"})
        self.assertEqual(complete("terrace --quiet run --backend c"), {"cuda", "cpu"})
        self.assertEqual(complete("terrace plot --reduce m"), {"mean", "min", "max"})
        self.assertEqual(complete("terrace run jo"), {"job.yaml"})
        self.assertEqual(complete("terrace --log log run jo"), {"job.yaml"})
        self.assertEqual(complete("terrace problems need"), {"needleman_wunsch"})
        self.assertEqual(complete("terrace operators heat"), {"heat2d", "heat3d"})
        self.assertEqual(complete("terrace inputs fasta"), {"fasta"})
        self.assertEqual(complete("terrace completion "), set(SCRIPTS))
        # The datasets that can be drawn, and the stages.
        drawn = complete("terrace plot a\\ result.h5 ")
        self.assertTrue({"first/table", "second/cigar"} <= drawn)
        self.assertNotIn("first/score", drawn)  # one value
        self.assertEqual(complete("terrace plot a\\ result.h5 first/t"), {"first/table"})
        self.assertEqual(complete("terrace show a\\ result.h5 "), {"first", "second"})
        self.assertFalse({"first/table", "first"} & complete("terrace plot none.h5 "))

    def test_of_bash(self):
        self.write("terrace.bash", self.terrace("completion", "bash").stdout)
        self.check(self.by_bash)

    def test_of_fish(self):
        self.needs("fish")
        self.write("terrace.fish", self.terrace("completion", "fish").stdout)
        self.check(self.by_fish)

    def test_of_zsh(self):
        self.needs("zsh")
        self.write("_terrace", self.terrace("completion", "zsh").stdout)
        self.write(".zshrc", ZSHRC)
        self.check(self.by_zsh)

    def test_of_other_shells_is_an_error(self):
        self.terrace("completion", "csh", expect=WRONG)
        self.terrace("completion", expect=WRONG)


SCRIPTS = {"bash": "terrace.bash", "zsh": "_terrace", "fish": "terrace.fish"}

if __name__ == "__main__":
    main()
