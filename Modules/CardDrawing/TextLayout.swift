import CPango

/// A text that Pango broke into lines of a width, in one font and size.
final class TextLayout {
  struct Line {
    /// The bytes of the text, without blanks at the end.
    var bytes: Range<Int>
    /// The left and right edge of the letters, in pixels from the left edge of the layout.
    var extent: Range<Double>
    /// The x coordinate at which Pango draws the line.
    var x: Double
    var isParagraphStart: Bool
  }

  private let layout: OpaquePointer
  private let text: [UInt8]
  private(set) var lines: [Line] = []

  /// - Parameters:
  ///   - family: font families, the preferred first, separated by commas.
  ///   - size: the font size in pixels.
  ///   - width: the maximum width of a line in pixels.
  init(
    _ text: String, on canvas: Canvas, family: String, size: Double, width: Double,
    isBold: Bool = false
  ) {
    self.text = Array(text.utf8)
    layout = pango_cairo_create_layout(canvas.context)
    let font = pango_font_description_new()
    pango_font_description_set_family(font, family)
    pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
    pango_font_description_set_weight(font, isBold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL)
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    pango_layout_set_auto_dir(layout, 1)
    self.text.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        pango_layout_set_text(layout, $0.baseAddress, Int32($0.count))
      }
    }
    readLines()
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  /// Whether the first line runs from right to left, by its first character with a direction.
  var isRightToLeft: Bool {
    guard let line = pango_layout_get_line_readonly(layout, 0) else { return false }
    return pango_layout_line_get_resolved_direction(line) == PANGO_DIRECTION_RTL
  }

  /// The number of characters that no font has.
  var unknownGlyphs: Int { Int(pango_layout_get_unknown_glyphs_count(layout)) }

  /// The number of paragraphs.
  var paragraphs: Int { lines.count { $0.isParagraphStart } }

  /// Draws some lines.
  ///
  /// - Parameter baseline: returns the y coordinate of a line's baseline by its number.
  func draw(_ part: Range<Int>, on canvas: Canvas, x: Double, baseline: (Int) -> Double) {
    for index in part {
      cairo_move_to(canvas.context, x + lines[index].x, baseline(index))
      pango_cairo_show_layout_line(
        canvas.context, pango_layout_get_line_readonly(layout, Int32(index)))
    }
  }

  /// The first byte of each sentence except the first, in order. O(characters).
  var sentenceStarts: [Int] {
    var count: Int32 = 0
    guard let attributes = pango_layout_get_log_attrs_readonly(layout, &count) else { return [] }
    var starts: [Int] = []
    var character = 0
    for (index, byte) in text.enumerated() where byte & 0xC0 != 0x80 {
      if character > 0, character < Int(count),
        cpango_is_sentence_start(attributes + character) != 0
      {
        starts.append(index)
      }
      character += 1
    }
    return starts
  }

  private func readLines() {
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
      var ranges: UnsafeMutablePointer<Int32>?
      var count: Int32 = 0
      pango_layout_line_get_x_ranges(line, Int32(start), Int32(end), &ranges, &count)
      let edges = Array(
        UnsafeBufferPointer(start: ranges, count: ranges == nil ? 0 : Int(count) * 2))
      g_free(ranges)
      let left = Double(edges.min() ?? logical.x) / scale
      let right = Double(edges.max() ?? logical.x) / scale
      lines.append(
        Line(
          bytes: start..<end, extent: left..<max(left, right), x: Double(logical.x) / scale,
          isParagraphStart: pango_layout_line_is_paragraph_start(line) != 0))
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
