import Synchronization

/// The images on a page that a terminal draws: their sizes in cells, and the data to send.
package final class PictureShow: Sendable {
  /// The protocols for sending images to terminals.
  package enum ImageProtocol: Hashable, Sendable {
    /// The protocol of kitty, in which placeholder cells represent the parts of an image.
    case kitty
    /// The protocol of iTerm2, which draws at the cursor. It is used for pages that are written
    /// once.
    case iTerm
  }

  /// An image with its size on a page.
  struct Placed: Hashable, Sendable {
    var number: Int
    var columns: Int
    var rows: Int
  }

  private struct State {
    var known: [String: Int?] = [:]
    var pictures: [Picture] = []
    var bytes = 0
    /// The last size of each image.
    var placed: [Int: Placed] = [:]
    var pending: [String] = []
  }

  /// The maximum number of images on a page, and their maximum total size in bytes.
  private static let mostPictures = 200
  private static let mostBytes = 64 << 20

  let imageProtocol: ImageProtocol
  private let cell: (width: Int, height: Int)
  private let mostRows: Int
  private let first: Int
  private let load: @Sendable (String) -> Picture?
  private let state = Mutex(State())

  /// Creates the images of a page.
  ///
  /// - Parameters:
  ///   - cell: the width and height of a cell in pixels.
  ///   - mostRows: the maximum number of rows of an image.
  ///   - first: a number below 65,536 that distinguishes these images from those of other programs.
  ///   - load: returns the image for a destination; nil if it must not be shown.
  package init(
    _ imageProtocol: ImageProtocol, cell: (width: Int, height: Int), mostRows: Int, first: Int,
    load: @escaping @Sendable (String) -> Picture?
  ) {
    (self.imageProtocol, self.mostRows, self.first) = (
      imageProtocol, max(1, mostRows), first & 0xFFFF
    )
    self.cell = (max(1, cell.width), max(1, cell.height))
    self.load = load
  }

  /// Returns the protocol that a terminal supports, according to the environment; nil if that isn't
  /// certain, as inside tmux and screen.
  package static func imageProtocol(_ environment: [String: String]) -> ImageProtocol? {
    func contains(_ name: String, _ values: String...) -> Bool {
      values.contains(environment[name] ?? "")
    }
    guard environment["TMUX"] == nil, environment["STY"] == nil else { return nil }
    let terminal = environment["TERM"] ?? ""
    if terminal.hasPrefix("screen") || terminal.hasPrefix("tmux") { return nil }
    if contains("TERM", "xterm-kitty", "xterm-ghostty") || contains("TERM_PROGRAM", "ghostty") {
      return .kitty
    }
    // A terminal that was started from kitty inherits its variables.
    let others = [
      "TERM_PROGRAM", "XTERM_VERSION", "VTE_VERSION", "KONSOLE_VERSION", "ALACRITTY_WINDOW_ID",
    ]
    if environment["KITTY_WINDOW_ID"]?.isEmpty == false,
      others.allSatisfy({ environment[$0] == nil })
    {
      return .kitty
    }
    if contains("TERM_PROGRAM", "iTerm.app", "WezTerm") || contains("LC_TERMINAL", "iTerm2") {
      return .iTerm
    }
    return nil
  }

  /// Determines the size of the image for a destination; nil if no image is shown.
  func place(_ destination: String, width: Int) -> Placed? {
    state.withLock { state in
      guard let number = number(of: destination, &state) else { return nil }
      let picture = state.pictures[number - 1]
      // The image has its own size, reduced to fit.
      var columns = min(width, Self.diacritics.count, (picture.width + cell.width - 1) / cell.width)
      func rows(_ columns: Int) -> Int {
        let height = columns * cell.width * picture.height / picture.width
        return max(1, (height + cell.height / 2) / cell.height)
      }
      let most = min(mostRows, Self.diacritics.count)
      if rows(columns) > most {
        columns = max(1, most * cell.height * picture.width / picture.height / cell.width)
      }
      let placed = Placed(number: number, columns: columns, rows: min(most, rows(columns)))
      let before = state.placed.updateValue(placed, forKey: number)
      if imageProtocol == .kitty, before != placed {
        if before == nil { state.pending.append(transmission(of: picture, number)) }
        state.pending.append(
          "\u{1B}_Ga=p,U=1,i=\(id(number)),p=1,c=\(placed.columns),r=\(placed.rows),q=2\u{1B}\\")
      }
      return placed
    }
  }

  private func number(of destination: String, _ state: inout State) -> Int? {
    if let known = state.known[destination] { return known }
    var number: Int?
    if state.pictures.count < Self.mostPictures, let picture = load(destination),
      // kitty supports only PNG.
      imageProtocol == .iTerm || picture.format == .png,
      state.bytes + picture.bytes.count <= Self.mostBytes
    {
      state.pictures.append(picture)
      state.bytes += picture.bytes.count
      number = state.pictures.count
    }
    state.known[destination] = .some(number)
    return number
  }

  private func id(_ number: Int) -> Int { first << 8 | number }

  /// Returns the data to write before the cells that were laid out since the last call. Each image
  /// is sent once.
  package func takePending() -> String {
    state.withLock { state in
      defer { state.pending = [] }
      return state.pending.joined()
    }
  }

  /// Returns the sequences that delete all images from the terminal's memory.
  package func cleanupSequence() -> String {
    state.withLock { state in
      guard imageProtocol == .kitty else { return "" }
      return state.placed.keys.sorted().map { "\u{1B}_Ga=d,d=I,i=\(id($0)),q=2\u{1B}\\" }.joined()
    }
  }

  /// Returns the sequences that send an image to kitty, in pieces of 4,096 characters.
  private func transmission(of picture: Picture, _ number: Int) -> String {
    let letters = Base64.encoded(picture.bytes)
    var text = ""
    var place = letters.startIndex
    while place < letters.endIndex {
      let end =
        letters.index(place, offsetBy: 4_096, limitedBy: letters.endIndex) ?? letters.endIndex
      let head = place == letters.startIndex ? "a=t,f=100,t=d,i=\(id(number)),q=2," : "q=2,"
      text += "\u{1B}_G\(head)m=\(end < letters.endIndex ? 1 : 0);\(letters[place..<end])\u{1B}\\"
      place = end
    }
    return text
  }

  // MARK: - Cells

  /// Returns the rows of an image. For kitty, they consist of placeholders. For iTerm2, they are
  /// empty except that the last one draws the image.
  func rows(of placed: Placed) -> [[Cell]] {
    var spanStyle = SpanStyle()
    spanStyle.picture = UInt16(placed.number)
    guard imageProtocol == .kitty else {
      spanStyle.picture |= Self.drawsAll
      let drawing = Cell(text: " ", width: 1, spanStyle: spanStyle, range: nil)
      return Array(repeating: [], count: placed.rows - 1) + [[drawing]]
    }
    return (0..<placed.rows).map { row in
      (0..<placed.columns).map { column in
        let scalars: [Unicode.Scalar] = [
          "\u{10EEEE}", Self.diacritics[row], Self.diacritics[column],
        ]
        let text = Character(String(String.UnicodeScalarView(scalars)))
        return Cell(text: text, width: 1, spanStyle: spanStyle, range: nil)
      }
    }
  }

  /// Marks the cell that draws a whole image.
  private static let drawsAll: UInt16 = 0x8000

  /// Returns the SGR parameters for a cell of an image. Its colour identifies the image.
  func parameters(of part: UInt16) -> String {
    guard imageProtocol == .kitty else { return "" }
    let id = id(Int(part))
    return "38;2;\(id >> 16 & 255);\(id >> 8 & 255);\(id & 255)"
  }

  /// Returns the sequence that draws a whole image, upwards and to the right from its last row,
  /// without moving the cursor; nil for any other cell.
  func drawing(of part: UInt16) -> String? {
    guard part & Self.drawsAll != 0 else { return nil }
    return state.withLock { state in
      let number = Int(part & ~Self.drawsAll)
      guard let placed = state.placed[number] else { return nil }
      let bytes = state.pictures[number - 1].bytes
      let up = placed.rows > 1 ? "\u{1B}[\(placed.rows - 1)A" : ""
      return "\u{1B}7\(up)\u{1B}]1337;File=inline=1;size=\(bytes.count);width=\(placed.columns);"
        + "height=\(placed.rows);preserveAspectRatio=1;doNotMoveCursor=1:"
        + Base64.encoded(bytes) + "\u{7}\u{1B}8"
    }
  }

  /// The combining characters with which kitty numbers rows and columns. Only the beginning of
  /// kitty's list is needed.
  static let diacritics: [Unicode.Scalar] = [
    0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C, 0x350,
    0x351, 0x352, 0x357, 0x35B, 0x363, 0x364, 0x365, 0x366, 0x367, 0x368, 0x369, 0x36A, 0x36B,
    0x36C, 0x36D, 0x36E, 0x36F, 0x483, 0x484, 0x485, 0x486, 0x487, 0x592, 0x593, 0x594, 0x595,
    0x597, 0x598, 0x599, 0x59C, 0x59D, 0x59E, 0x59F, 0x5A0, 0x5A1, 0x5A8, 0x5A9, 0x5AB, 0x5AC,
    0x5AF, 0x5C4, 0x610, 0x611, 0x612, 0x613, 0x614, 0x615, 0x616, 0x617, 0x657, 0x658, 0x659,
    0x65A, 0x65B, 0x65D, 0x65E, 0x6D6, 0x6D7, 0x6D8, 0x6D9, 0x6DA, 0x6DB, 0x6DC, 0x6DF, 0x6E0,
    0x6E1, 0x6E2, 0x6E4, 0x6E7, 0x6E8, 0x6EB, 0x6EC, 0x730, 0x732, 0x733, 0x735, 0x736, 0x73A,
    0x73D, 0x73F, 0x740, 0x741, 0x743, 0x745, 0x747, 0x749, 0x74A,
  ].compactMap { Unicode.Scalar(UInt32($0)) }
}

extension PictureShow: Hashable {
  package static func == (a: PictureShow, b: PictureShow) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Encodes bytes as Base64 (RFC 4648).
enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encoded(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    for place in stride(from: 0, to: bytes.count, by: 3) {
      let rest = bytes.count - place
      let group =
        Int(bytes[place]) << 16 | (rest > 1 ? Int(bytes[place + 1]) << 8 : 0)
        | (rest > 2 ? Int(bytes[place + 2]) : 0)
      result.append(letters[group >> 18])
      result.append(letters[group >> 12 & 63])
      result.append(rest > 1 ? letters[group >> 6 & 63] : UInt8(ascii: "="))
      result.append(rest > 2 ? letters[group & 63] : UInt8(ascii: "="))
    }
    return String(decoding: result, as: UTF8.self)
  }
}
