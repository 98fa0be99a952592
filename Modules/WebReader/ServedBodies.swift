import Model
import Rendering

/// A document's text as HTML.
struct ServedBody: Sendable {
  /// Identifies the parts and the format; comparable only within one process.
  let version: String
  let digest: ContentDigest
  let css: String
  let formatClass: String
  /// The length of the text in UTF-16 units.
  let length: Int
  let parts: [HTMLBody.Part]

  init(_ body: HTMLBody, _ digest: ContentDigest, length: Int) {
    (self.digest, self.length, parts) = (digest, length, body.parts)
    css = body.format.css
    formatClass = body.formatClass
    var hasher = Hasher()
    hasher.combine(css)
    hasher.combine(formatClass)
    hasher.combine(length)
    for part in parts {
      hasher.combine(part.key)
      hasher.combine(part.range.lowerBound)
    }
    version = String(UInt(bitPattern: hasher.finalize()), radix: 36)
  }
}

/// The HTML recently sent to pages. All pieces of a large text have the same version, and a page
/// that already has most of a text is sent only the differences.
struct ServedBodies {
  private var known: [(version: String, keys: Set<HTMLBody.Key>)] = []
  /// The bodies of which pages still request pieces.
  private var unfinished: [ServedBody] = []

  private static let (mostKnown, mostUnfinished) = (16, 2)

  /// Returns the keys of a version's parts, or nil if the version isn't cached any more.
  func keys(of version: String) -> Set<HTMLBody.Key>? {
    known.last { $0.version == version }?.keys
  }

  /// Returns a version that was partially sent, or nil if it isn't cached any more.
  func body(_ version: String) -> ServedBody? { unfinished.last { $0.version == version } }

  /// Records that a piece was sent to a page.
  mutating func gave(_ body: ServedBody, isLast: Bool) {
    known.removeAll { $0.version == body.version }
    known.append((body.version, Set(body.parts.lazy.map(\.key))))
    if known.count > Self.mostKnown { known.removeFirst() }
    unfinished.removeAll { $0.version == body.version }
    if !isLast { unfinished.append(body) }
    if unfinished.count > Self.mostUnfinished { unfinished.removeFirst() }
  }
}
