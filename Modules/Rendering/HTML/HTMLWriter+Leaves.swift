import MarkdownParse
import Model

extension HTMLWriter {
  /// Writes a leaf: its element, its offset and its runs.
  ///
  /// - Parameters:
  ///   - attributes: the attributes of the element, with a space before each.
  ///   - inner: an element around all of the runs.
  ///   - label: HTML before the text that isn't part of it.
  mutating func writeLeaf(
    _ index: Int, _ element: String, _ attributes: String = "", inside inner: String? = nil,
    before label: String = "", code: ColoredCode? = nil, direction: String = "auto",
    isCell: Bool = false
  ) {
    let block = document.blocks[index]
    let range = block.text.utf16
    let (name, moreNames) = names.attributes(of: index)
    // An empty cell keeps its position in the row, and an empty heading its name.
    if range.isEmpty, !isCell, label.isEmpty, name.isEmpty, inner == nil { return }
    // Table cells and code have no paragraph layout.
    let isShaped = !isCell && inner == nil
    let parts = isShaped ? parts(of: range) : []
    var attributes = attributes
    if isShaped, parts.isEmpty, let names = format?.paragraph(at: range.lowerBound) {
      attributes = Self.adding(names, to: attributes)
    }
    if options.isEmbedded {
      piece.write("<\(element)\(attributes) data-e dir=\"\(direction)\">")
    } else {
      piece.write("<\(element)\(name)\(attributes) data-b=\"")
      piece.write(place: range.lowerBound)
      piece.write("\" dir=\"\(direction)\">")
    }
    if let inner { piece.write("<\(inner)>") }
    piece.write((options.isEmbedded ? "" : moreNames) + label)
    writeRuns(of: index, range, code, parts, isShaped: isShaped)
    if let inner { piece.write("</\(inner)>") }
    piece.write("</\(element)>\n")
    if !isCell { writeEmbeds(of: block) }
  }

  /// A range of a leaf that is written as one part.
  struct Stretch {
    var range: Range<Int>
    var style: TextStyle
    /// The attributes of the `a` element around it; nil if it is not in a link.
    var link: String?
    /// The address of the image that is shown in its place; nil for text.
    var picture: String?
    /// The reason why the image that ends here isn't shown; nil if no such image ends here.
    var reason: String?
    /// The name of its start as an anchor; nil if it has no name.
    var name: String?
  }

  /// The elements that are open inside a leaf.
  struct OpenElements {
    var link: String?
    var mark: ArraySlice<Int>?
  }

  private mutating func writeRuns(
    of index: Int, _ range: Range<Int>, _ code: ColoredCode?, _ parts: [Range<Int>],
    isShaped: Bool
  ) {
    var elements = OpenElements()
    var codeParts = code?.parts(in: range) ?? []
    var (parts, isInPart) = (parts[...], false)
    var formats = formatPieces(in: range, isShaped: isShaped)[...]
    for stretch in stretches(of: index) {
      var place = stretch.range.lowerBound
      if let name = stretch.name, !options.isEmbedded {
        closeAll(&elements)
        piece.write("<span id=\"\(name)\" data-x></span>")
      }
      while place < stretch.range.upperBound {
        if let part = parts.first, part.lowerBound <= place, !isInPart {
          beginPart(place)
          isInPart = true
        }
        var end = min(stretch.range.upperBound, parts.first?.upperBound ?? .max)
        var kind: CodeKind?
        if stretch.picture != nil {
          // An image is indivisible. A highlight on part of its description covers it completely.
          end = stretch.range.upperBound
          beginMarks(at: end - 1, in: &elements)
        } else {
          beginMarks(at: place, in: &elements)
          end = marks.border(after: place + 1, before: end)
        }
        if let code {
          while let first = codeParts.first, Int(first.end) + code.start <= place {
            codeParts.removeFirst()
          }
          if let part = codeParts.first {
            let (start, stop) = (Int(part.start) + code.start, Int(part.end) + code.start)
            kind = start <= place ? part.kind : nil
            end = min(end, start <= place ? stop : start)
          }
        }
        while let first = formats.first, first.range.upperBound <= place { formats.removeFirst() }
        if stretch.picture == nil, let format = formats.first {
          end = min(end, format.range.upperBound)
          writeFormatted(stretch, place..<end, kind, format, base: range.lowerBound, in: &elements)
        } else {
          write(stretch, place..<end, kind, base: range.lowerBound, in: &elements)
        }
        if let reason = stretch.reason, end == stretch.range.upperBound {
          piece.write("<span class=\"why\" data-x> (\(reason.escapedForHTML))</span>")
        }
        endMarks(at: end, in: &elements)
        place = end
        while let part = parts.first, part.upperBound <= place {
          closeAll(&elements)
          if isInPart { piece.write("</span>") }
          isInPart = false
          parts.removeFirst()
        }
      }
    }
    closeAll(&elements)
  }

