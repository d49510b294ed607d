"""What pyproject.toml cannot say: the searches that are compiled, once for Python 3.11 and all later ones."""

from setuptools import Extension, setup

NATIVE = "src/sosie/native"

setup(
    ext_modules=[
        Extension(
            "sosie._trees",
            sources=[f"{NATIVE}/{name}.c" for name in ("tree", "nearest", "inside", "module")],
            depends=[f"{NATIVE}/{name}.h" for name in ("tree", "blocks")],
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
