import Glibc
import SystemSupport
import TestSupport
import Testing

/// Tests waiting for locks.
@Suite struct FileLockTests {
  @Test func `a lock is exclusive, and can be taken after it was released`() async throws {
    let folder = try WorkFolder()
    let path = folder.path + "/lock"
    let first = try #require(try await FileLock.take(path, within: .zero))
    #expect(try await FileLock.take(path, within: .zero) == nil)
    let second = Task { try await FileLock.take(path, within: .seconds(60)) }
    first.unlock()
    let lock = try #require(try await second.value)
    #expect(try await FileLock.take(path, within: .zero) == nil)
    lock.unlock()
  }

  @Test func `a cancelled task stops waiting, and a link is rejected as a lock`() async throws {
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
