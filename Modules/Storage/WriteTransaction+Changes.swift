package import Model

/// A user's changes to highlights, documents and the library.
extension WriteTransaction {
  /// Creates a formatted passage, with its location in the document's current text, and returns its
  /// identifier.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func createFormat(
    _ format: String, in document: Document.ID, selector: Selector, anchor: Anchor
  ) throws -> Highlight.ID {
    let id = Highlight.ID(
      try create(
        .reference(document.dot), [(.selector, .selector(selector)), (.format, .text(format))]
      ) { .highlight(Highlight.ID($0)) })
    if let revision = try revision(of: document) {
      try store(
        [id: anchor], text: revision.textDigest, version: revision.renderVersion, of: document)
    }
    return id
  }

  /// Moves a highlight to another passage, in the same document or another one. Has no effect if
  /// the highlight does not exist.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func reattach(
    _ id: Highlight.ID, to selector: Selector, in document: Document.ID, anchor: Anchor
  ) throws {
    guard let old = try highlight(id) else { return }
    if old.document != document {
      try change(
        .highlight(id), .document, to: .reference(document.dot), from: .reference(old.document.dot))
    }
    try change(
      .highlight(id), .selector, to: .selector(selector), from: .selector(old.selector))
    if old.isDetached {
      try change(.highlight(id), .detached, to: .flag(false), from: .flag(true))
    }
    guard let revision = try revision(of: document) else { return }
    try store(
      [id: anchor], text: revision.textDigest, version: revision.renderVersion, of: document)
  }

  /// Marks a highlight as detached from its text. It keeps its locations in older texts in which it
  /// was located with certainty.
  ///
  /// - Returns: false if it is already detached or does not exist.
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func detach(_ id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), !old.isDetached else { return false }
    try change(.highlight(id), .detached, to: .flag(true), from: .flag(false))
    guard let revision = try revision(of: old.document) else { return true }
    try store(
      [id: .orphan], text: revision.textDigest, version: revision.renderVersion, of: old.document)
    return true
  }

  /// Sets the label of a colour in this library; an empty name deletes it.
  ///
  /// - Returns: false if the label is unchanged.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setLabel(_ name: String, of color: HighlightColor) throws -> Bool {
    let old = try labels()[color] ?? ""
    guard old != name else { return false }
    try change(.library, .label(color), to: .text(name), from: .text(old))
    return true
  }

  /// Sets the colour of a highlight. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setColor(_ color: HighlightColor, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.color != color else { return false }
    try change(.highlight(id), .color, to: .text(color.rawValue), from: .text(old.color.rawValue))
    return true
  }

  /// Sets the note of a highlight. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setNote(_ note: String, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.note != note else { return false }
    try change(.highlight(id), .note, to: .text(note), from: .text(old.note))
    return true
  }

  /// Sets the application from which a highlight was imported. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setOrigin(_ origin: Origin, of id: Highlight.ID) throws -> Bool {
    let new = StoredOrigin(origin)
    guard let old = try highlight(id), old.origin != new else { return false }
    try change(
      .highlight(id), .origin, to: .text(new.text), from: old.origin.map { .text($0.text) } ?? .none
    )
    return true
  }

  /// Adds a tag to a highlight or removes it. Returns false if that changes nothing.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setTag(_ name: String, _ isOn: Bool, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.tags.contains(name) != isOn else { return false }
    try change(.highlight(id), .tag(name), to: .flag(isOn), from: .flag(!isOn))
    return true
  }

  /// Moves a highlight to the trash or restores it. Returns false if that changes nothing.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setTrashed(_ isTrashed: Bool, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.isTrashed != isTrashed else { return false }
    try change(.highlight(id), .trashed, to: .flag(isTrashed), from: .flag(!isTrashed))
    return true
  }

  /// Removes a document or restores it. Returns false if that changes nothing.
  ///
  /// Its highlights are not changed: lists omit the highlights of removed documents.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setTrashed(_ isTrashed: Bool, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), (old.state == .removed) != isTrashed else { return false }
    try change(.document(id), .trashed, to: .flag(isTrashed), from: .flag(!isTrashed))
    return true
  }

  /// Deletes a highlight permanently.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func purge(_ id: Highlight.ID) throws {
    try change(.highlight(id), .purged, to: .flag(true), from: .flag(false))
  }

  /// Deletes a document permanently, with all of its known highlights. A highlight made on another
  /// device at the same time is kept.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func purge(_ id: Document.ID) throws {
    for highlight in try highlights(
      HighlightFilter(documents: [id], trash: .included, kind: .all))
    {
      try purge(highlight.id)
    }
    try change(.document(id), .purged, to: .flag(true), from: .flag(false))
  }

  /// Sets the title of a document. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setTitle(_ title: String, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), old.title != title else { return false }
    try change(.document(id), .title, to: .text(title), from: .text(old.title))
    return true
  }

  /// Sets the title of a document to the title in its changed file, unless the user has set the
  /// title. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func follow(fileTitle title: String, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), old.title != title, try isTitleOfFile(old) else {
      return false
    }
    _ = try setProperty(.fileTitle, title, of: .document(id))
    return try setTitle(title, of: id)
  }

  /// Sets the path of a document's file. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setPath(_ path: DocumentPath, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), old.path != path else { return false }
    try change(.document(id), .path, to: .text(path.string), from: .text(old.path.string))
    return true
  }
}
