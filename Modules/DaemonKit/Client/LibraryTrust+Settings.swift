package import Configuration
package import Workspace

extension LibraryTrust {
  /// Creates the trust from the user's own settings: the user's file and the environment, never a
  /// library's file. If they cannot be read, the trust is the default. Other code reports the
  /// error.
  ///
  /// - Parameter files: reads the user's file.
  package init(environment: [String: String], files: SettingsFiles = SettingsFiles()) {
    guard let settings = try? Settings(environment: environment, library: nil, files: files) else {
      self.init()
      return
    }
    let folders = { (key: SettingKey) in settings.text(key).split(separator: ":").map(String.init) }
    self.init(safe: Set(folders(.librarySafe)), outside: folders(.libraryOutside))
  }
}
