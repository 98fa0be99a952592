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
    var isBold = false
    /// The language that selects the forms of Han characters; nil for none.
    var language: String?
  }

  /// The kind of a text.
  enum Kind: Hashable {
    case prose
    /// One line of code. It runs from left to right. If it is too long, its rest is indented.
    ///
    /// - Parameter indent: the indentation of the rest in pixels.
    case codeLine(indent: Double)
  }

  struct Line {
    /// The bytes of the text, without blanks at the end.
    var bytes: Range<Int>
    /// The left and right edge of the letters, in pixels from the left edge of the layout.
    var extent: Range<Double>
    /// The x coordinate at which Pango draws the line.
    var x: Double
    var isParagraphStart: Bool
    /// Whether the line begins within a word.
    var isBroken: Bool
  }

  private let layout: OpaquePointer
  private let text: [UInt8]
  let kind: Kind
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
    self.text = Array(text.utf8)
    self.kind = kind
    layout = pango_cairo_create_layout(canvas.context)
    // Whole pixels would make the distances of letters uneven.
    pango_context_set_round_glyph_positions(pango_layout_get_context(layout), 0)
    let font = pango_font_description_new()
    pango_font_description_set_family(font, style.family)
    pango_font_description_set_absolute_size(font, style.size * Double(PANGO_SCALE))
    pango_font_description_set_weight(
      font, style.isBold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL)
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    switch kind {
    case .prose: pango_layout_set_auto_dir(layout, 1)
    case .codeLine: pango_layout_set_auto_dir(layout, 0)
    }
    // A line break within code would be read as a blank.
    let solid = code.flatMap { self.text[$0].split { $0 <= 0x20 }.map(\.indices) }
    setAttributes(style, code, hidden, solid: solid)
    self.text.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        pango_layout_set_text(layout, $0.baseAddress, Int32($0.count))
      }
    }
    wrap(width)
    if case .codeLine(let indent) = kind, lines.count > 1 {
      pango_layout_set_indent(layout, -Int32(indent * Double(PANGO_SCALE)))
      wrap(width)
    }
    guard breaksLongCode, isTooWide else { return }
    let wide = lines.filter(isTooWide).map(\.bytes)
    let narrow = solid.filter { run in !wide.contains(where: run.overlaps) }
    setAttributes(style, code, hidden, solid: narrow)
    wrap(width)
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  /// - Parameter solid: the parts of the text in which no line may end, in bytes.
  private func setAttributes(
    _ style: Style, _ code: [Range<Int>], _ hidden: Range<Int>?, solid: [Range<Int>]
  ) {
    let list = pango_attr_list_new()
    func add(_ attribute: UnsafeMutablePointer<PangoAttribute>?, to part: Range<Int>) {
      attribute?.pointee.start_index = UInt32(part.lowerBound)
      attribute?.pointee.end_index = UInt32(part.upperBound)
      pango_attr_list_insert(list, attribute)
    }
    pango_attr_list_insert(list, pango_attr_insert_hyphens_new(0))
    if let language = style.language {
      pango_attr_list_insert(
        list, pango_attr_language_new(pango_language_from_string(language)))
    }
    let size = Int32(style.codeSize * Double(PANGO_SCALE))
    for part in code {
      add(pango_attr_family_new(style.codeFamily), to: part)
      add(pango_attr_size_new_absolute(size), to: part)
    }
    for run in solid { add(pango_attr_allow_breaks_new(0), to: run) }
    if let hidden {
      // An empty picture is drawn instead of the letters.
      var empty = PangoRectangle()
      add(pango_attr_shape_new(&empty, &empty), to: hidden)
    }
    pango_layout_set_attributes(layout, list)
    pango_attr_list_unref(list)
  }

  /// Breaks the text into lines of a width.
  private func wrap(_ width: Double) {
    self.width = width
    pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
    readLines()
  }

  /// Makes the lines about equally long: the width becomes the smallest that needs no more lines
  /// and breaks no more words. Nothing becomes wider than a line. Code is not changed.
  func balance(from width: Double) {
    let (count, broken) = (lines.count, brokenWords)
    guard kind == .prose, count > paragraphs, !isTooWide else { return }
    var (tooNarrow, enough) = (width * 0.4, width)
    while enough - tooNarrow > 4 {
      let middle = (tooNarrow + enough) / 2
      wrap(middle)
      if lines.count <= count, brokenWords <= broken, !isTooWide {
        enough = middle
      } else {
        tooNarrow = middle
      }
    }
    wrap(enough)
  }

  /// The number of lines that begin within a word.
  var brokenWords: Int { lines.count(where: \.isBroken) }

  /// Whether a line is wider than the width, because nothing in it may be broken.
  var isTooWide: Bool { lines.contains(where: isTooWide) }

  private func isTooWide(_ line: Line) -> Bool {
    // Pango rounds the positions of letters.
    line.extent.upperBound - line.extent.lowerBound > width + 1
  }

  /// Whether the first line runs from right to left, by its first character with a direction.
  var isRightToLeft: Bool {
    guard let line = pango_layout_get_line_readonly(layout, 0) else { return false }
    return pango_layout_line_get_resolved_direction(line) == PANGO_DIRECTION_RTL
  }

  /// The number of characters that no font has.
  var unknownGlyphs: Int { Int(pango_layout_get_unknown_glyphs_count(layout)) }

  /// The number of paragraphs.
  private var paragraphs: Int { lines.count { $0.isParagraphStart } }

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
    cairo_move_to(canvas.context, x + lines[index].x, y)
    pango_cairo_show_layout_line(
      canvas.context, pango_layout_get_line_readonly(layout, Int32(index)))
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
      if kind != .prose { while letters < end, text[letters] == 0x20 { letters += 1 } }
      var ranges: UnsafeMutablePointer<Int32>?
      var count: Int32 = 0
      pango_layout_line_get_x_ranges(line, Int32(letters), Int32(end), &ranges, &count)
      let edges = Array(
        UnsafeBufferPointer(start: ranges, count: ranges == nil ? 0 : Int(count) * 2))
      g_free(ranges)
      let left = Double(edges.min() ?? logical.x) / scale
      let right = Double(edges.max() ?? logical.x) / scale
      let isStart = pango_layout_line_is_paragraph_start(line) != 0
      lines.append(
        Line(
          bytes: start..<end, extent: left..<max(left, right), x: Double(logical.x) / scale,
          isParagraphStart: isStart, isBroken: !isStart && !lineBreaks.contains(start)))
    } while pango_layout_iter_next_line(iterator) != 0
  }

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
