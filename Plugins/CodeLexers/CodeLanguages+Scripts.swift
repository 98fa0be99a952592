import Rendering

extension CodeLanguages {
  private static let shellWords =
    "alias break builtin case cd command continue coproc declare do done elif else esac eval exec exit "
    + "export fi for function getopts if in local read readonly return select set shift source then "
    + "time trap typeset ulimit unalias unset until wait while"

  // MARK: - Languages without braces, and shells

  static let scripts: [CodeLanguage] = [
    CodeLanguage(
      names: ["python", "py", "python3", "py3", "pyi", "sage", "bazel", "starlark"],
      keywords:
        "and as assert async await break case class continue def del elif else except finally for "
        + "from global if import in is lambda match nonlocal not or pass raise return self try type "
        + "while with yield",
      types:
        "bool bytearray bytes complex dict float frozenset int list object set str tuple",
      constants: "None True False NotImplemented Ellipsis", lineComments: ["#"],
      strings: [.lines("\"\"\""), .lines("'''"), .line("\""), .line("'")],
      traits: [.calls, .atNames, .capitalTypes]),
    CodeLanguage(
      names: ["ruby", "rb", "rake", "gemfile"],
      keywords:
        "BEGIN END alias and attr_accessor attr_reader begin break case class def defined? do else "
        + "elsif end ensure extend for if in include loop module next not or private protected "
        + "public raise redo require require_relative rescue retry return self super then undef "
        + "unless until when while yield", constants: "nil true false", lineComments: ["#"],
      strings: [.lines("\""), .lines("'"), .line("`")], inNames: "?",
      traits: [.calls, .atNames, .dollars, .capitalTypes, .symbols, .heredocs, .patterns]),
    CodeLanguage(
      names: ["crystal", "cr"],
      keywords:
        "abstract alias annotation as begin break case class def do else elsif end ensure enum extend "
        + "for fun if in include instance_sizeof is_a? lib loop macro module next of private "
        + "protected require rescue return select self sizeof struct super then type union unless "
        + "until when while with yield", constants: "nil true false", lineComments: ["#"],
      strings: [.lines("\""), .line("'"), .line("`")], inNames: "?",
      traits: [.calls, .atNames, .dollars, .capitalTypes, .symbols]),
    CodeLanguage(
      names: ["perl", "pl", "pm", "raku"],
      keywords:
        "and cmp continue default die do each else elsif eq eval for foreach ge given gt if keys last "
        + "le local lt my ne next no not or our package print push redo require return say shift "
        + "sub unless until use values when while xor", constants: "undef", lineComments: ["#"],
      strings: [.lines("\"", variables: true), .lines("'"), .line("`")],
      traits: [.calls, .dollars, .atNames, .heredocs, .patterns]),
    CodeLanguage(
      names: ["lua", "luau"],
      keywords:
        "and break do else elseif end for function goto if in local not or repeat return then until "
        + "while", constants: "nil true false", lineComments: ["--"], strings: quotes,
      traits: [.calls, .longBrackets]),
    CodeLanguage(
      names: ["sh", "bash", "shell", "zsh", "ksh", "ash", "dash", "fish", "envrc"],
      keywords: shellWords, constants: "true false", lineComments: ["#"],
      strings: [.lines("\"", variables: true), .lines("'", escapes: false), .line("`")],
      inNames: "-.",
      traits: [.dollars, .heredocs, .commands, .spacedComments, .options]),
    CodeLanguage(
      names: ["console", "shell-session", "shellsession", "terminal", "sh-session", "session"],
      grammar: .console),
    CodeLanguage(
      names: ["powershell", "ps1", "pwsh", "ps"],
      keywords:
        "begin break catch class continue data do dynamicparam else elseif end enum exit filter "
        + "finally for foreach from function if in param process return switch throw trap try until "
        + "using var while", lineComments: ["#"],
      blockComments: [CodeLanguage.Block(open: "<#", close: "#>")],
      strings: [
        CodeLanguage.Text(
          open: "@\"", close: "\"@", escapes: false, spansLines: true, hasVariables: true),
        CodeLanguage.Text(open: "@'", close: "'@", escapes: false, spansLines: true),
        .lines("\"", escapes: false, variables: true), .lines("'", escapes: false),
      ], inNames: "-",
      traits: [.dollars, .commands, .options, .ignoresCase]),
    CodeLanguage(
      names: ["bat", "cmd", "batch", "dos"],
      keywords:
        "call cd cls copy del dir do echo else endlocal errorlevel exist exit for goto if in md mkdir "
        + "not pause rd ren rmdir set setlocal shift start type",
      lineComments: ["rem ", "REM ", "::"],
      strings: [.line("\"", escapes: false)], traits: [.ignoresCase]),
    CodeLanguage(
      names: ["awk", "gawk", "mawk"],
      keywords:
        "BEGIN END break continue delete do else exit for function getline if in next nextfile print "
        + "printf return while", types: "NR NF FS OFS RS ORS FILENAME", lineComments: ["#"],
      strings: [.line("\"")], traits: [.calls, .dollars, .patterns]),
    CodeLanguage(
      names: ["r", "rlang", "rscript"],
      keywords: "break else for function if in library next repeat require return while",
      constants: "FALSE Inf NA NULL NaN TRUE", lineComments: ["#"],
      strings: [.lines("\""), .lines("'")], inNames: ".", traits: [.calls]),
    CodeLanguage(
      names: ["julia", "jl"],
      keywords:
        "abstract baremodule begin break catch const continue do else elseif end export finally for "
        + "function global if import in isa let local macro module mutable primitive quote return "
        + "struct try type using where while", constants: "nothing missing true false Inf NaN",
      lineComments: ["#"],
      blockComments: [CodeLanguage.Block(open: "#=", close: "=#", nests: true)],
      strings: [.lines("\"\"\"", variables: true), .lines("\"", variables: true)], inNames: "!",
      traits: [.calls, .capitalTypes, .atNames, .letters]),
    CodeLanguage(
      names: ["matlab", "octave", "m"],
      keywords:
        "break case catch classdef continue do else elseif end endfunction endif endwhile for "
        + "function global if otherwise parfor persistent return switch try until while",
      constants: "true false inf nan pi", lineComments: ["%", "#"],
      blockComments: [CodeLanguage.Block(open: "%{", close: "%}", nests: true)],
      strings: [.line("\"")], traits: [.calls]),
    CodeLanguage(
      names: ["vb", "vbnet", "vba", "basic"],
      keywords:
        "and as byref byval call case class const dim do each else elseif end enum exit for function "
        + "get goto if implements imports in inherits is let loop me module new next not on option "
        + "or private property public redim return select set static step sub then to try until "
        + "wend while with", types: "boolean byte date double integer long object single string",
      constants: "true false nothing", lineComments: ["'"],
      strings: [.line("\"", escapes: false)], traits: [.calls, .ignoresCase]),
    CodeLanguage(
      names: ["pascal", "delphi", "objectpascal", "pas"],
      keywords:
        "and array as begin case class const constructor destructor div do downto else end except "
        + "file finally for function if implementation in inherited interface is mod nil not object "
        + "of or packed private procedure program property protected public record repeat set shl "
        + "shr string then to try type unit until uses var while with xor",
      types: "boolean byte cardinal char double extended integer longint real word",
      constants: "true false nil", lineComments: ["//"],
      blockComments: [
        CodeLanguage.Block(open: "{", close: "}"), CodeLanguage.Block(open: "(*", close: "*)"),
      ], strings: [.line("'", escapes: false)], traits: [.calls, .ignoresCase]),
    CodeLanguage(
      names: ["fortran", "f90", "f95", "f03", "f08"],
      keywords:
        "allocatable allocate call case contains cycle deallocate dimension do else elseif end enddo "
        + "endif exit function if implicit in intent interface module none only out parameter print "
        + "procedure program public private pure read recursive result return select stop "
        + "subroutine then type use where while write",
      types: "character complex integer logical real", lineComments: ["!"], strings: quotes,
      traits: [.calls, .ignoresCase]),
    CodeLanguage(
      names: ["vim", "viml", "vimscript"],
      keywords:
        "augroup autocmd call catch command const continue echo else elseif endfor endfunction endif "
        + "endtry endwhile execute finally for function highlight if in let map nmap noremap "
        + "nnoremap inoremap vnoremap return set setlocal silent source syntax try unlet while",
      lineComments: ["\" "], strings: quotes, traits: [.calls]),
    CodeLanguage(
      names: ["tcl", "expect"],
      keywords:
        "after append array break catch continue else elseif error eval exec expect expr for foreach "
        + "global if incr lappend list namespace package proc puts regexp return send set spawn "
        + "string switch uplevel upvar variable while", lineComments: ["#"],
      strings: [.lines("\"", variables: true)], traits: [.dollars, .spacedComments, .options]),
  ]
}
