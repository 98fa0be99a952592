extension BlockParser {
  /// Divides the content of an HTML block into blocks. The HTML block must be the last node of the
  /// tree.
  mutating func divideHTML(_ index: Int) {
    withText(of: tree.nodes[index].lines) { parser, leaf in
      var builder = HTMLBuilder(index, leaf)
      swap(&builder.tree, &parser.tree)
      builder.build()
      swap(&builder.tree, &parser.tree)
    }
  }

  /// Calls `body` with the joined text of some lines of a leaf.
  mutating func withText<T>(
    of lines: Range<Int>, _ body: (inout BlockParser, LeafText) -> T
  ) -> T {
    let slices = Array(tree.lines[lines])
    var memory = LeafLines()
    return slices.withUnsafeBufferPointer { slices in
      memory.withText(slices, of: bytes) { body(&self, $0) }
    }
  }
}
