package import MarkdownParse
import Model
package import RichText

extension RichDocument {
  /// Creates a document for word processors from Markdown and its format. The layer overrides
  /// Markdown's attributes, and these override styles. O(text + blocks + runs).
  ///
  /// Offsets are those of the rendered text, except after footnotes and images. A footnote becomes
  /// a note at its first reference. An image returned by `image` replaces its description. A line
  /// break inside a paragraph is U+2028, and a tab inside a cell is a space.
  ///
  /// - Parameters:
  ///   - layer: the direct attributes of the rendered text.
  ///   - highlights: the highlights, with ranges of the rendered text. Those in footnotes are counted
  ///     as losses.
  ///   - image: returns the image at an address, or nil if it isn't available. Called once for each
  ///     image in the text.
  package init(
    _ document: ParsedDocument, layer: FormatLayer = FormatLayer(),
    styles: StyleSheet = StyleSheet(), defaults: FormatDefaults = FormatDefaults(),
    highlights: [Highlight] = [], image: (String) -> Image? = { _ in nil }
  ) {
    let text = AttributedText(
      units: document.unitsOfParagraphs(layer), layer: document.merged(layer), styles: styles,
      defaults: defaults)
    var writer = NoteWriter(document, text)
    writer.write(image)
    func made(_ assembly: TextAssembly) -> AttributedText {
      AttributedText(
        units: assembly.units, layer: assembly.layer, styles: styles, defaults: defaults)
    }
    self.init(text: made(writer.body))
    notes = writer.notes.map { Note(kind: .footnote, offset: $0.mark, text: made($0.text)) }
    images = writer.images
    for table in writer.tables {
      let rows = self.text.rows(of: table.range)
      if let first = rows.first { columns[first.lowerBound] = table.columns.map(\.shown) }
      tableRows += rows
    }
    self.highlights = highlights.compactMap { highlight in
      var highlight = highlight
      guard let range = writer.moved(highlight.range) else { return nil }
      highlight.range = self.text.withoutTerminators(range)
      return highlight.range.isEmpty ? nil : highlight
    }.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    let lost = highlights.count - self.highlights.count
    if lost > 0 { losses.append("\(lost.counted("highlight")) in footnotes") }
    if writer.missingImages > 0 {
      losses.append("pictures that are shown by their descriptions: \(writer.missingImages)")
    }
  }
}

extension ParsedDocument {
  /// The units of the rendered text, with U+2028 for line breaks inside paragraphs and spaces for
  /// tabs inside cells. A break between two paragraphs of different format is unchanged.
  fileprivate func unitsOfParagraphs(_ layer: FormatLayer) -> [UInt16] {
    var units = text.utf16
    for block in blocks where block.isLeaf {
      if case .codeBlock = block.kind { continue }
      let isCell = block.kind == .tableCell
      for offset in block.text.utf16 {
        switch units[offset] {
        case 0x0A:
          if isCell || layer.paragraphs[offset] == layer.paragraphs[offset + 1] {
            units[offset] = 0x2028
          }
        case 0x09 where isCell: units[offset] = 0x20
        default: break
        }
      }
    }
    return units
  }

  /// Returns the layer completed by the attributes that the Markdown expresses.
  fileprivate func merged(_ layer: FormatLayer) -> FormatLayer {
    var semantics = FormatLayer(semanticsOf: self)
    let last = layer.paragraphs.usedSets.map { $0[.list]?.listNumber ?? 0 }.max() ?? 0
    let items = listItems(after: last)
    var paragraphs = FormatRuns<ParagraphAttribute>()
    let starts = items.map { (blocks[$0].text.utf16, $1) }.sorted {
      $0.0.lowerBound < $1.0.lowerBound
    }
    let plain = AttributedText(units: unitsOfParagraphs(layer))
    var position = 0
    for (range, item) in starts {
      // Only the first paragraph of the leaf gets the list item.
      let end = plain.paragraphRange(around: range.lowerBound..<range.lowerBound).upperBound
      semantics.paragraphs.forEach(in: position..<range.lowerBound) { paragraphs.append($0, $1) }
      semantics.paragraphs.forEach(in: range.lowerBound..<end) {
        paragraphs.append($0, $1.applying([.set(.list(item))]))
      }
      position = end
    }
    semantics.paragraphs.forEach(in: position..<max(position, text.count)) {
      paragraphs.append($0, $1)
    }
    semantics.paragraphs = paragraphs
    return layer.inheriting(semantics, count: text.count)
  }
}

extension Block.ColumnAlignment {
  /// The alignment of the cells; nil if none was set.
  fileprivate var shown: TextAlignment? {
    switch self {
    case .none: nil
    case .left: .left
    case .center: .center
    case .right: .right
    }
  }
}

extension ParagraphAttribute {
  fileprivate var listNumber: Int? { if case .list(let item) = self { item.list } else { nil } }
}

