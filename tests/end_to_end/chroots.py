"""Roots of other systems in which a test runs programs: an empty one, and Debian's from its packages."""
import os
import pathlib
import resource
import shutil
import subprocess

from terrace_runs import skip

ROOM = 4 << 30  # bytes of disk without which no system is made; two take 1.5 GB
LARGEST = 1 << 30  # bytes of a file, above those of any package
ENTER = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


def check_can_enter():
    """Skips the test where this user may not do what the tests need."""
    if os.geteuid() != 0:
        skip("only root may change the root folder")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        skip("no mount is allowed here")


def make_empty(root):
    for folder in ("proc", "dev", "tmp", "etc"):
        (root / folder).mkdir(parents=True)


def mirror():
    """The archive of Debian's packages that this machine's apt uses, and the name of its release."""
    if not shutil.which("apt-get"):
        skip("there is no apt-get, which knows an archive of Debian's packages")
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"],
                            capture_output=True, text=True).stdout
    known = dict(reversed(line.split()) for line in listed.splitlines() if len(line.split()) == 2)
    for release in ("bookworm", "trixie"):
        if release in known:
            return known[release]
    skip("apt uses no archive of Debian 12 or 13")


def start_debian(release, folder, packages):
    """Begins to make two roots of a release: FOLDER/bare with what every Debian has, FOLDER/more with these packages. The
    first is a copy of one file system (-x): /proc and /sys are mounted in the root that is being made."""
    if not shutil.which("mmdebstrap"):
        skip("there is no mmdebstrap (Debian: mmdebstrap)")
    command = ["mmdebstrap", "--quiet", "--variant=essential", "--dpkgopt=force-unsafe-io", '--aptopt=Acquire::Retries "3"',
               '--aptopt=Acquire::Languages "none"', f"--essential-hook=cp -ax \"$1\" '{folder}/bare'",
               "--include=" + ",".join(packages), release, str(folder / "more"), mirror()]
    folder.mkdir()
    if shutil.disk_usage(folder).free < ROOM:
        skip(f"{folder} has too little room")
    with open(folder / "log", "w") as log:
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST)))


def finish_debian(process, folder):
    """The two roots, or a test that is skipped because the packages cannot be had."""
    if process.wait(timeout=400) != 0:
        skip(f"the root of Debian cannot be made: {(folder / 'log').read_text().strip().splitlines()[-1:]}")
    return folder / "bare", folder / "more"


def run_in(root, *command, environment=(), **options):
    """Runs a command with a root of its own, in which it sees no other process. @returns the ended process"""
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, root, *command],
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", **dict(environment)},
                          capture_output=True, text=True, timeout=300, **options)


RATES = pathlib.PurePath("tmp/.cache/terrace/cpu")


def files_of(root):
    """The names of everything in a root, apart from the rates of the CPU, which the program keeps for its user."""
    names = {path.relative_to(root) for path in pathlib.Path(root).rglob("*")}
    kept = {RATES, RATES.parent, RATES.parent.parent}
    return {str(name) for name in names if name not in kept and name.parent != RATES}
