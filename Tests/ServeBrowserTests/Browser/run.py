#!/usr/bin/env python3
"""Runs a scenario, or lists them.

usage: run.py --programs FOLDER --folder FOLDER SCENARIO [WORD…]
       run.py --list
"""

import argparse
import importlib
import sys
import traceback

from chromium import Failure
from world import World

MODULES = (
    "selecting",
    "marking",
    "finding",
    "living",
    "looking",
    "libraries",
    "pairing",
    "measuring",
    "noting",
    "exporting",
    "continuing",
    "details",
)


def scenarios():
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for title, value in vars(module).items():
            if title.startswith("check_") and callable(value) and value.__module__ == name:
                found[title.removeprefix("check_")] = value
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--programs")
    parser.add_argument("--folder")
    parser.add_argument("--keep", help="where a picture of the page goes when the scenario fails")
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    known = scenarios()
    if given.list:
        print("\n".join(known))
        return 0
    name, *words = given.words
    world = World(given.programs, given.folder)
    try:
        known[name](world, *words)
        world.check_faults()
        return 0
    except Failure as failure:
        print(f"{name}: {failure}")
        traceback.print_exc(limit=-3, file=sys.stdout)
        try:
            for page in world.pages:
                for fault in page.faults():
                    print("page:", fault)
            if given.keep and world.pages:
                world.pages[-1].screenshot(given.keep)
        except Failure:
            pass
        return 1
    finally:
        world.close()


if __name__ == "__main__":
    sys.exit(main())
