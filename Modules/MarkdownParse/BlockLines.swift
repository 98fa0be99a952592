/// The lines of each block. Most blocks have none, so only blocks with lines are stored.
struct BlockLines: Sendable {
  /// The blocks that have lines, in order.
  private var blocks: [Int32] = []
  /// The index of the first line of each of these blocks. The lines of a block end where the lines
  /// of the next block begin.
  private var starts: [Int32] = []
  private var count = 0

  /// Returns the lines of a block as indices into the array from `gathered`; empty if it has none.
  /// O(log blocks).
  subscript(block: Int) -> Range<Int> {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if Int(blocks[middle]) < block { low = middle + 1 } else { high = middle }
    }
    guard low < blocks.count, Int(blocks[low]) == block else { return 0..<0 }
    return Int(starts[low])..<(low + 1 < starts.count ? Int(starts[low + 1]) : count)
  }

  /// Collects the lines of all blocks except table cells, in the order of the blocks.
  static func gathered(_ tree: BlockTree) -> ([LineSlice], BlockLines) {
    var lines: [LineSlice] = []
    var result = BlockLines()
    lines.reserveCapacity(tree.lines.count)
    result.blocks.reserveCapacity(tree.nodes.count)
    result.starts.reserveCapacity(tree.nodes.count)
    for index in tree.nodes.indices {
      let nodeLines = tree.nodes[index].lines
      guard !nodeLines.isEmpty, tree.nodes[index].kind != .tableCell else { continue }
      result.blocks.append(Int32(index))
      result.starts.append(Int32(lines.count))
      for line in nodeLines { lines.append(tree.lines[line]) }
    }
    result.count = lines.count
    return (lines, result)
  }
}
