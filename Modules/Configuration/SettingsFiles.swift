import SystemSupport

/// Reads settings files, and reads a file again only after it changed.
package final class SettingsFiles {
  private var known: [String: (state: FileFingerprint?, file: SettingsFile)] = [:]

  package init() {}

  /// Returns the settings in a file; a file that doesn't exist contains no settings.
  ///
  /// - Throws: the first error in the file. A file with an error is read again at the next call.
  func file(
    at path: String, _ owner: SettingsFile.Owner
  ) throws(SettingsError) -> SettingsFile {
    // Read the status first, so that a later change of the file is noticed by the next call.
    let state = FileFingerprint(path)
    if let found = known[path], state == found.state { return found.file }
    known[path] = nil
    let file = try SettingsFile(path, owner)
    known[path] = (state, file)
    return file
  }
}
