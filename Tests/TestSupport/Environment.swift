import Glibc

/// The seed that a person asked for through the environment.
var environmentSeed: UInt64? {
  guard let text = getenv("DIPLE_TEST_SEED") else { return nil }
  return UInt64(String(cString: text))
}
