import Console
import Model
import Rendering

extension ListWriter {
  /// Writes a document: id, path, title, and, where they are given, its highlights and its state.
  func write(_ document: Document, _ counts: [AnchorState: Int]? = nil) {
    var line = newLine
    line.append("\(document.id.dot.sequence)  ")
    line.append(document.path.string.sanitizedForTerminal, .path)
    line.append("  \(document.title.shortened)")
    if let counts {
      line.append("  (" + counts.values.reduce(0, +).counted("highlight"))
      for state in [AnchorState.doubtful, .orphaned] {
        guard let count = counts[state] else { continue }
        line.append(", ")
        line.append("\(count) \(state)", state.accent)
      }
      if document.state != .present {
        line.append(", ")
        line.append(document.state.rawValue, .problem)
      }
      line.append(")")
    }
    write(line)
  }
}
