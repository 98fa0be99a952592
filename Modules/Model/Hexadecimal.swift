/// Returns bytes as lower-case hexadecimal digits, two for each byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(2 * bytes.underestimatedCount)
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Parses hexadecimal digits in either case; nil unless there are two for each byte.
///
/// Unlike `UInt8(_:radix:)`, this accepts no sign.
package func fromHexadecimal(_ text: some StringProtocol) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(digits.count / 2)
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let byte = byte(digits[index], digits[index + 1]) else { return nil }
    bytes.append(byte)
  }
  return bytes
}

/// Parses lower-case hexadecimal digits; nil for any other text, so that equal bytes have one form.
package func fromLowerHexadecimal(_ text: some StringProtocol) -> [UInt8]? {
  fromHexadecimal(text).flatMap { hexadecimal($0) == text ? $0 : nil }
}

private func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
  guard let high = value(ofDigit: high), let low = value(ofDigit: low) else { return nil }
  return high << 4 | low
}

private func value(ofDigit digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// Percent-encoding, as in addresses.
package enum PercentEncoding {
  /// Decodes the percent escapes of a text. O(length).
  ///
  /// - Returns: the bytes, in which invalid escapes are unchanged, and whether all escapes are
  ///   valid. The bytes may be invalid UTF-8.
  package static func decoded(_ text: some StringProtocol) -> (bytes: [UInt8], isValid: Bool) {
    let source = Array(text.utf8)
    var (bytes, isValid, index) = ([UInt8](), true, 0)
    bytes.reserveCapacity(source.count)
    while index < source.count {
      if source[index] == UInt8(ascii: "%") {
        if index + 2 < source.count, let byte = byte(source[index + 1], source[index + 2]) {
          bytes.append(byte)
          index += 3
          continue
        }
        isValid = false
      }
      bytes.append(source[index])
      index += 1
    }
    return (bytes, isValid)
  }

  /// Returns a text with all bytes percent-encoded except those that `isKept` accepts, which must
  /// be ASCII.
  package static func encoded(
    _ text: some StringProtocol, keeping isKept: (UInt8) -> Bool
  ) -> String {
    text.utf8.reduce(into: "") { result, byte in
      if isKept(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        append(byte, to: &result)
      }
    }
  }

  /// Appends the escape of each byte of a scalar.
  package static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    for byte in UTF8.encode(scalar)! { append(byte, to: &text) }
  }

  /// Whether a byte is an ASCII letter or digit, or one of `-._~`, which are never encoded.
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  private static func append(_ byte: UInt8, to text: inout String) {
    text += "%" + hexadecimal(CollectionOfOne(byte)).uppercased()
  }
}
