import Actions
import Console
import Model
import Rendering

extension ListWriter {
  /// Prints a highlight: short id, colour, position, state, quote, note and tags.
  ///
  /// - Parameters:
  ///   - path: The document's path without control characters; nil to compute it.
  ///   - hasConflict: Whether the note has several versions, of which the line shows one.
  ///   - start: A text before the line.
  func write(
    _ highlight: Highlight, _ document: Document?, path: String? = nil, hasConflict: Bool = false,
    after start: String = ""
  ) {
    var line = newLine
    // Append the parts separately. A long list spends much of its time in this function, and
    // interpolation would copy each part.
    line.append(start)
    line.append(highlight.shortID)
    line.append("  ")
    line.append(highlight.color.rawValue, .swatch(highlight.color))
    if let label = highlight.label { line.append(" (\(label.sanitizedForTerminal))") }
    line.append("  ")
    line.append(path ?? document.map { paths.text($0.path) } ?? "?", .path)
    if let place = highlight.anchor.line {
      line.append(":")
      line.append(place.line, .position)
      line.append(":")
      line.append(place.column, .position)
    }
    let state = highlight.anchor.state
    // The file of a document of another device isn't available, so the state would be meaningless.
    let isElsewhere = document?.path.isElsewhere == true
    if state != .exact, !isElsewhere {
      line.append("  ")
      line.append(state.rawValue, state.accent)
    }
    if isElsewhere || document?.state == .missing {
      line.append("  ")
      line.append(isElsewhere ? "elsewhere" : "missing", isElsewhere ? .warning : .problem)
    }
    if hasConflict {
      line.append("  ")
      line.append("conflict", .warning)
    }
    line.append("  “")
    line.append(highlight.words.shortened)
    line.append("”")
    if !highlight.note.isEmpty {
      line.append("  — ")
      line.append(highlight.note.shortened)
    }
    for tag in highlight.tags {
      line.append("  ")
      line.append(tag.asTag.sanitizedForTerminal, .tag)
    }
    write(line, about: .highlight(highlight.id))
  }
}

extension AnchorState {
  /// The colour of the state in a list; nil for states without problems.
  var accent: ListAccent? {
    switch self {
    case .exact, .moved, .edited: nil
    case .doubtful: .warning
    case .orphaned: .problem
    }
  }
}

extension CommandContext {
  /// Prints a highlight as JSON or as the line of a list.
  ///
  /// - Parameter start: A text before the line.
  func show(
    _ highlight: Highlight, in document: Document, after start: String = "",
    _ options: GlobalOptions
  ) {
    answer(options, json: HighlightRecord.lines([highlight], in: document)) {
      listWriter(options).write(highlight, document, after: start)
    }
  }
}
