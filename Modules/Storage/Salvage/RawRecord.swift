/// A value in the encoding of a database file.
enum RawValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])
}

/// A row in the encoding of a database file.
struct RawRecord {
  /// The row number; nil for a row of an index or of a `WITHOUT ROWID` table.
  var rowID: Int64?
  var values: [RawValue]
}

/// A parsed page of a table or index. All offsets and counts are checked against the page size.
struct TreePage {
  /// The kind of page, by its type byte.
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
  /// The number of cells that were found beyond the cell count in the header.
  let uncountedCells: Int
  /// Whether the usage of every byte is known. If not, rows may be lost.
  let isWhole: Bool

  /// Parses a page; nil if it is not a page of a tree.
  ///
  /// - Parameters:
  ///   - bytes: the page.
  ///   - header: the offset of the page header: 100 on the first page of a file, otherwise 0.
  init?(_ bytes: [UInt8], header: Int = 0) {
    guard bytes.count >= header + 12, let kind = Kind(rawValue: bytes[header]) else { return nil }
    let size = kind == .keyLeaf || kind == .rowLeaf ? 8 : 12
    let count = Int(bytes[header + 3]) << 8 | Int(bytes[header + 4])
    let start = header + size
    // A cell uses at least four bytes, and two more for its pointer.
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

  /// The number of readable cells.
  var cellCount: Int { cells.count }

  /// The numbers of the child pages; empty for a leaf.
  var children: [Int] {
    guard kind == .keyInterior || kind == .rowInterior else { return [] }
    return cells.compactMap { number($0) } + [number(header + 8)].compactMap(\.self)
  }

  /// Calls `body` with each row; with nil for a row that cannot be read.
  ///
  /// - Parameters:
  ///   - page: returns another page by its number, for rows that continue on overflow pages.
  ///   - body: receives the rows.
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

  /// The number of bytes of a row that are stored on its page. The rest is on overflow pages.
  static func localSize(of size: Int, _ kind: Kind, page usable: Int) -> Int {
    let most = kind == .rowLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    if size <= most { return size }
    let least = (usable - 12) * 32 / 255 - 23
    let fitting = least + (size - least) % (usable - 4)
    return fitting <= most ? fitting : least
  }

  /// Returns the bytes of a row, including those on overflow pages; nil if they cannot be read.
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

  /// Parses the values of a row; nil if their sizes do not match the size of the row.
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
  /// The bytes as a signed big-endian integer.
  fileprivate var signed: Int64 {
    reduce(into: Int64(first.map { Int8(bitPattern: $0) < 0 ? -1 : 0 } ?? 0)) {
      $0 = $0 << 8 | Int64($1)
    }
  }
}

extension [UInt8] {
  /// Reads a variable-length integer of one to nine bytes and advances the index; nil if the bytes
  /// end early.
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
