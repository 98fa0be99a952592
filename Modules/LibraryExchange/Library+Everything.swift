import Files
import Glibc
import Model
import Storage
import SystemSupport
package import Workspace

/// The content of an imported library.
package struct WholeImport: Hashable, Sendable {
  /// The numbers of imported records. Documents and highlights in the trash are included.
  package var (documents, highlights, operations): (Int, Int, Int)
}

extension LibraryLocation {
  /// The maximum size in bytes of a file beside the database that is exported with it.
  private static let fileLimit = 1 << 20

  /// The start of the first line of every library export.
  package static let exportBeginning = StoreExport.beginning

  /// Exports the whole library and the files beside it as lines of JSON, without line breaks.
  ///
  /// - Throws: the error of `body`; `damaged` if the database contains an invalid value; `conflict`
  ///   if a file beside it cannot be read.
  package func exportEverything(_ body: (String) throws -> Void) throws {
    var files: [String: String] = [:]
    for name in StoreExport.fileNames {
      do throws(SystemCallError) {
        guard let bytes = try PrivateFile.content(of: folder + "/" + name, limit: Self.fileLimit)
        else { continue }
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw SystemCallError(EILSEQ)
        }
        files[name] = text
      } catch {
        throw UserError(.conflict, "cannot read \(folder)/\(name): \(error)")
      }
    }
    do {
      try StoreExport.forEachLine(of: database, files: files) { line in
        var output = InertOutput("", isJSON: true)
        output.write(line)
        try body(output.base)
      }
    } catch let error as StoreError { throw UserError(error) }
  }

  /// Creates this library from an export. The library must not exist, or must be empty.
  ///
  /// - Parameters:
  ///   - name: the name of the input, for messages.
  ///   - dryRun: whether to check the export without storing anything.
  ///   - read: returns the next bytes of the export; empty at its end.
  /// - Throws: `damaged` if the export is invalid, `conflict` if the library is not empty or is in
  ///   use. Nothing is changed then. `unconfirmed` if the library was imported and a file beside it
  ///   could not be written.
  package func importEverything(
    from name: String, dryRun: Bool, read: @escaping () throws -> [UInt8]
  ) throws -> WholeImport {
    try secureDatabase()
    let result: StoreImport.Result
    if !dryRun { try FileSystem.makeFolder(folder) }
    do {
      result = try StoreImport.run(
        into: database, dryRun: dryRun, digest: { ContentDigest(sha256: Array($0)) }, read: read)
    } catch let refusal as StoreImport.Refusal {
      if refusal.isOfLibrary {
        throw UserError(.conflict, refusal.reason, hint: "name another library with --library DIR")
      }
      let place = refusal.line.map { "\(name):\($0)" } ?? name
      throw UserError(
        .damaged, "\(place): \(refusal.reason)", hint: "nothing was imported")
    } catch let error as StoreError { throw UserError(error) }
    if !dryRun {
      for (name, text) in result.files where try FileSystem.status(of: folder + "/" + name) == nil {
        do throws(SystemCallError) {
          try AtomicReplacement.write(Array(text.utf8), to: folder + "/" + name, mode: 0o600)
        } catch {
          throw UserError(
            .unconfirmed,
            "the library was imported, but not its \(name): \(folder)/\(name): \(error)",
            hint: "its settings can be set again: diple config set NAME VALUE")
        }
      }
    }
    return WholeImport(
      documents: result.documents, highlights: result.highlights, operations: result.operations)
  }
}
