import Glibc

/// The seed in the variable `DIPLE_TEST_SEED`. Nil if it isn't a number.
var environmentSeed: UInt64? {
  guard let text = getenv("DIPLE_TEST_SEED") else { return nil }
  return UInt64(String(cString: text))
}
