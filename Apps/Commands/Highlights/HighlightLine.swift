import Console
import Model
import Rendering

extension ListWriter {
  /// Writes a highlight: id, colour, place, state, quote, note, tags.
  ///
  /// - Parameter path: the document's path as a terminal may show it; nil computes it.
  func write(
    _ highlight: Highlight, _ document: Document?, path: String? = nil, after start: String = ""
  ) {
    var line = newLine
    // Appended piece by piece: a long list spends much of its time here, and interpolation would
    // make each piece again.
    line.append(start)
    line.append(highlight.shortID)
    line.append("  ")
    line.append(highlight.color.rawValue, .swatch(highlight.color))
    if let label = highlight.label { line.append(" (\(label.sanitizedForTerminal))") }
    line.append("  ")
    line.append(path ?? document?.path.string.sanitizedForTerminal ?? "?", .path)
    if let place = highlight.anchor.line {
      line.append(":")
      line.append(place.line, .position)
      line.append(":")
      line.append(place.column, .position)
    }
    let state = highlight.anchor.state
    // There is no text here in which it could stand.
    let isElsewhere = document?.path.isElsewhere == true
    if state != .exact, !isElsewhere {
      line.append("  ")
      line.append(state.rawValue, state.accent)
    }
    if isElsewhere || document?.state == .missing {
      line.append("  ")
      line.append(isElsewhere ? "elsewhere" : "missing", isElsewhere ? .warning : .problem)
    }
    line.append("  “")
    line.append(highlight.selector.exact.shortened)
    line.append("”")
    if !highlight.note.isEmpty {
      line.append("  — ")
      line.append(highlight.note.shortened)
    }
    for tag in highlight.tags {
      line.append("  ")
      line.append("#" + tag.sanitizedForTerminal, .tag)
    }
    write(line)
  }
}

extension AnchorState {
  /// How it is shown in a list.
  var accent: ListAccent? {
    switch self {
    case .exact, .moved, .edited: nil
    case .doubtful: .warning
    case .orphaned: .problem
    }
  }
}

extension CommandContext {
  /// Writes how a highlight is now, as JSON or as the line of a list.
  ///
  /// - Parameter start: what stands before the line.
  func say(
    _ highlight: Highlight, in document: Document, after start: String = "",
    _ options: GlobalOptions
  ) {
    answer(options, json: HighlightRecord.lines([highlight], in: document)) {
      listWriter(options).write(highlight, document, after: start)
    }
  }
}
