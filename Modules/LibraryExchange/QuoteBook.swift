import Interchange
import Model
import Workspace

/// A Markdown file of quotes from a text that the library does not have, such as a book read on
/// another device.
///
/// It consists of a heading, the author, and block quotes with their locations. The file belongs to
/// the user: Diple only appends to it.
struct QuoteBook {
  /// The title of the text; empty if unknown.
  let title: String
  /// The author of the text; may be empty.
  let author: String

  /// The folder of these files, relative to the library's folder.
  static let folder = "Quotes"

  /// Describes the file for the text that a record is from. Nothing is read or written.
  init(of record: AnnotationRecord) {
    title = record.title.oneLine
    author = record.author.oneLine
  }

  /// The name of the file. A digest distinguishes books whose names would be equal after shortening
  /// or replacing characters.
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

  /// Appends the quotes that the file does not contain yet.
  ///
  /// Every quote in the file matches one record at most. The quote of a highlight that is in the
  /// library can have another location in the file than at its source now. O(file and quotes).
  ///
  /// - Returns: the new content, and for each record the byte range of its block quote.
  func adding(_ records: [IncomingRecord], to old: [UInt8]) -> (
    bytes: [UInt8], places: [Range<Int>]
  ) {
    var bytes = old
    if bytes.isEmpty {
      bytes += "# \(Self.escaped(DocumentTitle.ofQuotes(from: title)))\n".utf8
      if !author.isEmpty { bytes += "\n\(Self.escaped(author))\n".utf8 }
    } else if bytes.last != 10 {
      bytes.append(10)
    }
    var present = Self.blocks(of: old)
    let places = records.map { incoming -> Range<Int> in
      let quote = Self.blockQuote(incoming.record.quote)
      let location = Self.escaped(incoming.record.location.oneLine)
      let blocks = present[quote] ?? []
      let same = blocks.firstIndex { location.isEmpty || $0.next == location }
      if let index = same ?? (incoming.match == nil ? nil : blocks.indices.first),
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

  /// Returns the block quotes of a file by their text: the start of each and the paragraph that
  /// follows it.
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
      // Keep the order of the file, so that of several equal quotes the first is matched first.
      blocks[part.text, default: []].append((part.start, next))
    }
    return blocks
  }

  // MARK: - Markdown

  /// Formats a quote as a Markdown block quote, without the final line break.
  private static func blockQuote(_ quote: String) -> String {
    quote.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { line in
        let text = escaped(line.trimmed)
        return text.isEmpty ? ">" : "> " + text
      }.joined(separator: "\n")
  }

  /// Escapes a line so that every dialect renders it literally.
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
      // CommonMark renders a NUL as U+FFFD. Write that character instead.
      result.unicodeScalars.append(scalar == "\0" ? "\u{FFFD}" : scalar)
      isStart = false
      digits = (0x30...0x39).contains(scalar.value) && digits == index ? digits + 1 : digits
    }
    return result
  }
}
