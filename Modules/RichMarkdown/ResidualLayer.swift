import MarkdownParse
import Model
import RichText

/// The attributes of a text that its Markdown doesn't express, on ranges of the rendered text.
struct ResidualLayer {
  private(set) var layer: FormatLayer
  private(set) var losses = LossCounter()

  private typealias Characters = AttributeSet<CharacterAttribute>
  private typealias Paragraphs = AttributeSet<ParagraphAttribute>

  init(_ plan: ConversionPlan, _ written: BlockMarkdown.Written) {
    let semantics = FormatLayer(semanticsOf: written.document)
    let items = ItemMatch(plan, written)
    let shown = written.document.text.utf16
    let count =
      written.isAsExpected
      ? shown.count : zip(shown, written.expected.units).prefix { $0 == $1 }.count
    var characters = FormatRuns<CharacterAttribute>()
    var paragraphs = FormatRuns<ParagraphAttribute>()
    var losses = LossCounter()
    for segment in written.expected.segments where segment.source >= 0 {
      let text = plan.texts[segment.source]
      let shift = segment.start - segment.offset
      let old =
        segment.isOne
        ? segment.offset..<segment.offset + 1 : segment.offset..<segment.offset + segment.count
      func new(_ range: Range<Int>) -> Range<Int> {
        let moved =
          segment.isOne ? segment.range : range.lowerBound + shift..<range.upperBound + shift
        return moved.clamped(to: 0..<count)
      }
      guard old.lowerBound < text.units.count else { continue }
      text.characters.forEach(in: old) { part, direct in
        let inherited = text.inheritedCharacters(at: part.lowerBound)
        semantics.characters.forEach(in: new(part)) { range, semantic in
          if semantic.isEmpty { return characters.append(range, direct) }
          let set = Self.leftover(direct, semantic, inherited) { kind in
            if kind == .link { return losses.add(.addresses, at: part.lowerBound) }
            losses.add(
              .attributes, at: part.lowerBound,
              names: ["\(kind.typed) of “\(Self.excerpt(text.units[part]))”"])
          }
          characters.append(range, set)
        }
      }
      text.paragraphs.forEach(in: old) { part, direct in
        semantics.paragraphs.forEach(in: new(part)) { range, semantic in
          var set = direct
          if let style = semantic[.style] {
            if direct[.style] == style {
              set.clear(.style)
            } else if direct[.style] == nil {
              set.set(.style(.body))
            }
          }
          if case .list(let item)? = direct[.list], items.isMatched(item.list, segment.source) {
            set.clear(.list)
          }
          paragraphs.append(range, set)
        }
      }
    }
    // The initializer gives each paragraph the attributes of its first unit.
    let text = AttributedText(
      units: shown, layer: FormatLayer(characters: characters, paragraphs: paragraphs))
    layer = text.layer
    self.losses = losses
  }

  /// The first characters of a part of a text, on one line.
  private static func excerpt(_ units: ArraySlice<UInt16>) -> String {
    let words = String(units: units.prefix(80)).oneLine
    return words.count > 40 ? words.prefix(40) + "…" : words
  }

  /// Returns the attributes to store for characters to which the Markdown gives the attributes
  /// `semantic`.
  private static func leftover(
    _ direct: Characters, _ semantic: Characters, _ inherited: Characters,
    _ lose: (CharacterAttribute.Kind) -> Void
  ) -> Characters {
    var set = direct
    for value in semantic.values {
      let kind = value.kind
      if direct[kind] == value {
        set.clear(kind)
      } else if direct[kind] == nil, inherited[kind] != value {
        if let wanted = inherited[kind] ?? value.off {
          set.set(wanted)
        } else {
          lose(kind)
        }
      }
    }
    return set
  }
}

/// The lists that the Markdown reproduces item by item.
private struct ItemMatch {
  private struct Name: Hashable {
    var source: Int
    var list: Int
  }
  private var matched: Set<Name> = []

  func isMatched(_ list: Int, _ source: Int) -> Bool {
    matched.contains(Name(source: source, list: list))
  }

  init(_ plan: ConversionPlan, _ written: BlockMarkdown.Written) {
    // The items of the text, by the start of their paragraphs in the rendered text.
    var wanted: [Int: (name: Name, item: ListItem)] = [:]
    var lost: Set<Name> = []
    var all: Set<Name> = []
    let units = written.document.text.utf16
    for segment in written.expected.segments where segment.source >= 0 {
      let text = plan.texts[segment.source]
      guard segment.offset < text.units.count else { continue }
      let range = segment.isOne ? 1 : segment.count
      text.paragraphs.forEach(in: segment.offset..<segment.offset + range) { part, set in
        guard case .list(let item)? = set[.list] else { return }
        let name = Name(source: segment.source, list: item.list)
        all.insert(name)
        // A run can cover several paragraphs.
        for offset in part {
          let place = segment.isOne ? segment.start : offset - segment.offset + segment.start
          guard place < units.count else { break }
          if place == 0 || units[place - 1] == 0x0A { wanted[place] = (name, item) }
        }
      }
    }
    var lists: [Name: Int] = [:]
    var names: [Int: Name] = [:]
    var found: [Int: ListItem] = [:]
    for (leaf, item) in written.document.listItems() {
      found[written.document.blocks[leaf].text.utf16.lowerBound] = item
    }
    for (place, (name, item)) in wanted.sorted(by: { $0.key < $1.key }) {
      guard let candidate = found[place], candidate.level == item.level,
        candidate.marker == item.marker,
        lists[name] ?? candidate.list == candidate.list, names[candidate.list] ?? name == name
      else {
        // The line after a line break belongs to the previous item.
        if found[place] == nil, plan.isContinuation(place, written) { continue }
        lost.insert(name)
        continue
      }
      (lists[name], names[candidate.list]) = (candidate.list, name)
    }
    matched = all.subtracting(lost)
  }
}

extension ConversionPlan {
  /// Returns whether a line of the rendered text begins inside a paragraph of the original text.
  fileprivate func isContinuation(_ place: Int, _ written: BlockMarkdown.Written) -> Bool {
    let segments = written.expected.segments
    var (low, high) = (0, segments.count)
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].range.upperBound < place { low = middle + 1 } else { high = middle }
    }
    guard place > 0, low < segments.count, segments[low].source >= 0 else { return false }
    // The original unit of the line feed before the line.
    let segment = segments[low]
    let units = texts[segment.source].units
    let offset = segment.isOne ? segment.offset : segment.offset + place - 1 - segment.start
    return offset < units.count && !AttributedText.isTerminator(units[offset])
  }
}
