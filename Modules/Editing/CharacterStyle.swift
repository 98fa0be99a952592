import MarkdownParse
import Model

/// How one UTF-16 unit of the text styles.
struct CharacterStyle: Hashable {
  /// Where a link or an image leads.
  struct Target: Hashable {
    var destination: String
    var title: String?
  }

  var style: TextStyle = []
  var link: Target?
}

extension ParsedDocument {
  /// The look of every unit of a leaf block's text. O(units + spans log spans).
  func characterStyles(ofBlock index: Int) -> [CharacterStyle] {
    let block = blocks[index]
    var styles: [CharacterStyle] = []
    styles.reserveCapacity(block.text.count)
    for run in styleRuns(in: block) {
      let target = run.link.map {
        CharacterStyle.Target(destination: links[$0].destination, title: links[$0].title)
      }
      styles += repeatElement(CharacterStyle(style: run.style, link: target), count: run.text.count)
    }
    return styles
  }

  /// The leaf blocks that overlap a range of the text and have text in it, in order.
  func leaves(in range: TextRange) -> [Int] {
    blocks.indices.filter { index in
      blocks[index].isLeaf && blocks[index].text.overlaps(range) && !blocks[index].text.isEmpty
    }
  }
}

/// What a leaf block must look like after a change.
struct LeafExpectation {
  /// The look of each unit.
  var styles: [CharacterStyle]
  /// For each unit whether it is white space.
  let isSpace: [Bool]
  /// For each unit whether a hard break, something silent or another span's border lies at it, which
  /// may divide a style.
  let isBroken: [Bool]

  /// Whether an actual look will do. Every character styles as asked. White space styles as asked
  /// too, except where two styles meet: there it may go without a style, as no delimiter of emphasis
  /// stands beside a blank.
  func allows(_ actual: [CharacterStyle]) -> Bool {
    guard actual.count == styles.count else { return false }
    var index = 0
    while index < styles.count {
      guard isSpace[index] else {
        if actual[index] != styles[index] { return false }
        index += 1
        continue
      }
      var end = index
      while end < styles.count, isSpace[end] { end += 1 }
      let isBorder =
        index == 0 || end == styles.count || styles[index - 1] != styles[end]
        || styles[index..<end].contains { $0 != styles[end] }
        || isBroken[index - 1...end].contains(true)
      for place in index..<end where actual[place] != styles[place] {
        guard isBorder, actual[place].style.isSubset(of: styles[place].style),
          actual[place].link == nil || actual[place].link == styles[place].link
        else { return false }
      }
      index = end
    }
    return true
  }
}
