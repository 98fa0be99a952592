import Actions
package import Model

/// Prints an envelope with a list of highlights in parts, without holding the whole list in memory.
package struct EnvelopeWriter: Sendable {
  private let schema: StaticString
  private let output: Output
  private var isEmpty = true

  /// Prints the beginning of the envelope.
  package init(schema: StaticString, to output: Output) {
    (self.schema, self.output) = (schema, output)
    output.write(#"{"data":["#)
  }

  /// Prints more highlights of a document.
  package mutating func add(_ highlights: ArraySlice<Highlight>, in document: Document) {
    var writer = JSONWriter()
    HighlightRecord.DocumentReference(document).write(to: &writer)
    let reference = writer.withBytes { Array($0) }
    writer.removeAll()
    for highlight in highlights {
      if !isEmpty { output.write(",") }
      isEmpty = false
      HighlightRecord(highlight, in: document, withOrigin: false)
        .write(to: &writer, document: reference, origin: highlight.origin)
      writer.withBytes(output.write)
      writer.removeAll()
    }
  }

  /// Prints the end of the envelope and a line feed.
  package func end() {
    var writer = JSONWriter()
    writer.end("]")
    writer.key("schema")
    writer.value("\(schema)")
    writer.end("}")
    writer.withBytes(output.write)
    output.line()
  }
}
