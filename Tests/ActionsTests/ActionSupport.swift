import BuiltIn
import Foundation
import Synchronization
import TestSupport
import Workspace

/// Returns a new library with the documents of a folder.
func newLibrary(in folder: WorkFolder) async throws -> Library {
  // The clock advances at each call, so that operations have different times even if several are
  // stored in a millisecond.
  let time = Mutex(Date())
  let library = try Library(
    at: LibraryLocation(folder: folder.path + "/.diple"), plugins: .builtIn, opening: .create,
    now: {
      time.withLock { time in
        time += 1
        return time
      }
    })
  _ = try await library.add([folder.path])
  return library
}
