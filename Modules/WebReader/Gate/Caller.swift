package import Pairing

/// Through which of its sockets a server is spoken to.
package enum Entrance: Hashable, Sendable {
  /// Those of this machine alone.
  case machine
  /// The one that a network reaches, too.
  case network
}

/// Whom a request comes from.
package enum Caller: Hashable, Sendable {
  /// Somebody who is not in.
  case nobody
  /// The person's own browser on this machine.
  case owner
  /// A paired device.
  case device(PairedDevice)

  /// Whether they may change things.
  var mayWrite: Bool {
    switch self {
    case .nobody: false
    case .owner: true
    case .device(let device): device.mayWrite
    }
  }

  /// The device; nil for everybody else.
  package var device: PairedDevice? {
    if case .device(let device) = self { device } else { nil }
  }
}
