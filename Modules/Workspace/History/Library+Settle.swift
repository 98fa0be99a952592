import Editing
import Files
import FoundationEssentials
import Glibc
import Model
import Storage
package import SystemSupport

/// An interrupted step that was completed or reverted.
struct SettledStep: Hashable, Sendable {
  /// The number of the step in the journal.
  var entry: Int64
  /// The description of the step.
  var label: String
  /// Whether the step was reverted, so that its files have their old content. False if all of its
  /// files had already been written.
  var wasTakenBack: Bool

  /// The result in one line, for the user.
  var description: String {
    "step \(entry) (\(label)) was interrupted; "
      + (wasTakenBack
        ? "its files were restored"
        : "all of its files had been written, so it is kept")
  }
}

extension Library {
  /// Completes or reverts the steps of interrupted processes.
  ///
  /// If only some of a step's files were written, their old content is restored, so that each step
  /// is done completely or not at all. Steps that were begun on other devices (`foreignSteps`) and
  /// steps that a running process is writing are not changed. Does nothing if the library is
  /// read-only.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func settleJournal() throws(UserError) {
    guard !isReadOnly else { return }
    let done = try Self.settleJournal(of: store, at: location, known: ownIntents)
    foreignSteps = done.foreign
    for step in done.settled where ownIntents.removeValue(forKey: step.entry) == nil {
      settledSteps.append(step.description)
    }
  }

  /// Returns the steps of other processes that were settled since the library was opened, one line
  /// each. Each step is returned only once.
  package func drainSettledSteps() -> [String] {
    defer { settledSteps = [] }
    return settledSteps
  }

  /// Completes or reverts the interrupted steps of a library that is being opened.
  ///
  /// - Parameter known: the steps that this process itself has begun.
  /// - Returns: the settled steps, and the numbers of the steps that were begun on other devices.
  static func settleJournal(
    of store: Store, at location: LibraryLocation, known: [Int64: StepIntent] = [:]
  ) throws(UserError) -> (settled: [SettledStep], foreign: [Int64]) {
    let intents = StepIntents(location)
    intents?.sweepCopies()
    let pending = try storage { try store.read { try $0.pendingSteps() } }
    func isHeld(_ entry: Int64) -> Bool { known[entry] == nil && intents?.isHeld(entry) == true }
    func intent(of entry: Int64) -> StepIntent? { known[entry] ?? intents?.intent(of: entry) }
    let over = intents?.recorded.filter { !pending.contains($0) && !isHeld($0) } ?? []
    // Readers must not wait for the write lock, and usually there is nothing to settle.
    guard !over.isEmpty || pending.contains(where: { !isHeld($0) && intent(of: $0) != nil }) else {
      return ([], pending.filter { !isHeld($0) })
    }
    var foreign: [Int64] = []
    var settled: [SettledStep] = []
    try storage {
      // Under the write lock, no other process can begin or write a step.
      try store.write { transaction in
        let pending = try transaction.pendingSteps()
        for entry in over where !pending.contains(entry) { intents?.sweep(entry) }
        for entry in pending where !isHeld(entry) {
          guard let intent = intent(of: entry),
            case let edits = try transaction.fileEdits(of: entry),
            edits.allSatisfy({ intent.file(of: $0) != nil })
          else {
            foreign.append(entry)
            continue
          }
          let label = try transaction.journalEntry(entry)?.label ?? ""
          settled.append(
            SettledStep(
              entry: entry, label: label,
              wasTakenBack: try settle(entry, edits, intent, at: location, in: transaction)))
        }
      }
    }
    for step in settled { intents?.sweep(step.entry) }
    return (settled, foreign)
  }

  /// Updates `foreignSteps` without changing the library.
  func findForeignSteps() throws(UserError) {
    let intents = StepIntents(location)
    let known = ownIntents
    foreignSteps = try storage {
      try store.read { transaction in
        try transaction.pendingSteps().filter { known[$0] == nil && intents?.intent(of: $0) == nil }
      }
    }
  }

  /// Returns whether another process is writing the files of a step.
  func isBusy(_ entry: Int64) -> Bool {
    ownIntents[entry] == nil && StepIntents(location)?.isHeld(entry) == true
  }

  /// Returns the steps begun on this device that were interrupted and not yet settled, one line
  /// each. Nothing is changed.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func interruptedSteps() throws(UserError) -> [String] {
    try Self.interruptedSteps(of: store, at: location)
  }

  static func interruptedSteps(of store: Store, at location: LibraryLocation) throws(UserError)
    -> [String]
  {
    guard let intents = StepIntents(location) else { return [] }
    return try storage {
      try store.read { transaction in
        try transaction.pendingSteps().filter {
          intents.intent(of: $0) != nil && !intents.isHeld($0)
        }
        .map { entry in
          let label = try transaction.journalEntry(entry)?.label ?? ""
          return "step \(entry) (\(label)) was interrupted, and some of its files may be written; "
            + "the next command that changes something completes or reverts it"
        }
      }
    }
  }

  /// Completes or reverts one step.
  ///
  /// - Returns: whether the step was reverted.
  private static func settle(
    _ entry: Int64, _ edits: [FileEdit], _ intent: StepIntent, at location: LibraryLocation,
    in transaction: WriteTransaction
  ) throws -> Bool {
    let files = try edits.map { edit in
      let path = try transaction.document(edit.document).flatMap {
        try? location.file(of: $0.path)
      }
      let copy = intent.file(of: edit)?.copy
      var isCopyNew = false
      if let path, let copy {
        isCopyNew = FileWriter.sweep(
          copy, of: path, before: edit.before, after: edit.after, keepingOld: true)
      }
      let file = path.flatMap { try? SourceFile(reading: $0) }
      // After a step has written a file, the copy contains the old content, even if another program
      // has changed the file since. A copy with other content means that the file was not written.
      let isUnwritten =
        file?.digest == edit.before || isCopyNew && file?.digest != edit.after
      return (edit: edit, path: path, copy: copy, file: file, isUnwritten: isUnwritten)
    }
    let isDivided = files.contains(where: \.isUnwritten)
    for (edit, path, copy, file, isUnwritten) in files {
      if isDivided, let path, let file, file.digest == edit.after {
        try restoreContent(edit, path, copy, file)
        try transaction.dropEdit(of: edit.document, in: entry)
      } else if isUnwritten {
        try transaction.dropEdit(of: edit.document, in: entry)
      } else {
        _ = try transaction.confirmEdit(of: edit.document, in: entry)
      }
      if let path, let copy {
        FileWriter.sweep(copy, of: path, before: edit.before, after: edit.after)
      }
    }
    return isDivided
  }

  /// Restores the content that a file had before an edit: from the copy of the old file beside it
  /// if that exists, otherwise from the patch.
  private static func restoreContent(
    _ edit: FileEdit, _ path: String, _ copy: String?, _ file: SourceFile
  ) throws {
    if let copy, FileWriter.restoreContent(copy, to: path, before: edit.before, after: edit.after) {
      return
    }
    guard let old = SourcePatch(encoded: edit.patch)?.inverted.applied(checking: file.bytes),
      ContentDigest(sha256: old) == edit.before
    else { return }
    let writer = try FileWriter(replacing: path, file.bytes, with: old, links: .followed)
    _ = try writer.commit()
    FileWriter.makeDurable([writer])
  }
}

extension StepIntents {
  /// Deletes the record of a finished step, and the copies that an interrupted process left beside
  /// the step's files. A copy is deleted only if it has the recorded name and one of the recorded
  /// contents. If it cannot be deleted, the record is kept.
  func sweep(_ entry: Int64) {
    var isClear = true
    for file in intent(of: entry)?.files ?? [] {
      guard let copy = file.copy, copy.lastComponent.hasPrefix(".diple-"),
        let content = try? SourceFile(reading: copy),
        [file.before, file.after].contains(content.digest.description)
      else { continue }
      if unlink(copy) != 0, errno != ENOENT { isClear = false }
    }
    if isClear { forget(entry) }
  }
}

extension SourcePatch {
  /// Returns the bytes with the patch applied; nil if the patch does not fit them.
  fileprivate func applied(checking bytes: [UInt8]) -> [UInt8]? {
    fits(bytes) ? applied(to: bytes) : nil
  }
}
