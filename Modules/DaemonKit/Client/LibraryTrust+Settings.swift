import Configuration
package import Workspace

extension LibraryTrust {
  /// Creates the trust that the user's own settings specify: the settings file and the environment,
  /// never a library's settings. Unreadable settings trust nothing; the code that reads them
  /// reports the error.
  package init(environment: [String: String]) {
    guard let settings = try? Settings(environment: environment, library: nil) else {
      self.init()
      return
    }
    let folders = { (key: SettingKey) in settings.text(key).split(separator: ":").map(String.init) }
    self.init(safe: Set(folders(.librarySafe)), outside: folders(.libraryOutside))
  }
}
