import Actions

/// The parsed method and path of a request.
enum Route: Hashable, Sendable {
  // Pages, logging in and pairing, whose responses don't contain data of the library.
  case libraryPage
  case documentPage
  case highlightPage(String)
  case staticFile(String)
  case login
  case pair

  // Requests from the scripts of pages.
  case logout
  case library
  case document(String)
  case body(String)
  case card(String)
  case passageCard(String)
  case events
  /// An action of `ActionList`, with the request as JSON.
  case action(String)
  case picture(String, path: [String])

  // Requests only from a browser on the server's machine.
  case devices
  case changeDevice(String)
  case removeDevice(String)

  /// Parses a method and a path. Returns nil for an unknown combination.
  init?(_ method: String, _ path: [String]) {
    let count = path.count
    let second = count > 1 ? path[1] : ""
    let third = count > 2 ? path[2] : ""
    switch (method, path.first ?? "", count) {
    case ("GET", "", 0): self = .libraryPage
    case ("GET", "d", 2): self = .documentPage
    case ("GET", "h", 2): self = .highlightPage(second)
    case ("GET", "static", 2): self = .staticFile(second)
    case ("GET", "files", 3...): self = .picture(second, path: Array(path.dropFirst(2)))
    case (_, "api", 2):
      guard let route = Self.short[[method, second]] else { return nil }
      self = route
    case ("GET", "api", 3) where second == "documents": self = .document(third)
    case (_, "api", 4) where second == "documents":
      switch (method, path[3]) {
      case ("GET", "body"): self = .body(third)
      case ("GET", "card"): self = .passageCard(third)
      default: return nil
      }
    case ("PATCH", "api", 3) where second == "devices": self = .changeDevice(third)
    case ("DELETE", "api", 3) where second == "devices": self = .removeDevice(third)
    case ("POST", "api", 3) where second == "actions": self = .action(third)
    case ("GET", "api", 4) where second == "highlights" && path[3] == "card": self = .card(third)
    default: return nil
    }
  }

  private static let short: [[String]: Route] = [
    ["POST", "login"]: .login, ["POST", "logout"]: .logout, ["POST", "pair"]: .pair,
    ["GET", "devices"]: .devices, ["GET", "library"]: .library,
    ["GET", "events"]: .events,
  ]

  /// Returns the methods for a path, or an empty array for an unknown path.
  static func methods(of path: [String]) -> [String] {
    ["GET", "POST", "PATCH", "DELETE"].filter { Route($0, path) != nil }
  }

  /// The permission that a route requires.
  enum Access: Hashable, Sendable {
    /// No permission: the response doesn't contain data of the library.
    case everybody
    /// A valid login code from this machine, or a valid pairing code from the network.
    case login, pairing
    case reading
    /// Permission to make changes.
    case writing
    /// A browser on the server's machine.
    case owner
  }

  /// Returns the permission required for a method and a path. Every path below `api` that isn't
  /// listed requires permission to read or to write, so that a new route isn't public by accident.
  static func access(_ method: String, _ path: [String]) -> Access {
    switch path.first {
    case "api":
      switch path.dropFirst().first {
      case "login" where path.count == 2: .login
      case "pair" where path.count == 2: .pairing
      case "devices", "logout": .owner
      case "actions" where method == "POST" && path.count == 3:
        switch ActionList.action(named: path[2])?.effect {
        case .reads: .reading
        case .writes, nil: .writing
        case .administers: .owner
        }
      default: method == "GET" ? .reading : .writing
      }
    case "files": method == "GET" ? .reading : .writing
    default: method == "GET" ? .everybody : .writing
    }
  }
}
