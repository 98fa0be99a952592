/// Finds the article of a page among menus, advertisements and lists of other pages.
///
/// The article is the element with the highest score. Each paragraph adds to the scores of its
/// ancestors, by its length and its number of commas; a high share of links lowers the score. If
/// the result is too short, further attempts omit less of the page.
struct ArticleFinder {
  var tree: MarkupTree
  private let body: Int
  /// The metadata of the page, with which its lines are compared.
  let metadata: PageMetadata
  /// The parts of the page that this attempt omits.
  private var rules = Rules()
  private var scores: [Int: Double] = [:]
  /// For each node, the number of letters in it, and how many of these are in links.
  private(set) var lengths: [Int32] = []
  private(set) var linked: [Int32] = []
  /// For each node, the number of letters in paragraphs and items that consist of sentences.
  private(set) var prose: [Int32] = []

  private struct Rules {
    var dropsUnlikely = true
    var weighsNames = true
    var cleans = true
  }

  /// The number of letters from which the result of an attempt is accepted without further
  /// attempts.
  private static let enough = 500
  /// The number of letters from which the result of the first attempt is accepted if it consists of
  /// sentences.
  private static let shortest = 250
  /// The minimum number of letters of an article.
  static let fewest = 140

  /// The minimum share of the page's unlinked text that an article contains, as a divisor: 6 is one
  /// sixth.
  private static let leastShare: Int32 = 6

  private init(_ tree: MarkupTree, _ body: Int, _ metadata: PageMetadata) {
    (self.tree, self.body, self.metadata) = (tree, body, metadata)
  }

  /// The article of a page.
  struct Found {
    /// The elements that form the article, in page order; empty if the page has none.
    var parts: [Int]
    /// The page without everything else in these elements.
    var tree: MarkupTree
    /// The number of letters in the article's sentences.
    var prose = 0
    /// The number of letters in all sentences of the page.
    var pageProse = 0
  }

  /// Returns a page's article. O(nodes) for each of up to five attempts.
  static func find(in page: MarkupTree, metadata: PageMetadata) -> Found {
    let body = page.first("body") ?? MarkupTree.root
    let scope = scope(of: page, in: body)
    var best = Found(parts: [], tree: page)
    var length = 0
    let attempts = [
      Rules(), Rules(dropsUnlikely: false), Rules(dropsUnlikely: false, weighsNames: false),
      Rules(dropsUnlikely: false, weighsNames: false, cleans: false),
    ]
    for rules in attempts {
      var finder = ArticleFinder(page, scope, metadata)
      finder.rules = rules
      let parts = finder.attempt()
      let found = parts.reduce(0) { $0 + Int(finder.lengths[$1]) }
      finder.measureProse()
      let prose = parts.reduce(0) { $0 + Int(finder.prose[$1]) }
      // What a further attempt adds to sentences may be menus.
      if found > length, best.parts.isEmpty || prose > best.prose * 11 / 10 {
        length = found
        best.parts = parts
        best.tree = finder.tree
        best.prose = prose
      }
      // A short article is one if it consists of sentences: what the next attempts would add are
      // comments and advertisements.
      let isShortProse =
        rules.dropsUnlikely && length >= shortest && best.prose * 3 >= length * 2
      if length >= enough || isShortProse { break }
    }
    var whole = ArticleFinder(page, body, metadata)
    whole.rules = attempts[3]
    whole.dropUnread()
    whole.measure()
    whole.measureProse()
    best.pageProse = Int(whole.prose[body])
    if length >= fewest { return best }
    // A page whose whole text is short and not mostly links is a note or an example. All of it is
    // the article.
    let all = Int(whole.lengths[body])
    let isShort = all > 0 && all < fewest && whole.linkShare(body) < 0.5
    return Found(parts: isShort ? [body] : [], tree: whole.tree)
  }

