import ArgumentParser
import Configuration
package import Model
package import Rendering
package import Workspace

/// The options of commands that print lists. Their `--color` is the colour of a highlight.
package struct ListOptions: ParsableArguments {
  package init() {}

  @Flag(name: .customLong("no-color"), help: "Do not use colours.")
  package var noColor = false
}

/// Prints the lines of lists. On a terminal, lines are coloured and fitted to its width. Otherwise
/// they are printed in full.
package struct ListWriter: Sendable {
  private let output: Output
  private let columns: Int
  private let writer: ANSIWriter
  /// Shows the paths of documents.
  package let paths: ShownPaths

  fileprivate init(_ output: Output, columns: Int, _ options: PageOptions, _ paths: ShownPaths) {
    (self.output, self.columns, writer) = (output, columns, ANSIWriter(options))
    self.paths = paths
  }

  /// Creates an empty line.
  package var newLine: ListLine { ListLine(isFitted: output.isTerminal) }

  /// The width of a row in columns. Nil if the output isn't a terminal, when rows have no limit.
  package var width: Int? { output.isTerminal ? columns : nil }

  /// Whether lines are shown by a front-end that opens their destinations.
  package var isCollecting: Bool { output.isCollecting }

  /// Prints a line.
  ///
  /// - Parameter destination: the destination of the line, for front-ends that open it.
  package func write(_ line: ListLine, about destination: Destination? = nil) {
    guard line.isFitted else { return output.line(line.bytes, about: destination) }
    var text = ""
    for row in line.rows(columns: columns) { writer.write(row, to: &text) }
    output.write(text)
  }

  /// Prints a line of plain text.
  package func write(_ text: String) {
    var line = newLine
    line.append(text)
    write(line)
  }
}

extension CommandContext {
  /// Creates a writer for the standard output.
  package func listWriter(_ options: GlobalOptions, _ drawing: ListOptions? = nil) -> ListWriter {
    let color = terminal.colorMode(drawing?.noColor == true ? .never : .auto)
    var page = PageOptions(color: color)
    // The settings only select colours here, so invalid settings must not prevent a list.
    if color != .none {
      let environment = terminal.environment
      let settings = try? libraries.settings(options)
      let background =
        settings?.background(environment) ?? Background.detect(environment: environment)
      page.theme =
        (try? settings?.theme(on: background, environment: environment)) ?? .standard(background)
    }
    return ListWriter(terminal.output, columns: terminal.columns, page, paths)
  }
}
