import MarkdownParse
import Model

/// How one UTF-16 unit of the text looks.
struct UnitLook: Hashable {
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
  func looks(ofBlock index: Int) -> [UnitLook] {
    let block = blocks[index]
    var looks: [UnitLook] = []
    looks.reserveCapacity(block.text.count)
    for run in styleRuns(in: block) {
      let target = run.link.map {
        UnitLook.Target(destination: links[$0].destination, title: links[$0].title)
      }
      looks += repeatElement(UnitLook(style: run.style, link: target), count: run.text.count)
    }
    return looks
  }

  /// The leaf blocks that overlap a range of the text and have text in it, in order.
  func leaves(in range: TextRange) -> [Int] {
    blocks.indices.filter { index in
      guard blocks[index].text.overlaps(range), !blocks[index].text.isEmpty else { return false }
      return switch blocks[index].kind {
      case .paragraph, .heading, .tableCell, .codeBlock: true
      default: false
      }
    }
  }
}

/// What a leaf block must look like after a change.
struct LeafExpectation {
  /// The look of each unit.
  var looks: [UnitLook]
  /// For each unit whether it is white space.
  let isSpace: [Bool]
  /// For each unit whether a hard break, something silent or another span's border lies at it, which
  /// may divide a style.
  let isBroken: [Bool]

  /// Whether an actual look will do. Every character looks as asked. White space looks as asked
  /// too, except where two looks meet: there it may go without a style, as no delimiter of emphasis
  /// stands beside a blank.
  func allows(_ actual: [UnitLook]) -> Bool {
    guard actual.count == looks.count else { return false }
    var index = 0
    while index < looks.count {
      guard isSpace[index] else {
        if actual[index] != looks[index] { return false }
        index += 1
        continue
      }
      var end = index
      while end < looks.count, isSpace[end] { end += 1 }
      let isBorder =
        index == 0 || end == looks.count || looks[index - 1] != looks[end]
        || looks[index..<end].contains { $0 != looks[end] }
        || isBroken[index - 1...end].contains(true)
      for place in index..<end where actual[place] != looks[place] {
        guard isBorder, actual[place].style.isSubset(of: looks[place].style),
          actual[place].link == nil || actual[place].link == looks[place].link
        else { return false }
      }
      index = end
    }
    return true
  }
}
