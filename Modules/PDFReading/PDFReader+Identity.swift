import CPoppler

extension PDFReader {
  /// The maximum number of pages whose text is part of the digest.
  private static let digestedPages = 100

  /// Returns a digest of the letters and digits of a file's first pages, and of the number of its
  /// pages. It stays the same when annotations, properties or the identifier of the file change.
  static func textDigest(of document: OpaquePointer) -> String {
    let pages = Int(poppler_document_get_n_pages(document))
    var words = String.UnicodeScalarView("\(pages) ".unicodeScalars)
    for index in 0..<min(pages, digestedPages) {
      guard let page = poppler_document_get_page(document, Int32(index)) else { continue }
      defer { g_object_unref(UnsafeMutableRawPointer(page)) }
      guard let text = poppler_page_get_text(page) else { continue }
      defer { g_free(text) }
      words += String(cString: text).unicodeScalars.filter {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
      }
    }
    guard let digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, String(words), -1) else {
      return ""
    }
    defer { g_free(digest) }
    return String(String(cString: digest).prefix(32))
  }

  /// Returns the permanent identifier in a file's trailer, 32 hexadecimal digits; empty if it has
  /// none.
  static func fileID(of document: OpaquePointer) -> String {
    var id: UnsafeMutablePointer<CChar>?
    // Poppler returns the digits without a zero byte at their end.
    guard poppler_document_get_id(document, &id, nil) != 0, let id else { return "" }
    defer { g_free(id) }
    return String(
      decoding: UnsafeBufferPointer(start: id, count: 32).map { UInt8(bitPattern: $0) },
      as: UTF8.self)
  }
}
