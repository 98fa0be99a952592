import CMarkGFM
import CMd4c

/// Two parsers in C, for comparison. They produce neither a text nor a map of positions.
enum Oracles {
  private static let extensions = ["table", "strikethrough", "autolink", "tasklist"]

  /// Builds cmark-gfm's tree and frees it.
  static func cmarkGFM(_ bytes: [UInt8]) {
    cmark_gfm_core_extensions_ensure_registered()
    guard let parser = cmark_parser_new(CMARK_OPT_FOOTNOTES) else { return }
    defer { cmark_parser_free(parser) }
    for name in extensions {
      cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(name))
    }
    bytes.withUnsafeBytes {
      cmark_parser_feed(parser, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
    }
    cmark_node_free(cmark_parser_finish(parser))
  }

  /// Runs md4c with callbacks that do nothing.
  static func md4c(_ bytes: [UInt8]) {
    var parser = MD_PARSER()
    parser.flags = UInt32(
      MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS
        | MD_FLAG_PERMISSIVEEMAILAUTOLINKS | MD_FLAG_PERMISSIVEWWWAUTOLINKS)
    parser.enter_block = { _, _, _ in 0 }
    parser.leave_block = { _, _, _ in 0 }
    parser.enter_span = { _, _, _ in 0 }
    parser.leave_span = { _, _, _ in 0 }
    parser.text = { _, _, _, _ in 0 }
    _ = bytes.withUnsafeBytes {
      md_parse($0.bindMemory(to: CChar.self).baseAddress, MD_SIZE($0.count), &parser, nil)
    }
  }
}
