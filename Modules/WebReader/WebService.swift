import FoundationEssentials
import Model
package import Pairing
import Storage
import Synchronization
package import SystemSupport
package import Workspace

/// What the pages of `diple serve` are answered with, whoever carries the requests here. Every answer is
/// made of the library and its files as they are when it is asked for.
package final class WebService: Sendable {
  let library: Library
  /// The name under which the library is shown.
  let name: String
  /// Which requests are listened to.
  package let gate: RequestGate
  private let desk = Mutex(LoginDesk())
  /// The devices on the network that are let in.
  package let devices: DeviceDesk
  /// The address at which a network reaches the server, as it stands in addresses; nil for none.
  let network: String?
  let port: Int
  /// Tells the person who started the server of something.
  let tell: @Sendable (Hint) -> Void
  /// What of texts pages were given.
  let bodies = Mutex(ServedBodies())
  private let files: @Sendable (String) -> [UInt8]?
  let texts = ShownTexts()
  /// The pages that are told of what happens.
  package let pages: LivePages
  /// When the pages began: what was done before is undone only where it concerns nothing else.
  private let began: Date

  /// A service over an open library.
  ///
  /// - Parameters:
  ///   - port: the one on which the server listens.
  ///   - network: the address at which a network reaches it, too, as it stands in addresses.
  ///   - files: gives the static files of the pages by their names.
  ///   - tell: tells the person who started the server of something, in one line.
  package init(
    _ library: Library, port: Int, network: String?, devices: DeviceDesk,
    files: @escaping @Sendable (String) -> [UInt8]?, tell: @escaping @Sendable (Hint) -> Void
  ) {
    (self.port, self.network, self.devices, self.tell) = (port, network, devices, tell)
    self.library = library
    self.files = files
    name = String((library.location.root ?? library.location.folder).lastComponent)
    gate = RequestGate(port: port, network: network, tag: devices.tag)
    pages = LivePages(library)
    began = .now
  }

  /// A code with which a page can log in once, in the next minute.
  package func newCode() -> String {
    var generator = SystemRandomNumberGenerator()
    return desk.withLock { $0.newCode(now: Clock.now, by: &generator) }
  }

  /// Why a request is refused, by its head alone; nil for one that `answer` may have.
  package func refusal(_ head: RequestHead, from entrance: Entrance) -> WebAnswer? {
    gate.refusal(head, from: entrance) { owner(ofToken: $0, entrance) }.map { shown($0, to: head) }
  }

  /// An answer as it is shown: a browser that asks for a page which there is not gets one that says so.
  private func shown(_ answer: WebAnswer, to head: RequestHead) -> WebAnswer {
    guard head.wantsPage,
      answer.status == 404 || answer.status == 400 && RequestTarget(head.target) == nil
    else { return answer }
    var page = staticFile("nothing.html")
    page.status = 404
    return page
  }

  /// Whom a request comes from.
  package func caller(_ head: RequestHead, from entrance: Entrance) -> Caller {
    gate.caller(head, from: entrance) { owner(ofToken: $0, entrance) }
  }

  /// Whose token something is: who is in on this machine is nobody on the network, and the reverse.
  private func owner(ofToken token: String, _ entrance: Entrance) -> Caller {
    switch entrance {
    case .machine: desk.withLock { $0.knows(token) } ? .owner : .nobody
    case .network: devices.device(withToken: token).map { .device($0) } ?? .nobody
    }
  }

  /// Answers a request that was not refused.
  package func answer(_ head: RequestHead, _ body: [UInt8], from entrance: Entrance) async
    -> WebAnswer
  {
    // A device may have lost its rights while the body came.
    if let refusal = refusal(head, from: entrance) { return refusal }
    guard let target = RequestTarget(head.target), let route = Route(head.method, target.path)
    else { return shown(.refused(404, "not found"), to: head) }
    let caller = caller(head, from: entrance)
    if let device = caller.device { devices.note(device) }
    let answer: WebAnswer
    do {
      let given = try await self.answer(route, WebInput(target.query, body), head, caller)
      answer = shown(given, to: head)
    } catch let error as UserError {
      answer = shown(.failed(error), to: head)
    } catch {
      answer = .refused(500, "the request failed: \(error)")
    }
    // What failed may have found something new in the file before.
    if head.isUnsafe { await pages.lookSoon() }
    return answer
  }

  private func answer(
    _ route: Route, _ input: WebInput, _ head: RequestHead, _ caller: Caller
  ) async throws -> WebAnswer {
    switch route {
    case .libraryPage: return staticFile("index.html")
    case .documentPage: return staticFile("document.html")
    case .highlightPage(let id): return await highlightPage(id, caller)
    case .staticFile(let name): return staticFile(name)
    case .login: return try logIn(input)
    case .logout: return logOut(head)
    case .pair: return try pair(input)
    case .devices: return try devicesAnswer()
    case .changeDevice(let id): return try changeDevice(id, input)
    case .removeDevice(let id): return try removeDevice(id)
    case .library: return try await libraryAnswer(caller)
    case .document(let id): return try await documentAnswer(id, caller)
    case .body(let id): return try await bodyAnswer(id, input)
    case .mark(let id): return try await mark(id, input)
    case .copy(let id): return try await copy(id, input)
    case .find(let id): return try await find(id, input)
    case .format(let id): return try await formatAnswer(id, input)
    case .changeFormat(let id): return try await format(id, input)
    case .highlight(let id): return try await highlightAnswer(id)
    case .changeHighlight(let id): return try await change(id, input)
    case .removeHighlight(let id): return try await remove(id)
    case .accept(let id): return try await accept(id, input)
    case .detach(let id): return try await detach(id)
    case .card(let id): return try await card(id, input)
    case .passageCard(let id): return try await passageCard(id, input)
    case .cardStyles: return cardStyles()
    case .highlights: return try await highlights(input)
    case .review: return try await review()
    case .search: return try await search(input)
    case .strategies: return strategies()
    case .undo: return try await step(.undo, input)
    case .redo: return try await step(.redo, input)
    case .events: return .events(of: try input.text("doc").map { try Self.documentID($0) })
    case .picture(let id, let path): return try await picture(id, path)
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

  /// The way to the passage of a highlight. A link in another program comes without the cookie, for that
  /// is what `SameSite=Strict` means: then the page itself asks where the highlight is.
  private func highlightPage(_ id: String, _ caller: Caller) async -> WebAnswer {
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

  /// Forgets the browser that asks, which needs another address then.
  private func logOut(_ head: RequestHead) -> WebAnswer {
    desk.withLock { desk in for token in gate.tokens(of: head, from: .machine) { desk.leave(token) }
    }
    var answer = WebAnswer(204)
    answer.fields = [
      ("Set-Cookie", "\(gate.cookieName(.machine))=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
    ]
    return answer
  }

  // MARK: - History

  private struct StepRequest: Decodable {
    var doc: String?
  }

  private struct StepAnswer: Encodable {
    var done: String
    var documents: [String]
    var kept: Int
  }

  /// What the page of a document takes back; of all where it is the page of the library.
  func scope(_ document: Document.ID?) -> SessionScope? {
    document.map { SessionScope(document: $0, began: began) }
  }

  private func step(_ kind: StepKind, _ input: WebInput) async throws -> WebAnswer {
    let scope = scope(try input.decode(StepRequest.self).doc.map { try Self.documentID($0) })
    let report = try await kind == .redo ? library.redo(in: scope) : library.undo(in: scope)
    let documents =
      report.changes.compactMap(\.report?.document.id) + report.reports.map(\.document.id)
    return .json(
      StepAnswer(
        done: report.step.summary, documents: Set(documents).sorted().map(\.description),
        kept: report.kept))
  }

  // MARK: - Names of records

  static func documentID(_ text: String) throws(UserError) -> Document.ID {
    if let id = Document.ID(text) { return id }
    throw UserError(.notFound, "no such document")
  }

  static func highlightID(_ text: String) throws(UserError) -> Highlight.ID {
    if let id = Highlight.ID(text) { return id }
    throw UserError(.notFound, "no such highlight")
  }

  /// The document with an id, unless it was removed.
  func document(_ id: String) async throws -> Document {
    let document = try await library.document(id: Self.documentID(id))
    guard document.state != .removed else {
      throw UserError(
        .notFound, "the document was removed from the library",
        hint: "\(command: "doc", "restore", .word(id)) restores it")
    }
    return document
  }
}
