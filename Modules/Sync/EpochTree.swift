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
///
/// A key that was replaced lets nobody in: whoever had it once, such as a device that was revoked, could
/// use it at any time to make the record of a device that nobody knows. So a device is one that a record
/// of the line names, with its keys, or whose own record is sealed with the key of the line's end; and
/// of several records that follow one, those count whose issuers were named before them, or are known to
/// such a one.
package struct EpochTree: Sendable {
  /// The records of the line, the first epoch's first.
  package private(set) var records: [EpochRecord] = []
  /// Who was revoked, in the line or beside it, each with the furthest that somebody grants; of
  /// strangers nothing counts.
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
  /// Devices whose records do not count: they joined with a key that had been replaced, or at the same
  /// time.
  package private(set) var strangers: Set<ReplicaID> = []

  /// The keys of the devices that the line names.
  private var named: [ReplicaID: Set<EpochMember>] = [:]
  /// The root of the line's last epoch.
  private var last: Secret?

  /// A record with what is known of it here.
  private struct Node {
    let record: EpochRecord
    var root: Secret?
    var parent: Int?
    var children: [Int] = []
    var revocations: [Revocation] = []
    var members: Set<EpochMember> = []
    /// Whether all before it, and who began it, are as they must be.
    var isValid = false
    /// Whether nobody who counts knows who began it, while others began one at the same time.
    var isDropped = false
    /// The last epoch before it which several follow, and before which nobody knew who began this one;
    /// 0 when there is none.
    var unknownSince = 0
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
  ///   - claims: what the records of devices say. The issuer of the first epoch is believed: whoever has
  ///     the root was let in by somebody who had it.
  ///   - reader: whose boxes are opened; nil to read with the known keys alone.
  /// - Throws: `SegmentProblem` when an epoch of the line that is known is missing, or was begun by
  ///   nobody who could.
  /// - Complexity: O(n) for n records in one line; O(n · m) where m stand beside it.
  package init(
    of found: [EpochRecord], keys known: VaultKeys, claims: [Claim], reader: Reader?
  ) throws(SegmentProblem) {
    keys = known
    plant(found.filter { $0.vault == known.vault })
    openRoots(reader)
    let old = try oldLine()
    judge(old, claims, reader)
    for index in old {
      if nodes[index].isDropped { break }
      guard !nodes[index].isOpen else { continue }
      throw .badContent(
        "epoch \(nodes[index].record.epoch) was not begun by a member of the vault")
    }
    let tip = settle(old)
    follow(tip)
    if let reader {
      isLeftOut = nodes.contains {
        $0.isValid && $0.counts == true && $0.root == nil
          && !$0.record.devices.contains(reader.replica)
          && ($0.record.epoch > reader.joined || Self.leads($0, nodes[tip]))
      }
    }
    last = nodes[tip].root
    let devices = Dictionary(grouping: claims, by: \.replica)
    for (replica, claims) in devices where !claims.contains(where: counts) {
      strangers.insert(replica)
      if revoked[replica] == nil {
        revoked[replica] = Revocation(
          replica: replica, last: 0, chain: .start(vault: keys.vault, replica: replica))
      }
    }
    (nodes, undecided) = ([], [])
  }

  /// Whether the record of a device counts. The keys of one that the line names do not change.
  package func counts(_ claim: Claim) -> Bool {
    named[claim.replica].map { $0.contains(claim.member) } ?? (claim.root == last)
  }

  /// Whether an epoch of the line names a device.
  package func names(_ replica: ReplicaID) -> Bool { named[replica] != nil }

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
      if let said = try? nodes[index].record.membership(root) {
        (nodes[index].revocations, nodes[index].members) = (said.revocations, said.members)
      }
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

  /// What stands before a record.
  private struct Way {
    /// Who was named.
    var named: Set<EpochMember> = []
    /// Who was revoked.
    var gone: Set<ReplicaID> = []
    /// The epochs that several records follow, with who was known then.
    var forks: [(epoch: Int, known: Set<EpochMember>)] = []
  }

  /// Walks through the tree from its first record, and finds what was begun by members.
  private mutating func judge(_ old: [Int], _ claims: [Claim], _ reader: Reader?) {
    var sealed: [Secret: Set<EpochMember>] = [:]
    for claim in claims { sealed[claim.root, default: []].insert(claim.member) }
    let line = Set(old)
    let met = Set(reader?.known.map { EpochMember($0, $1) } ?? [])
    var clock = 0
    // Nil leaves a record.
    var walk: [(index: Int, way: Way?)] = [(old[0], Way())]
    while let (index, way) = walk.popLast() {
      guard var way else {
        nodes[index].span = nodes[index].span.lowerBound..<clock
        continue
      }
      let issuer = nodes[index].record.member
      nodes[index].isValid = true
      nodes[index].isOpen =
        nodes[index].root != nil && (nodes[index].parent.map { nodes[$0].isOpen } ?? true)
      nodes[index].unknownSince = way.forks.last { !$0.known.contains(issuer) }?.epoch ?? 0
      nodes[index].span = clock..<clock + 1
      clock += 1
      way.named.insert(issuer)
      way.named.formUnion(nodes[index].members)
      way.gone.formUnion(nodes[index].revocations.map(\.replica))
      let joined = nodes[index].root.flatMap { sealed[$0] } ?? []
      var children = nodes[index].children.filter {
        let member = nodes[$0].record.member
        return !way.gone.contains(member.replica)
          && (way.named.contains(member) || joined.contains(member))
      }
      if children.count > 1 {
        children = dropStrangers(of: children, named: way.named, line, met)
        let known = way.named.union(children.map { nodes[$0].record.member })
        way.forks.append((nodes[index].record.epoch, known))
      }
      walk.append((index, nil))
      for child in children { walk.append((child, way)) }
    }
  }

  /// Of several records that follow one, those whose issuers were named before, or are known to one of
  /// these. Where there is none that can be read, what was known first stays, else those of whom the
  /// reader has met.
  private mutating func dropStrangers(
    of children: [Int], named: Set<EpochMember>, _ line: Set<Int>, _ met: Set<EpochMember>
  ) -> [Int] {
    var kept = Set(children.filter { named.contains(nodes[$0].record.member) })
    let readable = kept.filter { nodes[$0].root != nil }
    let issuers = Set(readable.map { nodes[$0].record.issuer })
    for child in children where line.contains(child) {
      let isContested = nodes[child].revocations.contains { issuers.contains($0.replica) }
      if readable.isEmpty || isContested { kept.insert(child) }
    }
    if kept.isEmpty { kept.formUnion(children.filter { met.contains(nodes[$0].record.member) }) }
    guard !kept.isEmpty else { return children }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for child in children where !kept.contains(child) {
        let member = nodes[child].record.member
        // Who revokes a device knew it as a member.
        let isKnown = kept.contains {
          nodes[$0].members.contains(member)
            || nodes[$0].revocations.contains { $0.replica == member.replica }
        }
        if isKnown {
          kept.insert(child)
          isGrowing = true
        }
      }
    }
    for child in children where !kept.contains(child) { nodes[child].isDropped = true }
    return children.filter(kept.contains)
  }

  // MARK: - What counts

  /// Finds which records count, and with which the line ends. Where several follow one, the next part of
  /// the line is found among those of who was known before; then those follow whom they named.
  private mutating func settle(_ old: [Int]) -> Int {
    var base = old[0]
    nodes[base].counts = true
    while true {
      let scope = nodes.indices.filter {
        nodes[$0].isValid && nodes[$0].counts == nil
          && nodes[base].span.contains(nodes[$0].span.lowerBound)
          && nodes[$0].unknownSince < nodes[base].record.epoch
      }
      settle(scope, old)
      let tip = tip(after: base)
      guard tip != base else { break }
      base = tip
    }
    for index in nodes.indices where nodes[index].counts == nil { nodes[index].counts = false }
    return base
  }

  /// Finds which of some records count. One does not where another that counts revokes who began it, and
  /// neither knew of the other.
  private mutating func settle(_ scope: [Int], _ old: [Int]) {
    // In one line, all know of all before.
    guard nodes.contains(where: { $0.children.count { nodes[$0].isValid } > 1 }) else {
      for index in scope { nodes[index].counts = true }
      return
    }
    var revoking: [ReplicaID: [Int]] = [:]
    for index in scope + nodes.indices.filter({ nodes[$0].counts == true }) {
      for revocation in nodes[index].revocations {
        revoking[revocation.replica, default: []].append(index)
      }
    }
    var against: [Int: [Int]] = [:]
    for index in scope {
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
    undecided.formUnion(against.keys)
    for index in against.keys { nodes[index].counts = false }
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

  /// The record that ends the line which goes on from one of its records.
  private func tip(after base: Int) -> Int {
    var (tip, open) = (base, [base])
    while let index = open.popLast() {
      if Self.leads(nodes[index], nodes[tip]) { tip = index }
      open += nodes[index].children.filter { nodes[$0].isOpen && nodes[$0].counts == true }
    }
    return tip
  }

  /// Whether the line ends with one record rather than with another.
  private static func leads(_ a: Node, _ b: Node) -> Bool {
    a.record.epoch != b.record.epoch ? a.record.epoch > b.record.epoch : precedes(a, b)
  }

  private mutating func follow(_ tip: Int) {
    let line = line(to: tip)
    records = line.map { nodes[$0].record }
    for index in line {
      for member in nodes[index].members.union([nodes[index].record.member]) {
        named[member.replica, default: []].insert(member)
      }
    }
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

extension EpochRecord {
  fileprivate var member: EpochMember { EpochMember(issuer, issuerKeys) }
}

extension Revocation {
  /// Whether another one of the same replica grants more.
  fileprivate func precedes(_ other: Revocation) -> Bool {
    last != other.last
      ? last < other.last : chain.bytes.lexicographicallyPrecedes(other.chain.bytes)
  }
}
