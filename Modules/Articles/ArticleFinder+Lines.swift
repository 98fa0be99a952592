/// The part of the finder that omits lines which are not part of the article.
extension ArticleFinder {
  /// The number of letters at the beginning of an article among which dates and authors are
  /// omitted, and the number at its end among which calls to readers are.
  private static let edge: Int32 = 500
  /// The maximum length of a date or a line with the authors, in letters.
  private static let longestByline: Int32 = 110

  /// Drops the lines of an article that are labels, calls to readers, or links to other pages
  /// between and around its paragraphs. Nothing is dropped if that would be half of the article.
  mutating func dropLines(in parts: [Int]) {
    let lines = tree.lines(of: parts, lengths: lengths, linked: linked)
    let total = lines.reduce(0) { $0 + $1.length }
    let sentences = lines.reduce(0) { $0 + ($1.isProse ? $1.length : 0) }
    guard sentences >= Self.fewest else { return }
    var isDropped = [Bool](repeating: false, count: lines.count)
    let byline = Byline(metadata)
    var seen: Set<String> = []
    var before: Int32 = 0
    var index = 0
    while index < lines.count {
      let line = lines[index]
      defer {
        if line.isProse { before += line.length }
        index += 1
      }
      guard !line.text.isEmpty, !line.isKept || isCaption(line) else { continue }
      let words = line.words
      // The captions of a gallery are often written for its overview, each picture and the whole.
      if isCaption(line), line.length >= 40, !seen.insert(words).inserted {
        isDropped[index] = true
        continue
      }
      if line.isKept { continue }
      let after = sentences - before - (line.isProse ? line.length : 0)
      let end = endOfTeasers(from: index, words, in: lines)
      if end > index {
        for teaser in index..<end { isDropped[teaser] = true }
        index = end - 1
      } else if isSign(line, words, isLast: after == 0) || isCounter(words)
        || isReference(line, after: index > 0 ? lines[index - 1] : nil)
        || before < Self.edge && line.length <= Self.longestByline && !line.isHeading
          && byline.matches(words, isSentence: ".!?。！？".contains(line.text.last!))
        || min(before, after) < Self.edge && isCall(line)
      {
        isDropped[index] = true
      }
    }
    let dropped = lines.indices.reduce(0) { $0 + (isDropped[$1] ? lines[$1].length : 0) }
    guard dropped < total / 2 else { return }
    for index in lines.indices where isDropped[index] {
      for node in lines[index].nodes { tree.drop(node) }
    }
  }

  private func isSign(_ line: ArticleLine, _ words: String, isLast: Bool) -> Bool {
    // A heading or an item can be a single word of the article.
    ClutterWords.signs.contains(words) && (!line.isHeading && !line.isItem || isLast)
  }

  private func isCounter(_ words: String) -> Bool {
    let words = words.split(separator: " ")
    guard (3...6).contains(words.count) else { return false }
    let numbers = words.count { $0.allSatisfy { ("0"..."9").contains($0) } }
    let others = words.count { ClutterWords.counters.contains(String($0)) }
    return numbers >= 2 && others >= 1 && numbers + others == words.count
  }

  /// Returns whether a line only refers to another page: `Related: …`, or a link in capitals.
  private func isReference(_ line: ArticleLine, after last: ArticleLine?) -> Bool {
    guard line.linked > 0, !line.isItem else { return false }
    let letters = line.text.filter(\.isLetter)
    if line.linked == line.length, letters.count >= 15, !line.isHeading, last?.isProse == true,
      letters.allSatisfy({ $0.isUppercase })
    {
      return true
    }
    if let colon = line.text.firstIndex(of: ":"),
      line.text[..<colon].utf8.count <= 40
    {
      let start = String(line.text[..<colon]).inWords
      let rest = line.text[colon...].utf8.count { $0 > 0x20 && $0 & 0xC0 != 0x80 } - 1
      let isStart = ClutterWords.relatedStarts.contains { start == $0 || start.hasPrefix($0 + " ") }
      if isStart, Double(line.linked) >= 0.8 * Double(rest) { return true }
    }
    let words = line.words
    return line.isLink
      // A sentence such as “Read more about this in the second part.” is part of the article.
      && line.text.last != "."
      && ClutterWords.relatedStarts.contains { $0.contains(" ") && words.hasPrefix($0 + " ") }
  }

