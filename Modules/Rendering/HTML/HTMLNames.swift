import MarkdownParse
import Model

/// The anchors of a document, and the addresses of its headings and footnotes.
struct HTMLNames {
  private let prefix: String
  /// The block of each name. The first of several equal names is used.
  private var blocks: [String: Int] = [:]
  /// The names of each block, in the order of the document.
  private var names: [Int: [String]] = [:]
  /// The footnote blocks by their folded labels, and the footnote numbers by their blocks.
  private var notes: [String: Int] = [:]
  private var numbers: [Int: Int] = [:]

  /// Collects the names. O(text of headings + names + footnotes).
  init(_ document: ParsedDocument, _ leaves: [Range<Int>], _ prefix: String) {
    self.prefix = prefix
    let indices = document.blocks.indices.filter {
      document.blocks[$0].firstChild < 0 && !document.blocks[$0].text.isEmpty
    }
    for (name, offset) in document.namedPlaces {
      let leaf = leaves.partition { $0.upperBound <= offset.utf16 }
      if let index = leaf < indices.count ? indices[leaf] : indices.last { add(name, to: index) }
    }
    for (name, block) in document.headingNames { add(name, to: block) }
    for (index, block) in document.blocks.enumerated() {
      guard case .footnoteDefinition(let label) = block.kind else { continue }
      let folded = document.folded(document.source.text(in: label))
      guard notes[folded] == nil else { continue }
      notes[folded] = index
      numbers[index] = notes.count
    }
  }

  private mutating func add(_ name: String, to block: Int) {
    guard !name.isEmpty, blocks[name] == nil else { return }
    blocks[name] = block
    names[block, default: []].append(name)
  }

  /// Returns the first name of a block as an `id` attribute, and further names as elements.
  func attributes(of block: Int) -> (attribute: String, more: String) {
    guard let names = names[block], let first = names.first else { return ("", "") }
    func id(_ name: String) -> String { " id=\"\((prefix + name).escapedForHTML)\"" }
    return (id(first), names.dropFirst().map { "<span\(id($0)) data-x></span>" }.joined())
  }

  /// Returns the name of a footnote as an attribute.
  func attribute(ofFootnote block: Int) -> String {
    numbers[block].map { " id=\"fn-\(prefix)\($0)\"" } ?? ""
  }

  /// Returns the footnote block for a folded label; nil if not found.
  func footnote(_ label: String) -> Int? { notes[label] }

  /// Returns the address of a footnote, and the name of its first reference.
  func address(ofFootnote block: Int) -> (address: String, mark: String)? {
    numbers[block].map { ("#fn-\(prefix)\($0)", "fnref-\(prefix)\($0)") }
  }

  /// Returns the address on the page for a fragment; nil if the document doesn't define the name.
  func address(ofFragment fragment: String) -> String? {
    let name = blocks[fragment] != nil ? fragment : fragment.lowercased()
    return blocks[name] == nil ? nil : "#" + LinkSafety.encoded(prefix + name)
  }
}

extension [Range<Int>] {
  /// Returns the number of ranges at the start that meet a condition. All ranges that meet it must
  /// precede those that don't. O(log n).
  func partition(_ isBefore: (Range<Int>) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
