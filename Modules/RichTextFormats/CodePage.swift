import Glibc

/// A code page, identified by its number in Windows, that converts bytes to UTF-16.
///
/// ```swift
/// CodePage(1_252).decode([0x93, 0x61, 0x94])  // “a” in UTF-16
/// ```
///
/// Single-byte pages are tables in this module. Multi-byte pages are converted by the system's
/// iconv. If iconv does not support a page, each byte beyond ASCII becomes U+FFFD.
struct CodePage {
  /// The UTF-16 units of all 256 bytes of a single-byte page; nil for a multi-byte page.
  let table: [UInt16]?
  private let name: String?

  /// Creates the page with a number; Windows-1252 for an unknown number.
  init(_ number: Int) {
    name = Self.names[number]
    table = name == nil ? Self.tables[number] ?? Self.tables[1_252] : nil
  }

  /// Returns the page of a font's `\fcharset`; nil for the default charset and for unknown ones, to
  /// which the document's page applies.
  static func number(charset: Int) -> Int? {
    charsets[charset]
  }

  private static let charsets = [
    0: 1_252, 77: 10_000, 78: 10_001, 79: 10_003, 80: 10_008, 81: 10_002, 83: 10_005, 84: 10_004,
    85: 10_006, 86: 10_081, 87: 10_021, 88: 10_029, 89: 10_007, 128: 932, 129: 949, 130: 1_361,
    134: 936, 136: 950, 161: 1_253, 162: 1_254, 163: 1_258, 177: 1_255, 178: 1_256, 186: 1_257,
    204: 1_251, 222: 874, 238: 1_250, 254: 437, 255: 850,
  ]

  /// The iconv names of the pages that are not tables.
  private static let names = [
    932: "CP932", 936: "GBK", 949: "CP949", 950: "CP950", 1_361: "JOHAB", 10_001: "CP932",
    10_002: "BIG5", 10_003: "CP949", 10_008: "GBK", 20_932: "EUC-JP", 51_949: "EUC-KR",
    54_936: "GB18030", 65_001: "UTF-8",
  ]

  private static let tables: [Int: [UInt16]] = {
    var result: [Int: [UInt16]] = [:]
    var page = 0
    for line in singleBytePageTable.split(separator: "\n") {
      if line.hasSuffix(":") {
        page = Int(line.dropLast()) ?? 0
        result[page] = (0..<128).map { UInt16($0) }
        continue
      }
      var rest = line[...]
      while !rest.isEmpty {
        result[page, default: []].append(UInt16(rest.prefix(4), radix: 16) ?? 0xFFFD)
        rest = rest.dropFirst(4)
      }
    }
    return result
  }()

  /// Converts bytes to UTF-16. Bytes that are not characters of the page become U+FFFD. O(bytes).
  func decode(_ bytes: [UInt8]) -> [UInt16] {
    if let table { return bytes.map { table[Int($0)] } }
    guard let name, let converter = Converter(name) else {
      return bytes.map { $0 < 0x80 ? UInt16($0) : 0xFFFD }
    }
    return converter.convert(bytes)
  }

  /// An iconv descriptor for conversion to UTF-16.
  private final class Converter {
    private let descriptor: iconv_t

    init?(_ name: String) {
      descriptor = iconv_open("UTF-16LE", name)
      if Int(bitPattern: descriptor) == -1 { return nil }
    }

    deinit { iconv_close(descriptor) }

    func convert(_ bytes: [UInt8]) -> [UInt16] {
      var input = bytes.map { CChar(bitPattern: $0) }
      var output = [CChar](repeating: 0, count: 4 * bytes.count + 16)
      let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
          var from = input.baseAddress
          var left = input.count
          var to = output.baseAddress
          var capacity = output.count
          while left > 0, iconv(descriptor, &from, &left, &to, &capacity) == -1 {
            guard errno == EILSEQ || errno == EINVAL, let next = from, let end = to, capacity > 1
            else { break }
            // Writes U+FFFD for the byte that could not be converted, and continues after it.
            (end[0], end[1]) = (CChar(bitPattern: 0xFD), CChar(bitPattern: 0xFF))
            (from, left, to, capacity) = (next + 1, left - 1, end + 2, capacity - 2)
          }
          return output.count - capacity
        }
      }
      return stride(from: 0, to: count - 1, by: 2).map { index in
        UInt16(UInt8(bitPattern: output[index])) | UInt16(UInt8(bitPattern: output[index + 1])) << 8
      }
    }
  }
}
