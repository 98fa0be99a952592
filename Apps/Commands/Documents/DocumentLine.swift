import Actions
import Console
import Model
import Rendering
import Workspace

extension ListWriter {
  /// Prints a document: short id, path and title.
  ///
  /// - Parameter start: A text before the line.
  func write(_ document: Document, after start: String) {
    write(line(of: document, after: start), about: .document(document.id))
  }

  /// Prints a document of a library: short id, path, title, number of highlights and state. The
  /// state is omitted if the file is present.
  func write(
    _ document: Document, _ counts: [AnchorState: Int], in location: LibraryLocation
  ) {
    var line = line(of: document)
    line.append("  (" + counts.values.reduce(0, +).counted("highlight"))
    for state in [AnchorState.doubtful, .orphaned] {
      guard let count = counts[state] else { continue }
      line.append(", ")
      line.append("\(count) \(state)", state.accent)
    }
    let state = location.stateName(of: document)
    if state != DocumentState.present.rawValue {
      line.append(", ")
      line.append(state, .problem)
    }
    line.append(")")
    write(line, about: .document(document.id))
  }

  private func line(of document: Document, after start: String = "") -> ListLine {
    var line = newLine
    line.append("\(start)\(document.shortID)  ")
    line.append(paths.text(document.path), .path)
    line.append("  \(document.title.shortened)")
    return line
  }
}
