import Foundation
import Model
import Sync
import TestSupport
import Testing
import Transports

/// A bare repository for a test. The path of its work folder never changes.
struct GitFixture: TransportFixture, @unchecked Sendable {
  let folder: WorkFolder
  let title: String
  let address: String
  var transport: any SyncTransport { Git() }
  var cacheFolder: String { folder.path + "/caches" }
  let knowsChanges = false
  // Each push starts several programs.
  let writers = (count: 3, rounds: 3)

  init(byAddress: Bool = false) throws {
    folder = try WorkFolder()
    try folder.git("init", "--quiet", "--bare", "remote.git")
    address = (byAddress ? "file://" : "") + folder.path + "/remote.git"
    title = byAddress ? "git by an address" : "git by a path"
  }
}

@Suite(.enabled(if: Engine.isThere("sshd") && Engine.isThere("ssh-keygen")))
struct GitOverSSHTests {
  @Test func `a git repository on an SSH server passes the checks of every transport`() async throws
  {
    let fixture = try SSHFixture()
    defer { fixture.engine.stop() }
    try await Conformance(fixture).check()
  }

  @Test func `a stopped SSH server is reported, and used again after its restart`() async throws {
    let fixture = try SSHFixture()
    defer { fixture.engine.stop() }
    try await fixture.checkStop(hasCache: true)
  }

  @Test func `an unknown user key and a changed host key are rejected`()
    async throws
  {
    let fixture = try SSHFixture()
    defer { fixture.engine.stop() }
    try await fixture.withConnection { _ in }
    try fixture.folder.write("authorized", "")
    await fails(.refused) { _ = try await fixture.connect() }
    try fixture.folder.shell("cp user.pub authorized; mv known known.right")
    await fails(.refused) { _ = try await fixture.connect() }
    try fixture.folder.shell("mv known.right known")
    try await fixture.withConnection { _ in }
  }

  @Test func `two homes are equal after syncing over SSH`() async throws {
    let fixture = try SSHFixture()
    defer { fixture.engine.stop() }
    var (a, b) = (try ProgramHome(), try ProgramHome())
    a.environment["GIT_SSH_COMMAND"] = fixture.command
    b.environment["GIT_SSH_COMMAND"] = fixture.command
    for home in [a, b] {
      try home.folder.write("room.md", "# Room\n\nA woman must have money and a room of her own.\n")
      #expect(try home.diple("init").code == 0)
      #expect(try home.diple("add", "room.md").code == 0)
    }
    #expect(try a.diple("mark", "room.md", "\"a room of her own\"").code == 0)
    let begun = try a.diple("sync", "init", "git", fixture.address, "--device", "anna")
    #expect(begun.code == 0, "\(begun)")
    let joined = try b.diple("sync", "join", "git", fixture.address, "--device", "ben")
    #expect(joined.code == 0, "\(joined)")
    #expect(try b.diple("list").output.contains("a room of her own"))
    #expect(try b.diple("mark", "room.md", "\"must have money\"").code == 0)
    for home in [b, a] { #expect(try home.diple("sync").code == 0) }
    #expect(try a.diple("list").output.contains("must have money"))
  }
}

@Suite struct GitTests {
  @Test(arguments: [false, true])
  func `a git repository passes the checks of every transport`(_ byAddress: Bool) async throws {
    try await Conformance(try GitFixture(byAddress: byAddress)).check()
  }

