import CPango
import Synchronization

/// Allows one thread at a time to use fonts.
///
/// Cairo keeps few files of fonts open. When it opens another one, it may close a file that another
/// thread reads. Threads that end close fonts, too, unless all threads have the same font map.
enum FontLock {
  private static let fonts = Mutex(pango_cairo_font_map_new())

  /// Calls `body` when no other thread uses fonts. It must not call this function again.
  static func use<Result: Sendable, Failure: Error>(_ body: () throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    try fonts.withLock { fonts throws(Failure) in
      pango_cairo_font_map_set_default(OpaquePointer(fonts))
      return try body()
    }
  }
}
