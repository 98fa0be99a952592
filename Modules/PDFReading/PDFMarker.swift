import CPoppler
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
    guard let file = data, open(path, as: file) else {
      throw PDFError("plugin", "\(path) is damaged, or not a PDF file")
    }
    let text = try PDFReader.open(path)
    defer { g_object_unref(UnsafeMutableRawPointer(text)) }
    var writer = AnnotationWriter(file, marking)
    for index in 0..<max(0, qpdf_get_num_pages(file)) { writer.collect(fromPage: Int(index)) }
    let unplaced = writer.finish(text)
    guard qpdf_init_write(file, output) & QPDF_ERRORS == 0 else {
      throw PDFError("plugin", "\(output) cannot be written: \(failure(of: file))")
    }
    qpdf_set_deterministic_ID(file, 1)
    guard qpdf_write(file) & QPDF_ERRORS == 0 else {
      throw PDFError("plugin", "\(output) cannot be written: \(failure(of: file))")
    }
    return unplaced
  }

  /// Returns the highlights that Diple wrote into a file, by the names of their annotations. Empty
  /// if qpdf cannot read the file.
  static func originals(in path: String) -> [String: PDFAnnotationList.Original] {
    var data: qpdf_data? = qpdf_init()
    defer { qpdf_cleanup(&data) }
    guard let file = data, open(path, as: file) else { return [:] }
    var found: [String: PDFAnnotationList.Original] = [:]
    for index in 0..<max(0, qpdf_get_num_pages(file)) {
      let list = qpdf_oh_get_key(file, qpdf_get_page_n(file, Int(index)), "/Annots")
      guard qpdf_oh_is_array(file, list) != 0 else { continue }
      for place in 0..<max(0, qpdf_oh_get_array_n_items(file, list)) {
        let annotation = qpdf_oh_get_array_item(file, list, place)
        guard qpdf_oh_is_dictionary(file, annotation) != 0 else { continue }
        let values = qpdf_oh_get_key(file, annotation, originalKey)
        let name = text(of: annotation, "/NM", in: file)
        guard qpdf_oh_is_dictionary(file, values) != 0, name.hasPrefix(PDFMarking.names),
          found.count < PDFAnnotationList.mostAnnotations
        else { continue }
        found[name] = PDFAnnotationList.Original(
          quote: text(of: values, "/Quote", in: file),
          prefix: text(of: values, "/Prefix", in: file),
          suffix: text(of: values, "/Suffix", in: file),
          note: text(of: values, "/Note", in: file),
          color: text(of: values, "/Color", in: file))
      }
    }
    return found
  }

  /// The key of the annotation's entry with the highlight as Diple wrote it. The first letters are
  /// those that PDF reserves for private keys.
  fileprivate static let originalKey = "/XXDiple"

  /// Opens a file. Its damaged parts are ignored.
  private static func open(_ path: String, as file: qpdf_data) -> Bool {
    qpdf_silence_errors(file)
    qpdf_set_suppress_warnings(file, 1)
    return qpdf_read(file, path, nil) & QPDF_ERRORS == 0
  }

  /// Returns a text of a dictionary without control characters; empty if it has none.
  private static func text(of dictionary: qpdf_oh, _ key: String, in file: qpdf_data) -> String {
    let value = qpdf_oh_get_key(file, dictionary, key)
    guard qpdf_oh_is_string(file, value) != 0, let text = qpdf_oh_get_utf8_value(file, value) else {
      return ""
    }
    return PDFReader.cleaned(String(cString: text))
  }

  /// Returns qpdf's message about the last error.
  private static func failure(of file: qpdf_data) -> String {
    guard qpdf_has_error(file) != 0 else { return "unknown error" }
    return qpdf_get_error_full_text(file, qpdf_get_error(file)).map { String(cString: $0) }
      ?? "unknown error"
  }
}

/// Values in the notation of PDF.
enum PDFText {
  /// Returns a number with two decimals.
  static func number(_ value: Double) -> String {
    "\((value.magnitude < 1e9 ? value * 100 : 0).rounded() / 100)"
  }

  /// Returns a share of a colour, between 0 and 1, with so many decimals that the value of eight
  /// bits is exact.
  private static func share(_ value: Double) -> String { "\((value * 10_000).rounded() / 10_000)" }

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
      .map { share(max(0.001, Double($0) / 255 * factor)) }.joined(separator: " ")
  }
}

/// Collects the passages of highlights from the links of a file, and writes annotations.
private struct AnnotationWriter {
  private let file: qpdf_data
  private let marking: PDFMarking
  /// The font of the references to the list of notes.
  private let font: qpdf_oh
  /// The boxes of each highlight on its pages, in page order.
  private var passages: [[(page: Int, boxes: [PageBox])]]
  /// The annotations of the pages on which a passage is, without its links.
  private var annotations: [Int: qpdf_oh] = [:]

