"""Writes the source distribution and the wheel into the folder that is named: `package.py DIR`. The same sources make the same bytes."""

import gzip
import io
import os
import re
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from setuptools import build_meta

HERE = Path(__file__).parent.resolve()
# Dates in archives; programs that make archives know this variable. Wheels cannot be older than 1980.
EPOCH = int(os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800"))


def collect() -> dict[str, bytes]:
    """Returns what setuptools puts into a source distribution, by path in the project."""
    os.chdir(HERE)
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(
        Path(scratch) / build_meta.build_sdist(scratch)
    ) as made:
        return {
            name.partition("/")[2]: file.read()
            for name in sorted(made.getnames())
            if (file := made.extractfile(name))
        }


def pack(contents: dict[str, bytes], folder: Path) -> None:
    """Packs them under the name that PyPI demands (PEP 625), without times and users of this machine."""
    project = tomllib.loads(contents["pyproject.toml"].decode())["project"]
    stem = f"{re.sub(r'[-_.]+', '_', project['name']).lower()}-{project['version']}"
    with open(folder / f"{stem}.tar.gz", "wb") as file, gzip.GzipFile("", "wb", 9, file, EPOCH) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, content in contents.items():
                member = tarfile.TarInfo(f"{stem}/{name}")
                member.size, member.mtime = len(content), EPOCH
                archive.addfile(member, io.BytesIO(content))


def build_wheel(contents: dict[str, bytes], folder: Path) -> None:
    """Builds it from the source distribution alone, as whoever installs that one does."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in contents.items():
            (Path(scratch) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(scratch) / name).write_bytes(content)
        os.chdir(scratch)
        build_meta.build_wheel(str(folder))
        os.chdir(HERE)


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.umask(0o022)
    # Setuptools would pack this file: the one that runs is the project's setup.py to it.
    sys.argv[0] = "setup.py"
    contents = collect()
    pack(contents, folder)
    build_wheel(contents, folder)


if __name__ == "__main__":
    main()
