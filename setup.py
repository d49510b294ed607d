"""What pyproject.toml cannot say: a module for each folder of C, compiled once for Python 3.11 and all later ones."""

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

NATIVE = Path("src/sosie/native")
REMEDY = """\
sosie is compiled where it is installed from its sources, which takes gcc, its headers and those of Python.
On Debian: apt-get install gcc libc6-dev libpython3-dev"""


class Compiled(build_ext):
    """An extension, or the sentence that says what to install: a compiler names but the first file it misses."""

    def build_extension(self, extension: Extension) -> None:
        """As setuptools does, with the remedy under an error of the compiler or the linker."""
        try:
            super().build_extension(extension)
        except (CompileError, LinkError, OSError) as error:
            raise CompileError(f"{error}\n\n{REMEDY}") from error


setup(
    cmdclass={"build_ext": Compiled},
    ext_modules=[
        Extension(
            f"sosie._{folder.name}",
            sources=sorted(map(str, folder.glob("*.c"))),
            depends=sorted(map(str, [*NATIVE.glob("*.h"), *folder.glob("*.h")])),
            # sums are the same on every processor: no fused products; comparisons may be vectorised
            extra_compile_args=[
                *("-std=c11", "-O3", "-g0", "-pthread"),
                *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
            ],
            extra_link_args=["-pthread"],
            py_limited_api=True,
        )
        for folder in sorted(filter(Path.is_dir, NATIVE.iterdir()))
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
