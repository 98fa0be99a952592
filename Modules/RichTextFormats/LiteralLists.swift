import Model
package import RichText

extension RichDocument {
  /// Makes list items of the paragraphs that begin with a typed marker and a tab, such as `•⇥` or
  /// `1.⇥`, and removes these markers. Scrivener for Windows writes lists in this way.
  ///
  /// A number is a marker only if the items are numbered from 1 without a gap, and the first is
  /// followed by a second or has a hanging indent. Headings, code, table rows, notes and the items
  /// of other lists are not changed. O(text).
  package mutating func recognizeLists() {
    var finder = ListFinder(text, rows: tableRows)
    finder.find()
    let items = finder.items.filter(\.isConfirmed)
    if items.isEmpty { return }
    let edits = items.map { TextEdit(range: TextRange(utf16: $0.marker), replacement: "") }
    var paragraphs = FormatRuns<ParagraphAttribute>()
    var start = 0
    for item in items {
      text.paragraphs.forEach(in: start..<item.paragraph.lowerBound) { paragraphs.append($0, $1) }
      let set = text.paragraphs[item.paragraph.lowerBound].applying([.set(.list(item.item))])
      paragraphs.append(item.paragraph, set)
      start = item.paragraph.upperBound
    }
    text.paragraphs.forEach(in: start..<text.units.count) { paragraphs.append($0, $1) }
    let layer = FormatLayer(characters: text.characters, paragraphs: paragraphs)
    var changed = AttributedText(
      units: text.units, layer: layer, styles: text.styles, defaults: text.defaults)
    changed.other = text.other
    changed.apply(edits)
    text = changed
    move(through: edits)
  }
}

/// Finds the paragraphs of a text that are items of a list with typed markers.
private struct ListFinder {
  struct Item {
    var paragraph: Range<Int>
    var marker: Range<Int>
    var item: ListItem
    var isConfirmed: Bool
  }

  /// A list that the next item may continue.
  private struct OpenList {
    var list: Int
    var marker: ListItem.Marker
    /// The indentation of its items: the tabs before the marker, and the head indent in twips.
    var indent: (tabs: Int, head: Int)
    var number: Int
    /// The index of its first item while this isn't confirmed.
    var first: Int?
  }

  private let text: AttributedText
  private let rows: Set<Int>
  private(set) var items: [Item] = []
  /// The lists around the last item, the outermost first.
  private var open: [OpenList] = []
  /// The numbered list of the outermost level that ended last, which a later item may continue.
  private var ended: OpenList?
  private var lists: Int

  init(_ text: AttributedText, rows: [Range<Int>]) {
    self.text = text
    self.rows = Set(rows.map(\.lowerBound))
    lists = 0
    for set in text.paragraphs.usedSets {
      if case .list(let item)? = set[.list] { lists = max(lists, item.list) }
    }
  }

  mutating func find() {
    let units = text.units
    var start = 0
    while start < units.count {
      var end = start
      while end < units.count, !AttributedText.isTerminator(units[end]) { end += 1 }
      var next = min(end + 1, units.count)
      if next < units.count, units[end] == 0x0D, units[next] == 0x0A { next += 1 }
      // Empty paragraphs do not end a list.
      if start < end { addParagraph(start..<next, contentEnd: end) }
      start = next
    }
  }

  private mutating func addParagraph(_ paragraph: Range<Int>, contentEnd end: Int) {
    let start = paragraph.lowerBound
    guard !rows.contains(start), text.paragraphs[start][.list] == nil,
      let label = ListLabel(text.units[start..<end]), !text.isCode(at: start),
      text.headingLevel(at: start) == nil
    else { return endLists() }
    func twips(_ attribute: ParagraphAttribute?) -> Int {
      switch attribute {
      case .headIndent(let value)?, .firstLineIndent(let value)?: value.count
      default: 0
      }
    }
    let set = text.paragraphs[start]
    let indent = (tabs: label.tabs, head: twips(set[.headIndent]))
    // The lists of deeper items end here.
    while let last = open.last, last.indent > indent { open.removeLast() }
    if let last = open.last, last.indent == indent, !label.continues(last.marker, last.number) {
      close(open.removeLast())
    }
    if open.isEmpty, let ended, ended.indent == indent,
      label.continues(ended.marker, ended.number)
    {
      open.append(ended)
    }
    let isNext = open.last.map { $0.indent == indent } ?? false
    if isNext {
      open[open.count - 1].number += 1
      if let first = open[open.count - 1].first { items[first].isConfirmed = true }
      open[open.count - 1].first = nil
    } else {
      guard open.count < 9, let marker = label.firstMarker else { return endLists() }
      lists += 1
      let isCertain = marker == .bullet || twips(set[.firstLineIndent]) < 0
      open.append(
        OpenList(
          list: lists, marker: marker, indent: indent, number: 1,
          first: isCertain ? nil : items.count))
    }
    let list = open[open.count - 1]
    items.append(
      Item(
        paragraph: paragraph, marker: start..<start + label.count,
        item: ListItem(list: list.list, level: open.count - 1, marker: list.marker),
        isConfirmed: list.first == nil))
  }

