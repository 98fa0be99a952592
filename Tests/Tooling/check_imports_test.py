"""Tests of Tooling/check-imports on a package of three targets."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MANIFEST = """// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "p", targets: [
  .target(name: "A"), .target(name: "B", dependencies: ["A"]),
  .target(name: "C", dependencies: [%s]),
])
"""


class CheckImportsTests(unittest.TestCase):
    def check(self, dependencies, source):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "Package.swift").write_text(MANIFEST % dependencies)
            for name, text in (("A", ""), ("B", "import A\n"), ("C", source)):
                (place / "Sources" / name).mkdir(parents=True)
                (place / "Sources" / name / "File.swift").write_text(text)
            done = subprocess.run(
                [ROOT / "Tooling/check-imports", place], capture_output=True, text=True
            )
            return done.returncode, done.stderr.strip()

    def test_rows_that_match(self):
        self.assertEqual(self.check('"A", "B"', "import A\npackage import B\n"), (0, ""))

    def test_an_import_that_is_reachable_but_not_in_the_row(self):
        code, errors = self.check('"B"', "import B\n@testable import struct A.X\n")
        self.assertEqual(code, 1)
        self.assertEqual(
            errors,
            "check-imports: Sources/C/File.swift imports A; its row in Package.swift does not",
        )

    def test_a_row_that_names_too_much(self):
        code, errors = self.check('"A", "B"', "import B // import A\n")
        self.assertEqual(code, 1)
        self.assertEqual(
            errors, "check-imports: Package.swift: the row of C names A; no file imports it"
        )


if __name__ == "__main__":
    unittest.main()
