"""Terrace from Python: runs a job over NumPy arrays and opens its result.

    import numpy, terrace
    grid = numpy.random.default_rng(1).random((4000, 4000))
    job = {"stages": [{"name": "sums", "wavefront": {"problem": "summed_area", "grid": "grid"}}]}
    with terrace.run(job, grid=grid) as result:
        print(result.datasets["sums"]["table"].shape, result.profile["seconds"])

A job is a dictionary of what a job's file holds, or the path of that file; arrays are its inputs by name. The job runs
in the program `terrace`, a process of its own, so that budgets of memory hold and a stop ends at a checkpoint. The
program is the one that the environment variable TERRACE names, else the one installed with this module, else the first
in PATH. Needs NumPy and h5py; datasets are those of xarray where it is installed.
"""
import collections.abc
import fcntl
import functools
import hashlib
import html
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref

import h5py
import numpy

__all__ = ["run", "plan", "check", "problems", "program", "Result", "Error", "JobError", "Stopped", "Interrupted"]

DONE, FAILED, WRONG, STOPPED = 0, 1, 2, 75
OWN_GROUPS = ("job", "profile", "checksums")  # of a result, in addition to its stages


class Error(RuntimeError):
    """The program failed: a full disk, elements that a stage cannot compute with, no program. Its text is the message."""


class JobError(Error):
    """The job is wrong. `errors`: dictionaries, each with `message` and, where they are known, `file`, `line`, `column`,
    `excerpt`, or `setting`. `job`: the text of the job if it was a dictionary, to which lines and columns refer."""

    def __init__(self, text, errors=(), job=None):
        super().__init__(text)
        self.errors, self.job = list(errors), job


class Stopped(Error):
    """A signal or the time limit stopped the run at a checkpoint. `resume()` goes on from there, and returns the
    result; `resume(time_limit=...)` within another limit."""

    def __init__(self, text, resume):
        super().__init__(text)
        self.resume = resume


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped the run at a checkpoint. `resume()` goes on from there, as that of Stopped."""

    def __init__(self, text, resume):
        super().__init__(text)
        self.resume = resume


def run(job, *, output=None, progress=True, fresh=None, time_limit=None, **arrays):
    """Runs a job, or resumes it, and returns its Result.

    job       a dictionary, or the path of a job's file. Paths in a dictionary are relative to the current folder. Its
              inputs may be arrays, too
    output    the path of the result. None: the job's own `output`; if a dictionary has none, a temporary file, which
              goes with the Result
    progress  False: no progress and no notes; warnings are shown in any case
    fresh     True, "changed", "all" or the name of a stage: as the program's option --fresh
    time_limit  seconds, or a text such as "3h50m": the run stops at a checkpoint in time, which raises Stopped
    arrays    inputs by name, of any shape and of booleans, integers, f16, f32, f64 or texts; they take the place of
              inputs of the job. A numpy.memmap of a whole .npy file is read from that file. Others are written to shared memory
              if they take less than half of what is free, else to the job's `scratch.path`, else to the folder for
              temporary files (TMPDIR), until the run is done

    Raises JobError if the job is wrong, Stopped if a signal or the time limit stopped the program, Interrupted after
    Ctrl-C (a second one stops at once, without a checkpoint), Error if the run failed, TypeError for what is no array
    of numbers or texts. A run that was stopped goes on by `resume()` of the exception, within as long a time limit, or,
    if its result is not a temporary one, by the same call.
    """
    return _Call(job, output, arrays).run(progress, fresh, time_limit)


def plan(job, *, output=None, **arrays):
    """The blocks, memory, disk space and time of a run, as a dictionary: the answer of `terrace plan --json`.
    Arguments and errors are those of run()."""
    return _Call(job, output, arrays).ask("plan")


def check(job, *, output=None, **arrays):
    """A dictionary with `valid`, `errors` and `warnings`: the answer of `terrace check --json`. A wrong job is an answer
    and no exception."""
    return _Call(job, output, arrays).ask("check", WRONG)


def problems(name=None):
    """The stages with their problems, keys, datasets and examples, or those of one problem, as a dictionary: the answer
    of `terrace problems --json`. Raises JobError if there is no such problem."""
    return _answer("problems", *([] if name is None else [name]))


def program():
    """The path of the program. Raises Error if there is none."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("TERRACE")
    installed = (here / "terrace_program" / "bin" / "terrace", here.parents[2] / "bin" / "terrace")
    found = shutil.which(named) if named else next((str(path) for path in installed if os.access(path, os.X_OK)), None)
    found = found or (None if named else shutil.which("terrace"))
    if found is None:
        raise Error(f"TERRACE names no program: {named}" if named else
                    "there is no program `terrace` in PATH; let the environment variable TERRACE name it")
    return os.path.abspath(found)


