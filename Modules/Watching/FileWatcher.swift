package import Files
import Glibc
import Model
package import SystemSupport

/// Watches folders with inotify and collects the changes of documents in them.
///
/// ```swift
/// let watcher = try FileWatcher()
/// watcher.follow(plan, reporting: false)
/// while watcher.isWalking { watcher.walk() }
/// // When `watcher.descriptor` is readable:
/// watcher.readEvents()
/// let changes = watcher.take()
/// ```
///
/// The watcher has no thread: the caller polls `descriptor` and calls the functions. Paths stay
/// correct when folders are renamed. Files created in a new folder before it is watched are found
/// by walking it afterwards.
package final class FileWatcher {
  /// The inotify descriptor, readable when there are events.
  package let descriptor: Int32
  /// The folders that couldn't be watched and other problems, oldest first. The caller removes
  /// them.
  package var problems: [UserError] = []
  /// Whether all of the plan's folders are watched and their file systems report all changes.
  package internal(set) var isComplete = true
  /// Whether another program has closed the library since this was last set to false. The library
  /// may have other documents then.
  package var libraryWasUsed = false
  /// The number of overflows of the kernel's event queue.
  package internal(set) var overflows = 0

  /// The extent to which a folder is watched.
  enum Depth: Int, Comparable {
    /// Only to see whether a folder of the plan is created in it.
    case sentinel
    /// The files in the folder.
    case folder
    /// The folder and everything below it.
    case tree
    static func < (a: Depth, b: Depth) -> Bool { a.rawValue < b.rawValue }
  }

  struct Watch {
    var path: String
    var depth: Depth
  }

  /// A folder to watch and walk.
  struct Visit {
    var path: String
    var depth: Depth
    /// Whether to report the files in it as changes.
    var reports: Bool
    var rules: IgnoreRules
  }

  var plan: WatchPlan
  var watches: [Int32: Watch] = [:]
  /// Additional paths of folders that have more than one path.
  var aliases: [Int32: [String]] = [:]
  var descriptors: [String: Int32] = [:]
  var visits: [Visit] = []
  var nextVisit = 0
  /// The ignore patterns of each folder with a `.gitignore`.
  var rules: [String: IgnoreRules] = [:]
  var baseRules: IgnoreRules
  var changes = FileChanges()
  /// Renames of which only the first half was received, by their cookies.
  var pendingRenames: [UInt32: (path: String, isFolder: Bool)] = [:]
  private var ownNumber: Int32?
  /// Whether removed watches may have included sentinels of the plan's folders.
  private var lostSentinels = false
  private var reportedPaths: Set<String> = []

  /// Creates a watcher without watches.
  ///
  /// - Throws: ``UserError`` with the code `conflict` if the user has too many watchers. The hint
  ///   names the kernel setting.
  package init(rules: IgnoreRules = IgnoreRules()) throws(UserError) {
    baseRules = rules
    plan = WatchPlan(documents: [], ownFolder: "/", root: nil, home: nil)
    plan.trees = []
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw UserError(
        .conflict, "files cannot be watched: \(String(cString: strerror(errno)))",
        hint: errno == EMFILE ? Limit.instances.advice : nil)
    }
  }

  deinit { close(descriptor) }

  /// The kernel's limits. The raw value is the name of the setting.
  enum Limit: String {
    case queue = "fs.inotify.max_queued_events"
    case instances = "fs.inotify.max_user_instances"
    case watches = "fs.inotify.max_user_watches"

    /// The name of the setting that limits a user namespace, in addition to the global one.
    private var inNamespace: String? {
      switch self {
      case .queue: nil
      case .instances: "user.max_inotify_instances"
      case .watches: "user.max_inotify_watches"
      }
    }

    /// The recommended value.
    private var ample: Int {
      switch self {
      case .queue: 1 << 16
      case .instances: 512
      case .watches: 1 << 19
      }
    }

    /// A command line that raises the limit.
    var advice: Hint {
      let settings = [rawValue, inNamespace].compactMap { $0 }.compactMap { name in
        let path = "/proc/sys/" + name.split(separator: ".").joined(separator: "/")
        return (try? String(contentsOfSmallFile: path)).flatMap { Int($0) }.map { (name, $0) }
      }
      // The lower of the two values is the effective limit.
      guard let (name, value) = settings.min(by: { $0.1 < $1.1 }) else {
        return "`sudo sysctl \(rawValue)=\(ample)` raises it"
      }
      let more = max(ample, 2 * min(value, 1 << 29))
      return "`sudo sysctl \(name)=\(more)` raises it from \(value)"
    }
  }

  /// The number of watched folders.
  package var folderCount: Int { watches.count }

  /// Whether there are folders that have to be walked.
  package var isWalking: Bool { nextVisit < visits.count }

  /// The changes since the last `take()`.
  package var pending: FileChanges { changes }

  /// Whether there are no changes, incomplete renames or folders to walk.
  package var isQuiet: Bool { changes.isEmpty && pendingRenames.isEmpty && !isWalking }

  package var currentPlan: WatchPlan { plan }

  /// Sets the plan. `walk(limit:)` sets the watches.
  ///
  /// - Parameter reporting: whether to report the files in newly watched folders as changes.
  package func follow(_ plan: WatchPlan, reporting: Bool) {
    let old = self.plan
    self.plan = plan
    for tree in plan.trees.sorted() where !reporting || !old.trees.contains(tree) {
      visit(tree, .tree, reports: reporting, rules: baseRules)
    }
    for folder in plan.folders.sorted() where !reporting || !old.folders.contains(folder) {
      visit(folder, .folder, reports: reporting, rules: baseRules)
    }
    placeSentinels()
    watchOwnFolder()
    checkFileSystems()
  }

  /// Sets the base ignore rules and visits all folders again to read their patterns.
  package func reload(rules: IgnoreRules) {
    baseRules = rules
    self.rules = [:]
    reportedPaths = []
    tryAgain()
  }

  /// Visits all folders again, to watch folders that couldn't be watched before.
  package func tryAgain() {
    isComplete = true
    follow(plan, reporting: false)
  }

  /// Returns the changes since the last call and clears them. A rename without its second half
  /// counts as a deletion.
  package func take() -> FileChanges {
    for (_, rename) in pendingRenames {
      changes.files.insert(rename.path)
      guard rename.isFolder else { continue }
      changes.folders.insert(rename.path)
      // The folder was moved to a folder that isn't watched, so remove the watches in it.
      if access(rename.path, F_OK) != 0 { forget(below: rename.path) }
    }
    pendingRenames = [:]
    defer { changes = FileChanges() }
    return changes
  }

  // MARK: - Watches

  func visit(_ path: String, _ depth: Depth, reports: Bool, rules: IgnoreRules) {
    visits.append(Visit(path: path, depth: depth, reports: reports, rules: rules))
  }

  /// Visits at most `limit` of the waiting folders, so that the caller can do other work in
  /// between.
  package func walk(limit: Int = 256) {
    let end = min(visits.count, nextVisit + limit)
    while nextVisit < end {
      nextVisit += 1
      enter(visits[nextVisit - 1])
    }
    if nextVisit >= visits.count {
      visits = []
      nextVisit = 0
      if lostSentinels { placeSentinels() }
      lostSentinels = false
    }
  }

  private func enter(_ visit: Visit) {
    let isNew = descriptors[visit.path] == nil
    guard watch(visit.path, visit.depth) else { return }
    // Walk a folder that is watched only for its files if it is new and its files are reported.
    if visit.depth == .folder && !(visit.reports && isNew) { return }
    var rules = visit.rules
    let list = visit.path.appending(".gitignore")
    if let text = try? String(contentsOfSmallFile: list) {
      rules.add(text, below: visit.path)
      self.rules[visit.path] = rules
    } else {
      self.rules[visit.path] = nil
    }
    if visit.reports { changes.folders.insert(visit.path) }
    do {
      try FolderScan.forEachEntry(of: visit.path) { name, type in
        if name.hasPrefix(".") { return }
        let path = visit.path.appending(name)
        switch FolderScan.kind(of: type, at: path) {
        case .folder where visit.depth == .tree:
          if path == plan.ownFolder { return }
          if rules.ignore(path, isFolder: true) { return leave(path) }
          self.visit(path, .tree, reports: visit.reports, rules: rules)
        case .file where visit.reports && FolderScan.isMarkdown(name):
          if rules.ignore(path, isFolder: false) { return }
          changes.files.insert(path)
          changes.arrivals.insert(path)
        default: break
        }
      }
    } catch { report(error, about: visit.path) }
  }

  /// Removes the watches below a folder that is ignored now, except those for the plan's folders.
  private func leave(_ path: String) {
    guard descriptors[path] != nil else { return }
    forget(below: path, except: plan.trees.union(plan.folders))
    lostSentinels = true
  }

  /// Sets or extends a watch. Returns whether the folder is watched.
  @discardableResult
  func watch(_ path: String, _ depth: Depth) -> Bool {
    if let known = descriptors[path], let watch = watches[known], watch.depth >= depth {
      return true
    }
    var mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
    if depth > .sentinel {
      mask |= UInt32(
        IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
          | IN_EXCL_UNLINK)
    }
    let number = inotify_add_watch(descriptor, path, mask | UInt32(IN_MASK_ADD))
    guard number >= 0 else {
      if depth > .sentinel || errno == ENOSPC { refuse(path) }
      return false
    }
    if let known = watches[number], known.path != path {
      // The same folder by another path: a mount, or the target of a symbolic link.
      if !aliases[number, default: []].contains(path) { aliases[number, default: []].append(path) }
      watches[number]?.depth = max(known.depth, depth)
    } else {
      watches[number] = Watch(path: path, depth: max(depth, watches[number]?.depth ?? depth))
    }
    descriptors[path] = number
    return true
  }

  /// Reports why a folder can't be watched, by `errno`.
  private func refuse(_ path: String) {
    switch errno {
    case ENOENT, ENOTDIR: return  // Its parent folder reports the deletion.
    case ENOSPC, ENOMEM:
      isComplete = false
      let isNew = report(
        UserError(
          .conflict,
          "only \(watches.count.counted("folder")) can be watched; the others are "
            + "checked from time to time", hint: Limit.watches.advice), about: "")
      if isNew { changes.rescan = .unwatched }
      // Don't try the other folders, which would fail too.
      nextVisit = visits.count
    default:
      isComplete = false
      report(FileSystem.systemError("watch", path), about: path)
    }
  }

  /// Adds a problem unless one was added for the same path. Returns whether it was added.
  @discardableResult
  private func report(_ error: UserError, about path: String) -> Bool {
    let isNew = reportedPaths.insert(path).inserted
    if isNew { problems.append(error) }
    return isNew
  }

  /// Watches the nearest existing folder above each of the plan's folders, to notice when it is
  /// created again.
  func placeSentinels() {
    for path in plan.trees.union(plan.folders) where path != "/" {
      var folder = path.parentFolder
      while !watch(folder, .sentinel), folder != "/" { folder = folder.parentFolder }
    }
  }

  /// Watches the library's folder, to notice when other programs close the library.
  private func watchOwnFolder() {
    let number = inotify_add_watch(descriptor, plan.ownFolder, UInt32(IN_CLOSE_WRITE))
    ownNumber = number >= 0 ? number : nil
    if number < 0 { refuse(plan.ownFolder) }
  }

  /// Handles an event in the library's folder. Returns false if it is in another folder.
  func isOwn(_ number: Int32, _ name: String) -> Bool {
    guard number == ownNumber else { return false }
    if name.hasPrefix("library.sqlite") { libraryWasUsed = true }
    return true
  }

  /// Reports folders on network file systems, which don't report changes by other machines.
  private func checkFileSystems() {
    let mounts = MountTable()
    for path in plan.trees.union(plan.folders) {
      guard let type = mounts.type(of: path), MountTable.isRemote(type) else { continue }
      isComplete = false
      report(
        UserError(
          .conflict,
          "\(path) is on a file system of type \(type), which may not report all changes; "
            + "it is checked from time to time"), about: "remote " + path)
    }
  }
}

