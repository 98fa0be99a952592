/// What the bytes of a page of a tree are for: cells, free blocks, or a few bytes between them. SQLite
/// counts all of them, so that a page whose count of cells was damaged can be told, and the cells that
/// it no longer counts can be found.
struct PageSpace {
  /// Where cells begin: first those that the page counts.
  private(set) var cells: [Int]
  private let bytes: [UInt8]
  private let header: Int
  private let kind: TreePage.Kind
  /// Where the places of the cells begin.
  private let start: Int
  /// Where the content begins; what is before it, and after the places of cells, is free.
  private let content: Int
  /// By byte, whether it is known what it is for.
  private var isTaken: [Bool]
  /// Whether the cells and free blocks lie within the page, and none upon another.
  private var isInOrder = true
  /// How many bytes nothing is known of.
  private var rest: Int

  /// - Parameters:
  ///   - header: where the header of the page begins.
  ///   - count: how many cells the page counts; their places are within the page.
  ///   - start: where their places begin.
  init(_ bytes: [UInt8], header: Int, _ kind: TreePage.Kind, count: Int, start: Int) {
    (self.bytes, self.header, self.kind, self.start) = (bytes, header, kind, start)
    cells = (0..<count).map { bytes.short(start + 2 * $0) }
    let said = bytes.short(header + 5)
    content = said == 0 ? 65_536 : said
    isTaken = [Bool](repeating: false, count: bytes.count)
    rest = max(0, bytes.count - content)
    isInOrder = start + 2 * count <= content && content <= bytes.count
    for cell in cells { take(extent(ofCellAt: cell)) }
    takeFreeBlocks()
  }

  private mutating func takeFreeBlocks() {
    var block = bytes.short(header + 1)
    // Each is behind the one before it, so there is an end.
    while block != 0, isInOrder {
      guard block + 4 <= bytes.count else { return isInOrder = false }
      let (next, size) = (bytes.short(block), bytes.short(block + 2))
      take(size >= 4 && block + size <= bytes.count ? block..<block + size : nil)
      guard next == 0 || next > block else { return isInOrder = false }
      block = next
    }
  }

  /// How many bytes lie between cells, too few for a block, as the page says.
  private var fragments: Int { Int(bytes[header + 7]) }

  /// Whether it is known of all bytes what they are for.
  var isWhole: Bool { isInOrder && rest == fragments }

  /// Takes the cells that stand behind those that the page counts, where their bytes are nothing else.
  ///
  /// - Returns: how many there are.
  mutating func takeUncountedCells() -> Int {
    guard isInOrder, rest > fragments else { return 0 }
    let counted = cells.count
    while rest > fragments {
      let place = start + 2 * cells.count
      guard place + 2 <= content else { break }
      let cell = bytes.short(place)
      guard cell >= content, let extent = extent(ofCellAt: cell),
        !isTaken[extent].contains(true)
      else { break }
      cells.append(cell)
      take(extent)
    }
    return cells.count - counted
  }

  private mutating func take(_ range: Range<Int>?) {
    guard let range, range.lowerBound >= content, !isTaken[range].contains(true) else {
      return isInOrder = false
    }
    for index in range { isTaken[index] = true }
    rest -= range.count
  }

  /// The bytes of a cell; nil for what cannot be one.
  private func extent(ofCellAt cell: Int) -> Range<Int>? {
    var index = cell + (kind == .keyInterior || kind == .rowInterior ? 4 : 0)
    guard cell > 0, index < bytes.count else { return nil }
    if kind == .rowInterior {
      guard bytes.varint(&index) != nil else { return nil }
    } else {
      guard let size = bytes.varint(&index), size >= 0, size <= 1 << 30 else { return nil }
      if kind == .rowLeaf, bytes.varint(&index) == nil { return nil }
      let local = TreePage.localSize(of: Int(size), kind, page: bytes.count)
      index += local < size ? local + 4 : local
    }
    // No cell takes less, so that it can become a free block.
    let end = max(index, cell + 4)
    return end <= bytes.count ? cell..<end : nil
  }
}

extension [UInt8] {
  fileprivate func short(_ index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }
}
