/// An event from a terminal.
package enum InputEvent: Hashable, Sendable {
  /// A key press with its modifiers.
  case key(Key, Modifiers = [])
  /// Pasted text.
  case paste(String)
  /// A mouse event.
  case mouse(Mouse)
  /// The terminal's background colour, in response to a query.
  case background(RGB)
  /// The terminal has responded to all earlier queries.
  case answered

  package enum Key: Hashable, Sendable {
    /// A character. With `control`, it is the letter of the combination.
    case character(Character)
    /// A key with a name.
    case enter, tab, escape, backspace, delete, up, down, left, right, home, end, pageUp, pageDown
    /// A function key, numbered from 1.
    case function(Int)
  }

  /// The modifier keys that are pressed with a key.
  package struct Modifiers: OptionSet, Hashable, Sendable {
    /// The bits, as in the parameters of xterm's sequences.
    package let rawValue: Int
    /// Creates a set from its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The Shift key.
    package static let shift = Modifiers(rawValue: 1)
    /// The Alt or Meta key.
    package static let alt = Modifiers(rawValue: 2)
    /// The Control key.
    package static let control = Modifiers(rawValue: 4)
  }

  package struct Mouse: Hashable, Sendable {
    /// A kind of mouse event.
    package enum Action: Hashable, Sendable { case press, drag, release, wheelUp, wheelDown }
    /// A mouse button.
    package enum Button: Hashable, Sendable { case left, middle, right }

    /// The kind of the event.
    package var action: Action
    /// The button; `left` for the wheel.
    package var button: Button
    /// The cell of the screen, counted from 0.
    package var position: Screen.Position

    package init(_ action: Action, _ button: Button = .left, at position: Screen.Position) {
      (self.action, self.button, self.position) = (action, button, position)
    }
  }
}