class Result:
    """A result. result["align/score"] reads a dataset as a NumPy array; iteration gives the names of all.

    `path` is its file. A temporary one is removed when the Result is closed or no longer used; arrays that were read
    before stay. `with` closes it.
    """

    def __init__(self, path, folder=None):
        self.path = str(path)
        self._folder = folder  # kept as long as the result
        self._opened = {}
        self._file = h5py.File(self.path, "r")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __getitem__(self, name):
        """The values of a dataset, of its own shape and type; texts are `str` or arrays of them."""
        stage, _, rest = name.strip("/").partition("/")
        if not rest or stage in OWN_GROUPS or not isinstance(self._file.get(f"{stage}/{rest}"), h5py.Dataset):
            raise KeyError(f"{name}: there are {', '.join(self)}")
        return _values(self._file[f"{stage}/{rest}"])

    def __iter__(self):
        for stage in self._stages():
            for name, dataset in self._file[stage].items():
                if isinstance(dataset, h5py.Dataset) and not _is_only_dimension(dataset):
                    yield f"{stage}/{name}"

    def _stages(self):
        return [name for name in self._file if name not in OWN_GROUPS]

    @property
    def datasets(self):
        """The groups of the result's stages by name: each an xarray.Dataset where xarray and h5netcdf or netCDF4 are
        installed, else an h5py.Group. Both have datasets by name, which are read when their values are asked for.
        xarray replaces fill values (of distances: no path) by NaN."""
        for name in self._stages():
            if name not in self._opened:
                self._opened[name] = _open_group(self._file, self.path, name)
        return dict(self._opened)

    @property
    def profile(self):
        """The columns of /profile/stages by name, an element a stage: pandas.DataFrame(result.profile) is a table."""
        return {name: _values(column) for name, column in self._file["profile/stages"].items()
                if not _is_only_dimension(column)}

    def plot(self, name=None, output=None, **options):
        """Draws a dataset with gnuplot, as `terrace plot` does, and returns a Picture, which notebooks show.

        name     "STAGE/DATASET" or "STAGE"; None: the most telling dataset
        output   a file that ends in .png, .svg or .pdf; None: the picture is kept in memory alone
        options  those of the program: reduce="max", at="3,5", range="-5,5", path="align"
        """
        words = [f"--{key}={value}" for key, value in options.items()]
        return Picture(self._drawn("plot", ".png", [*([name] if name else []), *words], output))

    def report(self, output=None):
        """The page about the result that `terrace report` makes, as a Page, which notebooks show. `output`: also a file
        for it."""
        return Page(self._drawn("report", ".html", [], output))

    def _drawn(self, command, suffix, words, output):
        with tempfile.TemporaryDirectory(prefix="terrace-") as folder:
            path = os.path.join(folder, command + suffix) if output is None else os.fspath(output)
            _say(command, self.path, *words, "-o", path)
            return pathlib.Path(path).read_bytes()

    def __repr__(self):
        return f"<terrace.Result {self.path}: {', '.join(self)}>" if self._file else f"<terrace.Result {self.path}, closed>"

    def close(self):
        """Closes the file, and removes it if it is temporary."""
        for group in self._opened.values():
            if not isinstance(group, h5py.Group):
                group.close()
        self._opened.clear()
        self._file.close()
        if self._folder is not None:
            self._folder.remove()


class Picture(bytes):
    """The bytes of a picture: PNG unless a file was named that ends otherwise."""

    def _repr_png_(self):
        return bytes(self) if self.startswith(b"\x89PNG") else None

    def _repr_svg_(self):
        return self.decode() if b"<svg" in self[:1000] else None


