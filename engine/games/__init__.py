"""The games, one folder each: rules.py, notation.py, RULES.md and the facts in __init__.py."""
