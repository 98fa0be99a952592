import Model
import RichText

/// The tables of a file's header, and the links that were read.
struct RTFTables {
  /// A style of the file.
  struct Style {
    var name: String
    var id: String?
    var base: Int32?
    var isMissing = false
    var character: RTFCharacterState
    var paragraph: RTFParagraphState
  }

  /// The maximum number of entries that are kept of a table.
  private static let limit = 65_536

  var fonts: [Int32: String] = [:]
  var defaultFont: Int32 = 0
  var fontNumber: Int32 = 0
  var fontCharset: Int?

  /// The colours as 0xRRGGBB; nil for the default colour.
  private(set) var colors: [UInt32?] = []
  var color: (red: Int32, green: Int32, blue: Int32)?

  var styles: [Int32: Style] = [:]
  var styleOrder: [Int32] = []
  var styleNumber: Int32?
  var styleBase: Int32?
  var styleID: [UInt16] = []
  var isMissing = false
  /// Whether the style is a character, section or table style, which is ignored.
  var isOther = false

  /// The markers of the levels of the list that is being read.
  private var levels: [ListItem.Marker] = []
  private var template: Int32?
  /// The lists by their ids.
  private var lists: [Int32: (levels: [ListItem.Marker], template: Int32?)] = [:]
  private var listID: Int32 = 0
  /// The lists by the numbers to which paragraphs refer.
  private(set) var overrides: [Int32: (levels: [ListItem.Marker], template: Int32?)] = [:]

  private(set) var links: [String] = []
  private var linkNumbers: [String: Int32] = [:]

  /// Returns the colour with a number; `automatic` if the table has no such entry or no value for
  /// it.
  func color(_ number: Int32) -> TextColor {
    guard colors.indices.contains(Int(number)), let color = colors[Int(number)] else {
      return .automatic
    }
    return .rgb(color)
  }

  /// Ends an entry of the colour table.
  mutating func endColor() {
    defer { color = nil }
    guard colors.count < Self.limit else { return }
    func part(_ value: Int32) -> UInt32 { UInt32(min(max(value, 0), 255)) }
    colors.append(
      color.map { part($0.red) << 16 | part($0.green) << 8 | part($0.blue) })
  }

  /// Returns the number of a link, which is added if it is new.
  mutating func number(ofLink link: String) -> Int32 {
    if let number = linkNumbers[link] { return number }
    links.append(link)
    linkNumbers[link] = Int32(links.count - 1)
    return Int32(links.count - 1)
  }

  mutating func endFont(_ name: String) {
    if fonts.count < Self.limit, !name.isEmpty { fonts[fontNumber] = name }
  }

  mutating func endStyle(_ style: Style, _ number: Int32) {
    guard styles.count < StyleSheet.limit, styles[number] == nil else { return }
    styles[number] = style
    styleOrder.append(number)
  }

  mutating func beginList() {
    levels = []
    template = nil
  }

  mutating func setTemplate(_ number: Int32) { template = number }

  /// Adds a level to the list, by the number of its kind in `\levelnfc`.
  mutating func addLevel(_ kind: Int32) {
    guard levels.count < 9 else { return }
    let marker: ListItem.Marker =
      switch kind {
      case 0, 22: .decimal
      case 1: .upperRoman
      case 2: .lowerRoman
      case 3: .upperLetter
      case 4: .lowerLetter
      default: .bullet
      }
    levels.append(marker)
  }

  /// Sets the id of the list that is being read, or the list to which an override refers.
  mutating func setList(_ id: Int32, isOverride: Bool) {
    listID = id
    if !isOverride, lists.count < Self.limit { lists[id] = (levels, template) }
  }

  mutating func endOverride(_ number: Int32) {
    if overrides.count < Self.limit, let list = lists[listID] { overrides[number] = list }
  }
}

extension RTFReader {
  /// Handles the words of the header's tables. Returns false for other words.
  mutating func handleTable(_ word: RTFWord, _ value: Int32?) -> Bool {
    switch word {
    case .fonttbl:
      group.destination = .fontTable
      collected = []
    case .fcharset:
      tables.fontCharset = value.map(Int.init)
      if let number = value.flatMap({ CodePage.number(charset: Int($0)) }) { setPage(number) }
    case .cpg: if let value, value > 0 { setPage(Int(value)) }
    case .colortbl: group.destination = .colorTable
    case .red, .green, .blue:
      guard group.destination == .colorTable else { return true }
      var color = tables.color ?? (0, 0, 0)
      switch word {
      case .red: color.red = value ?? 0
      case .green: color.green = value ?? 0
      default: color.blue = value ?? 0
      }
      tables.color = color
    case .stylesheet:
      group.destination = .styleSheet
      group.character = RTFCharacterState()
      group.paragraph = RTFParagraphState()
      collected = []
    case .cs, .ds, .ts: if group.destination == .styleSheet { tables.isOther = true }
    case .sbasedon: tables.styleBase = value
    case .dplid:
      group.destination = .styleID
      tables.styleID = []
    case .dplmissing: tables.isMissing = true
    case .listtable: group.destination = .listTable
    case .listoverridetable: group.destination = .listOverrideTable
    case .list: if group.destination == .listTable { tables.beginList() }
    case .listtemplateid: tables.setTemplate(value ?? 0)
    // Word writes both words with the same value, so only `\levelnfc` is read.
    case .levelnfc: if group.destination == .listTable { tables.addLevel(value ?? 0) }
    case .levelnfcn, .listlevel, .listoverride: break
    case .listid:
      tables.setList(value ?? 0, isOverride: group.destination == .listOverrideTable)
    case .pngblip: picture?.format = .png
    case .jpegblip: picture?.format = .jpeg
    case .emfblip: picture?.format = .emf
    case .wmetafile: picture?.format = .wmf
    case .macpict, .dibitmap: picture?.format = .other
    case .picwgoal: picture?.width = value.map { Twips(Int($0)) }
    case .pichgoal: picture?.height = value.map { Twips(Int($0)) }
    default: return false
    }
    return true
  }