  /// Returns the element marked as the page's main part if there is exactly one and it has enough
  /// text; otherwise the body.
  private static func scope(of tree: MarkupTree, in body: Int) -> Int {
    var mains: [Int] = []
    for node in tree.descendants(of: body) {
      let isMain =
        tree.name(of: node) == "main" || tree.attribute("role", of: node) == "main"
        || tree.attribute("itemprop", of: node)?.lowercased() == "articlebody"
      // A marked element inside another is part of it.
      if isMain, !tree.ancestors(of: node).dropFirst().contains(where: mains.contains) {
        mains.append(node)
        if mains.count > 1 { return body }
      }
    }
    guard mains.count == 1, tree.text(of: mains[0]).count >= enough else { return body }
    return mains[0]
  }

  // MARK: - One attempt

  private mutating func attempt() -> [Int] {
    dropUnread()
    measure()
    measureProse()
    score()
    guard var top = candidate() else {
      return Int(lengths[body]) >= Self.fewest ? cleaned([body]) : []
    }
    // If the element is the only child with text, the siblings to consider are those of its parent.
    while top != body, tree.parent(of: top) > 0,
      tree.children(of: tree.parent(of: top)).filter({ lengths[$0] > 0 }).count == 1
    {
      top = tree.parent(of: top)
    }
    var parts = siblings(of: top)
    var found = parts.reduce(0) { $0 + prose[$1] }
    // The parts of an article can be in separate elements, beside an ancestor.
    for ancestor in tree.ancestors(of: tree.parent(of: top)) {
      // Nothing outside of the marked main part was examined.
      guard top != body, ancestor != body, ancestor > 0 else { break }
      let wider = tree.children(of: tree.parent(of: ancestor)).filter {
        $0 == ancestor || isProse($0, beside: found)
      }
      let count = wider.reduce(0) { $0 + ($1 == ancestor ? found : prose[$1]) }
      if count - found > found / 4 { (parts, found) = (wider, count) }
    }
    // On a page that consists of many lists or is an index, no single element contains most of the
    // text. The whole page is used.
    let unlinked = parts.reduce(0) { $0 + lengths[$1] - linked[$1] }
    if unlinked < (lengths[body] - linked[body]) / Self.leastShare { parts = [body] }
    return cleaned(parts)
  }

  /// Drops what is not part of the article in its elements, and returns those that are not empty
  /// then.
  private mutating func cleaned(_ parts: [Int]) -> [Int] {
    if rules.cleans {
      dropTeasers(in: parts)
      dropShareLinks(in: parts)
      dropSubscriptions(in: parts)
      dropNamed(in: parts)
      let all = parts.reduce(0) { $0 + prose[$1] }
      for part in parts { clean(part, of: all) }
    }
    measure()
    if rules.cleans {
      dropLines(in: parts)
      measure()
      dropLastHeadings(of: parts)
    }
    return parts.filter { lengths[$0] > 0 || tree.first("img", in: $0) != nil }
  }

  private static let unlikely = [
    "-ad-", "ai2html", "banner", "breadcrumb", "combx", "comment", "community", "cover-wrap",
    "disqus", "extra", "footer", "gdpr", "legends", "menu", "related", "remark", "replies", "rss",
    "shoutbox", "sidebar", "skyscraper", "social", "sponsor", "supplemental", "ad-break",
    "agegate", "pagination", "pager", "popup", "yom-remote", "cookie", "newsletter", "subscribe",
    "signup", "sign-up", "share", "toolbar", "navbox", "noprint", "mw-editsection", "mw-jump",
    "toc-", "headerlink",
  ]
  private static let maybe = [
    "and", "article", "body", "column", "content", "main", "mathjax", "shadow",
  ]
  private static let roles: Set<String> = [
    "menu", "menubar", "complementary", "navigation", "alert", "alertdialog", "dialog", "search",
    "banner", "contentinfo",
  ]

