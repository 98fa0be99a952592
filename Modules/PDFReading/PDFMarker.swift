import CQPDF
package import Interchange

/// Writes highlights into a PDF file with qpdf. Their passages are links in the file, which are
/// replaced by annotations.
///
/// ```swift
/// let unplaced = try PDFMarker.write(marking, into: "/tmp/plain.pdf", to: "/tmp/marked.pdf")
/// ```
package enum PDFMarker {
  /// Writes the highlights, and returns the number of those that are on no page.
  ///
  /// - Parameters:
  ///   - marking: the highlights.
  ///   - path: the absolute path of the file, which is not changed.
  ///   - output: the path of the new file.
  /// - Throws: `PDFError` if the file cannot be read or the new one not be written.
  package static func write(_ marking: PDFMarking, into path: String, to output: String)
    throws(PDFError) -> Int
  {
    var data: qpdf_data? = qpdf_init()
    defer { qpdf_cleanup(&data) }
    guard let file = data else { throw PDFError("plugin", "qpdf cannot be used") }
    qpdf_silence_errors(file)
    qpdf_set_suppress_warnings(file, 1)
    guard qpdf_read(file, path, nil) & QPDF_ERRORS == 0 else {
      throw PDFError("plugin", "\(path) is damaged, or not a PDF file: \(failure(of: file))")
    }
    var writer = AnnotationWriter(file, marking)
    for index in 0..<max(0, qpdf_get_num_pages(file)) { writer.collect(fromPage: Int(index)) }
    let unplaced = writer.finish()
    guard qpdf_init_write(file, output) & QPDF_ERRORS == 0 else {
      throw PDFError("plugin", "\(output) cannot be written: \(failure(of: file))")
    }
    qpdf_set_deterministic_ID(file, 1)
    guard qpdf_write(file) & QPDF_ERRORS == 0 else {
      throw PDFError("plugin", "\(output) cannot be written: \(failure(of: file))")
    }
    return unplaced
  }

  /// Returns qpdf's message about the last error.
  private static func failure(of file: qpdf_data) -> String {
    guard qpdf_has_error(file) != 0 else { return "unknown error" }
    return qpdf_get_error_full_text(file, qpdf_get_error(file)).map { String(cString: $0) }
      ?? "unknown error"
  }
}

/// A rectangle on a page, in points from its lower left.
private struct Box {
  var (left, bottom, right, top): (Double, Double, Double, Double)

  func union(_ other: Box) -> Box {
    Box(
      left: min(left, other.left), bottom: min(bottom, other.bottom),
      right: max(right, other.right), top: max(top, other.top))
  }

  /// Whether two boxes are in the same line of text.
  func isBeside(_ other: Box) -> Bool {
    min(top, other.top) - max(bottom, other.bottom)
      > min(top - bottom, other.top - other.bottom) / 2
  }

  var words: String {
    [left, bottom, right, top].map(PDFText.number).joined(separator: " ")
  }

  /// The corners in the order that viewers expect: the upper and then the lower ones.
  var corners: String {
    [left, top, right, top, left, bottom, right, bottom].map(PDFText.number)
      .joined(separator: " ")
  }

  /// Returns the boxes of a passage with one box for each line, from the top. Gaps as wide as the
  /// number of a footnote are closed; those between the cells of a table are wider.
  static func lines(of boxes: [Box]) -> [Box] {
    let byHeight = boxes.sorted { $0.top + $0.bottom > $1.top + $1.bottom }
    var lines: [[Box]] = []
    for box in byHeight {
      if let last = lines.last?.last, last.isBeside(box) {
        lines[lines.count - 1].append(box)
      } else {
        lines.append([box])
      }
    }
    return lines.flatMap { line in
      line.sorted { $0.left < $1.left }.reduce(into: [Box]()) { joined, box in
        if let last = joined.last, box.left - last.right < 9 {
          joined[joined.count - 1] = last.union(box)
        } else {
          joined.append(box)
        }
      }
    }
  }
}

/// Values in the notation of PDF.
private enum PDFText {
  /// Returns a number with two decimals.
  static func number(_ value: Double) -> String {
    "\((value.magnitude < 1e9 ? value * 100 : 0).rounded() / 100)"
  }

  /// Returns a text as UTF-16 in hexadecimal digits.
  static func string(_ text: String) -> String {
    "<FEFF" + text.utf16.map { hexadecimal($0, digits: 4) }.joined() + ">"
  }