  // MARK: - Highlights

  mutating func beginMarks(at place: Int, in elements: inout OpenElements) {
    let new = marks.begin(at: place)
    guard !new.isEmpty else { return }
    closeAll(&elements)
    for index in new {
      let overlay = marks[index].overlay
      if options.putsSignsFirst { signs.append(overlay) }
      begun.append(overlay.id)
      let state = overlay.state == .doubtful ? ", doubtful" : ""
      let name = ("hl-" + options.namePrefix + overlay.id).escapedForHTML
      let id = overlay.id.isEmpty ? "" : " id=\"\(name)\""
      piece.write(
        """
        <span class=\"hint\"\(id) data-x dir=\"ltr\">[\(overlay.color.rawValue) highlight \
        start\(state)]</span>
        """
      )
    }
  }

  mutating func endMarks(at place: Int, in elements: inout OpenElements) {
    let old = marks.end(at: place)
    guard !old.isEmpty else { return }
    closeAll(&elements)
    // Signs remain only of highlights whose text has no element.
    writeSigns(inLink: false)
    for index in old {
      piece.write("<span class=\"hint\" data-x dir=\"ltr\">[highlight end]</span>")
      if !options.putsSignsFirst { writeSign(of: marks[index].overlay) }
    }
  }

  /// Writes the signs of the highlights that have just begun.
  private mutating func writeSigns(inLink: Bool) {
    for overlay in signs { writeSign(of: overlay, inLink: inLink) }
    signs = []
  }

  /// Writes the letter of a highlight, with its link if it has one. A link cannot contain another
  /// one. Its direction is fixed, so that it does not decide that of a paragraph.
  private mutating func writeSign(of overlay: Overlay, inLink: Bool = false) {
    let sign =
      String(overlay.color.letter) + (overlay.state == .doubtful ? "?" : "")
      + (overlay.hasNote ? "✎" : "")
    let further = options.signClass(overlay.id)
    let kind = further.isEmpty ? "" : " \(further.escapedForHTML)"
    if !inLink, let address = options.signAddress(overlay.id) {
      piece.write(
        """
        <a class=\"sign \(overlay.color.rawValue)\(kind)\" data-x dir=\"ltr\" \
        href=\"\(address.escapedForHTML)\" aria-label=\"note\">\(sign)</a>
        """
      )
    } else {
      piece.write(
        "<sup class=\"sign\(kind)\" data-x dir=\"ltr\" aria-hidden=\"true\">\(sign)</sup>")
    }
  }

  private mutating func closeMark(_ elements: inout OpenElements) {
    if elements.mark != nil { piece.write("</mark>") }
    elements.mark = nil
  }

  mutating func closeAll(_ elements: inout OpenElements) {
    closeMark(&elements)
    if elements.link != nil { piece.write("</a>") }
    elements.link = nil
  }

  mutating func openElements(for link: String?, in elements: inout OpenElements) {
    if elements.link != link {
      closeAll(&elements)
      if let link { piece.write("<a\(link)>") }
      elements.link = link
    }
    let shown = marks.shown.isEmpty ? nil : marks.shown
    guard elements.mark != shown else { return }
    closeMark(&elements)
    guard let shown, let top = shown.last.map({ marks[$0].overlay }) else { return }
    let ids = shown.map { marks[$0].overlay.id }.joined(separator: " ").escapedForHTML
    var names = top.color.rawValue
    if top.state == .doubtful { names += " doubtful" }
    if shown.contains(where: { marks[$0].overlay.hasNote }) { names += " noted" }
    piece.write("<mark data-h=\"\(ids)\" class=\"\(names)\">")
    elements.mark = shown
    // Before the element, the sign would be in the line that ends there, if the text begins a line.
    writeSigns(inLink: link != nil)
  }

