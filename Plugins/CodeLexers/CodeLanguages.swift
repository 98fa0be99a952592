import Rendering

/// The table of all languages.
enum CodeLanguages {
  static let all: [CodeLanguage] = cFamily + scripts + functional + data + pages

  static let slashes = [CodeLanguage.Block(open: "/*", close: "*/")]
  static let nested = [CodeLanguage.Block(open: "/*", close: "*/", nests: true)]
  static let quotes: [CodeLanguage.Text] = [.line("\""), .line("'")]
  private static let cWords =
    "break case const continue default do else enum extern for goto if inline register restrict return "
    + "sizeof static struct switch typedef union volatile while"
  private static let cTypes =
    "bool char double float int long short signed size_t ssize_t unsigned void wchar_t int8_t int16_t "
    + "int32_t int64_t uint8_t uint16_t uint32_t uint64_t FILE"
  private static let script =
    "as async await break case catch class const continue debugger default delete do else export "
    + "extends finally for from function get if import in instanceof let new of return set static "
    + "super switch this throw try typeof var void while with yield"

  // MARK: - Languages with braces

  private static let cFamily: [CodeLanguage] = [
    CodeLanguage(
      names: ["c", "h"], keywords: cWords, types: cTypes, constants: "NULL true false",
      lineComments: ["//"], blockComments: slashes, strings: quotes,
      traits: [.calls, .preprocessor]),
    CodeLanguage(
      names: ["cpp", "c++", "cxx", "cc", "hpp", "hxx", "h++", "cuda", "cu", "arduino", "ino"],
      keywords: cWords
        + " alignas alignof and asm auto catch class co_await co_return co_yield concept consteval "
        + "constexpr constinit decltype delete dynamic_cast explicit export final friend import module "
        + "mutable namespace new noexcept not operator or override private protected public "
        + "reinterpret_cast requires static_assert static_cast template this throw try typename "
        + "using virtual",
      types: cTypes + " string vector map set char8_t char16_t char32_t",
      constants: "NULL nullptr true false", lineComments: ["//"], blockComments: slashes,
      strings: quotes, traits: [.calls, .preprocessor, .rawDelimited]),
    CodeLanguage(
      names: ["objc", "objective-c", "objectivec", "obj-c", "mm"],
      keywords: cWords + " self super in out inout nonatomic strong weak copy assign readonly",
      types: cTypes + " id BOOL SEL Class instancetype", constants: "nil NULL YES NO true false",
      lineComments: ["//"], blockComments: slashes, strings: quotes,
      traits: [.calls, .preprocessor, .atNames, .capitalTypes]),
    CodeLanguage(
      names: ["csharp", "cs", "c#", "dotnet"],
      keywords:
        "abstract as async await base break case catch checked class const continue default "
        + "delegate do else enum event explicit extern finally fixed for foreach get goto if "
        + "implicit in init interface internal is lock namespace new operator out override params "
        + "partial private protected public readonly record ref return sealed set sizeof stackalloc "
        + "static struct switch this throw try typeof unchecked unsafe using var virtual volatile "
        + "when where while yield",
      types: "bool byte char decimal double dynamic float int long object sbyte short string uint "
        + "ulong ushort void nint nuint", constants: "null true false", lineComments: ["//"],
      blockComments: slashes,
      strings: [
        .lines("\"\"\"", escapes: false),
        CodeLanguage.Text(open: "@\"", close: "\"", escapes: false, spansLines: true),
        CodeLanguage.Text(open: "$\"", close: "\""), .line("\""), .line("'"),
      ], traits: [.calls, .preprocessor, .capitalTypes]),
    CodeLanguage(
      names: ["java", "jsp"],
      keywords:
        "abstract assert break case catch class const continue default do else enum extends final "
        + "finally for goto if implements import instanceof interface native new non-sealed package "
        + "permits private protected public record return sealed static strictfp super switch "
        + "synchronized this throw throws transient try var void volatile when while yield",
      types: "boolean byte char double float int long short", constants: "null true false",
      lineComments: ["//"], blockComments: slashes,
      strings: [.lines("\"\"\""), .line("\""), .line("'")],
      traits: [.calls, .atNames, .capitalTypes]),
    CodeLanguage(
      names: ["kotlin", "kt", "kts"],
      keywords:
        "abstract actual annotation as break by catch class companion const constructor continue "
        + "crossinline data do else enum expect external final finally for fun get if import in "
        + "infix init inline inner interface internal is lateinit noinline object open operator "
        + "override package private protected public reified return sealed set super suspend "
        + "tailrec this throw try typealias val value var vararg when where while",
      constants: "null true false", lineComments: ["//"], blockComments: nested,
      strings: [.lines("\"\"\"", variables: true), .line("\"", variables: true), .line("'")],
      traits: [.calls, .atNames, .capitalTypes]),
    CodeLanguage(
      names: ["scala", "sc", "sbt"],
      keywords:
        "abstract case catch class def derives do else end enum export extends extension final "
        + "finally for forSome given if implicit import inline lazy match new object opaque open "
        + "override package private protected return sealed super then this throw trait transparent "
        + "try type using val var while with yield", constants: "null true false",
      lineComments: ["//"], blockComments: nested,
      strings: [.lines("\"\"\"", variables: true), .line("\"", variables: true)],
      traits: [.calls, .atNames, .capitalTypes, .letters]),
    CodeLanguage(
      names: ["groovy", "gradle"],
      keywords:
        "abstract as assert break case catch class const continue def default do else enum extends "
        + "final finally for goto if implements import in instanceof interface native new package "
        + "private protected public return static super switch this throw throws trait try var void "
        + "while",
      types: "boolean byte char double float int long short", constants: "null true false",
      lineComments: ["//"], blockComments: slashes,
      strings: [
        .lines("\"\"\"", variables: true), .lines("'''"), .line("\"", variables: true), .line("'"),
      ], traits: [.calls, .atNames, .capitalTypes]),
    CodeLanguage(
      names: ["swift"],
      keywords:
        "actor any as associatedtype async await borrowing break case catch class consuming continue "
        + "convenience default defer deinit didSet distributed do dynamic else enum extension "
        + "fallthrough fileprivate final for func get guard if import in indirect infix init inout "
        + "internal is isolated lazy let macro mutating nonisolated nonmutating open operator "
        + "optional override package postfix precedencegroup prefix private protocol public repeat "
        + "required rethrows return self sending set some static struct subscript super switch "
        + "throw throws try typealias unowned var weak where while willSet",
      types: "Any Self", constants: "nil true false", lineComments: ["//"], blockComments: nested,
      strings: [.lines("\"\"\""), .line("\"")],
      traits: [.calls, .atNames, .capitalTypes, .hashTexts]),
    CodeLanguage(
      names: ["go", "golang"],
      keywords:
        "break case chan const continue default defer else fallthrough for func go goto if import "
        + "interface map package range return select struct switch type var",
      types:
        "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 "
        + "int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
      constants: "nil true false iota", lineComments: ["//"], blockComments: slashes,
      strings: [.lines("`", escapes: false), .line("\""), .line("'")],
      traits: [.calls, .capitalTypes]),
    CodeLanguage(
      names: ["rust", "rs"],
      keywords:
        "as async await break const continue crate dyn else enum extern fn for if impl in let loop "
        + "macro_rules match mod move mut pub ref return self static struct super trait type union "
        + "unsafe use where while yield",
      types:
        "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Self",
      constants: "true false", lineComments: ["//"], blockComments: nested,
      strings: [.lines("\"")],
      traits: [.calls, .capitalTypes, .letters, .rawHashTexts, .bangs]),
    CodeLanguage(
      names: ["zig"],
      keywords:
        "addrspace align allowzero and anyframe anytype asm async await break callconv catch "
        + "comptime const continue defer else enum errdefer error export extern fn for if inline "
        + "linksection noalias noinline nosuspend opaque or orelse packed pub resume return struct "
        + "suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
      types: "bool f16 f32 f64 f128 i8 i16 i32 i64 isize noreturn type u8 u16 u32 u64 usize void",
      constants: "null undefined true false", lineComments: ["//"], strings: quotes,
      traits: [.calls, .capitalTypes, .atNames]),
    CodeLanguage(
      names: ["d", "dlang"],
      keywords: cWords
        + " abstract alias assert auto body cast catch class debug delegate delete deprecated export "
        + "final finally foreach function immutable import in interface invariant is lazy mixin "
        + "module new nothrow out override package pragma private protected public pure ref scope "
        + "shared super synchronized template this throw try typeof unittest version with",
      types: "bool byte char dchar double float int long real short string ubyte uint ulong ushort "
        + "void wchar", constants: "null true false", lineComments: ["//"],
      blockComments: slashes + [CodeLanguage.Block(open: "/+", close: "+/", nests: true)],
      strings: [.lines("`", escapes: false)] + quotes, traits: [.calls, .atNames, .capitalTypes]),
    CodeLanguage(
      names: ["dart"],
      keywords:
        "abstract as assert async await base break case catch class const continue covariant default "
        + "deferred do else enum export extends extension external factory final finally for get "
        + "hide if implements import in interface is late library mixin new of on operator part "
        + "required rethrow return sealed set show static super switch sync this throw try typedef "
        + "var when while with yield",
      types: "bool double dynamic int num void", constants: "null true false",
      lineComments: ["//"], blockComments: nested,
      strings: [
        .lines("\"\"\"", variables: true), .lines("'''", variables: true),
        .line("\"", variables: true), .line("'", variables: true),
      ], traits: [.calls, .atNames, .capitalTypes]),
    CodeLanguage(
      names: ["javascript", "js", "jsx", "mjs", "cjs", "node"], keywords: script,
      constants: "Infinity NaN null true false undefined", lineComments: ["//"],
      blockComments: slashes, strings: quotes + [.lines("`", variables: true)], inNames: "$",
      traits: [.calls, .capitalTypes, .atNames, .patterns]),
    CodeLanguage(
      names: ["typescript", "ts", "tsx", "mts", "cts"],
      keywords: script
        + " abstract declare enum implements infer interface is keyof module namespace override "
        + "private protected public readonly satisfies type",
      types: "any bigint boolean never number object string symbol unknown",
      constants: "Infinity NaN null true false undefined", lineComments: ["//"],
      blockComments: slashes, strings: quotes + [.lines("`", variables: true)], inNames: "$",
      traits: [.calls, .capitalTypes, .atNames, .patterns]),
    CodeLanguage(
      names: ["php", "php8", "phtml"],
      keywords:
        "abstract and array as break callable case catch class clone const continue declare default "
        + "do echo else elseif empty enum extends final finally fn for foreach function global goto "
        + "if implements include include_once instanceof insteadof interface isset list match "
        + "namespace new or print private protected public readonly require require_once return "
        + "static switch throw trait try unset use var while xor yield",
      types: "bool float int iterable mixed never object string void",
      constants: "null true false", lineComments: ["//", "#"], blockComments: slashes,
      strings: [.lines("\"", variables: true), .lines("'")],
      traits: [.calls, .capitalTypes, .dollars, .heredocs, .ignoresCase]),
    CodeLanguage(
      names: ["solidity", "sol"],
      keywords:
        "abstract anonymous as assembly break catch constant constructor continue contract delete do "
        + "else emit enum error event external fallback for function if immutable import indexed "
        + "interface internal is library mapping memory modifier new override payable pragma private "
        + "public pure receive return returns revert storage struct this throw try type unchecked "
        + "using view virtual while",
      types: "address bool bytes bytes32 int int256 string uint uint8 uint256",
      constants: "true false wei gwei ether", lineComments: ["//"], blockComments: slashes,
      strings: quotes, traits: [.calls, .capitalTypes]),
  ]
}
