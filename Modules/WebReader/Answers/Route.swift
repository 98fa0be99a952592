/// What an address of the server means.
enum Route: Hashable, Sendable {
  // Pages, which hold nothing of the library.
  case libraryPage
  case documentPage
  case highlightPage(String)
  case staticFile(String)
  case login
  case pair

  // What pages ask for.
  case logout
  case library
  case document(String)
  case body(String)
  case mark(String)
  case copy(String)
  case find(String)
  case format(String)
  case changeFormat(String)
  case highlight(String)
  case changeHighlight(String)
  case removeHighlight(String)
  case accept(String)
  case detach(String)
  case card(String)
  case passageCard(String)
  case cardStyles
  case highlights
  case review
  case search
  case strategies
  case undo
  case redo
  case events
  case picture(String, path: [String])

  // What only the browser of the machine that serves may ask for.
  case devices
  case changeDevice(String)
  case removeDevice(String)

  /// What a method and a path mean; nil for nothing.
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
      case ("GET", "copy"): self = .copy(third)
      case ("GET", "find"): self = .find(third)
      case ("GET", "card"): self = .passageCard(third)
      case ("POST", "marks"): self = .mark(third)
      case ("GET", "format"): self = .format(third)
      case ("POST", "format"): self = .changeFormat(third)
      default: return nil
      }
    case ("PATCH", "api", 3) where second == "devices": self = .changeDevice(third)
    case ("DELETE", "api", 3) where second == "devices": self = .removeDevice(third)
    case ("GET", "api", 3) where second == "highlights": self = .highlight(third)
    case ("PATCH", "api", 3) where second == "highlights": self = .changeHighlight(third)
    case ("DELETE", "api", 3) where second == "highlights": self = .removeHighlight(third)
    case (_, "api", 4) where second == "highlights":
      switch (method, path[3]) {
      case ("POST", "accept"): self = .accept(third)
      case ("POST", "orphan"): self = .detach(third)
      case ("GET", "card"): self = .card(third)
      default: return nil
      }
    default: return nil
    }
  }

  private static let short: [[String]: Route] = [
    ["POST", "login"]: .login, ["POST", "logout"]: .logout, ["POST", "pair"]: .pair,
    ["GET", "devices"]: .devices, ["GET", "library"]: .library, ["GET", "search"]: .search,
    ["GET", "highlights"]: .highlights, ["GET", "review"]: .review, ["GET", "events"]: .events,
    ["GET", "strategies"]: .strategies, ["GET", "cards"]: .cardStyles, ["POST", "undo"]: .undo,
    ["POST", "redo"]: .redo,
  ]

  /// The methods that mean something at a path; none where there is nothing.
  static func methods(of path: [String]) -> [String] {
    ["GET", "POST", "PATCH", "DELETE"].filter { Route($0, path) != nil }
  }

  /// Who may ask for something.
  enum Access: Hashable, Sendable {
    /// Everybody: it holds nothing of the library.
    case everybody
    /// Whoever has a code, on this machine or on the network.
    case login, pairing
    /// Those who are in.
    case reading
    /// Those who are in and may change things.
    case writing
    /// The browser of this machine.
    case owner
  }

  /// Who may use a method at a path: what is not named here is the stricter, the more it may be.
  static func access(_ method: String, _ path: [String]) -> Access {
    switch path.first {
    case "api":
      switch path.dropFirst().first {
      case "login" where path.count == 2: .login
      case "pair" where path.count == 2: .pairing
      case "devices", "logout": .owner
      default: method == "GET" ? .reading : .writing
      }
    case "files": method == "GET" ? .reading : .writing
    default: method == "GET" ? .everybody : .writing
    }
  }
}