  private mutating func dropUnread() {
    for node in tree.descendants(of: body).map({ $0 }) {
      let name = tree.name(of: node)
      guard !name.isEmpty, node != body else { continue }
      let isMath = ["script", "math", "span"].contains(name) && hasMath(node, name)
      if isMath { continue }
      let purpose = tree.purpose(of: node)
      let isSign =
        name == "a"
        && ["¶", "#", "§", "🔗", "permalink"].contains(tree.beginning(of: node).lowercased())
      // The texts of drawings are mostly labels of charts and buttons.
      if BlockReader.unreadNames.contains(name) || name == "svg"
        || BlockReader.isHidden(node, in: tree)
        || name == "nav" || purpose.hasPart("mw-editsection") || isSign
        || tree.attribute("role", of: node).map(Self.roles.contains) == true
      {
        tree.drop(node)
        continue
      }
      guard rules.dropsUnlikely, !["body", "a", "html", "main", "article"].contains(name),
        !purpose.isEmpty
      else { continue }
      let isUnlikely = !isPost(node, purpose) && Self.unlikely.contains { purpose.hasPart($0) }
      if isUnlikely, !Self.maybe.contains(where: { purpose.hasPart($0) }),
        !tree.ancestors(of: node).contains(where: {
          ["table", "code", "pre", "figure"].contains(tree.name(of: $0))
        }),
        !PageNotes.holdsNotes(node, in: tree)
      {
        tree.drop(node)
      }
    }
  }

  /// Returns whether an element embeds a post of a social network, which is a quotation.
  private func isPost(_ node: Int, _ purpose: String) -> Bool {
    purpose.hasPart("embed")
      && tree.descendants(of: node).prefix(50).contains { tree.name(of: $0) == "blockquote" }
  }

  private func hasMath(_ node: Int, _ name: String) -> Bool {
    if name == "math" { return true }
    if name == "script" { return tree.attribute("type", of: node)?.hasPrefix("math/tex") == true }
    let purpose = tree.purpose(of: node)
    return purpose.hasPart("mwe-math") || purpose.hasPart("katex-mathml")
  }

  /// Counts letters from the last node to the first, because children follow their parents.
  private mutating func measure() {
    let count = tree.nodes.count
    (lengths, linked) = (
      [Int32](repeating: 0, count: count), [Int32](repeating: 0, count: count)
    )
    // Elements within a link are parts of it.
    var isLink = [Bool](repeating: false, count: count)
    for node in 1..<count {
      isLink[node] =
        isLink[tree.parent(of: node)]
        || tree.nodes[node].name == "a"
          && tree.attribute("href", of: node).map(Self.leadsAway) == true
    }
    for node in (1..<count).reversed() {
      if tree.nodes[node].isDropped {
        (lengths[node], linked[node]) = (0, 0)
        continue
      }
      let name = tree.nodes[node].name
      if name.isEmpty {
        lengths[node] = Int32(
          tree.nodes[node].text.utf8.reduce(0) { $0 + ($1 > 0x20 && $1 & 0xC0 != 0x80 ? 1 : 0) })
        if isLink[node] { linked[node] = lengths[node] }
      }
      let parent = tree.parent(of: node)
      lengths[parent] += lengths[node]
      linked[parent] += linked[node]
    }
  }

  /// Counts the letters of sentences, from the last node to the first.
  private mutating func measureProse() {
    prose = [Int32](repeating: 0, count: tree.nodes.count)
    for node in (1..<tree.nodes.count).reversed() where !tree.nodes[node].isDropped {
      let name = tree.nodes[node].name
      if Self.textNames.contains(name), holdsOnlyLines(node) {
        let isSentence = lengths[node] >= 60 && linkShare(node) < 0.3
        prose[node] = isSentence ? lengths[node] - linked[node] : 0
      }
      prose[tree.parent(of: node)] += prose[node]
    }
  }

  private static let textNames: Set<String> = [
    "p", "td", "pre", "blockquote", "dd", "div", "section", "li",
  ]

  /// Returns whether an element consists mostly of sentences and has enough of them to be a part of
  /// an article beside `found` letters of it. Teasers and notes below an article have fewer.
  private func isProse(_ node: Int, beside found: Int32) -> Bool {
    prose[node] >= max(200, found / 5) && Double(prose[node]) >= 0.6 * Double(lengths[node])
      && score(ofNames: node) >= 0
  }

