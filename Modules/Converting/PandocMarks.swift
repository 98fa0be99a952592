import Model

/// Turns the marks of passages in a document of pandoc into `mark` elements, and their comments into
/// footnotes.
struct PandocMarks {
  private let passages: [MarkedMarkdown.Passage]
  /// The passages that contain the current place, in the order of their starts.
  private var open: [Int] = []
  /// The footnotes that belong after the current part of a paragraph.
  private var notes: [JSONValue] = []

  init(_ passages: [MarkedMarkdown.Passage]) { self.passages = passages }

  /// Returns a part of the document with its marks replaced. O(part)
  mutating func replaced(_ value: JSONValue) -> JSONValue {
    switch value {
    case .list(let list):
      if Self.isText(list) { return .list(inlines(list, isOuter: true)) }
      var result: [JSONValue] = []
      for value in list { result.append(replaced(value)) }
      return .list(result)
    case .object(var object):
      for (name, value) in object where name != "t" { object[name] = replaced(value) }
      return .object(object)
    case .text(let text): return .text(plain(text))
    default: return value
    }
  }

  private static let kinds: Set<String> = [
    "Str", "Emph", "Underline", "Strong", "Strikeout", "Superscript", "Subscript", "SmallCaps",
    "Quoted", "Cite", "Code", "Space", "SoftBreak", "LineBreak", "Math", "RawInline", "Link",
    "Image", "Note", "Span",
  ]

  private static func kind(_ value: JSONValue) -> String? {
    guard case .object(let object) = value, case .text(let kind)? = object["t"] else { return nil }
    return kind
  }

  /// Whether a list consists of parts of a paragraph.
  private static func isText(_ list: [JSONValue]) -> Bool {
    list.first.flatMap(kind).map(kinds.contains) ?? false
  }

  /// Returns a text without marks, whose passages start before it and end after it.
  private mutating func plain(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { PassageMark($0) != nil }) else {
      return text
    }
    var rest = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let mark = PassageMark(scalar) { apply(mark) } else { rest.append(scalar) }
    }
    return String(rest)
  }

  private mutating func apply(_ mark: PassageMark) {
    switch mark {
    case .start(let index): if passages.indices.contains(index) { open.append(index) }
    case .end(let index):
      guard passages.indices.contains(index) else { return }
      open.removeAll { $0 == index }
      if let comment = passages[index].comment { notes.append(Self.footnote(comment, index)) }
    }
  }

  /// Returns the parts of a paragraph, or of a part such as a link.
  private mutating func inlines(_ list: [JSONValue], isOuter: Bool) -> [JSONValue] {
    var result: [JSONValue] = []
    // The parts since the last mark.
    var group: [JSONValue] = []
    func flush(_ marks: PandocMarks) {
      if !group.isEmpty { result += marks.wrapped(group) }
      group = []
    }
    for value in list {
      guard case .object(var object) = value, let kind = Self.kind(value) else { continue }
      switch kind {
      case "Str", "Code":
        // A part of code has attributes before its text.
        var attributes: [JSONValue] = []
        var text = ""
        if case .text(let words)? = object["c"] { text = words }
        if case .list(let parts)? = object["c"], case .text(let words)? = parts.last {
          (attributes, text) = (Array(parts.dropLast()), words)
        }
        func add(_ words: String) {
          if words.isEmpty { return }
          object["c"] = kind == "Str" ? .text(words) : .list(attributes + [.text(words)])
          group.append(.object(object))
        }
        var words = ""
        for scalar in text.unicodeScalars {
          guard let mark = PassageMark(scalar) else {
            words.unicodeScalars.append(scalar)
            continue
          }
          add(words)
          words = ""
          flush(self)
          apply(mark)
        }
        add(words)
      case "Space", "SoftBreak", "LineBreak": group.append(value)
      case "Note":
        flush(self)
        // The passages around a footnote's reference do not continue in the footnote.
        let (outerOpen, outerNotes) = (open, notes)
        (open, notes) = ([], [])
        object["c"] = object["c"].map { replaced($0) }
        (open, notes) = (outerOpen, outerNotes + notes)
        result.append(.object(object))
      case "Math", "RawInline", "Image":
        let before = open
        object["c"] = object["c"].map { replaced($0) }
        let after = open
        // The whole part belongs to the passages that start or end in it.
        if before != after {
          open = before
          flush(self)
          open = before + after.filter { !before.contains($0) }
          group.append(.object(object))
          flush(self)
          open = after
        } else {
          group.append(.object(object))
        }
      default:
        flush(self)
        if case .list(let parts)? = object["c"] {
          if Self.isText(parts) {
            object["c"] = .list(inlines(parts, isOuter: false))
          } else {
            var changed: [JSONValue] = []
            for part in parts {
              if case .list(let inner) = part, Self.isText(inner) {
                changed.append(.list(inlines(inner, isOuter: false)))
              } else {
                changed.append(replaced(part))
              }
            }
            object["c"] = .list(changed)
          }
        }
        result.append(.object(object))
      }
      if isOuter, !notes.isEmpty {
        flush(self)
        result += notes
        notes = []
      }
    }
    flush(self)
    return result
  }

  /// Returns parts of a paragraph inside of an element for each open passage.
  private func wrapped(_ group: [JSONValue]) -> [JSONValue] {
    open.reversed().reduce(group) { parts, index in
      let color = passages[index].color
      let style = "background-color:#\(String(color.onPaper, radix: 16));color:#1a1a1a"
      return [
        Self.span(
          ["mark", "diple-\(color.rawValue)"],
          [("diple", "\(index)"), ("title", color.rawValue), ("style", style)], parts)
      ]
    }
  }

  private static func span(
    _ classes: [String], _ values: [(String, String)], _ parts: [JSONValue]
  ) -> JSONValue {
    let pairs = values.map { JSONValue.list([.text($0.0), .text($0.1)]) }
    return .object([
      "t": .text("Span"),
      "c": .list([
        .list([.text(""), .list(classes.map { .text($0) }), .list(pairs)]), .list(parts),
      ]),
    ])
  }

  /// Returns a footnote with a line for each line of a comment.
  private static func footnote(_ comment: String, _ index: Int) -> JSONValue {
    var parts: [JSONValue] = []
    for line in comment.split(separator: "\n", omittingEmptySubsequences: false) {
      if !parts.isEmpty { parts.append(.object(["t": .text("LineBreak")])) }
      parts.append(
        .object(["t": .text("Str"), "c": .text(ControlCharacters.replaced(in: String(line)))]))
    }
    let note = JSONValue.object([
      "t": .text("Note"),
      "c": .list([.object(["t": .text("Para"), "c": .list(parts)])]),
    ])
    return span(["diple-note"], [("diple", "\(index)")], [note])
  }
}