  /// Sets the code page of the font's name and of text in this font.
  private mutating func setPage(_ number: Int) {
    guard group.destination == .fontTable, fontPages.count < 65_536 else { return }
    fontPages[tables.fontNumber] = number
    usePage(of: tables.fontNumber)
  }

  /// Ends the name of a font or a style.
  mutating func endName() {
    flush()
    let name = String(units: collected).oneLineName
    collected = []
    guard group.destination == .styleSheet else {
      tables.endFont(name)
      tables.fontCharset = nil
      return usePage(of: nil)
    }
    defer {
      (tables.styleNumber, tables.styleBase, tables.styleID) = (nil, nil, [])
      (tables.isMissing, tables.isOther) = (false, false)
    }
    if tables.isOther { return }
    let id = tables.styleID.isEmpty ? nil : String(units: tables.styleID)
    tables.endStyle(
      RTFTables.Style(
        name: name, id: id, base: tables.styleBase, isMissing: tables.isMissing,
        character: group.character, paragraph: group.paragraph), tables.styleNumber ?? 0)
  }
}

extension String {
  /// The name without control characters and without spaces at its ends, at most 200 scalars.
  fileprivate var oneLineName: String {
    // Uses scalars, because a space and a combining mark after it are one character.
    var scalars = unicodeScalars.filter { $0.properties.generalCategory != .control }
      .prefix(200)
    while scalars.last == " " { scalars.removeLast() }
    while scalars.first == " " { scalars.removeFirst() }
    return String(String.UnicodeScalarView(scalars))
  }
}

/// Parses the instructions of fields.
enum RTFField {
  /// Returns the address in a HYPERLINK instruction; nil for other fields and invalid addresses.
  /// O(instruction).
  static func link(in units: [UInt16]) -> String? {
    var words: [(text: [UInt16], isQuoted: Bool)] = []
    var word: [UInt16] = []
    var isQuoted = false
    // A closing typographic quotation mark ends a word only if an opening one began it. Otherwise
    // it may be part of an address.
    var isTypographic = false
    var hasWord = false
    var index = 0
    func isSpace(_ unit: UInt16) -> Bool { unit == 0x20 || unit == 0x09 || unit == 0x2028 }
    while index < units.count {
      let unit = units[index]
      if unit == 0x5C, index + 1 < units.count, isQuoted {
        // Inside quotes, a backslash escapes the next character.
        word.append(units[index + 1])
        index += 2
        continue
      }
      if unit == 0x22 || (isQuoted ? isTypographic && unit == 0x201D : unit == 0x201C) {
        isTypographic = unit == 0x201C
        if isQuoted || hasWord { words.append((word, isQuoted)) }
        (word, hasWord) = ([], !isQuoted)
        isQuoted.toggle()
      } else if !isQuoted, isSpace(unit) {
        if hasWord { words.append((word, false)) }
        (word, hasWord) = ([], false)
      } else {
        word.append(unit)
        hasWord = true
      }
      index += 1
    }
    if hasWord { words.append((word, isQuoted)) }
    func text(_ word: [UInt16]) -> String { String(units: word) }
    words.removeAll { $0.text.isEmpty && !$0.isQuoted }
    guard let first = words.first, text(first.text).uppercased() == "HYPERLINK" else { return nil }
    var address = ""
    var part: String?
    var place = 1
    while place < words.count {
      let (word, isQuoted) = words[place]
      place += 1
      if !isQuoted, word.first == 0x5C {
        // These switches have a value.
        guard place < words.count, ["\\l", "\\o", "\\t", "\\m"].contains(text(word).lowercased())
        else { continue }
        if text(word).lowercased() == "\\l" { part = text(words[place].text) }
        if text(word).lowercased() != "\\m" { place += 1 }
      } else if address.isEmpty {
        address = text(word)
      }
    }
    if let part, !part.isEmpty { address += "#" + part }
    let isValid = CharacterAttribute.link(address).problem(within: .files) == nil
    return isValid ? address : nil
  }
}