  /// Returns the bytes of a text in hexadecimal digits.
  static func bytes(_ text: String) -> String {
    "<" + text.utf8.map { hexadecimal($0, digits: 2) }.joined() + ">"
  }

  private static func hexadecimal(_ value: some BinaryInteger, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// Returns the shares of red, green and blue, times a factor.
  static func color(_ color: UInt32, times factor: Double = 1) -> String {
    [color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF]
      .map { number(Double($0) / 255 * factor) }.joined(separator: " ")
  }
}

/// Collects the passages of highlights from the links of a file, and writes annotations.
private struct AnnotationWriter {
  private let file: qpdf_data
  private let marking: PDFMarking
  /// The boxes of each highlight on its pages, in page order.
  private var passages: [[(page: Int, boxes: [Box])]]
  /// The annotations of the pages on which a passage is, without its links.
  private var annotations: [Int: qpdf_oh] = [:]

  init(_ file: qpdf_data, _ marking: PDFMarking) {
    (self.file, self.marking) = (file, marking)
    passages = Array(repeating: [], count: marking.marks.count)
  }

  // MARK: - Links

  /// Reads the links of a page. Links of passages are removed.
  mutating func collect(fromPage index: Int) {
    let page = qpdf_get_page_n(file, index)
    let old = qpdf_oh_get_key(file, page, "/Annots")
    guard qpdf_oh_is_array(file, old) != 0 else { return }
    let kept = qpdf_oh_new_array(file)
    var hasPassage = false
    for place in 0..<max(0, qpdf_oh_get_array_n_items(file, old)) {
      let annotation = qpdf_oh_get_array_item(file, old, place)
      guard let address = address(of: annotation), address.hasPrefix(marking.scheme),
        let box = box(of: annotation)
      else {
        qpdf_oh_append_item(file, kept, annotation)
        continue
      }
      hasPassage = true
      let parts = address.dropFirst(marking.scheme.count).split(separator: "_")
      for number in (parts.first ?? "").split(separator: "-").compactMap({ Int($0) })
      where passages.indices.contains(number) {
        if passages[number].last?.page == index {
          passages[number][passages[number].count - 1].boxes.append(box)
        } else {
          passages[number].append((index, [box]))
        }
      }
      if let link = parts.dropFirst().first.flatMap({ Int($0) }),
        marking.links.indices.contains(link)
      {
        let target = PDFText.bytes(marking.links[link])
        let text =
          "<< /Type /Annot /Subtype /Link /Border [0 0 0] /F 4 /Rect [\(box.words)] "
          + "/A << /Type /Action /S /URI /URI \(target) >> >>"
        qpdf_oh_append_item(
          file, kept, qpdf_make_indirect_object(file, qpdf_oh_parse(file, text)))
      }
    }
    guard hasPassage else { return }
    annotations[index] = kept
    qpdf_oh_replace_key(file, page, "/Annots", kept)
  }

  /// Returns the address of a link; nil for other annotations.
  private func address(of annotation: qpdf_oh) -> String? {
    guard qpdf_oh_is_dictionary(file, annotation) != 0 else { return nil }
    let action = qpdf_oh_get_key(file, annotation, "/A")
    guard qpdf_oh_is_dictionary(file, action) != 0 else { return nil }
    let address = qpdf_oh_get_key(file, action, "/URI")
    guard qpdf_oh_is_string(file, address) != 0 else { return nil }
    return qpdf_oh_get_string_value(file, address).map { String(cString: $0) }
  }

  private func box(of annotation: qpdf_oh) -> Box? {
    let rectangle = qpdf_oh_get_key(file, annotation, "/Rect")
    guard qpdf_oh_is_array(file, rectangle) != 0, qpdf_oh_get_array_n_items(file, rectangle) == 4
    else { return nil }
    let values = (0..<4).map { index -> Double in
      let value = qpdf_oh_get_array_item(file, rectangle, Int32(index))
      return qpdf_oh_is_number(file, value) != 0 ? qpdf_oh_get_numeric_value(file, value) : 0
    }
    return Box(
      left: min(values[0], values[2]), bottom: min(values[1], values[3]),
      right: max(values[0], values[2]), top: max(values[1], values[3]))
  }

  // MARK: - Annotations

  /// Writes the annotations, and returns the number of highlights without a passage.
  func finish() -> Int {
    for (mark, pages) in zip(marking.marks, passages) {
      for (part, (page, boxes)) in pages.enumerated() {
        guard let list = annotations[page] else { continue }
        let isLast = part == pages.count - 1
        let annotation = annotation(
          mark, Box.lines(of: boxes), part: part + 1, label: isLast ? mark.label : "")
        qpdf_oh_replace_key(file, annotation, "/P", qpdf_get_page_n(file, page))
        qpdf_oh_append_item(file, list, annotation)
      }
    }
    return passages.count { $0.isEmpty }
  }

