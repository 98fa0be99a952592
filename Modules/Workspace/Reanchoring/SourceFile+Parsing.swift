package import Files
package import MarkdownParse

extension ParsedDocument {
  /// The document that a file holds. O(bytes).
  package init(parsing file: SourceFile) { self.init(parsing: MarkdownSource(file.bytes)) }
}
