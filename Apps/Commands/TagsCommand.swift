import ArgumentParser
import Workspace

/// `tags`: the tags in use.
struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags", abstract: "List the tags of live highlights, with how many carry each.")

  @OptionGroup var options: GlobalOptions

  private struct Record: Encodable {
    var name: String
    var highlights: Int
  }

  func run() async throws {
    let session = Session.current
    let tags = try await session.library(options, .lookOnly).tags()
    if options.json {
      let records = tags.map { Record(name: $0.name, highlights: $0.count) }
      session.output.line(JSON.line(Envelope(schema: "diple.tags/1", data: records)))
    } else {
      for tag in tags { session.output.line("\(tag.count)  #\(tag.name.neutralized)") }
    }
    if tags.isEmpty { throw ExitCode(1) }
  }
}
