"""How each metric and attack is worked out, in the order in which the documentation tells of them."""

from sosie.reports.attack_guides import ATTACK_GUIDES
from sosie.reports.guide import Guide
from sosie.reports.privacy_guides import PRIVACY_GUIDES
from sosie.reports.use_guides import USE_GUIDES

GUIDES: tuple[Guide, ...] = (*PRIVACY_GUIDES, *ATTACK_GUIDES, *USE_GUIDES)
