/// Names of files that are made of titles.
package enum FileName {
  /// The words in small letters with `-` between, for names that stand in links.
  static func slug(_ text: String) -> String {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    var slug = words.joined(separator: "-")
    while slug.utf8.count > 60 { slug.removeLast() }
    while slug.hasSuffix("-") { slug.removeLast() }
    return slug.isEmpty ? "untitled" : slug
  }

  /// A title as a name that every system takes, without an ending; empty where nothing is left.
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

  /// The last part of a path, without its ending.
  static func stem(_ path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return String(last) }
    return String(last[..<dot])
  }
}
