import Configuration
package import Workspace

extension LibraryTrust {
  /// What a person's own settings allow: their file and the environment, never a library's. What
  /// cannot be read allows nothing; whoever reads the settings says so.
  package init(environment: [String: String]) {
    guard let settings = try? Settings(environment: environment, library: nil) else {
      self.init()
      return
    }
    let folders = { (key: SettingKey) in settings.text(key).split(separator: ":").map(String.init) }
    self.init(safe: Set(folders(.librarySafe)), outside: folders(.libraryOutside))
  }
}
