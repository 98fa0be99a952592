/// The verb of an answer: `removed essay.md`, and in a dry run `would remove essay.md`. An answer
/// without a verb begins with `would change: ` in a dry run. A dry run whose result is data, such
/// as a diff or a systemd unit, only prints the data.
package struct Verb: Hashable, Sendable {
  /// The infinitive, as after `would`.
  let base: String
  /// The past tense.
  let past: String

  private init(_ base: String, _ past: String) { (self.base, self.past) = (base, past) }

  package static let add = Verb("add", "added")
  package static let change = Verb("change", "changed")
  package static let delete = Verb("delete", "deleted")
  package static let highlight = Verb("highlight", "highlighted")
  package static let `import` = Verb("import", "imported")
  package static let label = Verb("label", "labelled")
  package static let leave = Verb("leave", "left")
  package static let link = Verb("link", "linked")
  package static let markAsGone = Verb("mark as gone", "marked as gone")
  package static let place = Verb("place", "placed")
  package static let redo = Verb("redo", "redid")
  package static let remove = Verb("remove", "removed")
  package static let rename = Verb("rename", "renamed")
  package static let restore = Verb("restore", "restored")
  package static let save = Verb("save", "saved")
  package static let set = Verb("set", "set")
  package static let undo = Verb("undo", "undid")
}

extension WriteOptions {
  /// Returns the verb of an answer, such as `removed`, or `would remove` in a dry run.
  package func verb(_ verb: Verb) -> String { dryRun ? "would \(verb.base)" : verb.past }
}
