import Actions
import Console
import Model
import Workspace

extension MarkRequest {
  /// The note and the tags of the request, for a message: `note and tags`.
  var additions: String {
    let tags = tags.isEmpty ? [] : [tags.count == 1 ? "tag" : "tags"]
    return "the " + ((note.isEmpty ? [] : ["note"]) + tags).joined(separator: " and ")
  }
}

extension MarkPassages.Outcome {
  /// The maximum length of the quote in the summary; shorter if another message follows.
  private static let quoteLimits = (alone: 40, before: 16)

  /// The highlights that did not exist before.
  private var new: [Highlight] { highlights.filter { !updated.contains($0.id) } }

  /// Messages about passages that were highlighted before, one line each.
  func notices(_ request: MarkRequest) -> [String] {
    additions(request) + [sharing.asSharingNotice].compactMap(\.self)
  }

  private func additions(_ request: MarkRequest) -> [String] {
    highlights.filter { updated.contains($0.id) }.map {
      "that passage was highlighted already; added \(request.additions) to \($0.shortID)"
    }
  }

  /// The result in one line, such as `highlighted in green: 7 “fox”; 4 in yellow is on the same
  /// words`.
  func summary(_ request: MarkRequest) -> String {
    let notices = additions(request) + [sharing.asSharing].compactMap(\.self)
    guard let first = new.first else { return notices.joined(separator: "; ") }
    let limits = Self.quoteLimits
    let made =
      new.count == 1
      ? "highlighted in \(first.color): \(first.shortID) "
        + "“\(first.words.shortened(to: notices.isEmpty ? limits.alone : limits.before))”"
      : "highlighted \(new.count) passages in \(first.color): \(new.names)"
    return ([made] + notices).joined(separator: "; ")
  }
}

extension [Highlight] {
  /// A message about highlights on the same words as others, in a line of its own. Nil if there are
  /// none.
  var asSharingNotice: String? { asSharing.map { "highlight\(count == 1 ? "" : "s") \($0)" } }
}

extension String {
  /// The text in one line of at most `limit` characters, without terminal control characters. If it
  /// is longer, it ends with … after the last word that fits; only a long word is divided.
  fileprivate func shortened(to limit: Int) -> String {
    let line = shortened
    guard line.count > limit else { return line }
    let beginning = line.prefix(limit - 1)
    let end = beginning.lastIndex(of: " ") ?? beginning.endIndex
    let isShort = beginning.distance(from: beginning.startIndex, to: end) * 2 < limit
    return String(isShort ? beginning : beginning[..<end]) + "…"
  }
}