extension FileWatcher {
  /// An inotify event.
  private struct Event {
    var watch: Int32
    var mask: UInt32
    var cookie: UInt32
    var name: String

    func has(_ flag: Int32) -> Bool { mask & UInt32(bitPattern: flag) != 0 }
  }

  /// Reads and processes all queued events. O(events).
  ///
  /// - Returns: whether an event changed `pending`, or is the first or second half of a rename.
  @discardableResult
  package func readEvents() -> Bool {
    let before = (changes.count, changes.renames.count, pendingRenames.count)
    var buffer = [UInt64](repeating: 0, count: 8192)  // Aligned for `inotify_event`.
    while true {
      let size = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if size < 0 && errno == EINTR { continue }
      guard size > 0 else { break }
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        while offset < size {
          let head = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let start = offset + MemoryLayout<inotify_event>.size
          let name = bytes[start..<start + Int(head.len)].prefix { $0 != 0 }
          offset = start + Int(head.len)
          take(
            Event(
              watch: head.wd, mask: head.mask, cookie: head.cookie,
              name: String(decoding: name, as: UTF8.self)))
        }
      }
    }
    return (changes.count, changes.renames.count, pendingRenames.count) != before
  }

  private func take(_ event: Event) {
    if event.has(Int32(IN_Q_OVERFLOW)) {
      overflows += 1
      pendingRenames = [:]
      changes.rescan = .overflow
      problems.append(
        UserError(
          .conflict, "the event queue overflowed; all files are checked again",
          hint: Limit.queue.advice))
      // New folders may have been missed.
      follow(plan, reporting: false)
      return
    }
    if isOwn(event.watch, event.name) { return }
    guard let watch = watches[event.watch] else { return }
    let paths = [watch.path] + (aliases[event.watch] ?? [])
    if event.has(Int32(IN_IGNORED)) {
      watches[event.watch] = nil
      aliases[event.watch] = nil
      for path in paths where descriptors[path] == event.watch { descriptors[path] = nil }
      return
    }
    for path in paths { take(event, in: path, watch.depth) }
  }

  private func take(_ event: Event, in folder: String, _ depth: Depth) {
    if event.has(Int32(IN_UNMOUNT)) {
      changes.rescan = .unmount
      // Watch the folders again, because the files below the mount point are visible now.
      follow(plan, reporting: false)
    } else if event.name.isEmpty {
      takeSelf(event, folder)
    } else if event.has(Int32(bitPattern: UInt32(IN_ISDIR))) {
      takeFolder(event, folder.appending(event.name), depth)
    } else if depth > .sentinel {
      takeFile(event, folder.appending(event.name))
    }
  }

  /// Handles the deletion or move of a watched folder itself. A parent folder that is watched as a
  /// sentinel doesn't report it.
  private func takeSelf(_ event: Event, _ folder: String) {
    guard event.has(Int32(IN_DELETE_SELF)) || event.has(Int32(IN_MOVE_SELF)) else { return }
    guard plan.trees.contains(folder) || plan.folders.contains(folder) else { return }
    changes.folders.insert(folder)
    if event.has(Int32(IN_MOVE_SELF)) { forget(below: folder) }
    placeSentinels()
  }

  private func takeFolder(_ event: Event, _ path: String, _ depth: Depth) {
    let comes = event.has(Int32(IN_CREATE)) || event.has(Int32(IN_MOVED_TO))
    if comes { revisitPlan(below: path) }
    guard depth == .tree, !path.lastComponent.hasPrefix("."), path != plan.ownFolder else {
      // Do not walk a new hidden folder. A folder that was moved away may have contained documents,
      // and so may a folder that gets a hidden name.
      if event.has(Int32(IN_MOVED_FROM)) { pendingRenames[event.cookie] = (path, true) }
      if event.has(Int32(IN_MOVED_TO)), let from = pendingRenames.removeValue(forKey: event.cookie)
      {
        changes.renames.append(.init(from: from.path, to: path))
        changes.folders.insert(from.path)
        forget(below: from.path)
      }
      return
    }
    if event.has(Int32(IN_MOVED_FROM)) {
      pendingRenames[event.cookie] = (path, true)
    } else if comes {
      if event.has(Int32(IN_MOVED_TO)), let from = pendingRenames.removeValue(forKey: event.cookie)
      {
        changes.renames.append(.init(from: from.path, to: path))
        changes.folders.formUnion([from.path, path])
        rewrite(from.path, to: path)
      }
      let rules = rules(in: path.parentFolder)
      guard !rules.ignore(path, isFolder: true) else { return }
      changes.folders.insert(path)
      // Walk the folder to find files that were created before it was watched.
      visit(path, .tree, reports: true, rules: rules)
    } else if event.has(Int32(IN_DELETE)) {
      changes.folders.insert(path)
    }
  }

  private func takeFile(_ event: Event, _ path: String) {
    if path.lastComponent == ".gitignore" {
      let folder = path.parentFolder
      let above = folder == "/" ? baseRules : rules(in: folder.parentFolder)
      visit(folder, .tree, reports: false, rules: above)
    }
    let matters = matters(path)
    if event.has(Int32(IN_MOVED_FROM)) {
      // If a file is renamed twice, its intermediate name can be any name.
      let isLink = !matters && changes.renames.contains { $0.to == path }
      if matters || isLink { pendingRenames[event.cookie] = (path, false) }
      if matters { note(path) }
      return
    }
    if event.has(Int32(IN_MOVED_TO)), let from = pendingRenames.removeValue(forKey: event.cookie) {
      changes.renames.append(.init(from: from.path, to: path))
    }
    guard matters else { return }
    note(path, arrives: event.has(Int32(IN_CREATE)) || event.has(Int32(IN_MOVED_TO)))
  }

  /// Returns whether the file at a path may be a document.
  private func matters(_ path: String) -> Bool {
    FolderScan.isUsual(path) || plan.unusualFiles.contains(path) || plan.links[path] != nil
  }

  private func note(_ path: String, arrives: Bool = false) {
    changes.files.insert(path)
    for link in plan.links[path] ?? [] { changes.files.insert(link) }
    if arrives, FolderScan.isUsual(path),
      !rules(in: path.parentFolder).ignore(path, isFolder: false)
    {
      changes.arrivals.insert(path)
    }
  }

  /// Returns the ignore patterns that apply in a folder.
  private func rules(in folder: String) -> IgnoreRules {
    var current = folder
    while true {
      if let found = rules[current] { return found }
      if current == "/" { return baseRules }
      current = current.parentFolder
    }
  }

  /// Visits the plan's folders that are equal to, or below, a folder that appeared.
  private func revisitPlan(below path: String) {
    for (folders, depth) in [(plan.trees, Depth.tree), (plan.folders, .folder)] {
      for folder in folders where folder == path || folder.isBelow(path) {
        changes.folders.insert(folder)
        visit(folder, depth, reports: true, rules: baseRules)
      }
    }
    if plan.trees.union(plan.folders).contains(where: { $0.isBelow(path) }) { placeSentinels() }
  }

  // MARK: - Renamed folders

  /// Updates the paths of the watches in a renamed folder. A watch stays with its folder when it is
  /// renamed. O(watches).
  private func rewrite(_ from: String, to: String) {
    let rename = FileChanges.Rename(from: from, to: to)
    for (path, number) in descriptors where path == from || path.isBelow(from) {
      let new = rename.applied(to: path)
      descriptors[path] = nil
      descriptors[new] = number
      if watches[number]?.path == path { watches[number]?.path = new }
      aliases[number] = aliases[number]?.map { $0 == path ? new : $0 }
    }
    // The visit that follows reads the patterns again, relative to the new path.
    rules = rules.filter { $0.key != from && !$0.key.isBelow(from) }
  }

  /// Removes the watches of a folder and everything below it. O(watches).
  func forget(below folder: String, except kept: Set<String> = []) {
    for (path, number) in descriptors where path == folder || path.isBelow(folder) {
      if kept.contains(path) { continue }
      descriptors[path] = nil
      inotify_rm_watch(descriptor, number)
    }
  }
}
