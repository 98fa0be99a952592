import Foundation
import Testing

/// Tests that a library that another user owns or can write is not used until the user allows it,
/// and that Diple's own files are not written through links.
@Suite struct OwnershipTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/good.md", "Some words here.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "good.md").code == 0)
  }

  private func expectRefused(
    _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for words in [
      ["list"], ["doc", "list"], ["show", "good.md"], ["add", "good.md"], ["history"],
    ] {
      let result = try victim.run("diple", words)
      #expect(
        result.code == 6 && result.errors.contains("is not used")
          && result.errors.contains(reason), "\(words): \(result)", sourceLocation: sourceLocation)
    }
    // The hint is the command that allows it.
    let refused = try victim.diple("list")
    let command = try #require(
      refused.errors.range(of: "diple config set library.safe"), "\(refused)",
      sourceLocation: sourceLocation)
    try victim.shell(String(refused.errors[command.lowerBound...]))
    let allowed = try victim.diple("doc", "list")
    #expect(
      allowed.code == 0 && allowed.output.contains("good.md"), "\(allowed)",
      sourceLocation: sourceLocation)
  }

  @Test func `a library that other users can write is rejected until it is allowed`() throws {
    try victim.shell("chmod 777 .diple")
    try expectRefused("can be written by other users")
    try victim.shell(
      "rm ../.config/diple/config.toml; chmod 700 .diple; chmod 666 .diple/library.sqlite")
    try expectRefused("can be written by other users")
    try victim.shell(
      "rm ../.config/diple/config.toml; chmod 600 .diple/library.sqlite; chmod 777 .")
    try expectRefused("can be written by other users")
    // In a folder with the sticky bit, other users cannot replace the library.
    try victim.shell("rm ../.config/diple/config.toml; chmod 1777 .")
    #expect(try victim.diple("list").code == 1)
  }

  @Test(.enabled(if: getuid() == 0, "only the superuser can give files away"))
  func `a library of another user is rejected until it is allowed`() throws {
    try victim.shell("chown 65534 .diple")
    try expectRefused("belongs to another user")
    try victim.shell(
      "rm ../.config/diple/config.toml; chown 0 .diple; chown 65534 .diple/library.sqlite")
    try expectRefused("belongs to another user")
  }

  @Test func `a link in place of the library or one of its files is rejected`() throws {
    try victim.shell("mv .diple ../elsewhere && ln -s ../elsewhere .diple")
    let linked = try victim.diple("list")
    #expect(linked.code == 6 && linked.errors.contains("is a symbolic link"), "\(linked)")
    try victim.shell("rm .diple && mv ../elsewhere .diple")
    try victim.write("mail.sqlite", "")
    for name in ["library.sqlite", "library.sqlite-wal"] {
      try victim.shell("rm -f .diple/\(name); ln -s ../../mail.sqlite .diple/\(name)")
      for words in [["list"], ["add", "good.md"], ["list", "--library", ".diple"]] {
        let result = try victim.run("diple", words)
        #expect(result.code == 6 || result.code == 8, "\(name) \(words): \(result)")
      }
      #expect(try victim.read("mail.sqlite").isEmpty)
      try victim.shell("rm -f .diple/library.sqlite*")
    }
  }

  @Test func `only the user can read the database, whatever its folder`() throws {
    let names = ["", "-wal", "-shm"].map { "library.sqlite" + $0 }
    func expectPrivate(_ folder: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      for name in names where victim.exists(folder + "/" + name) {
        #expect(
          try victim.mode(folder + "/" + name) == 0o600, "\(name)", sourceLocation: sourceLocation)
      }
    }
    try victim.shell(
      "umask 022; diple add good.md --library ../named; umask 0; diple init --library ../open")
    try expectPrivate("clone/.diple")
    try expectPrivate("named")
    try expectPrivate("open")
    try victim.shell("chmod 644 ../named/library.sqlite; diple list --library ../named || true")
    try expectPrivate("named")
  }

  @Test func `the daemon's files are outside the library, and links to them are not followed`()
    throws
  {
    try victim.write(".profile", "PATH=$PATH:~/bin\n")
    try victim.write(".bashrc", "# mine\n")
    try victim.shell(
      "ln -s ../../.profile .diple/daemon.lock; ln -s ../../.bashrc .diple/daemon.log; "
        + "ln -s ../../.bashrc .diple/daemon.sock")
    let started = try victim.diple("daemon", "start")
    #expect(started.code == 0, "\(started)")
    #expect(try victim.diple("daemon", "status").code == 0)
    #expect(try victim.diple("daemon", "stop").code == 0)
    #expect(try victim.read(".profile") == "PATH=$PATH:~/bin\n")
    #expect(try victim.read(".bashrc") == "# mine\n")
    let own = try victim.shell("cd ../.local/state/diple && ls && stat -c %a . run *.log run/*")
    #expect(own.contains(".log\n") && own.hasSuffix("700\n700\n600\n600\n"), "\(own)")
    // Links in the user's own folder are not followed either.
    try victim.shell(
      "cd ../.local/state/diple && for f in *.log run/*.lock; do ln -sf ~/.profile $f; done")
    #expect(try victim.diple("daemon", "start").code != 0)
    #expect(try victim.read(".profile") == "PATH=$PATH:~/bin\n")
  }

  @Test func `a runtime folder that other users can access is not used`() throws {
    try victim.shell("mkdir -m 777 ../run && mkdir -m 700 ../run2")
    victim.environment["XDG_RUNTIME_DIR"] = victim.path("run")
    #expect(try victim.diple("daemon", "start").code == 0)
    #expect(try victim.diple("daemon", "stop").code == 0)
    #expect(!victim.exists("run/diple") && victim.exists(".local/state/diple/run"))
    victim.environment["XDG_RUNTIME_DIR"] = victim.path("run2")
    #expect(try victim.diple("daemon", "start").code == 0)
    #expect(try victim.diple("daemon", "stop").code == 0)
    #expect(try victim.shell("ls ../run2/diple").hasSuffix(".lock\n"))
  }
}
