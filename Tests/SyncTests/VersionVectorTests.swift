import Model
import Sync
import TestSupport
import Testing

/// Tests the laws of version vectors with random histories.
@Suite struct VersionVectorTests {
  private static func dot(_ replica: UInt64, _ sequence: Int64) -> Dot {
    Dot(replica: ReplicaID(rawValue: replica), sequence: sequence)
  }

  /// Returns the dots of some replicas, each from 1 without gaps.
  private static func history(_ random: inout SeededGenerator) -> [Dot] {
    (1...UInt64.random(in: 1...5, using: &random)).flatMap { replica in
      (0..<Int64.random(in: 0...12, using: &random)).map { dot(replica, $0 + 1) }
    }
  }

  private func withHistories(_ body: (inout SeededGenerator, [Dot]) throws -> Void) rethrows {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 { try body(&random, Self.history(&random)) }
  }

  private func vector(of dots: [Dot]) -> VersionVector {
    var vector = VersionVector()
    add(dots, to: &vector)
    return vector
  }

  private func add(_ dots: [Dot], to vector: inout VersionVector) {
    for dot in dots {
      let isAdded = vector.add(dot)
      #expect(isAdded, "\(dot)")
    }
  }

  @Test func `a vector contains exactly the added dots`() {
    withHistories { random, history in
      let known = history.filter { $0.sequence <= Int64($0.replica.rawValue) * 2 }
      let vector = vector(of: known)
      for dot in history { #expect(vector.contains(dot) == known.contains(dot), "\(dot)") }
      #expect(!vector.contains(Self.dot(99, 1)))
      for (replica, last) in vector.sequences {
        #expect(last == known.count { $0.replica == replica } && vector[replica] == last)
      }
    }
  }

  @Test func `the order of different replicas does not matter`() {
    withHistories { random, history in
      // Any order that keeps that of each replica: take the next dot of a random replica.
      var waiting = Dictionary(grouping: history, by: \.replica).values.map { $0[...] }
      var mixed: [Dot] = []
      while let index = waiting.indices.randomElement(using: &random) {
        mixed.append(waiting[index].removeFirst())
        if waiting[index].isEmpty { waiting.remove(at: index) }
      }
      #expect(vector(of: mixed) == vector(of: history))
    }
  }

  @Test func `adding a dot again changes nothing`() {
    withHistories { random, history in
      var vector = vector(of: history)
      let before = vector
      add(history.shuffled(using: &random), to: &vector)
      #expect(vector == before)
    }
  }

  @Test func `dots after a gap are rejected until the gap is closed`() {
    withHistories { random, history in
      guard let missing = history.randomElement(using: &random) else { return }
      var partial = VersionVector()
      var refused: [Dot] = []
      for dot in history where dot != missing {
        let before = partial
        let isBeyond = dot.replica == missing.replica && dot.sequence > missing.sequence
        let isAdded = partial.add(dot)
        #expect(isAdded != isBeyond)
        if isBeyond {
          #expect(partial == before)
          refused.append(dot)
        }
      }
      #expect(!partial.contains(missing))
      add([missing] + refused, to: &partial)
      #expect(partial == vector(of: history))
    }
  }

  @Test func `every order of arrival ends in the same vector`() {
    withHistories { random, history in
      // Rejected dots wait for another round, as in a sync.
      var vector = VersionVector()
      var waiting = history.shuffled(using: &random)
      while !waiting.isEmpty {
        let left = waiting.filter { !vector.add($0) }
        #expect(left.count < waiting.count)
        if left.count == waiting.count { return }
        waiting = left
      }
      #expect(vector == self.vector(of: history))
    }
  }
}