  /// Returns the index after a list of other pages that begins with a heading for such lists;
  /// `start` if there is none.
  private func endOfTeasers(from start: Int, _ words: String, in lines: [ArticleLine]) -> Int {
    let line = lines[start]
    let all = words.split(separator: " ")
    let isNamed =
      all.count <= 7 && all.first == "more"
      && ["stories", "articles", "news", "posts", "coverage", "videos"].contains(all.last)
      || all.count <= 7
        && ["most read in ", "more from ", "more on ", "read more on "].contains {
          words.hasPrefix($0)
        }
    let isKnown = ClutterWords.relatedHeadings.contains(words)
    guard isKnown || isNamed, !line.isItem else { return start }
    var end = start + 1
    while end < lines.count, lines[end].isTeaser, !lines[end].isKept { end += 1 }
    if end > start + 1 { return end }
    // The list itself may have been dropped.
    let isAlone = end == lines.count || lines[end].isHeading
    let isClear = ClutterWords.clearHeadings.contains(where: words.hasPrefix)
    return isKnown && (isAlone && all.count > 1 || isClear) ? end : start
  }

  /// Returns whether a line asks its readers to subscribe to or follow something.
  private func isCall(_ line: ArticleLine) -> Bool {
    guard line.length <= 260, !line.isItem else { return false }
    var calls = 0
    let text = line.text.lowercased()
    for sentence in text.split(whereSeparator: { ".!?:".contains($0) }) {
      let start = sentence.drop { !$0.isLetter }
      if ClutterWords.calls.contains(where: start.hasPrefix),
        ClutterWords.services.contains(where: { String(start).hasPart($0) })
      {
        calls += sentence.utf8.count
      }
    }
    // The description of an author often ends with a call.
    return calls * 2 >= text.utf8.count
  }

  private func isCaption(_ line: ArticleLine) -> Bool {
    tree.ancestors(of: line.block).prefix(6).contains { node in
      let purpose = tree.purpose(of: node)
      return ["gallery", "slide", "carousel", "caption"].contains { purpose.hasPart($0) }
    }
  }

  // MARK: - Elements

  /// Drops links to services to which a reader can pass on the page, and lists that have only such
  /// links.
  mutating func dropShareLinks(in parts: [Int]) {
    for part in parts {
      for node in tree.descendants(of: part).map({ $0 }) where tree.name(of: node) == "a" {
        guard lengths[node] <= 60,
          let address = tree.attribute("href", of: node)?.prefix(200).lowercased(),
          ClutterWords.shareAddresses.contains(where: address.hasPart)
        else { continue }
        let row = tree.ancestors(of: tree.parent(of: node)).prefix(4)
          .first { ["ul", "ol"].contains(tree.name(of: $0)) && lengths[$0] <= 120 }
        tree.drop(row ?? node)
      }
    }
  }

  /// Drops the text around a field for an email address, which asks to subscribe or to comment.
  mutating func dropSubscriptions(in parts: [Int]) {
    let total = parts.reduce(0) { $0 + lengths[$1] }
    let borders = Set(parts)
    var forms: Set<Int> = []
    for node in 1..<tree.nodes.count where tree.name(of: node) == "input" {
      let words = ["type", "name", "id", "placeholder"]
        .compactMap { tree.attribute($0, of: node)?.prefix(100).lowercased() }
      guard words.contains(where: { $0.hasPart("mail") }) else { continue }
      let around = tree.ancestors(of: tree.parent(of: node)).prefix {
        lengths[$0] <= min(300, total / 5) && prose[$0] <= 200 && !borders.contains($0)
      }
      guard let form = Array(around).last, forms.insert(form).inserted,
        tree.first("img", in: form) == nil
      else { continue }
      tree.drop(form)
    }
  }

