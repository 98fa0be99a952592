package import Model

/// Inputs of `EpochTree` other than the records of epochs.
extension EpochTree {
  /// The device that reads the records.
  package struct Reader: Sendable {
    /// The replica that identifies the device.
    package var replica: ReplicaID
    /// Its secret keys, which open the boxes addressed to it.
    package var device: DeviceKeys
    /// The epoch in which it became a member. A later epoch that isn't addressed to it excludes it.
    package var joined: Int
    /// The devices that it already knew.
    package var known: [ReplicaID: DevicePublicKeys]

    package init(
      replica: ReplicaID, device: DeviceKeys, joined: Int,
      known: [ReplicaID: DevicePublicKeys] = [:]
    ) {
      (self.replica, self.device, self.joined) = (replica, device, joined)
      self.known = known
    }
  }

  /// The content of a device's record. Anyone who has the root that seals the record can have
  /// created it.
  package struct Claim: Sendable {
    let replica: ReplicaID
    let publicKeys: DevicePublicKeys
    let root: Secret

    var member: EpochMember { EpochMember(replica, publicKeys) }
  }
}
