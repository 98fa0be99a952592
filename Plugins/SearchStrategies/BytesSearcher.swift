import Glibc
import Model
import Search

/// Finds bytes as they are: the C library looks for the one that is rarest in prose, many at a time,
/// and the others are compared there.
struct BytesSearcher: TextSearcher {
  private let needle: [UInt8]
  private let query: SearchQuery
  /// The place in the needle of its rarest byte.
  private let rarest: Int

  /// How many bytes go by between two looks at the watch.
  private static let stride = 32 << 20
  /// The bytes of English prose and Markdown from the most frequent one on; others are rarer still.
  private static let frequent = Array(
    " etaoinsrhldcumfpgwyb\nv,.kTSIAC-*`MP'xBENDR()FLH0W\"1jOqzG:U2/V_#[]93547Y68JKQXZ".utf8)

  init(_ query: SearchQuery) {
    self.query = query
    let bytes = Array(query.text.utf8)
    func rarity(_ byte: UInt8) -> Int {
      // The first bytes of letters beyond ASCII repeat; those after them tell more.
      Self.frequent.firstIndex(of: byte) ?? (byte >= 0xC0 ? 30 : byte >= 0x80 ? 60 : .max)
    }
    needle = bytes
    rarest = bytes.indices.max { rarity(bytes[$0]) < rarity(bytes[$1]) } ?? 0
  }

  var filter: TextFilter { .substring(query.text) }
  var reach: Int? { needle.count }

  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    guard let base = text.baseAddress, text.count - start >= needle.count else { return .complete }
    return needle.withUnsafeBufferPointer { needle in
      let size = needle.count
      let wanted = Int32(needle[rarest])
      // Where the rarest byte is looked for, and the last place where it can stand.
      var place = start + rarest
      let last = text.count - size + rarest
      while place <= last {
        let end = min(last + 1, place + Self.stride)
        while place < end {
          guard let hit = memchr(base + place, wanted, end - place) else {
            place = end
            break
          }
          let lower = UnsafeRawPointer(base).distance(to: hit) - rarest
          place = lower + rarest + 1
          guard base[lower] == needle[0], memcmp(base + lower, needle.baseAddress!, size) == 0
          else { continue }
          let range = lower..<lower + size
          if query.wholeWords, !WordBorder.surrounds(range, in: text) { continue }
          guard found(range) else { return .cancelled }
          place = range.upperBound + rarest
        }
        if let reason = watch.reasonToStop { return reason }
      }
      return .complete
    }
  }
}