extension FormatLayer {
  /// Returns the layer completed by the values of another layer. O(runs).
  fileprivate func inheriting(_ other: FormatLayer, count: Int) -> FormatLayer {
    func merged<Attribute>(_ runs: FormatRuns<Attribute>, _ other: FormatRuns<Attribute>)
      -> FormatRuns<Attribute>
    {
      var result = FormatRuns<Attribute>()
      runs.forEach(in: 0..<count) { range, set in
        other.forEach(in: range) { result.append($0, set.inheriting($1)) }
      }
      return result
    }
    return FormatLayer(
      characters: merged(characters, other.characters),
      paragraphs: merged(paragraphs, other.paragraphs))
  }
}

/// Divides a document's text into the body and the notes.
private struct NoteWriter {
  /// A note and the offset of its mark in the body.
  struct Note {
    var mark: Int
    var text: TextAssembly
    var endsWithSeparator = false
  }

  let document: ParsedDocument
  let text: AttributedText
  var body = TextAssembly()
  var notes: [Note] = []
  var images: [RichDocument.Image] = []
  /// The first and the last offset of each table's text, and its columns.
  var tables: [(range: ClosedRange<Int>, columns: [Block.ColumnAlignment])] = []
  var missingImages = 0
  private var endsWithSeparator = false
  /// The parts of the rendered text that are in the body, in order, with their offsets in the body.
  /// A part that was replaced by a mark is one unit of the body.
  private var parts: [(old: Range<Int>, new: Int, isMark: Bool)] = []

  /// The footnote definition that contains each block, or -1.
  private var definitions: [Int] = []
  /// The definition of each label, in lower case.
  private var labels: [String: Int] = [:]
  private var noteOf: [Int: Int] = [:]

  init(_ document: ParsedDocument, _ text: AttributedText) {
    (self.document, self.text) = (document, text)
    for (index, block) in document.blocks.enumerated() {
      var definition = block.parent < 0 ? -1 : definitions[block.parent]
      if case .footnoteDefinition(let label) = block.kind {
        definition = index
        let name = document.source.text(in: label).lowercased()
        if labels[name] == nil { labels[name] = index }
      }
      definitions.append(definition)
    }
    for (index, block) in document.blocks.enumerated() where definitions[index] < 0 {
      for inline in document.inlines[block.inlines] {
        guard let definition = definition(of: inline), noteOf[definition] == nil else { continue }
        noteOf[definition] = notes.count
        notes.append(Note(mark: -1, text: TextAssembly()))
      }
    }
  }

  /// Returns the definition of a footnote reference, or nil if it has no text.
  private func definition(of inline: Inline) -> Int? {
    guard case .footnoteReference(let label) = inline.kind, !inline.text.isEmpty,
      let definition = labels[document.source.text(in: label).lowercased()],
      !document.blocks[definition].text.isEmpty
    else { return nil }
    return definition
  }

  mutating func write(_ image: (String) -> RichDocument.Image?) {
    let leaves = document.blocks.indices.filter { index in
      document.blocks[index].isLeaf && !document.blocks[index].text.isEmpty
    }
    var offsets: [(old: Int, new: Int)] = []
    var last = -1
    // Adjacent parts are appended together. A text without notes and images is a single part, which
    // is not copied.
    var pending = 0..<0
    var length: Int { body.units.count + pending.count }
    func flush() {
      if pending.count < text.units.count { body.reserveCapacity(text.units.count) }
      body.append(pending, of: text)
      pending = pending.upperBound..<pending.upperBound
    }
    func append(_ part: Range<Int>) {
      addPart(part, at: length)
      if pending.upperBound != part.lowerBound {
        flush()
        pending = part
      }
      pending = pending.lowerBound..<part.upperBound
    }
    for (place, index) in leaves.enumerated() {
      let range = document.blocks[index].text.utf16
      let start = place == 0 ? 0 : range.lowerBound
      let end =
        place + 1 < leaves.count
        ? document.blocks[leaves[place + 1]].text.utf16.lowerBound : text.units.count
      if definitions[index] >= 0, let note = noteOf[definitions[index]] {
        notes[note].text.append(start..<end, of: text)
        notes[note].endsWithSeparator = end > range.upperBound && text.units[end - 1] == 0x0A
        continue
      }
      offsets.append((start, length))
      var position = start
      for (span, mark) in marks(in: index, image) {
        append(position..<span.lowerBound)
        switch mark {
        case .note(let note): notes[note].mark = length
        case .image(var image):
          image.offset = length
          images.append(image)
        }
        flush()
        addPart(span, at: length, isMark: true)
        body.append(0xFFFC, like: span.lowerBound, of: text)
        position = span.upperBound
      }
      append(position..<end)
      endsWithSeparator = end > range.upperBound && text.units[end - 1] == 0x0A
      last = index
    }
    flush()
    trimEnds()
    addTables(offsets, endsWithRow: last >= 0 && document.blocks[last].kind == .tableCell)
  }

