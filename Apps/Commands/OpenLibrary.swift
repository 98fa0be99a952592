import BuiltIn
import Workspace

/// Opens a library with the strategies that come with Diple.
func openLibrary(at location: LibraryLocation, opening: Library.Opening) throws -> Library {
  try Library(at: location, plugins: .builtIn, opening: opening)
}
