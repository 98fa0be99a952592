import CPango
import Interchange

/// A text that Pango broke into lines of a width, in one font and size.
///
/// No hyphen is inserted where a word is too long for a line, because it would be read as a part of
/// the quote.
final class TextLayout {
  /// The appearance of a text.
  struct Style {
    /// Font families, the preferred first, separated by commas.
    var family: String
    /// The font families of code.
    var codeFamily = ""
    /// The font size in pixels.
    var size: Double
    /// The font size of code in pixels.
    var codeSize = 0.0
    var weight = CardTheme.Weight.regular
    /// The script of the text.
    var script = QuoteScript.plain
    /// The font families of Latin letters and digits within Arabic or Hebrew, which may lack them or
    /// have others; nil for those of the text.
    var latinFamily: String?
    /// Whether opening quotation marks and brackets are in the margin.
    var hangsMarks = false
    /// The most that opening marks are in the margin, in pixels; nil for half the font size.
    var mostHang: Double?
    /// The change of the distance of letters in pixels.
    var tracking = 0.0
  }

  /// The kind of a text.
  enum Kind: Hashable {
    case prose
    /// One line of code. It runs from left to right.
    ///
    /// - Parameters:
    ///   - indent: the indentation of its rests in pixels.
    ///   - breaks: the bytes before which the rests begin, in order.
    case codeLine(indent: Double, breaks: [Int])
    /// Lines of verse, one in each paragraph. The rest of a line that is too long is indented.
    ///
    /// - Parameter indent: the indentation of the rest in pixels.
    case verse(indent: Double)
  }

  struct Line {
    /// The bytes of the text, without blanks at the end.
    var bytes: Range<Int>
    /// The left and right edge of the letters, in pixels from the left edge of the layout.
    var extent: Range<Double>
    /// The x coordinate at which Pango draws the line.
    var x: Double
    /// The distance by which it is moved from the place that Pango chose.
    var shift = 0.0
    var isParagraphStart: Bool
    /// Whether the line begins within a word.
    var isBroken: Bool
  }

  private let layout: OpaquePointer
  private let text: [UInt8]
  private let kind: Kind
  private var attributes: Attributes
  private(set) var lines: [Line] = []
  /// The width in pixels in which the lines are broken.
  private(set) var width = 0.0

