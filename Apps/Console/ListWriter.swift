import ArgumentParser
import Configuration
package import Rendering
import Workspace

/// How a command draws the lines of a list. `--color` is a highlight's there.
package struct ListOptions: ParsableArguments {
  package init() {}

  @Flag(name: .customLong("no-color"), help: "Do not use colours.")
  package var noColor = false
}

/// Writes the lines of lists: whole into a pipe, in colour and fitted to its width on a terminal.
package struct ListWriter: Sendable {
  private let output: Output
  private let columns: Int
  private let writer: ANSIWriter

  fileprivate init(_ output: Output, columns: Int, _ options: PageOptions) {
    (self.output, self.columns, writer) = (output, columns, ANSIWriter(options))
  }

  /// An empty line, to be filled and written.
  package var newLine: ListLine { ListLine(isFitted: output.isTerminal) }

  /// The most columns of a row; nil for a pipe.
  package var width: Int? { output.isTerminal ? columns : nil }

  /// Writes a line.
  package func write(_ line: ListLine) {
    guard line.isFitted else { return output.line(line.bytes) }
    var text = ""
    for row in line.rows(columns: columns) { writer.write(row, to: &text) }
    output.write(text)
  }

  /// Writes a line without accents.
  package func write(_ text: String) {
    var line = newLine
    line.append(text)
    write(line)
  }
}

extension CommandContext {
  /// A writer of lines for the standard output.
  package func listWriter(_ options: GlobalOptions, _ drawing: ListOptions? = nil) -> ListWriter {
    let color = terminal.colorMode(drawing?.noColor == true ? .never : .auto)
    var page = PageOptions(color: color)
    // A list can be read without its settings; those with a mistake only choose its colours.
    if color != .none {
      let environment = terminal.environment
      let settings = try? libraries.settings(options)
      let background =
        settings?.background(environment) ?? Background.detect(environment: environment)
      page.theme =
        (try? settings?.theme(on: background, environment: environment)) ?? .standard(background)
    }
    return ListWriter(terminal.output, columns: terminal.columns, page)
  }
}
