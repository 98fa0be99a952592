import ArgumentParser
import Foundation
import LibrarySync
import Testing
import Workspace

@testable import Commands

@Suite struct SyncAddressTests {
  @Test func `a relative folder is made absolute, and its options are kept`() throws {
    let options = "?syncthing=http://127.0.0.1:8384&folder=diple"
    let here = FileManager.default.currentDirectoryPath
    for (typed, meant) in [
      ("shared" + options, "\(here)/shared" + options), ("/a/../b" + options, "/b" + options),
      ("shared", "\(here)/shared"),
    ] {
      let place = try SyncPlaceOptions.parse(["--device", "x", "folder", typed])
      #expect(try place.offer().address == meant)
    }
    let place = try SyncPlaceOptions.parse(["--device", "x", "git", "git@example.org:me/x.git"])
    #expect(try place.offer().address == "git@example.org:me/x.git")
  }
}
