"""What pyproject.toml cannot say: the searches that are compiled, once for Python 3.11 and all later ones."""

from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

NATIVE = "src/sosie/native"
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
            "sosie._trees",
            sources=sorted(glob(f"{NATIVE}/*.c")),
            depends=sorted(glob(f"{NATIVE}/*.h")),
            # distances are the same on every processor: no fused products; comparisons may be vectorised
            extra_compile_args=[
                *("-std=c11", "-O3", "-g0"),
                *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
            ],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
