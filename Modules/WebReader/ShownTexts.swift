import Model
import Synchronization

/// The texts that pages show: a selection in one of them is carried over when it is another by then. The
/// library itself keeps earlier texts only of documents with highlights.
final class ShownTexts: Sendable {
  /// The most bytes of all of them, but for the newest; those that were asked for longest ago go.
  private static let mostBytes = 8 << 20

  private struct Entry {
    var digest: ContentDigest
    var text: String
  }

  private let entries = Mutex<[Entry]>([])

  /// Keeps a text.
  func add(_ text: String, _ digest: ContentDigest) {
    entries.withLock { entries in
      entries.removeAll { $0.digest == digest }
      entries.append(Entry(digest: digest, text: text))
      var left = Self.mostBytes
      let kept = entries.reversed().prefix { entry in
        left -= entry.text.utf8.count
        return left >= 0
      }
      entries = kept.isEmpty ? [entries[entries.count - 1]] : kept.reversed()
    }
  }

  /// The text with a hash; nil where it is not kept.
  func text(_ digest: ContentDigest) -> String? {
    entries.withLock { entries in entries.last { $0.digest == digest }?.text }
  }
}
