import CPCRE2
import Glibc
import Model

/// A compiled PCRE2 regular expression for UTF-8 text, with Unicode properties and just-in-time
/// compilation. It is immutable, so several threads may use it at once.
///
/// ```swift
/// let expression = try RegularExpression("(?<year>\\d{4})", ignoresCase: false)
/// expression.groupNames  // ["year": 1]
/// ```
public final class RegularExpression: @unchecked Sendable {
  // `pcre2_code` is read-only after compilation. All memory that matching modifies is allocated for
  // each search.

  private let code: OpaquePointer
  /// Finds the lines that may contain a match; nil to search the whole text.
  private let lineFinder: ByteFinder?
  /// The number of groups, not counting the whole match.
  public let groupCount: Int

  /// The maximum amount of backtracking for one attempt. It is enough for any reasonable pattern,
  /// and stops others after a fraction of a second.
  private static let matchLimit: UInt32 = 5_000_000
  /// The maximum heap memory for an attempt, in KiB.
  private static let heapLimit: UInt32 = 64 << 10
  /// The maximum stack size for just-in-time code, in bytes.
  private static let stackLimit = 8 << 20

  /// Compiles a pattern. `^` and `$` match at the start and end of each line.
  ///
  /// - Throws: ``PatternError`` with the position of the error.
  public init(_ pattern: String, ignoresCase: Bool) throws(PatternError) {
    var options =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NO_UTF_CHECK | PCRE2_USE_OFFSET_LIMIT
      | PCRE2_NEVER_BACKSLASH_C
    if ignoresCase { options |= PCRE2_CASELESS }
    var number: Int32 = 0
    var offset = 0
    let units = Array(pattern.utf8)
    // `$` matches before a carriage return and line feed, not between them, where it would divide a
    // character.
    let context = pcre2_compile_context_create_8(nil)
    defer { pcre2_compile_context_free_8(context) }
    pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_ANYCRLF))
    guard
      let code = pcre2_compile_8(
        units, units.count, UInt32(options), &number, &offset, context)
    else {
      let before = String(decoding: units.prefix(offset), as: UTF8.self)
      throw PatternError(
        pattern: pattern, position: before.count, cause: Self.message(number))
    }
    self.code = code
    lineFinder = Self.lineFinder(for: pattern, ignoresCase: ignoresCase)
    // Just-in-time compilation isn't available on all machines. Without it, matching is slower.
    _ = pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
    var count: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_CAPTURECOUNT), &count)
    groupCount = Int(count)
  }

  deinit { pcre2_code_free_8(code) }

  /// The numbers of the named groups. If several groups have the same name, it is the number of the
  /// first.
  public var groupNames: [String: Int] {
    var count: UInt32 = 0
    var size: UInt32 = 0
    var table: UnsafePointer<UInt8>?
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMECOUNT), &count)
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMEENTRYSIZE), &size)
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMETABLE), &table)
    guard let table else { return [:] }
    // An entry consists of the number, high byte first, and the null-terminated name.
    var names: [String: Int] = [:]
    for index in 0..<Int(count) {
      let entry = table + index * Int(size)
      let name = String(cString: entry + 2)
      names[name] = min(names[name] ?? .max, Int(entry[0]) << 8 | Int(entry[1]))
    }
    return names
  }

  /// A match with its groups. It is valid only during the call to which it is passed.
  public struct Match {
    fileprivate let vector: UnsafeMutablePointer<Int>
    fileprivate let count: Int

    /// The range of the whole match in bytes.
    public var range: Range<Int> { vector[0]..<vector[1] }

    /// Returns the range of a group in bytes; nil if it didn't participate in the match. Group 0 is
    /// the whole match.
    public func group(_ number: Int) -> Range<Int>? {
      guard number >= 0, number < count, vector[2 * number] >= 0,
        vector[2 * number] <= vector[2 * number + 1]
      else { return nil }
      return vector[2 * number]..<vector[2 * number + 1]
    }
  }

  /// Finds the leftmost matches that don't overlap. As in sed, an empty match cannot directly
  /// follow another match.
  ///
  /// - Parameters:
  ///   - takesEmpty: whether empty matches are included.
  ///   - isWanted: returns whether to accept a match. After a rejected match, the search continues
  ///     at the next character.
  ///   - found: called for each match; returns false to end the search.
  public func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    takesEmpty: Bool = false, isWanted: (Range<Int>) -> Bool = { _ in true },
    found: (Match) -> Bool
  ) -> SearchOutcome {
    guard start < text.count else { return .complete }
    guard let matching = Matching(code, takesEmpty: takesEmpty) else {
      return .failed("there is no memory for the search")
    }
    var start = start
    // If there is a line finder, every match contains its text, so no match is empty, unless `\K`
    // moves the start of the match.
    if let lineFinder {
      // Only the lines that contain the finder's text are searched, as long as they are at most
      // half of the text.
      var searched = 0
      let begin = start
      while let hit = lineFinder.first(in: text, from: start, before: text.count) {
        let line = Self.line(around: hit, from: start, in: text)
        let outcome = matching.search(
          UnsafeBufferPointer(rebasing: text[..<line.upperBound]), from: line.lowerBound,
          watch: watch, isWanted: isWanted, found: found)
        guard outcome == .complete else { return outcome }
        if let reason = watch.reasonToStop { return reason }
        searched += line.count
        start = line.upperBound
        if searched > Self.trial, searched * 2 > start - begin { break }
        if start >= text.count { return .complete }
      }
      if searched <= Self.trial || searched * 2 <= start - begin { return .complete }
    }
    return matching.search(text, from: start, watch: watch, isWanted: isWanted, found: found)
  }

  /// The number of bytes to search in candidate lines before deciding whether skipping lines is
  /// worthwhile.
  private static let trial = 16 << 10

  /// Returns the line around an offset, including its line feed, but nothing before `start`.
  private static func line(
    around place: Int, from start: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Range<Int> {
    var lower = place
    while lower > start, text[lower - 1] != 10 { lower -= 1 }
    let rest = text.baseAddress! + place
    let end = memchr(rest, 10, text.count - place).map { UnsafeRawPointer(rest).distance(to: $0) }
    return lower..<(end.map { place + $0 + 1 } ?? text.count)
  }

  /// The memory that a search modifies.
  private final class Matching {
    private let code: OpaquePointer
    private let data: OpaquePointer
    private let context: OpaquePointer
    private let vector: UnsafeMutablePointer<Int>
    private let takesEmpty: Bool
    private var stack: OpaquePointer?

    init?(_ code: OpaquePointer, takesEmpty: Bool) {
      guard let data = pcre2_match_data_create_from_pattern_8(code, nil) else { return nil }
      guard let context = pcre2_match_context_create_8(nil),
        let vector = pcre2_get_ovector_pointer_8(data)
      else {
        pcre2_match_data_free_8(data)
        return nil
      }
      pcre2_set_match_limit_8(context, RegularExpression.matchLimit)
      pcre2_set_heap_limit_8(context, RegularExpression.heapLimit)
      (self.code, self.data, self.context, self.vector) = (code, data, context, vector)
      self.takesEmpty = takesEmpty
    }

    deinit {
      pcre2_match_data_free_8(data)
      pcre2_match_context_free_8(context)
      if let stack { pcre2_jit_stack_free_8(stack) }
    }

    func search(
      _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
      isWanted: (Range<Int>) -> Bool, found: (Match) -> Bool
    ) -> SearchOutcome {
      guard let base = text.baseAddress else { return .complete }
      var offset = start
      var window = Window(at: start)
      // The end of the previous match.
      var last = -1
      // No line begins after the final line feed.
      let end = takesEmpty && text.last == 10 ? PCRE2_NOTEOL : 0
      while takesEmpty ? offset <= text.count : offset < text.count {
        pcre2_set_offset_limit_8(context, min(window.end, text.count))
        let empty = !takesEmpty ? PCRE2_NOTEMPTY : offset == last ? PCRE2_NOTEMPTY_ATSTART : 0
        let options = UInt32(PCRE2_NO_UTF_CHECK) | end | empty
        let result = pcre2_match_8(code, base, text.count, offset, options, data, context)
        switch result {
        case PCRE2_ERROR_NOMATCH:
          if window.end >= text.count { return .complete }
          if let reason = watch.reasonToStop { return reason }
          offset = RegularExpression.boundary(after: window.end, text)
          window.restart(from: offset)
        case PCRE2_ERROR_JIT_STACKLIMIT where stack == nil:
          stack = pcre2_jit_stack_create_8(32 << 10, RegularExpression.stackLimit, nil)
          pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack))
        case ..<0: return .failed(RegularExpression.failure(result))
        default:
          let range = vector[0]..<vector[1]
          // `\K` can move the start of a match before the start of the search, or after the end of
          // the match.
          guard range.lowerBound >= offset,
            !range.isEmpty || takesEmpty && range.lowerBound != last
          else {
            offset = RegularExpression.boundary(after: max(offset, vector[1]), text)
            if window.isOld, let reason = watch.reasonToStop { return reason }
            continue
          }
          if isWanted(range) {
            last = range.upperBound
            guard found(Match(vector: vector, count: Int(result))) else { return .cancelled }
            offset = range.upperBound
          } else {
            offset = RegularExpression.boundary(after: range.lowerBound, text)
          }
          if offset > window.end || window.isOld {
            if let reason = watch.reasonToStop { return reason }
            window.restart(from: offset)
          }
        }
      }
      return .complete
    }
  }

  /// Limits how far one call searches for the start of a match.
  ///
  /// The limit is small for slow patterns, so that a search can be stopped quickly, and large for
  /// fast ones. It starts with a few bytes, because one attempt may take as long as the match limit
  /// allows.
  private struct Window {
    private var size = 4
    private var begun = ContinuousClock.now
    private(set) var end: Int

    init(at start: Int) { end = start + size }

    /// Whether the window began more than 100 milliseconds ago, so that the watch must be checked.
    var isOld: Bool { ContinuousClock.now - begun > .milliseconds(100) }

    mutating func restart(from start: Int) {
      let now = ContinuousClock.now
      let took = now - begun
      if took < .milliseconds(5) {
        size = min(size * 4, 64 << 20)
      } else if took > .milliseconds(40) {
        size = max(size / 8, 1)
      }
      begun = now
      end = start + size
    }
  }

  /// Returns the first character boundary after an offset.
  private static func boundary(after offset: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int {
    var next = offset + 1
    while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }

  private static func failure(_ number: Int32) -> String {
    switch number {
    case PCRE2_ERROR_MATCHLIMIT, PCRE2_ERROR_DEPTHLIMIT, PCRE2_ERROR_HEAPLIMIT,
      PCRE2_ERROR_JIT_STACKLIMIT:
      "the pattern needs too many steps here; use fewer nested repetitions"
    default: "the pattern cannot be matched: \(message(number))"
    }
  }

  private static func message(_ number: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = pcre2_get_error_message_8(number, &buffer, buffer.count)
    return count < 0
      ? "error \(number)" : String(decoding: buffer.prefix(Int(count)), as: UTF8.self)
  }

  /// Returns a pattern that matches a text literally. If diacritics are ignored, it also matches
  /// the letters with any marks.
  ///
  /// - Parameter levels: returns the superscript and subscript forms that also match a character.
  public static func pattern(
    for text: String, ignoresDiacritics: Bool = false,
    levels: (Unicode.Scalar) -> [Unicode.Scalar] = { _ in [] }
  ) -> String {
    var pattern = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard ignoresDiacritics else {
        let levels = levels(scalar)
        if !levels.isEmpty { pattern.append("[") }
        append(scalar, to: &pattern)
        if !levels.isEmpty { pattern.append(contentsOf: levels + ["]"]) }
        continue
      }
      let (_, kind) = TextFolding.fold(scalar.value)
      if kind == .mark { continue }
      let base = Unicode.Scalar(TextFolding.base(of: scalar.value)) ?? scalar
      let variants = TextFolding.variants(of: base.value).compactMap(Unicode.Scalar.init)
      if variants.isEmpty {
        append(base, to: &pattern)
      } else {
        pattern.append("[")
        pattern.append(base)
        pattern.append(contentsOf: variants)
        pattern.append("]")
      }
      if kind == .word { pattern.append(contentsOf: "[^\\P{Mn}\\x{345}]*+".unicodeScalars) }
    }
    return String(pattern)
  }

  private static func append(_ scalar: Unicode.Scalar, to pattern: inout String.UnicodeScalarView) {
    let isSpecial =
      scalar.isASCII && !scalar.properties.isAlphabetic && scalar.value > 32
      && !("0"..."9").contains(scalar) && scalar != "_"
    if isSpecial { pattern.append("\\") }
    pattern.append(scalar)
  }
}
