import Actions
import DaemonKit
import FoundationEssentials
import Model
package import Pairing
import Storage
import Synchronization
package import SystemSupport
package import Workspace

/// Answers the requests of `diple serve`'s pages, independent of the transport. Every response is
/// based on the current library and files.
///
/// ```swift
/// switch service.decide(head, from: .machine) {
/// case .refused(let answer): return answer
/// case .accepted(let request): return await service.answer(request, body)
/// }
/// ```
package final class WebService: Sendable {
  let library: Library
  /// The displayed name of the library.
  let name: String
  /// Decides which requests are accepted.
  package let gate: RequestGate
  private let desk = Mutex(LoginSessions())
  /// The paired devices on the network.
  package let devices: DeviceSessions
  /// The server's address on the network, as written in URLs, or nil if there is none.
  let network: String?
  let port: Int
  /// Displays a message to the user who started the server.
  let notify: @Sendable (Hint) -> Void
  /// The HTML recently sent to pages.
  let bodies = Mutex(ServedBodies())
  private let files: @Sendable (String) -> [UInt8]?
  let texts = ShownTexts()
  /// The open pages that receive events.
  package let pages: LivePages
  /// The time at which the service started. A document's page can undo an earlier step only if the
  /// step affects just that document.
  private let began: Date

  /// Creates a service for an open library.
  ///
  /// - Parameters:
  ///   - port: The port of the server.
  ///   - network: The server's address on the network, as written in URLs, or nil if there is none.
  ///   - files: Returns a static file of the pages by its name, or nil.
  ///   - notify: Displays a one-line message to the user who started the server.
  package init(
    _ library: Library, port: Int, network: String?, devices: DeviceSessions,
    files: @escaping @Sendable (String) -> [UInt8]?, notify: @escaping @Sendable (Hint) -> Void
  ) {
    (self.port, self.network, self.devices, self.notify) = (port, network, devices, notify)
    self.library = library
    self.files = files
    name = String((library.location.root ?? library.location.folder).lastComponent)
    gate = RequestGate(port: port, network: network, tag: devices.tag)
    pages = LivePages(library)
    began = .now
  }

  /// Creates a code for one login. It expires after a minute.
  package func newCode() -> String {
    var generator = SystemRandomNumberGenerator()
    return desk.withLock { $0.newCode(now: Clock.now, by: &generator) }
  }

  /// Decides on a request, by its head alone.
  package func decide(_ head: RequestHead, from listener: Listener) -> GateDecision {
    let decision = gate.decide(head, from: listener) { owner(ofToken: $0, listener) }
    guard case .refused(let answer) = decision else { return decision }
    return .refused(shown(answer, to: head))
  }

  /// Replaces the response by an error page if a browser navigated to an unknown page.
  private func shown(_ answer: WebAnswer, to head: RequestHead) -> WebAnswer {
    guard head.wantsPage,
      answer.status == 404 || answer.status == 400 && RequestTarget(head.target) == nil
    else { return answer }
    var page = staticFile("nothing.html")
    page.status = 404
    return page
  }

  /// Returns the caller to whom a token was issued. Tokens are valid only at the listener that
  /// issued them.
  private func owner(ofToken token: String, _ listener: Listener) -> Principal {
    switch listener {
    case .machine: desk.withLock { $0.knows(token) } ? .owner : .nobody
    case .network: devices.device(withToken: token).map { .device($0) } ?? .nobody
    }
  }

  /// Answers a request, if its caller still has the permission. Errors become error responses.
  package func answer(_ request: AcceptedRequest, _ body: [UInt8]) async -> WebAnswer {
    var request = request
    let listener = request.listener
    if let refusal = gate.refusal(of: &request, caller: { owner(ofToken: $0, listener) }) {
      return refusal
    }
    if let device = request.caller.device { devices.note(device) }
    var answer: WebAnswer
    do {
      let input = WebInput(request.query, body)
      answer = try await self.answer(request.route, input, request.head, request.caller)
    } catch let error as UserError {
      answer = .failed(error)
    } catch {
      answer = .refused(500, "the request failed: \(error)")
    }
    answer = shown(answer, to: request.head)
    // Even a failed request may have changed something. Actions that only read are requested with
    // POST, too.
    if request.head.isUnsafe, request.access != .reading { await pages.scheduleCheck() }
    return answer
  }

  private func answer(
    _ route: Route, _ input: WebInput, _ head: RequestHead, _ caller: Principal
  ) async throws -> WebAnswer {
    switch route {
    case .libraryPage: return staticFile("index.html")
    case .documentPage: return staticFile("document.html")
    case .highlightPage(let id): return await highlightPage(id, caller)
    case .staticFile(let name): return staticFile(name)
    case .login: return try logIn(input)
    case .logout: return logOut(head)
    case .pair: return try pair(input, from: head.client)
    case .devices: return try devicesAnswer()
    case .changeDevice(let id): return try changeDevice(id, input)
    case .removeDevice(let id): return try removeDevice(id)
    case .library: return try await libraryAnswer(caller)
    case .document(let id): return try await documentAnswer(id, caller)
    case .body(let id): return try await bodyAnswer(id, input)
    case .card(let id): return try await card(id, input)
    case .passageCard(let id): return try await passageCard(id, input)
    case .action(let name): return try await act(name, input)
    case .events:
      return .events(of: try input.text("doc").map { try Self.documentID($0) }, for: caller)
    case .picture(let id, let path): return try await picture(id, path)
    case .sitePicture(let id, let path): return try await sitePicture(id, path)
    }
  }

  // MARK: - Pages and login

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml; charset=utf-8", "png": "image/png",
  ]

  private func staticFile(_ name: String) -> WebAnswer {
    guard let bytes = files(name), let ending = name.split(separator: ".").last,
      let type = Self.types[String(ending)]
    else { return .refused(404, "not found") }
    return WebAnswer(200, bytes, type: type)
  }

  /// Redirects to the passage of a highlight. If the user opens a link in another program, the
  /// browser sends no cookie because of `SameSite=Strict`; then the page itself requests the
  /// highlight.
  private func highlightPage(_ id: String, _ caller: Principal) async -> WebAnswer {
    guard caller != .nobody, let id = Highlight.ID(id),
      let highlight = try? await library.highlight(id: id)
    else { return staticFile("index.html") }
    return .redirect(to: "/d/\(highlight.document)#h-\(highlight.id)")
  }

  private struct LoginRequest: Decodable {
    var code: String
  }

  private func logIn(_ input: WebInput) throws -> WebAnswer {
    let code = try input.decode(LoginRequest.self).code
    var generator = SystemRandomNumberGenerator()
    let token = desk.withLock { $0.enter(with: code, now: Clock.now, by: &generator) }
    guard let token else {
      return .refused(
        401,
        "this address was used already, was replaced by a newer one, or is more than a minute old",
        hint: "press Enter in the terminal of `diple serve` for a new one")
    }
    var answer = WebAnswer(204)
    answer.fields = [
      ("Set-Cookie", "\(gate.cookieName(.machine))=\(token); HttpOnly; SameSite=Strict; Path=/")
    ]
    return answer
  }

  /// Logs out the browser that sent the request.
  private func logOut(_ head: RequestHead) -> WebAnswer {
    desk.withLock { desk in for token in gate.tokens(of: head, from: .machine) { desk.leave(token) }
    }
    var answer = WebAnswer(204)
    answer.fields = [
      ("Set-Cookie", "\(gate.cookieName(.machine))=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
    ]
    return answer
  }

  // MARK: - Actions

  /// The session in which pages run actions. A document's page can undo steps since the start of
  /// the service, and earlier steps that affect just that document.
  var session: ActionSession {
    var session = ActionSession(library)
    session.began = began
    session.seesTrash = false
    session.rowLimit = 1_000
    session.searchTime = .seconds(10)
    session.filesAreSettled = { [location = library.location] in
      DaemonClient(location)?.isSettled == true
    }
    session.shownText = { [texts] in texts.text($0) }
    return session
  }

  /// Runs an action. The response is the JSON that the command prints.
  ///
  /// - Throws: ``UserError``. An ``ActionRefusal`` becomes a response with its details.
  private func act(_ name: String, _ input: WebInput) async throws -> WebAnswer {
    do {
      return .json(try await session.run(name, json: input.body).json)
    } catch let refusal as ActionRefusal {
      return .failed(refusal.error, details: refusal.details)
    }
  }

  /// Returns the scope of undo for a document's page.
  func scope(_ document: Document.ID) -> SessionScope? { session.scope(document) }

  // MARK: - Identifiers

  static func documentID(_ text: String) throws(UserError) -> Document.ID {
    if let id = Document.ID(text) { return id }
    throw UserError(.notFound, "no such document")
  }

  static func highlightID(_ text: String) throws(UserError) -> Highlight.ID {
    if let id = Highlight.ID(text) { return id }
    throw UserError(.notFound, "no such highlight")
  }

  /// Returns the document with an id. Throws ``UserError`` if it is unknown or was removed.
  func document(_ id: String) async throws -> Document {
    try await session.document(Self.documentID(id))
  }
}

