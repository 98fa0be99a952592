import Interchange
import Model

/// The Markdown file with the quotes of a text that the library does not have, such as a book read on
/// another device: a heading, the author, and each quote as a block quote with its location. It is the
/// person's own: it is only ever added to.
struct QuoteBook {
  /// What the text is called; empty for quotes of which that is not known.
  let title: String
  /// Who wrote it; may be empty.
  let author: String

  /// The folder of these files, in the library's.
  static let folder = "Quotes"

  /// What it begins with, and is called for that.
  static func heading(of title: String) -> String {
    title.isEmpty ? "Quotes" : "Quotes of \(title.oneLine)"
  }

  /// The one for a record.
  init(of record: AnnotationRecord) {
    title = record.title.oneLine
    author = record.author.oneLine
  }

  /// The file's name: two books that would have the same one are told apart by a digest.
  var fileName: String {
    let whole = author.isEmpty ? title : "\(title) - \(author)"
    var name = whole.replacing("/", with: "-")
    while name.hasPrefix(".") || name.hasPrefix(" ") { name.removeFirst() }
    while name.utf8.count > 120 { name.removeLast() }
    if name.isEmpty { return whole.isEmpty ? "Quotes.md" : Self.short(whole) + ".md" }
    return name + (name == whole ? "" : " " + Self.short(whole)) + ".md"
  }

  private static func short(_ text: String) -> String {
    String(IncomingRecord.digest([text]).prefix(8))
  }

  /// The file's text with the quotes that it does not have yet, and where each stands: the bytes of its
  /// block quote. Every quote of the file stands for one record at most. O(file and quotes).
  func adding(_ records: [AnnotationRecord], to old: [UInt8]) -> (
    bytes: [UInt8], places: [Range<Int>]
  ) {
    var bytes = old
    if bytes.isEmpty {
      bytes += "# \(Self.escaped(Self.heading(of: title)))\n".utf8
      if !author.isEmpty { bytes += "\n\(Self.escaped(author))\n".utf8 }
    } else if bytes.last != 10 {
      bytes.append(10)
    }
    var present = Self.blocks(of: old)
    let places = records.map { record -> Range<Int> in
      let quote = Self.blockQuote(record.quote)
      let location = Self.escaped(record.location.oneLine)
      if let index = present[quote]?.firstIndex(where: { location.isEmpty || $0.next == location }),
        let block = present[quote]?.remove(at: index)
      {
        return block.start..<block.start + quote.utf8.count
      }
      bytes.append(10)
      let start = bytes.count
      bytes += quote.utf8
      bytes.append(10)
      if !location.isEmpty { bytes += "\n\(location)\n".utf8 }
      return start..<start + quote.utf8.count
    }
    return (bytes, places)
  }

  /// The block quotes of a file by their text, with what follows each.
  private static func blocks(of bytes: [UInt8]) -> [String: [(start: Int, next: String)]] {
    var parts: [(start: Int, text: String)] = []
    var start: Int?
    var index = 0
    func end(at place: Int) {
      guard let first = start else { return }
      parts.append((first, String(decoding: bytes[first..<place], as: UTF8.self)))
      start = nil
    }
    while index < bytes.count {
      let line = bytes[index...].firstIndex(of: 10) ?? bytes.count
      if line == index {
        end(at: index - 1)
      } else if start == nil {
        start = index
      }
      index = line + 1
    }
    end(at: bytes.last == 10 ? bytes.count - 1 : bytes.count)
    var blocks: [String: [(start: Int, next: String)]] = [:]
    for (place, part) in parts.enumerated() where part.text.hasPrefix(">") {
      let next = place + 1 < parts.count ? parts[place + 1].text : ""
      // The last first, for they are taken from the end.
      blocks[part.text, default: []].append((part.start, next))
    }
    return blocks
  }

  // MARK: - Markdown

  /// A quote as a block quote without the last line's end.
  private static func blockQuote(_ quote: String) -> String {
    quote.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { line in
        let text = escaped(line.trimmingBlanks)
        return text.isEmpty ? ">" : "> " + text
      }.joined(separator: "\n")
  }

  /// A line that every dialect shows as it is.
  static func escaped(_ line: String) -> String {
    var result = ""
    var isStart = true
    var digits = 0
    let scalars = Array(line.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : " "
      let mark: Bool =
        switch scalar {
        case "\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~", "=", "$", "&", "{", "}", "^":
          true
        case "%": next == "%"
        case "!": next == "["
        case ":": index == 0 || next.properties.isAlphabetic || next == ":"
        case "-", "+": isStart
        case ".", ")": digits > 0 && digits == index
        default: false
        }
      if mark { result.unicodeScalars.append("\\") }
      // A NUL would be shown as another character.
      result.unicodeScalars.append(scalar == "\0" ? "\u{FFFD}" : scalar)
      isStart = false
      digits = (0x30...0x39).contains(scalar.value) && digits == index ? digits + 1 : digits
    }
    return result
  }
}

extension StringProtocol {
  /// Without blanks around it.
  fileprivate var trimmingBlanks: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
