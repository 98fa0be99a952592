import Glibc
import Model

/// Generates the index terms of a text: its words, and its distinct trigrams encoded as words of
/// five letters.
///
/// An instance reuses its memory from one text to the next, so use the same instance for many
/// texts.
final class IndexTerms {
  /// The folded words of the text in order, as UTF-8 separated by spaces.
  private(set) var words: [UInt8] = []
  /// The distinct trigrams, encoded as words and separated by spaces.
  private(set) var trigrams: [UInt8] = []
  /// The trigrams already seen in the current text, with one bit for each code.
  ///
  /// The memory is mapped, so the system allocates only pages that are written: for ASCII text a
  /// sixteenth of the 4 MiB.
  private let seen: UnsafeMutableBufferPointer<UInt64>
  private var codes: [UInt32] = []

  /// Marker words that occur in no text and are added to every entry, one for each table. If an
  /// entry lacks its marker, the index is damaged.
  static let wordMark = "\u{10FFFF}"
  static let trigramMark = "0"

  private static let codeBits = 25
  /// The number of scalars in a trigram. A query with fewer scalars has no trigrams.
  static let size = 3
  /// The maximum number of a query's trigrams to look up. Further trigrams rarely exclude more
  /// texts.
  private static let queryLimit = 24

  /// The folded scalars of ASCII and their kinds in lookup tables, because most text is ASCII.
  private static let ascii: [UInt8] = (0..<128).map { UInt8(TextFolding.fold($0).scalar) }
  private static let kinds: [TextFolding.Kind] = (0..<128).map { TextFolding.fold($0).kind }

  init() {
    let size = 1 << (Self.codeBits - 3)
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { preconditionFailure("out of memory") }
    seen = UnsafeMutableRawBufferPointer(start: memory, count: size).bindMemory(to: UInt64.self)
  }

  deinit { munmap(seen.baseAddress, seen.count * 8) }

  /// Generates the terms of a text and stores them in ``words`` and ``trigrams``. O(bytes).
  func read(_ text: UnsafeBufferPointer<UInt8>) {
    guard let canonical = CanonicalText(text) else { return readCanonical(text) }
    canonical.units.withUnsafeBufferPointer(readCanonical)
  }

  private func readCanonical(_ text: UnsafeBufferPointer<UInt8>) {
    for code in codes { seen[Int(code >> 6)] = 0 }
    codes.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    trigrams.removeAll(keepingCapacity: true)
    // Moving the arrays into local variables avoids an exclusivity check for every access.
    var words = exchange(&self.words, with: [])
    var codes = exchange(&self.codes, with: [])
    defer { (self.words, self.codes) = (words, codes) }
    words.reserveCapacity(text.count + text.count / 8)
    var (first, second): (UInt32, UInt32) = (0, 0)
    var known = 0
    var index = 0
    let seen = seen
    Self.ascii.withUnsafeBufferPointer { ascii in
      Self.kinds.withUnsafeBufferPointer { kinds in
        while index < text.count {
          let byte = text[index]
          let scalar: UInt32
          if byte < 0x80 {
            index += 1
            scalar = UInt32(ascii[Int(byte)])
            words.append(kinds[Int(byte)] == .word ? UInt8(truncatingIfNeeded: scalar) : 32)
          } else {
            let kind: TextFolding.Kind
            (scalar, kind) = TextFolding.fold(Self.scalar(&index, text))
            if kind == .mark { continue }
            Self.append(scalar, kind, to: &words)
          }
          known += 1
          if known >= Self.size {
            let code = Self.code(first, second, scalar)
            let bit = UInt64(1) << UInt64(code & 63)
            if seen[Int(code >> 6)] & bit == 0 {
              seen[Int(code >> 6)] |= bit
              codes.append(code)
            }
          }
          (first, second) = (second, scalar)
        }
      }
    }
    var trigrams = exchange(&self.trigrams, with: [])
    trigrams.reserveCapacity(codes.count * 6 + 1)
    for code in codes { Self.append(code, to: &trigrams) }
    trigrams += Self.trigramMark.utf8
    self.trigrams = trigrams
    words += " \(Self.wordMark)".utf8
  }

  /// The generated terms as strings, to be bound to an SQL statement.
  var strings: (words: String, trigrams: String) {
    (String(decoding: words, as: UTF8.self), String(decoding: trigrams, as: UTF8.self))
  }

  private static func append(
    _ scalar: UInt32, _ kind: TextFolding.Kind, to words: inout [UInt8]
  ) {
    guard kind != .separator, let character = Unicode.Scalar(scalar) else {
      return words.append(32)
    }
    if kind == .single { words.append(32) }
    words.append(contentsOf: UTF8.encode(character)!)
    if kind == .single { words.append(32) }
  }

  /// Returns the encoded trigrams of a query; empty if the query has fewer than three scalars.
  static func trigrams(of text: String) -> [String] {
    var scalars: [UInt32] = []
    for scalar in Canonical.normalized(text).unicodeScalars {
      let (folded, kind) = TextFolding.fold(scalar.value)
      if kind != .mark { scalars.append(folded) }
    }
    guard scalars.count >= size else { return [] }
    var codes: [UInt32] = []
    for index in 0...scalars.count - size {
      let code = code(scalars[index], scalars[index + 1], scalars[index + 2])
      if !codes.contains(code) { codes.append(code) }
      if codes.count == queryLimit { break }
    }
    return codes.map { code in
      var word: [UInt8] = []
      append(code, to: &word)
      return String(decoding: word.dropLast(), as: UTF8.self)
    }
  }

  /// Returns the code of a trigram. Each trigram of ASCII scalars has a unique code. The others
  /// share the remaining codes by a hash (the finalizer of MurmurHash3, Appleby 2011).
  @inline(__always)
  private static func code(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32 {
    if (a | b | c) < 0x80 { return a << 14 | b << 7 | c }
    var hash = UInt64(a) << 42 | UInt64(b) << 21 | UInt64(c)
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    let codeCount = UInt64((1 << codeBits) - (1 << 21))
    return UInt32((1 << 21) + (hash ^ hash >> 33) % codeCount)
  }

  private static func append(_ code: UInt32, to word: inout [UInt8]) {
    var shift: UInt32 = 20
    while true {
      let digit = UInt8(code >> shift & 31)
      word.append(digit < 26 ? 97 + digit : 24 + digit)
      if shift == 0 { break }
      shift -= 5
    }
    word.append(32)
  }

  /// Decodes the scalar at an offset of valid UTF-8 and advances the offset to the next scalar.
  private static func scalar(_ index: inout Int, _ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let lead = text[index]
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    let end = min(index + length, text.count)
    index += 1
    while index < end {
      value = value << 6 | UInt32(text[index] & 0x3F)
      index += 1
    }
    return value
  }
}
