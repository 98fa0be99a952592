import Files
import Model
import SystemSupport

/// Files that may be those of missing documents, found by their bytes, names and sizes without a look
/// at all of them for each document.
final class ArrivedFiles {
  /// One of them.
  struct File {
    let path: String
    let stamp: FileStamp

    init?(_ path: String) {
      guard let status = try? FileSystem.status(of: path) else { return nil }
      self.path = path
      stamp = FileStamp(status, checked: FileStamp.currentTime)
    }

    /// Whether it may have come to its place after a file was seen: anything about it changed since
    /// then, or it is that file, in a folder that was renamed. The clocks of some file systems tick
    /// every two seconds.
    func mayHaveCome(after seen: FileStamp) -> Bool {
      stamp.ctime + 2_000_000_000 >= seen.checked
        || (stamp.inode, stamp.device) == (seen.inode, seen.device)
    }
  }

  /// In the order of their sizes, those of one size in the order of their paths.
  private let files: [File]
  /// Those of each name, in the same order.
  private let namesakes: [String: [Int]]
  /// By size what was read of the files of that size.
  private var digests: [Int64: [ContentDigest: [Int]]] = [:]

  /// Looks at the files with some paths. O(n log n).
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

  /// The files with some bytes. Each file of that size is read once, however often it is asked for.
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

  /// The likeliest files for a text of about a size: those with its name before others, then those of
  /// the nearest sizes; none of half the size or twice it. O(log n + files that are looked at).
  func likeliest(
    _ limit: Int, forName name: String, size: Int64, where isPossible: (File) -> Bool
  ) -> [File] {
    let own = namesakes[name] ?? []
    var found = nearest(limit, among: own, to: size, where: isPossible)
    found += nearest(limit - found.count, among: files.indices, to: size) {
      Self.name($0.path) != name && isPossible($0)
    }
    return found
  }

  /// For each file that is wanted so many are looked at.
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

  /// The first place among some indices of a file that is at least so large. O(log n).
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
