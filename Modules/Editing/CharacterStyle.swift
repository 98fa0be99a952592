import MarkdownParse
import Model

/// The style of one UTF-16 unit of the rendered text.
struct CharacterStyle: Hashable {
  /// The destination and title of a link or an image.
  struct Target: Hashable {
    var destination: String
    var title: String?
  }

  var style: TextStyle = []
  var link: Target?
}

extension ParsedDocument {
  /// Returns the style of every UTF-16 unit of a leaf block's text. O(units + spans log spans).
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

  /// Returns the indices of the non-empty leaf blocks that overlap a range of the text, in order.
  func leaves(in range: TextRange) -> [Int] {
    blocks.indices.filter { index in
      blocks[index].isLeaf && blocks[index].text.overlaps(range) && !blocks[index].text.isEmpty
    }
  }
}

/// The styles that a leaf block must have after a change.
struct LeafExpectation {
  /// The style of each UTF-16 unit.
  var styles: [CharacterStyle]
  /// Whether each unit is white space.
  let isSpace: [Bool]
  /// For each unit, whether a style may be divided there, because the unit is at a hard break, an
  /// inline that renders nothing, or the border of another span.
  let isBroken: [Bool]

  /// Returns whether the actual styles are acceptable.
  ///
  /// Characters other than white space must have exactly the expected style. White space may lack
  /// some or all of the style at a style's border, because a delimiter of emphasis can't be written
  /// next to a space. Elsewhere it must have the expected style too.
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
