import Model
import TestSupport

/// A history of some replicas: their actions, and when they received operations of each other.
package struct Schedule {
  /// A failed check.
  package struct Failure: Error, CustomStringConvertible {
    /// One line, followed by the differences.
    package let description: String

    package init(description: String) { self.description = description }
  }

  private final class Member {
    let replica: any CheckedReplica
    let skew: Int64
    /// The number of operations that it had created before.
    let base: Int64
    /// The member's operations as they were sent, without later changes of its copy.
    var log: [Operation] = []
    /// The number of operations received from each member.
    var heard: [Int: Int] = [:]
    /// The latest time among the created and received operations.
    var latest = Timestamp(packed: 0)
    /// The number of operations received in a snapshot. These are never received again.
    var floor: [Int: Int] = [:]

    init(_ replica: any CheckedReplica, skew: Int64) throws {
      (self.replica, self.skew) = (replica, skew)
      base = try replica.lastSequence()
    }
  }

  private var random: SeededGenerator
  private let make: (Int) throws -> any CheckedReplica
  private var members: [Member] = []
  private var parted: Set<Int> = []
  private var documents: [Dot] = []
  private var marks: [Dot] = []
  private var wall: Int64
  private var count = 0

  /// Runs the schedule of a seed with the real storage.
  ///
  /// - Returns: The number of operations.
  /// - Throws: `Failure` if the replicas do not reach the expected state. The pool cannot be used
  ///   afterwards.
  @discardableResult package static func run(seed: UInt64, in pool: ReplicaPool) throws -> Int {
    var schedule = Schedule(seed: seed, wall: pool.wall) { try pool.replica($0) }
    let count = try schedule.run()
    try schedule.cleanUp(pool)
    return count
  }

  /// Runs the schedule of a seed with a model that breaks a rule, or none.
  @discardableResult package static func run(seed: UInt64, breaking breakage: Breakage?) throws
    -> Int
  {
    var ids = SeededGenerator(seed: ~seed)
    var schedule = Schedule(seed: seed, wall: 1_790_000_000_000) { _ in
      ModelReplica(id: ReplicaID(rawValue: ids.next() | 1), breakage: breakage)
    }
    return try schedule.run()
  }

  private init(
    seed: UInt64, wall: Int64, make: @escaping (Int) throws -> any CheckedReplica
  ) {
    random = SeededGenerator(seed: seed)
    self.wall = wall
    self.make = make
  }

  private mutating func run() throws -> Int {
    for _ in 0..<Int.random(in: 2...4, using: &random) { try join() }
    for _ in 0..<Int.random(in: 10...60, using: &random) { try step() }
    // All members are connected again. New ones receive a snapshot, the others the missing
    // operations.
    parted = []
    if members.count < 5, Bool.random(using: &random) { try join() }
    for index in members.indices.shuffled(using: &random) {
      for other in members.indices.shuffled(using: &random) {
        try hear(index, other, upTo: members[other].log.count)
      }
    }
    return try check()
  }

  private mutating func step() throws {
    // Equal times are as likely as long intervals.
    wall += [0, 0, 1, 1000].randomElement(using: &random)!
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<11: try act(crashes: false)
    case 11: try act(crashes: true)
    case 12..<17:
      let (index, other) = (member(), member())
      let left = members[other].log.count - members[index].heard[other, default: 0]
      if left > 0 {
        let last = members[index].heard[other, default: 0] + .random(in: 1...left, using: &random)
        try hear(index, other, upTo: last, isHolding: Bool.random(using: &random))
      }
    case 17: parted = Bool.random(using: &random) ? [] : [member()]
    case 18: wall += Int64.random(in: -5_000...5_000, using: &random)
    default: if members.count < 5 { try join() }
    }
  }

  private mutating func member() -> Int { .random(in: 0..<members.count, using: &random) }

  // MARK: - Joining and hearing

  /// Adds a new replica, perhaps with a snapshot of another one, which may be old.
  private mutating func join() throws {
    let skews: [Int64] = [0, 0, 0, 1, -3_600_000, 3_600_000]
    let new = try Member(try make(members.count), skew: skews.randomElement(using: &random)!)
    if !members.isEmpty, count > 0 {
      let index = member()
      let source = members[index]
      try new.replica.merge(try source.replica.snapshot().shuffled(using: &random))
      new.heard = source.heard
      new.heard[index] = source.log.count
      new.latest = source.latest
      new.floor = new.heard
    }
    members.append(new)
  }

  /// Lets a member receive the missing operations of another one, and perhaps some again.
  ///
  /// - Parameter isHolding: Whether it defers operations that are ahead of its clock, and all later
  ///   ones.
  private mutating func hear(_ index: Int, _ other: Int, upTo last: Int, isHolding: Bool = false)
    throws
  {
    guard index != other, !parted.contains(index), !parted.contains(other) else { return }
    let (member, log) = (members[index], members[other].log)
    var last = last
    if isHolding {
      let latest = wall + member.skew + Timestamp.tolerance
      last = log.prefix(last).firstIndex { $0.time.milliseconds > latest } ?? last
    }
    let known = member.heard[other, default: 0]
    let again = Bool.random(using: &random) ? 0 : Int.random(in: 0...known, using: &random)
    let first = max(member.floor[other, default: 0], known - again)
    guard last > first else { return }
    try member.replica.merge(Array(log[first..<last]))
    for operation in log[first..<last] { member.latest = max(member.latest, operation.time) }
    member.heard[other] = max(known, last)
  }

  // MARK: - Acting

  private mutating func act(crashes: Bool) throws {
    let member = members[member()]
    member.replica.wall = wall + member.skew
    let act = draw()
    guard try member.replica.perform(act, crashes: crashes) else {
      throw Failure(description: "\(act) did not say what was wanted, or was not lost in a crash")
    }
    let new = try member.replica.operations(
      after: member.base + Int64(member.log.count))
    if crashes, !new.isEmpty { throw Failure(description: "what a crash undid was sent") }
    for (offset, operation) in new.enumerated() {
      guard operation.dot.sequence == member.base + Int64(member.log.count + offset + 1) else {
        throw Failure(description: "\(operation.dot) does not follow the one before it")
      }
      // A timestamp decreases to the wall clock only if it was ahead by more than the tolerance,
      // which an operation of a device with a fast clock can cause.
      let limit = wall + member.skew + Timestamp.tolerance
      if let last = member.log.last, operation.time <= last.time, offset == 0,
        member.latest.milliseconds <= limit
      {
        throw Failure(description: "the clock went back at \(operation.dot)")
      }
      member.latest = max(member.latest, operation.time)
      guard operation.field == .created else { continue }
      switch operation.record {
      case .document(let id): documents.append(id.dot)
      case .highlight(let id): marks.append(id.dot)
      case .library, .other: break
      }
    }
    member.log += new
    count += new.count
  }

  private mutating func draw() -> Act {
    guard let document = documents.randomElement(using: &random),
      let other = documents.randomElement(using: &random)
    else { return .newDocument("first") }
    let number = Int.random(in: 0..<1000, using: &random)
    guard let mark = marks.suffix(3).randomElement(using: &random) else {
      return .newMark(document, "word")
    }
    switch Int.random(in: 0..<24, using: &random) {
    case 0: return .newDocument("title \(number)")
    case 1, 2: return .newMark(document, "words \(number)")
    case 3: return .title(document, "title \(number)")
    case 4: return .removeDocument(document, number % 2 == 0)
    case 5: return number % 3 == 0 ? .purgeDocument(document) : .title(document, "x")
    case 6, 7: return .alias(document, other, number % 3 > 0)
    case 8, 9, 10: return .color(mark, HighlightColor.allCases[number % 4])
    case 11, 12, 13, 14: return .note(mark, "note \(number)")
    case 15, 16, 17: return .tag(mark, "tag \(number % 2)", number % 3 > 0)
    case 18: return .trash(mark, number % 2 == 0)
    case 19: return .move(mark, document)
    case 20, 21: return .purge(mark)
    default: return .undo
    }
  }

  // MARK: - Checking

  /// Purges all records in one replica and sends the purges to the others. Then all replicas are
  /// empty and can be used again.
  private mutating func cleanUp(_ pool: ReplicaPool) throws {
    let first = members[0]
    first.replica.wall = wall + first.skew
    let standing = try first.replica.standing()
    for mark in standing.marks.keys.sorted() {
      _ = try first.replica.perform(.purge(mark), crashes: false)
    }
    for document in documents {
      _ = try first.replica.perform(.purgeDocument(document), crashes: false)
    }
    let end = try first.replica.operations(after: first.base + Int64(first.log.count))
    let everything = members.flatMap(\.log) + end
    for (index, replica) in pool.replicas.enumerated() where index > 0 {
      // Members have received all other operations already.
      try replica.merge(index < members.count ? end : everything)
    }
    for replica in pool.replicas {
      let left = try replica.digest()
      guard left.isEmpty else {
        throw Failure(
          description: "what is gone for good is there:\n" + left.prefix(9).joined(separator: "\n"))
      }
    }
    // The next schedule begins later than any clock of this one.
    pool.wall = wall + 4 * 3_600_000
  }

  private func check() throws -> Int {
    let expected = Oracle.standing(members.lazy.flatMap(\.log))
    let digest = try members[0].replica.digest()
    for (index, member) in members.enumerated() {
      let found = try member.replica.digest()
      if found != digest {
        let (a, b) = (Set(digest), Set(found))
        throw Failure(
          description: "replica \(index) is not as replica 0:\n"
            + a.symmetricDifference(b).sorted().prefix(12).joined(separator: "\n"))
      }
    }
    let found = try members[0].replica.standing()
    if found != expected {
      throw Failure(
        description: "the replicas are not what their operations say:\n"
          + found.difference(from: expected))
    }
    return count
  }
}
