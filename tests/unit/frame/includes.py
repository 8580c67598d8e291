#!/usr/bin/env python3
"""usage: includes.py [--device-headers] [ROOT]: checks that the sources under ROOT include one another one way only.

Prints a line for each include that the tables below do not allow, and ends with 1 if there was one. With
--device-headers prints the device headers instead, one a line, and checks nothing.
"""
import fnmatch
import os
import re
import sys

# Rooms, and from which others each may include: the files at a room's top, for its sub-folders are private to it.
# "kernels/*" is any family of kernels but not another family from a family; "stages/*" is any stage, which may use
# another's face.
FOLDERS = {
    "pipeline/base": [],
    "io/files": ["pipeline/base"],
    "io": ["pipeline/base", "io/files"],
    "io/hdf5": ["pipeline/base", "io", "io/files"],
    "io/inputs": ["pipeline/base", "io", "io/files", "io/hdf5"],
    "io/results": ["pipeline/base", "io", "io/files", "io/hdf5"],
    "kernels/device": ["pipeline/base"],
    "kernels/launch": ["pipeline/base", "kernels/device"],
    "kernels/values": ["pipeline/base", "kernels/device"],
    "kernels/formula": ["pipeline/base", "kernels/device", "kernels/values"],
    "kernels/compiled": ["pipeline/base", "io/files", "kernels/device"],
    "kernels/*": ["pipeline/base", "kernels/device", "kernels/launch", "kernels/values", "kernels/formula",
                  "kernels/compiled"],
    # Pairs are tables of this family: its rules of scoring are not written twice.
    "kernels/pairs": ["pipeline/base", "kernels/device", "kernels/launch", "kernels/values", "kernels/wavefront"],
    # Nests that are tables of pairs are computed by the kernel of this family.
    "kernels/nest": ["pipeline/base", "kernels/device", "kernels/launch", "kernels/values", "kernels/formula",
                     "kernels/compiled", "kernels/wavefront"],
    "pipeline/job/yaml": ["pipeline/base"],
    "pipeline/job": ["pipeline/base", "pipeline/job/yaml", "io", "io/*"],
    "pipeline/run": ["pipeline/base", "io", "io/*", "kernels/device", "kernels/launch", "kernels/compiled"],
    "stages": ["pipeline/base", "pipeline/job", "pipeline/run", "io", "io/*", "kernels/device", "kernels/launch",
               "kernels/compiled"],
    "stages/*": ["pipeline/base", "pipeline/job", "pipeline/run", "io", "io/*", "kernels/*", "stages", "stages/*"],
    "pipeline/launcher": [],
    "pipeline/app": ["pipeline/base", "pipeline/job", "pipeline/job/yaml", "pipeline/run", "stages", "stages/*", "io", "io/*",
                     "kernels/device"],
}

# Libraries that only these folders may include.
LIBRARIES = {
    "yaml-cpp/*": ["pipeline/job/yaml"],
    "spdlog/*": ["pipeline/run", "pipeline/app"],
    "CLI/*": ["pipeline/app"],
    # Others include pipeline/base/json_library.hpp.
    "nlohmann/*": ["pipeline/base"],
    "stxxl/*": ["io/files"],
    "stxxl.h": ["io/files"],
    "hdf5*": ["io/hdf5", "io/results"],
    "H5*": ["io/hdf5", "io/results"],
    "libxml/*": ["io/inputs"],
    "png.h": ["io/inputs"],
    "tiffio.h": ["io/inputs"],
    "zip.h": ["io/inputs"],
    "zlib.h": ["io/inputs"],
    "cuda*": ["kernels/device", "kernels/*"],
    "cub/*": ["kernels/device", "kernels/*"],
    "nvrtc*": ["kernels/compiled"],
}

# Compiled for devices and at run time, where there is no host library: these headers, and what they include.
DEVICE_HEADERS = ["kernels/*/problem.hpp", "kernels/*/problem_list.hpp", "kernels/*/problems/*.hpp",
                  "kernels/*/operator.hpp", "kernels/*/operator_list.hpp", "kernels/*/operators/*.hpp",
                  "kernels/*/task.hpp", "kernels/*/measured.hpp", "kernels/*/cuda/*kernel.cuh",
                  "kernels/launch/backoff.hpp", "kernels/launch/pieces.cuh", "kernels/launch/port.hpp", "kernels/launch/port.cuh",
                  "kernels/launch/tagged.cuh", "kernels/launch/wait.cuh", "kernels/values/*.cuh",
                  "kernels/wavefront/cuda/letters/*.cuh", "kernels/wavefront/cuda/pairs/*.cuh",
                  "kernels/stencil/cuda/rows/formula_level.cuh", "kernels/stencil/cuda/planes/window_task.hpp"]
# Of the folders beneath, device headers may include these alone; they include nothing themselves.
SHARED_WITH_DEVICES = ["pipeline/base/parameter.hpp"]

# Headers that know problems by their types. Stages know them by their descriptions: they include none of these, nor a
# header that includes one.
TYPED_PROBLEMS = ["kernels/*/problem_list.hpp", "kernels/*/problems/*.hpp", "kernels/*/operator_list.hpp",
                  "kernels/*/visit.hpp"]

