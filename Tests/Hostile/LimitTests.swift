import Foundation
import Testing

/// Tests files that would take unlimited time, memory or disk space.
@Suite struct LimitTests {
  private static let hasZstd = (try? Victim().run("zstd", ["--version"]).code) == 0

  @Test(.enabled(if: hasZstd, "zstd is not installed"))
  func `a backup that would fill the disk is rejected before it is unpacked`() throws {
    let victim = try Victim()
    try victim.write("clone/a.md", "Some words.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
    // A header with a matching number of pages, followed by zeros.
    var header = [UInt8](
      try Data(contentsOf: victim.clone.appending(path: ".diple/library.sqlite"))
        .prefix(100))
    let page = Int(header[16]) << 8 | Int(header[17])
    let pages = (1 << 30) / page
    for index in 0..<4 { header[28 + index] = UInt8(truncatingIfNeeded: pages >> (24 - 8 * index)) }
    let file = victim.path("bomb")
    try Data(header).write(to: URL(fileURLWithPath: file))
    try victim.shell("truncate -s \(pages * page) ../bomb && zstd -q -1 ../bomb -o ../bomb.zst")
    let before = try victim.diple("list")
    let result = try victim.diple("restore", "../bomb.zst", "--yes")
    #expect(result.code == 8 || result.code == 2, "\(result)")
    #expect(result.errors.contains("would expand to 1024 MiB"), "\(result)")
    #expect(try victim.diple("list").output == before.output)
  }

  @Test(arguments: ["rtf", "docx", "odt", "json", "md"])
  func `adding a FIFO fails without waiting`(ending: String) throws {
    let victim = try Victim()
    #expect(try victim.diple("init").code == 0)
    try victim.shell("mkfifo pipe.\(ending)")
    let result = try victim.diple("add", "pipe.\(ending)")
    #expect(result.code != 0 && result.code < 128 && !result.errors.isEmpty, "\(result)")
  }
}
