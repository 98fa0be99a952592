import Files
import Model
import SystemSupport

/// Files among which missing documents are searched for by content, name and size. The search for
/// one document does not read all files.
final class ArrivedFiles {
  /// A candidate file.
  struct File {
    let path: String
    let stamp: FileStamp

    init?(_ path: String) {
      guard let status = try? FileSystem.status(of: path) else { return nil }
      self.path = path
      stamp = FileStamp(status, checked: FileStamp.currentTime)
    }

    /// Whether the file may have appeared at its path after `seen` was taken. Either its status
    /// changed since then, or it is the same file and its folder was renamed. Two seconds are added
    /// because some file systems have timestamps with that resolution.
    func mayHaveCome(after seen: FileStamp) -> Bool {
      stamp.ctime + 2_000_000_000 >= seen.checked
        || (stamp.inode, stamp.device) == (seen.inode, seen.device)
    }
  }

  /// The files sorted by size, then by path.
  private let files: [File]
  /// The indices of the files with each name, in the same order.
  private let namesakes: [String: [Int]]
  /// The files by their content hash, for each size whose files have been read.
  private var digests: [Int64: [ContentDigest: [Int]]] = [:]

  /// Reads the status of the files at some paths. Paths without a file are skipped. O(n log n).
  init(_ paths: some Sequence<String>) {
    files = paths.compactMap(File.init).sorted {
      ($0.stamp.size, $0.path) < ($1.stamp.size, $1.path)
    }
    namesakes = Dictionary(grouping: files.indices) { [files] in Self.name(files[$0].path) }
  }

  var isEmpty: Bool { files.isEmpty }

  private static func name(_ path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }

  /// Returns the files with the given content. All files of that size are read on the first
  /// request, and never again.
  func files(ofSize size: Int64, _ digest: ContentDigest) -> [File] {
    guard size > 0 else { return [] }
    if digests[size] == nil {
      var known: [ContentDigest: [Int]] = [:]
      for index in first(files.indices, ofAtLeast: size)..<files.count {
        guard files[index].stamp.size == size else { break }
        guard let source = try? SourceFile(reading: files[index].path) else { continue }
        known[source.digest, default: []].append(index)
      }
      digests[size] = known
    }
    return digests[size]?[digest]?.map { files[$0] } ?? []
  }

  /// Returns at most `limit` files that may contain a text of about the given size.
  ///
  /// Files with the given name are first, then the others, each sorted by the difference in size.
  /// Files with less than half or more than twice the size are excluded. O(log n + candidates).
  func likeliest(
    _ limit: Int, forName name: String, size: Int64, where isPossible: (File) -> Bool
  ) -> [File] {
    let sameName = namesakes[name] ?? []
    var found = nearest(limit, among: sameName, to: size, where: isPossible)
    found += nearest(limit - found.count, among: files.indices, to: size) {
      Self.name($0.path) != name && isPossible($0)
    }
    return found
  }

  /// The maximum number of candidates to consider for each requested file.
  private static let looks = 100

  private func nearest(
    _ limit: Int, among indices: some RandomAccessCollection<Int>, to size: Int64,
    where isPossible: (File) -> Bool
  ) -> [File] {
    func file(_ place: Int) -> File {
      files[indices[indices.index(indices.startIndex, offsetBy: place)]]
    }
    var found: [File] = []
    var high = first(indices, ofAtLeast: size)
    var low = high - 1
    var looks = Self.looks * limit
    while found.count < limit, looks > 0 {
      looks -= 1
      let below = low >= 0 ? file(low) : nil
      let above = high < indices.count ? file(high) : nil
      let next: File
      if let below, above.map({ size - below.stamp.size < $0.stamp.size - size }) ?? true {
        next = below
        low = below.stamp.size >= size / 2 ? low - 1 : -1
      } else if let above {
        next = above
        high = above.stamp.size / 2 <= size ? high + 1 : indices.count
      } else {
        break
      }
      if next.stamp.size / 2 <= size, size / 2 <= next.stamp.size, isPossible(next) {
        found.append(next)
      }
    }
    return found
  }

  /// Returns the position of the first file with at least the given size; `indices.count` if all
  /// files are smaller. O(log n).
  private func first(_ indices: some RandomAccessCollection<Int>, ofAtLeast size: Int64) -> Int {
    var (low, high) = (0, indices.count)
    while low < high {
      let middle = (low + high) / 2
      let index = indices[indices.index(indices.startIndex, offsetBy: middle)]
      if files[index].stamp.size < size { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
