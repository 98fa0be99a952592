import MarkdownParse
package import Model
package import Workspace

/// Lists the headings of a document.
package struct DocumentOutline: Action {
  package static let name = "document.outline"
  package static let summary = "Lists the headings of a document, with their lines."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.document]
  package static let examples = [DocumentOutline(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package struct Outcome: ActionOutcome {
    /// A heading, an element of `diple.outline/1`.
    package struct Heading: Encodable, Sendable {
      package var level: Int
      package var text: String
      package var line: Int
      package var range: TextRange
    }

    package var headings: [Heading]

    package init(of open: OpenDocument) {
      let lines = open.parsed.sourceLines
      headings = open.parsed.blocks.compactMap { block in
        guard case .heading(let level) = block.kind else { return nil }
        return Heading(
          level: level, text: open.parsed.text.substring(block.text),
          line: lines.position(of: block.source.bytes.lowerBound).line, range: block.text)
      }
    }

    package var json: String { JSON.line("diple.outline/1", headings) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(of: try await session.library.open(session.document(document)))
  }
}