  /// Drops descriptions of the authors, and lists of pages that appear when pointing at a name.
  mutating func dropNamed(in parts: [Int]) {
    let total = parts.reduce(0) { $0 + prose[$1] }
    var links = [Int32](repeating: 0, count: tree.nodes.count)
    for node in (1..<tree.nodes.count).reversed() where !tree.nodes[node].isDropped {
      if tree.name(of: node) == "a" { links[node] += 1 }
      links[tree.parent(of: node)] += links[node]
    }
    for part in parts {
      for node in tree.descendants(of: part).map({ $0 }) where lengths[node] > 0 {
        let purpose = tree.purpose(of: node)
        guard !purpose.isEmpty, node != part else { continue }
        if ["rollover", "popover", "hovercard", "tooltip"].contains(where: purpose.hasPart) {
          let isContent = ["block", "box", "body", "card", "content", "panel", "text"]
            .contains { purpose.hasPart($0) }
          if links[node] > 2, isContent, Double(linked[node]) > 0.9 * Double(lengths[node]) {
            tree.drop(node)
          }
        } else if purpose.hasPart("author") || purpose.hasPart("byline") {
          let isBiography =
            ["bio", "about", "box", "info", "content", "card", "post-author", "desc", "profile"]
            .contains { purpose.hasPart($0) }
          if isBiography, (100..<1200).contains(lengths[node]), prose[node] < total / 4,
            ["div", "section", "p", "aside", "footer", "ul"].contains(tree.name(of: node))
          {
            tree.drop(node)
          }
        }
      }
    }
  }
}

/// The date and the authors of a page, with which the lines at the beginning of its article are
/// compared.
private struct Byline {
  /// The year, the month and the day of publication; nil if the day is unknown.
  private let date: [Int]?
  /// The names in lower case, each between blanks.
  private let authors: [String]

  /// The maximum length of what is beside the names of authors, such as their employer, and of what
  /// is before them, such as “written by”.
  private static let (longestRest, longestStart) = (32, 12)

  init(_ metadata: PageMetadata) {
    let parts = metadata.date.prefix { $0 != "T" }.split(separator: "-").compactMap { Int($0) }
    date = parts.count == 3 ? parts : nil
    authors = metadata.authors.prefix(10).map(\.inWords).filter { !$0.isEmpty }.map { " \($0) " }
  }

  /// Returns whether a line only states the date or the authors.
  ///
  /// - Parameters:
  ///   - words: the words of the line.
  ///   - isSentence: whether it ends as a sentence.
  func matches(_ words: String, isSentence: Bool) -> Bool {
    let count = words.split(separator: " ").count
    // “On 5 March 2021, the company closed.” is the first sentence of an article.
    return (!isSentence || count <= 6) && isDate(words)
      || (!isSentence || count <= 4) && isAuthor(words)
  }

  private func isDate(_ words: String) -> Bool {
    guard let date else { return false }
    let numbers = words.split { !("0"..."9").contains($0) }.compactMap { Int($0) }
    let words = words.split(separator: " ")
    guard words.count <= 20 else { return false }
    if words.count <= 5, words.last == "ago", !numbers.isEmpty { return true }
    // The day depends on the time zone. A date without the year has a time.
    return numbers.contains { abs($0 - date[2]) <= 1 }
      && (numbers.contains(date[0]) || numbers.count >= 3) && words.count - numbers.count <= 12
  }

  private func isAuthor(_ words: String) -> Bool {
    var rest = " " + words + " "
    var isFound = false
    for author in authors {
      guard let range = rest.firstRange(of: author) else { continue }
      // In captions, other words are before the name.
      if !isFound, rest[..<range.lowerBound].count > Self.longestStart { return false }
      isFound = true
      rest.replaceSubrange(range, with: " ")
    }
    return isFound && rest.count <= Self.longestRest
  }
}
