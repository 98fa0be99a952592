package import SystemSupport

/// Converts Markdown to EPUB, DOCX and ODT with pandoc, preserving the structure. pandoc has no
/// access to pictures or other files that the document refers to.
package struct Pandoc: DocumentConverter {
  private let conversion: Conversion

  /// - Parameters:
  ///   - limits: the limits of each run. A conversion runs the program twice.
  ///   - searchPath: the folders in which the program is searched for, as in `PATH`; nil for the
  ///     `PATH` of this process.
  package init(limits: ConversionLimits = ConversionLimits(), searchPath: String? = nil) {
    conversion = Conversion(
      name: "pandoc", program: "pandoc", package: "pandoc", limits: limits, searchPath: searchPath)
  }

  package var conversions: [(from: OfficeFormat, to: OfficeFormat)] {
    [(.markdown, .epub), (.markdown, .docx), (.markdown, .odt)]
  }

  /// The first version that can run without access to files other than its input.
  private static let firstWithSandbox = [2, 15]

  package func version() async throws(UserError) -> String {
    guard conversion.isInstalled else { throw conversion.missing }
    let line = try await conversion.version()
    let words = line.split(separator: " ")
    guard words.count >= 2, words[0] == "pandoc" || words[0] == "pandoc.exe" else {
      throw UserError(.plugin, "the installed pandoc is another program: \(line)")
    }
    let numbers = words[1].split(separator: ".").prefix(2).compactMap { Int($0) }
    guard numbers.count == 2, !numbers.lexicographicallyPrecedes(Self.firstWithSandbox) else {
      throw UserError(
        .plugin, "\(line) is too old to be used safely", hint: "install pandoc 2.15 or later")
    }
    return line
  }

  package func convert(
    _ bytes: [UInt8], from: OfficeFormat, to: OfficeFormat, title: String
  ) async throws(UserError) -> [UInt8] {
    guard conversions.contains(where: { $0 == (from, to) }) else {
      throw UserError(.usage, "pandoc is not used to convert \(from.rawValue) to \(to.rawValue)")
    }
    var text = MarkedMarkdown()
    _ = text.append(bytes, [])
    return try await convert(text, to: to, title: title, author: "")
  }

  /// Converts Markdown with marked passages, as `convert(_:from:to:title:)` does. Passages become
  /// `mark` elements and their comments footnotes.
  ///
  /// - Parameter author: the authors of the result; empty if unknown.
  package func convert(
    _ text: MarkedMarkdown, to: OfficeFormat, title: String, author: String
  ) async throws(UserError) -> [UInt8] {
    let bytes = text.bytes
    try conversion.check(bytes, .markdown)
    _ = try await version()
    // The document may refer to local files, so it is parsed in pandoc's sandbox. In the sandbox
    // pandoc can't read its own data files for books, so the result is written by a second run,
    // after references to pictures were removed.
    let tree = try await conversion.run(
      bytes,
      { folder in
        [
          "--sandbox", "--from=gfm+footnotes+tex_math_dollars-raw_html", "--to=json",
          "--output=\(folder)/tree.json", "\(folder)/input.md",
        ]
      }, input: "input.md", output: "tree.json", as: nil)
    guard
      let plain = PandocTree.withoutFiles(
        tree, title: title, author: author, passages: text.passages)
    else {
      throw UserError(.plugin, "pandoc could not convert the file: it is nested too deeply")
    }
    return try await conversion.run(
      plain,
      { folder in
        [
          "--from=json", "--to=\(to == .epub ? "epub3" : to.rawValue)",
          "--output=\(folder)/output.\(to.rawValue)", "\(folder)/tree.json",
        ]
      }, input: "tree.json", output: "output." + to.rawValue, as: to)
  }
}