TOP = ("pipeline", "io", "kernels", "stages")
SOURCES = (".hpp", ".cpp", ".cuh", ".cu", ".h", ".in")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def folder_of(path):
    """The room of the table in which a file lies; None for files that lie in none."""
    parts = path.split("/")
    if len(parts) == 2:
        return parts[0] if parts[0] in FOLDERS else None
    within = "/".join(parts[:3])
    if len(parts) > 3 and within in FOLDERS:
        return within
    room = "/".join(parts[:2])
    known = parts[0] in ("kernels", "stages") or room in FOLDERS
    return room if parts[0] in TOP and len(parts) > 2 and known else None


def allowed(folder):
    return FOLDERS.get(folder) or FOLDERS.get(folder.split("/")[0] + "/*", [])


def is_private(path, name):
    """Whether `name` lies in a sub-folder of a room that is private to others than `path`."""
    folder = os.path.dirname(name)
    return folder != folder_of(name) and not path.startswith(os.path.dirname(folder) + "/")


def sources(root):
    for top in TOP:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(SOURCES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def includes(root, path):
    """(line, whether in angle brackets, name) of each include of a file."""
    with open(os.path.join(root, path), errors="replace") as file:
        for number, line in enumerate(file, 1):
            found = INCLUDE.match(line)
            if found:
                yield number, found[1] == "<", found[2]


def wrong_direction(path, angled, name):
    """Why a file may not include that; None where it may."""
    folder = folder_of(path)
    if angled:
        for library, folders in LIBRARIES.items():
            if matches(name, [library]) and not matches(folder, folders):
                return f"{folder} does without <{name}>; only {', '.join(folders)} may include it"
        return None
    target = folder_of(name)
    if target is None:
        return f'"{name}" is no path from the root into a folder of the program'
    if target != folder and not matches(target, allowed(folder)):
        return f"{folder} may not include {target}"
    if is_private(path, name):
        return f"{os.path.dirname(name)} is private to {os.path.dirname(os.path.dirname(name))}"
    return None


def device_headers(root, files):
    """Device headers, with those they include from kernels/ and so on."""
    found = [path for path in files if matches(path, DEVICE_HEADERS)]
    for path in found:
        for _, angled, name in includes(root, path):
            inside = not angled and name.startswith("kernels/") and os.path.exists(os.path.join(root, name))
            if inside and name not in found:
                found.append(name)
    return found


def leads_to_types(root, name, known):
    """The header of TYPED_PROBLEMS that a header is or includes, by way of others too; None where there is none."""
    if name not in known:
        known[name] = name if matches(name, TYPED_PROBLEMS) else None
        if known[name] is None and os.path.exists(os.path.join(root, name)):
            found = (leads_to_types(root, other, known) for _, angled, other in includes(root, name) if not angled)
            known[name] = next((header for header in found if header), None)
    return known[name]


def typed_problems(root, files):
    """A line for each include by which a stage knows problems by their types."""
    known = {}
    for path in files:
        if not path.startswith("stages/"):
            continue
        for line, angled, name in includes(root, path):
            header = None if angled else leads_to_types(root, name, known)
            if header:
                yield f"{path}:{line}: stages know problems by their descriptions, and {name} leads to {header}"


def violations(root):
    """A line "file:line: what is wrong" for each wrong include."""
    files = list(sources(root))
    wrong = []
    for path in files:
        if folder_of(path) is None:
            wrong.append(f"{path}:1: lies in no folder that the table knows")
            continue
        for line, angled, name in includes(root, path):
            why = wrong_direction(path, angled, name)
            if why:
                wrong.append(f"{path}:{line}: {why}")
    wrong += typed_problems(root, files)
    for path in device_headers(root, files):
        for line, angled, name in includes(root, path):
            if angled or not (name.startswith("kernels/") or name in SHARED_WITH_DEVICES):
                wrong.append(f"{path}:{line}: device code may not include {name}")
    for path in SHARED_WITH_DEVICES:
        if path in files:
            wrong += [f"{path}:{line}: device code includes this header, which may include nothing"
                      for line, _, _ in includes(root, path)]
    return wrong


def unused(root):
    """Rooms and patterns of the tables that stand for nothing under root."""
    files = list(sources(root))
    rooms = {folder_of(path) for path in files}
    return ([f"no file lies in {folder}" for folder in FOLDERS
             if not any(matches(room, [folder]) for room in rooms)] +
            [f"no file is named {pattern}" for pattern in DEVICE_HEADERS
             if not any(matches(path, [pattern]) for path in files)] +
            [f"no file is named {pattern}" for pattern in TYPED_PROBLEMS
             if not any(matches(path, [pattern]) for path in files)])


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--device-headers"]
    root = arguments[0] if arguments else "."
    if "--device-headers" in sys.argv:
        print("\n".join(sorted(device_headers(root, list(sources(root))))))
        return 0
    wrong = violations(root) + unused(root)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
