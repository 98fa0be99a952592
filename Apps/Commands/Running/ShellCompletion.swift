import ArgumentParser
import Console
import Rendering
import SystemSupport

/// A shell for which there is a completion script.
enum Shell: String, CaseIterable, ExpressibleByArgument {
  case bash, zsh, fish

  /// The completion script. It runs `diple` to query the possible words at the cursor.
  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  // The first line of an answer is `files` if paths are possible too, otherwise `words`.

  private static let bashScript = #"""
    # Completion of diple for bash. In ~/.bashrc: source <(diple completion bash)
    _diple() {
      local -a answer
      mapfile -t answer < <(
        "${COMP_WORDS[0]}" ---complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
      COMPREPLY=("${answer[@]:1}")
      if [ "${answer[0]}" = files ]; then
        compopt -o filenames 2>/dev/null
        local path
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "$2")
      fi
    }
    complete -F _diple diple
    """#

  private static let zshScript = #"""
    #compdef diple
    # Completion of diple for zsh. In ~/.zshrc, after compinit: source <(diple completion zsh)
    _diple() {
      local -a answer texts labels
      local line
      answer=("${(@f)$("$words[1]" ---complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
      for line in "${(@)answer[2,-1]}"; do
        texts+=("${line%%$'\t'*}")
        labels+=("${line/$'\t'/  -- }")
      done
      (( $#texts )) && compadd -l -d labels -a texts
      [[ $answer[1] == files ]] && _files
      (( $#texts ))
    }
    if [ "$funcstack[1]" = _diple ]; then _diple "$@"; else compdef _diple diple; fi
    """#

  private static let fishScript = #"""
    # Completion of diple for fish. In ~/.config/fish/config.fish: diple completion fish | source
    function __diple_complete
      set -l words (commandline -opc)
      set -l start (commandline -ct)
      set -l answer (command $words[1] ---complete fish $words[2..-1] (string unescape -- $start; or echo -- $start) 2>/dev/null)
      for line in $answer[2..-1]
        echo -- $line
      end
      if test "$answer[1]" = files
        __fish_complete_path $start
      end
    end
    complete -c diple -f -a '(__diple_complete)'
    """#

  /// Returns the answer to a completion script: the possible words at the cursor, one on each line.
  ///
  /// - Parameter words: For bash, the line up to the cursor and the part of its last word that bash
  ///   replaces. For other shells, the words before the cursor and the typed beginning of the next
  ///   word.
  func answer(_ words: [String], in context: CommandContext) async -> [String] {
    if self == .bash { return await bashAnswer(words, context) }
    let found = await context.completions(
      after: Array(words.dropLast()), start: words.last ?? "")
    return [found.takesPath ? "files" : "words"]
      + found.candidates.map { candidate in
        let text = candidate.text.sanitizedForTerminal
        return candidate.summary.isEmpty
          ? text : "\(text)\t\(candidate.summary.sanitizedForTerminal)"
      }
  }

  private func bashAnswer(_ words: [String], _ context: CommandContext) async -> [String] {
    let line = ShellLine(words.first ?? "")
    let found = await context.completions(after: Array(line.words.dropFirst()), start: line.start)
    // bash also splits words at `:` and `=`, and only replaces the text after them.
    let replaced = ShellLine("diple " + (words.count > 1 ? words[1] : line.start)).start
    let kept = line.start.hasSuffix(replaced) ? line.start.count - replaced.count : 0
    return [found.takesPath ? "files" : "words"]
      + found.candidates.map { candidate in
        let text = String(candidate.text.sanitizedForTerminal.dropFirst(kept))
        // Where paths are possible, readline adds the quotation marks itself.
        return found.takesPath ? text : text.quoted(in: line.quote)
      }
  }
}

/// The words of an incomplete shell command line.
package struct ShellLine {
  /// The complete words.
  package private(set) var words: [String] = []
  /// The beginning of the last word. Empty after a blank.
  package private(set) var start = ""
  /// The number of characters before the last word.
  package private(set) var kept = 0
  /// The quotation mark that isn't closed; nil if all are closed.
  package private(set) var quote: Character?

  /// Splits a line like a shell, with quotation marks and backslashes.
  package init(_ line: String) {
    var isWord = false
    var isEscaped = false
    for (index, character) in line.enumerated() {
      if !isWord { kept = index }
      if isEscaped {
        start.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        (isEscaped, isWord) = (true, true)
      } else if let open = quote {
        if character == open { quote = nil } else { start.append(character) }
      } else if character == "'" || character == "\"" {
        (quote, isWord) = (character, true)
      } else if character.isWhitespace {
        if isWord { words.append(start) }
        (start, isWord) = ("", false)
      } else {
        start.append(character)
        isWord = true
      }
    }
    if !isWord { kept = line.count }
  }
}

extension String {
  /// The text escaped for bash, to be inserted after the open quotation mark `mark` or outside of
  /// quotation marks. Readline adds the closing mark, unless the text already ends with it.
  fileprivate func quoted(in mark: Character?) -> String {
    var text = written(in: mark)
    switch (mark, unicodeScalars.last) {
    case ("'", "'"): text.removeLast()
    case ("\"", "\""), ("\"", "!"): text += "\""
    default: break
    }
    return text
  }

  private func written(in mark: Character?) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch mark {
      case "'": text += scalar == "'" ? "'\\''" : String(scalar)
      // A backslash would keep bash from expanding `!` from the history, but would stay in the
      // word.
      case "\"" where scalar == "!": text += "\"'!'\""
      case "\"":
        if "$`\"\\".unicodeScalars.contains(scalar) { text += "\\" }
        text.unicodeScalars.append(scalar)
      default:
        let isSafe =
          scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "_-./:,+@%=".unicodeScalars.contains(scalar)
        if !isSafe { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
    }
  }
}
