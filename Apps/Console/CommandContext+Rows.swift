import Configuration
import DaemonKit
package import Editing
import Model
import Rendering
import SystemSupport
package import Workspace

extension CommandContext {
  /// Converts the display rows of a SPEC to offsets in the text, so that it no longer depends on
  /// this terminal's width and on the settings. Returns a SPEC without rows unchanged.
  ///
  /// - Throws: ``UserError`` with the code `nothing` if there is no such row or the rows contain no
  ///   text.
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
