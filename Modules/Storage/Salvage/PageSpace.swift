/// The usage of each byte on a page of a tree: cell, free block, or fragment between them.
///
/// The header of a page states the number of bytes in fragments. If the cells and free blocks leave
/// more bytes than that, the cell count is damaged, and the cells that it no longer counts can be
/// found.
struct PageSpace {
  /// The offsets of the cells. The cells that the page counts are first.
  private(set) var cells: [Int]
  private let bytes: [UInt8]
  private let header: Int
  private let kind: TreePage.Kind
  /// The offset of the cell pointer array.
  private let start: Int
  /// The offset at which the content starts. The space between the cell pointers and the content is
  /// free.
  private let content: Int
  /// For each byte, whether its usage is known.
  private var isTaken: [Bool]
  /// Whether all cells and free blocks are inside the page and none overlap.
  private var isInOrder = true
  /// The number of content bytes whose usage is unknown.
  private var rest: Int

  /// Determines the usage of each byte of a page.
  ///
  /// - Parameters:
  ///   - bytes: the page.
  ///   - header: the offset of the page header.
  ///   - kind: the kind of page.
  ///   - count: the number of cells in the header. Their pointers must be inside the page.
  ///   - start: the offset of the cell pointer array.
  init(_ bytes: [UInt8], header: Int, _ kind: TreePage.Kind, count: Int, start: Int) {
    (self.bytes, self.header, self.kind, self.start) = (bytes, header, kind, start)
    cells = (0..<count).map { bytes.short(start + 2 * $0) }
    let offset = bytes.short(header + 5)
    content = offset == 0 ? 65_536 : offset
    isTaken = [Bool](repeating: false, count: bytes.count)
    rest = max(0, bytes.count - content)
    isInOrder = start + 2 * count <= content && content <= bytes.count
    for cell in cells { take(extent(ofCellAt: cell)) }
    takeFreeBlocks()
  }

  private mutating func takeFreeBlocks() {
    var block = bytes.short(header + 1)
    // Each block must be after the previous one, so the loop terminates.
    while block != 0, isInOrder {
      guard block + 4 <= bytes.count else { return isInOrder = false }
      let (next, size) = (bytes.short(block), bytes.short(block + 2))
      take(size >= 4 && block + size <= bytes.count ? block..<block + size : nil)
      guard next == 0 || next > block else { return isInOrder = false }
      block = next
    }
  }

  /// The number of bytes in fragments, according to the header. A fragment is a gap that is too
  /// small for a free block.
  private var fragments: Int { Int(bytes[header + 7]) }

  /// Whether the usage of every byte is known.
  var isWhole: Bool { isInOrder && rest == fragments }

  /// Adds cells that follow the counted cells in the pointer array and whose bytes have no other
  /// usage.
  ///
  /// - Returns: the number of cells added.
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

  /// Returns the range of a cell's bytes; nil if there is no valid cell at the offset.
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
    // A cell uses at least four bytes, so that it can become a free block.
    let end = max(index, cell + 4)
    return end <= bytes.count ? cell..<end : nil
  }
}

extension [UInt8] {
  fileprivate func short(_ index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }
}
