import Dispatch
import Files
import MarkdownParse
import Model
import Storage
import Synchronization
package import SystemSupport

extension Library {
  /// Checks the files of all documents, as ``refresh(_:searching:)`` does, but returns no report
  /// for documents whose files are proved unchanged by their status. It takes a fraction of the
  /// time.
  ///
  /// ```swift
  /// for report in try await library.refreshChanged() where report.summary != nil { … }
  /// ```
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func refreshChanged() throws(UserError) -> [RefreshReport] {
    dialects.forget()
    let changed = try possiblyChanged { _ in true }
    return changed.isEmpty ? [] : try refresh(changed)
  }

  /// Returns the documents whose files may have changed since they were read, in the order of
  /// paths. The status of each file is read.
  ///
  /// - Parameter isWanted: whether a document is checked; called on several threads.
  func possiblyChanged(where isWanted: @Sendable (Document.ID) -> Bool) throws(UserError)
    -> [Document]
  {
    let (place, dialects) = (location, dialects)
    return try storage {
      try store.read { transaction in
        let files = SharedReader(try transaction.knownFiles())
        let found = files.checkAll { isWanted($0.document) && !$0.isUnchanged(in: place, dialects) }
        return try transaction.documents(try found.get())
      }
    }
  }
}

extension KnownFile {
  /// Returns whether the file's status proves that the stored text is current, and the file would
  /// be parsed in the same dialect and by the same version of the parser.
  func isUnchanged(in location: LibraryLocation, _ dialects: Dialects) -> Bool {
    guard isPresent, let stamp, renderVersion == ParsedDocument.renderVersion,
      let file = try? location.file(of: path), let status = try? FileSystem.status(of: file),
      dialect == dialects.choice(for: file).dialect.rawValue
    else { return false }
    return stamp.provesUnchanged(FileStamp(status, checked: FileStamp.currentTime))
  }
}

/// A reader from which two threads take files in turn, and check them at the same time.
private final class SharedReader: Sendable {
  /// The number of files that a thread takes in one step.
  private static let batch = 128

  private struct State {
    var found: [Document.ID] = []
    var failure: (any Error)?
    var isAtEnd = false
  }

  private let state = Mutex(State())
  // Used only while `state` is locked.
  private nonisolated(unsafe) let reader: KnownFileReader

  init(_ reader: KnownFileReader) { self.reader = reader }

  /// Returns the documents of all files that meet a condition, or the error that ended the reading.
  func checkAll(_ condition: @Sendable (KnownFile) -> Bool) -> Result<[Document.ID], any Error> {
    // A short list needs no other thread.
    if checkNext(condition) {
      DispatchQueue.concurrentPerform(iterations: 2) { _ in while checkNext(condition) {} }
    }
    return state.withLock { state in
      if let failure = state.failure { .failure(failure) } else { .success(state.found) }
    }
  }

  /// Checks the next files. Returns false after the last.
  private func checkNext(_ condition: (KnownFile) -> Bool) -> Bool {
    let files = state.withLock { state -> [KnownFile] in
      if state.isAtEnd { return [] }
      do {
        let files = try reader.next(Self.batch)
        state.isAtEnd = files.count < Self.batch
        return files
      } catch {
        (state.failure, state.isAtEnd) = (error, true)
        return []
      }
    }
    let found = files.filter(condition).map(\.document)
    if !found.isEmpty { state.withLock { $0.found += found } }
    return files.count == Self.batch
  }
}
