import Foundation
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

@testable import Pairing

/// Tests the file of the devices, and how a server uses it.
@Suite struct DeviceListTests {
  let folder: WorkFolder
  let list: DeviceList
  var random = SystemRandomNumberGenerator()
  let now = Date(timeIntervalSince1970: 1_700_000_000)

  init() throws {
    folder = try WorkFolder()
    list = Self.list(in: folder, ReplicaID(rawValue: 7))
  }

  private static func list(in folder: WorkFolder, _ library: ReplicaID) -> DeviceList {
    var location = LibraryLocation(folder: folder.path + "/library")
    location.state = folder.path + "/state"
    return DeviceList(library, at: location)
  }

  private func path() throws -> String { try #require(list.path) }

  private func write(_ text: String) throws {
    try folder.write("state/devices/0000000000000007.json", text)
    chmod(try path(), 0o600)
  }

  // MARK: - Names

  @Test(arguments: [
    ("Phone", "Phone"), ("  My \t\n phone ", "My phone"), ("", "device"),
    ("\u{202E}\u{200B}", "device"),
    ("a\u{202E}b\u{1B}[31mc\u{2028}d\u{E0041}", "ab [31mc d"), ("日本の電話", "日本の電話"),
    ("\u{FEFF}x\u{0}y\u{7F}", "x y"), ("<b>'$(x)", "<b>'$(x)"),
  ])
  func `a name is reduced to printable characters`(text: String, name: String) {
    #expect(PairedDevice.name(text, besides: []) == name)
  }

  @Test func `a name is limited in length and unique`() {
    #expect(PairedDevice.name(String(repeating: "é", count: 100), besides: []).utf8.count == 80)
    let pile = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(PairedDevice.name(pile, besides: []).utf8.count <= 80)
    #expect(PairedDevice.name("Phone", besides: ["Phone", "Phone 2"]) == "Phone 3")
  }

  // MARK: - The file

  @Test
  mutating func `the file contains the hash of a device's token, and only the user can read it`()
    throws
  {
    #expect(try list.devices(now: now) == [])
    let (device, token) = try list.pair("Phone", now: now, by: &random)
    #expect(!device.mayWrite)
    #expect(token.count == 64)
    #expect(try list.devices(now: now) == [device])
    let text = try String(contentsOfFile: path(), encoding: .utf8)
    #expect(!text.contains(token) && text.contains("Phone"))
    for (name, mode) in [(try path(), 0o600), (try path().parentFolder, 0o700)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: name)
      #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
    }
    #expect(try list.allow(device.id, writing: true, now: now).mayWrite)
    let other = try list.pair("Phone", now: now, by: &random).device
    #expect(other.name == "Phone 2" && other.id != device.id)
    #expect(try list.revoke(device.id, now: now).id == device.id)
    #expect(try list.devices(now: now) == [other])
    #expect(throws: UserError.self) { try list.revoke(device.id, now: now) }
    #expect(throws: UserError.self) { try list.allow(device.id, writing: true, now: now) }
    // Another library has other devices.
    let elsewhere = Self.list(in: folder, ReplicaID(rawValue: 8))
    #expect(try elsewhere.devices(now: now) == [])
  }

  @Test mutating func `the number of devices and their age are limited`() throws {
    for _ in 0..<32 { _ = try list.pair("Phone", now: now, by: &random) }
    let error = #expect(throws: UserError.self) { try list.pair("x", now: now, by: &random) }
    #expect(error?.description.contains("device.revoke") == true)
    let later = now + Double(PairedDevice.time)
    #expect(try list.devices(now: later - 1).count == 32)
    #expect(try list.devices(now: later) == [])
    _ = try list.pair("x", now: later, by: &random)
    #expect(try list.devices(now: later).map(\.name) == ["x"])
  }

