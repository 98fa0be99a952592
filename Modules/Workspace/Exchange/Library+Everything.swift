import Files
import Glibc
import Model
import Storage
import SystemSupport

/// What came with an export of a whole library.
package struct WholeImport: Hashable, Sendable {
  /// How many documents and highlights, those in the trash too.
  package var (documents, highlights, operations): (Int, Int, Int)
}

extension LibraryLocation {
  /// The most that a file beside a library may have to be taken along, in bytes.
  private static let fileLimit = 1 << 20

  /// What an export of a whole library begins with.
  package static let exportBeginning = StoreExport.beginning

  /// Gives all that the library holds as lines of JSON, without their ends.
  ///
  /// - Throws: what `body` throws; `damaged` for a value that no Diple writes.
  package func exportEverything(_ body: (String) throws -> Void) throws {
    var files: [String: String] = [:]
    for name in StoreExport.fileNames {
      do throws(SystemFailure) {
        guard let bytes = try PrivateFile.content(of: folder + "/" + name, limit: Self.fileLimit)
        else { continue }
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw SystemFailure(EILSEQ)
        }
        files[name] = text
      } catch {
        throw UserError(.conflict, "cannot read \(folder)/\(name): \(error)")
      }
    }
    do { try StoreExport.forEachLine(of: database, files: files, body) } catch let error
      as StoreError
    { throw UserError(error) }
  }

  /// Makes this library of such lines: it must not be there, or hold nothing.
  ///
  /// - Parameters:
  ///   - name: of what is read, for messages.
  ///   - read: gives the next bytes; none at the end.
  /// - Throws: `damaged` for what is no sound export, `conflict` when the library is not empty or is in
  ///   use. Nothing was changed then.
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
        throw UserError(.conflict, refusal.reason, hint: "name another one with --library DIR")
      }
      let place = refusal.line.map { "\(name):\($0)" } ?? name
      throw UserError(
        .damaged, "\(place): \(refusal.reason)", hint: "nothing was imported")
    } catch let error as StoreError { throw UserError(error) }
    if !dryRun {
      for (name, text) in result.files where try FileSystem.status(of: folder + "/" + name) == nil {
        do throws(SystemFailure) {
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
