import Files
import Glibc
import Model
import SystemSupport

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
    var buffer = [UInt64](repeating: 0, count: 8192)  // Aligned as the events must be.
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

  /// Handles the deletion or move of a watched folder itself. The parent reports it too, but the
  /// parents of the plan's folders may not be watched for it.
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
      // Hidden folders aren't watched, except if documents were moved out of one.
      if event.has(Int32(IN_MOVED_FROM)) { pendingRenames[event.cookie] = (path, true) }
      if event.has(Int32(IN_MOVED_TO)) { pendingRenames[event.cookie] = nil }
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
      // The intermediate name of two renames can be any name.
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
