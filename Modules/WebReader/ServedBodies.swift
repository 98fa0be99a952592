import Model
import Rendering

/// A document's text as it was written for pages.
struct ServedBody: Sendable {
  /// Another one for other parts or another format; equal in one process only.
  let version: String
  let digest: ContentDigest
  let css: String
  let formatClass: String
  /// Of the text, in UTF-16 units.
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

/// What pages were given lately: so a large text comes in pieces of one version, and a page that has most of
/// a text already is given what differs.
struct ServedBodies {
  private var known: [(version: String, keys: Set<HTMLBody.Key>)] = []
  /// Those of which a page still asks for pieces.
  private var unfinished: [ServedBody] = []

  private static let (mostKnown, mostUnfinished) = (16, 2)

  /// What the parts of a version are known by; nil for one that is forgotten.
  func keys(of version: String) -> Set<HTMLBody.Key>? {
    known.last { $0.version == version }?.keys
  }

  /// A version of which pieces were left; nil for one that is forgotten.
  func body(_ version: String) -> ServedBody? { unfinished.last { $0.version == version } }

  /// A piece was given to a page.
  mutating func gave(_ body: ServedBody, isLast: Bool) {
    known.removeAll { $0.version == body.version }
    known.append((body.version, Set(body.parts.lazy.map(\.key))))
    if known.count > Self.mostKnown { known.removeFirst() }
    unfinished.removeAll { $0.version == body.version }
    if !isLast { unfinished.append(body) }
    if unfinished.count > Self.mostUnfinished { unfinished.removeFirst() }
  }
}
