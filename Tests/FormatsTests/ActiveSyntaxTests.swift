import Formats
import Foundation
import Interchange
import Model
import Testing

/// Tests that no program that opens an export executes code in it. The programs are real. A test
/// whose program is not installed is skipped.
@Suite struct ActiveSyntaxTests {
  private static let search = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(
    separator: ":")

  static func isInstalled(_ program: String) -> Bool {
    search.contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// A folder that is deleted when the object is released.
  private final class Place {
    let path = NSTemporaryDirectory() + "diple-active-" + UUID().uuidString
    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult func run(_ words: [String]) throws -> String {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = words
      process.currentDirectoryURL = URL(filePath: path)
      var environment = ProcessInfo.processInfo.environment
      environment["HOME"] = path
      process.environment = environment
      let output = path + "/output"
      _ = FileManager.default.createFile(atPath: output, contents: nil)
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle(forWritingAtPath: output)
      process.standardError = process.standardOutput
      try process.run()
      process.waitUntilExit()
      return String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
    }

    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }
  }

  /// Returns records that contain a text in each of their fields.
  private func records(_ text: String) -> [AnnotationRecord] {
    var record = AnnotationRecord(
      id: text, quote: text, source: text, title: text, color: .yellow, note: text, tags: [text],
      created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 0))
    (record.author, record.location, record.colorLabel) = (text, text, text)
    var other = record
    (other.source, other.location) = (text + "2", "")
    return [record, other]
  }

  private func exported(_ records: [AnnotationRecord], by exporter: some Exporter) throws -> String
  {
    var output = ""
    try exporter.export(records, to: &output)
    return output
  }

  // MARK: - Org

  private static let command = "(shell-command \"touch ran\")"
  private static let orgTexts = [
    "%%\(command)", "a\n%%\(command)\nb", "&%%\(command)", "<%%\(command)>", "<<%%\(command)>>",
    "%%%\(command)", "SCHEDULED: <%%\(command)>", "-*- eval: \(command) -*-",
    "Local Variables:\neval: \(command)\nEnd:", "# LOCAL VARIABLES:\n# eval: \(command)\n# End:",
    "[[elisp:\(command)]]", "[[[elisp:\(command)]]", "<elisp:\(command)>", "elisp:\(command)",
    "ELISP:\(command)", "[[shell:touch ran]]", "shell:touch ran", "[[[[shell:touch ran]]]]",
    "src_emacs-lisp{\(command)}", "call_x()", "#+begin_src emacs-lisp\n\(command)\n#+end_src",
    "#+end_quote\n#+begin_src emacs-lisp\n\(command)\n#+end_src\n#+begin_quote",
    "#+CALL: x()", ":END:\n%%\(command)\n", "| 1 |\n#+TBLFM: $1='\(command)", "<<<radio>>>",
    "| ='\(command) |\n| 2 |", "| :='\(command) |", "<eshell:\(command)>", "<man:-l x;touch ran>",
    "\u{301}%%\(command)", "%%\u{200B}\(command)",
  ]

  /// Opens an Org file without confirmation, builds its agenda, runs its code, follows its links
  /// and exports it.
  private static let emacs = """
    (require 'org) (require 'org-agenda) (require 'ox-html)
    (setq enable-local-variables :all enable-local-eval t org-confirm-babel-evaluate nil
          org-confirm-elisp-link-function nil org-confirm-shell-link-function nil
          org-link-elisp-confirm-function nil org-link-shell-confirm-function nil
          org-agenda-include-diary nil org-agenda-files (list (expand-file-name "export.org")))
    (add-to-list 'org-babel-load-languages '(emacs-lisp . t))
    (find-file "export.org")
    (ignore-errors (org-mode))
    (ignore-errors (org-agenda-list nil nil 'week))
    (switch-to-buffer "export.org")
    (ignore-errors (org-babel-execute-buffer))
    (let ((places nil))
      (goto-char (point-min))
      (while (re-search-forward "[[<:]" nil t) (push (point) places))
      (dolist (place places)
        (switch-to-buffer "export.org")
        (goto-char place)
        (ignore-errors (when (eq (org-element-type (org-element-context)) 'link)
          (org-open-at-point)))))
    (switch-to-buffer "export.org")
    (goto-char (point-min))
    (dotimes (_ 200)
      (when (re-search-forward "^ *|" nil t)
        (save-excursion (ignore-errors (org-table-maybe-eval-formula)))
        (end-of-line)))
    (ignore-errors (org-table-recalculate-buffer-tables))
    (ignore-errors (org-export-to-buffer 'html "out"))
    """

  @Test(.enabled(if: isInstalled("emacs"), "emacs is not installed"))
  func `Emacs executes no text of an Org export`() throws {
    // First check that the script executes the code in an unescaped file.
    for text in [
      "* a\n%%\(Self.command)\n", "* -*- eval: \(Self.command) -*-\n",
      "* [[elisp:\(Self.command)]]\n", "| ='\(Self.command) |\n",
    ] {
      let place = try Place()
      try place.write("script.el", Self.emacs)
      try place.write("export.org", text)
      let output = try place.run(["timeout", "100", "emacs", "-Q", "--batch", "-l", "script.el"])
      #expect(FileManager.default.fileExists(atPath: place.path + "/ran"), "\(text): \(output)")
    }
    // Export all texts joined into one, then each text separately.
    for texts in [[Self.orgTexts.joined(separator: "\n")], Self.orgTexts] {
      let all = texts.flatMap { records($0) }
      let place = try Place()
      try place.write("script.el", Self.emacs)
      try place.write("export.org", try exported(all, by: OrgQuotes()))
      let output = try place.run(["timeout", "100", "emacs", "-Q", "--batch", "-l", "script.el"])
      #expect(!FileManager.default.fileExists(atPath: place.path + "/ran"), "\(output)")
    }
  }

  /// Texts that become raw HTML, raw TeX, links or the contents of a file in another format.
  private static let rawTexts = [
    "@@html:<script>alert(1)</script>@@", "@@latex:\\input{/etc/passwd}@@", "\\input{/etc/passwd}",
    "$\\input{/etc/passwd}$", "\\immediate\\write18{touch ran}", "^^5cinput{/etc/passwd}",
    "\\begin{filecontents}{x}\ny\n\\end{filecontents}", "#+INCLUDE: \"/etc/passwd\"",
    "#+begin_export html\n<script>alert(1)</script>\n#+end_export", "javascript:alert(1)",
    "<javascript:alert(1)>", "[[javascript:alert(1)]]", "docview:/etc/passwd", "x.vbscript:y",
  ]

  @Test(.enabled(if: isInstalled("emacs") && isInstalled("pandoc"), "no Emacs or pandoc"))
  func `Emacs and pandoc copy no HTML, TeX or file from an Org export`() throws {
    let place = try Place()
    let text = try exported(Self.rawTexts.flatMap { records($0) }, by: OrgQuotes())
    try place.write("export.org", text)
    try place.write(
      "script.el",
      """
      (require 'ox-html) (require 'ox-latex)
      (find-file "export.org")
      (org-export-to-file 'html "emacs.html")
      (org-export-to-file 'latex "emacs.tex")
      """)
    let output = try place.run(["timeout", "100", "emacs", "-Q", "--batch", "-l", "script.el"])
    for form in ["html", "latex"] {
      try place.run(["pandoc", "-f", "org", "-t", form, "export.org", "-o", "pandoc.\(form)"])
    }
    let html = /<script>|root:x:|(href|src)="(javascript|vbscript|x\.vbscript|file|\/etc)/
    let tex = /root:x:|\n\\(input|immediate)|\\begin\{filecontents|\\\(\\input/
    for name in ["emacs.html", "emacs.tex", "pandoc.html", "pandoc.latex"] {
      let bytes = try #require(
        FileManager.default.contents(atPath: "\(place.path)/\(name)"), "\(output)")
      let text = String(decoding: bytes, as: UTF8.self)
      let isActive = name.hasSuffix("html") ? text.contains(html) : text.contains(tex)
      #expect(!isActive, "\(name): \(text)")
    }
  }

  // MARK: - Spreadsheets

  /// Whether LibreOffice is installed with its spreadsheets, which are a separate package.
  private static var hasSpreadsheets: Bool {
    search.contains { folder in
      let program = URL(filePath: "\(folder)/soffice").resolvingSymlinksInPath()
      let library = program.deletingLastPathComponent().appending(path: "libsclo.so")
      return FileManager.default.fileExists(atPath: library.path)
    }
  }

  @Test(.enabled(if: hasSpreadsheets, "LibreOffice Calc is not installed"))
  func `LibreOffice finds no formula in an export`() throws {
    let starts = [
      "", " ", "  ", "\t", "\n", "\r\n", "\u{A0}", "\u{200B}", "\u{3000}", "a\n", "a;", "a; ",
      "a\t",
      "\u{301}", "a\n\"", "\";", "\";\"", "\u{FEFF}", "a\u{2028}", "\"\u{301}\n",
    ]
    let formulas = ["=1+1", "＝1+1", "+1+SUM(1)", "-1-SUM(1)", "@SUM(1)", "=\"\u{301}\"&1"]
    let texts = starts.flatMap { start in formulas.map { start + $0 } }
    let all = texts.flatMap { records($0) }
    let place = try Place()
    func convert(_ name: String, _ separators: String) throws -> String {
      let output = try place.run([
        "timeout", "100", "soffice", "--headless",
        "-env:UserInstallation=file://\(place.path)/profile",
        "--infilter=CSV:\(separators),34,76,1,,0,false,true,false,false,false,0,true",
        "--convert-to", "fods", "--outdir", "out", name,
      ])
      let file = place.path + "/out/" + name.replacing(".csv", with: ".fods")
      defer { try? FileManager.default.removeItem(atPath: file) }
      let bytes = try #require(FileManager.default.contents(atPath: file), "\(output)")
      return String(decoding: bytes, as: UTF8.self)
    }
    try place.write("plain.csv", "id,quote\r\n1,=1+1\r\n")
    #expect(try convert("plain.csv", "44").contains("table:formula"))
    try place.write("export.csv", try exported(all, by: CSVTable()))
    try place.write("readwise.csv", try exported(all, by: ReadwiseImport()))
    for name in ["export.csv", "readwise.csv"] {
      for separators in ["44", "59", "9", "44/59/9"] {
        let table = try convert(name, separators)
        let formulas = table.split(separator: "table:formula=").dropFirst().map { $0.prefix(60) }
        #expect(formulas.isEmpty, "\(name) with \(separators): \(formulas.prefix(5))")
      }
    }
  }

  // MARK: - Others

  @Test func `Anki cards contain no sound, LaTeX or field`() throws {
    let text = "[sound:x] [latex]\\input{/etc/passwd}[/latex] [$]x[/$] {{c1::x}} [\u{301}latex]"
    let cards = try exported(records(text), by: AnkiCards())
    let lines = cards.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == 2 && !lines.contains { $0.utf8.contains(UInt8(ascii: "[")) })
    #expect(!lines.contains { $0.contains("{{") })
  }

  @Test(.enabled(if: isInstalled("pandoc"), "pandoc is not installed"))
  func `pandoc makes no scripts from exported Markdown`() throws {
    let texts = [
      "`<img src=x onerror=alert(1)>`{=html}", "[a]{onclick=\"alert(1)\"}",
      "![p](x.png){onerror=\"alert(1)\"}", "::: {.a onclick=\"alert(1)\"}\ndiv\n:::",
      "### Head {onclick='alert(1)'}", "``` {.sh OnClick=alert(1)}\ncode\n```",
      "```{=html}\n<script>alert(1)</script>\n```", "`code`{onmouseover=alert(1)}",
      "<script>alert(1)</script>", "[a](javascript:alert(1))", "[a](x){onclick=alert(1)}",
    ]
    let active = /<script|<[^>]*[ "']on[a-z]+ *=|="javascript:/.ignoresCase()
    let place = try Place()
    func html(_ markdown: String) throws -> String {
      try place.write("export.md", markdown)
      return try place.run(["pandoc", "-f", "markdown", "-t", "html", "export.md"])
    }
    // First check that pandoc keeps the script in a text that was not exported.
    #expect(try html(texts[1]).contains(active))
    for text in texts {
      let page = try html(try exported(records(text), by: MarkdownQuotes()))
      let found = page.firstMatch(of: active)
      #expect(page.contains("<p>") && found == nil, "\(text): \(found.map { $0.output } ?? "")")
    }
  }

  /// Texts that pandoc turns into metadata, raw TeX, or links and pictures of the user's files.
  private static let filedTexts = [
    "---\nheader-includes: \"\\x3cscript>alert(1)\\x3c/script>\"\ncss: x.css\n---",
    "> ---\n> bibliography: /etc/passwd\n> ---", "\\input{/etc/passwd}", "$\\input{/etc/passwd}$",
    "\\immediate\\write18{touch ran}", "> [a](\n> javascript:alert(1))",
    "> [a]:\n> javascript:alert(1)\n\n[a]", "![p](/etc/passwd)", "![p](../../secret.png)",
    "![p][q]\n\n[q]: ../secret.png", "[l](/etc/passwd)", "[a](x){href=\"javascript:alert(1)\"}",
    "![a](x){srcset=\"http://x/y\"}", "[s]{ style = \"background:url(http://x/y)\"}",
  ]

  @Test(.enabled(if: isInstalled("pandoc"), "pandoc is not installed"))
  func `pandoc reads no metadata, TeX, file or address of a program from Markdown`() throws {
    let place = try Place()
    // Other commands of TeX remain.
    let raw = /"c":\["html"|"tex","\\\\(input|immediate|begin)|Math"\},"\\\\input/
    let address = /\["(javascript:|\/etc|\.\.\/|file:)|\["(href|srcset|style)",/
    for text in Self.filedTexts {
      try place.write("export.md", try exported(records(text), by: MarkdownQuotes()))
      for form in ["markdown", "gfm", "commonmark_x"] {
        let tree = try place.run(["pandoc", "-f", form, "-t", "json", "export.md"])
        #expect(tree.contains(#""meta":{}"#), "\(form): \(text)")
        #expect(!tree.contains(raw) && !tree.contains(address), "\(form): \(text): \(tree)")
      }
    }
  }

  @Test func `Markdown contains no tag and no template for programs that ignore backslashes`()
    throws
  {
    let tags = ["<script", "<img", "</p", "<!--", "<?php", "{{", "{%", "{!"]
    for sign in tags {
      let text = try exported(records("\(sign)x}\n"), by: MarkdownQuotes())
      #expect(!text.contains(sign), "\(text)")
    }
    // In notes, which are Markdown themselves.
    for sign in tags + [
      "``` {r}", "```\t{r}", ":::{include", "{eval}`", "@import", "javascript:", "\\input", "^^",
    ] {
      var record = records("plain")[0]
      record.note = "\(sign)x}\n"
      let text = try exported([record], by: MarkdownQuotes())
      #expect(!text.contains(sign), "\(text)")
    }
  }

  @Test func `Markdown contains no editor variables and no code blocks of note-taking programs`()
    throws
  {
    for sign in [
      "-*-", "Local Variables:", "LOCAL VARIABLES:", "vim: set x", "```dataviewjs", "`$= x",
      "`r x`", "`{r} x`", "<%* x %>", "{% x %}", "{=html}", "{onclick=\"x\"}", "{: ONERROR=x}",
    ] {
      let text = try exported(records("\(sign)\neval: (x)\n"), by: MarkdownQuotes())
      #expect(!text.lowercased().contains(sign.lowercased()), "\(text)")
    }
  }
}
