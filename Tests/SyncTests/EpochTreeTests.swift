import Model
import TestSupport
import Testing

@testable import Sync

/// Tests epochs that several devices issue without knowing of each other.
@Suite struct EpochTreeTests {
  /// A vault with devices that read and issue epochs.
  private struct Members {
    let vault: VaultID
    let replicas: [ReplicaID]
    let devices: [ReplicaID: DeviceKeys]
    let first: EpochRecord
    let keys: VaultKeys

    init(_ count: Int) throws {
      vault = VaultID.random()
      replicas = (1...UInt64(count)).map { ReplicaID(rawValue: $0) }
      let devices = Dictionary(uniqueKeysWithValues: replicas.map { ($0, DeviceKeys.random()) })
      self.devices = devices
      let (object, keys) = try EpochRecord.issue(
        keys: VaultKeys(vault: vault), after: nil, issuer: replicas[0],
        device: devices[replicas[0]]!, devices: devices.mapValues(\.publicKeys),
        passphrase: nil)
      first = try EpochRecord(object.bytes, named: object.object)
      self.keys = keys
    }

    /// The claims of the devices, which joined in the first epoch.
    var claims: [EpochTree.Claim] {
      get throws(SegmentError) {
        let root = try keys.root(1)
        return replicas.map {
          EpochTree.Claim(replica: $0, publicKeys: devices[$0]!.publicKeys, root: root)
        }
      }
    }

    /// Returns the tree of records as a device sees it.
    func tree(
      _ member: Int, _ records: [EpochRecord], _ keys: VaultKeys? = nil, joined: Int = 1,
      with more: [EpochTree.Claim] = [], known: [Stranger] = []
    ) throws(SegmentError) -> EpochTree {
      let replica = replicas[member]
      var keys = keys ?? self.keys
      while true {
        let tree = try EpochTree(
          of: records, keys: keys, claims: try claims + more,
          reader: EpochTree.Reader(
            replica: replica, device: devices[replica]!, joined: joined,
            known: Dictionary(
              uniqueKeysWithValues: known.map { ($0.replica, $0.device.publicKeys) })))
        if tree.keys == keys { return tree }
        keys = tree.keys
      }
    }

    /// Returns the next epoch of the branch that a member sees.
    func issue(
      _ member: Int, in tree: EpochTree, without gone: [Int], last: Int64 = 7,
      passphrase: String? = nil
    ) throws -> EpochRecord {
      let revoked = gone.map {
        Revocation(
          replica: replicas[$0], last: last, chain: .start(vault: vault, replica: replicas[$0]))
      }
      let out = Set(revoked.map(\.replica)).union(tree.revoked.keys)
      let (object, _) = try EpochRecord.issue(
        keys: tree.keys, after: tree.records.last, issuer: replicas[member],
        device: devices[replicas[member]]!,
        devices: devices.mapValues(\.publicKeys).filter { !out.contains($0.key) },
        revoked: revoked, passphrase: passphrase.map { ($0, .least) })
      return try EpochRecord(object.bytes, named: object.object)
    }

    /// Returns a device that was not admitted, with a claim that is sealed with the root of an
    /// epoch.
    func stranger(_ number: UInt64, root: Secret) -> Stranger {
      let device = DeviceKeys.random()
      let replica = ReplicaID(rawValue: number)
      return Stranger(
        replica: replica, device: device,
        claim: EpochTree.Claim(replica: replica, publicKeys: device.publicKeys, root: root))
    }

    /// Returns an epoch that a stranger issues after a record, for itself, others and all members
    /// except some.
    func issue(
      by stranger: Stranger, after record: EpochRecord, _ keys: VaultKeys, naming more: [Stranger],
      without gone: [Int] = []
    ) throws -> (record: EpochRecord, keys: VaultKeys) {
      var devices = self.devices.mapValues(\.publicKeys)
      for other in more + [stranger] { devices[other.replica] = other.device.publicKeys }
      for number in gone { devices[replicas[number]] = nil }
      let (object, keys) = try EpochRecord.issue(
        keys: keys, after: record, issuer: stranger.replica, device: stranger.device,
        devices: devices,
        revoked: gone.map {
          Revocation(
            replica: replicas[$0], last: 0, chain: .start(vault: vault, replica: replicas[$0]))
        }, passphrase: nil)
      return (try EpochRecord(object.bytes, named: object.object), keys)
    }

