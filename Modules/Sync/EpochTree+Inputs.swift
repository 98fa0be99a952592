package import Model

/// What is read besides the records of epochs.
extension EpochTree {
  /// Who reads the records.
  package struct Reader: Sendable {
    /// Which replica.
    package var replica: ReplicaID
    /// Its keys, which open what is for it.
    package var device: DeviceKeys
    /// The epoch in which it became a member: records of later ones that are not for it leave it out.
    package var joined: Int
    /// The devices that it knew before.
    package var known: [ReplicaID: DevicePublicKeys]

    /// Makes a reader of its parts.
    package init(
      replica: ReplicaID, device: DeviceKeys, joined: Int,
      known: [ReplicaID: DevicePublicKeys] = [:]
    ) {
      (self.replica, self.device, self.joined) = (replica, device, joined)
      self.known = known
    }
  }

  /// What the record of a device says, which whoever has the root it is sealed with can have made.
  package struct Claim: Sendable {
    let replica: ReplicaID
    let publicKeys: DevicePublicKeys
    let root: Secret

    var member: EpochMember { EpochMember(replica, publicKeys) }
  }
}
