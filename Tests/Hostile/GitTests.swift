import Foundation
import Testing

/// Tests a repository whose configuration names programs. Diple's calls of git run none of them.
@Suite struct HostileRepositoryTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    victim.environment["GIT_AUTHOR_NAME"] = "A"
    victim.environment["GIT_AUTHOR_EMAIL"] = "a@example.org"
    victim.environment["GIT_COMMITTER_NAME"] = "A"
    victim.environment["GIT_COMMITTER_EMAIL"] = "a@example.org"
    try victim.write("clone/good.md", "Some words here.\n")
    try victim.shell("git init -q . && git add good.md && git commit -qm first")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "good.md").code == 0)
    #expect(try victim.diple("mark", "good.md", "\"words\"").code == 0)
    try victim.write("clone/good.md", "Some other words here, and more.\n")
    try victim.shell("git commit -qam second && sed -i s/words/terms/ good.md && git add good.md")
    try victim.write("run.sh", "#!/bin/sh\ntouch '\(victim.path("canary"))'\nexit 1\n")
    try victim.shell("chmod +x ../run.sh")
  }

  /// Runs every command that calls git, in the repository's folder and in a subfolder.
  private func useGit() throws {
    let id = try victim.sql("SELECT number FROM highlight LIMIT 1").filter(\.isNumber)
    for words in [
      ["anchor", "check", "--staged"], ["hl", "log", id], ["anchor", "install-hook"], ["list"],
    ] {
      let result = try victim.run("diple", words)
      #expect(result.code < 128, "\(words): \(result)")
      #expect(!victim.exists("canary"), "\(words) ran it: \(result)")
    }
  }

  @Test func `a FIFO in git's configuration does not block commands for long`() throws {
    try victim.shell("mkfifo ../pipe && git config include.path '\(victim.path("pipe"))'")
    let id = try victim.sql("SELECT number FROM highlight LIMIT 1").filter(\.isNumber)
    for words in [["anchor", "check", "--staged"], ["hl", "log", id], ["list"], ["refresh"]] {
      let start = Date()
      let result = try victim.run("diple", words)
      #expect(result.code < 128 && Date().timeIntervalSince(start) < 20, "\(words): \(result)")
    }
  }

  /// Git reads these files when it looks up a commit.
  @Test(arguments: [
    "packed-refs", "shallow", "info/grafts", "objects/info/alternates", "refs/heads/master",
  ])
  func `a FIFO in the git folder does not block commands for long`(file: String) throws {
    try victim.shell(
      "git symbolic-ref HEAD refs/heads/master; rm -f .git/\(file); mkdir -p .git/info; "
        + "mkfifo .git/\(file)")
    let id = try victim.sql("SELECT number FROM highlight LIMIT 1").filter(\.isNumber)
    let start = Date()
    let result = try victim.diple("hl", "log", id)
    #expect(result.code < 128 && Date().timeIntervalSince(start) < 20, "\(result)")
  }

  @Test(arguments: [
    "core.fsmonitor RUN", "core.hooksPath DIR", "log.showSignature true", "gpg.program RUN",
    "diff.external RUN", "diff.x.textconv RUN", "diff.x.command RUN", "core.pager RUN",
    "filter.x.clean RUN", "core.sshCommand RUN", "core.alternateRefsCommand RUN",
    "core.askPass RUN", "credential.helper RUN", "core.editor RUN",
  ])
  func `a program in git's configuration is not run`(setting: String) throws {
    let parts = setting.split(separator: " ").map(String.init)
    let value = parts[1].replacing("RUN", with: victim.path("run.sh"))
      .replacing("DIR", with: victim.home.path)
    try victim.write("clone/.gitattributes", "*.md diff=x filter=x\n")
    try victim.shell("cp ../run.sh ../post-index-change; git config \(parts[0]) '\(value)'")
    if parts[0] == "log.showSignature" {
      try victim.shell("git config gpg.program '\(victim.path("run.sh"))'")
      try victim.shell(Self.sign)
    }
    try useGit()
  }

  /// Creates a commit with a signature. git calls the configured program to show it.
  private static let sign = """
    git cat-file commit HEAD > signed && sed -i '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----' signed
    git update-ref HEAD $(git hash-object -t commit -w signed); rm signed
    """

  @Test func `the configuration of a bare repository within the tree is not used`() throws {
    try victim.shell(
      """
      git init -q --bare inner && echo 'Inner words.' > inner/note.md
      export GIT_DIR=inner GIT_WORK_TREE=.
      git add -f inner/note.md && git commit -qm inner
      \(Self.sign)
      unset GIT_DIR GIT_WORK_TREE; cd inner
      git config core.bare false && git config core.worktree .. && git config log.showSignature true
      git config gpg.program '\(victim.path("run.sh"))'
      """)
    try victim.shell("diple add inner/note.md && diple mark inner/note.md '\"words\"'")
    let id = try victim.sql("SELECT max(number) FROM highlight").filter(\.isNumber)
    for words in [
      ["anchor", "check", "--staged"], ["hl", "log", id], ["anchor", "install-hook"],
    ] {
      _ = try victim.run("diple", words, in: victim.clone.appendingPathComponent("inner"))
      #expect(!victim.exists("canary"), "\(words)")
    }
  }

  @Test func `missing objects of a partial clone are not fetched`() throws {
    try victim.shell(
      """
      git config core.repositoryFormatVersion 1 && git config extensions.partialClone origin \
        && git config remote.origin.url '\(victim.home.path)/nowhere' \
        && git config remote.origin.promisor true \
        && git config remote.origin.uploadpack '\(victim.path("run.sh"))'
      b=$(git rev-parse HEAD~1:good.md); rm -f .git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-)
      """)
    // Plain git would run the program.
    _ = try victim.run("sh", ["-c", "git cat-file blob HEAD~1:good.md"])
    #expect(victim.exists("canary"))
    try victim.shell("rm ../canary")
    try useGit()
  }

  @Test func `a hook is not written to another folder or through a link`() throws {
    try victim.shell("git config core.hooksPath '\(victim.path("bin"))'; mkdir ../bin")
    let outside = try victim.diple("anchor", "install-hook")
    #expect(outside.code == 6 && !victim.exists("bin/pre-commit"), "\(outside)")
    try victim.shell(
      "git config --unset core.hooksPath; ln -s ../../../.profile .git/hooks/pre-commit")
    #expect(try victim.diple("anchor", "install-hook").code == 6)
    #expect(!victim.exists(".profile"))
    try victim.shell("rm .git/hooks/pre-commit")
    #expect(try victim.diple("anchor", "install-hook").code == 0)
  }

  @Test func `an old version of git is reported and not used`() throws {
    try victim.write(
      "old/git",
      "#!/bin/sh\ncase \"$*\" in *version*) echo git version 2.30.2;; *) touch '\(victim.path("canary"))';; esac\n"
    )
    try victim.shell("chmod +x ../old/git")
    victim.environment["PATH"] = victim.path("old") + ":" + victim.environment["PATH"]!
    let result = try victim.diple("anchor", "check", "--staged")
    #expect(result.code == 4 && result.errors.contains("older than 2.38"), "\(result)")
    let id = try victim.sql("SELECT number FROM highlight LIMIT 1").filter(\.isNumber)
    let log = try victim.diple("hl", "log", id)
    #expect(
      log.code == 0 && log.output.contains("created") && log.errors.ranges(of: "diple: ").count == 1
        && log.errors.contains("older than 2.38, and is not used: no commits are shown"), "\(log)")
    // Without a repository, commands report no error.
    try victim.shell("mv .git ../git-away")
    #expect(try victim.diple("hl", "log", id).errors.isEmpty)
    #expect(!victim.exists("canary"))
  }
}
