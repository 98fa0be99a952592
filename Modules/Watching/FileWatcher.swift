package import Files
import Glibc
import Model
package import SystemSupport

/// Watches folders with inotify and gathers what happens to documents in them.
///
/// It owns no thread: a loop waits for `descriptor`, calls `readEvents`, and `walk` as long as
/// `isWalking`. Paths stay true when folders are renamed, and what is made in a new folder before
/// it is watched is found by looking through it afterwards.
package final class FileWatcher {
  /// Readable when something happened.
  package let descriptor: Int32
  /// What could not be watched or happened to the watching, oldest first; the caller empties it.
  package var problems: [UserError] = []
  /// Whether every folder of the plan is watched, on file systems that report every change.
  package internal(set) var isComplete = true
  /// Whether a program has closed the library since this was last set to false; it may have other
  /// documents now.
  package var libraryWasUsed = false
  /// How often the system's queue was too short.
  package internal(set) var overflows = 0

  /// How a folder is watched.
  enum Depth: Int, Comparable {
    /// Only for folders that lead to one of the plan's.
    case sentinel
    /// For the files in it.
    case folder
    /// With all below it.
    case tree
    static func < (a: Depth, b: Depth) -> Bool { a.rawValue < b.rawValue }
  }

  struct Watch {
    var path: String
    var depth: Depth
  }

  /// A folder that is to be watched and looked through.
  struct Visit {
    var path: String
    var depth: Depth
    /// Whether the files in it are new to us.
    var reports: Bool
    var rules: IgnoreRules
  }

  var plan: WatchPlan
  var watches: [Int32: Watch] = [:]
  /// Further paths of folders that are reached in two ways.
  var aliases: [Int32: [String]] = [:]
  var descriptors: [String: Int32] = [:]
  var visits: [Visit] = []
  var nextVisit = 0
  /// The patterns that hold in a folder with a list of its own.
  var rules: [String: IgnoreRules] = [:]
  var baseRules: IgnoreRules
  var changes = FileChanges()
  /// The first halves of renames whose second halves have not come, by their cookies.
  var pendingRenames: [UInt32: (path: String, isFolder: Bool)] = [:]
  private var ownNumber: Int32?
  /// Whether folders were left that may lead to one of the plan's.
  private var lostSentinels = false
  private var saidPaths: Set<String> = []

  /// Opens a watcher that watches nothing yet.
  ///
  /// - Throws: `conflict` when the person has too many watchers; the hint names the setting.
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

  /// The kernel's limits, by the names of the settings.
  enum Limit: String {
    case queue = "fs.inotify.max_queued_events"
    case instances = "fs.inotify.max_user_instances"
    case watches = "fs.inotify.max_user_watches"

    /// The setting that holds in a namespace of users, beside that for all.
    private var inNamespace: String? {
      switch self {
      case .queue: nil
      case .instances: "user.max_inotify_instances"
      case .watches: "user.max_inotify_watches"
      }
    }

    /// What suffices for most people.
    private var ample: Int {
      switch self {
      case .queue: 1 << 16
      case .instances: 512
      case .watches: 1 << 19
      }
    }

    /// What to do about it: a command line.
    var advice: Hint {
      let settings = [rawValue, inNamespace].compactMap { $0 }.compactMap { name in
        let path = "/proc/sys/" + name.split(separator: ".").joined(separator: "/")
        return (try? String(contentsOfSmallFile: path)).flatMap { Int($0) }.map { (name, $0) }
      }
      // The lower one is in the way.
      guard let (name, value) = settings.min(by: { $0.1 < $1.1 }) else {
        return "`sudo sysctl \(rawValue)=\(ample)` raises it"
      }
      let more = max(ample, 2 * min(value, 1 << 29))
      return "`sudo sysctl \(name)=\(more)` raises it from \(value)"
    }
  }

  /// How many folders are watched.
  package var folderCount: Int { watches.count }

  /// Whether there are folders that must still be looked through.
  package var isWalking: Bool { nextVisit < visits.count }

  /// What has happened since the last `take`.
  package var pending: FileChanges { changes }

  /// Whether nothing has.
  package var isQuiet: Bool { changes.isEmpty && pendingRenames.isEmpty && !isWalking }

  /// What is watched.
  package var currentPlan: WatchPlan { plan }

  /// Watches what a plan says from now on. The folders are visited by `walk`.
  ///
  /// - Parameter reporting: whether files in folders that were not watched before are changes.
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

  /// Forgets the patterns and visits all folders again.
  package func reload(rules: IgnoreRules) {
    baseRules = rules
    self.rules = [:]
    saidPaths = []
    tryAgain()
  }

  /// Visits all folders again, to watch those that could not be watched before.
  package func tryAgain() {
    isComplete = true
    follow(plan, reporting: false)
  }

  /// Gives what happened, and starts over.
  package func take() -> FileChanges {
    for (_, rename) in pendingRenames {
      changes.files.insert(rename.path)
      guard rename.isFolder else { continue }
      changes.folders.insert(rename.path)
      // Moved out of sight: what happens there is no longer ours to see.
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

  /// Visits waiting folders, at most `limit` of them, so that the caller can do other things too.
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
    // A folder that is watched and was looked through for the same purpose need not be again.
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
    } catch { say(error, about: visit.path) }
  }

  /// Ends the watches of a folder that was watched and is ignored now, but not those that the plan
  /// has of their own.
  private func leave(_ path: String) {
    guard descriptors[path] != nil else { return }
    forget(below: path, except: plan.trees.union(plan.folders))
    lostSentinels = true
  }

  /// Sets a watch, or deepens one. Gives whether the folder is watched now.
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
      // The same folder by another name: a mount, or a folder that a link leads to.
      if !aliases[number, default: []].contains(path) { aliases[number, default: []].append(path) }
      watches[number]?.depth = max(known.depth, depth)
    } else {
      watches[number] = Watch(path: path, depth: max(depth, watches[number]?.depth ?? depth))
    }
    descriptors[path] = number
    return true
  }

  /// Says why a folder cannot be watched.
  private func refuse(_ path: String) {
    switch errno {
    case ENOENT, ENOTDIR: return  // It is gone again; its folder will say so.
    case ENOSPC, ENOMEM:
      isComplete = false
      let isNews = say(
        UserError(
          .conflict,
          "only \(watches.count.counted("folder")) can be watched; the others are "
            + "checked from time to time", hint: Limit.watches.advice), about: "")
      if isNews { changes.rescan = .unwatched }
      // Trying thousands of others would only fail as often.
      nextVisit = visits.count
    default:
      isComplete = false
      say(FileSystem.systemError("watch", path), about: path)
    }
  }

  /// Remembers a problem, once for each path. Gives whether it is a new one.
  @discardableResult
  private func say(_ error: UserError, about path: String) -> Bool {
    let isNews = saidPaths.insert(path).inserted
    if isNews { problems.append(error) }
    return isNews
  }

  /// Watches the nearest folder above each of the plan's, to see it return when it goes away.
  func placeSentinels() {
    for path in plan.trees.union(plan.folders) where path != "/" {
      var folder = path.parentFolder
      while !watch(folder, .sentinel), folder != "/" { folder = folder.parentFolder }
    }
  }

  /// Programs that have used the library are noticed when they close it.
  private func watchOwnFolder() {
    let number = inotify_add_watch(descriptor, plan.ownFolder, UInt32(IN_CLOSE_WRITE))
    ownNumber = number >= 0 ? number : nil
    if number < 0 { refuse(plan.ownFolder) }
  }

  /// Takes in an event of the library's own folder.
  func isOwn(_ number: Int32, _ name: String) -> Bool {
    guard number == ownNumber else { return false }
    if name.hasPrefix("library.sqlite") { libraryWasUsed = true }
    return true
  }

  /// Changes that another machine makes are not reported here.
  private func checkFileSystems() {
    let mounts = MountTable()
    for path in plan.trees.union(plan.folders) {
      guard let type = mounts.type(of: path), MountTable.isRemote(type) else { continue }
      isComplete = false
      say(
        UserError(
          .conflict,
          "\(path) is on a file system of type \(type), which may not report all changes; "
            + "it is checked from time to time"), about: "remote " + path)
    }
  }
}