class Page(bytes):
    """The bytes of a page of HTML."""

    def _repr_html_(self):
        return f'<iframe width="100%" height="600" srcdoc="{html.escape(self.decode())}"></iframe>'


def _values(dataset):
    """A dataset as NumPy's array, a scalar as such, texts as `str`."""
    return dataset.asstr()[()] if h5py.check_string_dtype(dataset.dtype) else dataset[()]


def _is_only_dimension(dataset):
    """True for an axis without values of its own, in the words of netCDF."""
    return "This is a netCDF dimension but not a netCDF variable" in str(dataset.attrs.get("NAME", ""))


def _open_group(file, path, name):
    for engine, module in (("h5netcdf", "h5netcdf"), ("netcdf4", "netCDF4")):
        if importlib.util.find_spec("xarray") and importlib.util.find_spec(module):
            import xarray
            return xarray.open_dataset(path, group=name, engine=engine)
    return file[name]


class _Folder:
    """A temporary folder, removed when it is no longer used. With a `name` it is the same one in every call, and one
    call holds it at a time."""

    def __init__(self, parent=None, name=None):
        self.path = tempfile.mkdtemp(prefix="terrace-", dir=parent) if name is None else \
            os.path.join(parent or tempfile.gettempdir(), f"terrace-{os.getuid()}-{name}")
        os.makedirs(self.path, mode=0o700, exist_ok=True)
        self.opened = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        weakref.finalize(self, os.close, self.opened)
        self.hold()
        self.remove = weakref.finalize(self, _remove_folder, self.path, self.opened)

    def hold(self):
        """Raises Error if the folder is not this user's alone, or another call holds it."""
        state = os.fstat(self.opened)
        if state.st_uid != os.getuid() or state.st_mode & 0o022:
            raise Error(f"{self.path} belongs to another user, or others may write to it")
        if not _hold(self.path, self.opened):
            raise Error(f"{self.path}: another call with this output is under way, or has taken its place")

    def let_go(self):
        fcntl.flock(self.opened, fcntl.LOCK_UN)


def _hold(path, opened):
    """Locks an open folder. @returns false if another has it, or it is no longer the one of that path"""
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.stat(path), os.fstat(opened))
    except OSError:
        return False


def _remove_folder(path, opened):
    if _hold(path, opened):
        shutil.rmtree(path, ignore_errors=True)


