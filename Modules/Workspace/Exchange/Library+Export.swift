package import Interchange
package import Model
import Rendering
import Storage
package import SystemSupport

/// How highlights are written in another program's form.
package struct ExportOptions: Sendable {
  /// The address that leads back to a highlight; nil for none.
  package var link: @Sendable (Highlight.ID) -> String? = { _ in nil }
  /// The bytes of a picture that a document may show, by its destination in the text.
  package var picture: @Sendable (_ destination: String, Document) -> [UInt8]? = { _, _ in nil }
  /// What is written in place of the format's own text; nil for that.
  package var template: Template?

  /// No links, no pictures.
  package init() {}
}

extension Library {
  /// Writes the highlights that a filter lets through in another program's form, as they are read:
  /// no more than one document's are held, unless the exporter does. A form for whole documents gets
  /// the documents of the filter with all of their text, or else those that have such highlights.
  ///
  /// - Returns: the output.
  /// - Throws: `usage` for a format that there is not; what was written before another error stays.
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
    let usesSources = options.template?.usesSources ?? type(of: exporter).usesSources
    if omissions.contains(.context) { filter.detail = usesSources ? .withoutContext : .line }
    try storage {
      try store.read { [filter] transaction in
        let records = try records(filter, in: transaction, options, sources: usesSources)
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

  /// What of the highlights that a filter lets through a form has no place for, in the order of
  /// `RecordPart`. Reads until all of it was met.
  package func losses(_ filter: HighlightFilter, as omissions: [RecordPart]) throws(UserError)
    -> [RecordPart]
  {
    if omissions.isEmpty { return [] }
    let lost = try forEachRecord(filter, into: Set<RecordPart>()) { lost, record in
      lost.formUnion(omissions.filter { $0.stands(in: record) })
    }
    return RecordPart.allCases.filter(lost.contains)
  }

  /// The same records, gathered one after the other.
  ///
  /// - Parameter body: what it throws ends the list.
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

  /// The records of the highlights that a filter lets through. `finish` has to follow.
  ///
  /// - Parameter sources: whether they say what is known of the work and of the origin.
  private func records(
    _ filter: HighlightFilter, in transaction: ReadTransaction, _ options: ExportOptions,
    sources: Bool = true
  ) throws -> ExportedRecords {
    let reader = filter.trash == .only ? nil : try transaction.highlightReader(filter)
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
        ? CitedSource(self.source(of: group.document, said: group.said, group.origin))
        : CitedSource(titleIn: group.said)
    } next: {
      guard let (document, highlights) = try trashed.popFirst() ?? reader?.next() else {
        return nil
      }
      let source = try transaction.source(of: document.id)
      let origin = sources ? try transaction.firstOrigin(of: document.id) : nil
      return ExportedRecords.Group(
        document: document, highlights: highlights, said: source, origin: origin)
    }
  }
}

/// Takes text on its way to a file or pipe, from where it may be shown by anything: control characters but
/// line ends and tabs become the visible signs that lists show for them; those beyond ASCII, which have
/// none, U+FFFD, and in JSON an escape.
struct InertOutput<Base: TextOutputStream & Sendable>: TextOutputStream, Sendable {
  /// Where it goes.
  private(set) var base: Base
  private let isJSON: Bool

  /// - Parameter isJSON: whether texts stand in strings of JSON.
  init(_ base: Base, isJSON: Bool = false) { (self.base, self.isJSON) = (base, isJSON) }

  mutating func write(_ text: String) {
    var whole = text
    let isPlain = whole.withUTF8 { bytes in
      // 0xC2 begins those beyond ASCII, and some letters.
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
      // The end of a line as spreadsheets have it.
      let isLineEnd = scalar == "\r" && rest.first == "\n"
      let isRaw = scalar.value < 0x20 && scalar != "\n" && scalar != "\t" && !isLineEnd
      switch scalar.value {
      case _ where isRaw: result.append(Unicode.Scalar(0x2400 + scalar.value)!)
      case 0x7F...0x9F where isJSON:
        result += "\\u00\(String(scalar.value, radix: 16))".unicodeScalars
      case 0x7F: result.append("\u{2421}")
      case 0x80...0x9F: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    base.write(String(result))
  }
}
