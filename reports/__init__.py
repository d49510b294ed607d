"""The reports: an evaluation in, self-contained documents out; nothing is computed here."""

from sosie.reports.assessment import render_assessment
from sosie.reports.comparison import ComparedRun, render_comparison
from sosie.reports.examination import Examined, render_examination, render_index
from sosie.reports.page import MOST_DRAWN, Audience, make_page
from sosie.reports.pdf import can_write_pdf
from sosie.reports.report import render_report

__all__ = [
    "MOST_DRAWN",
    "Audience",
    "ComparedRun",
    "Examined",
    "can_write_pdf",
    "make_page",
    "render_assessment",
    "render_comparison",
    "render_examination",
    "render_index",
    "render_report",
]
