import DaemonKit
import FoundationEssentials
package import Model
package import Pairing
import SystemSupport
import Workspace

/// Something that a page is told of.
package struct PageEvent: Sendable {
  /// What kinds there are.
  enum Kind: String, Sendable {
    /// How things stand, said once to each page that begins to listen.
    case state
    /// The text changed, and with it the places of highlights.
    case text
    /// Highlights or the format changed.
    case marks
    /// The file is gone, or the document was removed.
    case gone
    /// Something in the library changed.
    case library
    /// What the device that shows the page may do.
    case access
    /// The list of paired devices changed.
    case devices
  }

  private struct Data: Encodable {
    var doc: Document.ID?
    var digest: ContentDigest?
    var sequence: Int
  }

  private struct Access: Encodable {
    var mayWrite: Bool
  }

  /// The event as a page reads it.
  package let lines: String

  init(_ kind: Kind, _ document: Document.ID?, _ digest: ContentDigest?, _ sequence: Int) {
    self.init(kind, Data(doc: document, digest: digest, sequence: sequence))
  }

  /// Something about the devices; nil where a page is not told of it.
  package init?(_ event: DeviceDesk.Event) {
    switch event {
    case .revoked: return nil
    case .access(let mayWrite): self.init(.access, Access(mayWrite: mayWrite))
    case .list: self.init(.devices, [String: String]())
    }
  }

  private init(_ kind: Kind, _ data: some Encodable) {
    // None of what is told can fail to encode.
    let data = try? JSONEncoder.ordered().encode(data)
    lines = "event: \(kind.rawValue)\ndata: \(String(decoding: data ?? .init(), as: UTF8.self))\n\n"
  }
}

