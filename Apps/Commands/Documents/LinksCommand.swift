import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Model
import Rendering
import SystemSupport
import Workspace

/// The `links` command, which lists the links of a document and the links to it.
struct LinksCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "links",
    abstract: "List a document's links, the links to it, and broken links.",
    discussion: """
      Each link is printed with its place in the source. Backlinks are links in other documents of \
      the library, with their sentences. A link is broken if there is no such file or heading, \
      if several notes have the name, or if the file is outside the library's folder. Web \
      addresses are not checked.

      --unresolved lists only broken links, of a document, of the documents below a folder, or of \
      all documents, and exits with 3 if there are some.

      Examples:
        diple links essay.md
        diple links --unresolved notes/
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var drawing: ListOptions
  @Flag(help: "List only broken links; without DOC, those of all documents.")
  var unresolved = false
  @Argument(
    help: """
      Path, title, a unique part of either, or id; in the line editor, the current document when \
      omitted.
      """,
    completion: .values(.document))
  var doc: String?

  func run(in context: CommandContext) async throws {
    var outcome = try await outcome(in: context)
    if unresolved { (outcome.report.links, outcome.report.backlinks) = ([], []) }
    context.answer(options, json: outcome.json) { write(outcome.report, context) }
    let report = outcome.report
    if unresolved, !report.unresolved.isEmpty { throw ExitCode(3) }
    if unresolved, !options.json {
      context.show(
        "no broken links in \(outcome.documents.counted("document"))")
    }
    guard !unresolved, report.links.isEmpty, report.backlinks.isEmpty, report.unresolved.isEmpty
    else { return }
    throw context.nothing("the document has no links, and no other document links to it", options)
  }

  private func outcome(in context: CommandContext) async throws -> ListLinks.Outcome {
    if unresolved, doc == nil { return try await context.perform(ListLinks(), options) }
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    if unresolved, let doc, let below = try await library.documents(below: doc) {
      return ListLinks.Outcome(
        LinkReport(unresolved: try await library.unresolvedLinks(of: below)),
        documents: below.count { $0.state == .present }, in: library.location)
    }
    // The document may be a file outside the library.
    let open = try await context.open(doc, options)
    let file =
      open.document.map { library.location.absolute($0.path) }
      ?? FileSystem.absolute(doc ?? context.selection.file ?? "")
    return ListLinks.Outcome(
      try await library.links(of: open, file: file), in: library.location)
  }

  private func write(_ report: LinkReport, _ context: CommandContext) {
    let writer = context.listWriter(options, drawing)
    func write(_ title: String, _ links: [DocumentLink], _ text: (DocumentLink) -> String) {
      if links.isEmpty { return }
      if !unresolved { writer.write(title) }
      for link in links {
        var line = writer.newLine
        line.append(
          link.document.map { writer.paths.text($0.path) } ?? (doc ?? "").sanitizedForTerminal,
          .path)
        line.append(":")
        line.append("\(link.position.line)", .position)
        line.append(":")
        line.append("\(link.position.column)", .position)
        line.append(": \(text(link))")
        writer.write(line, about: link.document.map { .place($0.id, link.position) })
      }
    }
    write("Links", report.links) { $0.listed(context.paths) }
    write("Backlinks", report.backlinks, \.excerpt)
    write("Unresolved", report.unresolved, \.complaint)
  }
}

extension DocumentLink {
  /// The words and the target, without control characters.
  func listed(_ paths: ShownPaths) -> String {
    let name =
      switch target {
      case .document(let document, let part, _)?:
        paths.name(document.path) + (part.map { "#\($0.text)" } ?? "")
      case .file(let path)?: paths.name(ofFile: path)
      case .address(let address)?: address
      case nil: destination
      }
    return (words == name || words.isEmpty ? name : "\(words) → \(name)").sanitizedForTerminal
  }

  /// The sentence, shortened so that the words of the link are visible, without control characters.
  var excerpt: String {
    guard let range = sentence.firstRange(of: words) else { return sentence.shortened }
    let start = sentence.utf16.distance(from: sentence.startIndex, to: range.lowerBound)
    return sentence.shortened(
      around: TextRange(utf16: start..<start + words.utf16.count))
  }

  /// The reason why the link is broken, with its destination, without control characters.
  var complaint: String {
    let reason = problem?.message ?? ""
    // The reason usually ends with the destination.
    let isNamed = reason.hasSuffix(": \(destination)")
    return (isNamed ? reason : "\(destination): \(reason)").sanitizedForTerminal
  }
}