  /// Returns whether a link leads to another page, rather than to a place in this one or to a
  /// script.
  private static func leadsAway(_ address: String) -> Bool {
    !address.hasPrefix("#") && !address.hasPrefix("javascript:")
  }

  private func linkShare(_ node: Int) -> Double {
    lengths[node] == 0 ? 0 : Double(linked[node]) / Double(lengths[node])
  }

  private func score(ofNames node: Int) -> Double {
    guard rules.weighsNames else { return 0 }
    let purpose = tree.purpose(of: node)
    guard !purpose.isEmpty else { return 0 }
    var score = 0.0
    if Self.negative.contains(where: { purpose.hasPart($0) }) { score -= 25 }
    if Self.positive.contains(where: { purpose.hasPart($0) }) { score += 25 }
    return score
  }

  private static let positive = [
    "article", "body", "content", "entry", "hentry", "h-entry", "main", "page", "post", "text",
    "blog", "story",
  ]
  private static let negative = [
    "-ad-", "hidden", "banner", "combx", "comment", "com-", "contact", "footer", "gdpr", "masthead",
    "media", "meta", "outbrain", "promo", "related", "scroll", "share", "shoutbox", "sidebar",
    "skyscraper", "sponsor", "shopping", "tags", "widget",
  ]

  private static let commas: Set<Unicode.Scalar> = ["،", "﹐", "︐", "﹑", "、", "，"]

  private mutating func score() {
    for node in tree.descendants(of: body) {
      let name = tree.name(of: node)
      let isText =
        ["p", "td", "pre", "blockquote", "dd"].contains(name)
        || ["div", "section", "li"].contains(name) && holdsOnlyLines(node)
      guard isText, lengths[node] >= 25 else { continue }
      let text = tree.rawText(of: node)
      let commas = text.unicodeScalars.count {
        $0 == "," || $0.value >= 0x80 && Self.commas.contains($0)
      }
      let points = 1 + Double(commas) + min(Double(lengths[node]) / 100, 3)
      for (level, ancestor) in tree.ancestors(of: tree.parent(of: node)).prefix(5).enumerated() {
        guard ancestor == body || tree.ancestors(of: ancestor).contains(body) else { break }
        if scores[ancestor] == nil { scores[ancestor] = initial(ancestor) }
        let divisor = level == 0 ? 1.0 : level == 1 ? 2.0 : Double(level) * 3
        scores[ancestor]! += points / divisor
        if ancestor == body { break }
      }
    }
    for (node, score) in scores { scores[node] = score * (1 - linkShare(node)) }
  }

  private func holdsOnlyLines(_ node: Int) -> Bool {
    tree.children(of: node).allSatisfy { child in
      let name = tree.name(of: child)
      return !BlockReader.blockNames.contains(name)
    }
  }

  private func initial(_ node: Int) -> Double {
    let base: Double =
      switch tree.name(of: node) {
      case "article": 10
      case "div", "main", "section": 5
      case "pre", "td", "blockquote": 3
      case "address", "ol", "ul", "dl", "dd", "dt", "li", "form": -3
      case "h1", "h2", "h3", "h4", "h5", "h6", "th": -5
      default: 0
      }
    return base + score(ofNames: node)
  }

  /// Returns the element with the highest score, or an ancestor of several elements with nearly the
  /// same score; nil if nothing has a score.
  private func candidate() -> Int? {
    let best = scores.sorted { ($0.value, -$0.key) > ($1.value, -$1.key) }.prefix(5)
    guard var top = best.first?.key, let points = best.first?.value, points > 0 else { return nil }
    let alike = best.dropFirst().filter { $0.value >= points * 0.75 }.map(\.key)
    if alike.count >= 2 {
      for ancestor in tree.ancestors(of: top).dropFirst() {
        let count = alike.count { tree.ancestors(of: $0).contains(ancestor) }
        if count >= 2 {
          top = ancestor
          break
        }
        if ancestor == body { break }
      }
    }
    // If an ancestor has a higher score, the article extends beyond the element.
    var last = scores[top] ?? points
    let threshold = last / 3
    for ancestor in tree.ancestors(of: top).dropFirst() {
      guard ancestor != body, let score = scores[ancestor], score >= threshold else { break }
      if score > last {
        top = ancestor
        break
      }
      last = score
    }
    return top
  }

