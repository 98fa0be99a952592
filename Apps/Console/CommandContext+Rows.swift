import Configuration
import DaemonKit
package import Editing
import Model
import Rendering
import SystemSupport
package import Workspace

extension CommandContext {
  /// A SPEC that means the same everywhere: the rows of a page are those that are shown here, with the
  /// width of this terminal and these settings.
  package func resolved(_ spec: SelectionSpec, in open: OpenDocument, _ options: GlobalOptions)
    throws
    -> SelectionSpec
  {
    guard let rows = spec.rows else { return spec }
    let page = Page(
      document: open.parsed, overlays: open.overlays, format: open.format,
      options: try terminal.pageOptions(.none, try libraries.settings(options)))
    let lines = PageLayout.lines(of: page)
    guard rows.upperBound <= lines.count else {
      throw UserError(
        .nothing, "there is no row \(rows.upperBound): the last is \(lines.count)")
    }
    let ranges = lines[rows.lowerBound - 1..<rows.upperBound].flatMap {
      $0.spans.compactMap(\.range)
    }
    guard let first = ranges.map(\.lowerBound).min(), let last = ranges.map(\.upperBound).max()
    else {
      throw UserError(.nothing, "\(spec.description) shows no text")
    }
    return SelectionSpec(units: TextRange(first, last))
  }
}
