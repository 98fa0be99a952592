import DaemonKit
import FoundationEssentials
package import Model
package import Pairing
import SystemSupport
import Workspace

/// An event for a page.
package struct PageEvent: Sendable {
  /// The kinds of events.
  enum Kind: String, Sendable {
    /// The current state, sent once to each new page.
    case state
    /// The text changed, and with it the ranges of highlights.
    case text
    /// Highlights or the format changed.
    case marks
    /// The file is missing, or the document was removed.
    case gone
    /// The list of documents, or data shown with it, changed.
    case library
    /// The permission of the device that displays the page changed.
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

  /// The event in the format of `text/event-stream`.
  package let lines: String

  init(_ kind: Kind, _ document: Document.ID?, _ digest: ContentDigest?, _ sequence: Int) {
    self.init(kind, Data(doc: document, digest: digest, sequence: sequence))
  }

  /// Creates the event for a change of devices. Returns nil for a revocation, which ends the
  /// connection instead.
  package init?(_ event: DeviceSessions.Event) {
    switch event {
    case .revoked: return nil
    case .access(let mayWrite): self.init(.access, Access(mayWrite: mayWrite))
    case .list: self.init(.devices, [String: String]())
    }
  }

  private init(_ kind: Kind, _ data: some Encodable) {
    // These values can always be encoded.
    let data = try? JSONEncoder.ordered().encode(data)
    lines = "event: \(kind.rawValue)\ndata: \(String(decoding: data ?? .init(), as: UTF8.self))\n\n"
  }
}

/// The open pages and the state that was sent to each. While pages are open, the actor follows the
/// changes of the library and of the files of the displayed documents.
package actor LivePages {
  /// The interval of checks in milliseconds while a file or the list of documents has to be checked
  /// again. Pages must show a change within 300 ms.
  private static let period = 80
  /// The interval of checks in milliseconds at other times. Changes that the kernel did not report
  /// are shown after at most this time.
  private static let idlePeriod = 2_000
  /// The time in milliseconds for which a file must be missing before pages are notified. Many
  /// programs delete a file for a moment when they save it.
  private static let absence = 240
  /// How often a missing file is checked again before pages are notified. The regular checks are
  /// far apart on a busy machine, so they can find a file missing during two different saves.
  private static let lastChecks = 10
  /// The time in milliseconds within which a second change of a file can leave its modification
  /// time the same, with a margin.
  private static let tick = 300
  /// The maximum time in milliseconds between two attempts to read a file.
  private static let longestPause = 2_000
  /// The minimum time in milliseconds between two checks of the list of documents.
  private static let listPause = 250

  private struct Subscriber {
    var document: Document.ID?
    var send: @Sendable (PageEvent) -> Void
  }

  /// The state of a displayed document.
  private struct Shown {
    var state: PageState?
    var path = ""
    var file: FileFingerprint?
    var goneSince: Int?
    /// The time of the next attempt after the file couldn't be read.
    var retry: Int?
    /// Whether the last check found a change, so that another check follows.
    var isNew = false
    var pause = period
  }

  private let library: Library
  private var listeners: [Int: Subscriber] = [:]
  private var shown: [Document.ID: Shown] = [:]
  private var lastID = 0
  /// The number of changes sent to pages. Data read at some number includes all changes up to it.
  private(set) var sequence = 0
  /// The number that identifies the state of the list of documents, and the time in milliseconds
  /// from which on the list can be checked again.
  private var list: Int?
  private var nextList = 0
  private var isListStale = false
  private var watching: Task<Void, Never>?
  private var feed: ChangeFeed?
  private var isLooking = false
  /// Whether a check must follow the running one.
  private var mustLook = false
  /// The changes since the last check: in the library, and in files.
  private var hasChanges = false
  private var changedFiles: Set<String> = []
  /// The change counters of other processes and of all processes.
  private var dataVersion: Int64?
  private var changeCounter: Int64?

  init(_ library: Library) { self.library = library }

  // MARK: - Pages

  /// Starts to send the events of a document, or of the library if `document` is nil.
  ///
  /// - Parameter send: Called with each event; the first call is before this function returns.
  /// - Returns: The identifier for `leave(_:)`.
  package func join(
    _ document: Document.ID?, send: @escaping @Sendable (PageEvent) -> Void
  ) async -> Int {
    lastID += 1
    let id = lastID
    listeners[id] = Subscriber(document: document, send: send)
    // Start before the first suspension, so that no later change is missed.
    if watching == nil { startWatching() }
    if let document {
      if shown[document]?.state == nil { await checkForChanges(at: document) }
      let state = shown[document]?.state
      let isGone = state?.isPresent != true
      send(PageEvent(isGone ? .gone : .state, document, state?.text, sequence))
    } else {
      if list == nil { list = try? await library.listState() }
      send(PageEvent(.state, nil, nil, sequence))
    }
    return id
  }

  /// Stops the events for an identifier of `join(_:send:)`.
  package func leave(_ id: Int) {
    guard let document = listeners.removeValue(forKey: id)?.document else { return endIfAlone() }
    if !listeners.values.contains(where: { $0.document == document }) { shown[document] = nil }
    endIfAlone()
  }

  private func endIfAlone() {
    guard listeners.isEmpty else { return }
    watching?.cancel()
    (watching, feed, list) = (nil, nil, nil)
  }

  /// Schedules a check at once, after this process has made a change.
  func scheduleCheck() {
    guard !listeners.isEmpty else { return }
    hasChanges = true
    Task { await self.checkForChanges() }
  }

  // MARK: - Watching

  private func startWatching() {
    feed = ChangeFeed(library.location)
    watching = Task { [weak self] in
      while !Task.isCancelled, let change = await self?.nextChange() {
        await self?.checkForChanges(change)
      }
    }
  }

  /// Waits for changes until the next check; nil after the last page was closed.
  private func nextChange() async -> LibraryChange? {
    guard let feed else { return nil }
    let isBusy =
      isListStale || shown.values.contains { $0.goneSince != nil || $0.retry != nil }
    let period = isBusy ? Self.period : Self.idlePeriod
    return await feed.next(upTo: .milliseconds(period)) ?? LibraryChange()
  }

  /// Checks for changes and notifies the pages. If a check is running, it is repeated instead.
  ///
  /// - Parameter change: The changes that the feed has reported.
  private func checkForChanges(_ change: LibraryChange = LibraryChange()) async {
    changedFiles.formUnion(change.files)
    hasChanges = hasChanges || !change.events.isEmpty
    mustLook = true
    if isLooking { return }
    isLooking = true
    defer { isLooking = false }
    while mustLook, !listeners.isEmpty {
      mustLook = false
      await checkOnce()
    }
  }

  private func checkOnce() async {
    let changedFiles = self.changedFiles
    var hasChanges = self.hasChanges
    (self.hasChanges, self.changedFiles) = (false, [])
    if await othersStored() { hasChanges = true }
    for id in shown.keys.sorted() {
      let isNamed = changedFiles.contains(shown[id]?.path ?? "")
      if isDue(id, hasChanges: hasChanges || isNamed) { await checkForChanges(at: id) }
    }
    if hasChanges { isListStale = true }
    await checkList()
  }

  /// Returns whether another process has changed the library. Changes by this process, which every
  /// check of a file can make, are already known.
  private func othersStored() async -> Bool {
    guard let mark = try? await library.dataVersion() else { return true }
    defer { dataVersion = mark }
    // Changes by this process affect the list too.
    if let any = try? await library.changeCounter(), any != changeCounter {
      (changeCounter, isListStale) = (any, true)
    }
    return mark != dataVersion
  }

  /// Checks the list of documents, at limited intervals because it may be long.
  private func checkList() async {
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

  /// Returns whether to check a document: there were changes, or its file is different.
  private func isDue(_ id: Document.ID, hasChanges: Bool) -> Bool {
    guard var entry = shown[id], entry.state != nil else { return true }
    let file = FileFingerprint(entry.path)
    if file == nil, entry.state?.isPresent == true {
      let since = entry.goneSince ?? Clock.now
      entry.goneSince = since
      shown[id] = entry
      return Clock.now - since >= Self.absence && Clock.now >= entry.retry ?? 0
    }
    shown[id]?.goneSince = nil
    if hasChanges { return true }
    if let retry = entry.retry, Clock.now >= retry { return true }
    // An unreadable file is retried only at the scheduled time.
    if entry.retry != nil, !entry.isNew { return false }
    return file != entry.file
  }

  /// Checks one document and notifies its pages of changes.
  private func checkForChanges(at id: Document.ID) async {
    var entry = shown[id] ?? Shown()
    if let document = try? await library.document(id: id) {
      entry.path = library.location.absolute(document.path)
    }
    // Get the status before reading, so that a concurrent write is noticed the next time.
    entry.file = FileFingerprint(entry.path)
    let goneSince = entry.goneSince
    entry.goneSince = nil
    guard let state = try? await library.pageState(of: id) else {
      entry.retry = Clock.now + entry.pause
      entry.pause = min(2 * entry.pause, Self.longestPause)
      // If a document was never readable, its pages are notified of that.
      entry.state = shown[id]?.state ?? .unreadable
      return keep(entry, id)
    }
    // Another check, for a page that was opened meanwhile, may have changed the state.
    let before = shown[id]?.state
    let since = goneSince ?? Clock.now
    if before?.isPresent == true, state.presence == .missing,
      await !staysMissing(entry.path, since: since)
    {
      // A program may be saving the file, so check again before the pages are notified.
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

  private func staysMissing(_ path: String, since: Int) async -> Bool {
    guard Clock.now - since >= Self.absence else { return false }
    for _ in 0..<Self.lastChecks {
      guard FileFingerprint(path) == nil else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return FileFingerprint(path) == nil
  }

  private func keep(_ entry: Shown, _ id: Document.ID) {
    // The last page of the document may have been closed meanwhile.
    guard listeners.values.contains(where: { $0.document == id }) else { return }
    shown[id] = entry
    feed?.follow(Set(shown.values.map(\.path)))
  }
}