  /// Returns the candidate with its siblings that look like parts of the article.
  private func siblings(of top: Int) -> [Int] {
    guard top != body, top > 0 else { return [top] }
    let points = scores[top] ?? 0
    let threshold = max(10, points * 0.2)
    let kind = tree.attribute("class", of: top) ?? ""
    let kinds = Set(tree.children(of: top).filter { prose[$0] > 0 }.compactMap(firstClass))
    return tree.children(of: tree.parent(of: top)).filter { node in
      if node == top { return true }
      guard !tree.name(of: node).isEmpty else { return false }
      if isProse(node, beside: prose[top]) || node < top && isLead(node) { return true }
      let isAlike = !kind.isEmpty && tree.attribute("class", of: node) == kind
      // Some paragraphs of an article are beside an element with the others.
      if let own = firstClass(of: node), kinds.contains(own), lengths[node] > 0,
        linkShare(node) < 0.25
      {
        return true
      }
      if let score = scores[node], score + (isAlike ? points * 0.2 : 0) >= threshold { return true }
      switch tree.name(of: node) {
      case "p":
        let length = lengths[node]
        return length > 80 && linkShare(node) < 0.25
          || length > 0 && linkShare(node) == 0 && tree.text(of: node).contains(". ")
      case "h1", "h2", "figure", "pre": return lengths[node] > 0
      default: return false
      }
    }
  }

  private static let leads = [
    "summary", "lead", "intro", "standfirst", "subtitle", "deck", "teaser", "perex", "vorspann",
    "chapo", "ingress", "entradilla", "excerpt", "abstract",
  ]

  /// Returns whether an element before the text is its summary.
  private func isLead(_ node: Int) -> Bool {
    let purpose = tree.purpose(of: node)
    return prose[node] >= 60 && linked[node] == 0 && prose[node] == lengths[node]
      && Self.leads.contains { purpose.hasPart($0) }
  }

  private func firstClass(of node: Int) -> String? {
    tree.attribute("class", of: node)?.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }

  // MARK: - Removing clutter

  private static let headings: Set<String> = ["h2", "h3", "h4", "h5", "h6"]

  /// Drops lists of other pages: elements with several headings that are links, with at most a few
  /// lines about each. O(nodes + the depths of the dropped ones).
  private mutating func dropTeasers(in parts: [Int]) {
    let all = parts.reduce(0) { $0 + prose[$1] }
    guard all >= Self.fewest else { return }
    var links = [Int32](repeating: 0, count: tree.nodes.count)
    for node in (1..<tree.nodes.count).reversed() where !tree.nodes[node].isDropped {
      if Self.headings.contains(tree.nodes[node].name), lengths[node] > 0, linkShare(node) > 0.9 {
        links[node] = 1
      }
      links[tree.parent(of: node)] += links[node]
    }
    // Below the last long paragraph, links to the previous and the next page are omitted too.
    let last = parts.lazy.flatMap { tree.descendants(of: $0) }
      .last { prose[$0] >= Self.fewest && holdsOnlyLines($0) }
    for part in parts {
      for node in tree.descendants(of: part).map({ $0 }) where links[node] > 1 {
        let share = linkShare(node)
        guard ["div", "section", "ul", "ol"].contains(tree.name(of: node)),
          share > 0.5 || share > 0.3 && (links[node] > 2 || node > last ?? node),
          prose[node] <= 200 * links[node],
          prose[node] < all / 2, !tree.isDropped(node), !PageNotes.holdsNotes(node, in: tree)
        else { continue }
        tree.drop(node)
        dropHeading(before: node)
      }
    }
  }

