"""What the pages of metrics say between the sentences of the report."""

from collections.abc import Mapping
from dataclasses import dataclass

from sosie.reports.language import Code


@dataclass(frozen=True)
class Words:
    """Headings and joints of one language."""

    index_title: str
    index_text: str
    sections: Mapping[str, str]
    metric: str
    asks: str
    sets: str
    names: tuple[str, str, str]
    steps: str
    interpretation: str
    value: str
    meaning: str
    bounds: Mapping[str, str]
    asked_by: str
    best_of: Mapping[str, str]
    reference: str
    leans: str
    example: str
    specificity: str
    improve: str


WORDS: Mapping[Code, Words] = {
    "en": Words(
        index_title="Metrics and attacks",
        index_text=(
            "A page each: what is asked, on which rows, in which steps, what both ends of the scale mean, an example"
            " that is computed when this site is tested, and what usually moves the figure. The same sentences stand"
            " in the report. Names in `code` are those of `metrics.json` and of targets in the configuration."
        ),
        sections={"privacy": "Privacy", "attacks": "Attacks", "utility": "Use"},
        metric="page",
        asks="what it asks",
        sets="Who is who",
        names=("Working half (WO)", "Holdout half (HO)", "Working avatars (WA)"),
        steps="Steps",
        interpretation="How to read it",
        value="value",
        meaning="meaning",
        bounds={"min": "at least", "max": "at most"},
        asked_by="asked by profile {}",
        best_of={"linear": "", "none": "", "rows": "half of all avatars", "k": "k"},
        reference="Reference:",
        leans="With an approximate holdout it leans towards safe.",
        example="Worked example",
        specificity="What it does not say",
        improve="How to move it",
    ),
    "fr": Words(
        index_title="Métriques et attaques",
        index_text=(
            "Une page pour chacune : ce qui est demandé, sur quelles lignes, en quelles étapes, ce que veulent dire les"
            " deux bouts de l’échelle, un exemple calculé quand ce site est éprouvé, et ce qui fait d’ordinaire bouger"
            " le chiffre. Les mêmes phrases sont dans le rapport. Les noms en `code` sont ceux de `metrics.json` et des"
            " cibles de la configuration."
        ),
        sections={"privacy": "Confidentialité", "attacks": "Attaques", "utility": "Usage"},
        metric="page",
        asks="ce qu’elle demande",
        sets="Qui est qui",
        names=("Moitié de travail (WO)", "Moitié de réserve (HO)", "Avatars de travail (WA)"),
        steps="Étapes",
        interpretation="Comment la lire",
        value="valeur",
        meaning="sens",
        bounds={"min": "au moins", "max": "au plus"},
        asked_by="demandé par le profil {}",
        best_of={"linear": "", "none": "", "rows": "la moitié des avatars", "k": "k"},
        reference="Référence :",
        leans="Avec une réserve approximative, elle penche vers le rassurant.",
        example="Exemple calculé",
        specificity="Ce qu’elle ne dit pas",
        improve="Comment la faire bouger",
    ),
}