  init(_ file: qpdf_data, _ marking: PDFMarking) {
    (self.file, self.marking) = (file, marking)
    passages = Array(repeating: [], count: marking.marks.count)
    font = qpdf_make_indirect_object(
      file,
      qpdf_oh_parse(
        file,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"))
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

  private func box(of annotation: qpdf_oh) -> PageBox? {
    let rectangle = qpdf_oh_get_key(file, annotation, "/Rect")
    guard qpdf_oh_is_array(file, rectangle) != 0, qpdf_oh_get_array_n_items(file, rectangle) == 4
    else { return nil }
    let values = (0..<4).map { index -> Double in
      let value = qpdf_oh_get_array_item(file, rectangle, Int32(index))
      return qpdf_oh_is_number(file, value) != 0 ? qpdf_oh_get_numeric_value(file, value) : 0
    }
    return PageBox(
      left: min(values[0], values[2]), bottom: min(values[1], values[3]),
      right: max(values[0], values[2]), top: max(values[1], values[3]))
  }

  // MARK: - Annotations

  /// Writes the annotations, and returns the number of highlights without a passage.
  ///
  /// - Parameter text: the file as Poppler reads it.
  func finish(_ text: OpaquePointer) -> Int {
    var parts: [Int: [(mark: Int, part: Int)]] = [:]
    for (mark, pages) in passages.enumerated() {
      for (part, passage) in pages.enumerated() {
        parts[passage.page, default: []].append((mark, part))
      }
    }
    for (index, marks) in parts.sorted(by: { $0.key < $1.key }) {
      guard let list = annotations[index] else { continue }
      let page = poppler_document_get_page(text, Int32(index))
      let content = page.map { PageContent($0) }
      if let page { g_object_unref(UnsafeMutableRawPointer(page)) }
      for (number, part) in marks {
        let mark = marking.marks[number]
        let boxes = passages[number][part].boxes
        // The links of lines that are wrapped end at the margin.
        let tight = boxes.compactMap { content?.tightened($0) }
        let lines = PageBox.lines(of: tight.isEmpty ? boxes : tight)
        var label: Label?
        if part == passages[number].count - 1, !mark.label.isEmpty {
          label = Label(mark.label, at: lines.last!, mark.isRightToLeft)
        }
        let annotation = annotation(mark, lines, part: part + 1, label)
        qpdf_oh_replace_key(file, annotation, "/P", qpdf_get_page_n(file, index))
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
  ///   - label: the reference to the list of notes; nil for none.
  private func annotation(_ mark: PDFMarking.Mark, _ lines: [PageBox], part: Int, _ label: Label?)
    -> qpdf_oh
  {
    var frame = lines.dropFirst().reduce(lines[0]) { $0.union($1) }
    if let label { frame = frame.union(label.box) }
    var text = "<< /Type /Annot /Subtype /Highlight /F 4 /Rect [\(frame.words)] "
    text += "/QuadPoints [\(lines.map(\.corners).joined(separator: " "))] "
    text += "/C [\(PDFText.color(mark.color))] "
    text += "/NM \(PDFText.bytes(mark.id + (part > 1 ? "/\(part)" : ""))) "
    if part == 1 {
      let color = String(0x1000000 | mark.color, radix: 16).dropFirst()
      text += "/Contents \(PDFText.string(mark.contents)) "
      text += "\(PDFMarker.originalKey) << /Quote \(PDFText.string(mark.quote)) "
      text += "/Prefix \(PDFText.string(mark.prefix)) /Suffix \(PDFText.string(mark.suffix)) "
      text += "/Note \(PDFText.string(mark.contents)) /Color \(PDFText.bytes("#" + color)) >> "
    }
    if !mark.author.isEmpty { text += "/T \(PDFText.string(mark.author)) " }
    if !mark.changed.isEmpty { text += "/M \(PDFText.bytes(mark.changed)) " }
    let annotation = qpdf_make_indirect_object(file, qpdf_oh_parse(file, text + ">>"))
    let appearance = qpdf_oh_new_dictionary(file)
    qpdf_oh_replace_key(
      file, appearance, "/N", self.appearance(mark, lines, label, in: frame))
    qpdf_oh_replace_key(file, annotation, "/AP", appearance)
    return annotation
  }

  /// Creates the picture of an annotation, which viewers would otherwise draw in different ways.
  /// The tint is multiplied with the page, so that the text stays black.
  private func appearance(
    _ mark: PDFMarking.Mark, _ lines: [PageBox], _ label: Label?, in frame: PageBox
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
    let values = [
      "/Type": "/XObject", "/Subtype": "/Form", "/BBox": "[\(frame.words)]",
      "/Resources": "<< /ExtGState << /Tint << /Type /ExtGState /BM /Multiply >> >> >>",
    ]
    let dictionary = qpdf_oh_get_dict(file, stream)
    for (key, value) in values {
      qpdf_oh_replace_key(file, dictionary, key, qpdf_oh_parse(file, value))
    }
    if label != nil {
      let fonts = qpdf_oh_new_dictionary(file)
      qpdf_oh_replace_key(file, fonts, "/Letter", font)
      qpdf_oh_replace_key(file, qpdf_oh_get_key(file, dictionary, "/Resources"), "/Font", fonts)
    }
    return stream
  }

  /// Letters at the end of a passage, raised like the number of a footnote.
  private struct Label {
    let text: String
    let size: Double
    let box: PageBox

    /// - Parameter line: the last line of the passage, which a space for the letters follows.
    init(_ text: String, at line: PageBox, _ isRightToLeft: Bool) {
      self.text = text
      size = min(max((line.top - line.bottom) * 0.5, 4), 7.5)
      // Lower-case letters of Helvetica are at most 0.56 of its size wide, except m and w.
      let width = size * 0.58 * Double(text.utf8.count)
      let left = isRightToLeft ? line.left - width - 0.3 : line.right + 0.3
      let bottom = line.top - size * 0.8
      box = PageBox(left: left, bottom: bottom, right: left + width, top: bottom + size)
    }
  }
}
