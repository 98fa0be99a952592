/// A value as it lies in a database's file.
enum RawValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])
}

/// A row as it lies in a database's file.
struct RawRecord {
  /// The number of the row; nil in a tree of keys.
  var rowID: Int64?
  var values: [RawValue]
}

/// A page of a tree, taken apart. Nothing that it says is believed before it is compared with where
/// the page ends.
struct TreePage {
  /// What a page holds.
  enum Kind: UInt8 {
    case keyInterior = 2
    case rowInterior = 5
    case keyLeaf = 10
    case rowLeaf = 13
  }

  let kind: Kind
  private let bytes: [UInt8]
  private let header: Int
  private let cells: [Int]
  /// How many of the cells the page no longer counts.
  let uncountedCells: Int
  /// Whether all bytes of the page are those of cells or free; otherwise it held more than can be read.
  let isWhole: Bool

  /// Nil for what is no page of a tree.
  ///
  /// - Parameter header: where its header begins: 100 on the first page of a file, else 0.
  init?(_ bytes: [UInt8], header: Int = 0) {
    guard bytes.count >= header + 12, let kind = Kind(rawValue: bytes[header]) else { return nil }
    let size = kind == .keyLeaf || kind == .rowLeaf ? 8 : 12
    let count = Int(bytes[header + 3]) << 8 | Int(bytes[header + 4])
    let start = header + size
    // A cell has at least four bytes, two of them for its place.
    guard count <= (bytes.count - start) / 4 else { return nil }
    self.kind = kind
    self.bytes = bytes
    self.header = header
    var space = PageSpace(bytes, header: header, kind, count: count, start: start)
    let uncounted = space.takeUncountedCells()
    cells = space.cells
    uncountedCells = uncounted
    isWhole = space.isWhole
  }

  /// How many cells there are.
  var cellCount: Int { cells.count }

  /// The pages below this one.
  var children: [Int] {
    guard kind == .keyInterior || kind == .rowInterior else { return [] }
    return cells.compactMap { number($0) } + [number(header + 8)].compactMap(\.self)
  }

  /// Gives each row to `body`; nil for one that cannot be read.
  ///
  /// - Parameter page: gives other pages, for what is too long for one.
  func forEachRecord(_ page: (Int) -> [UInt8], _ body: (RawRecord?) throws -> Void) rethrows {
    guard kind != .rowInterior else { return }
    for cell in cells { try body(record(cell, page)) }
  }

  private func number(_ index: Int) -> Int? {
    guard index >= 0, index + 4 <= bytes.count else { return nil }
    return bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func record(_ cell: Int, _ page: (Int) -> [UInt8]) -> RawRecord? {
    var index = cell + (kind == .keyInterior ? 4 : 0)
    guard let size = bytes.varint(&index), size > 0, size <= 1 << 30 else { return nil }
    var rowID: Int64?
    if kind == .rowLeaf {
      guard let number = bytes.varint(&index) else { return nil }
      rowID = number
    }
    guard let payload = payload(Int(size), from: index, page) else { return nil }
    return Self.values(payload).map { RawRecord(rowID: rowID, values: $0) }
  }

  /// How many bytes of a row lie on its page; less than all where the rest is on further pages.
  static func localSize(of size: Int, _ kind: Kind, page usable: Int) -> Int {
    let most = kind == .rowLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    if size <= most { return size }
    let least = (usable - 12) * 32 / 255 - 23
    let fitting = least + (size - least) % (usable - 4)
    return fitting <= most ? fitting : least
  }

  /// The bytes of a row, those on further pages too.
  private func payload(_ size: Int, from index: Int, _ page: (Int) -> [UInt8]) -> ArraySlice<UInt8>?
  {
    let usable = bytes.count
    let local = Self.localSize(of: size, kind, page: usable)
    if local == size {
      guard index + size <= usable else { return nil }
      return bytes[index..<index + size]
    }
    guard index + local + 4 <= usable else { return nil }
    var payload = Array(bytes[index..<index + local])
    var next = number(index + local)
    while payload.count < size {
      guard let current = next, current > 1 else { return nil }
      let more = page(current)
      guard more.count == usable else { return nil }
      payload += more[4..<min(usable, 4 + size - payload.count)]
      next = more[..<4].reduce(0) { $0 << 8 | Int($1) }
    }
    return payload[...]
  }

  /// The values of a row; nil where their sizes are not what the row has.
  private static func values(_ bytes: ArraySlice<UInt8>) -> [RawValue]? {
    let bytes = Array(bytes)
    var index = 0
    guard let size = bytes.varint(&index), size >= 1, size <= bytes.count else { return nil }
    let end = Int(size)
    var place = end
    var values: [RawValue] = []
    while index < end {
      guard let type = bytes.varint(&index), index <= end, type >= 0, values.count < 100 else {
        return nil
      }
      let length: Int
      switch type {
      case 0, 8, 9: length = 0
      case 1...4: length = Int(type)
      case 5: length = 6
      case 6, 7: length = 8
      case 10, 11: return nil
      default: length = Int((type - 12) / 2)
      }
      guard place + length <= bytes.count else { return nil }
      let content = bytes[place..<place + length]
      place += length
      switch type {
      case 0: values.append(.null)
      case 8, 9: values.append(.integer(type - 8))
      case 7: values.append(.real(Double(bitPattern: UInt64(bitPattern: content.signed))))
      case 1...6: values.append(.integer(content.signed))
      default: values.append(type & 1 == 0 ? .blob(Array(content)) : .text(Array(content)))
      }
    }
    return place == bytes.count ? values : nil
  }
}

extension ArraySlice<UInt8> {
  /// The number that the bytes are, with its sign.
  fileprivate var signed: Int64 {
    reduce(into: Int64(first.map { Int8(bitPattern: $0) < 0 ? -1 : 0 } ?? 0)) {
      $0 = $0 << 8 | Int64($1)
    }
  }
}

extension [UInt8] {
  /// Reads a number of one to nine bytes, and goes past it.
  func varint(_ index: inout Int) -> Int64? {
    var value: UInt64 = 0
    for position in 0..<9 {
      guard index >= 0, index < count else { return nil }
      let byte = self[index]
      index += 1
      if position == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return Int64(bitPattern: value) }
    }
    return nil
  }
}
