/// Makes file names from titles.
package enum FileName {
  /// Joins the words in lower case with `-`, for file names in links. At most 60 bytes; `untitled`
  /// for a text without letters and digits.
  static func slug(_ text: String) -> String {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    var slug = words.joined(separator: "-")
    while slug.utf8.count > 60 { slug.removeLast() }
    while slug.hasSuffix("-") { slug.removeLast() }
    return slug.isEmpty ? "untitled" : slug
  }

  /// Converts a title to a file name without extension that is valid on every system, of at most
  /// 120 bytes. Empty if no character is left.
  package static func plain(_ title: String) -> String {
    var name = ""
    for scalar in title.unicodeScalars {
      switch scalar {
      case "/", "\\", ":", "|", "<", ">": name += "-"
      case "\"", "*", "?": continue
      default:
        let isShown =
          scalar.properties.generalCategory != .control
          && !scalar.properties.isDefaultIgnorableCodePoint
        name.unicodeScalars.append(isShown ? scalar : " ")
      }
    }
    name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    name = String(name.drop { ".- ".contains($0) })
    while name.utf8.count > 120 { name.removeLast() }
    while let last = name.last, ". -".contains(last) { name.removeLast() }
    return name
  }

  /// The last component of a path, without its extension.
  static func stem(_ path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return String(last) }
    return String(last[..<dot])
  }
}
