import CPoppler
package import Interchange

/// Reads the annotations of a PDF file with Poppler.
///
/// ```swift
/// let list = try PDFReader.annotations(of: "/books/walden.pdf")
/// list.annotations.first?.quote  // "It is late."
/// ```
package enum PDFReader {
  /// The maximum number of pages. The annotations of further pages are not read.
  private static let mostPages = 20_000
  /// The maximum number of other annotations that are named. Further ones are counted.
  private static let mostSkipped = 1000
  /// The length of the context before and after a quote, in characters.
  private static let contextLength = 64

  /// Returns the highlighted, underlined and struck text of a file with its notes, and notes that
  /// are attached to a place.
  ///
  /// - Parameter path: an absolute path.
  /// - Throws: `PDFError` if the file is protected, damaged or not a PDF file.
  package static func annotations(of path: String) throws(PDFError) -> PDFAnnotationList {
    let document = try open(path)
    defer { g_object_unref(UnsafeMutableRawPointer(document)) }
    var list = PDFAnnotationList()
    list.title = text(poppler_document_get_title(document))
    list.author = text(poppler_document_get_author(document))
    let pages = Int(poppler_document_get_n_pages(document))
    var unnamed = 0
    for index in 0..<min(pages, mostPages) {
      guard list.annotations.count < PDFAnnotationList.mostAnnotations else {
        list.skipped.append("the annotations from page \(index + 1) of the file")
        break
      }
      guard let page = poppler_document_get_page(document, Int32(index)) else { continue }
      defer { g_object_unref(UnsafeMutableRawPointer(page)) }
      read(page, number: index + 1, into: &list, &unnamed)
    }
    if unnamed > 0 { list.skipped.append("\(unnamed) more annotations without text") }
    if pages > mostPages { list.skipped.append("the pages after page \(mostPages) of the file") }
    if list.annotations.contains(where: { $0.id.hasPrefix(PDFMarking.names) }) {
      let originals = PDFMarker.originals(in: path)
      for index in list.annotations.indices {
        list.annotations[index].original = originals[list.annotations[index].id]
      }
    }
    if !list.annotations.isEmpty {
      list.textDigest = textDigest(of: document)
      list.fileID = fileID(of: document)
    }
    return list
  }

  /// Opens a file. The caller releases the result.
  static func open(_ path: String) throws(PDFError) -> OpaquePointer {
    guard let address = g_filename_to_uri(path, nil, nil) else {
      throw PDFError("usage", "cannot read \(path)")
    }
    defer { g_free(address) }
    var failure: UnsafeMutablePointer<GError>?
    guard let document = poppler_document_new_from_file(address, nil, &failure) else {
      let isEncrypted = failure?.pointee.code == Int32(POPPLER_ERROR_ENCRYPTED.rawValue)
      g_clear_error(&failure)
      throw isEncrypted
        ? PDFError("usage", "\(path) is protected by a password, and cannot be read")
        : PDFError("usage", "\(path) is damaged, or not a PDF file")
    }
    return document
  }

  /// Returns a text of Poppler in one piece, and frees it; empty for nil.
  private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
    guard let pointer else { return "" }
    defer { g_free(pointer) }
    return cleaned(String(cString: pointer))
  }

  /// Returns a text without control characters except line feeds.
  static func cleaned(_ text: String) -> String {
    let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    return String(
      String.UnicodeScalarView(
        lines.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }))
  }

  // MARK: - Pages

  /// - Parameter unnamed: the number of other annotations that are not named in the list.
  private static func read(
    _ page: OpaquePointer, number: Int, into list: inout PDFAnnotationList, _ unnamed: inout Int
  ) {
    func skip(_ reason: @autoclosure () -> String) {
      if list.skipped.count < mostSkipped { list.skipped.append(reason()) } else { unnamed += 1 }
    }
    guard let mappings = poppler_page_get_annot_mapping(page) else { return }
    defer { poppler_page_free_annot_mapping(mappings) }
    let written = text(poppler_page_get_label(page))
    let label = written.isEmpty ? String(number) : String(written.prefix(40))
    var content: PageContent?
    var next: UnsafeMutablePointer<GList>? = mappings
    var found: [(place: Int, annotation: PDFAnnotationList.Annotation)] = []
    while let entry = next,
      list.annotations.count + found.count < PDFAnnotationList.mostAnnotations
    {
      next = entry.pointee.next
      guard
        let mapping = entry.pointee.data?.assumingMemoryBound(to: PopplerAnnotMapping.self),
        let annotation = mapping.pointee.annot
      else { continue }
      let type = poppler_annot_get_annot_type(annotation)
      let isMark = marks.contains { $0 == type }
      // Links, pop-ups and the fields of forms are not annotations of a reader.
      guard isMark || notes.contains(where: { $0 == type }) else {
        if let name = drawings.first(where: { $0.type == type })?.name {
          skip("\(name) on page \(label)")
        }
        continue
      }
      let page = content ?? PageContent(page)
      content = page
      let note = text(poppler_annot_get_contents(annotation)).trimmed
      let range =
        isMark
        ? page.range(in: quadrilaterals(of: annotation), within: mapping.pointee.area)
        : page.line(at: mapping.pointee.area)
      let quote = range.map { page.quote($0) } ?? ""
      guard !quote.isEmpty, isMark || !note.isEmpty else {
        skip("\(isMark ? "a mark without text" : "an empty note") on page \(label)")
        continue
      }
      let made = PDFAnnotationList.Annotation(
        id: text(poppler_annot_get_name(annotation)), quote: quote,
        prefix: page.text(range!.lowerBound - contextLength..<range!.lowerBound),
        suffix: page.text(range!.upperBound..<range!.upperBound + contextLength), note: note,
        color: color(of: annotation), page: label,
        changed: text(poppler_annot_get_modified(annotation)))
      found.append((range!.lowerBound, made))
    }
    list.annotations += found.sorted { $0.place < $1.place }.map(\.annotation)
  }

  private static let marks = [
    POPPLER_ANNOT_HIGHLIGHT, POPPLER_ANNOT_UNDERLINE, POPPLER_ANNOT_SQUIGGLY,
    POPPLER_ANNOT_STRIKE_OUT,
  ]
  private static let notes = [POPPLER_ANNOT_TEXT, POPPLER_ANNOT_FREE_TEXT]
  private static let drawings = [
    (type: POPPLER_ANNOT_LINE, name: "a line"), (type: POPPLER_ANNOT_SQUARE, name: "a box"),
    (type: POPPLER_ANNOT_CIRCLE, name: "a circle"),
    (type: POPPLER_ANNOT_POLYGON, name: "a polygon"),
    (type: POPPLER_ANNOT_POLY_LINE, name: "a line"), (type: POPPLER_ANNOT_STAMP, name: "a stamp"),
    (type: POPPLER_ANNOT_INK, name: "a drawing"), (type: POPPLER_ANNOT_CARET, name: "a caret"),
    (type: POPPLER_ANNOT_FILE_ATTACHMENT, name: "an attached file"),
  ]

  /// Returns the areas that a mark covers, one for each line, from the upper left of the page.
  private static func quadrilaterals(of annotation: OpaquePointer) -> [PopplerQuadrilateral] {
    guard let array = poppler_annot_text_markup_get_quadrilaterals(annotation) else { return [] }
    defer { g_array_free(array, 1) }
    guard let data = array.pointee.data else { return [] }
    return data.withMemoryRebound(
      to: PopplerQuadrilateral.self, capacity: Int(array.pointee.len)
    ) { Array(UnsafeBufferPointer(start: $0, count: Int(array.pointee.len))) }
  }

  private static func color(of annotation: OpaquePointer) -> String {
    guard let color = poppler_annot_get_color(annotation) else { return "" }
    defer { poppler_color_free(color) }
    let parts = [color.pointee.red, color.pointee.green, color.pointee.blue]
    return "#" + parts.map { (($0 >> 8) < 16 ? "0" : "") + String($0 >> 8, radix: 16) }.joined()
  }
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
