/// Decompresses DEFLATE data (RFC 1951), the compression of zip archives. It is linear in its output,
/// which is bounded. The main program has no library for it, and this is only for small exports.
struct Inflate {
  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var bits: UInt32 = 0
  private var count = 0
  private var output: [UInt8] = []
  private let limit: Int

  /// Invalid data, or an output of more bytes than the limit.
  private struct Failure: Error {}

  /// Returns the decompressed bytes; nil if the data is invalid or the output exceeds the limit.
  static func decompress(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    var inflate = Inflate(bytes: bytes, index: bytes.startIndex, limit: limit)
    do { try inflate.run() } catch { return nil }
    return inflate.output
  }

  private init(bytes: ArraySlice<UInt8>, index: Int, limit: Int) {
    (self.bytes, self.index, self.limit) = (bytes, index, limit)
  }

  private mutating func run() throws {
    while true {
      let isLast = try take(1) == 1
      switch try take(2) {
      case 0: try copyStored()
      case 1: try read(Self.fixedLengths, Self.fixedDistances)
      case 2:
        let (lengths, distances) = try readCodes()
        try read(lengths, distances)
      default: throw Failure()
      }
      if isLast { return }
    }
  }

  /// Returns the next bits, lowest first.
  private mutating func take(_ wanted: Int) throws -> Int {
    while count < wanted {
      guard index < bytes.endIndex else { throw Failure() }
      bits |= UInt32(bytes[index]) << UInt32(count)
      index += 1
      count += 8
    }
    let value = bits & (1 << UInt32(wanted) - 1)
    bits >>= UInt32(wanted)
    count -= wanted
    return Int(value)
  }

  private mutating func copyStored() throws {
    (bits, count) = (0, 0)
    guard index + 4 <= bytes.endIndex else { throw Failure() }
    let size = Int(bytes[index]) | Int(bytes[index + 1]) << 8
    index += 4
    guard index + size <= bytes.endIndex, output.count + size <= limit else { throw Failure() }
    output += bytes[index..<index + size]
    index += size
  }

  /// A Huffman code: the number of codes of each length, and the symbols in the order of their codes.
  private struct Code {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    init(_ lengths: some Sequence<Int>) {
      var ofLength = [[Int]](repeating: [], count: 16)
      for (symbol, length) in lengths.enumerated() where length > 0 {
        counts[length] += 1
        ofLength[length].append(symbol)
      }
      symbols = Array(ofLength.joined())
    }
  }

  private mutating func symbol(_ code: Code) throws -> Int {
    var (value, first, place) = (0, 0, 0)
    for length in 1...15 {
      value |= try take(1)
      let count = code.counts[length]
      if value - first < count {
        // The counts of an invalid code can exceed those of a complete one.
        guard value >= first, place + value - first < code.symbols.count else { throw Failure() }
        return code.symbols[place + value - first]
      }
      place += count
      first = (first + count) << 1
      value <<= 1
    }
    throw Failure()
  }

  private static let fixedLengths = Code(
    (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  private static let fixedDistances = Code(repeatElement(5, count: 30))
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private mutating func readCodes() throws -> (Code, Code) {
    let lengthCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    var lengths = [Int](repeating: 0, count: 19)
    for index in 0..<(try take(4) + 4) { lengths[Self.order[index]] = try take(3) }
    let code = Code(lengths)
    var all: [Int] = []
    while all.count < lengthCount + distanceCount {
      let symbol = try symbol(code)
      switch symbol {
      case 16:
        guard let last = all.last else { throw Failure() }
        all += repeatElement(last, count: try take(2) + 3)
      case 17: all += repeatElement(0, count: try take(3) + 3)
      case 18: all += repeatElement(0, count: try take(7) + 11)
      default: all.append(symbol)
      }
    }
    guard all.count == lengthCount + distanceCount else { throw Failure() }
    return (Code(all[..<lengthCount]), Code(all[lengthCount...]))
  }

  private mutating func read(_ lengths: Code, _ distances: Code) throws {
    while true {
      let symbol = try symbol(lengths)
      guard output.count < limit else { throw Failure() }
      if symbol < 256 {
        output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      let length = try value(symbol - 257, Self.lengthBases, Self.lengthBits)
      let distance = try value(try self.symbol(distances), Self.distanceBases, Self.distanceBits)
      guard distance <= output.count, output.count + length <= limit else { throw Failure() }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  private mutating func value(_ symbol: Int, _ bases: [Int], _ extra: [Int]) throws -> Int {
    guard bases.indices.contains(symbol) else { throw Failure() }
    return bases[symbol] + (try take(extra[symbol]))
  }

  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
    3073, 4097, 6145, 8193, 12289, 16385, 24577,
  ]
  private static let distanceBits = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
  ]
}
