import Synchronization
import Testing

@testable import LibraryExchange
@testable import Workspace

@Suite struct ReadAheadTests {
  private struct Broken: Error {}

  /// Counts from 1 up to a number, and then ends or throws.
  private func counting(to count: Int, fails: Bool = false) -> ReadAhead<Int> {
    var next = 0
    return ReadAhead({
      guard next < count else {
        if fails { throw Broken() }
        return nil
      }
      next += 1
      return next
    }) { _ in 1 }
  }

  @Test(arguments: [0, 1, 255, 256, 257, 10_000])
  func `elements are returned in order`(_ count: Int) throws {
    let reader = counting(to: count)
    defer { reader.finish() }
    var found: [Int] = []
    while let element = try reader.next() { found.append(element) }
    #expect(found == (0..<count).map { $0 + 1 })
    #expect(try reader.next() == nil)
  }

  @Test(arguments: [0, 100, 5_000])
  func `an error follows the elements before it`(_ count: Int) throws {
    let reader = counting(to: count, fails: true)
    defer { reader.finish() }
    for element in 0..<count { #expect(try reader.next() == element + 1) }
    for _ in 0..<2 { #expect(throws: Broken.self) { try reader.next() } }
  }

  @Test func `a limited number of elements is read ahead, and none after finish`() throws {
    let read = Mutex(0)
    let reader = ReadAhead<Int>({
      read.withLock { count in
        count += 1
        return count
      }
    }) { _ in 1 }
    for _ in 0..<3_000 { _ = try reader.next() }
    reader.finish()
    let count = read.withLock { $0 }
    #expect(count >= 3_000 && count <= 3_000 + 256 * 10)
    reader.finish()
    #expect(read.withLock { $0 } == count)
  }
}