  // MARK: - Runs

  /// Writes a part with the classes of its format. If only words are underlined, spaces are
  /// separate parts.
  private mutating func writeFormatted(
    _ stretch: Stretch, _ range: Range<Int>, _ kind: CodeKind?, _ format: FormatPiece, base: Int,
    in elements: inout OpenElements
  ) {
    let classes = self.format?.classes(format.direct, format.style, over: stretch.style)
    guard var classes else { return }
    if let letters = format.letters.flatMap({ self.format?.letters($0) }) {
      classes.outer.insert(letters, at: 0)
    }
    var stretch = stretch
    if let link = classes.link { stretch.link = linkAttributes(to: link, title: nil) }
    if classes.hasUnderline, let link = stretch.link {
      stretch.link = Self.adding(self.format?.noLineClass() ?? "", to: link)
    }
    guard classes.skipsBlanks else {
      return write(stretch, range, kind, classes, base: base, in: &elements)
    }
    var blanks = classes
    let gap = self.format?.gapClass() ?? ""
    if blanks.outer.isEmpty { blanks.inner.append(gap) } else { blanks.outer.append(gap) }
    let units = document.text.utf16
    func isBlank(_ place: Int) -> Bool { [32, 9, 10, 0xA0, 0x3000].contains(units[place]) }
    var place = range.lowerBound
    while place < range.upperBound {
      let isGap = isBlank(place)
      let end = (place..<range.upperBound).first { isBlank($0) != isGap } ?? range.upperBound
      write(stretch, place..<end, kind, isGap ? blanks : classes, base: base, in: &elements)
      place = end
    }
  }

  mutating func write(
    _ stretch: Stretch, _ range: Range<Int>, _ kind: CodeKind?,
    _ format: HTMLFormatWriter.Classes = .init(), shown: String? = nil, base: Int,
    in elements: inout OpenElements
  ) {
    openElements(for: stretch.link, in: &elements)
    let text = document.text.substring(TextRange(utf16: range)).escapedForHTML
    let place =
      options.isEmbedded
      ? "" : " data-o=\"\(range.lowerBound - base)\" data-n=\"\(range.count)\""
    if let picture = stretch.picture {
      piece.write("<img\(place) src=\"\(picture.escapedForHTML)\" alt=\"\(text)\">")
      return
    }
    let names = Self.elements.filter { stretch.style.contains($0.style) }
    for (style, element, attribute) in names {
      let classes = style == .strikethrough ? format.struck : style == .mark ? format.marked : ""
      piece.write("<\(element)\(Self.adding(classes, to: attribute))>")
    }
    let looks = (kind.map { ["k-\($0.rawValue)"] } ?? []) + format.inner
    var look = looks.isEmpty ? "" : " class=\"\(looks.joined(separator: " "))\""
    if stretch.style.contains(.image) { look = Self.adding("picture", to: look) }
    if !format.outer.isEmpty {
      piece.write("<span class=\"\(format.outer.joined(separator: " "))\">")
    }
    let source = shown.map { " data-shown=\"\($0.escapedForHTML)\"" } ?? ""
    piece.write("<span\(place)\(source)\(look)>\(text)</span>")
    if !format.outer.isEmpty { piece.write("</span>") }
    for (_, element, _) in names.reversed() { piece.write("</\(element)>") }
  }

  private static let elements: [(style: TextStyle, element: String, attribute: String)] = [
    (.strong, "strong", ""), (.emphasis, "em", ""), (.strikethrough, "del", ""),
    (.mark, "mark", " class=\"own\""), (.code, "code", ""), (.math, "code", " class=\"math\""),
  ]

