import Rendering

extension CodeLanguages {
  static let examples: [CodeExample] = [
    CodeExample(
      "swift", "let a = #\"x \"y\" \"# /* b /* c */ d */ // e\nfunc f() -> Int { 0x1F }",
      [
        "keyword let", "string #\"x \"y\" \"#", "comment /* b /* c */ d */", "comment // e",
        "keyword func", "function f", "type Int", "number 0x1F",
      ]),
    CodeExample(
      "c", "#include <stdio.h>\nint main(void) { return '\\''; }",
      [
        "meta #include", "string <stdio.h>", "type int", "function main", "type void",
        "keyword return", "string '\\''",
      ]),
    CodeExample(
      "c++", "auto s = R\"x(a \" )\" )x\"; // b",
      ["keyword auto", "string R\"x(a \" )\" )x\"", "comment // b"]),
    CodeExample(
      "rust", "fn f<'a>(x: &'a str) { println!(\"{}\", 'b'); r#\"c\"d\"#; }",
      [
        "keyword fn", "function f", "type 'a", "type 'a", "type str", "function println",
        "string \"{}\"", "string 'b'", "string r#\"c\"d\"#",
      ]),
    CodeExample(
      "py", "@dec\ndef f(x=None):\n  '''a\n  b'''\n  return rb'\\d' # c",
      [
        "meta @dec", "keyword def", "function f", "number None", "string '''a\n  b'''",
        "keyword return", "string rb'\\d'", "comment # c",
      ]),
    CodeExample(
      "js", "const r = /[/]\\/x/gi; let q = a / b; f(`t ${x} u`)",
      [
        "keyword const", "string /[/]\\/x/gi", "keyword let", "function f", "string `t ",
        "variable ${x}", "string  u`",
      ]),
    CodeExample(
      "bash", "if ls -l \"$HOME/x\"; then cat <<EOF # c\n $b\nEOF\nfi",
      [
        "keyword if", "function ls", "key -l", "string \"", "variable $HOME", "string /x\"",
        "keyword then", "function cat", "string <<EOF", "comment # c", "string  $b\nEOF",
        "keyword fi",
      ]),
    CodeExample(
      "console", "$ ls -l\na b\n", ["meta $ ", "function ls", "key -l"]),
    CodeExample(
      "yaml", "# c\na-b: 1\n- c: \"x\" # d\n  url: http://e\n",
      [
        "comment # c", "key a-b", "number 1", "key c", "string \"x\"", "comment # d", "key url",
      ]),
    CodeExample(
      "toml", "[a.b]\nc = true\nd-e = 'f'",
      ["type [a.b]", "key c", "number true", "key d-e", "string 'f'"]),
    CodeExample(
      "ini", "[core]\nname = 1 ; c", ["type [core]", "key name", "number 1", "comment ; c"]),
    CodeExample(
      "json", "{\"a\": [1.5e-3, \"b\", null]}",
      ["key \"a\"", "number 1.5e-3", "string \"b\"", "number null"]),
    CodeExample(
      "diff", "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n",
      ["keyword --- a", "keyword +++ b", "meta @@ -1 +1 @@", "removed -old", "added +new"]),
    CodeExample(
      "html", "<!-- c --><a href=\"x\">t &amp; u</a>",
      [
        "comment <!-- c -->", "tag <a", "key href", "string \"x\"", "tag >", "number &amp;",
        "tag </a>",
      ]),
    CodeExample(
      "css", "a.b { color: #fff; margin: 1px } /* c */",
      [
        "tag a", "type .b", "key color", "number #fff", "key margin", "number 1px",
        "comment /* c */",
      ]),
    CodeExample(
      "sql", "SELECT count(*) FROM t WHERE a = 'it''s' -- c",
      [
        "keyword SELECT", "function count", "keyword FROM", "keyword WHERE", "string 'it''s'",
        "comment -- c",
      ]),
    CodeExample(
      "markdown", "# A\n\n> b\n- `c` [d](e)\n",
      ["keyword # A", "comment > b", "keyword -", "string `c`", "variable e"]),
    CodeExample(
      "make", "A := 1\nall: b\n\tcc $(A) -o \"x\"\nifdef C\n",
      ["key A", "number 1", "key all", "variable $(A)", "string \"x\"", "keyword ifdef"]),
    CodeExample(
      "dockerfile", "FROM a AS b\nRUN echo \"$C\" # d",
      ["keyword FROM", "keyword RUN", "string \"", "variable $C", "string \"", "comment # d"]),
    CodeExample(
      "lua", "--[[ a\nb ]] local s = [=[ c ]] ]=] -- d",
      ["comment --[[ a\nb ]]", "keyword local", "string [=[ c ]] ]=]", "comment -- d"]),
    CodeExample(
      "haskell", "f' :: Int {- a {- b -} -}\nx = 'c' -- d",
      ["type Int", "comment {- a {- b -} -}", "string 'c'", "comment -- d"]),
    CodeExample(
      "clj", "(defn f [x] :k \"s\") ; c",
      ["keyword defn", "number :k", "string \"s\"", "comment ; c"]),
  ]
}
