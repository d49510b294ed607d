"""What the pages of codes and of the configuration say between the sentences of the reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import NoneType

from sosie.reports.language import Code


@dataclass(frozen=True)
class ReferenceWords:
    """Headings and joints of one language. A `{}` is filled in."""

    kinds: Mapping[str, str]
    remedy: str
    more: str
    top: str
    keys: str
    columns: str
    types: Mapping[type, str]
    mapping: str
    each: str
    choice: str
    bounds: Mapping[tuple[str, ...], str]
    no_default: str
    targets: str


WORDS: Mapping[Code, ReferenceWords] = {
    "en": ReferenceWords(
        kinds={"error": "Errors", "warning": "Warnings"},
        remedy="Remedy.",
        more="More:",
        top="At the top",
        keys="| key | value | default | meaning |",
        columns="What a column is, where that differs from what `inspect` found.",
        types={
            int: "integer",
            str: "text",
            bool: "true or false",
            float: "number",
            date: "date",
            NoneType: "null",
        },
        mapping="mapping",
        each="list of {}",
        choice=" or ",
        bounds={
            (): "",
            ("ge",): " from {}",
            ("ge", "le"): " from {} to {}",
            ("gt",): " above {}",
            ("gt", "le"): " above {}, at most {}",
        },
        no_default="none",
        targets="""## Targets of the profiles

What each profile asks of a figure; a key of `targets` with `min` or `max` takes its place, as in
`targets: {hidden_rate: {min: 50}}`. A profile asks nothing where there is no bound. The values are conventions
that can be defended, not law.

| figure | internal | partner | open |""",
    ),
    "fr": ReferenceWords(
        kinds={"error": "Erreurs", "warning": "Avertissements"},
        remedy="Remède.",
        more="Plus :",
        top="Au premier niveau",
        keys="| clé | valeur | par défaut | sens |",
        columns="Ce qu’est une colonne, là où cela diffère de ce qu’a trouvé `inspect`.",
        types={
            int: "entier",
            str: "texte",
            bool: "`true` ou `false`",
            float: "nombre",
            date: "date",
            NoneType: "`null`",
        },
        mapping="clés et valeurs",
        each="liste ({})",
        choice=" ou ",
        bounds={
            (): "",
            ("ge",): " ≥ {}",
            ("ge", "le"): " de {} à {}",
            ("gt",): " > {}",
            ("gt", "le"): " > {} et ≤ {}",
        },
        no_default="aucun",
        targets="""## Cibles des profils

Ce que chaque profil demande à un chiffre ; une clé de `targets` avec `min` ou `max` en prend la place, comme dans
`targets: {hidden_rate: {min: 50}}`. Sans borne, un profil ne demande rien. Ces valeurs sont des conventions
défendables, non des règles de droit.

| chiffre | internal | partner | open |""",
    ),
}