/// The pages that are open, and what each was told. As long as there is one, the files of their documents
/// and the library are looked at all the time; what a daemon says is taken in as well.
package actor LivePages {
  /// How long it takes until a change is seen at the latest, in milliseconds: so short because a page
  /// must follow within 300.
  private static let period = 80
  /// How long a file may be gone before pages are told: many programs take it away for a moment when
  /// they save.
  private static let absence = 240
  /// How long after a change of a file another one may leave it with the same time, with some more.
  private static let tick = 300
  /// How long a daemon is not looked for again.
  private static let daemonPause = 2_000
  /// How long the list of documents is not looked at again.
  private static let listPause = 250

  private struct Listener {
    var document: Document.ID?
    var send: @Sendable (PageEvent) -> Void
  }

  /// What is known of a document that some page shows.
  private struct Shown {
    var state: PageState?
    var path = ""
    var file: FileFingerprint?
    var goneSince: Int?
    /// When it is looked at again because it could not be read.
    var retry: Int?
    /// Whether the last look found something new, so that there is another one.
    var isNew = false
    var pause = period
  }

  private let library: Library
  private var listeners: [Int: Listener] = [:]
  private var shown: [Document.ID: Shown] = [:]
  private var lastID = 0
  /// How many changes pages were told of: what is read at one number has all that came before it.
  private(set) var sequence = 0
  /// What stands for the list of documents, and when it is looked at again.
  private var list: Int?
  private var nextList = 0
  private var isListStale = false
  private var database: [FileFingerprint?] = []
  private var watching: Task<Void, Never>?
  private var daemon: DaemonClient?
  private var nextDaemon = 0
  private var isLooking = false
  /// Whether something was changed here since the last look.
  private var hasOwnNews = false
  /// How often others stored something, and anybody did, and until when that is asked.
  private var othersMark: Int64?
  private var changeMark: Int64?
  private var askedUntil = 0

  init(_ library: Library) { self.library = library }

  // MARK: - Pages

  /// Begins to tell a page what happens to a document, or to the library.
  ///
  /// - Parameter send: is given each event, the first at once.
  /// - Returns: the page's name for `leave`.
  package func join(
    _ document: Document.ID?, send: @escaping @Sendable (PageEvent) -> Void
  ) async -> Int {
    lastID += 1
    let id = lastID
    listeners[id] = Listener(document: document, send: send)
    // Before anything is waited for, so that nothing that happens from here on is missed.
    if watching == nil { startWatching() }
    if let document {
      if shown[document]?.state == nil { await look(at: document) }
      let state = shown[document]?.state
      let isGone = state?.isPresent != true
      send(PageEvent(isGone ? .gone : .state, document, state?.text, sequence))
    } else {
      if list == nil { list = try? await library.listState() }
      send(PageEvent(.state, nil, nil, sequence))
    }
    return id
  }

  /// Ends it.
  package func leave(_ id: Int) {
    guard let document = listeners.removeValue(forKey: id)?.document else { return endIfAlone() }
    if !listeners.values.contains(where: { $0.document == document }) { shown[document] = nil }
    endIfAlone()
  }

  private func endIfAlone() {
    guard listeners.isEmpty else { return }
    watching?.cancel()
    (watching, daemon, list) = (nil, nil, nil)
  }

  /// Looks at everything at once: something was just changed here.
  func lookSoon() {
    guard !listeners.isEmpty else { return }
    hasOwnNews = true
    Task { await self.look() }
  }

  // MARK: - Watching

  private func startWatching() {
    database = fingerprints()
    watching = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(Self.period))
        await self?.look()
      }
    }
  }

  private func fingerprints() -> [FileFingerprint?] {
    let path = library.location.database
    return [FileFingerprint(path), FileFingerprint(path + "-wal")]
  }

  /// Whether the daemon says that something happened.
  private func daemonHasNews() -> Bool {
    if daemon == nil, Clock.now >= nextDaemon {
      nextDaemon = Clock.now + Self.daemonPause
      if let client = DaemonClient(library.location),
        (try? client.ask(.subscribe, timeout: 200)) != nil
      {
        daemon = client
      }
    }
    guard let daemon else { return false }
    guard let events = try? daemon.takeEvents() else {
      self.daemon = nil
      return true
    }
    return !events.isEmpty
  }

  /// Looks at what may have changed, and tells the pages.
  private func look() async {
    // What happens while one look is under way is found by the next.
    guard !isLooking, !listeners.isEmpty else { return }
    isLooking = true
    defer { isLooking = false }
    var isNews = daemonHasNews() || hasOwnNews
    hasOwnNews = false
    if await othersStored() { isNews = true }
    for id in shown.keys.sorted() where isDue(id, isNews: isNews) {
      await look(at: id)
    }
    if isNews { isListStale = true }
    await lookAtList()
  }

  /// Whether another process stored something in the library. That this one did, which every look at a
  /// file may do, is known already.
  private func othersStored() async -> Bool {
    let now = fingerprints()
    // The file's time is that of a tick of the system, in which more may be written.
    if now != database { askedUntil = Clock.now + Self.tick }
    guard now != database || othersMark == nil || Clock.now < askedUntil else { return false }
    database = now
    guard let mark = try? await library.othersMark() else { return true }
    defer { othersMark = mark }
    // What a look of this process stored is in the list, too.
    if let any = try? await library.changeMark(), any != changeMark {
      (changeMark, isListStale) = (any, true)
    }
    return mark != othersMark
  }

  /// Looks at the list of documents, not too often: it may be long.
  private func lookAtList() async {
    let readers = listeners.values.filter { $0.document == nil }
    guard isListStale, !readers.isEmpty, Clock.now >= nextList else { return }
    (isListStale, nextList) = (false, Clock.now + Self.listPause)
    guard let state = try? await library.listState() else {
      isListStale = true
      return
    }
    guard state != list else { return }
    list = state
    sequence += 1
    for reader in readers { reader.send(PageEvent(.library, nil, nil, sequence)) }
  }

  /// Whether a document is to be looked at: because of something new, or because its file is another one.
  private func isDue(_ id: Document.ID, isNews: Bool) -> Bool {
    guard var entry = shown[id], entry.state != nil else { return true }
    let file = FileFingerprint(entry.path)
    if file == nil, entry.state?.isPresent == true {
      let since = entry.goneSince ?? Clock.now
      entry.goneSince = since
      shown[id] = entry
      return Clock.now - since >= Self.absence && Clock.now >= entry.retry ?? 0
    }
    shown[id]?.goneSince = nil
    if isNews { return true }
    if let retry = entry.retry, Clock.now >= retry { return true }
    // One that could not be read has its time.
    if entry.retry != nil, !entry.isNew { return false }
    return file != entry.file
  }

  /// Looks at one document, and tells its pages what is different.
  private func look(at id: Document.ID) async {
    var entry = shown[id] ?? Shown()
    if let document = try? await library.document(id: id) {
      entry.path = library.location.absolute(document.path)
    }
    // Before it is read: what is written meanwhile is seen the next time.
    entry.file = FileFingerprint(entry.path)
    let goneSince = entry.goneSince
    entry.goneSince = nil
    guard let state = try? await library.pageState(of: id) else {
      entry.retry = Clock.now + entry.pause
      entry.pause = min(2 * entry.pause, Self.daemonPause)
      // Nothing can be shown of one that could never be read, and its pages are told so.
      entry.state = shown[id]?.state ?? .unreadable
      return keep(entry, id)
    }
    // Another look may have been faster: a page that joins has its own.
    let before = shown[id]?.state
    let since = goneSince ?? Clock.now
    if before?.isPresent == true, state.presence == .missing,
      FileFingerprint(entry.path) != nil || Clock.now - since < Self.absence
    {
      // It may be one that is just being saved.
      entry.goneSince = since
      entry.retry = Clock.now + Self.period
      return keep(entry, id)
    }
    entry.state = state
    entry.isNew = state != before
    (entry.retry, entry.pause) = (entry.isNew ? Clock.now + Self.tick : nil, Self.period)
    keep(entry, id)
    guard let before, state != before else { return }
    let kind: PageEvent.Kind =
      !state.isPresent ? .gone : state.text != before.text || !before.isPresent ? .text : .marks
    sequence += 1
    let event = PageEvent(kind, id, state.text, sequence)
    for listener in listeners.values where listener.document == id { listener.send(event) }
  }

  private func keep(_ entry: Shown, _ id: Document.ID) {
    // The last page of it may have gone meanwhile.
    if listeners.values.contains(where: { $0.document == id }) { shown[id] = entry }
  }
}
