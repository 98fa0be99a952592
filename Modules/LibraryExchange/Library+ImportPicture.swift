import FoundationEssentials
import Glibc
import Interchange
package import Model
package import SystemSupport
package import Workspace

extension Library {
  /// Imports some words of a picture as a quote: as a highlight of a document that contains them,
  /// otherwise in the document of the pictures' quotes. The picture is stored beside the quotes,
  /// with the position of each word.
  ///
  /// - Parameters:
  ///   - picture: the picture with its recognised words.
  ///   - words: the indices of the words to quote.
  ///   - target: the document to search, as for `importHighlights`.
  ///   - dryRun: whether to change nothing.
  /// - Throws: the errors of `importHighlights`; `conflict` if the disk is full or read-only;
  ///   `notFound` if the picture cannot be written for another reason.
  package func importPicture(
    _ picture: ScannedPicture, words: Range<Int>, into target: Document?, dryRun: Bool = false
  ) throws(UserError) -> ImportReport {
    let kept = try keep(picture, dryRun: dryRun)
    var record = AnnotationRecord(
      id: "", quote: picture.page.text(of: words), source: "", title: "", color: .yellow)
    record.location = Self.pictureFolder + "/" + kept.name
    let report: ImportReport
    do throws(UserError) {
      report = try importRecords(
        ImportContent(records: [record]), of: "picture", called: "Picture", into: target,
        dryRun: dryRun)
    } catch {
      kept.remove()
      throw error
    }
    // If no quote was imported, delete the picture again.
    if report.made.isEmpty, report.updated.isEmpty, report.known == 0 { kept.remove() }
    return report
  }

  /// A picture in the folder of quotes.
  private struct KeptPicture {
    var name: String
    /// The files and folders that were created for it, in order.
    var made: [String] = []

    func remove() {
      for path in made.reversed() where unlink(path) != 0 { rmdir(path) }
    }
  }

  private static let pictureFolder = "pictures"

  /// Writes the picture and its words to the folder of quotes, unless they are there already.
  private func keep(_ picture: ScannedPicture, dryRun: Bool) throws(UserError) -> KeptPicture {
    let quotes = (location.root ?? location.folder).appending(QuoteBook.folder)
    let folder = quotes.appending(Self.pictureFolder)
    // A symbolic link could lead out of the library's folder. Check the paths of the picture and of
    // the file of quotes.
    _ = try location.file(of: location.documentPath(folder.appending("picture")))
    _ = try location.file(
      of: path(
        of: QuoteBook(
          of: AnnotationRecord(
            id: "", quote: "", source: "", title: "", color: .yellow))))
    let dot = picture.name.lastIndex(of: ".") ?? picture.name.endIndex
    let (stem, ending) = (
      String(picture.name[..<dot].drop { $0 == "." }), String(picture.name[dot...])
    )
    var kept = KeptPicture(name: stem.isEmpty ? "picture" + ending : stem + ending)
    var number = 2
    var isKnown = false
    // Existing files with one of the names are not changed, and symbolic links are not followed.
    while Self.isAnything(at: folder.appending(kept.name))
      || Self.isAnything(at: folder.appending(kept.name + ".json"))
    {
      let old = try? PrivateFile.content(
        of: folder.appending(kept.name), limit: picture.bytes.count)
      if old == picture.bytes {
        isKnown = true
        if Self.isAnything(at: folder.appending(kept.name + ".json")) { return kept }
        break
      }
      kept.name = "\(stem.isEmpty ? "picture" : stem)-\(number)\(ending)"
      number += 1
    }
    guard !dryRun else { return kept }
    let path = folder.appending(kept.name)
    do {
      for folder in [quotes, folder] where !Self.isAnything(at: folder) {
        try FileSystem.makeFolder(folder)
        kept.made.append(folder)
      }
      let words = try JSONEncoder().encode(picture.page)
      if !isKnown {
        try AtomicReplacement(of: path, with: picture.bytes).commitNew()
        kept.made.append(path)
      }
      try AtomicReplacement(of: path + ".json", with: words).commitNew()
      kept.made.append(path + ".json")
      AtomicReplacement.finish([path])
    } catch {
      kept.remove()
      if let error = error as? UserError { throw error }
      throw FileSystem.systemError(
        "write", path, number: (error as? SystemCallError)?.number ?? EIO)
    }
    return kept
  }

  private static func isAnything(at path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