/// The query and the body of a request.
struct WebInput: Sendable {
  private let query: [String: String]
  /// The bytes of the body.
  let body: [UInt8]

  init(_ query: [String: String], _ body: [UInt8]) { (self.query, self.body) = (query, body) }

  /// Returns a text of the query, or nil if it is missing or empty.
  func text(_ name: String) -> String? {
    guard let text = query[name], !text.isEmpty else { return nil }
    return text
  }

  /// Returns a number of the query, or nil if it is missing.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the text isn't a number in the range.
  func number(_ name: String, in range: ClosedRange<Int> = 0...Int(Int32.max)) throws(UserError)
    -> Int?
  {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UserError(
        .usage, "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns the range from `start` to `end` of the query. Throws ``UserError`` with the code
  /// `usage` if it is invalid.
  func passage() throws(UserError) -> TextRange {
    guard let start = try number("start"), let end = try number("end"), start <= end else {
      throw UserError(.usage, "expected start and end")
    }
    return TextRange(utf16: start..<end)
  }

  /// Decodes the body as JSON.
  ///
  /// - Throws: ``UserError`` with the code `usage` if it isn't valid or lacks a member.
  func decode<Value: Decodable>(_ type: Value.Type) throws(UserError) -> Value {
    do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
      throw UserError(.usage, "invalid request body")
    }
  }
}
