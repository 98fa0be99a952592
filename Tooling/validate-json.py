#!/usr/bin/env python3
"""Validates lines of JSON against the schemas that they name.

usage: validate-json.py SCHEMAS <LINES

Each line is also altered: one field is removed or added at a time. A schema that accepts an altered
line is not strict enough, which is also a problem. Prints one object: `used`, the schemas named by
lines; `all`, the existing schemas; and `problems`, one line each.
"""

import copy
import json
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore", category=DeprecationWarning)
from jsonschema import Draft202012Validator, RefResolver  # noqa: E402


def alterations(value, root, path="$"):
    """Yields (description, altered copy of `root`) for every object in `value`."""

    def altered(change):
        result = copy.deepcopy(root)
        place = result
        for step in path.split("/")[1:]:
            place = place[int(step) if isinstance(place, list) else step]
        change(place)
        return result

    if isinstance(value, dict):
        yield f"{path} with a field too many", altered(lambda it: it.update(surplus=1))
        for key, child in value.items():
            yield f"{path} without '{key}'", altered(lambda it, key=key: it.pop(key))
            # The request of an action is a schema itself, of which most fields are optional.
            if key != "request":
                yield from alterations(child, root, f"{path}/{key}")
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from alterations(child, root, f"{path}/{index}")


def main():
    schemas = {}
    for file in pathlib.Path(sys.argv[1]).glob("*.schema.json"):
        schema = json.loads(file.read_text())
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == file.name, f"{file.name} calls itself {schema['$id']}"
        schemas[file.name] = schema
    by_name = {schema["properties"]["schema"]["const"]: schema for schema in schemas.values()}

    used, problems = set(), []
    for line in sys.stdin:
        try:
            value = json.loads(line)
            name = value["schema"]
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"no JSON that names its schema ({error!r}): {line.strip()}")
            continue
        if name not in by_name:
            problems.append(f"there is no file for the schema {name}")
            continue
        used.add(name)
        schema = by_name[name]
        validator = Draft202012Validator(
            schema, resolver=RefResolver(schema["$id"], schema, store=schemas)
        )
        errors = list(validator.iter_errors(value))
        for error in errors:
            place = "/".join(map(str, error.absolute_path))
            problems.append(f"{name}: {place}: {error.message}: {line.strip()}")
        if errors:
            continue
        if name == "diple.actions/1":
            for action in value["data"]:
                Draft202012Validator.check_schema(action["request"])
        for what, altered in alterations(value, value):
            if validator.is_valid(altered):
                problems.append(f"{name} is not strict: it lets pass {what}")
    print(json.dumps({"used": sorted(used), "all": sorted(by_name), "problems": problems}))


main()
