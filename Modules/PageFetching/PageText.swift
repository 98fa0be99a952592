import Glibc

/// Decodes a page from its bytes and its declared encoding.
enum PageText {
  /// Converts a page to UTF-8. The encoding is, in this order, that of a byte order mark, UTF-8 if
  /// the bytes contain enough of it and nothing else, or that of the media type or of the page's
  /// head. Without a usable one, it is UTF-8 if the bytes are mostly valid, or else windows-1252,
  /// as in browsers.
  ///
  /// - Parameter type: the media type in lower case; may be empty.
  static func utf8(_ bytes: [UInt8], type: String = "") -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return repaired(bytes.dropFirst(3)) }
    if bytes.starts(with: [0xFE, 0xFF]) { return converted(bytes, from: "UTF-16") ?? [] }
    if bytes.starts(with: [0xFF, 0xFE]) { return converted(bytes, from: "UTF-16") ?? [] }
    if isCertainlyUTF8(bytes) { return bytes }
    for label in [label(in: type), labelInHead(bytes)].compactMap(\.self) {
      let encoding = encoding(of: label)
      if encoding == "UTF-8" {
        // Many pages declare UTF-8 wrongly.
        if isUTF8(bytes) { return bytes }
        continue
      }
      if let text = converted(bytes, from: encoding) { return text }
    }
    if isUTF8(bytes) { return bytes }
    let (good, bad) = sequences(bytes)
    return good > bad
      ? repaired(bytes[...]) : converted(bytes, from: "CP1252") ?? repaired(bytes[...])
  }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  /// The number of multibyte sequences from which valid UTF-8 is not accidental. Two letters in
  /// another encoding can be valid UTF-8, as “联通” in GBK.
  private static let fewestSequences = 16

  /// Returns whether the bytes are UTF-8 whatever the page declares. Stateful encodings use only
  /// bytes below 0x80, so they are never valid UTF-8 with multibyte sequences.
  private static func isCertainlyUTF8(_ bytes: [UInt8]) -> Bool {
    var count = 0
    for byte in bytes where byte >= 0xC2 {
      count += 1
      if count == fewestSequences { return isUTF8(bytes) }
    }
    return false
  }

  private static func repaired(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    Array(String(decoding: bytes, as: UTF8.self).utf8)
  }

  /// Counts the valid multibyte sequences of UTF-8, and the invalid ones.
  private static func sequences(_ bytes: [UInt8]) -> (good: Int, bad: Int) {
    let bad = String(decoding: bytes, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" }
    let leads = bytes.count { $0 >= 0xC2 }
    return (max(leads - bad, 0), bad)
  }

  /// Returns the value of `charset=` in a media type or in a tag of a page's head; nil if it is
  /// missing.
  private static func label(in text: String) -> String? {
    guard let range = text.firstRange(of: "charset") else { return nil }
    let rest = text[range.upperBound...].drop { $0 == " " }
    guard rest.first == "=" else { return nil }
    let value = rest.dropFirst().drop { " \"'".contains($0) }
    let name = value.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_:.+".contains($0)) }
    return name.isEmpty ? nil : String(name)
  }

  private static func labelInHead(_ bytes: [UInt8]) -> String? {
    let head = String(decoding: bytes.prefix(4096).map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
      .lowercased()
    if head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>"),
      let found = head[..<end.lowerBound].firstRange(of: "encoding")
    {
      return label(in: "charset" + head[found.upperBound..<end.lowerBound])
    }
    var rest = head[...]
    while let start = rest.firstRange(of: "<meta") {
      rest = rest[start.upperBound...]
      let tag = rest.prefix { $0 != ">" }
      if let found = label(in: String(tag)) {
        // A head that is readable as ASCII cannot be in a two-byte encoding.
        return found.hasPrefix("utf-16") ? "utf-8" : found
      }
    }
    return nil
  }

  /// Converts the web's label of an encoding to iconv's name. Where browsers use a superset of the
  /// encoding, returns the name of the superset.
  private static func encoding(of label: String) -> String {
    switch label {
    case "utf8", "utf-8", "unicode-1-1-utf-8": "UTF-8"
    case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii", "windows-1252",
      "cp1252":
      "CP1252"
    case "iso-8859-9", "latin5": "CP1254"
    case "shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j": "CP932"
    case "gb2312", "gbk", "gb_2312-80", "x-gbk": "GB18030"
    case "euc-kr", "ks_c_5601-1987", "korean": "CP949"
    case "big5", "big5-hkscs", "cn-big5": "BIG5-HKSCS"
    case "x-mac-roman", "macintosh", "mac": "MACINTOSH"
    default: label.uppercased()
    }
  }

  /// Converts bytes to UTF-8 with U+FFFD for invalid ones; nil for an unknown encoding.
  private static func converted(_ bytes: [UInt8], from encoding: String) -> [UInt8]? {
    let converter = iconv_open("UTF-8", encoding)
    guard Int(bitPattern: converter) != -1 else { return nil }
    defer { iconv_close(converter) }
    var result: [UInt8] = []
    var buffer = [CChar](repeating: 0, count: 1 << 16)
    var input = bytes.map { CChar(bitPattern: $0) }
    let size = buffer.count
    input.withUnsafeMutableBufferPointer { input in
      buffer.withUnsafeMutableBufferPointer { buffer in
        var (from, left): (UnsafeMutablePointer<CChar>?, Int) = (input.baseAddress, input.count)
        while left > 0 {
          var (to, capacity): (UnsafeMutablePointer<CChar>?, Int) = (buffer.baseAddress, size)
          let done = iconv(converter, &from, &left, &to, &capacity)
          let failure = errno
          for index in 0..<(size - capacity) { result.append(UInt8(bitPattern: buffer[index])) }
          if done != -1 { break }
          if failure == E2BIG { continue }
          // An invalid byte is one character; the next byte may begin another one.
          result += "\u{FFFD}".utf8
          from = from.map { $0 + 1 }
          left -= 1
        }
      }
    }
    return result
  }
}
