package import Pairing

/// The socket that received a request.
package enum Listener: Hashable, Sendable {
  /// The sockets on the loopback interface.
  case machine
  /// The socket that is reachable over a network.
  case network
}

/// The authenticated sender of a request.
package enum Principal: Hashable, Sendable {
  /// Not authenticated.
  case nobody
  /// The owner's browser on this machine.
  case owner
  case device(PairedDevice)

  /// Whether the caller may make changes.
  var mayWrite: Bool {
    switch self {
    case .nobody: false
    case .owner: true
    case .device(let device): device.mayWrite
    }
  }

  /// The paired device, or nil for other callers.
  package var device: PairedDevice? {
    if case .device(let device) = self { device } else { nil }
  }
}
