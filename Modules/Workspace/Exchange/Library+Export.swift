import Interchange
package import Model
import Storage
package import SystemSupport

extension Library {
  /// The highlights that a filter lets through, in another program's form.
  ///
  /// - Throws: `usage` for a format that there is not.
  package func export(_ filter: HighlightFilter, as format: String) throws(UserError) -> String {
    let exporter: any Exporter
    do { exporter = try plugins.exporters.strategy(format) } catch {
      throw UserError(.usage, error.description)
    }
    let documents = Dictionary(
      uniqueKeysWithValues: try documents().map { ($0.id, $0) })
    let records = try highlights(filter).compactMap { highlight -> AnnotationRecord? in
      documents[highlight.document].map { AnnotationRecord(highlight, in: $0) }
    }
    var output = ""
    do { try exporter.export(records, to: &output) } catch {
      throw UserError(.plugin, error.description)
    }
    return output
  }
}

extension AnnotationRecord {
  /// A highlight as other programs get it.
  init(_ highlight: Highlight, in document: Document) {
    self.init(
      id: "urn:diple:\(highlight.id)", quote: highlight.selector.exact,
      prefix: highlight.selector.prefix, suffix: highlight.selector.suffix,
      position: highlight.anchor.range.map { .utf16($0) }, source: document.path.string,
      title: document.title, color: highlight.color, note: highlight.note, tags: highlight.tags,
      created: highlight.created, updated: highlight.updated)
  }
}
