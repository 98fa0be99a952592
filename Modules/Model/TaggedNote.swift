/// A note with the tags of a highlight, as the text of a comment or an annotation: the note, and a
/// last line with the tags, separated by commas.
///
/// ```swift
/// TaggedNote(note: "Why?", tags: ["to read"]).text  // "Why?\n#to read"
/// TaggedNote("Why?\n#to read").tags  // ["to read"]
/// ```
public struct TaggedNote: Sendable, Hashable {
  /// The user's note; may be empty.
  public var note: String
  /// The tags without `#`.
  public var tags: [String]

  /// Creates a note with tags.
  public init(note: String, tags: [String]) { (self.note, self.tags) = (note, tags) }

  /// The note and the tags as one text, which ``init(_:)`` reads again.
  public var text: String {
    let note = note.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    var lines = note.isEmpty ? [] : [note]
    if !tags.isEmpty {
      lines.append(tags.map { "#" + $0 }.joined(separator: ", "))
    } else if Self.tags(in: note.split(separator: "\n", omittingEmptySubsequences: false).last)
      != nil
    {
      // An empty line of tags prevents that the note's last line is read as one.
      lines.append("#")
    }
    return lines.joined(separator: "\n")
  }

  /// Reads a note with tags. Line feeds at the end are not part of it. O(text)
  public init(_ text: some StringProtocol) {
    var text = Substring(text)
    while text.last == "\n" { text = text.dropLast() }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let tags = Self.tags(in: lines.last)
    if tags != nil { lines.removeLast() }
    self.init(note: lines.joined(separator: "\n"), tags: tags ?? [])
  }

  /// Returns the tags of a line that only contains tags; nil for other lines.
  private static func tags(in line: Substring?) -> [String]? {
    guard let line, line.hasPrefix("#") else { return nil }
    if line == "#" { return [] }
    let parts = line.split(separator: ", ", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ $0.hasPrefix("#") && $0.count > 1 }) else { return nil }
    return parts.map { String($0.dropFirst()) }
  }
}
