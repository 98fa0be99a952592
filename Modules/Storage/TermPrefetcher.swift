import Dispatch
import Model

/// Makes the index terms of many texts on another thread, some way ahead of whoever writes them.
enum TermPrefetcher {
  /// A text that is to be indexed.
  struct Item: Sendable {
    /// The document's number.
    var key: Int64
    var digest: ContentDigest
    var text: StoredText
    /// Whether the index has an entry of another text, or by other rules.
    var isReplacement: Bool
  }

  private typealias Made = [(item: Item, terms: (words: String, trigrams: String))]

  /// How many bytes of text are made into terms at a time, when there is more than one text.
  private static let part = 2 << 20

  /// Gives each text with its terms, in order; those that are damaged are left out.
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
      // A part is made by one thread at a time: the one before it was waited for.
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

  /// Confined: it is used by one thread after the other.
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
