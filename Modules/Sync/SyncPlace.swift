/// The sync configuration of a library on this device.
package struct SyncPlace: Codable, Hashable, Sendable {
  /// The identifier of the transport.
  package var transport: String
  /// The target in the transport's notation: a path, an address or a connection string.
  package var address: String
  /// The vault's identifier in hexadecimal digits.
  package var vault: String
  /// The name of this device, which other devices display.
  package var device: String
  /// The time at which this device joined, in milliseconds since 1970.
  package var since: Int64
  /// The public keys of the member that was asked to admit this device; nil for a member.
  package var asked: String?

  package init(
    transport: String, address: String, vault: String, device: String, since: Int64,
    asked: String? = nil
  ) {
    self.transport = transport
    self.address = address
    self.vault = vault
    self.device = device
    self.since = since
    self.asked = asked
  }
}

/// The objects that a sync listed. The next sync of this process can list only later changes.
package struct KnownListing: Sendable {
  /// The maximum age of a complete listing, in milliseconds, until the next one.
  private static let maximumAge: Int64 = 600_000

  package var place: SyncPlace
  package var objects: [ObjectName: Int]
  package var cursor: TransportCursor
  /// The time of the last complete listing, in milliseconds since 1970.
  package var listed: Int64

  package init(
    place: SyncPlace, objects: [ObjectName: Int], cursor: TransportCursor, listed: Int64
  ) {
    self.place = place
    self.objects = objects
    self.cursor = cursor
    self.listed = listed
  }

  /// Whether the listing is of this target and recent enough.
  package func isUsable(for place: SyncPlace, at time: Int64) -> Bool {
    self.place == place && abs(time - listed) < Self.maximumAge
  }
}