class _Call:
    """A job in a file, with files of its arrays, and the folders that hold them."""

    def __init__(self, job, output, arrays):
        self.folders, self.text = {}, None
        # A run goes on if its inputs have the paths that they had: they follow from the path of its result.
        named = output or (job.get("output") if isinstance(job, collections.abc.Mapping) else job)
        self.name = named and hashlib.sha256(os.path.abspath(named).encode()).hexdigest()[:16]
        self.words = [] if output is None else ["--set", f"output={os.path.abspath(output)}"]
        self.result_folder = None
        if isinstance(job, collections.abc.Mapping):
            self.job = self._write_job(dict(job), output, arrays)
            return
        self.job = os.fspath(job)
        for name, array in arrays.items():
            self.words += ["--set", f"inputs.{name}={json.dumps(self._input(name, array, None))}"]

    def _folder(self, parent=None):
        """The path of this call's folder there."""
        if parent not in self.folders:
            self.folders[parent] = _Folder(parent, self.name)
        return self.folders[parent].path

    def _write_job(self, job, output, arrays):
        scratch = job.get("scratch", {}).get("path")
        inputs = {**job.get("inputs", {}), **arrays}
        job["inputs"] = {name: _with_whole_paths(given) if isinstance(given, collections.abc.Mapping)
                         else self._input(name, given, scratch) for name, given in inputs.items()}
        if scratch is not None:
            job["scratch"] = {**job["scratch"], "path": os.path.abspath(scratch)}
        if "output" in job:
            job["output"] = os.path.abspath(job["output"])
        elif output is None:
            self.result_folder = _Folder()
            job["output"] = os.path.join(self.result_folder.path, "result.h5")
        self.text = json.dumps(job, indent=1, default=_plain, allow_nan=False)
        path = os.path.join(self._folder(), "job.yaml")
        pathlib.Path(path).write_text(self.text)
        return path

    def _input(self, name, given, scratch):
        """The input of an array, whose values are in a file from now on."""
        path = _file_of(given)
        if path is None:
            if numpy.ma.is_masked(given):
                raise TypeError(f"the input {name!r} has masked elements: fill them")
            array = numpy.asarray(given)
            if array.dtype.kind not in "biufSU":
                raise TypeError(f"the input {name!r} is an array of {array.dtype}, and not of numbers or texts")
            folder = self._folder(_folder_for(array.nbytes, scratch))
            path = os.path.join(folder, name.replace("/", "_") + ".npy")
            numpy.save(path, array, allow_pickle=False)
        return {"npy": path}

    def ask(self, command, *also):
        try:
            return _answer(command, self.job, *self.words, also=also)
        except JobError as error:
            raise self._with_places(error) from None
        finally:
            self._remove_inputs()

    def _with_places(self, error):
        """The same error with the places of everything that is wrong with the job."""
        try:
            errors = _answer("check", self.job, *self.words, also=(WRONG,))["errors"]
        except Error:
            errors = []
        return JobError(str(error), errors, self.text)

    def _remove_inputs(self):
        for folder in self.folders.values():
            folder.remove()

    def run(self, progress, fresh, time_limit=None):
        words = [] if fresh in (None, False) else ["--fresh" if fresh is True else f"--fresh={fresh}"]
        words += _words_of_limit(time_limit)
        for folder in self.folders.values():
            folder.hold()
        code, said, text, interrupted = _watch(["run", self.job, *self.words, *words], progress)
        if code == STOPPED or interrupted and code == DONE:
            for folder in self.folders.values():
                folder.let_go()
            resume = functools.partial(self.run, progress, fresh, time_limit=time_limit)
            raise (Interrupted if interrupted else Stopped)(text, resume)
        try:
            if code == WRONG:
                raise self._with_places(JobError(text))
            if code != DONE:
                raise Error(text)
            return Result(said, self.result_folder)
        finally:
            self._remove_inputs()


def _words_of_limit(limit):
    """The option of a time limit in seconds, or as the program takes it."""
    if limit is None:
        return []
    return [f"--time-limit={limit if isinstance(limit, str) else f'{float(limit):f}s'}"]


def _with_whole_paths(given):
    """An input of a dictionary with whole paths of its files, which are the current folder's, not the job's."""
    return {key: os.path.abspath(value) if key in _file_keys() and isinstance(value, (str, os.PathLike)) else value
            for key, value in given.items()}


@functools.lru_cache(maxsize=None)
def _file_keys():
    """The keys of inputs that name files."""
    return {key["name"] for kind in _answer("inputs")["inputs"] for key in kind["keys"] if key["type"] == "file"}


def _plain(value):
    """What JSON does not know, as what it knows."""
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a job holds texts, numbers, lists and dictionaries, and not {value!r}")


def _file_of(array):
    """The .npy file that a memory map maps whole, or None."""
    if not isinstance(array, numpy.memmap) or array.mode == "c" or not isinstance(array.filename, (str, os.PathLike)):
        return None
    try:
        stored = numpy.load(array.filename, mmap_mode="r", allow_pickle=False)
        stands = os.path.samestat(os.stat(array.filename), os.stat(stored.filename))
    except (OSError, ValueError):
        return None
    same = (stored.shape, stored.dtype, stored.strides, stored.offset) == \
        (array.shape, array.dtype, array.strides, array.offset)
    if not stands or not same:
        return None
    array.flush()
    return os.path.abspath(array.filename)


def _folder_for(size, scratch):
    """Shared memory if it and the machine's memory hold twice the bytes, else the scratch folder; None: TMPDIR's."""
    shared = "/dev/shm"
    if os.access(shared, os.W_OK) and 2 * size <= min(shutil.disk_usage(shared).free, _free_memory()):
        return shared
    return scratch


