import Dispatch
import Model

/// Generates the index terms of many texts on another thread, ahead of the thread that writes them.
enum TermPrefetcher {
  /// A text to index.
  struct Item: Sendable {
    /// The key of the document's row.
    var key: Int64
    var digest: ContentDigest
    var text: StoredText
    /// Whether the index has an entry for an older text of the document, or one made by older
    /// rules.
    var isReplacement: Bool
  }

  private typealias Made = [(item: Item, terms: (words: String, trigrams: String))]

  /// The number of bytes of text to process at a time. A single longer text is processed as a
  /// whole.
  private static let part = 2 << 20

  /// Calls `body` with each text and its terms, in order. Damaged texts are skipped.
  ///
  /// - Throws: the error of `body`, after the other thread has finished.
  static func make(
    of items: [Item], then body: (Item, (words: String, trigrams: String)) throws -> Void
  ) throws {
    let maker = Maker()
    var rest = items[...]
    func nextPart() -> [Item] {
      var size = 0
      let part = rest.prefix { item in
        defer { size += item.text.size }
        return size == 0 || size + item.text.size <= Self.part
      }
      rest = rest.dropFirst(part.count)
      return Array(part)
    }
    var made = maker.make(nextPart())
    while !made.isEmpty || !rest.isEmpty {
      let ahead = nextPart()
      let isDone = DispatchSemaphore(value: 0)
      // Only one thread uses `maker` at a time, because each part is awaited before the next one
      // starts.
      DispatchQueue.global().async {
        maker.result = maker.make(ahead)
        isDone.signal()
      }
      let written = Result { for (item, terms) in made { try body(item, terms) } }
      isDone.wait()
      try written.get()
      made = maker.result
    }
  }

  /// Unchecked, because it is used by one thread after the other, never by two at a time.
  private final class Maker: @unchecked Sendable {
    private let terms = IndexTerms()
    private let reader = StoredTextReader()
    var result: Made = []

    func make(_ items: [Item]) -> Made {
      items.compactMap { item in
        reader.withUTF8(of: item.text) { text in
          terms.read(text)
          return (item, terms.strings)
        }
      }
    }
  }
}
