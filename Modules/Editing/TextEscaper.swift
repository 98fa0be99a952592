import MarkdownParse
import Model

/// Writes text so that it is parsed literally.
struct TextEscaper {
  private let document: ParsedDocument
  private let leaf: Leaf

  init(_ document: ParsedDocument, _ leaf: Leaf) {
    self.document = document
    self.leaf = leaf
  }

  /// Returns a piece of a former code span as plain text. Escapes characters that would be parsed
  /// as markup or, if `all` is true, every mark that can be escaped.
  func plain(_ piece: LeafPiece, all: Bool) -> [UInt8] {
    if case .lineBreak = piece.kind { return Array(document.source.bytes[piece.source]) }
    let text = document.text.utf16
    let unit = text[piece.text.lowerBound]
    guard piece.text.count == 1, let byte = UInt8(exactly: unit), byte.isMarkByte else {
      return Array(document.text.substring(TextRange(utf16: piece.text)).utf8)
    }
    let block = document.blocks[leaf.block].text.utf16
    let before = piece.text.lowerBound > block.lowerBound ? text[piece.text.lowerBound - 1] : 10
    let after = piece.text.upperBound < block.upperBound ? text[piece.text.upperBound] : 10
    let isFirst = piece.text.lowerBound == block.lowerBound
    let isEscaped =
      all || MarkdownEscaping.hasMeaning(byte, before, after, isFirst: isFirst, isCell: leaf.isCell)
    return isEscaped ? [UInt8(ascii: "\\"), byte] : [byte]
  }

  /// Returns an address as plain text, with the characters escaped that would make it a link.
  func unlinked(_ address: String) -> [UInt8] {
    var result: [UInt8] = []
    let bytes = Array(address.utf8)
    for (index, byte) in bytes.enumerated() {
      let isWWW = byte == UInt8(ascii: ".") && index == 3 && address.hasPrefix("www")
      if "@:*_[]`~\\".utf8.contains(byte) || isWWW { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    return result
  }
}