def _free_memory():
    """The bytes of memory that are free on this machine, and that a control group allows."""
    try:
        lines = dict(line.split(":", 1) for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
        free = int(lines["MemAvailable"].split()[0]) << 10
        group = pathlib.Path("/proc/self/cgroup").read_text().split("::", 1)[-1].strip().strip("/")
    except (OSError, KeyError, ValueError):
        return 0
    top = pathlib.Path("/sys/fs/cgroup")
    for folder in [top / group, *(top / group).parents]:
        try:
            most, taken = (int((folder / f"memory.{name}").read_text()) for name in ("max", "current"))
            free = min(free, most - taken)
        except (OSError, ValueError):
            pass  # no control group of memory, or one without a limit
    return free


def _say(*words, also=()):
    """Standard output of the program. Raises JobError or Error with what it said unless it ended with 0 or `also`."""
    ended = subprocess.run([program(), *words], capture_output=True, text=True)
    if ended.returncode not in (DONE, *also):
        raise (JobError if ended.returncode == WRONG else Error)(ended.stderr.strip())
    return ended.stdout


def _answer(*words, also=()):
    return json.loads(_say(*words, "--json", also=also))


def _watch(words, progress):
    """Runs the program, shows its progress and hands Ctrl-C on. @returns exit code, standard output, standard error
    without progress, and if there was a Ctrl-C"""
    reader, writer = _terminal()
    shown = _Shown(progress)
    with _Interrupts() as interrupts:
        # A session of its own: Ctrl-C of a terminal reaches the program once, from here.
        process = subprocess.Popen([program(), *([] if progress else ["--quiet"]), *words], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=writer, start_new_session=True)
        os.close(writer)
        interrupts.watch(process)
        while piece := _read(reader):
            shown.feed(piece)
        os.close(reader)
        said = process.stdout.read().decode(errors="surrogateescape").rstrip("\n")
        process.stdout.close()
        code = process.wait()
    return code, said, shown.end(), interrupts.count > 0


def _terminal():
    """The ends of a terminal, on which the program draws its progress; of a pipe where there are no terminals."""
    try:
        return os.openpty()
    except OSError:
        return os.pipe()


def _read(reader):
    try:
        return os.read(reader, 1 << 16)
    except OSError:  # the other end of a terminal is closed
        return b""


def _draws():
    """True on a terminal and in a notebook, which can draw a line anew."""
    ipython = sys.modules.get("IPython")
    return sys.stderr.isatty() or bool(ipython and ipython.get_ipython())


class _Shown:
    """What the program writes to its terminal: lines, and one that it draws anew, which is its progress."""

    ERASE = b"\r\x1b[K"
    PLAIN_INTERVAL = 30  # seconds between lines of progress where none can be drawn anew

    def __init__(self, progress):
        self.progress, self.draws = progress, _draws()
        self.rest, self.lines, self.drawn, self.printed = b"", [], 0, 0

    def feed(self, piece):
        *whole, self.rest = (self.rest + piece).replace(b"\r\n", b"\n").split(b"\n")
        for line in whole:
            self._line(self._text(line))
        if self.ERASE in self.rest:
            self._draw(self._text(self.rest).partition("\r")[0])

    def _text(self, line):
        return line.rpartition(self.ERASE)[2].decode(errors="replace")

    def _line(self, text):
        self.lines.append(text)
        if self.progress or text.startswith("warning: "):
            self._draw("")
            print(text, file=sys.stderr, flush=True)

    def _draw(self, text):
        """Draws the line by blanks and returns, which notebooks know; elsewhere prints one now and then."""
        if self.draws and (text or self.drawn):
            print("\r" + text.ljust(self.drawn), end="" if text else "\r", file=sys.stderr, flush=True)
            self.drawn = len(text)
        elif text and time.monotonic() - self.printed >= self.PLAIN_INTERVAL:
            self.printed = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    def end(self):
        if rest := self._text(self.rest):
            self._line(rest)
        self._draw("")
        return "\n".join(self.lines)


class _Interrupts:
    """Hands Ctrl-C on to the program while it runs, instead of ending Python's own work. In other threads than the
    main one, which get no signals, it does nothing."""

    def __init__(self):
        self.count, self.process = 0, None
        self.before = signal.getsignal(signal.SIGINT)
        self.takes = threading.current_thread() is threading.main_thread() and callable(self.before)

    def __enter__(self):
        if self.takes:
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_):
        if self.takes:
            signal.signal(signal.SIGINT, self.before)

    def watch(self, process):
        self.process = process
        if self.count:
            process.send_signal(signal.SIGINT)

    def _interrupt(self, *_):
        self.count += 1
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
