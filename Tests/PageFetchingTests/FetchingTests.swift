import Foundation
import Interchange
import PageFetching
import TestSupport
import Testing

/// A folder in which pages are fetched.
final class Desk: WorkFolder {
  struct Outcome {
    var answer: FetchAnswer
    var texts: [String]
    var text: String { texts.first ?? "" }
    var problem: String { answer.problem?.message ?? "" }
  }

  func fetch(
    _ place: FetchOrder.Place, isWhole: Bool = true, allowsPrivate: Bool = true, seconds: Int = 20
  )
    throws -> Outcome
  {
    let folder = path + "/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let order = FetchOrder(
      place, isWhole: isWhole, allowsPrivate: allowsPrivate, seconds: seconds)
    let fetcher = Fetcher(order, in: folder) { _, _ in
    } giveUp: {
      fatalError("\($0)")
    }
    do throws(FetchError) {
      let answer = try fetcher.run()
      let texts = answer.texts.map { text in
        String(
          decoding: FileManager.default.contents(atPath: folder + "/" + text.file) ?? Data(),
          as: UTF8.self)
      }
      return Outcome(answer: answer, texts: texts)
    } catch { return Outcome(answer: FetchAnswer(problem: error.problem), texts: []) }
  }
}

@Suite(.enabled(if: WebServer.isAvailable)) struct FetchingTests {
  private static let page =
    "<html><head><title>A page</title></head><body><h1>Head</h1><p>Some words.</p></body></html>"

  private let server: WebServer
  private let desk: Desk

  init() throws {
    server = try WebServer(["/page": Self.page])
    desk = try Desk()
  }

  private func fetch(_ path: String, seconds: Int = 20) throws -> Desk.Outcome {
    try desk.fetch(.web(server.address + path), seconds: seconds)
  }

  @Test func `a page becomes Markdown with its source`() throws {
    let outcome = try fetch("/page#part")
    #expect(outcome.answer.problem == nil)
    #expect(outcome.answer.origin.title == "A page" || outcome.answer.origin.title == "Head")
    #expect(outcome.answer.origin.url == server.address + "/page")
    #expect(outcome.text.hasSuffix("---\n\n# Head\n\nSome words.\n"))
    #expect(outcome.text.contains("url: \"\(server.address)/page\"\n"))
  }

  @Test func `redirects are limited in number and to web addresses`() throws {
    #expect(try fetch("/count?9").text.contains("Some words."))
    #expect(try fetch("/redirect?/page").answer.origin.url == server.address + "/page")
    #expect(try fetch("/count?30").problem.contains("more than 10 times"))
    #expect(
      try fetch("/redirect?file:///etc/passwd").problem.contains("not an http or https address"))
    #expect(
      try fetch("/redirect?ftp://127.0.0.1/x").problem.contains("not an http or https address"))
    #expect(try fetch("/redirect?http://a:b@127.0.0.1/").problem.contains("password"))
  }

  @Test func `endless responses are cut off`() throws {
    #expect(try fetch("/slow", seconds: 1).problem.contains("was not received within 1 s"))
    #expect(try fetch("/endless").problem.contains("larger than 20 MiB"))
    #expect(try fetch("/bomb").problem.contains("larger than 20 MiB"))
    #expect(try fetch("/heads").answer.problem != nil)
  }

  @Test(arguments: [
    ("/status?404", "does not exist (HTTP 404)"),
    ("/status?401", "is denied (HTTP 401)"),
    ("/status?500", "could not answer (HTTP 500)"), ("/status?204", "has no page (HTTP 204)"),
    ("/type?application/pdf", "is a PDF"), ("/type?image/png", "is a picture"),
    ("/type?application/octet-stream", "is application/octet-stream"),
    ("/type?text/html", "not text"),
  ]) func `a response without a page is rejected in one line`(_ path: String, _ wanted: String)
    throws
  {
    let problem = try fetch(path).problem
    #expect(problem.contains(wanted))
    #expect(!problem.contains("\n"))
  }

  @Test(arguments: [
    "utf-8", "utf-8&utf-8", "shift_jis", "euc-jp", "gb18030&gb2312", "utf-16&utf-16",
    "shift_jis&utf-8", "utf-8&gb2312", "utf-8&iso-8859-1",
  ]) func `the encoding of a page is detected`(_ query: String) throws {
    let text = try fetch("/charset?\(query)").text
    // Shift_JIS has no German letters, and a wrong label alone is not sufficient.
    if query == "shift_jis&utf-8" { return #expect(text.contains("ok")) }
    #expect(text.contains("日本 – ok") || text.contains("日本 ? ok"), "\(text.prefix(200))")
    #expect(!text.contains("\u{FFFD}"))
  }

  @Test func `requests contain neither cookies nor passwords`() throws {
    let text = try fetch("/agent").text
    #expect(text.contains("Diple"))
    #expect(!text.lowercased().contains("cookie") && !text.lowercased().contains("authorization"))
    #expect(!(try fetch("/agent").text.lowercased().contains("cookie=")))
  }

  @Test func `private addresses require --allow-private`() throws {
    for address in [
      server.address + "/page", server.address.replacing("127.0.0.1", with: "localhost") + "/page",
    ] {
      let outcome = try desk.fetch(.web(address), allowsPrivate: false)
      #expect(outcome.problem.contains("not a public internet address"), "\(address)")
      #expect(outcome.answer.problem?.hint?.contains("--allow-private") == true)
    }
    for address in [
      "http://2130706433/", "http://0x7f.1/", "http://[::ffff:127.0.0.1]/", "http://0/",
    ] {
      #expect(
        try desk.fetch(.web(address), allowsPrivate: false).problem.contains("public internet"),
        "\(address)")
    }
  }

  @Test func `an untrusted certificate is rejected`() throws {
    try desk.shell(
      "openssl req -x509 -newkey rsa:2048 -nodes -keyout '\(desk.path)/key' -out '\(desk.path)/cert' -days 1 "
        + "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null; cat '\(desk.path)/key' '\(desk.path)/cert' > '\(desk.path)/pem'"
    )
    let secure = try WebServer(["/page": Self.page], certificate: desk.path + "/pem")
    let problem = try desk.fetch(.web(secure.address + "/page")).problem
    #expect(problem.contains("could not prove that it is 127.0.0.1"))
  }

  @Test func `the memory for a long page is at most 8 times its size`() {
    for size in [13_000_000, 18_000_000, 20 << 20] {
      #expect(Fetcher.memory(for: size) <= 8 * size)
    }
    #expect(Fetcher.memory(for: 100_000) == 256 << 20)
  }

  @Test func `a file is converted too, and a page without an article is rejected`() throws {
    try desk.write("page.html", Self.page)
    #expect(try desk.fetch(.file(desk.path + "/page.html")).text.contains("# Head"))
    try desk.write("menu.html", "<p><a href='/a'>One</a> <a href='/b'>Two</a></p>")
    let outcome = try desk.fetch(.file(desk.path + "/menu.html"), isWhole: false)
    #expect(outcome.problem.hasSuffix("menu.html has no article"))
    #expect(outcome.answer.problem?.hint?.contains("--whole") == true)
    #expect(try desk.fetch(.file(desk.path + "/none.html")).problem.contains("No such file"))
  }

  @Test(arguments: [
    ("8.8.8.8", true), ("1.1.1.1", true), ("2606:4700::1111", true), ("10.1.2.3", false),
    ("127.0.0.1", false), ("169.254.169.254", false), ("172.16.0.1", false), ("172.32.0.1", true),
    ("192.168.1.1", false), ("100.64.0.1", false), ("224.0.0.1", false), ("255.255.255.255", false),
    ("0.0.0.0", false), ("198.18.0.1", false), ("::1", false), ("::", false), ("fe80::1", false),
    ("fc00::1", false), ("ff02::1", false), ("::ffff:8.8.8.8", false), ("64:ff9b::808:808", false),
    ("2002:7f00:1::", false), ("2001::1", false), ("2001:db8::1", false), ("[2a00::1]", true),
  ]) func `public addresses are distinguished from others`(_ address: String, _ isPublic: Bool) {
    #expect(PublicAddress.isPublic(written: address) == isPublic)
  }
}
