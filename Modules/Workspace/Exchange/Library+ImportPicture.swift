import FoundationEssentials
import Glibc
import Interchange
package import Model
package import SystemSupport

extension Library {
  /// Makes a quote of some words of a picture, as of any other program's highlight: in its document where
  /// a text of the library has the words, else in the quotes' own. The picture is kept beside the
  /// quotes, with where each word stands on it.
  ///
  /// - Parameters:
  ///   - words: places in the page's words.
  ///   - target: as for `importHighlights`.
  package func importPicture(
    _ picture: ScannedPicture, words: Range<Int>, into target: Document?, dryRun: Bool = false
  ) throws(UserError) -> ImportReport {
    let name = try keep(picture, dryRun: dryRun)
    var record = AnnotationRecord(
      id: "", quote: picture.page.text(of: words), source: "", title: "", color: .yellow)
    record.location = Self.pictureFolder + "/" + name
    return try importRecords(
      ImportContent(records: [record]), of: "picture", called: "Picture", into: target,
      dryRun: dryRun)
  }

  private static let pictureFolder = "pictures"

  /// Writes the picture and its words beside the quotes, unless they are there.
  ///
  /// - Returns: what the picture is called there.
  private func keep(_ picture: ScannedPicture, dryRun: Bool) throws(UserError) -> String {
    let folder = (location.root ?? location.folder).appending(QuoteBook.folder)
      .appending(Self.pictureFolder)
    // Links on the way may lead out of the library's folder.
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
    var name = stem.isEmpty ? "picture" + ending : stem + ending
    var number = 2
    while true {
      let path = folder.appending(name)
      guard let status = try FileSystem.status(of: path) else { break }
      if status.st_size == picture.bytes.count,
        let old = try? Descriptor.contentOfFile(path, limit: ScanOrder.pictureLimit),
        old == picture.bytes
      {
        return name
      }
      name = "\(stem)-\(number)\(ending)"
      number += 1
    }
    guard !dryRun else { return name }
    let path = folder.appending(name)
    do {
      try FileSystem.makeFolder(folder)
      let words = try JSONEncoder().encode(picture.page)
      try AtomicReplacement(of: path, with: picture.bytes).commitNew()
      try AtomicReplacement.write(words, to: path + ".json")
      AtomicReplacement.makeDurable([path])
    } catch let error as UserError {
      throw error
    } catch {
      throw FileSystem.systemError(
        "write", path, number: (error as? SystemFailure)?.number ?? EIO)
    }
    return name
  }
}
