import Glibc

/// A code page of old files, by its number as Windows counts them.
///
/// Pages of one byte are tables of our own; those of two bytes are read by the system's iconv, which
/// may not have them. Then each byte beyond ASCII is U+FFFD.
struct CodePage {
  /// What all bytes mean in a page of one byte; nil for pages of more.
  let table: [UInt16]?
  private let name: String?

  /// The page with a number; Windows' western page for an unknown one.
  init(_ number: Int) {
    name = Self.names[number]
    table = name == nil ? Self.tables[number] ?? Self.tables[1_252] : nil
  }

  /// The page that a font's `\fcharset` stands for; nil for the document's own.
  static func number(charset: Int) -> Int? {
    charsets[charset]
  }

  private static let charsets = [
    0: 1_252, 77: 10_000, 78: 10_001, 79: 10_003, 80: 10_008, 81: 10_002, 83: 10_005, 84: 10_004,
    85: 10_006, 86: 10_081, 87: 10_021, 88: 10_029, 89: 10_007, 128: 932, 129: 949, 130: 1_361,
    134: 936, 136: 950, 161: 1_253, 162: 1_254, 163: 1_258, 177: 1_255, 178: 1_256, 186: 1_257,
    204: 1_251, 222: 874, 238: 1_250, 254: 437, 255: 850,
  ]

  /// How iconv calls the pages that are not tables.
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

  /// The text of some bytes in UTF-16; what is not a character of the page is U+FFFD. O(bytes).
  func decode(_ bytes: [UInt8]) -> [UInt16] {
    if let table { return bytes.map { table[Int($0)] } }
    guard let name, let converter = Converter(name) else {
      return bytes.map { $0 < 0x80 ? UInt16($0) : 0xFFFD }
    }
    return converter.convert(bytes)
  }

  /// An iconv descriptor to UTF-16.
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
          var room = output.count
          while left > 0, iconv(descriptor, &from, &left, &to, &room) == -1 {
            guard errno == EILSEQ || errno == EINVAL, let next = from, let end = to, room > 1
            else { break }
            // U+FFFD for the byte that cannot be read, and on.
            (end[0], end[1]) = (CChar(bitPattern: 0xFD), CChar(bitPattern: 0xFF))
            (from, left, to, room) = (next + 1, left - 1, end + 2, room - 2)
          }
          return output.count - room
        }
      }
      return stride(from: 0, to: count - 1, by: 2).map { index in
        UInt16(UInt8(bitPattern: output[index])) | UInt16(UInt8(bitPattern: output[index + 1])) << 8
      }
    }
  }
}