  @Test(arguments: [
    "", "relative", "ext::sh -c id", "-oProxyCommand=id", "--upload-pack=id", "ftp://h/x", "fd::3",
    "https://user:secret@host/x", "ssh://-oProxyCommand=id/x", "http://example.org/x", "a\nb:c",
  ])
  func `an invalid address, or one with a program or password, is rejected`(_ address: String)
    async throws
  {
    let folder = try WorkFolder()
    await fails(.usage, address) {
      _ = try await Git().connect(to: TransportPlace(address: address, cache: folder.path))
    }
    do {
      _ = try await Git().connect(to: TransportPlace(address: address, cache: folder.path))
    } catch { #expect(!"\(error)".contains("secret")) }
  }

  @Test func `a missing repository is reported`() async throws {
    let folder = try WorkFolder()
    await fails(.absent) {
      _ = try await Git().connect(
        to: TransportPlace(address: folder.path + "/none.git", cache: folder.path + "/cache"))
    }
  }

  @Test func `hooks and programs of a repository are not run`() async throws {
    let fixture = try GitFixture()
    let marks = fixture.folder.path + "/ran"
    for hook in ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"] {
      try fixture.folder.write(
        "remote.git/hooks/\(hook)", "#!/bin/sh\necho \(hook) >>'\(marks)'\n")
    }
    try fixture.folder.shell(
      """
      chmod +x remote.git/hooks/*
      cd remote.git
      git config core.alternateRefsCommand 'echo alternate >>\(marks);'
      git config core.fsmonitor 'echo monitor >>\(marks);'
      git config uploadpack.packObjectsHook 'echo pack >>\(marks);'
      git init --quiet --bare ../alternate.git
      echo ../../alternate.git/objects >objects/info/alternates
      """)
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "x")])
    }
    try await fixture.withConnection { connection in
      let bytes = try await connection.get(object.name("1-1.seg"))
      #expect(bytes == Array("x".utf8))
    }
    #expect(!FileManager.default.fileExists(atPath: marks))
  }

  @Test func `only the regular files of a tree with valid names are objects`()
    async throws
  {
    let fixture = try GitFixture()
    let object = ObjectMaker()
    let ref = "refs/diple/\(object.vault)/\(object.replica)"
    try fixture.folder.shell(
      """
      cd remote.git
      blob=$(echo plain | git hash-object -w --stdin)
      link=$(printf /etc/passwd | git hash-object -w --stdin)
      inner=$(printf '100644 blob %s\\t1-1.seg\\n' $blob | git mktree)
      tree=$(printf '100644 blob %s\\t1-1.seg\\n120000 blob %s\\t2-2.seg\\n040000 tree %s\\t3-3.seg\\n100755 blob %s\\t4-4.seg\\n100644 blob %s\\tUpper\\n100644 blob %s\\t-rf\\n160000 commit %s\\t5-5.seg\\n' $blob $link $inner $blob $blob $blob $(printf '1%.0s' $(seq 40)) | git mktree --missing)
      git update-ref \(ref) $(git commit-tree -m x $tree)
      git update-ref refs/diple/\(object.vault)/short $(git commit-tree -m x $tree)
      git update-ref refs/diple/\(object.vault)/00000000000000aa $blob
      git update-ref refs/diple/x/\(object.replica) $(git commit-tree -m x $tree)
      """)
    try await fixture.withConnection { connection in
      let entries = try await connection.list(since: nil).entries
      #expect(entries == [TransportListing.Entry(object.name("1-1.seg"), size: 6)])
      for file in ["2-2.seg", "3-3.seg", "4-4.seg", "5-5.seg"] {
        #expect(try await connection.get(object.name(file)) == nil, "\(file)")
      }
      await fails(.tooLarge) { _ = try await connection.get(object.name("1-1.seg"), limit: 5) }
    }
  }

  @Test func `hostile file names in a replica's ref do not reach git's input`() async throws {
    let fixture = try GitFixture()
    let object = ObjectMaker()
    try await fixture.withConnection { try await $0.put([object("1-1.seg", "first")]) }
    let ref = "refs/diple/\(object.vault)/\(object.replica)"
    // The second name would end the input of `git fast-import`.
    try fixture.folder.shell(
      """
      cd remote.git
      blob=$(echo plain | git hash-object -w --stdin)
      tree=$( (git ls-tree -z \(ref); printf '100644 blob %s\\tzz\\ndone\\n\\0' $blob) | git mktree -z)
      git update-ref \(ref) $(git commit-tree -m x $tree)
      """)
    try await fixture.withConnection { connection in
      try await connection.put([object("2-2.seg", "second")])
    }
    try await fixture.withConnection { connection in
      let files = try await connection.list(since: nil).entries.map(\.name.file)
      #expect(files.sorted() == ["1-1.seg", "2-2.seg"])
    }
  }

  @Test func `a repository that is too large is reported, and no clone remains`() async throws {
    let fixture = try GitFixture()
    let object = ObjectMaker()
    let large = [object("1-1.seg", Conformance.bytes(3 << 20))]
    try await fixture.withConnection { try await $0.put(large) }
    let cache = fixture.folder.path + "/small"
    for _ in 1...2 {
      await fails(.unavailable) {
        _ = try await Git(fileLimit: 1 << 20).connect(
          to: TransportPlace(address: fixture.address, cache: cache))
      }
    }
    #expect(try fixture.folder.shell("find small -size +100k") == "")
  }

  @Test func `a deleted object does not remain in the history`() async throws {
    let fixture = try GitFixture()
    let object = ObjectMaker()
    try await fixture.withConnection { connection in
      try await connection.put([object("1-1.seg", "to be gone"), object("2-2.seg", "kept")])
      try await connection.delete([object.name("1-1.seg")])
    }
    try fixture.folder.shell("git -C remote.git gc --quiet --prune=now")
    let objects = try fixture.folder.shell(
      "git -C remote.git cat-file --batch-all-objects --batch-check='%(objecttype)' | grep -c blob")
    #expect(objects == "1\n")
  }

  @Test func `damage to the local clone is repaired`() async throws {
    let fixture = try GitFixture()
    let object = ObjectMaker()
    let place = TransportPlace(address: fixture.address, cache: fixture.folder.path + "/cache")
    let first = try await Git().connect(to: place)
    try await first.put([object("1-1.seg", "x")])
    let ref = "repository.git/refs/diple/\(object.vault)/\(object.replica)"
    try fixture.folder.write("cache/\(ref).lock", "")
    try await first.put([object("2-2.seg", "y")])
    let second = try await Git().connect(to: place)
    #expect(try await second.list(object.vault).count == 2)
    try fixture.folder.write("cache/repository.git/HEAD", "damaged")
    #expect(try await second.list(object.vault).count == 2)
  }

  @Test func `concurrent pushes to one ref keep both objects`() async throws {
    let fixture = try GitFixture()
    let object = ObjectMaker()
    try await fixture.withConnection { one in
      try await fixture.withConnection { two in
        _ = try await two.list(since: nil)
        try await one.put([object("1-1.seg", "x")])
        try await two.put([object("2-2.seg", "y")])
        #expect(try await one.list(object.vault).count == 2)
      }
    }
  }
}
