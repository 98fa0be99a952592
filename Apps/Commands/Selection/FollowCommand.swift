import Actions
import ArgumentParser
import Console
import DaemonKit
import Editing
import FoundationEssentials
import MarkdownParse
import Model
import Rendering
import SystemSupport
import Workspace

/// The `follow` command, which prints and follows the target of a numbered link.
struct FollowCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Print where a numbered link leads, and go there in the line editor.",
    discussion: """
      `show` and `read` print a number after each link, and the label of a footnote where the text \
      refers to it; both can be followed. Web addresses are only printed, unless --open is given. \
      An address from `export --links` opens its document.

      Examples:
        diple follow essay.md 2
        diple follow essay.md 2 --open
      """)

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Open a web address with xdg-open.") var open = false
  @Argument(
    help: ArgumentHelp(
      "[DOC] N; in the line editor DOC may be omitted.", valueName: "link"),
    completion: .values(.document, .none))
  var words: [String]

  private struct Record: Encodable {
    @Nullable var number: Int?
    var destination: String
    var kind: String
    @Nullable var path: String?
    @Nullable var offset: TextOffset?
  }

  func run(in context: CommandContext) async throws {
    if words.count == 1, LibraryAddress.isAddress(words[0]) {
      return try await follow(words[0], context)
    }
    guard (1...2).contains(words.count), context.terminal.isInteractive || words.count == 2,
      let word = words.last, Int(word) != nil || words.count == 2
    else {
      throw UserError(
        .usage, "expected DOC and the number of a link",
        hint: "for example: \(typed: "follow", "essay.md", "2")")
    }
    let document = try await context.open(words.count == 2 ? words[0] : nil, options)
    let links = NumberedLinks(of: document.parsed)
    // The label of a footnote is used like the number of a link.
    let note = document.parsed.footnote(labelled: word).map { _ in "#fn:\(word)" }
    guard let destination = Int(word).flatMap({ links.destination(numbered: $0) }) ?? note else {
      throw UserError(
        .usage, "there is no link [\(word.sanitizedForTerminal)]",
        hint: links.entries.isEmpty
          ? "the document has no links" : "the last link is [\(links.entries.count)]")
    }
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let location = library.location
    let file = location.absolute(
      document.document?.path
        ?? DocumentPath(FileSystem.absolute(words[0])))
    let target = LinkTarget(destination, from: file)
    var record = Record(number: Int(word), destination: destination, kind: target.kind)
    switch target {
    case .address(let address):
      if open, !LinkSafety.isSafe(address, below: location.root) {
        throw UserError(
          .usage, "\(address.sanitizedForTerminal) is not opened",
          hint:
            "only http, https and mailto addresses and files below the library's folder are opened")
      }
      if open, (try? Program("xdg-open", [LinkSafety.encoded(address)]).run()) != 0 {
        throw UserError(.plugin, "xdg-open could not open \(address)")
      }
    case .heading, .note, .file:
      let place = try await library.place(ofLink: destination, in: file, of: document.document)
      record.path = place.file
      let other =
        if let path = place.file { try await context.open(path, options) } else { document }
      if let part = place.part {
        guard let range = LinkParts(other.parsed).range(of: part) else {
          throw UserError.noPart(part)
        }
        record.offset = go(to: range, in: other, context)
      }
    }
    write(record, context)
  }

  /// Goes to the target of a `diple:` address.
  private func follow(_ address: String, _ context: CommandContext) async throws {
    let found = try await context.passage(at: address, options)
    let place = try await context.open(found.document.id.description, found.options)
    var record = Record(number: nil, destination: address, kind: "diple")
    let start = try place.start(of: found)
    let location = try context.libraries.location(found.options)
    record.path = location.absolute(found.document.path)
    let range = TextRange(start, start)
    record.offset = go(to: range, in: place, context)
    write(record, context)
  }

  private func write(_ record: Record, _ context: CommandContext) {
    let place = record.path.map(context.paths.name(ofFile:)) ?? record.destination
    context.answer(options, "diple.link/1", record, plain: place.sanitizedForTerminal)
  }

  private func go(to range: TextRange, in open: OpenDocument, _ context: CommandContext)
    -> TextOffset
  {
    let units = context.units(of: open)
    context.select(Selection(caretAt: range.lowerBound, in: units), in: open, units)
    return range.lowerBound
  }
}
