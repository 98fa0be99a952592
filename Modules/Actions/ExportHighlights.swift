package import Interchange
import LibraryExchange
package import Model
import Search
import SystemSupport
package import Workspace

/// Exports highlights in another format.
package struct ExportHighlights: Action {
  package static let name = "highlight.export"
  package static let summary = "Exports highlights in another format."
  package static let effect = ActionEffect.reads
  package static let parameters =
    ActionParameter.filters + [
      .filter,
      ActionParameter("to", .text, "The export format; markdown when omitted."),
      ActionParameter(
        "template", .text, "A template for the Markdown, instead of the standard one."),
      ActionParameter(
        "failOnLoss", .flag, "Fails if the format would omit something of these highlights."),
    ]
  package static let examples = [
    ExportHighlights(
      ListHighlights(
        documents: [.example], colors: [.green], tags: ["todo"], states: [.exact],
        since: "2026-01-31T12:00:00Z", filter: "-#old"),
      to: "markdown", template: "{{#highlights}}{{quote}}{{/highlights}}", failOnLoss: true)
  ]

  package var documents: [Document.ID]?
  package var colors: [HighlightColor]?
  package var tags: [String]?
  package var states: [AnchorState]?
  package var since: String?
  package var filter: String?
  package var to: String?
  package var template: String?
  package var failOnLoss: Bool?

  /// Creates the action for the highlights that match the filters of a list.
  package init(
    _ list: ListHighlights, to format: String? = nil, template: String? = nil,
    failOnLoss: Bool? = nil
  ) {
    (documents, colors, tags) = (list.documents, list.colors, list.tags)
    (states, since, filter) = (list.states, list.since, list.filter)
    (to, self.template, self.failOnLoss) = (format, template, failOnLoss)
  }

  package struct Outcome: ActionOutcome {
    package var format: String
    package var text: String

    /// The record `diple.export/1`.
    package struct Record: Encodable {
      var form: String
      @Nullable var output: String?
      @Nullable var text: String?

      /// Creates the record of an export. Either `output`, the file, or `text` is set.
      package init(form: String, output: String?, text: String?) {
        (self.form, self.output, self.text) = (form, output, text)
      }
    }

    package var json: String {
      JSON.line("diple.export/1", Record(form: format, output: nil, text: text))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let format = try format(in: session.library.plugins)
    var options = ExportOptions()
    if let template {
      do throws(Template.Problem) { options.template = try Template(template) } catch {
        throw UserError(.usage, "the template: \(error)").about("template")
      }
    }
    let list = ListHighlights(
      documents: documents, colors: colors, tags: tags, states: states, since: since,
      filter: filter)
    _ = try await list.checkFiles(in: session)
    let selected = try await list.selected(in: session.library)
    if failOnLoss == true {
      try await Self.requireNoLoss(
        selected, options.template?.omissions ?? format.omissions, format.id, in: session.library)
    }
    return Outcome(
      format: format.id,
      text: try await session.library.export(selected, as: format.id, to: "", options))
  }

  /// Returns the exporter's id and the parts of a highlight that it omits.
  ///
  /// - Throws: `usage` if the format is unknown, or if there is a template and the format is not
  ///   Markdown.
  private func format(in plugins: PluginSet) throws(UserError) -> (
    id: String, omissions: [RecordPart]
  ) {
    let id = to ?? "markdown"
    guard template == nil || id == "markdown" else {
      throw UserError(.usage, "only the format markdown can have a template").about("template")
    }
    do { return (id, type(of: try plugins.exporters.strategy(id)).omissions) } catch {
      throw UserError(unknown: error).about("to")
    }
  }

  /// Checks that a format omits nothing from the matching highlights.
  ///
  /// - Throws: `incomplete` if it omits something; the errors of reading the library.
  package static func requireNoLoss(
    _ wanted: HighlightFilter, _ omissions: [RecordPart], _ format: String, in library: Library
  ) async throws {
    let lost = try await library.losses(wanted, as: omissions)
    guard lost.isEmpty else {
      throw UserError(
        .incomplete,
        "nothing was written: \(format) would omit \(lost.map(\.rawValue).joined(separator: ", "))",
        hint: "--to json omits nothing")
    }
  }
}
