import Foundation
import Testing

/// Tests a repository with a hooks folder outside of it. Diple writes no hook there.
@Suite struct HookPlaceTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/a.md", "Some words.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
  }

  @Test(arguments: ["../../HOOKDIR", "../HOOKDIR", "../../nowhere"])
  func `a link in place of the hooks folder is not followed`(target: String) throws {
    try victim.shell("git init -q . && mkdir HOOKDIR ../HOOKDIR && rm -rf .git/hooks")
    try victim.shell("ln -s \(target) .git/hooks")
    let result = try victim.diple("anchor", "install-hook")
    #expect(result.code == 6, "\(result)")
    #expect(
      result.errors.contains(target == "../../nowhere" ? ".git/hooks" : "HOOKDIR"), "\(result)")
    #expect(!victim.exists("HOOKDIR/pre-commit") && !victim.exists("clone/HOOKDIR/pre-commit"))
  }

  @Test func `a .git file that names another repository is not followed`() throws {
    try victim.shell("git init -q ../other")
    try victim.write("clone/.git", "gitdir: \(victim.path("other/.git"))\n")
    let result = try victim.diple("anchor", "install-hook")
    #expect(result.code == 6 && result.errors.contains("other/.git/hooks"), "\(result)")
    #expect(!victim.exists("other/.git/hooks/pre-commit"))
  }

  @Test func `hooks are written for a linked work tree and in the user's hooks folder`() throws {
    try victim.shell(
      """
      git init -q ../main && cd ../main && git config user.email a@b && git config user.name n
      git commit -q --allow-empty -m one && git worktree add -q ../tree
      """)
    try victim.write("tree/a.md", "Some words.\n")
    let tree = victim.home.appendingPathComponent("tree")
    #expect(try victim.diple("init", in: tree).code == 0)
    #expect(try victim.diple("anchor", "install-hook", in: tree).code == 0)
    #expect(victim.exists("main/.git/hooks/pre-commit"))
    try victim.shell("git init -q . && git config --global core.hooksPath '\(victim.path("mine"))'")
    #expect(try victim.diple("anchor", "install-hook").code == 0)
    #expect(victim.exists("mine/pre-commit"))
  }
}