  /// Drops the heading directly before a list that was dropped.
  private mutating func dropHeading(before list: Int) {
    var last: Int?
    for node in tree.children(of: tree.parent(of: list)) where node < list {
      if lengths[node] > 0 { last = node }
    }
    guard let last, Self.headings.contains(tree.name(of: last)), lengths[last] < 60 else { return }
    tree.drop(last)
  }

  /// Drops headings at the end of an article, such as those of lists that were dropped.
  private mutating func dropLastHeadings(of parts: [Int]) {
    for part in parts.reversed() {
      for node in tree.descendants(of: part).map({ $0 }).reversed() {
        let name = tree.name(of: node)
        if name == "img" { return }
        guard name.isEmpty, lengths[node] > 0, !tree.isDropped(node) else { continue }
        let heading =
          tree.ancestors(of: node).prefix { $0 != part }
          .first { Self.headings.contains(tree.name(of: $0)) }
          ?? (Self.headings.contains(tree.name(of: part)) ? part : nil)
        guard let heading else { return }
        tree.drop(heading)
      }
    }
  }

  /// Drops clutter in a part of an article with `all` letters of sentences.
  private mutating func clean(_ part: Int, of all: Int32) {
    for node in tree.descendants(of: part).map({ $0 }) where !tree.nodes[node].isDropped {
      // The name of an element can be wrong, but not for most of the text.
      if prose[node] > all / 2 { continue }
      switch tree.name(of: node) {
      case "form", "fieldset", "aside", "footer":
        if !PageNotes.holdsNotes(node, in: tree), lengths[node] < 2000 || linkShare(node) > 0.3 {
          tree.drop(node)
        }
      case "table", "ul", "ol", "div", "section", "dl": if isClutter(node) { tree.drop(node) }
      default: continue
      }
    }
  }

  /// Returns whether an element looks like a menu, a row of buttons or an advertisement.
  private func isClutter(_ node: Int) -> Bool {
    let length = Int(lengths[node])
    let names = score(ofNames: node)
    if PageNotes.holdsNotes(node, in: tree) || isPost(node, tree.purpose(of: node)) {
      return false
    }
    if tree.ancestors(of: node).contains(where: {
      ["figure", "pre", "code", "table"].contains(tree.name(of: $0)) && $0 != node
    }) {
      return false
    }
    if names < 0, length < 1000 { return true }
    let text = length < 2000 ? tree.rawText(of: node) : ""
    guard length < 2000, text.count(where: { ",،、，".contains($0) }) < 10 else { return false }
    let share = linkShare(node)
    let isList = ["ul", "ol", "dl"].contains(tree.name(of: node))
    var (images, inputs, media) = (0, 0, 0)
    for part in tree.descendants(of: node) {
      switch tree.name(of: part) {
      case "img", "picture", "math", "pre", "code": images += 1
      case "input", "button", "select", "textarea": inputs += 1
      case "iframe", "embed", "object": media += 1
      default: continue
      }
    }
    if length == 0 { return images == 0 && hasElements(node) }
    if inputs > 2, length < 200 { return true }
    if isList {
      // A menu within an item of a list is dropped with that list.
      if isInItem(node) { return false }
      return names < 25 && share > 0.75 && length > 20 && !isContents(node)
        || share > 0.9 && length < 400 && !isContents(node)
    }
    if media > 0, length < 25 { return true }
    return names < 25 && share > 0.4 && length < 1000 && images == 0
      || names >= 25 && share > 0.6 && length < 1000
  }

  /// Returns whether a list is part of an item of another one.
  private func isInItem(_ node: Int) -> Bool {
    tree.ancestors(of: tree.parent(of: node)).contains { tree.name(of: $0) == "li" }
  }

  /// Returns whether all links of a list lead to places within the page.
  private func isContents(_ node: Int) -> Bool { linked[node] == 0 }

  private func hasElements(_ node: Int) -> Bool {
    tree.children(of: node).contains { !tree.name(of: $0).isEmpty }
  }
}
