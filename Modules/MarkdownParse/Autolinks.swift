import Model

/// Finds bare addresses (GFM 6.9).
enum Autolinks {
  struct Match {
    var range: Range<Int>
    /// The text to put before the address to make it a complete URL, such as `http://`; may be
    /// empty.
    var scheme: String

    /// Adds the address to a table of links and returns its index.
    func add(to links: inout LinkTable, _ bytes: Bytes, _ leaf: LeafText) -> Int {
      guard !scheme.isEmpty else { return links.append(leaf.source(range)) }
      let address = scheme + String(decoding: bytes[range], as: UTF8.self)
      return links.append(
        leaf.source(range), resolved: LinkTable.Resolved(destination: address))
    }
  }

  /// Returns the addresses in a range of literal text, in order. O(range).
  static func matches(in bytes: Bytes, _ range: Range<Int>) -> [Match] {
    var result: [Match] = []
    var index = range.lowerBound
    var end = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      var match: Match?
      switch byte {
      case UInt8(ascii: "w"): match = www(bytes, at: index, in: range)
      case UInt8(ascii: ":"): match = url(bytes, colon: index, after: end, in: range)
      case UInt8(ascii: "@"): match = email(bytes, sign: index, after: end, in: range)
      default: break
      }
      if let match {
        result.append(match)
        end = match.range.upperBound
        index = max(end, index + 1)
      } else {
        index += 1
      }
    }
    return result
  }

  /// Returns the address that begins with `www.` at an index; nil if not found.
  static func www(_ bytes: Bytes, at start: Int, in range: Range<Int>) -> Match? {
    guard bytes.starts(with: "www.", at: start), start + 4 < range.upperBound else { return nil }
    let before = bytes.at(start - 1)
    guard start == 0 || before.isSpace || "*_~(".utf8.contains(before),
      let domain = domainEnd(bytes, from: start, to: range.upperBound, needsPeriod: true)
    else { return nil }
    let end = trimmedEnd(bytes, from: start, after: domain, to: range.upperBound)
    return end > start + 4 ? Match(range: start..<end, scheme: "http://") : nil
  }

  /// Returns the address around the `://` at an index, starting at or after `limit`; nil if not
  /// found.
  static func url(_ bytes: Bytes, colon: Int, after limit: Int, in range: Range<Int>)
    -> Match?
  {
    guard bytes.starts(with: "://", at: colon), colon + 3 < range.upperBound else { return nil }
    var start = colon
    while start > limit, bytes[start - 1].isLetter { start -= 1 }
    let scheme = String(decoding: bytes[start..<colon], as: UTF8.self).lowercased()
    guard ["http", "https", "ftp"].contains(scheme),
      start == 0 || !bytes.at(start - 1).isAlphanumeric,
      !ScalarClass.isPunctuation(bytes.scalar(at: colon + 3)),
      let domain = domainEnd(bytes, from: colon + 3, to: range.upperBound, needsPeriod: false)
    else { return nil }
    let end = trimmedEnd(bytes, from: colon + 3, after: domain, to: range.upperBound)
    return Match(range: start..<end, scheme: "")
  }

  private static func email(_ bytes: Bytes, sign: Int, after limit: Int, in range: Range<Int>)
    -> Match?
  {
    var start = sign
    while start > limit, isEmailByte(bytes[start - 1]) { start -= 1 }
    guard start < sign else { return nil }
    var end = sign + 1
    var periods = 0
    while end < range.upperBound {
      let byte = bytes[end]
      if byte == UInt8(ascii: ".") {
        guard end + 1 < range.upperBound, bytes[end + 1].isAlphanumeric else { break }
        periods += 1
      } else if !byte.isAlphanumeric, byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_") {
        break
      }
      end += 1
    }
    guard periods > 0, bytes[end - 1].isAlphanumeric else { return nil }
    return Match(range: start..<end, scheme: "mailto:")
  }

  /// Whether a byte may precede the `@` of a bare email address.
  static func isEmailByte(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Returns the end of the domain that begins at an index; nil if it isn't valid. The last two
  /// labels of a domain must not contain underscores, unless the domain has more than ten periods.
  private static func domainEnd(_ bytes: Bytes, from start: Int, to end: Int, needsPeriod: Bool)
    -> Int?
  {
    var index = start
    var periods = 0
    var underscores = (previous: false, last: false)
    while index < end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "_") {
        underscores.last = true
      } else if byte == UInt8(ascii: ".") {
        underscores = (underscores.last, false)
        periods += 1
      } else if !byte.isAlphanumeric, byte != UInt8(ascii: "-"), byte < 0x80 {
        break
      }
      index += 1
    }
    // A domain with many labels is accepted unchecked, as in cmark-gfm. Otherwise its labels would
    // be scanned again from each position.
    let isDomain = !underscores.previous && !underscores.last || periods > 10
    guard index > start, isDomain else { return nil }
    return periods > 0 || !needsPeriod ? index : nil
  }

  /// Extends an address to the next space or `<`, then drops trailing punctuation that belongs to
  /// the sentence.
  private static func trimmedEnd(_ bytes: Bytes, from start: Int, after domain: Int, to limit: Int)
    -> Int
  {
    var end = domain
    while end < limit, !bytes[end].isSpace, bytes[end] != UInt8(ascii: "<") { end += 1 }
    // Parentheses are counted once. Dropping one reduces the count.
    var opened = 0
    var closed = 0
    for byte in bytes[start..<end] {
      if byte == UInt8(ascii: "(") { opened += 1 } else if byte == UInt8(ascii: ")") { closed += 1 }
    }
    while end > start {
      switch bytes[end - 1] {
      case let byte where "?!.,:*_~'\"".utf8.contains(byte): end -= 1
      case UInt8(ascii: ")") where closed > opened:
        closed -= 1
        end -= 1
      case UInt8(ascii: ";"):
        var name = end - 2
        while name > start, bytes[name].isAlphanumeric { name -= 1 }
        let isReference = name < end - 2 && bytes[name] == UInt8(ascii: "&")
        end = isReference ? name : end - 1
      default: return end
      }
    }
    return end
  }
}
