import Actions
import Foundation
import Pairing
import Testing

@testable import WebReader

/// Tests who can send which request, for all addresses.
@Suite struct AccessTests {
  /// All words that occur in addresses, and one for an id.
  private static let words = [
    "1", "actions", "api", "body", "card", "cards", "copy", "d", "devices", "documents", "events",
    "files", "find", "format", "h", "highlights", "library", "login", "logout", "pair",
    "review", "search", "static", "strategies",
  ]

  private static let methods = ["GET", "POST", "PATCH", "DELETE"]

  private static var paths: [[String]] {
    let one = words.map { [$0] }
    let two = one.flatMap { path in words.map { path + [$0] } }
    let api = words.map { ["api", $0] }
    let three = two.map { $0 + ["1"] }
    let four = api.flatMap { path in words.map { path + ["1", $0] } }
    let actions = ActionList.all.map { ["api", "actions", $0.name] }
    return [[]] + one + two + three + four + actions
  }

  /// The addresses of actions with an effect.
  private static func actions(_ effect: ActionEffect) -> Set<String> {
    Set(ActionList.all.filter { $0.effect == effect }.map { "POST api/actions/\($0.name)" })
  }

  /// An unknown action requires the same access as one that writes.
  private static let writing =
    actions(.writes).union(["POST api/actions/1"])

  private static let owner: Set<String> = [
    "GET api/devices", "PATCH api/devices/1", "DELETE api/devices/1", "POST api/logout",
  ]
  private static let administering = actions(.administers)

  @Test func `each address has the expected access`() throws {
    var found: [Route.Access: Set<String>] = [:]
    for path in Self.paths {
      for method in Self.methods where Route(method, path) != nil {
        let name = "\(method) \(path.joined(separator: "/"))"
        found[Route.access(method, path), default: []].insert(name)
      }
    }
    #expect(found[.writing] == Self.writing)
    #expect(found[.owner] == Self.owner.union(Self.administering))
    #expect(!Self.administering.isEmpty)
    #expect(found[.login] == ["POST api/login"])
    #expect(found[.pairing] == ["POST api/pair"])
    // Public responses contain nothing of the library.
    #expect(
      found[.everybody]?.allSatisfy { name in
        ["GET ", "GET d/", "GET h/", "GET static/"].contains {
          name == $0 || $0.count > 4 && name.hasPrefix($0)
        }
      } == true)
    let reading = try #require(found[.reading])
    #expect(reading.isSuperset(of: Self.actions(.reads)))
    #expect(
      reading.subtracting(Self.actions(.reads)).allSatisfy {
        $0.hasPrefix("GET api/") || $0.hasPrefix("GET files/")
      })
    // Check that the tables of this test contain every address in the source that can change data.
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Modules/WebReader/Gate/RequestGate.swift")
    let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
    let methodCount = text.matches(of: #/[(\[]"(POST|PATCH|DELETE)"/#).count
    // The addresses of all actions are one pattern in the source. Logging in and pairing are two
    // more addresses.
    let addresses = Self.writing.filter { !$0.hasPrefix("POST api/actions/") }.count + 1
    #expect(methodCount == addresses + Self.owner.count - 1 + 2)
  }

  private func status(_ name: String, _ caller: Principal) -> Int? {
    let parts = name.split(separator: " ", maxSplits: 1)
    let listener: Listener = caller == .owner ? .machine : .network
    let host = caller == .owner ? "127.0.0.1:80" : "192.0.2.1:80"
    let gate = RequestGate(port: 80, network: "192.0.2.1", tag: "t")
    let head = RequestHead(
      method: String(parts[0]), target: "/" + (parts.count > 1 ? parts[1] : ""),
      fields: [
        ("Host", host), ("Origin", "http://\(host)"), ("Content-Type", "application/json"),
        ("X-Diple", "1"), ("Cookie", "\(gate.cookieName(listener))=x"),
      ])
    guard case .refused(let answer) = gate.decide(head, from: listener, caller: { _ in caller })
    else { return nil }
    return answer.status
  }

  @Test func `a read-only device cannot change anything, and no device can administer devices`()
    throws
  {
    func device(mayWrite: Bool) throws -> Principal {
      let json = """
        {"id": "00000000", "name": "x", "mayWrite": \(mayWrite), "paired": 0, "used": 0, "token": ""}
        """
      return .device(try JSONDecoder().decode(PairedDevice.self, from: Data(json.utf8)))
    }
    let (reader, writer) = (try device(mayWrite: false), try device(mayWrite: true))
    for name in Self.writing {
      #expect(status(name, reader) == 403, "\(name)")
      #expect(status(name, writer) == nil, "\(name)")
      #expect(status(name, .nobody) == 401, "\(name)")
      #expect(status(name, .owner) == nil, "\(name)")
    }
    for name in Self.owner.union(Self.administering) {
      for caller in [reader, writer] { #expect(status(name, caller) == 403, "\(name)") }
      #expect(status(name, .nobody) == 401, "\(name)")
      #expect(status(name, .owner) == nil, "\(name)")
    }
    for caller in [reader, writer, .nobody] {
      #expect(status("POST api/login", caller) == 403)
      #expect(status("POST api/pair", caller) == nil)
    }
    #expect(status("POST api/pair", .owner) == 403)
    for name in Self.actions(.reads) {
      for caller in [reader, writer, .owner] { #expect(status(name, caller) == nil, "\(name)") }
      #expect(status(name, .nobody) == 401, "\(name)")
    }
    #expect(status("GET api/library", reader) == nil)
    #expect(status("GET api/library", .nobody) == 401)
  }
}
