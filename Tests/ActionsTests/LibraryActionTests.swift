import Actions
import BuiltIn
import Configuration
import Foundation
import LibrarySync
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests actions on the library: its settings, trash, backup and sync.
@Suite struct LibraryActionTests {
  @Test func `the contents of the trash are restored, or deleted permanently`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    func remove() async throws { _ = try await RemoveDocument(document: id).run(in: session) }
    try await remove()
    try folder.write("a.md", "Two foxes.\n")
    let restored = try await RestoreFromTrash([id.description]).run(in: session)
    #expect(restored.contents.documents.map(\.id) == [id])
    #expect(restored.reports.map(\.change) == [.changed])
    try await remove()
    #expect(try await EmptyTrash(dryRun: true).run(in: session).contents.documents.count == 1)
    #expect(try await ListTrash().run(in: session).contents.documents.count == 1)
    _ = try await EmptyTrash().run(in: session)
    #expect(try await ListTrash().run(in: session).contents.isEmpty)
  }

  @Test func `a setting is changed in the user's file or the library's`() async throws {
    let folder = try WorkFolder()
    let library = try await newLibrary(in: folder)
    var session = ActionSession(library)
    let environment = ["XDG_CONFIG_HOME": folder.path + "/config", "HOME": folder.path]
    session.environment = environment
    session.settings = { [folder = library.location.folder] () throws(UserError) in
      do throws(SettingsError) {
        return try Settings(environment: environment, library: folder)
      } catch { throw UserError(error) }
    }
    func set(_ key: String, _ value: String, local: Bool = false, dryRun: Bool = false)
      async throws -> Settings
    {
      try await ChangeSetting(key: key, value: value, local: local, dryRun: dryRun).run(
        in: session
      ).settings
    }
    #expect(try await set("reader.width", "72").number(.readerWidth) == 72)
    #expect(try await set("reader.width", "80", dryRun: true).number(.readerWidth) == 72)
    #expect(try await set("reader.width", "90", local: true).number(.readerWidth) == 90)
    await #expect(throws: UserError.self) { try await set("reader.width", "wide") }
    await #expect(throws: UserError.self) { try await set("reader.wdth", "72") }
    let personal = await #expect(throws: UserError.self) {
      try await set("editor", "vi", local: true)
    }
    #expect(personal?.code == .usage)
  }

  @Test func `the library is counted, checked and backed up`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await newLibrary(in: folder)
    var session = ActionSession(library)
    let status = try await ShowStatus().run(in: session)
    #expect(status.documents == 1 && status.missing == 0 && status.sync == nil)
    // A front-end that does not know the daemon leaves its state out.
    #expect(status.json.contains("\"daemon\":null"))
    session.daemon = { DaemonState(state: "watching", advice: ["update it"]) }
    #expect(try await ShowStatus().run(in: session).daemon == "watching")
    let checked = try await CheckLibrary().run(in: session)
    #expect(checked.problems.isEmpty && checked.documents == 1 && checked.indexed == 1)
    #expect(checked.json.contains(#"{"advice":["update it"],"state":"watching"}"#))
    #expect(try await RebuildIndex().run(in: session).indexed == 1)
    let file = folder.path + "/copy.zst"
    let copy = try await BackUpLibrary(file: file).run(in: session)
    #expect(copy.file == file && copy.bytes > 0)
    await #expect(throws: UserError.self) { try await BackUpLibrary(file: file).run(in: session) }
    _ = try await BackUpLibrary(file: file, replace: true).run(in: session)
  }

  @Test func `a library is synced with another one, which is revoked`() async throws {
    let folder = try WorkFolder()
    let target = folder.path + "/shared"
    func session(_ name: String) throws -> ActionSession {
      var location = LibraryLocation(folder: folder.path + "/\(name)/.diple")
      location.usePersonalFolders(of: ["HOME": folder.path + "/home"])
      return ActionSession(try Library(at: location, plugins: .builtIn, opening: .create))
    }
    let (one, two) = (try session("one"), try session("two"))
    try folder.write("one/a.md", "One fox.\n")
    _ = try await AddDocuments(paths: [folder.path + "/one/a.md"]).run(in: one)
    let short = await #expect(throws: UserError.self) {
      try await BeginSync(transport: "folder", address: target, passphrase: "short").run(in: one)
    }
    #expect(short?.code == .usage)
    let begin = BeginSync(
      transport: "folder", address: target, device: "one", passphrase: "correct horse battery")
    #expect(try await begin.run(in: one).folder == one.library.location.folder)
    let again = await #expect(throws: UserError.self) { try await begin.run(in: one) }
    #expect(again?.code == .conflict)
    let code = try await AskToJoin(transport: "folder", address: target, device: "two").run(
      in: two
    ).code
    #expect(try await ListJoiningDevices().run(in: one).devices.map(\.code) == [code])
    #expect(try await LetDeviceIn(code: "1").run(in: one).devices.map(\.isLetIn) == [false])
    #expect(try await LetDeviceIn(code: code).run(in: one).devices.map(\.isLetIn) == [true])
    #expect(try await SyncNow().run(in: two).report.received > 0)
    #expect(try await ListDocuments().run(in: two).documents.count == 1)
    _ = try await SyncNow().run(in: one)
    #expect(try await VerifySync().run(in: one).found.problems.isEmpty)
    #expect(try await ListSyncChanges().run(in: one).changes.isEmpty == false)
    let unknown = await #expect(throws: UserError.self) {
      try await RevokeDevice(device: "three").run(in: one)
    }
    #expect(unknown?.code == .notFound && unknown?.parameter == "device")
    #expect(try await RevokeDevice(device: "two").run(in: one).device.isRevoked)
    let left = try await LeaveSync().run(in: one)
    #expect(left.address == target && left.isStated)
    await #expect(throws: UserError.self) { try await ShowSync().run(in: one) }
  }
}
