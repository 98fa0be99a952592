package import Configuration
package import Workspace

extension LibraryTrust {
  /// Creates the trust that the user's own settings give: their file and the environment, never a
  /// library's file. Settings that cannot be read give none; their error is reported elsewhere.
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