  private mutating func addPart(_ old: Range<Int>, at new: Int, isMark: Bool = false) {
    guard !old.isEmpty else { return }
    if let last = parts.last, !last.isMark, !isMark, last.old.upperBound == old.lowerBound,
      last.new + last.old.count == new
    {
      parts[parts.count - 1].old = last.old.lowerBound..<old.upperBound
    } else {
      parts.append((old, new, isMark))
    }
  }

  /// Returns the range of the body for a range of the rendered text; nil if the body contains
  /// nothing of it. O(log parts)
  func moved(_ range: Range<Int>) -> Range<Int>? {
    func count(where condition: (Range<Int>) -> Bool) -> Int {
      var (low, high) = (0, parts.count)
      while low < high {
        let middle = (low + high) / 2
        if condition(parts[middle].old) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let first = count { $0.upperBound <= range.lowerBound }
    let end = count { $0.lowerBound < range.upperBound }
    guard first < end else { return nil }
    let (head, tail) = (parts[first], parts[end - 1])
    let start =
      head.isMark ? head.new : head.new + max(0, range.lowerBound - head.old.lowerBound)
    let stop =
      tail.isMark
      ? tail.new + 1 : tail.new + min(range.upperBound, tail.old.upperBound) - tail.old.lowerBound
    return start..<stop
  }

  /// Removes the separator at the end of each text. It preceded a leaf that is now part of another
  /// text, such as a note.
  private mutating func trimEnds() {
    func trimmed(_ assembly: TextAssembly) -> TextAssembly {
      let whole = AttributedText(units: assembly.units, layer: assembly.layer)
      var result = TextAssembly()
      result.append(0..<assembly.units.count - 1, of: whole)
      return result
    }
    if endsWithSeparator { body = trimmed(body) }
    for index in notes.indices where notes[index].endsWithSeparator {
      notes[index].text = trimmed(notes[index].text)
    }
  }

  private enum Mark {
    case note(Int)
    case image(RichDocument.Image)
  }

  /// Returns the notes and images that replace parts of a leaf's text, in order and without
  /// overlaps.
  private mutating func marks(in block: Int, _ image: (String) -> RichDocument.Image?)
    -> [(Range<Int>, Mark)]
  {
    var result: [(Range<Int>, Mark)] = []
    for inline in document.inlines[document.blocks[block].inlines] {
      let range = inline.text.utf16
      guard !range.isEmpty, range.lowerBound >= result.last?.0.upperBound ?? 0 else { continue }
      if let definition = definition(of: inline), let note = noteOf[definition],
        notes[note].mark < 0
      {
        notes[note].mark = 0
        result.append((range, .note(note)))
      } else if case .image(let link) = inline.kind {
        if let image = image(document.links[link].destination) {
          result.append((range, .image(image)))
        } else {
          missingImages += 1
        }
      }
    }
    return result
  }

  private mutating func addTables(_ offsets: [(old: Int, new: Int)], endsWithRow: Bool) {
    // The last row of a table needs a terminator.
    if endsWithRow, let end = body.units.indices.last {
      let whole = AttributedText(units: body.units, layer: body.layer)
      body.append(0x0A, like: end, of: whole)
    }
    /// Returns the start, in the body, of the leaf around an offset.
    func start(_ offset: Int) -> Int {
      var (low, high) = (0, offsets.count)
      while low < high {
        let middle = (low + high) / 2
        if offsets[middle].old <= offset { low = middle + 1 } else { high = middle }
      }
      return low > 0 ? offsets[low - 1].new : 0
    }
    for (index, block) in document.blocks.enumerated()
    where !block.text.isEmpty && definitions[index] < 0 {
      guard case .table(let columns) = block.kind else { continue }
      let text = block.text.utf16
      tables.append((start(text.lowerBound)...start(text.upperBound - 1), columns))
    }
  }
}

extension AttributedText {
  /// Returns a range within the text, without paragraph ends at its ends.
  fileprivate func withoutTerminators(_ range: Range<Int>) -> Range<Int> {
    var range = range.clamped(to: units.indices)
    while let first = range.first, Self.isTerminator(units[first]) { range.removeFirst() }
    while let last = range.last, Self.isTerminator(units[last]) { range.removeLast() }
    return range
  }

  /// Returns the paragraphs that are rows of a table, including rows with only empty cells.
  fileprivate func rows(of table: ClosedRange<Int>) -> [Range<Int>] {
    func paragraph(_ offset: Int) -> Range<Int> { paragraphRange(around: offset..<offset) }
    func isEmptyRow(_ range: Range<Int>) -> Bool {
      let cells = units[range].prefix { $0 == 0x09 }
      return !cells.isEmpty && cells.count + 1 >= range.count
    }
    var rows: [Range<Int>] = []
    var offset = paragraph(table.lowerBound).lowerBound
    while offset > 0, isEmptyRow(paragraph(offset - 1)) {
      offset = paragraph(offset - 1).lowerBound
    }
    while offset < units.count {
      let range = paragraph(offset)
      guard offset <= table.upperBound || isEmptyRow(range) else { break }
      rows.append(range)
      offset = range.upperBound
    }
    return rows
  }
}
