/// A line of an article: the text of a block-level element, or the text beside such elements in
/// another one. `ArticleFinder` omits the lines that are not part of the article.
struct ArticleLine {
  /// The nodes that contain exactly this text.
  var nodes: [Int]
  /// The nearest block-level element.
  let block: Int
  /// The text in one line; empty if it is longer than `longest`.
  var text = ""
  /// The number of letters, and how many of these are in links to other pages.
  var length: Int32 = 0
  var linked: Int32 = 0
  /// Whether the line is in a place where nothing is omitted, such as a table or beside a picture.
  var isKept = false
  var isHeading = false
  var isItem = false

  /// The length up to which the text of a line is read, in bytes.
  static let longest = 400

  /// Whether the line is a sentence of the article, rather than a label or a link.
  var isProse: Bool { !isHeading && length >= 60 && Double(linked) < 0.3 * Double(length) }
  /// Whether most of the line is a link to another page.
  var isLink: Bool { linked > 0 && Double(linked) >= 0.6 * Double(length) }

  /// Whether the line can be an item of a list of other pages: a link, or a few words with one.
  var isTeaser: Bool {
    isLink || isItem && length <= 160 && Double(linked) >= 0.2 * Double(length)
  }

  /// The words of the text in lower case, separated by blanks, without punctuation.
  var words: String { text.inWords }
}

extension String {
  /// The words in lower case, separated by blanks, without punctuation: `don’t miss` becomes
  /// `dont miss`.
  var inWords: String {
    var result = ""
    for character in lowercased() where character != "'" && character != "’" {
      if character.isLetter || character.isNumber {
        result.append(character)
      } else if !result.isEmpty, result.last != " " {
        result.append(" ")
      }
    }
    if result.last == " " { result.removeLast() }
    return result
  }
}

extension MarkupTree {
  /// Returns the lines of elements, in page order. O(nodes × the depth of nested elements).
  ///
  /// - Parameters:
  ///   - lengths: for each node, the number of letters in it.
  ///   - linked: for each node, the number of letters in links to other pages.
  func lines(of parts: [Int], lengths: [Int32], linked: [Int32]) -> [ArticleLine] {
    var hasImage = [Bool](repeating: false, count: nodes.count)
    for node in (1..<nodes.count).reversed() where !nodes[node].isDropped {
      if ["img", "picture", "image", "math"].contains(nodes[node].name) { hasImage[node] = true }
      if hasImage[node] { hasImage[parent(of: node)] = true }
    }
    let borders = Set(parts)
    var lines: [ArticleLine] = []
    var counts: [Int: Int] = [:]
    var before = 0
    for part in parts {
      for node in descendants(of: part) where nodes[node].name.isEmpty {
        if lengths[node] == 0 {
          if let last = lines.indices.last { lines[last].text += " " }
          continue
        }
        var (block, top, isKept, isHeading, isItem) = (part, node, false, false, false)
        var isInside = true
        for ancestor in ancestors(of: parent(of: node)) {
          let name = nodes[ancestor].name
          if isInside, ancestor == part || BlockReader.blockNames.contains(name) {
            (block, isInside) = (ancestor, false)
          }
          if isInside { top = ancestor }
          switch name {
          case "pre", "code", "math", "table": isKept = true
          case "figure", "figcaption": if hasImage[ancestor] { isKept = true }
          case "h1", "h2", "h3", "h4", "h5", "h6": isHeading = true
          case "li", "dd", "dt": isItem = true
          default: break
          }
          if ancestor == part { break }
        }
        if hasImage[top] { isKept = true }
        // A heading of the first level is the title.
        if isHeading, nodes[block].name == "h1" { isKept = true }
        if lines.last?.block != block {
          counts[block, default: 0] += 1
          lines.append(
            ArticleLine(
              nodes: [], block: block, isKept: isKept, isHeading: isHeading, isItem: isItem))
        }
        let last = lines.count - 1
        if lines[last].nodes.last != top { lines[last].nodes.append(top) }
        if lines[last].length <= Int32(ArticleLine.longest) {
          // The name of an author is often beside a label without a blank.
          if parent(of: node) != before { lines[last].text += " " }
          lines[last].text += nodes[node].text
        }
        before = parent(of: node)
        lines[last].length += lengths[node]
        lines[last].linked += linked[node]
        lines[last].isKept = lines[last].isKept || isKept
      }
    }
    for index in lines.indices {
      let block = lines[index].block
      if counts[block] == 1, lengths[block] == lines[index].length, !borders.contains(block),
        !hasImage[block]
      {
        lines[index].nodes = [block]
      }
      lines[index].text =
        lines[index].text.utf8.count > ArticleLine.longest ? "" : lines[index].text.inOneLine
    }
    return lines
  }
}
