import SystemSupport
import Testing

@Suite struct StandardFoldersTests {
  @Test func `without variables the folders are below the home folder`() {
    let folders = StandardFolders(environment: ["HOME": "/home/me"])
    #expect(folders.home == "/home/me")
    #expect(folders.config == "/home/me/.config" && folders.data == "/home/me/.local/share")
    #expect(folders.state == "/home/me/.local/state" && folders.runtime == nil)
  }

  @Test func `variables set the folders, also without a home folder`() {
    let folders = StandardFolders(environment: [
      "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
      "XDG_RUNTIME_DIR": "/r",
    ])
    #expect(folders.home == nil && folders.config == "/c" && folders.data == "/d")
    #expect(folders.state == "/s" && folders.runtime == "/r")
  }

  @Test(arguments: ["", "relative", "~/x", "./x"])
  func `a value that is not an absolute path is ignored`(value: String) {
    let names = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
    var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
    environment["HOME"] = "/h"
    let folders = StandardFolders(environment: environment)
    #expect(folders.config == "/h/.config" && folders.data == "/h/.local/share")
    #expect(folders.state == "/h/.local/state" && folders.runtime == nil)
    environment["HOME"] = value
    let none = StandardFolders(environment: environment)
    #expect(none.home == nil && none.config == nil && none.data == nil && none.state == nil)
  }
}