    func names(_ tree: EpochTree) -> Set<Int> {
      Set(tree.revoked.keys.map { Int($0.rawValue) - 1 })
    }
  }

  private struct Stranger {
    var replica: ReplicaID
    var device: DeviceKeys
    var claim: EpochTree.Claim
  }

  @Test func `a replaced key does not admit devices`() throws {
    let all = try Members(3)
    let start = try all.tree(0, [all.first])
    let old = all.stranger(90, root: try all.keys.root(1))
    // While the key is the current one, any device with it is admitted.
    let before = try all.tree(1, [all.first], with: [old.claim])
    #expect(before.counts(old.claim) && before.unauthorized.isEmpty)
    let second = try all.issue(0, in: start, without: [2])
    let root = try all.tree(0, [all.first, second]).keys.root(2)
    let new = all.stranger(91, root: root)
    let tree = try all.tree(1, [all.first, second], with: [old.claim, new.claim])
    #expect(!tree.counts(old.claim) && tree.unauthorized == [old.replica])
    #expect(tree.revoked[old.replica]?.last == 0 && tree.unsettled.isEmpty)
    #expect(tree.counts(new.claim) && tree.revoked[new.replica] == nil)
    // A claim with other keys for a known member is ignored, whatever epoch key it knows.
    for root in [try all.keys.root(1), root] {
      let forged = EpochTree.Claim(
        replica: all.replicas[1], publicKeys: DeviceKeys.random().publicKeys, root: root)
      let tree = try all.tree(0, [all.first, second], with: [forged])
      #expect(!tree.counts(forged) && tree.unauthorized.isEmpty)
      #expect(try tree.counts(all.claims[1]))
    }
    // An issuer of the next epoch that knows a joined device includes it.
    let named = try all.issue(by: new, after: second, tree.keys, naming: [])
    for records in [[all.first, second, named.record], [named.record, second, all.first]] {
      let tree = try all.tree(1, records, with: [new.claim])
      #expect(tree.records.count == 3 && tree.counts(new.claim))
    }
  }

  @Test(arguments: [false, true], [[], [0]])
  func `a device with a replaced key cannot start a branch`(isRevoked: Bool, gone: [Int]) throws {
    let all = try Members(4)
    let start = try all.tree(0, [all.first])
    let second = try all.issue(0, in: start, without: [3])
    let third = try all.issue(1, in: try all.tree(1, [all.first, second]), without: [])
    // The issuer is unknown or was revoked. Another stranger continues its branch.
    let root = try all.keys.root(1)
    var one = all.stranger(90, root: root)
    if isRevoked {
      (one.replica, one.device) = (all.replicas[3], all.devices[all.replicas[3]]!)
      one.claim = try all.claims[3]
    }
    let two = all.stranger(91, root: root)
    var (beside, keys) = try all.issue(
      by: one, after: all.first, all.keys, naming: [two], without: isRevoked ? [] : gone)
    var records = [all.first, second, third, beside]
    for _ in 0..<4 {
      (beside, keys) = try all.issue(by: two, after: beside, keys, naming: [one], without: gone)
      records.append(beside)
    }
    let claims = [one.claim, two.claim]
    for member in 0..<3 {
      for known in [[all.first], [all.first, second], [all.first, second, third]] {
        let before = try all.tree(member, known).keys
        let tree = try all.tree(member, records.shuffled(), before, with: claims)
        #expect(tree.records == [all.first, second, third])
        #expect(!tree.isLeftOut && tree.mutuallyRevoked.isEmpty && !tree.counts(two.claim))
        let out = Set([all.replicas[3], one.replica, two.replica])
        #expect(Set(tree.revoked.keys) == out && tree.unsettled.isEmpty)
      }
    }
  }

