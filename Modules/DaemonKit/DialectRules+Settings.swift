package import Configuration
import MarkdownParse
package import Workspace

extension DialectRules {
  /// Creates the rules from the settings for Markdown dialects.
  package init(_ settings: Settings) {
    self.init(
      dialect: MarkdownDialect(rawValue: settings.text(.markdownDialect)),
      origin: Self.place(of: .markdownDialect, settings),
      folders: SettingRule.pairs(in: settings.text(.markdownFolders)).map {
        Folder(path: $0.folder, dialect: MarkdownDialect(rawValue: $0.word))
      },
      foldersOrigin: Self.place(of: .markdownFolders, settings))
  }

  private static func place(of key: SettingKey, _ settings: Settings) -> String {
    switch settings.origin(of: key) {
    case .fallback: ""
    case .variable(let name): name
    case .file(let path, let line): "\(key.rawValue) in \(path):\(line)"
    }
  }
}
