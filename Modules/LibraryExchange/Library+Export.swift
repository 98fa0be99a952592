package import Interchange
package import Model
import Rendering
import RichMarkdown
import Storage
package import SystemSupport
package import Workspace

/// The options for exporting highlights.
package struct ExportOptions: Sendable {
  /// Returns the address of a highlight; nil to write no address.
  package var link: @Sendable (Highlight.ID) -> String? = { _ in nil }
  /// Returns the bytes of a picture in a document by its destination in the text; nil to omit the
  /// picture.
  package var picture: @Sendable (_ destination: String, Document) -> [UInt8]? = { _, _ in nil }
  /// A template that replaces the format's own output; nil to use the format.
  package var template: Template?

  /// Creates options without links, pictures and template.
  package init() {}
}

extension Library {
  /// Exports the highlights that match a filter while it reads them. Unless the exporter collects
  /// them, only the highlights of one document are in memory.
  ///
  /// A format for whole documents exports the filter's documents with their complete text. If the
  /// filter names no documents, it exports all documents with matching highlights. The documents
  /// are in the order of the filter, or else in that of their paths.
  ///
  /// - Returns: the output.
  /// - Throws: `usage` if the format is unknown or the template is invalid, `plugin` if the
  ///   exporter fails. Output that was written before the error remains.
  package func export<Output: TextOutputStream & Sendable>(
    _ filter: HighlightFilter, as format: String, to output: Output,
    _ options: ExportOptions = ExportOptions()
  ) throws(UserError) -> Output {
    let exporter: any Exporter
    do { exporter = try plugins.exporters.strategy(format) } catch {
      throw UserError(.usage, error.description)
    }
    var output = InertOutput(output, isJSON: ["json", "w3c", "hypothesis"].contains(format))
    if options.template == nil, let exporter = exporter as? any DocumentExporter {
      return try exportDocuments(filter, by: exporter, to: output, options).base
    }
    var filter = filter
    let omissions = options.template?.omissions ?? type(of: exporter).omissions
    let usesSources = options.template?.usesSources ?? true
    if omissions.contains(.context) { filter.detail = usesSources ? .withoutContext : .line }
    try storage {
      try store.read { [filter] transaction in
        let records = try records(
          filter, in: transaction, options, sources: usesSources, inOrder: true)
        defer { records.finish() }
        if let template = options.template {
          do throws(Template.Problem) { try template.render(records, to: &output) } catch {
            throw UserError(.usage, "the template: \(error)")
          }
        } else {
          do throws(StrategyError) { try exporter.export(records, to: &output) } catch {
            throw UserError(.plugin, error.description)
          }
        }
        if let failure = records.failure { throw failure }
      }
    }
    return output.base
  }

