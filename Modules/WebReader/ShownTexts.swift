import Model
import Synchronization

/// The texts that pages display. A selection in one of them can be moved to a newer version of the
/// text. The library itself stores earlier texts only for documents with highlights.
final class ShownTexts: Sendable {
  /// The maximum size of all texts, except the newest, in bytes. The texts added longest ago are
  /// removed.
  private static let mostBytes = 8 << 20

  private struct Entry {
    var digest: ContentDigest
    var text: String
  }

  private let entries = Mutex<[Entry]>([])

  /// Stores a text that a page shows, as the most recent one.
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

  /// Returns the text with a digest, or nil if it isn't stored.
  func text(_ digest: ContentDigest) -> String? {
    entries.withLock { entries in entries.last { $0.digest == digest }?.text }
  }
}
