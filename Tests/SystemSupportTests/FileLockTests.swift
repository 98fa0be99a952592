import Glibc
import SystemSupport
import TestSupport
import Testing

/// Locks that are waited for.
@Suite struct FileLockTests {
  @Test func `a lock is held once, and can be taken when it was let go`() async throws {
    let folder = try WorkFolder()
    let path = folder.path + "/lock"
    let first = try #require(try await FileLock.take(path, within: .zero))
    #expect(try await FileLock.take(path, within: .zero) == nil)
    let second = Task { try await FileLock.take(path, within: .seconds(60)) }
    first.unlock()
    let taken = try #require(try await second.value)
    #expect(try await FileLock.take(path, within: .zero) == nil)
    taken.unlock()
  }

  @Test func `a cancelled task waits no longer, and a link is no lock`() async throws {
    let folder = try WorkFolder()
    let path = folder.path + "/lock"
    let first = try #require(try await FileLock.take(path, within: .zero))
    let second = Task { try await FileLock.take(path, within: .seconds(3_600)) }
    second.cancel()
    #expect(try await second.value == nil)
    first.unlock()
    try folder.shell("ln -s lock link")
    await #expect(throws: SystemCallError(ELOOP)) {
      _ = try await FileLock.take(folder.path + "/link", within: .zero)
    }
  }
}