  /// Writes a line for each of some highlights by a template of `Template.init(line:)`.
  ///
  /// - Parameters:
  ///   - filter: the highlights. They are written in its order while they are read.
  ///   - order: the highlights to write, in this order, of those that match; nil to write all.
  ///   - template: the template.
  ///   - output: receives the lines, without control characters.
  ///   - options: the links of the records.
  /// - Returns: the output and the number of lines.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func writeLines<Output: TextOutputStream & Sendable>(
    of filter: HighlightFilter, in order: [Highlight.ID]? = nil, by template: Template,
    to output: Output, _ options: ExportOptions = ExportOptions()
  ) throws(UserError) -> (output: Output, count: Int) {
    var filter = filter
    if template.omissions.contains(.context) { filter.detail = .withoutContext }
    let inert = InertOutput(output)
    guard let order else {
      let written = try forEachRecord(filter, into: (inert, 0), options) { written, record in
        written.1 += 1
        template.writeLine(record, number: written.1, to: &written.0)
      }
      return (written.0.base, written.1)
    }
    let wanted = Dictionary(
      order.enumerated().map { ("urn:diple:\($1)", $0) }, uniquingKeysWith: { first, _ in first })
    let found = try forEachRecord(filter, into: [Int: AnnotationRecord](), options) {
      if let place = wanted[$1.id] { $0[place] = $1 }
    }
    var result = inert
    for (index, record) in order.indices.compactMap({ found[$0] }).enumerated() {
      template.writeLine(record, number: index + 1, to: &result)
    }
    return (result.base, found.count)
  }

  /// Returns the parts of the matching highlights that a format omits, in the order of
  /// `RecordPart`. Stops reading as soon as all omitted parts have been found.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func losses(_ filter: HighlightFilter, as omissions: [RecordPart]) throws(UserError)
    -> [RecordPart]
  {
    if omissions.isEmpty { return [] }
    let lost = try forEachRecord(filter, into: Set<RecordPart>()) { lost, record in
      lost.formUnion(omissions.filter { $0.applies(in: record) })
    }
    return RecordPart.allCases.filter(lost.contains)
  }

  /// Reads the records of the matching highlights, as an export does, and collects a result from
  /// them.
  ///
  /// - Parameters:
  ///   - filter: the highlights to read.
  ///   - result: the initial result.
  ///   - options: the links and pictures of the records.
  ///   - body: adds a record to the result. If it throws, no more records are read.
  /// - Throws: the error of `body`, as `conflict` unless it is a `UserError`; `damaged` or
  ///   `conflict` if the library cannot be read.
  package func forEachRecord<Result: Sendable>(
    _ filter: HighlightFilter, into result: Result, _ options: ExportOptions = ExportOptions(),
    _ body: @Sendable (inout Result, AnnotationRecord) throws -> Void
  ) throws(UserError) -> Result {
    try storage {
      try store.read { transaction in
        var result = result
        let records = try records(filter, in: transaction, options)
        defer { records.finish() }
        for record in records { try body(&result, record) }
        if let failure = records.failure { throw failure }
        return result
      }
    }
  }

  /// Returns the records of matching highlights. The caller must call `finish`.
  ///
  /// - Parameters:
  ///   - filter: the highlights to read.
  ///   - transaction: reads the highlights, also from another thread.
  ///   - options: the links of the records.
  ///   - sources: whether the records contain bibliographic sources and origins.
  ///   - inOrder: whether the documents are in the order of the filter instead of that of their
  ///     paths.
  private func records(
    _ filter: HighlightFilter, in transaction: ReadTransaction, _ options: ExportOptions,
    sources: Bool = true, inOrder: Bool = false
  ) throws -> ExportedRecords {
    var filters = [filter]
    if inOrder, let documents = filter.documents {
      var seen: Set<Document.ID> = []
      filters = documents.filter { seen.insert($0).inserted }.map { id in
        var filter = filter
        filter.documents = [id]
        return filter
      }
    }
    if filter.trash == .only { filters = [] }
    var rest = filters[...]
    var reader: HighlightReader?
    func nextGroup() throws -> (Document, [Highlight])? {
      while true {
        if let group = try reader?.next() { return group }
        guard let filter = rest.popFirst() else { return nil }
        reader = try transaction.highlightReader(filter)
      }
    }
    var trashed =
      filter.trash == .only
      ? try transaction.trashed(filter).compactMap { highlight in
        try transaction.document(highlight.document).map { ($0, [highlight]) }
      }[...] : []
    return ExportedRecords(
      labels: try transaction.labels(), link: { options.link($0.id) }
    ) {
      self.withUnsaved($0)
    } source: { group in
      sources
        ? CitedSource(
          self.source(of: group.document, userSource: group.userSource, group.imported),
          titled: group.document.title)
        : CitedSource(titleIn: group.userSource, of: group.document, group.imported)
    } next: {
      guard let (document, highlights) = try trashed.popFirst() ?? nextGroup() else {
        return nil
      }
      let source = try transaction.source(of: document.id)
      let imported =
        sources || document.title.hasPrefix(DocumentTitle.ofQuotes(from: ""))
        ? try transaction.worksImported(into: document.id) : []
      return ExportedRecords.Group(
        document: document,
        highlights: filter.trash == .only
          ? highlights
          : try self.withCurrentText(highlights, of: document.id, in: transaction),
        note: try transaction.note(of: document.id)?.markdown ?? "", userSource: source,
        imported: imported)
    }
  }
}

/// A text stream that replaces control characters, because any program may display the output and
/// react to them.
///
/// Line ends and tabs are passed on. Other ASCII control characters become their visible symbols,
/// such as `␛`, and control characters beyond ASCII become U+FFFD. In JSON, DEL and the control
/// characters beyond ASCII become escapes.
struct InertOutput<Base: TextOutputStream & Sendable>: TextOutputStream, Sendable {
  /// The stream that receives the text.
  private(set) var base: Base
  private let isJSON: Bool

  /// Creates a stream that passes the text to another one.
  ///
  /// - Parameters:
  ///   - base: the stream that receives the text.
  ///   - isJSON: whether the text is JSON.
  init(_ base: Base, isJSON: Bool = false) { (self.base, self.isJSON) = (base, isJSON) }

  mutating func write(_ text: String) {
    var whole = text
    let isPlain = whole.withUTF8 { bytes in
      // 0xC2 is the first byte of control characters beyond ASCII, and of some letters.
      var before: UInt8 = 0
      for byte in bytes {
        if byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F { return false }
        if before == 0xC2, byte < 0xA0 { return false }
        before = byte
      }
      return true
    }
    if isPlain { return base.write(text) }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      // CR LF is the line end of tables for spreadsheets.
      let isLineEnd = scalar == "\r" && rest.first == "\n"
      let isRaw = scalar == "\r" && !isLineEnd
      switch scalar.value {
      case 0x0D where isRaw: result.append("\u{240D}")
      case 0x7F...0x9F where isJSON:
        result += "\\u00\(String(scalar.value, radix: 16))".unicodeScalars
      case ..<0xA0:
        let symbol = ControlCharacters.symbol(for: UInt16(scalar.value)).flatMap(
          Unicode.Scalar.init)
        result.append(symbol ?? scalar)
      default: result.append(scalar)
      }
    }
    base.write(String(result))
  }
}
