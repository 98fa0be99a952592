"""Stores figures of `Tooling/bench`, and compares them with the last ones.

usage: bench_figures.py NOW LAST     compares two files of figures
"""

import json
import pathlib
import sys

LIMIT = 0.15


def key(figure):
    return figure["name"], figure["unit"]


def compared(figure):
    """Returns the ratio to the peer of the same run, or the figure itself without a peer."""
    return figure["figure"] / figure["peer_figure"] if figure["peer_figure"] else figure["figure"]


def change(figure, last):
    """Returns the relative change since the last figure, or None if the peers differ."""
    if last is None or figure["peer"] != last["peer"]:
        return None
    return compared(figure) / compared(last) - 1


def shown(figure):
    if figure is None:
        return "", ""
    peer = (
        f"{figure['peer']} {figure['peer_figure']:,.1f}, ratio {compared(figure):.2f}"
        if figure["peer"]
        else ""
    )
    return f"{figure['figure']:,.1f}", peer


def compare(figures, last):
    """Returns the lines of a table, and the names of figures that rose by more than LIMIT."""
    known = {key(each): each for each in last}
    lines = [
        "| | now | compared with | last | compared with | change |",
        "|---|---|---|---|---|---|",
    ]
    slower = []
    for figure in figures:
        before = known.pop(key(figure), None)
        relative = change(figure, before)
        note = "new" if relative is None else f"{relative:+.0%}"
        if relative is not None and relative > LIMIT:
            slower.append(figure["name"])
            note = f"**{note}, slower**"
        lines.append(
            f"| {figure['name']}, {figure['unit']} | "
            + " | ".join((*shown(figure), *shown(before), note))
            + " |"
        )
    lines += [
        f"| {name}, {unit} | not measured | | " + " | ".join((*shown(each), "")) + " |"
        for (name, unit), each in known.items()
    ]
    return lines, slower


def read(path):
    return json.loads(path.read_text()) if path.exists() else []


def write(path, figures):
    """Stores figures. Stored ones that were not measured again are kept."""
    kept = {key(each): each for each in read(path)}
    kept.update({key(each): each for each in figures})
    path.write_text(json.dumps(list(kept.values()), indent=2, ensure_ascii=False) + "\n")


def judge(figures, last):
    """Prints the comparison, and exits with 1 if a figure got worse."""
    lines, slower = compare(figures, last)
    print("\n".join(lines), flush=True)
    if slower:
        sys.exit(f"bench: slower by more than {LIMIT:.0%}: " + "; ".join(slower))


if __name__ == "__main__":
    judge(*(read(pathlib.Path(path)) for path in sys.argv[1:3]))
