package import Model

/// The epochs of a vault: the line in which this device writes, and what members began beside it
/// without knowing of one another.
///
/// Each record names the one before it, so that they make a tree. Where several follow one record, as
/// when two devices revoke others at the same time, the line is the longest, of equal ones that whose
/// last record has the least hash; what the others revoke is revoked all the same. Whoever has the same
/// records comes to the same answer, with one exception: of two devices that revoke each other, that
/// one is gone whose revocation was known first. Otherwise a device that was revoked could answer with
/// a record of its own.
package struct EpochTree: Sendable {
  /// Who reads the records.
  package struct Reader: Sendable {
    /// Which replica.
    package var replica: ReplicaID
    /// Its keys, which open what is for it.
    package var device: DeviceKeys
    /// The epoch in which it became a member: records of later ones that are not for it leave it out.
    package var joined: Int

    /// Makes a reader of its parts.
    package init(replica: ReplicaID, device: DeviceKeys, joined: Int) {
      (self.replica, self.device, self.joined) = (replica, device, joined)
    }
  }

  /// The records of the line, the first epoch's first.
  package private(set) var records: [EpochRecord] = []
  /// Who was revoked, in the line or beside it, each with the furthest that somebody grants.
  package private(set) var revoked: [ReplicaID: Revocation] = [:]
  /// Who was revoked beside the line only: the key of the line's last epoch is known to them still.
  package private(set) var unsettled: [Revocation] = []
  /// The keys, with those of all epochs that can be opened.
  package private(set) var keys: VaultKeys
  /// Whether a member began an epoch that is not for the reader, after it joined or ahead of the line
  /// that it can read.
  package private(set) var isLeftOut = false
  /// Whether no passphrase opens the line although somebody set one: devices began epochs at the same
  /// time, and the one that says what all of them revoked was begun by a device, which knows none.
  package private(set) var hasLostPassphrase = false
  /// Devices that revoked one another, of which this device knew neither revocation before.
  package private(set) var rivals: [ReplicaID] = []

  /// A record with what is known of it here.
  private struct Node {
    let record: EpochRecord
    var root: Secret?
    var parent: Int?
    var children: [Int] = []
    var revocations: [Revocation] = []
    /// Whether all before it, and who began it, are as they must be.
    var isValid = false
    /// Whether the roots of all before it are known too.
    var isOpen = false
    /// When it is entered and left on a walk through the tree.
    var span = 0..<0
    /// Whether it counts; nil while that is not settled.
    var counts: Bool?
  }

  private var nodes: [Node] = []
  private var undecided: Set<Int> = []

  /// Finds the line among some records.
  ///
  /// - Parameters:
  ///   - found: all records that were found, in any order; those that lead nowhere are left out.
  ///   - known: keys from a passphrase, a box, a grant or before, with those of all epochs of the line
  ///     before the last.
  ///   - devices: the public keys of the devices, as their records say. The issuer of the first epoch
  ///     is believed: whoever has the root was let in by somebody who had it.
  ///   - reader: whose boxes are opened; nil to read with the known keys alone.
  /// - Throws: `SegmentProblem` when an epoch of the line that is known is missing, or was begun by
  ///   nobody who could.
  /// - Complexity: O(n) for n records in one line; O(n · m) where m stand beside it.
  package init(
    of found: [EpochRecord], keys known: VaultKeys, devices: [ReplicaID: DevicePublicKeys],
    reader: Reader?
  ) throws(SegmentProblem) {
    keys = known
    plant(found.filter { $0.vault == known.vault })
    openRoots(reader)
    let old = try oldLine()
    judge(from: old[0], devices)
    for index in old where !nodes[index].isOpen {
      throw .badContent(
        "epoch \(nodes[index].record.epoch) was not begun by a member of the vault")
    }
    settle(old)
    let tip = tip(orElse: old)
    follow(tip)
    if let reader {
      isLeftOut = nodes.contains {
        $0.isValid && $0.counts == true && $0.root == nil
          && !$0.record.devices.contains(reader.replica)
          && ($0.record.epoch > reader.joined || Self.leads($0, nodes[tip]))
      }
    }
    (nodes, undecided) = ([], [])
  }

  // MARK: - The tree

  private mutating func plant(_ records: [EpochRecord]) {
    var indices: [[UInt8]: Int] = [:]
    for record in records where indices[record.hash] == nil {
      indices[record.hash] = nodes.count
      nodes.append(Node(record: record))
    }
    for index in nodes.indices where nodes[index].record.epoch > 1 {
      guard let parent = indices[nodes[index].record.previous],
        nodes[parent].record.epoch == nodes[index].record.epoch - 1
      else { continue }
      nodes[index].parent = parent
      nodes[parent].children.append(index)
    }
  }

  /// Finds the root of each record: among those that are known, in the reader's box, or sealed in a
  /// record that follows.
  private mutating func openRoots(_ reader: Reader?) {
    for index in nodes.indices {
      let record = nodes[index].record
      nodes[index].root =
        keys.candidates(record.epoch).first { record.means($0) }
        ?? reader.flatMap { record.root(for: $0.replica, device: $0.device) }
    }
    let order = nodes.indices.sorted { nodes[$0].record.epoch > nodes[$1].record.epoch }
    for index in order {
      guard let root = nodes[index].root else { continue }
      nodes[index].revocations = (try? nodes[index].record.revocations(root)) ?? []
      guard let parent = nodes[index].parent, nodes[parent].root == nil,
        let before = try? nodes[index].record.previousRoot(root),
        nodes[parent].record.means(before)
      else { continue }
      nodes[parent].root = before
    }
  }

  /// The line as it was, by the keys that are known.
  private func oldLine() throws(SegmentProblem) -> [Int] {
    let root = try keys.root(keys.current)
    // A record is believed to be of the vault when it means the root that is known. Only members can
    // make another for that root, so there is mostly one.
    let tops = nodes.indices.filter {
      nodes[$0].record.epoch == keys.current && nodes[$0].record.means(root)
    }.sorted { Self.precedes(nodes[$0], nodes[$1]) }
    var missing = keys.current
    for top in tops {
      let line = line(to: top)
      if nodes[line[0]].record.epoch == 1 { return line }
      missing = nodes[line[0]].record.epoch - 1
    }
    throw .badContent("the record of epoch \(missing) is missing")
  }

  private func line(to index: Int) -> [Int] {
    var line = [index]
    while let parent = nodes[line.last!].parent { line.append(parent) }
    return line.reversed()
  }

  private static func precedes(_ a: Node, _ b: Node) -> Bool {
    a.record.hash.lexicographicallyPrecedes(b.record.hash)
  }

  /// Walks through the tree from its first record, and finds what was begun by members.
  private mutating func judge(from first: Int, _ devices: [ReplicaID: DevicePublicKeys]) {
    var clock = 0
    // Before a record stands who was revoked on the way to it; nil leaves it.
    var walk: [(index: Int, gone: Set<ReplicaID>?)] = [(first, [])]
    while let (index, gone) = walk.popLast() {
      guard var gone else {
        nodes[index].span = nodes[index].span.lowerBound..<clock
        continue
      }
      let record = nodes[index].record
      let isMember =
        devices[record.issuer].map { $0 == record.issuerKeys } ?? (record.epoch == 1)
      guard isMember, !gone.contains(record.issuer) else { continue }
      nodes[index].isValid = true
      nodes[index].isOpen =
        nodes[index].root != nil && (nodes[index].parent.map { nodes[$0].isOpen } ?? true)
      nodes[index].span = clock..<clock + 1
      clock += 1
      gone.formUnion(nodes[index].revocations.map(\.replica))
      walk.append((index, nil))
      for child in nodes[index].children { walk.append((child, gone)) }
    }
  }

  // MARK: - What counts

  /// Finds which records count. One does not where another that counts revokes who began it, and
  /// neither knew of the other.
  private mutating func settle(_ old: [Int]) {
    let valid = nodes.indices.filter { nodes[$0].isValid }
    // In one line, all know of all before.
    guard nodes.contains(where: { $0.children.count { nodes[$0].isValid } > 1 }) else {
      for index in valid { nodes[index].counts = true }
      return
    }
    var revoking: [ReplicaID: [Int]] = [:]
    for index in valid {
      for revocation in nodes[index].revocations {
        revoking[revocation.replica, default: []].append(index)
      }
    }
    var against: [Int: [Int]] = [:]
    for index in valid {
      let span = nodes[index].span
      let others = (revoking[nodes[index].record.issuer] ?? []).filter {
        !span.contains(nodes[$0].span.lowerBound)
          && !nodes[$0].span.contains(span.lowerBound)
      }
      if others.isEmpty { nodes[index].counts = true } else { against[index] = others }
    }
    settle(&against)
    // Who was known first stays.
    for index in old where against[index] != nil {
      (nodes[index].counts, against[index]) = (true, nil)
    }
    settle(&against)
    // Neither counts while nobody says which.
    undecided = Set(against.keys)
    for index in undecided { nodes[index].counts = false }
  }

  private mutating func settle(_ against: inout [Int: [Int]]) {
    var isSettling = true
    while isSettling {
      isSettling = false
      for (index, others) in against {
        if others.contains(where: { nodes[$0].counts == true }) {
          nodes[index].counts = false
        } else if others.allSatisfy({ nodes[$0].counts == false }) {
          nodes[index].counts = true
        } else {
          continue
        }
        against[index] = nil
        isSettling = true
      }
    }
  }

  /// The last record of the line.
  private func tip(orElse old: [Int]) -> Int {
    nodes.indices.filter { nodes[$0].isOpen && nodes[$0].counts == true }
      .min { Self.leads(nodes[$0], nodes[$1]) } ?? old.last!
  }

  /// Whether the line ends with one record rather than with another.
  private static func leads(_ a: Node, _ b: Node) -> Bool {
    a.record.epoch != b.record.epoch ? a.record.epoch > b.record.epoch : precedes(a, b)
  }

  private mutating func follow(_ tip: Int) {
    let line = line(to: tip)
    records = line.map { nodes[$0].record }
    if nodes[tip].children.contains(where: undecided.contains) {
      rivals = Set(undecided.map { nodes[$0].record.issuer }).sorted()
    }
    keys.follow(
      Dictionary(
        line.compactMap { index in nodes[index].root.map { (nodes[index].record.epoch, $0) } },
        uniquingKeysWith: { $1 }))
    for node in nodes where node.isValid {
      if let root = node.root { keys.add(beside: root, epoch: node.record.epoch) }
      guard node.counts == true else { continue }
      for revocation in node.revocations {
        let said = revoked[revocation.replica]
        if said.map({ $0.precedes(revocation) }) ?? true {
          revoked[revocation.replica] = revocation
        }
      }
    }
    let settled = Set(line.flatMap { nodes[$0].revocations.map(\.replica) })
    unsettled = revoked.values.filter { !settled.contains($0.replica) }
      .sorted { $0.replica < $1.replica }
    hasLostPassphrase = lacksPassphrase(line)
  }

  /// Whether a passphrase that somebody set does not open the last epoch of a line.
  private func lacksPassphrase(_ line: [Int]) -> Bool {
    let inLine = Set(line)
    let beside = nodes.indices.filter { nodes[$0].counts == true && !inLine.contains($0) }
    var said: [ReplicaID: Int] = [:]
    for index in beside {
      for revocation in nodes[index].revocations {
        said[revocation.replica] = min(
          said[revocation.replica] ?? .max, nodes[index].record.epoch)
      }
    }
    // What a device begins by itself revokes who was revoked beside the line before, and nobody else.
    let chosen = line.last { index in
      let record = nodes[index].record
      return record.hasPassphrase || nodes[index].revocations.isEmpty
        || nodes[index].revocations.contains { said[$0.replica] ?? .max >= record.epoch }
    }
    guard let chosen, let last = line.last, !nodes[last].record.hasPassphrase else { return false }
    return nodes[chosen].record.hasPassphrase
      || beside.contains {
        nodes[$0].record.hasPassphrase && nodes[$0].record.epoch >= nodes[chosen].record.epoch
      }
  }
}

extension Revocation {
  /// Whether another one of the same replica grants more.
  fileprivate func precedes(_ other: Revocation) -> Bool {
    last != other.last
      ? last < other.last : chain.bytes.lexicographicallyPrecedes(other.chain.bytes)
  }
}
