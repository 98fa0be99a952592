import MarkdownParse
import Model
import RichText

/// Finds the simplest Markdown of a leaf that parses back to its text.
struct LeafCheck {
  let leaf: ConversionLeaf
  let place: InlineMarkdown.Place
  let links: [String]
  let options: MarkdownConversion.Options

  /// Returns the Markdown of the leaf. If no form parses back to the text, returns plain text with
  /// all marks as references.
  func markdown(_ least: InlineMarkdown.Care) -> String {
    if leaf.isEmpty { return "" }
    var writer = InlineMarkdown(leaf, place, links, options)
    writer.care = least
    if least == .meaning, isHarmless { return writer.markdown() }
    let all: ConversionLeaf.Marks = [.strong, .emphasis, .strike, .mark, .code, .underline]
    let used = leaf.marks.reduce(into: ConversionLeaf.Marks()) { $0.formUnion($1) }
    let hasLinks = leaf.links.contains { $0 >= 0 }
    let ways: [(ConversionLeaf.Marks, Bool)] = [
      (all, true), (all.subtracting(.emphasis), true),
      (all.subtracting([.emphasis, .strike, .mark, .underline]), true), (.code, true), ([], true),
      ([], false),
    ]
    var last: (ConversionLeaf.Marks, Bool)?
    for (wanted, links) in ways {
      let way = (wanted.intersection(used), links && hasLinks)
      if let last, last == way { continue }
      last = way
      (writer.wanted, writer.hasLinks) = way
      for care in InlineMarkdown.Care.allCases where care.rawValue >= least.rawValue {
        writer.care = care
        if let found = best(&writer) { return found }
      }
    }
    (writer.wanted, writer.hasLinks, writer.care) = ([], false, .references)
    return writer.markdown()
  }

  /// Tries `*` and `_` for emphasis and returns the form with fewer missing styles, or nil if
  /// neither parses back to the text.
  private func best(_ writer: inout InlineMarkdown) -> String? {
    var best: (text: String, missing: Int)?
    for mark in [UInt8(ascii: "*"), UInt8(ascii: "_")] {
      if mark != 0x2A, !writer.wanted.contains(.emphasis) { break }
      writer.italicMark = mark
      let text = writer.markdown()
      guard let missing = missing(text, writer) else { continue }
      if missing == 0 { return text }
      if missing < best?.missing ?? .max { best = (text, missing) }
    }
    return best?.text
  }

  /// Whether the text contains nothing that can be markup in any position.
  private var isHarmless: Bool {
    if leaf.raws.isEmpty, leaf.marks.allSatisfy(\.isEmpty), leaf.links.allSatisfy({ $0 < 0 }),
      leaf.units.allSatisfy({ unit in
        unit >= 0x80 || unit == 0x20 || unit == 0x2C || unit == 0x2E || unit == 0x27
          || unit == 0x22 || unit == 0x3F || unit == 0x3B || UInt8(unit).isWordByte
      }), let first = leaf.units.first, !(0x30...0x39).contains(first)
    {
      let text = String(units: leaf.units)
      return !text.hasPrefix("import ") && !text.hasPrefix("export ")
        && text.firstRange(of: "www.") == nil && text.firstRange(of: "WWW.") == nil
    }
    return false
  }

  /// Returns the number of units whose styles or link are missing. Returns nil if the Markdown
  /// doesn't parse back to the leaf's text, or adds a style or link that the leaf doesn't have.
  private func missing(_ markdown: String, _ writer: InlineMarkdown) -> Int? {
    var source: String
    switch place {
    case .paragraph: source = markdown
    case .heading: source = "# " + markdown
    case .cell: source = "| a |\n|---|\n| " + markdown + " |"
    }
    source += "\n"
    var notes = 0
    for raw in leaf.raws where ConversionLeaf.isNote(raw) {
      source += "\n" + raw.markdown + ": x\n"
      notes += 1
    }
    let parsed = ParsedDocument(parsing: MarkdownSource(source), options: options.dialect)
    let leaves = parsed.blocks.indices.filter {
      parsed.blocks[$0].isLeaf && !parsed.blocks[$0].text.isEmpty
    }
    let place = place == .cell ? 1 : 0
    guard leaves.count == place + 1 + notes else { return nil }
    let block = parsed.blocks[leaves[place]]
    switch (self.place, block.kind) {
    case (.paragraph, .paragraph), (.heading, .heading), (.cell, .tableCell): break
    default: return nil
    }
    let range = block.text.utf16
    guard parsed.text.utf16[range].elementsEqual(leaf.units) else { return nil }
    if self.place == .paragraph, parsed.blocks[block.parent].kind != .document { return nil }
    var missing = 0
    for run in parsed.styleRuns(in: block) {
      let actual = ConversionLeaf.Marks(run.style)
      let target = run.target.map { parsed.links[$0].target }
      for offset in run.text.utf16 {
        let index = offset - range.lowerBound
        if leaf.units[index].isSpaceUnit { continue }
        let wanted = leaf.marks[index].subtracting(.underline)
        if !actual.isSubset(of: wanted) { return nil }
        if actual != wanted { missing += 1 }
        let link = leaf.links[index] >= 0 ? links[Int(leaf.links[index])] : nil
        if link == target { continue }
        // Some dialects turn an address in the text into a link.
        guard let target else {
          missing += 1
          continue
        }
        if run.style.contains(.image) { continue }
        guard link == nil, isAutolink(target, run.text.utf16, parsed) else { return nil }
      }
    }
    return missing
  }

  private func isAutolink(_ target: String, _ range: Range<Int>, _ parsed: ParsedDocument) -> Bool {
    let text = String(units: parsed.text.utf16[range])
    return target == text || target == "http://" + text || target == "mailto:" + text
  }
}

extension ConversionLeaf.Marks {
  /// Creates the set from the style of parsed text.
  init(_ style: TextStyle) {
    self = []
    if style.contains(.strong) { insert(.strong) }
    if style.contains(.emphasis) { insert(.emphasis) }
    if style.contains(.strikethrough) { insert(.strike) }
    if style.contains(.mark) { insert(.mark) }
    if style.contains(.code) { insert(.code) }
  }
}