  @Test mutating func `an invalid file admits no device`() throws {
    _ = try list.pair("Phone", now: now, by: &random)
    let good = try String(contentsOfFile: path(), encoding: .utf8)
    let bad = [
      "", "{}", "[]", "null", String(good.dropLast(3)),
      good.replacing("\"version\":1", with: "\"version\":2"),
      good.replacing("Phone", with: "Ph\u{202E}one"), good.replacing("Phone", with: ""),
      good.replacing("Phone", with: String(repeating: "x", count: 200)),
      good.replacing(#/"id":"[0-9a-f]{8}"/#, with: "\"id\":\"../../xx\""),
      good.replacing(#/"token":"[0-9a-f]{64}"/#, with: "\"token\":\"\""),
      String(repeating: " ", count: 2 << 20) + good,
    ]
    for text in bad {
      try write(text)
      #expect(throws: UserError.self, "\(text.prefix(80))") { try list.devices(now: now) }
      #expect(throws: UserError.self) { try list.pair("x", now: now, by: &random) }
      let desk = DeviceSessions(list)
      #expect(desk.problem?.description.contains("remove the file") == true)
    }
    try write(good)
    #expect(try list.devices(now: now).count == 1)
    chmod(try path(), 0o666)
    #expect(throws: UserError.self) { try list.devices(now: now) }
    chmod(try path(), 0o600)
    try folder.move("state/devices/0000000000000007.json", to: "real.json")
    symlink(folder.path + "/real.json", try path())
    #expect(throws: UserError.self) { try list.devices(now: now) }
  }

  @Test mutating func `simultaneous changes are all kept`() async throws {
    let list = list
    await withTaskGroup { group in
      for index in 0..<16 {
        group.addTask {
          var random = SystemRandomNumberGenerator()
          _ = try? list.pair("\(index)", now: .now, by: &random)
        }
      }
    }
    #expect(try list.devices(now: .now).count == 16)
  }

  @Test mutating func `a device is found by its complete name or id`() throws {
    let one = try list.pair("Phone", now: now, by: &random).device
    let other = try list.pair(String(one.id.prefix(4)), now: now, by: &random).device
    let devices = [one, other]
    #expect(try DeviceList.device("Phone", among: devices) == one)
    #expect(try DeviceList.device(one.id, among: devices) == one)
    // The name of a device cannot refer to another device by its id.
    let error = #expect(throws: UserError.self) {
      try DeviceList.device(String(one.id.prefix(4)), among: devices)
    }
    #expect(error?.code == .ambiguous && error?.candidates.count == 2)
    #expect(throws: UserError.self) { try DeviceList.device("Pho", among: devices) }
    #expect(throws: UserError.self) { try DeviceList.device("", among: devices) }
  }

  // MARK: - Use by a server

  /// Received changes, from any thread.
  private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [DeviceSessions.Event] = []
    func add(_ event: DeviceSessions.Event) { lock.withLock { events.append(event) } }
    func take() -> [DeviceSessions.Event] {
      lock.withLock {
        defer { events = [] }
        return events
      }
    }
  }

  @Test func `a server detects changes by other processes and notifies the affected watchers`()
    throws
  {
    let desk = DeviceSessions(list)
    guard
      case .paired(let device, let token) = try desk.pair(
        desk.newCode(now: 0), as: "a", from: "192.0.2.7", now: 1),
      case .paired(let other, let otherToken) = try desk.pair(
        desk.newCode(now: 2), as: "b", from: "192.0.2.7", now: 3)
    else { return #expect(Bool(false), "not paired") }
    #expect(desk.device(withToken: token)?.id == device.id)
    let (own, others, all) = (Told(), Told(), Told())
    let names = [
      desk.watch(device.id, send: own.add), desk.watch(other.id, send: others.add),
      desk.watch(nil, send: all.add),
    ]
    #expect(own.take() == [.access(mayWrite: false)])
    #expect(others.take() == [.access(mayWrite: false)])
    #expect(all.take() == [])

    _ = try list.allow(device.id, writing: true, now: .now)
    desk.refresh()
    #expect(own.take() == [.access(mayWrite: true)])
    #expect(others.take() == [])
    #expect(all.take() == [.list])
    #expect(desk.device(withToken: token)?.mayWrite == true)

    _ = try list.revoke(device.id, now: .now)
    #expect(desk.device(withToken: token) == nil)
    #expect(own.take() == [.revoked])
    #expect(others.take() == [])
    #expect(all.take() == [.list])
    #expect(desk.device(withToken: otherToken)?.id == other.id)

    // A watcher that registers late receives the changes too.
    let late = Told()
    _ = desk.watch(device.id, send: late.add)
    #expect(late.take() == [.revoked])

    for name in names { desk.endWatching(name) }
    try write("{")
    #expect(desk.device(withToken: otherToken) == nil)
    #expect(others.take() == [])
    for token in [
      "", "0", String(otherToken.dropLast()), otherToken.uppercased(), otherToken + "0",
    ] {
      #expect(desk.device(withToken: token) == nil)
    }
  }
}
