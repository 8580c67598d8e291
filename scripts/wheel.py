"""usage: wheel.py TREE MODULES VERSION QUICK FOLDER [LIBRARY OF NVRTC...]

Makes a wheel of Python in FOLDER, and prints its name: the MODULES, the TREE of a package (scripts/package) as
terrace_program/, and the tree's share/ for the prefix of the environment. NVRTC is not in it: an extra names NVIDIA's
package of the same version.
"""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

METADATA = """Metadata-Version: 2.1
Name: terrace
Version: {version}
Summary: Dynamic programs and stencils larger than memory
Requires-Python: >=3.8
Requires-Dist: numpy
Requires-Dist: h5py
{extra}
Jobs are YAML files, or dictionaries in Python, that name arrays and stages: alignments, shortest paths, knapsacks,
stencils. The program `terrace` streams the arrays from disk through RAM and GPU memory, and writes one HDF5 file.
"""
WHEEL = """Wheel-Version: 1.0
Generator: terrace
Root-Is-Purelib: false
Tag: py3-none-linux_x86_64
"""
ENTRY_POINTS = """[console_scripts]
terrace = terrace_program:main
"""


def nvrtc_extra(libraries):
    """The lines that let `pip install 'terrace[nvrtc]'` bring NVRTC: of CUDA 13 or 12."""
    major = next((found[1] for name in libraries if (found := re.fullmatch(r"libnvrtc\.so\.(\d+)", name))), None)
    if major is None:
        return ""
    package = "nvidia-cuda-nvrtc-cu12" if major == "12" else f"nvidia-cuda-nvrtc (>={major},<{int(major) + 1})"
    return f"Provides-Extra: nvrtc\nRequires-Dist: {package} ; extra == 'nvrtc'\n"


def contents(tree, modules, version):
    """(name in the wheel, file) of all that is no metadata."""
    for path in sorted(modules.rglob("*.py")):
        yield str(path.relative_to(modules)), path
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        if not path.is_file() or path.name == "terrace.py":
            continue
        yield (f"terrace-{version}.data/data/{name}" if name.parts[0] == "share" else f"terrace_program/{name}"), path


def main(tree, modules, version, quick, folder, *libraries):
    name = f"terrace-{version}-py3-none-linux_x86_64.whl"
    facts, record = f"terrace-{version}.dist-info", []

    def add(path, content, mode):
        entry = zipfile.ZipInfo(path)
        entry.external_attr = (0o100000 | mode) << 16
        wheel.writestr(entry, content, zipfile.ZIP_STORED if quick == "1" else zipfile.ZIP_DEFLATED, 9)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}\n")

    with zipfile.ZipFile(pathlib.Path(folder) / name, "w") as wheel:
        for path, file in contents(pathlib.Path(tree), pathlib.Path(modules), version):
            add(path, file.read_bytes(), 0o755 if file.stat().st_mode & 0o100 else 0o644)
        metadata = METADATA.format(version=version, extra=nvrtc_extra(libraries))
        for file, text in (("METADATA", metadata), ("WHEEL", WHEEL), ("entry_points.txt", ENTRY_POINTS)):
            add(f"{facts}/{file}", text.encode(), 0o644)
        record.append(f"{facts}/RECORD,,\n")
        wheel.writestr(f"{facts}/RECORD", "".join(record))
    print(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
