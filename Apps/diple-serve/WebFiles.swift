/// The files of the pages, which are part of the program: each in the folder `Web` has its line here.
enum WebFiles {
  /// The bytes of a file; nil for a name that there is not.
  @Sendable
  static func bytes(_ name: String) -> [UInt8]? {
    switch name {
    case "index.html": PackageResources.index_html
    case "document.html": PackageResources.document_html
    case "login.js": PackageResources.login_js
    default: nil
    }
  }
}
