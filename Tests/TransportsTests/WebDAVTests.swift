import Foundation
import Model
import NetworkTransports
import Sync
import TestSupport
import Testing
import Transports

@Suite(.enabled(if: Engine.isThere("apache2") && Engine.isThere("nginx"))) struct WebDAVTests {
  @Test(arguments: ["apache2", "nginx"])
  func `a WebDAV server passes the checks of every transport`(_ server: String) async throws {
    let fixture = try WebDAVFixture(server)
    defer { fixture.engine.stop() }
    try await Conformance(fixture).check()
  }

  @Test(.enabled(if: Engine.isThere("openssl")), arguments: ["apache2", "nginx"])
  func `a WebDAV server with TLS and its own certificate passes the checks of every transport`(
    _ server: String
  ) async throws {
    let fixture = try WebDAVFixture(server, isSecure: true)
    defer { fixture.engine.stop() }
    try await Conformance(fixture).check()
  }

  @Test(.enabled(if: Engine.isThere("openssl")), arguments: ["apache2", "nginx"])
  func `an untrusted certificate is rejected, and the message contains the remedy`(
    _ server: String
  ) async throws {
    let fixture = try WebDAVFixture(server, transport: Carried("webdav"), isSecure: true)
    defer { fixture.engine.stop() }
    do {
      _ = try await fixture.connect()
      Issue.record("the certificate was accepted")
    } catch let error as TransportError {
      #expect(error.kind == .refused)
      #expect(error.description.contains("the certificate of 127.0.0.1 is not trusted"))
      #expect(error.description.contains("sync.ca_file or SSL_CERT_FILE"))
    }
  }

  @Test(.enabled(if: Engine.isThere("openssl")), arguments: ["apache2", "nginx"])
  func `only a server with a configured certificate is trusted`(_ server: String)
    async throws
  {
    var fixture = try WebDAVFixture(server, transport: Carried("webdav"), isSecure: true)
    defer { fixture.engine.stop() }
    fixture.certificates = fixture.folder.path + "/cert.pem"
    try await Conformance(fixture).check()
    try fixture.folder.shell(
      """
      openssl req -x509 -newkey rsa:2048 -nodes -keyout other-key.pem -out other.pem -days 2 \
        -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>&1
      """)
    fixture.certificates = fixture.folder.path + "/other.pem"
    await fails(.refused) { _ = try await fixture.connect() }
    fixture.certificates = fixture.folder.path + "/missing.pem"
    do {
      _ = try await fixture.connect()
      Issue.record("the certificate was accepted")
    } catch let error as TransportError {
      #expect(error.kind == .refused)
      #expect(error.description.contains("/missing.pem cannot be read"))
    }
  }

  @Test(.enabled(if: Engine.isThere("openssl")))
  func `the user's settings can name certificates, a library's cannot`() async throws {
    let fixture = try WebDAVFixture("nginx", isSecure: true)
    defer { fixture.engine.stop() }
    let home = try ProgramHome()
    try home.folder.shell("mkdir -p .diple")
    #expect(try home.diple("init").code == 0)
    let words = ["sync", "init", "webdav", fixture.address]
    let setting = "[sync]\nca_file = \"\(fixture.folder.path)/cert.pem\"\n"
    // A foreign library must not choose the trusted certificates.
    try home.folder.write(".diple/config.toml", setting)
    let foreign = try home.diple(words)
    #expect(
      foreign.code != 0 && foreign.output.contains("cannot be set for a library"), "\(foreign)")
    #expect(try home.diple(["sync", "status"]).code == 1)
    try home.folder.remove(".diple/config.toml")
    let without = try home.diple(words)
    #expect(without.code != 0 && without.output.contains("is not trusted"), "\(without)")
    let local = try home.diple(
      ["config", "set", "--local", "sync.ca_file", fixture.folder.path + "/cert.pem"])
    #expect(local.code == 2 && local.output.contains("cannot be set for a library"), "\(local)")
    let set = try home.diple(["config", "set", "sync.ca_file", fixture.folder.path + "/cert.pem"])
    #expect(set.code == 0, "\(set)")
    let done = try home.diple(words)
    #expect(done.code == 0, "\(done)")
    #expect(try home.diple(["sync"]).code == 0)
  }

  @Test(arguments: ["apache2", "nginx"])
  func `a stopped server is reported, and used again after its restart`(_ server: String)
    async throws
  {
    let fixture = try WebDAVFixture(server)
    defer { fixture.engine.stop() }
    try await fixture.checkStop()
  }

  @Test(arguments: ["apache2", "nginx"])
  func `a killed writer leaves no partial object`(_ server: String) async throws {
    let killed = try KilledCarrier("webdav")
    let fixture = try WebDAVFixture(server)
    defer { fixture.engine.stop() }
    try await killed.check(fixture)
  }

  @Test(arguments: ["apache2", "nginx"])
  func `the ends of a large object are read without the rest`(_ server: String) async throws {
    let fixture = try WebDAVFixture(server)
    defer { fixture.engine.stop() }
    try await fixture.checkEnds()
  }

  @Test(arguments: ["apache2", "nginx"])
  func `the folder of a device that has changed nothing is not listed again`(_ server: String)
    async throws
  {
    let fixture = try WebDAVFixture(server)
    defer { fixture.engine.stop() }
    let (object, other) = (ObjectMaker(), ObjectMaker())
    func settle(filesAt time: String, foldersAt other: String = "2 hours ago") throws {
      try fixture.folder.shell(
        """
        cd root/dav/files/v1
        find . -type f -exec touch -d '\(time)' {} +
        find . -mindepth 2 -type d -exec touch -d '\(other)' {} +
        """)
    }
    try await fixture.withConnection { connection in
      func list(since cursor: TransportCursor?) async throws -> TransportListing {
        try await connection.list(since: cursor)
      }
      try await connection.put([object("1-1.seg", "1"), object("2-2.seg", "2")])
      try await connection.put([other("1-1.seg", "1")])
      // A folder that has just changed may change again within the same second.
      try settle(filesAt: "3 hours ago", foldersAt: "1 minute")
      #expect(try await list(since: nil).cursor == nil)
      try settle(filesAt: "3 hours ago")
      let first = try await list(since: nil)
      #expect(first.isWhole && first.entries.count == 3 && first.cursor != nil)
      let second = try await list(since: first.cursor)
      #expect(!second.isWhole && second.entries.isEmpty)
      try await connection.put([object("3-3.seg", "3")])
      try await connection.delete([object.name("1-1.seg")])
      let third = try await list(since: second.cursor)
      #expect(!third.isWhole)
      #expect(
        Set(third.entries.map(\.name)) == [object.name("2-2.seg"), object.name("3-3.seg")])
      // If a folder's time does not follow its changes, there is no cursor, and everything is
      // listed.
      try settle(filesAt: "1 hour ago")
      #expect(try await list(since: nil).cursor == nil)
      try fixture.folder.shell("rm -r root/dav/files/v1/*")
      let last = try await list(since: first.cursor)
      #expect(last.isWhole && last.entries.isEmpty)
    }
  }

  @Test func `a missing folder is reported`() async throws {
    let fixture = try WebDAVFixture("apache2")
    defer { fixture.engine.stop() }
    await fails(.absent) {
      _ = try await WebDAV().connect(
        to: TransportPlace(address: fixture.address + "/none", cache: "/nowhere"))
    }
  }

  @Test(arguments: [
    "", "/a/path", "ftp://127.0.0.1/x", "http://example.org/dav", "https://user:secret@host/dav",
    "https://host/dav?x", "http://127.0.0.1.example.org/", "http://128.0.0.1/",
  ])
  func `an invalid address, or one with a password, is rejected`(_ address: String) async {
    await fails(.usage, address) {
      _ = try await WebDAV().connect(to: TransportPlace(address: address, cache: "/nowhere"))
    }
  }
}