  /// - Parameters:
  ///   - style: the font and its size.
  ///   - code: the parts of the text that are code, in bytes.
  ///   - hidden: a part of the text that is not shown, in bytes; nil for none.
  ///   - width: the maximum width of a line in pixels.
  ///   - breaksLongCode: whether code without blanks is broken where it is wider than a line.
  init(
    _ text: String, on canvas: Canvas, _ style: Style, _ kind: Kind = .prose,
    code: [Range<Int>] = [], hidden: Range<Int>? = nil, width: Double, breaksLongCode: Bool = false
  ) {
    let bytes = Array(text.utf8)
    self.text = bytes
    self.kind = kind
    layout = pango_cairo_create_layout(canvas.context)
    // Whole pixels would make the distances of letters uneven.
    pango_context_set_round_glyph_positions(pango_layout_get_context(layout), 0)
    let font = pango_font_description_new()
    pango_font_description_set_family(font, style.family)
    pango_font_description_set_absolute_size(font, style.size * Double(PANGO_SCALE))
    pango_font_description_set_weight(
      font, style.weight == .bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL)
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    switch kind {
    case .prose, .verse: pango_layout_set_auto_dir(layout, 1)
    case .codeLine: pango_layout_set_auto_dir(layout, 0)
    }
    // A line break within code would be read as a blank. The blank after code is at the end of the
    // line, not at the start of the next one.
    var solid = code.flatMap { bytes[$0].split { $0 <= 0x20 } }.map { run in
      let end = run.endIndex
      return run.startIndex..<(end < bytes.count && bytes[end] == 0x20 ? end + 1 : end)
    }
    if case .codeLine(_, let breaks) = kind {
      if !breaks.isEmpty {
        solid = zip([0] + breaks, breaks + [bytes.count]).map { $0..<$1 }
      }
    } else {
      solid += LineBreaks.solidParts(of: text)
    }
    attributes = Attributes(style: style, code: code, hidden: hidden, solid: solid)
    setAttributes()
    self.text.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        pango_layout_set_text(layout, $0.baseAddress, Int32($0.count))
      }
    }
    wrap(width)
    if indent > 0, lines.count > paragraphs {
      pango_layout_set_indent(layout, -Int32(indent * Double(PANGO_SCALE)))
      wrap(width)
    }
    guard breaksLongCode else { return }
    // Rather after a sign than within a name.
    for isLast in [false, true] where isTooWide {
      let wide = lines.filter(isTooWide).map(\.bytes)
      attributes.solid = attributes.solid.flatMap { run in
        guard wide.contains(where: run.overlaps) else { return [run] }
        return isLast ? [] : Self.parts(of: bytes, in: run)
      }
      setAttributes()
      wrap(width)
    }
  }

  /// The indentation of the rests of lines in pixels; 0 for prose.
  private var indent: Double {
    switch kind {
    case .prose: 0
    case .codeLine(let indent, _), .verse(let indent): indent
    }
  }

  /// Returns the parts of code without blanks after which a line may end if it must: they end with
  /// signs such as ( or , or /.
  private static func parts(of text: [UInt8], in run: Range<Int>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = run.lowerBound
    for place in run.dropFirst() where signs.contains(text[place - 1]) {
      guard text[place] != 0x20, !signs.contains(text[place]) else { continue }
      parts.append(start..<place)
      start = place
    }
    return parts + [start..<run.upperBound]
  }

  private static let signs = Set("([{,;:=&|+*/\\?>.".utf8)

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  private struct Attributes {
    var style: Style
    var code: [Range<Int>]
    var hidden: Range<Int>?
    /// The parts of the text in which no line may end, in bytes.
    var solid: [Range<Int>]
  }

  private func setAttributes() {
    let style = attributes.style
    let list = pango_attr_list_new()
    func add(_ attribute: UnsafeMutablePointer<PangoAttribute>?, to part: Range<Int>) {
      attribute?.pointee.start_index = UInt32(part.lowerBound)
      attribute?.pointee.end_index = UInt32(part.upperBound)
      pango_attr_list_insert(list, attribute)
    }
    pango_attr_list_insert(list, pango_attr_insert_hyphens_new(0))
    if let language = style.script.language {
      pango_attr_list_insert(
        list, pango_attr_language_new(pango_language_from_string(language)))
    }
    if style.tracking != 0 {
      let space = Int32(style.tracking * Double(PANGO_SCALE))
      pango_attr_list_insert(list, pango_attr_letter_spacing_new(space))
    }
    if let family = style.latinFamily {
      // Beside Arabic letters, Latin ones of the same font size look too large.
      let share = style.script == .arabic ? 0.88 : 1
      let size = Int32(style.size * share * Double(PANGO_SCALE))
      for part in latinParts where !attributes.code.contains(where: part.overlaps) {
        add(pango_attr_family_new(family), to: part)
        add(pango_attr_size_new_absolute(size), to: part)
      }
    }
    let size = Int32(style.codeSize * Double(PANGO_SCALE))
    for part in attributes.code {
      add(pango_attr_family_new(style.codeFamily), to: part)
      add(pango_attr_size_new_absolute(size), to: part)
      if style.tracking != 0 { add(pango_attr_letter_spacing_new(0), to: part) }
    }
    for run in attributes.solid { add(pango_attr_allow_breaks_new(0), to: run) }
    if let hidden = attributes.hidden {
      // An empty picture is drawn instead of the letters.
      var empty = PangoRectangle()
      add(pango_attr_shape_new(&empty, &empty), to: hidden)
    }
    pango_layout_set_attributes(layout, list)
    pango_attr_list_unref(list)
  }

  /// The runs of Latin letters and European digits, in bytes.
  private var latinParts: [Range<Int>] {
    var parts: [Range<Int>] = []
    var place = 0
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      let end = place + UTF8.width(scalar)
      let isLatin =
        scalar.value < 0x250
        && (scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value))
      if isLatin {
        if let last = parts.last, last.upperBound == place {
          parts[parts.count - 1] = last.lowerBound..<end
        } else {
          parts.append(place..<end)
        }
      }
      place = end
    }
    return parts
  }

  /// Breaks the text into lines of a width.
  private func wrap(_ width: Double) {
    self.width = width
    pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
    readLines()
  }

  /// Makes the lines of each paragraph about equally long. Nothing becomes wider than a line. Code,
  /// verse and words that are broken are not changed.
  ///
  /// - Parameter more: the number of lines that a single paragraph may have more than it needs, so
  ///   that they end at better places.
  func balance(more: Int) {
    guard kind == .prose, lines.count > paragraphs, !isTooWide, brokenWords == 0 else { return }
    let breaks = lineBreaks.sorted()
    let widths = characterWidths()
    var chosen: [Int] = []
    var index = 0
    while index < lines.count {
      let next = lines[(index + 1)...].firstIndex(where: \.isParagraphStart) ?? lines.count
      defer { index = next }
      guard next - index > 1 else { continue }
      let bytes = lines[index].bytes.lowerBound..<lines[next - 1].bytes.upperBound
      let inner = breaks.filter { bytes.contains($0) && $0 > bytes.lowerBound }
      let places = [bytes.lowerBound] + inner
      let letters = Letters(text, bytes)
      let words = zip(places, places.dropFirst() + [bytes.upperBound]).map { range in
        word(range.0..<range.1, widths, penalty: penalty(letters, before: range.1))
      }
      let count = next - index
      let most = paragraphs == 1 ? count + more : count
      guard let best = LineBreaks(words, width: width).best(lines: count...most) else { continue }
      chosen += best.map { places[$0] }
      // Lines end at no other place of the paragraph.
      let ends = best.map { places[$0] } + [bytes.upperBound]
      attributes.solid += zip([bytes.lowerBound] + ends, ends).map { $0..<$1 }
    }
    guard !chosen.isEmpty else { return }
    setAttributes()
    // The widest line, so that two short lines are not joined, and lines of a text from right to left
    // end at the same edge.
    let starts = Set(chosen)
    let ends = lines.map(\.bytes.upperBound)
    let places = (chosen + lines.filter(\.isParagraphStart).map(\.bytes.lowerBound)).sorted()
    let widest = zip(places, places.dropFirst() + [ends.last ?? 0]).map {
      word($0..<$1, widths, penalty: 0).shownWidth
    }.max()
    let full = width
    wrap(min(full, (widest ?? full) + 1))
    let isAsChosen = lines.allSatisfy {
      $0.isParagraphStart || starts.contains($0.bytes.lowerBound)
    }
    if !isAsChosen || isTooWide { wrap(full) }
  }

  /// Returns a part of the text between two places at which a line may end.
  private func word(
    _ bytes: Range<Int>, _ widths: [Double], penalty: Double
  ) -> LineBreaks.Word {
    var end = bytes.upperBound
    while end > bytes.lowerBound, let blank = Self.blankLength(text[bytes.lowerBound..<end]) {
      end -= blank
    }
    return LineBreaks.Word(
      width: widths[bytes].reduce(0, +), shownWidth: widths[bytes.lowerBound..<end].reduce(0, +),
      penalty: penalty)
  }

  /// The characters of a paragraph.
  private struct Letters {
    let characters: [Character]
    /// The number of the character that begins at each byte of the text.
    let numbers: [Int: Int]
    let isShortWorded: Bool

    init(_ text: [UInt8], _ bytes: Range<Int>) {
      characters = Array(String(decoding: text[bytes], as: UTF8.self))
      var place = bytes.lowerBound
      var numbers: [Int: Int] = [:]
      for (number, character) in characters.enumerated() {
        numbers[place] = number
        place += character.utf8.count
      }
      self.numbers = numbers
      isShortWorded = LineBreaks.isShortWorded(characters)
    }
  }

  /// Returns the disadvantage of a line that ends before a byte of the text.
  private func penalty(_ letters: Letters, before place: Int) -> Double {
    letters.numbers[place].map {
      LineBreaks.penalty(
        letters.characters, before: $0, attributes.style.script,
        isShortWorded: letters.isShortWorded)
    } ?? 0
  }

  /// Returns the widths of all characters in pixels at their first bytes, and 0 for other bytes.
  private func characterWidths() -> [Double] {
    var widths = [Double](repeating: 0, count: text.count)
    let width = pango_layout_get_width(layout)
    // In wrapped lines, blanks at their ends have no width.
    pango_layout_set_width(layout, -1)
    defer { pango_layout_set_width(layout, width) }
    for item in runs {
      guard let part = item.pointee.item?.pointee else { continue }
      var logical = [Int32](repeating: 0, count: Int(part.num_chars))
      text.withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          pango_glyph_item_get_logical_widths(item, $0.baseAddress, &logical)
        }
      }
      var place = Int(part.offset)
      for width in logical {
        widths[place] = Double(width) / Double(PANGO_SCALE)
        repeat { place += 1 } while place < text.count && text[place] & 0xC0 == 0x80
      }
    }
    return widths
  }

  /// The parts of the lines that have one font and direction, in visual order. They are valid until
  /// the layout changes.
  private var runs: [UnsafeMutablePointer<PangoGlyphItem>] {
    var runs: [UnsafeMutablePointer<PangoGlyphItem>] = []
    for index in 0..<pango_layout_get_line_count(layout) {
      var run = pango_layout_get_line_readonly(layout, index)?.pointee.runs
      while let node = run {
        run = node.pointee.next
        runs.append(node.pointee.data.assumingMemoryBound(to: PangoGlyphItem.self))
      }
    }
    return runs
  }

  private var isCode: Bool {
    if case .codeLine = kind { true } else { false }
  }

  /// The numbers of the shapes in the fonts, from left to right.
  var glyphs: [UInt32] {
    var glyphs: [UInt32] = []
    for item in runs {
      guard let shapes = item.pointee.glyphs?.pointee else { continue }
      glyphs += UnsafeBufferPointer(start: shapes.glyphs, count: Int(shapes.num_glyphs)).map {
        $0.glyph
      }
    }
    return glyphs
  }

  /// The number of lines that begin within a word.
  var brokenWords: Int { lines.count(where: \.isBroken) }

  /// The disadvantage of the lines, as of `LineBreaks`: 0 for lines of the same length that end
  /// where a reader pauses. That of many lines is an average.
  var flaw: Double {
    guard case .prose = kind else { return 0 }
    // A line that ends within a word of Japanese or Chinese is worse than smaller letters.
    let weight = [.japanese, .chinese].contains(attributes.style.script) ? 2.0 : 1
    var sum = 0.0
    var index = 0
    while index < lines.count {
      let next = lines[(index + 1)...].firstIndex(where: \.isParagraphStart) ?? lines.count
      defer { index = next }
      guard next - index > 1 else { continue }
      let letters = Letters(text, lines[index].bytes.lowerBound..<lines[next - 1].bytes.upperBound)
      sum += LineBreaks.cost(
        (index..<next).map { number in
          let extent = lines[number].extent
          return (
            extent.upperBound - extent.lowerBound,
            number + 1 < next
              ? penalty(letters, before: lines[number + 1].bytes.lowerBound) * weight : 0
          )
        })
    }
    return sum * min(1, Self.fewLines / Double(max(1, lines.count)))
  }

  /// The number of lines above which each line matters less.
  private static let fewLines = 6.0

  /// Whether a line is wider than the width, because nothing in it may be broken.
  var isTooWide: Bool { lines.contains(where: isTooWide) }

  private func isTooWide(_ line: Line) -> Bool {
    // Pango rounds the positions of letters. An indentation has a width too.
    let start = isCode ? 0 : line.extent.lowerBound
    return line.extent.upperBound - start > width + 1
  }

  /// The left and right edges of the code in a line, in pixels from the left edge of the layout.
  func codeExtents(_ index: Int) -> [Range<Double>] {
    let line = lines[index]
    let shift = line.shift
    return attributes.code.filter { $0.overlaps(line.bytes) }.flatMap { code in
      let part = code.clamped(to: line.bytes)
      return ranges(of: part, in: pango_layout_get_line_readonly(layout, Int32(index))).map {
        $0.lowerBound + shift..<$0.upperBound + shift
      }
    }
  }

  /// Returns the parts of a line that show a part of the text, in pixels, as Pango places the line.
  private func ranges(
    of bytes: Range<Int>, in line: UnsafeMutablePointer<PangoLayoutLine>?
  ) -> [Range<Double>] {
    var edges: UnsafeMutablePointer<Int32>?
    var count: Int32 = 0
    pango_layout_line_get_x_ranges(
      line, Int32(bytes.lowerBound), Int32(bytes.upperBound), &edges, &count)
    defer { g_free(edges) }
    guard let edges else { return [] }
    let scale = Double(PANGO_SCALE)
    return (0..<Int(count)).map {
      let (left, right) = (Double(edges[2 * $0]) / scale, Double(edges[2 * $0 + 1]) / scale)
      return left..<max(left, right)
    }
  }

  /// The number of characters that no font has.
  var unknownGlyphs: Int { Int(pango_layout_get_unknown_glyphs_count(layout)) }

  /// Whether the lines of the text are verse.
  var isVerse: Bool {
    if case .verse = kind { true } else { false }
  }

  /// The number of paragraphs.
  var paragraphs: Int { lines.count { $0.isParagraphStart } }

  /// The rectangle around the ink of a single line, relative to the start of its baseline.
  var ink: Rectangle {
    var ink = PangoRectangle()
    pango_layout_get_extents(layout, &ink, nil)
    let (scale, baseline) = (Double(PANGO_SCALE), pango_layout_get_baseline(layout))
    return Rectangle(
      x: Double(ink.x) / scale, y: Double(ink.y - baseline) / scale,
      width: Double(ink.width) / scale, height: Double(ink.height) / scale)
  }

  /// The distance in pixels by which a line moves so that it begins at the left or right edge.
  func shift(_ index: Int, toRight: Bool, within width: Double) -> Double {
    let extent = lines[index].extent
    return toRight ? width - extent.upperBound : -extent.lowerBound
  }

  /// Draws a line, with its baseline at `y`.
  func draw(_ index: Int, on canvas: Canvas, x: Double, y: Double) {
    let line = pango_layout_get_line_readonly(layout, Int32(index))
    cairo_move_to(canvas.context, x + lines[index].x, y)
    pango_cairo_show_layout_line(canvas.context, line)
    guard attributes.style.weight == .medium else { return }
    // An outline makes regular letters a bit thicker.
    cairo_move_to(canvas.context, x + lines[index].x, y)
    pango_cairo_layout_line_path(canvas.context, line)
    cairo_set_line_width(canvas.context, attributes.style.size * 0.016)
    cairo_stroke(canvas.context)
  }

  /// The first byte of each sentence except the first, in order. O(characters).
  var sentenceStarts: [Int] { places(where: cpango_is_sentence_start) }

  /// The bytes, except the first, before which Pango's analysis of the text has a property.
  private func places(where isPlace: (UnsafePointer<PangoLogAttr>) -> Int32) -> [Int] {
    var count: Int32 = 0
    guard let attributes = pango_layout_get_log_attrs_readonly(layout, &count) else { return [] }
    var places: [Int] = []
    var character = 0
    for (index, byte) in text.enumerated() where byte & 0xC0 != 0x80 {
      if character > 0, character < Int(count), isPlace(attributes + character) != 0 {
        places.append(index)
      }
      character += 1
    }
    return places
  }

  /// The bytes before which a line may begin without breaking a word. They don't depend on the
  /// width.
  private lazy var lineBreaks = Set(places(where: cpango_is_line_break))

  private func readLines() {
    lines = []
    let iterator = pango_layout_get_iter(layout)
    defer { pango_layout_iter_free(iterator) }
    let scale = Double(PANGO_SCALE)
    repeat {
      guard let line = pango_layout_iter_get_line_readonly(iterator) else { break }
      var logical = PangoRectangle()
      pango_layout_iter_get_line_extents(iterator, nil, &logical)
      let start = Int(line.pointee.start_index)
      var end = start + Int(line.pointee.length)
      while end > start, let blank = Self.blankLength(text[start..<end]) { end -= blank }
      // A mark begins at the letters, not at the indentation.
      var letters = start
      if isCode { while letters < end, text[letters] == 0x20 { letters += 1 } }
      let parts = ranges(of: letters..<max(letters, end), in: line)
      let left = parts.map(\.lowerBound).min() ?? Double(logical.x) / scale
      let right = parts.map(\.upperBound).max() ?? Double(logical.x) / scale
      let isStart = pango_layout_line_is_paragraph_start(line) != 0
      let hang = hang(of: start..<end, in: line)
      let isRightToLeft = pango_layout_line_get_resolved_direction(line) == PANGO_DIRECTION_RTL
      let shift = isRightToLeft ? hang : -hang
      lines.append(
        Line(
          bytes: start..<end, extent: left + shift..<max(left, right) + shift,
          x: Double(logical.x) / scale + shift, shift: shift, isParagraphStart: isStart,
          isBroken: !isStart && !lineBreaks.contains(start)))
    } while pango_layout_iter_next_line(iterator) != 0
  }

  /// Returns the width in pixels of the marks that begin a line, if they are in the margin. Of a mark
  /// as wide as a Han character, only the white part before it is there.
  private func hang(of bytes: Range<Int>, in line: UnsafeMutablePointer<PangoLayoutLine>) -> Double
  {
    guard attributes.style.hangsMarks, !isCode else { return 0 }
    let beginning = String(decoding: text[bytes].prefix(16), as: UTF8.self)
    var marks = beginning.prefix { Self.openingMarks.contains($0) }.prefix(2)
    // In French a blank follows the mark.
    let blanks = beginning[marks.endIndex...].prefix { $0.isWhitespace }
    marks = beginning[..<blanks.endIndex]
    guard let first = marks.first else { return 0 }
    func width(_ text: Substring) -> Double {
      let parts = ranges(of: bytes.lowerBound..<bytes.lowerBound + text.utf8.count, in: line)
      return (parts.map(\.upperBound).max() ?? 0) - (parts.map(\.lowerBound).min() ?? 0)
    }
    let firstWidth = width(marks.prefix(1))
    // With a French blank the words begin at the edge, or the marks do.
    if !blanks.isEmpty {
      let whole = width(marks)
      return whole <= attributes.style.mostHang ?? attributes.style.size ? whole : 0
    }
    // Of wide marks such as «, and of two marks, a part is in the margin.
    let most = attributes.style.mostHang ?? attributes.style.size / 2
    return firstWidth > attributes.style.size * 0.8
      ? min(firstWidth, most, bearing(of: first)) : min(most, width(marks))
  }

  /// Returns the width in pixels of the white part before a character.
  private func bearing(of character: Character) -> Double {
    let alone = pango_layout_new(pango_layout_get_context(layout))
    defer { g_object_unref(UnsafeMutableRawPointer(alone)) }
    pango_layout_set_font_description(alone, pango_layout_get_font_description(layout))
    let text = String(character)
    pango_layout_set_text(alone, text, Int32(text.utf8.count))
    if let language = attributes.style.script.language {
      let list = pango_attr_list_new()
      pango_attr_list_insert(
        list, pango_attr_language_new(pango_language_from_string(language)))
      pango_layout_set_attributes(alone, list)
      pango_attr_list_unref(list)
    }
    var ink = PangoRectangle()
    pango_layout_get_extents(alone, &ink, nil)
    return max(0, Double(ink.x) / Double(PANGO_SCALE))
  }

  /// The marks that begin a line in the margin.
  private static let openingMarks: Set<Character> = [
    "“", "„", "‟", "\"", "‘", "‚", "‛", "«", "‹", "»", "›", "”", "「", "『", "〝", "《", "〈", "（",
    "【", "［", "“",
  ]

  /// Returns the length in bytes of a blank at the end: a space, a tab, a line break, or the
  /// ideographic space. Nil if there is no blank.
  private static func blankLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    switch bytes.last {
    case 0x20, 0x09, 0x0A, 0x0D: 1
    case 0x80 where bytes.suffix(3).elementsEqual([0xE3, 0x80, 0x80]): 3
    default: nil
    }
  }
}
