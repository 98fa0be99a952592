import Dispatch
import Synchronization
import Workspace

/// Reads elements on another thread, ahead of the caller.
///
/// The first part is read on the caller's thread, so a short list needs no other thread. The number
/// of waiting parts is bounded.
final class ReadAhead<Element: Sendable> {
  // The closure is called by one thread at a time: by the caller's thread until the other one
  // begins, and by the other one until `finish` returns.
  private nonisolated(unsafe) let read: () throws -> Element?
  private let size: @Sendable (Element) -> Int
  private var ready: ArraySlice<Element> = []
  private var failure: (any Error)?
  private var isAtEnd = false
  private var hasBegun = false
  private let parts = Mutex<[Part]>([])
  private let isStopped = Atomic(false)
  private let filled = DispatchSemaphore(value: 0)
  private let freeSlots = DispatchSemaphore(value: 0)
  private let thread = DispatchGroup()

  /// Elements that are passed to the caller together.
  private struct Part: Sendable {
    var elements: [Element] = []
    var failure: (any Error)?
    var isLast = false
  }

  /// The maximum number of waiting parts.
  private static var waitingParts: Int { 8 }
  /// The total size of its elements at which a part is complete.
  private static var partSize: Int { 256 }

  /// Creates a reader, which reads nothing before the first call of ``next()``.
  ///
  /// - Parameters:
  ///   - read: reads the next element; nil after the last one.
  ///   - size: the size of an element. A part is complete from a total of 256 on.
  init(_ read: @escaping () throws -> Element?, size: @escaping @Sendable (Element) -> Int) {
    (self.read, self.size) = (read, size)
    // A semaphore must not be destroyed with a lower value than its initial one.
    for _ in 0..<Self.waitingParts { freeSlots.signal() }
  }

  /// Returns the next element; nil after the last one.
  ///
  /// - Throws: the error of reading the element.
  func next() throws -> Element? {
    if let element = ready.popFirst() { return element }
    if let failure { throw failure }
    if isAtEnd { return nil }
    let part: Part
    if hasBegun {
      filled.wait()
      part = parts.withLock { $0.removeFirst() }
      freeSlots.signal()
    } else {
      part = readPart()
      if !part.isLast { begin() }
    }
    (ready, failure, isAtEnd) = (part.elements[...], part.failure, part.isLast)
    return try next()
  }

  /// Stops reading and waits for the other thread to end. It can be called more than once.
  func finish() {
    isStopped.store(true, ordering: .relaxed)
    if hasBegun { freeSlots.signal() }
    thread.wait()
    isAtEnd = true
  }

  private func begin() {
    hasBegun = true
    nonisolated(unsafe) let reader = self
    DispatchQueue.global().async(group: thread) {
      while true {
        reader.freeSlots.wait()
        if reader.isStopped.load(ordering: .relaxed) { return }
        let part = reader.readPart()
        reader.parts.withLock { $0.append(part) }
        reader.filled.signal()
        if part.isLast { return }
      }
    }
  }

  private func readPart() -> Part {
    var part = Part()
    var count = 0
    while count < Self.partSize, !isStopped.load(ordering: .relaxed) {
      do {
        guard let element = try read() else {
          part.isLast = true
          return part
        }
        part.elements.append(element)
        count += size(element)
      } catch {
        (part.failure, part.isLast) = (error, true)
        return part
      }
    }
    return part
  }
}
