"""Tests the comparison of Tooling/bench with the last figures, on made-up ones."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLING = pathlib.Path(__file__).resolve().parents[2] / "Tooling"
sys.path.insert(0, str(TOOLING))
import bench_figures  # noqa: E402


def figure(value, name="list", unit="million instructions", peer=None, peer_figure=None):
    return {
        "name": name,
        "unit": unit,
        "figure": value,
        "peer": peer,
        "peer_figure": peer_figure,
        "date": "2026-11-23",
        "machine": "one",
    }


class Comparison(unittest.TestCase):
    def slower(self, now, last):
        return bench_figures.compare(now, last)[1]

    def test_a_fifth_more_is_slower_and_a_tenth_is_not(self):
        self.assertEqual(self.slower([figure(120)], [figure(100)]), ["list"])
        self.assertEqual(self.slower([figure(110)], [figure(100)]), [])
        self.assertEqual(self.slower([figure(50)], [figure(100)]), [])

    def test_times_are_compared_by_their_ratio_to_the_peer(self):
        last = figure(10, unit="ms", peer="cat", peer_figure=5)
        # A machine that is twice as slow is no regression.
        self.assertEqual(
            self.slower([figure(20, unit="ms", peer="cat", peer_figure=10)], [last]), []
        )
        self.assertEqual(
            self.slower([figure(12, unit="ms", peer="cat", peer_figure=5)], [last]), ["list"]
        )

    def test_units_and_peers_that_differ_are_not_compared(self):
        self.assertEqual(self.slower([figure(200, unit="ms")], [figure(100)]), [])
        changed = figure(200, unit="ms", peer="dog", peer_figure=1)
        self.assertEqual(
            self.slower([changed], [figure(10, unit="ms", peer="cat", peer_figure=1)]), []
        )

    def test_every_figure_is_in_the_table(self):
        lines, _ = bench_figures.compare(
            [figure(120), figure(1, name="new")], [figure(100), figure(7, name="old")]
        )
        self.assertIn("**+20%, slower**", lines[2])
        self.assertIn("| new |", lines[3])
        self.assertIn("not measured", lines[4])

    def test_figures_that_were_not_measured_again_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "figures.json"
            bench_figures.write(path, [figure(1), figure(2, name="show")])
            bench_figures.write(path, [figure(3)])
            self.assertEqual(
                {each["name"]: each["figure"] for each in bench_figures.read(path)},
                {"list": 3, "show": 2},
            )

    def test_the_exit_code_reports_a_regression(self):
        with tempfile.TemporaryDirectory() as folder:
            now, last = pathlib.Path(folder) / "now.json", pathlib.Path(folder) / "last.json"
            last.write_text(json.dumps([figure(100)]))
            for value, code in ((120, 1), (110, 0)):
                now.write_text(json.dumps([figure(value)]))
                done = subprocess.run(
                    [sys.executable, str(TOOLING / "bench_figures.py"), str(now), str(last)],
                    capture_output=True,
                    text=True,
                    env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
                )
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual("list" in done.stderr, code == 1)


unittest.main()
