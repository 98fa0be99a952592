extension BlockParser {
  /// Makes blocks of what an HTML block holds. Nothing stands behind it in the tree yet.
  mutating func divideHTML(_ index: Int) {
    withText(of: tree.nodes[index].lines) { parser, leaf in
      var builder = HTMLBuilder(index, leaf)
      swap(&builder.tree, &parser.tree)
      builder.build()
      swap(&builder.tree, &parser.tree)
    }
  }

  /// Calls `body` with the text of some lines of a leaf.
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
