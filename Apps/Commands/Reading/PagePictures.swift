import Actions
import Configuration
import Console
import Glibc
import Model
import Rendering
import SystemSupport
import Workspace

extension PictureShow {
  /// Returns the pictures of a document; nil if the terminal can't display pictures or the settings
  /// disable them.
  ///
  /// - Parameters:
  ///   - file: The absolute path of the document's file.
  ///   - document: The document. Nil for a file outside the library.
  ///   - isReader: Whether the screen is redrawn. Then only the protocol of kitty is supported.
  static func pictures(
    of file: String, _ document: Document?, in location: LibraryLocation?, _ settings: Settings,
    _ environment: [String: String], isReader: Bool
  ) -> PictureShow? {
    guard settings.isOn(.readerPictures), let imageProtocol = imageProtocol(environment),
      !isReader || imageProtocol == .kitty
    else { return nil }
    var size = winsize()
    _ = ioctl(1, UInt(TIOCGWINSZ), &size)
    let rows = max(4, Int(size.ws_row == 0 ? 24 : size.ws_row))
    let hasPixels = size.ws_xpixel > 0 && size.ws_ypixel > 0 && size.ws_col > 0 && size.ws_row > 0
    let cell =
      hasPixels
      ? (width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
      : (width: 10, height: 20)
    return PictureShow(imageProtocol, cell: cell, mostRows: rows / 2, first: Int(getpid())) {
      destination in
      bytes(destination, from: file, document, location).flatMap(Picture.init)
    }
  }
}