  /// Creates the annotation of a passage on one page.
  ///
  /// - Parameters:
  ///   - part: the number of the page among those of the highlight, from 1. Only the first
  ///     annotation has the note.
  ///   - label: the reference to the list of notes; empty for none.
  private func annotation(_ mark: PDFMarking.Mark, _ lines: [Box], part: Int, label: String)
    -> qpdf_oh
  {
    let last = lines[lines.count - 1]
    let labelBox = label.isEmpty ? nil : Label(label, at: last, mark.isRightToLeft)
    var frame = lines.reduce(last) { $0.union($1) }
    if let labelBox { frame = frame.union(labelBox.box) }
    var text = "<< /Type /Annot /Subtype /Highlight /F 4 /Rect [\(frame.words)] "
    text += "/QuadPoints [\(lines.map(\.corners).joined(separator: " "))] "
    text += "/C [\(PDFText.color(mark.color))] "
    text += "/NM \(PDFText.bytes(mark.id + (part > 1 ? "/\(part)" : ""))) "
    if part == 1 { text += "/Contents \(PDFText.string(mark.contents)) " }
    if !mark.author.isEmpty { text += "/T \(PDFText.string(mark.author)) " }
    if !mark.changed.isEmpty { text += "/M \(PDFText.bytes(mark.changed)) " }
    let annotation = qpdf_make_indirect_object(file, qpdf_oh_parse(file, text + ">>"))
    let appearance = qpdf_oh_new_dictionary(file)
    qpdf_oh_replace_key(
      file, appearance, "/N", self.appearance(mark, lines, labelBox, in: frame))
    qpdf_oh_replace_key(file, annotation, "/AP", appearance)
    return annotation
  }

  /// Creates the picture of an annotation, which viewers would otherwise draw in different ways.
  /// The tint is multiplied with the page, so that the text stays black.
  private func appearance(
    _ mark: PDFMarking.Mark, _ lines: [Box], _ label: Label?, in frame: Box
  ) -> qpdf_oh {
    var drawing = "q /Tint gs \(PDFText.color(mark.color)) rg "
    for line in lines {
      let size = [line.left, line.bottom, line.right - line.left, line.top - line.bottom]
      drawing += size.map(PDFText.number).joined(separator: " ") + " re "
    }
    drawing += "f Q"
    if let label {
      drawing +=
        " BT \(PDFText.color(mark.color, times: 0.35)) rg /Letter \(PDFText.number(label.size)) Tf "
        + "\(PDFText.number(label.box.left)) \(PDFText.number(label.box.bottom)) Td "
        + "\(PDFText.bytes(label.text)) Tj ET"
    }
    let stream = qpdf_oh_new_stream(file)
    let bytes = Array(drawing.utf8)
    bytes.withUnsafeBufferPointer {
      qpdf_oh_replace_stream_data(
        file, stream, $0.baseAddress, $0.count, qpdf_oh_new_null(file), qpdf_oh_new_null(file))
    }
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    let values = [
      "/Type": "/XObject", "/Subtype": "/Form", "/BBox": "[\(frame.words)]",
      "/Resources":
        "<< /ExtGState << /Tint << /Type /ExtGState /BM /Multiply >> >> "
        + (label == nil ? "" : "/Font << /Letter \(font) >> ") + ">>",
    ]
    let dictionary = qpdf_oh_get_dict(file, stream)
    for (key, value) in values {
      qpdf_oh_replace_key(file, dictionary, key, qpdf_oh_parse(file, value))
    }
    return stream
  }

  /// Letters at the end of a passage, raised like the number of a footnote.
  private struct Label {
    let text: String
    let size: Double
    let box: Box

    init(_ text: String, at end: Box, _ isRightToLeft: Bool) {
      self.text = text
      let height = end.top - end.bottom
      size = min(max(height * 0.45, 4), 7.5)
      // Lower-case letters of Helvetica are at most 0.56 of its size wide, except m and w.
      let width = size * 0.6 * Double(text.utf8.count)
      let left = isRightToLeft ? end.left - width - 0.4 : end.right + 0.4
      let bottom = end.top - size * 0.8
      box = Box(left: left, bottom: bottom, right: left + width, top: bottom + size)
    }
  }
}