  /// Returns the runs of a leaf with their links. All runs of an image that is shown form one
  /// stretch.
  mutating func stretches(of index: Int) -> [Stretch] {
    let block = document.blocks[index]
    var notes = footnotes(in: block)[...]
    var pictures = self.pictures(in: block)[...]
    var stretches: [Stretch] = []
    for run in document.styleRuns(in: block) {
      let range = run.text.utf16
      while let first = pictures.first, first.range.upperBound <= range.lowerBound {
        pictures.removeFirst()
      }
      var reason: String?
      if let picture = pictures.first, picture.range.overlaps(range) {
        if let address = picture.address {
          if stretches.last?.range == picture.range, stretches.last?.picture != nil { continue }
          stretches.append(
            Stretch(
              range: picture.range, style: run.style,
              link: run.linkAroundImage.flatMap { linkAttributes($0) }, picture: address))
          continue
        }
        if picture.range.upperBound == range.upperBound { reason = picture.reason }
      }
      var link = run.target.flatMap { linkAttributes($0) }
      while let first = notes.first, first.range.upperBound <= range.lowerBound {
        notes.removeFirst()
      }
      var name: String?
      if let note = notes.first, note.range.contains(range.lowerBound) {
        (link, name) = footnoteLink(note.label)
      }
      stretches.append(
        Stretch(
          range: range, style: run.style, link: link, picture: nil, reason: reason, name: name))
    }
    return stretches
  }

  /// An image that is shown, or the reason why it isn't.
  private struct ShownPicture {
    var range: Range<Int>
    var address: String?
    var reason: String?
  }

  /// Returns the images that are shown, and the images with a reason why they are not. Images in
  /// the description of another image are omitted.
  private func pictures(in block: Block) -> [ShownPicture] {
    var end = 0
    var pictures: [ShownPicture] = []
    for inline in document.inlines[block.inlines] {
      guard case .image(let index) = inline.kind, !inline.text.isEmpty,
        inline.text.utf16.lowerBound >= end
      else { continue }
      end = inline.text.utf16.upperBound
      let link = document.links[index]
      if link.isNote { continue }
      let address = options.pictureAddress(link.destination)
      let reason = address == nil ? options.pictureReason(link.destination) : nil
      guard address != nil || reason != nil else { continue }
      pictures.append(
        ShownPicture(range: inline.text.utf16, address: address, reason: reason))
    }
    return pictures
  }

  private func footnotes(in block: Block) -> [(range: Range<Int>, label: SourceRange)] {
    document.inlines[block.inlines].compactMap { inline in
      guard case .footnoteReference(let label) = inline.kind, !inline.text.isEmpty else {
        return nil
      }
      return (inline.text.utf16, label)
    }
  }

  /// Returns the attributes of a link to a footnote, and the name of the reference if it is the
  /// first.
  private mutating func footnoteLink(_ label: SourceRange) -> (link: String?, name: String?) {
    guard !options.isEmbedded,
      let note = names.footnote(document.folded(document.source.text(in: label))),
      let (address, mark) = names.address(ofFootnote: note)
    else { return (nil, nil) }
    let isFirst = referredNotes.insert(note).inserted
    return (" class=\"footnote-mark\" href=\"\(address)\"", isFirst ? mark : nil)
  }

  /// Returns the attributes of an `a` for a link; nil if only its text is shown.
  private func linkAttributes(_ index: Int) -> String? {
    let link = document.links[index]
    guard link.isNote else { return linkAttributes(to: link.destination, title: link.title) }
    guard let address = options.noteAddress(link.target) else { return nil }
    return " href=\"\(address.escapedForHTML)\""
  }

  private func linkAttributes(to destination: String, title: String?) -> String? {
    // The destinations of an embedded note are relative to another file.
    guard !options.isEmbedded, LinkSafety.isSafe(destination) else { return nil }
    var address: String?
    if destination.hasPrefix("#") {
      let fragment = String(destination.dropFirst())
      address =
        names.address(ofFragment: fragment)
        ?? names.address(ofFragment: LinkSafety.decoded(fragment))
    } else {
      address = options.linkAddress(destination).map(LinkSafety.encoded)
    }
    guard let address, !address.isEmpty else { return nil }
    let title = title.map { " title=\"\($0.escapedForHTML)\"" } ?? ""
    return " href=\"\(address.escapedForHTML)\" rel=\"noreferrer nofollow\"\(title)"
  }
}
