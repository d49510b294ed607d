"""Builds the site: `python docs/build.py --out site`. English at its top, French below `fr/`.

Pages that the code knows better (metrics, codes, configuration, commands, library) are written from the code into a
temporary folder, beside copies of those that people wrote. What is in English only (benchmarks, the changelog, what is
made from docstrings and from `--help`) is led to from the French site. A warning, such as a link that leads nowhere,
is an error.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import main as sphinx
from writers.codes import codes_page
from writers.commands import commands_page
from writers.configuration import configuration_page
from writers.english import lead_to_english
from writers.library import library_page
from writers.metrics import metric_pages

from sosie.reports.language import Code

DOCS = Path(__file__).parent
LANGUAGES: tuple[Code, ...] = ("en", "fr")


def pages(language: Code) -> dict[str, str]:
    """The pages that are written from the code: their path without suffix, and their Markdown."""
    written = metric_pages(language) | {
        "reference/codes": codes_page(language),
        "reference/configuration": configuration_page(language),
    }
    if language == "en":
        written |= {"reference/commands": commands_page(), "reference/library": library_page()}
    return written


def assemble(language: Code, folder: Path) -> None:
    """Put all pages of a language into the folder."""
    shutil.copytree(DOCS / language, folder)
    shutil.copytree(DOCS / "pictures", folder / "pictures")
    if language == "en":
        shutil.copytree(DOCS / "benchmarks", folder / "benchmarks")
        shutil.copy(DOCS / "benchmarks.md", folder)
        shutil.copy(DOCS.parent / "CHANGELOG.md", folder / "changelog.md")
    for name, text in pages(language).items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        introduction = path.read_text(encoding="utf-8") + "\n" if path.exists() else ""
        path.write_text(introduction + text, encoding="utf-8")


def complete_french(english: Path, french: Path) -> None:
    """Lead to the English page wherever the French one, or the part of it that the code writes, is missing."""
    in_english_only = pages("en").keys() - pages("fr").keys()
    for name in names(english):
        if name in in_english_only or not (french / f"{name}.md").exists():
            lead_to_english(name, english, french)


def names(folder: Path) -> list[str]:
    """The pages in a folder, without suffix."""
    return [path.relative_to(folder).with_suffix("").as_posix() for path in sorted(folder.rglob("*.md"))]


def build(out: Path) -> int:
    """Both languages; what Sphinx returns, 0 for success."""
    with tempfile.TemporaryDirectory(prefix="sosie-docs-") as temporary:
        for language in LANGUAGES:
            assemble(language, Path(temporary, language))
        complete_french(Path(temporary, "en"), Path(temporary, "fr"))
        known = {language: names(Path(temporary, language)) for language in LANGUAGES}
        for language in LANGUAGES:
            (other,) = (each for each in LANGUAGES if each != language)
            both = ",".join(sorted(set(known[language]) & set(known[other])))
            target = out if language == "en" else out / language
            ended = sphinx(
                [
                    *("-b", "html", "-W", "-q", "-c", str(DOCS)),
                    *("-d", str(Path(temporary, f"{language}.trees"))),
                    *("-D", f"language={language}", "-A", f"both={both}"),
                    *(str(Path(temporary, language)), str(target)),
                ]
            )
            if ended:
                return int(ended)
    return 0


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build the documentation.")
    parser.add_argument("--out", type=Path, default=Path("site"), help="folder of the finished site")
    arguments = parser.parse_args()
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")  # the same pages give the same files
    sys.exit(build(arguments.out))


if __name__ == "__main__":
    main()
