import ArgumentParser
import Console
import Interchange
import LibraryExchange
import Model
import SystemSupport
import Workspace

/// The option that prints a line for each highlight by a template.
struct LineFormat: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      #"Print each highlight by a template, such as '{{path}}:{{line}}\t{{quote}}'."#,
      valueName: "template"))
  var format: String?

  /// Returns the template; nil without the option.
  ///
  /// - Throws: ``UserError`` with the code `usage` and the column of an error, or if `--json` is
  ///   set, too.
  func template(_ options: GlobalOptions) throws(UserError) -> Template? {
    guard let format else { return nil }
    if options.json {
      throw UserError(.usage, "--format and --json exclude each other", hint: "omit one of them")
    }
    do throws(Template.Problem) { return try Template(line: format) } catch {
      throw UserError(.usage, "--format, \(error)")
    }
  }
}

extension CommandContext {
  /// Prints a line for each highlight that a filter matches. A terminal receives the lines without
  /// control and formatting characters.
  ///
  /// - Parameter order: the highlights to print, in this order; nil for all of them.
  /// - Returns: the number of lines.
  func writeLines(
    of filter: HighlightFilter, ordered order: [Highlight.ID]? = nil, by template: Template,
    in library: Library
  ) async throws -> Int {
    var options = ExportOptions()
    if !library.isAbsent {
      let identity = try await library.identity()
      options.link = { LibraryAddress(.highlight($0), in: identity).description }
    }
    guard terminal.output.isTerminal else {
      return try await library.writeLines(
        of: filter, in: order, by: template, to: terminal.output, options
      ).count
    }
    let (text, count) = try await library.writeLines(
      of: filter, in: order, by: template, to: "", options)
    terminal.writeData(text)
    return count
  }
}
