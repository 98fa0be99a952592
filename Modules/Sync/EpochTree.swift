package import Model

/// The epochs of a vault: the main branch, in which this device writes, and the branches that
/// members began concurrently without knowing of one another.
///
/// Each record names its predecessor, so the records form a tree. Where several records follow the
/// same one, for example because two devices revoked others at the same time, the longest branch is
/// the main branch. Among branches of equal length, it is the branch whose last record has the
/// lowest hash. Revocations on the other branches are still effective. All devices that have the
/// same records reach the same result, with one exception: if two devices revoke each other, the
/// revocation that a device learned of first wins. Otherwise a revoked device could retaliate by
/// issuing a record that revokes its revoker.
///
/// A device is accepted only if a record of the main branch lists it with its keys, or if its own
/// record is sealed with the key of that branch's last epoch. Older keys admit no devices, because
/// a revoked device that once had such a key could forge the record of an unknown device.
///
/// Several records can follow the same record. Such a record counts if an earlier record lists its
/// issuer. It also counts if another record that counts lists its issuer, as a member or as
/// revoked.
package struct EpochTree: Sendable {
  /// The records of the main branch, in the order of their epochs.
  package private(set) var records: [EpochRecord] = []
  /// The devices revoked on any branch. If several records revoke a device, the revocation that
  /// accepts the most of its operations is used. Unauthorised devices are included; none of their
  /// operations are accepted.
  package private(set) var revoked: [ReplicaID: Revocation] = [:]
  /// The devices that were revoked only outside the main branch. They still know the key of the
  /// main branch's last epoch.
  package private(set) var unsettled: [Revocation] = []
  /// The keys of the main branch, and of all other epochs that could be opened.
  package private(set) var keys: VaultKeys
  /// Whether a member began an epoch whose record isn't addressed to the reader. Epochs up to the
  /// one in which the reader joined are ignored, except on a branch that takes precedence over the
  /// branch that the reader can open.
  package private(set) var isLeftOut = false
  /// Whether the main branch can't be opened with a passphrase although a member set one. This
  /// happens when devices began epochs concurrently: the epoch that combines their revocations was
  /// begun by a device, and devices don't know the passphrase.
  package private(set) var hasLostPassphrase = false
  /// The devices that revoked one another while none of their revocations was on the branch that
  /// this device knew. None of these revocations counts.
  package private(set) var mutuallyRevoked: [ReplicaID] = []
  /// The devices whose records don't count, because they joined with a key that had been replaced
  /// or was being replaced at the same time.
  package private(set) var unauthorized: Set<ReplicaID> = []

  /// The members that records of the main branch list, by replica. A replica has several entries
  /// if its keys differ between records.
  private var named: [ReplicaID: Set<EpochMember>] = [:]
  /// The root of the main branch's last epoch.
  private var last: Secret?

  /// A record and the results of evaluating it.
  private struct Node {
    let record: EpochRecord
    var root: Secret?
    var parent: Int?
    var children: [Int] = []
    var revocations: [Revocation] = []
    var members: Set<EpochMember> = []
    /// Whether its issuer was a member and all records before it are valid.
    var isValid = false
    /// Whether the record is ignored: no accepted member knows its issuer, and a member issued
    /// another record after the same predecessor.
    var isDropped = false
    /// The number of the last epoch before this record at which the tree forks and the record's
    /// issuer isn't known yet; 0 if its issuer is known at every fork.
    var unknownSince = 0
    /// Whether its root and the roots of all records before it are known.
    var isOpen = false
    /// The steps at which a depth-first walk enters and leaves the record. The span of a record
    /// contains the spans of the records that follow it.
    var span = 0..<0
    /// Whether the record counts; nil until this is decided.
    var counts: Bool?
  }

  private var nodes: [Node] = []
  private var undecided: Set<Int> = []

  /// Builds the tree and determines the main branch.
  ///
  /// - Parameters:
  ///   - found: All records that were found, in any order. Records that aren't connected to the
  ///     first epoch are ignored.
  ///   - known: Keys from a passphrase, a box, a grant or an earlier run. They must include the
  ///     root of every earlier epoch of their branch.
  ///   - claims: The contents of the device records. The issuer of the first epoch needs no claim:
  ///     the reader was admitted by a device that had the root, so the record is genuine.
  ///   - reader: The device whose boxes are opened; nil to use only the known keys.
  /// - Throws: `SegmentError.unknownEpoch` if `known` is empty, `.badContent` if the record of an
  ///   epoch of the known branch is missing or wasn't issued by a member.
  /// - Complexity: O(n) for n records on one branch; O(n · m) if m of them are on other branches.
  package init(
    of found: [EpochRecord], keys known: VaultKeys, claims: [Claim], reader: Reader?
  ) throws(SegmentError) {
    keys = known
    link(found.filter { $0.vault == known.vault })
    openRoots(reader)
    let old = try oldLine()
    validate(old, claims, reader)
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
      unauthorized.insert(replica)
      if revoked[replica] == nil {
        revoked[replica] = Revocation(
          replica: replica, last: 0, chain: .start(vault: keys.vault, replica: replica))
      }
    }
    (nodes, undecided) = ([], [])
  }

  /// Returns whether the record of a device counts. A device that the main branch names can't
  /// change its keys; any other device needs the root of the last epoch.
  package func counts(_ claim: Claim) -> Bool {
    named[claim.replica].map { $0.contains(claim.member) } ?? (claim.root == last)
  }

  /// Returns whether an epoch of the main branch names the device.
  package func names(_ replica: ReplicaID) -> Bool { named[replica] != nil }

  // MARK: - The tree

  private mutating func link(_ records: [EpochRecord]) {
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

  /// Finds the root of each record: among the known keys, in the reader's box, or sealed in the
  /// record that follows.
  private mutating func openRoots(_ reader: Reader?) {
    for index in nodes.indices {
      let record = nodes[index].record
      nodes[index].root =
        keys.candidates(record.epoch).first { record.hasRoot($0) }
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
        nodes[parent].record.hasRoot(before)
      else { continue }
      nodes[parent].root = before
    }
  }

  /// Returns the branch that the known keys belong to, as indices of nodes from the first epoch on.
  ///
  /// - Throws: `SegmentError.unknownEpoch` if no key is known, `.badContent` if a record of the
  ///   branch is missing.
  private func oldLine() throws(SegmentError) -> [Int] {
    let root = try keys.root(keys.current)
    // A record with the known root belongs to the vault. Only members can issue another record with
    // the same root, so there is usually one such record.
    let tops = nodes.indices.filter {
      nodes[$0].record.epoch == keys.current && nodes[$0].record.hasRoot(root)
    }.sorted { Self.precedes(nodes[$0], nodes[$1]) }
    var missing = keys.current
    for top in tops {
      let branch = branch(to: top)
      if nodes[branch[0]].record.epoch == 1 { return branch }
      missing = nodes[branch[0]].record.epoch - 1
    }
    throw .badContent("the record of epoch \(missing) is missing")
  }

  private func branch(to index: Int) -> [Int] {
    var branch = [index]
    while let parent = nodes[branch.last!].parent { branch.append(parent) }
    return branch.reversed()
  }

  private static func precedes(_ a: Node, _ b: Node) -> Bool {
    a.record.hash.lexicographicallyPrecedes(b.record.hash)
  }

  /// The state along the path from the first record to a record.
  private struct PathState {
    /// The members named so far.
    var named: Set<EpochMember> = []
    /// The devices revoked so far.
    var revoked: Set<ReplicaID> = []
    /// The epochs at which the tree forks, with the members known at that point.
    var forks: [(epoch: Int, known: Set<EpochMember>)] = []
  }

  /// Walks the tree from its first record and marks the records that members issued.
  private mutating func validate(_ old: [Int], _ claims: [Claim], _ reader: Reader?) {
    var sealed: [Secret: Set<EpochMember>] = [:]
    for claim in claims { sealed[claim.root, default: []].insert(claim.member) }
    let branch = Set(old)
    let knownMembers = Set(reader?.known.map { EpochMember($0, $1) } ?? [])
    var clock = 0
    // Each record is pushed twice. The second entry, whose path is nil, ends its visit.
    var walk: [(index: Int, path: PathState?)] = [(old[0], PathState())]
    while let (index, path) = walk.popLast() {
      guard var path else {
        nodes[index].span = nodes[index].span.lowerBound..<clock
        continue
      }
      let issuer = nodes[index].record.member
      nodes[index].isValid = true
      nodes[index].isOpen =
        nodes[index].root != nil && (nodes[index].parent.map { nodes[$0].isOpen } ?? true)
      nodes[index].unknownSince = path.forks.last { !$0.known.contains(issuer) }?.epoch ?? 0
      nodes[index].span = clock..<clock + 1
      clock += 1
      path.named.insert(issuer)
      path.named.formUnion(nodes[index].members)
      path.revoked.formUnion(nodes[index].revocations.map(\.replica))
      let joined = nodes[index].root.flatMap { sealed[$0] } ?? []
      var children = nodes[index].children.filter {
        let member = nodes[$0].record.member
        return !path.revoked.contains(member.replica)
          && (path.named.contains(member) || joined.contains(member))
      }
      if children.count > 1 {
        children = dropUnauthorized(of: children, named: path.named, branch, knownMembers)
        let known = path.named.union(children.map { nodes[$0].record.member })
        path.forks.append((nodes[index].record.epoch, known))
      }
      walk.append((index, nil))
      for child in children { walk.append((child, path)) }
    }
  }

  /// Selects the records that count among several that follow the same record, and returns them.
  ///
  /// A record is selected if an earlier record lists its issuer, or if a selected record lists its
  /// issuer as a member or as revoked. If the first rule selects no record that can be opened, the
  /// record of the known branch is selected too. If that branch has no record among these, the
  /// records of issuers that the reader knows are selected; if there are none either, all records.
  private mutating func dropUnauthorized(
    of children: [Int], named: Set<EpochMember>, _ branch: Set<Int>,
    _ knownMembers: Set<EpochMember>
  ) -> [Int] {
    var kept = Set(children.filter { named.contains(nodes[$0].record.member) })
    let readable = kept.filter { nodes[$0].root != nil }
    let issuers = Set(readable.map { nodes[$0].record.issuer })
    for child in children where branch.contains(child) {
      let isContested = nodes[child].revocations.contains { issuers.contains($0.replica) }
      if readable.isEmpty || isContested { kept.insert(child) }
    }
    if kept.isEmpty {
      kept.formUnion(children.filter { knownMembers.contains(nodes[$0].record.member) })
    }
    guard !kept.isEmpty else { return children }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for child in children where !kept.contains(child) {
        let member = nodes[child].record.member
        // A device that revokes another knew it as a member.
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

  /// Decides which records count and returns the last record of the main branch. At a fork, the
  /// branch is first continued with the records of issuers known before the fork, then with the
  /// records of issuers that the former records list.
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

  /// Decides which records in `scope` count. A record doesn't count if another record that counts
  /// revokes its issuer and neither record precedes the other.
  private mutating func settle(_ scope: [Int], _ old: [Int]) {
    // Without a fork, every issuer knew all records before its own.
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
    // The revocation that was known first wins.
    for index in old where against[index] != nil {
      (nodes[index].counts, against[index]) = (true, nil)
    }
    settle(&against)
    // Neither record counts until another record decides between them.
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

  /// Returns the last record of the best branch that continues from `base`.
  private func tip(after base: Int) -> Int {
    var (tip, open) = (base, [base])
    while let index = open.popLast() {
      if Self.leads(nodes[index], nodes[tip]) { tip = index }
      open += nodes[index].children.filter { nodes[$0].isOpen && nodes[$0].counts == true }
    }
    return tip
  }

  /// Returns whether a branch that ends with `a` takes precedence over a branch that ends with `b`.
  private static func leads(_ a: Node, _ b: Node) -> Bool {
    a.record.epoch != b.record.epoch ? a.record.epoch > b.record.epoch : precedes(a, b)
  }

  private mutating func follow(_ tip: Int) {
    let branch = branch(to: tip)
    records = branch.map { nodes[$0].record }
    for index in branch {
      for member in nodes[index].members.union([nodes[index].record.member]) {
        named[member.replica, default: []].insert(member)
      }
    }
    if nodes[tip].children.contains(where: undecided.contains) {
      mutuallyRevoked = Set(undecided.map { nodes[$0].record.issuer }).sorted()
    }
    keys.follow(
      Dictionary(
        branch.compactMap { index in nodes[index].root.map { (nodes[index].record.epoch, $0) } },
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
    let settled = Set(branch.flatMap { nodes[$0].revocations.map(\.replica) })
    unsettled = revoked.values.filter { !settled.contains($0.replica) }
      .sorted { $0.replica < $1.replica }
    hasLostPassphrase = lacksPassphrase(branch)
  }

  /// Returns whether a member set a passphrase that doesn't open the last epoch of the branch.
  private func lacksPassphrase(_ branch: [Int]) -> Bool {
    let inBranch = Set(branch)
    let beside = nodes.indices.filter { nodes[$0].counts == true && !inBranch.contains($0) }
    var said: [ReplicaID: Int] = [:]
    for index in beside {
      for revocation in nodes[index].revocations {
        said[revocation.replica] = min(
          said[revocation.replica] ?? .max, nodes[index].record.epoch)
      }
    }
    // An epoch that a device begins automatically revokes exactly the devices that were revoked on
    // other branches before.
    let chosen = branch.last { index in
      let record = nodes[index].record
      return record.hasPassphrase || nodes[index].revocations.isEmpty
        || nodes[index].revocations.contains { said[$0.replica] ?? .max >= record.epoch }
    }
    guard let chosen, let last = branch.last, !nodes[last].record.hasPassphrase else {
      return false
    }
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
  /// Returns whether another revocation of the same replica accepts more operations. If both accept
  /// equally many, their hashes are compared.
  fileprivate func precedes(_ other: Revocation) -> Bool {
    last != other.last
      ? last < other.last : chain.bytes.lexicographicallyPrecedes(other.chain.bytes)
  }
}