  @Test func `of two devices in no epoch, the one that was accepted first is used`() throws {
    let all = try Members(3)
    let root = try all.keys.root(1)
    let (friend, other) = (all.stranger(90, root: root), all.stranger(91, root: root))
    let second = try all.issue(by: friend, after: all.first, all.keys, naming: []).record
    var (beside, keys) = try all.issue(by: other, after: all.first, all.keys, naming: [])
    var records = [all.first, second, beside]
    for _ in 0..<3 {
      (beside, keys) = try all.issue(by: other, after: beside, keys, naming: [])
      records.append(beside)
    }
    let claims = [friend.claim, other.claim]
    // A device that was offline receives both branches at once.
    let tree = try all.tree(1, records.shuffled(), with: claims, known: [friend])
    #expect(tree.records == [all.first, second] && tree.unauthorized == [other.replica])
    // An accepted branch is kept, whatever arrives later.
    let keysBefore = try all.tree(1, [all.first, second], with: claims).keys
    let later = try all.tree(1, records, keysBefore, with: claims)
    #expect(later.records == [all.first, second] && !later.counts(other.claim))
  }

  @Test func `a new device can issue an epoch at the same time as a member`()
    throws
  {
    let all = try Members(4)
    let root = try all.keys.root(1)
    let new = all.stranger(90, root: root)
    let alone = try all.issue(by: new, after: all.first, all.keys, naming: [], without: [3])
    let tree = try all.tree(1, [all.first, alone.record], with: [new.claim])
    #expect(tree.records == [all.first, alone.record] && all.names(tree) == [3])
    // A member that knows the device includes it. The branch of any other member omits it.
    for isKnown in [true, false] {
      let other = try EpochRecord.issue(
        keys: all.keys, after: all.first, issuer: all.replicas[0],
        device: all.devices[all.replicas[0]]!,
        devices: all.devices.mapValues(\.publicKeys).merging(
          isKnown ? [new.replica: new.device.publicKeys] : [:]
        ) { $1 },
        revoked: [
          Revocation(
            replica: all.replicas[2], last: 0,
            chain: .start(vault: all.vault, replica: all.replicas[2]))
        ], passphrase: nil
      ).object
      let record = try EpochRecord(other.bytes, named: other.object)
      for known in [[all.first], [all.first, alone.record], [all.first, record]] {
        let keys = try all.tree(1, known, with: [new.claim]).keys
        let tree = try all.tree(1, [alone.record, record, all.first], keys, with: [new.claim])
        #expect(tree.counts(new.claim) == isKnown && tree.mutuallyRevoked.isEmpty)
        #expect(tree.revoked[all.replicas[2]] != nil)
        #expect((tree.revoked[all.replicas[3]] != nil) == isKnown)
        if !isKnown { #expect(tree.records == [all.first, record]) }
      }
    }
  }

  @Test(arguments: [[4, 5], [4, 4]])
  func `simultaneous revocations both take effect`(_ gone: [Int]) throws {
    let all = try Members(6)
    let start = try all.tree(0, [all.first])
    let a = try all.issue(0, in: start, without: [gone[0]], last: 7)
    let b = try all.issue(1, in: start, without: [gone[1]], last: 9)
    let found = [all.first, a, b]
    // All members reach the same branch and can read both branches, whichever branch they knew
    // first.
    var lines: Set<[EpochRecord]> = []
    for member in 0..<4 {
      for known in [[all.first], [all.first, a], [all.first, b]] {
        let before = try all.tree(member, known)
        let tree = try all.tree(member, found.shuffled(), before.keys)
        lines.insert(tree.records)
        #expect(all.names(tree) == Set(gone) && !tree.isLeftOut && tree.mutuallyRevoked.isEmpty)
        #expect(tree.keys.candidates(2).count == 2 && tree.keys.current == 2)
        #expect(tree.unsettled.count == (gone[0] == gone[1] ? 0 : 1))
        #expect(VaultKeys(stored: tree.keys.stored) == tree.keys)
        if gone[0] == gone[1] { #expect(tree.revoked.values.map(\.last) == [9]) }
      }
    }
    #expect(lines.count == 1)
    for member in gone { #expect(try all.tree(member, found).isLeftOut) }
    guard gone[0] != gone[1] else { return }
    // Several members issue the epoch that combines both revocations. Then no revocation is
    // unsettled.
    let tree = try all.tree(2, found)
    let more = try [2, 3].map {
      try all.issue($0, in: tree, without: tree.unsettled.map { Int($0.replica.rawValue) - 1 })
    }
    for member in 0..<4 {
      let settled = try all.tree(member, found + more)
      #expect(settled.unsettled.isEmpty && settled.keys.current == 3)
      #expect(all.names(settled) == Set(gone))
      #expect(settled.records.last.map(more.contains) == true)
    }
    for member in gone {
      #expect(try all.tree(member, found + more).keys.current < 3)
    }
  }

  @Test func `epochs of a revoked device have no effect on members that know its revocation`()
    throws
  {
    let all = try Members(4)
    let start = try all.tree(0, [all.first])
    let byOwner = try all.issue(0, in: start, without: [3])
    let known = try all.tree(1, [all.first, byOwner])
    // The revoked device revokes the issuer in a record with the same predecessor, and continues
    // the branch from that record.
    let answer = try all.issue(3, in: start, without: [0])
    let alone = try all.tree(3, [all.first, answer])
    let longer = try all.issue(3, in: alone, without: [])
    for found in [[all.first, byOwner, answer, longer], [longer, answer, byOwner, all.first]] {
      for member in 0..<3 {
        let before = member == 1 ? known.keys : try all.tree(member, [all.first, byOwner]).keys
        let tree = try all.tree(member, found, before)
        #expect(all.names(tree) == [3] && !tree.isLeftOut && tree.mutuallyRevoked.isEmpty)
        #expect(tree.records == [all.first, byOwner] && tree.keys.current == 2)
      }
      // A member that receives both at once follows neither, and reports it.
      let undecided = try all.tree(2, found)
      #expect(undecided.mutuallyRevoked == [all.replicas[0], all.replicas[3]])
      #expect(undecided.records == [all.first] && undecided.revoked.isEmpty)
    }
    // A branch that omits members cannot be read by them, and does not compete with one they can
    // read.
    let rude = try all.issue(3, in: start, without: [0, 2])
    let tree = try all.tree(2, [all.first, byOwner, rude])
    #expect(tree.records == [all.first, byOwner] && all.names(tree) == [3] && !tree.isLeftOut)
  }

  @Test func `revocations by a revoked device have no effect`() throws {
    let all = try Members(5)
    let start = try all.tree(0, [all.first])
    let a = try all.issue(0, in: start, without: [1])
    let b = try all.issue(1, in: start, without: [4])
    for known in [[all.first], [all.first, a], [all.first, b]] {
      let keys = try all.tree(2, known).keys
      let tree = try all.tree(2, [all.first, a, b], keys)
      #expect(all.names(tree) == [1] && tree.records == [all.first, a] && !tree.isLeftOut)
    }
    // The epoch b of the revoked device excludes no member.
    #expect(try !all.tree(4, [all.first, a, b]).isLeftOut)
    // If a third device, which knows only b, revokes the issuer of a, the epoch a has no effect.
    let after = try all.tree(3, [all.first, b])
    let c = try all.issue(3, in: after, without: [0])
    let tree = try all.tree(2, [all.first, a, b, c])
    #expect(tree.mutuallyRevoked.isEmpty && all.names(tree) == [0, 4])
  }

  @Test func `records of non-members and of other vaults have no effect`() throws {
    let all = try Members(3)
    let other = try Members(3)
    let start = try all.tree(0, [all.first])
    let a = try all.issue(0, in: start, without: [2])
    let strange = try other.issue(0, in: try other.tree(0, [other.first]), without: [1])
    // Issue a record as a stranger that claims to be a member, but has other keys.
    let forged = try EpochRecord.issue(
      keys: start.keys, after: all.first, issuer: all.replicas[1], device: .random(),
      devices: all.devices.mapValues(\.publicKeys), passphrase: nil
    ).object
    let record = try EpochRecord(forged.bytes, named: forged.object)
    let tree = try all.tree(1, [record, strange, other.first, a, all.first])
    #expect(tree.records == [all.first, a] && all.names(tree) == [2] && !tree.isLeftOut)
    // A device that joined later is not excluded by an earlier epoch.
    let keys = try all.tree(0, [all.first, a]).keys
    #expect(try !all.tree(2, [all.first, a], keys, joined: 2).isLeftOut)
  }

  @Test func `members that receive records in any order reach the same state`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let count = 7
      let all = try Members(count)
      var known = [[EpochRecord]](repeating: [all.first], count: count)
      var keys = [VaultKeys](repeating: all.keys, count: count)
      var everything = [all.first]
      // A few members revoke others. Issuers are never revoked, so all can agree.
      let issuers = [0, 1, 2]
      for _ in 0..<Int.random(in: 2...8, using: &random) {
        let issuer = issuers.randomElement(using: &random)!
        let tree = try all.tree(issuer, known[issuer], keys[issuer])
        keys[issuer] = tree.keys
        let revoked = [3, 4, 5].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
          .filter { !all.names(tree).contains($0) }
        let record = try all.issue(issuer, in: tree, without: revoked)
        everything.append(record)
        known[issuer].append(record)
        // Deliver some of the records to some members.
        for member in 0..<count where Bool.random(using: &random) {
          known[member].append(everything.randomElement(using: &random)!)
          if let tree = try? all.tree(member, known[member], keys[member]) {
            keys[member] = tree.keys
          }
        }
      }
      // A member that sees unsettled revocations issues an epoch, until all are settled.
      for _ in 0..<4 {
        for member in issuers + [6] {
          let tree = try all.tree(member, everything.shuffled(using: &random), keys[member])
          keys[member] = tree.keys
          guard !tree.unsettled.isEmpty, Bool.random(using: &random) else { continue }
          everything.append(
            try all.issue(
              member, in: tree, without: tree.unsettled.map { Int($0.replica.rawValue) - 1 }))
        }
      }
      let trees = try (issuers + [6]).map {
        try all.tree($0, everything.shuffled(using: &random), keys[$0])
      }
      #expect(Set(trees.map(\.records)).count == 1)
      #expect(Set(trees.map(\.revoked)).count == 1)
      #expect(
        trees.allSatisfy { $0.unsettled.isEmpty && !$0.isLeftOut && $0.mutuallyRevoked.isEmpty })
      // The last key is known to all members except the revoked ones.
      for member in 0..<count {
        let tree = try all.tree(member, everything, keys[member])
        let isGone = trees[0].revoked[all.replicas[member]] != nil
        #expect(tree.isLeftOut || tree.revoked[all.replicas[member]] != nil || !isGone)
        #expect(
          (tree.keys.branch.epochs == trees[0].keys.branch.epochs
            && tree.records.last == trees[0].records.last) != isGone)
      }
    }
  }

  @Test func `a lost passphrase is detected, whichever member settles the epochs`() throws {
    let all = try Members(6)
    let start = try all.tree(0, [all.first])
    /// Returns two simultaneous epochs, and the epoch of a member that settles them.
    func found(_ one: String?, _ other: String?, _ gone: [Int] = [4, 5]) throws -> [EpochRecord] {
      let found = [
        all.first, try all.issue(0, in: start, without: [gone[0]], passphrase: one),
        try all.issue(1, in: start, without: [gone[1]], passphrase: other),
      ]
      let tree = try all.tree(2, found)
      guard !tree.unsettled.isEmpty else { return found }
      return found + [
        try all.issue(2, in: tree, without: tree.unsettled.map { Int($0.replica.rawValue) - 1 })
      ]
    }
    for (one, other) in [("one", "other"), ("one", nil), (nil, "other"), (nil, nil)] {
      let records = try found(one, other)
      for member in 0..<4 {
        let tree = try all.tree(member, records.shuffled())
        #expect(tree.records.count == 3 && tree.unsettled.isEmpty)
        #expect(tree.hasLostPassphrase == (one != nil || other != nil))
        // A passphrase that was set or removed deliberately is not lost.
        let set = try all.issue(member, in: tree, without: [], passphrase: "new")
        let next = try all.tree(3, records + [set])
        #expect(next.records.last == set && !next.hasLostPassphrase)
        let none = try all.issue(0, in: next, without: [3])
        #expect(!(try all.tree(1, records + [set, none]).hasLostPassphrase))
      }
    }
    // Without unsettled epochs, the last record of the branch decides whether the passphrase is
    // lost.
    for (one, other) in [("one", nil), (nil, nil), ("one", "other")] as [(String?, String?)] {
      let tree = try all.tree(2, try found(one, other, [4, 4]))
      let isOpen = tree.records.last?.hasPassphrase == true
      #expect(tree.hasLostPassphrase == (!isOpen && (one != nil || other != nil)))
    }
  }
}
