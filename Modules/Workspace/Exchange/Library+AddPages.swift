import Files
import Glibc
import Interchange
package import Model
package import SystemSupport

extension LibraryLocation {
  /// Where the file of an article, or the folder of a book, is made: as `place(named:at:)`.
  package func place(for pages: FetchedPages, at output: String?) throws(UserError) -> String {
    let name = pages.isBook ? pages.folderName : String(pages.texts[0].name.dropLast(3))
    return try place(named: name, ending: pages.isBook ? "" : ".md", at: output)
  }

  /// Where something new is made: at a path that a person names, or under a name beside the library,
  /// with a number where that is taken.
  ///
  /// - Parameter output: the person's path; nil for none.
  /// - Returns: an absolute path at which nothing is.
  /// - Throws: `conflict` where something is at the person's path.
  func place(named stem: String, ending: String, at output: String?) throws(UserError) -> String {
    if let output {
      let path = FileSystem.absolute(output)
      guard !Self.isThere(path) else {
        throw UserError(.conflict, "\(output) exists", hint: "name another file with -o")
      }
      return path
    }
    let folder = root ?? self.folder
    var path = folder.appending(stem + ending)
    var number = 2
    while Self.isThere(path) {
      path = folder.appending("\(stem)-\(number)\(ending)")
      number += 1
    }
    return path
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}

extension FetchedPages {
  /// The paths of the Markdown files, and what they are called, at a place.
  package func files(at place: String) -> [(path: String, title: String)] {
    zip(texts, titles).map { (isBook ? place.appending($0.name) : place, $1) }
  }

  /// What the folder of a book is called.
  fileprivate var folderName: String { origin.title.fileName ?? "Book" }
}

extension String {
  /// A title as the name of a file or folder; nil where nothing is left of it.
  var fileName: String? {
    let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
      let isPlain =
        scalar.properties.generalCategory != .control
        && !scalar.properties.isDefaultIgnorableCodePoint
        && !"/\\:|<>\"*?".unicodeScalars.contains(scalar)
      return isPlain ? scalar : " "
    }
    var name = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    while name.utf8.count > 120 { name.removeLast() }
    name = String(name.drop { ".- ".contains($0) })
    while let last = name.last, ". -".contains(last) { name.removeLast() }
    return name.isEmpty ? nil : name
  }
}

extension FetchedPages {

  /// Writes the files at a place where nothing is: all of them, or none. A book's folder gets its name
  /// when it is complete.
  fileprivate func write(to place: String) throws(UserError) {
    do throws(SystemCallError) {
      guard isBook else {
        try FileSystem.makeFolders(place.parentFolder)
        let bytes = try text(of: texts[0])
        try AtomicReplacement(of: place, with: bytes).commitNew()
        return AtomicReplacement.finish([place])
      }
      let folder = try StagedFolder(for: place)
      for file in texts { try folder.write(try text(of: file), to: file.name) }
      for file in pictures {
        let name = FetchAnswer.pictureFolder.appending(file.name)
        try folder.write(try picture(of: file), to: name)
      }
      try folder.commit()
    } catch { throw FileSystem.systemError("write", place, number: error.number) }
  }

  private func text(of file: File) throws(SystemCallError) -> [UInt8] {
    do throws(UserError) { return try content(of: file, isText: true) } catch {
      throw SystemCallError(EILSEQ)
    }
  }

  private func picture(of file: File) throws(SystemCallError) -> [UInt8] {
    do throws(UserError) { return try content(of: file, isText: false) } catch {
      throw SystemCallError(EIO)
    }
  }

  /// Removes what `write` made, and nothing else.
  fileprivate func remove(at place: String) {
    guard isBook else {
      unlink(place)
      return
    }
    for file in texts { unlink(place.appending(file.name)) }
    let folder = place.appending(FetchAnswer.pictureFolder)
    for file in pictures { unlink(folder.appending(file.name)) }
    rmdir(folder)
    rmdir(place)
  }
}

extension Library {
  /// The document that the library has of a page or a book already: of the same address, for a book also of
  /// the same ISBN, or of the same title and author; nil for none. Reads what the files of all documents
  /// begin with.
  package func document(of pages: FetchedPages) throws(UserError) -> Document? {
    let origin = pages.origin
    var wanted = Source()
    wanted.set(.author, to: origin.authors.flatMap { PersonName.list($0) })
    return try sources().first { _, known in
      let source = known.whole
      func says(_ variable: Source.Variable, _ text: String) -> Bool {
        guard !text.isEmpty, let value = source[variable]?.text else { return false }
        return Self.comparable(value) == Self.comparable(text)
      }
      guard pages.isBook else { return says(.url, origin.url) }
      // What a person says a text is from does not make it the book.
      guard known.origin(of: .container) == .file || known.origin(of: .isbn) == .file else {
        return false
      }
      return says(.isbn, origin.isbn) || !origin.url.isEmpty && says(.url, origin.url)
        || origin.isbn.isEmpty && says(.container, origin.title)
          && source[.author] == wanted[.author]
    }?.document
  }

  /// An address or a name without what makes no difference.
  private static func comparable(_ text: String) -> String {
    let plain = text.prefix { $0 != "#" }
    return (plain.hasSuffix("/") ? plain.dropLast() : plain).filter { $0 != "-" }
  }

  /// Writes the files of an article or a book, and brings them into the library as one step. Where that
  /// fails the files are removed again.
  ///
  /// - Parameter place: what `LibraryLocation.place(for:at:)` gave.
  package func add(_ pages: FetchedPages, at place: String) throws(UserError) -> AddReport {
    // Refused before anything is written.
    for file in pages.files(at: place) {
      _ = try location.file(of: location.documentPath(file.path))
    }
    try pages.write(to: place)
    do {
      let report = try add(pages.files(at: place).map(\.path))
      if report.additions.isEmpty, let problem = report.problems.first { throw problem }
      return report
    } catch {
      pages.remove(at: place)
      throw error as? UserError ?? UserError(.conflict, "\(error)")
    }
  }
}
