#!/usr/bin/env python3
"""A search strategy for Diple: finds Roman numerals by what they are worth.

The query is a number, a range such as `1400-1499`, or `*` for all of them.
"""

import json
import re
import sys

NUMERAL = re.compile(
    r"(?<![^\W\d_])(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
    r"(?![^\W_])"
)
VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def value(numeral):
    """What a numeral is worth: a sign before a greater one is taken away."""
    total = 0
    for sign, following in zip(numeral, numeral[1:] + " "):
        worth = VALUES[sign]
        total += -worth if worth < VALUES.get(following, 0) else worth
    return total


def wanted(query):
    """The numbers that a query means, as a range with both ends."""
    if query.strip() == "*":
        return 1, 3999
    match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", query)
    if not match:
        raise ValueError(f"'{query}' is neither a number nor a range such as 1400-1499")
    low = int(match.group(1))
    return low, int(match.group(2) or low)


def answer(request):
    low, high = wanted(request["query"])
    for match in NUMERAL.finditer(request["text"]):
        if low <= value(match.group()) <= high:
            yield {"start": match.start(), "end": match.end()}
    yield {"done": True}


def main():
    for request in sys.stdin:
        try:
            for line in answer(json.loads(request)):
                print(json.dumps(line))
        except ValueError as error:
            print(json.dumps({"error": str(error)}))
        sys.stdout.flush()


main()