  private mutating func endLists() {
    if let outermost = open.first { close(outermost) }
    open = []
  }

  private mutating func close(_ list: OpenList) {
    if open.isEmpty || open[0].list == list.list, list.marker != .bullet, list.first == nil {
      ended = list
    }
  }
}

/// A marker that is typed at the start of a paragraph, with the tab after it.
private struct ListLabel {
  /// The tabs before the marker.
  private(set) var tabs = 0
  /// The number of UTF-16 units up to the text of the item.
  private(set) var count = 0
  /// The characters of a number without its punctuation; nil for a bullet.
  private var number: String?
  /// The characters that are bullets. Dashes are not, because they also begin speech.
  private static let bullets: Set<UInt16> = [
    0x2022, 0x25E6, 0x25AA, 0x25AB, 0x25A0, 0x25A1, 0x25CF, 0x25CB, 0x2023, 0x2043, 0x27A2, 0xF0B7,
    0xF0A7, 0xB7, 0x2D, 0x2A,
  ]
  /// The maximum length of a number: `(xxviii)`.
  private static let limit = 6

  /// Parses the start of a paragraph; nil if it isn't a marker, or no text follows.
  init?(_ units: ArraySlice<UInt16>) {
    var index = units.startIndex
    while index < units.endIndex, units[index] == 0x09, tabs < 8 {
      tabs += 1
      index += 1
    }
    guard index < units.endIndex else { return nil }
    if Self.bullets.contains(units[index]) {
      index += 1
    } else {
      let isParenthesized = units[index] == UInt8(ascii: "(")
      if isParenthesized { index += 1 }
      let start = index
      while index < units.endIndex, index - start < Self.limit, Self.isAlphanumeric(units[index]) {
        index += 1
      }
      guard start < index, index < units.endIndex,
        units[index] == UInt8(ascii: ")") || !isParenthesized && units[index] == UInt8(ascii: ".")
      else { return nil }
      number = String(units: units[start..<index])
      index += 1
    }
    guard index < units.endIndex, units[index] == 0x09 else { return nil }
    index += 1
    guard units[index...].contains(where: { $0 != 0x09 && $0 != 0x20 }) else { return nil }
    count = index - units.startIndex
  }

  private static func isAlphanumeric(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// The kind of a list that begins with this marker; nil if no list does.
  var firstMarker: ListItem.Marker? {
    guard let number else { return .bullet }
    let kinds: [ListItem.Marker] = [.decimal, .lowerLetter, .upperLetter, .lowerRoman, .upperRoman]
    return kinds.first { Self.label(1, of: $0) == number }
  }

  /// Returns whether the marker follows an item with a number.
  func continues(_ marker: ListItem.Marker, _ last: Int) -> Bool {
    guard let number else { return marker == .bullet }
    return marker != .bullet && Self.label(last + 1, of: marker) == number
  }

  /// Returns the number of an item as it is typed; nil if it is too great for its kind.
  private static func label(_ number: Int, of marker: ListItem.Marker) -> String? {
    switch marker {
    case .bullet: return nil
    case .decimal: return String(number)
    case .lowerLetter, .upperLetter:
      let first: UInt8 = marker == .lowerLetter ? 0x61 : 0x41
      guard number <= 26 else { return nil }
      return String(UnicodeScalar(first + UInt8(number - 1)))
    case .lowerRoman, .upperRoman:
      let roman = roman(number)
      return marker == .lowerRoman ? roman.lowercased() : roman
    }
  }

  private static func roman(_ number: Int) -> String {
    let parts = [
      (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"),
      (1, "I"),
    ]
    var rest = number
    var result = ""
    for (value, letters) in parts {
      while rest >= value, result.utf8.count < limit {
        result += letters
        rest -= value
      }
    }
    return result
  }
}
