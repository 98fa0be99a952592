import Foundation
import TestSupport
import Testing

/// Tests using the pages of `diple serve` in a browser, with a separate library for each test: by
/// mouse, by touch, and by keyboard only. The scenarios are in `Browser`.
@Suite(.serialized, .enabled(if: Scenario.canRun, "chromium or python3 is not installed"))
struct ScenarioTests {
  /// All scenarios, as listed by `Browser/run.py --list`.
  static let names = [
    "drags", "clicks", "selecting_by_keys", "core_agrees", "marking", "pen", "marks_over_borders",
    "copying", "source", "formats", "keys_while_finding", "table_of_keys", "keys_of_the_text",
    "keyboard_alone", "touch", "cards", "find", "thousands_of_matches",
    "place_stays",
    "chip", "refused_with_candidates", "two_pages", "hidden_pages", "removed_document",
    "accessible_document", "accessible_library", "typography", "phone", "hostile_texts",
    "documents", "highlights", "search", "review", "login", "large_text", "pairing",
    "pairing_by_picture", "accessible_pairing", "note_kept",
    "note_refused", "quote_of_note", "long_notes", "focus_returns", "directions", "slow_pattern",
    "moved_away", "many_matches", "logout", "pictures", "stacked_marks",
    "note_clash", "mark_while_loading", "refresh_again", "exported_notes", "library_notices",
    "lost_server", "continuing", "continuing_is_optional", "printing", "headings", "filter_stays",
    "clicks_on_a_mark", "arrows_after_a_click", "undo_keys", "same_color", "refused_mark",
    "pen_color", "marking_a_match", "deep_texts", "fields_on_touch",
  ]

  @Test(arguments: names) func `a browser scenario succeeds`(scenario: String) throws {
    try Scenario(scenario).run()
  }

  @Test func `every scenario is tested`() throws {
    let known = try Scenario("--list").output().split(separator: "\n").map(String.init)
    // The mapping has a separate test, which generates its documents.
    #expect(Set(known) == Set(Self.names + ["mapping"]))
  }
}
