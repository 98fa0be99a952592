import Rendering

extension CodeLanguages {
  private static let parenStars = [CodeLanguage.Block(open: "(*", close: "*)", nests: true)]
  private static let lispWords =
    "and begin case catch cond def defconst defmacro defmethod defn defn- defparameter defprotocol "
    + "defrecord defstruct deftest deftype defun defvar define define-syntax do dolist dotimes else "
    + "fn if if-let import in-package lambda let let* letrec loop new ns or progn quote recur "
    + "require set! setf setq unless use when when-let while"

  // MARK: - Functional languages

  static let functional: [CodeLanguage] = [
    CodeLanguage(
      names: ["haskell", "hs", "purescript", "elm"],
      keywords:
        "as case class data default deriving do else family forall foreign hiding if import in infix "
        + "infixl infixr instance let module newtype of qualified then type where",
      lineComments: ["--"],
      blockComments: [CodeLanguage.Block(open: "{-", close: "-}", nests: true)],
      strings: [.line("\"")], inNames: "'", traits: [.capitalTypes, .letters]),
    CodeLanguage(
      names: ["ocaml", "ml", "mli", "sml", "reason", "coq"],
      keywords:
        "and as assert begin class constraint do done downto else end exception external for fun "
        + "function functor if in include inherit initializer lazy let match method module mutable "
        + "new object of open or private rec sig struct then to try type val virtual when while "
        + "with", types: "bool char float int list option string unit array",
      constants: "true false", blockComments: parenStars, strings: [.lines("\"")], inNames: "'",
      traits: [.capitalTypes, .letters]),
    CodeLanguage(
      names: ["fsharp", "fs", "f#", "fsx"],
      keywords:
        "abstract and as assert async base begin class default delegate do done downcast downto elif "
        + "else end exception extern finally fixed for fun function if in inherit inline interface "
        + "internal lazy let match member module mutable namespace new not of open or override "
        + "private public rec return select static struct then to try type upcast use val void when "
        + "while with yield", types: "bool byte char decimal float int int64 list seq string unit",
      constants: "null true false", lineComments: ["//"], blockComments: parenStars,
      strings: [.lines("\"\"\""), .lines("\"")], traits: [.capitalTypes, .letters]),
    CodeLanguage(
      names: ["elixir", "ex", "exs", "eex", "heex"],
      keywords:
        "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro "
        + "defmodule defp defprotocol defstruct do else end fn for if import in not or quote raise "
        + "receive require rescue try unless unquote use when with", constants: "nil true false",
      lineComments: ["#"], strings: [.lines("\"\"\""), .lines("\""), .line("'")], inNames: "?!",
      traits: [.calls, .capitalTypes, .atNames, .symbols]),
    CodeLanguage(
      names: ["erlang", "erl", "hrl"],
      keywords:
        "after and andalso begin case catch cond div else end fun if let not of or orelse receive "
        + "rem try when xor", constants: "true false undefined", lineComments: ["%"],
      strings: quotes, traits: [.calls, .capitalTypes, .options]),
    CodeLanguage(
      names: ["clojure", "clj", "cljs", "cljc", "edn"], keywords: lispWords,
      constants: "nil true false", lineComments: [";"], strings: [.lines("\"")],
      inNames: "-?!*+<>=./", traits: [.callsInside, .symbols]),
    CodeLanguage(
      names: [
        "lisp", "commonlisp", "common-lisp", "cl", "elisp", "emacs-lisp", "scheme", "scm",
        "racket", "rkt",
      ],
      keywords: lispWords, constants: "nil t #t #f", lineComments: [";"],
      blockComments: [CodeLanguage.Block(open: "#|", close: "|#", nests: true)],
      strings: [.lines("\"")], inNames: "-?!*+<>=./", traits: [.callsInside, .symbols]),
    CodeLanguage(
      names: ["nix"],
      keywords: "assert else if in inherit let or rec then with import",
      constants: "null true false", lineComments: ["#"], blockComments: slashes,
      strings: [.lines("\"", variables: true), .lines("''", escapes: false, variables: true)],
      inNames: "-'", traits: [.equalsKeys]),
    CodeLanguage(
      names: ["prolog", "pro"], keywords: "is not mod rem dynamic module use_module",
      lineComments: ["%"], blockComments: slashes, strings: quotes,
      traits: [.calls, .capitalTypes]),
    CodeLanguage(
      names: ["verilog", "systemverilog", "sv", "v"],
      keywords:
        "always always_comb always_ff assign begin case default else end endcase endfunction "
        + "endmodule endtask for function generate if initial inout input module negedge output "
        + "parameter posedge repeat task while", types: "bit integer logic reg wire",
      lineComments: ["//"], blockComments: slashes, strings: [.line("\"")],
      traits: [.calls, .dollars]),
  ]

  // MARK: - Data, queries and configuration

  static let data: [CodeLanguage] = [
    CodeLanguage(
      names: ["json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest"],
      constants: "null true false", lineComments: ["//"], blockComments: slashes,
      strings: quotes, traits: [.pairKeys]),
    CodeLanguage(
      names: ["yaml", "yml", "docker-compose"],
      constants: "null true false yes no on off Yes No True False",
      lineComments: ["#"], strings: [.lines("\""), .lines("'", escapes: false)], inNames: "-.",
      traits: [.colonKeys, .pairKeys, .spacedComments]),
    CodeLanguage(
      names: ["toml"], constants: "true false inf nan", lineComments: ["#"],
      strings: [
        .lines("\"\"\""), .lines("'''", escapes: false), .line("\""), .line("'", escapes: false),
      ], inNames: "-", traits: [.equalsKeys, .sections]),
    CodeLanguage(
      names: [
        "ini", "cfg", "conf", "properties", "dotenv", "env", "systemd", "desktop", "editorconfig",
        "gitconfig",
      ],
      constants: "true false yes no on off", lineComments: ["#", ";"], strings: [.line("\"")],
      inNames: "-.", traits: [.equalsKeys, .sections, .spacedComments]),
    CodeLanguage(
      names: ["sql", "mysql", "postgresql", "postgres", "psql", "sqlite", "plsql", "tsql"],
      keywords:
        "add all alter analyze and any as asc begin between by cascade case check column commit "
        + "constraint create cross current database default deferrable delete desc distinct drop "
        + "else end escape except exists explain for foreign from full function grant group having "
        + "if ilike in index inner insert intersect into is join key left like limit materialized "
        + "natural not offset on or order outer over partition pragma primary procedure recursive "
        + "references returning revoke right rollback row rows select set table temporary then to "
        + "transaction trigger truncate union unique update using values view when where window with",
      types:
        "bigint blob boolean bytea char date datetime decimal double float int integer json jsonb "
        + "numeric real serial smallint text time timestamp uuid varchar",
      constants: "null true false", lineComments: ["--"], blockComments: nested,
      strings: [.lines("'", escapes: false), .line("\"", escapes: false)],
      traits: [.calls, .ignoresCase]),
    CodeLanguage(
      names: ["graphql", "gql"],
      keywords:
        "directive enum extend fragment implements input interface mutation on query scalar schema "
        + "subscription type union", types: "Boolean Float ID Int String",
      constants: "null true false", lineComments: ["#"], strings: [.lines("\"\"\""), .line("\"")],
      traits: [.capitalTypes, .dollars, .atNames, .pairKeys]),
    CodeLanguage(
      names: ["protobuf", "proto"],
      keywords:
        "enum extend extensions group import map message oneof option optional package public "
        + "repeated required reserved returns rpc service stream syntax to weak",
      types:
        "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string "
        + "uint32 uint64", constants: "true false", lineComments: ["//"], blockComments: slashes,
      strings: quotes, traits: [.capitalTypes]),
    CodeLanguage(
      names: ["hcl", "terraform", "tf", "tfvars"],
      keywords:
        "data dynamic for for_each in locals module output provider resource terraform variable",
      types: "any bool list map number object set string", constants: "null true false",
      lineComments: ["#", "//"], blockComments: slashes,
      strings: [.line("\"", variables: true)], inNames: "-",
      traits: [.calls, .equalsKeys, .heredocs]),
    CodeLanguage(
      names: ["cmake"],
      keywords:
        "add_executable add_library cmake_minimum_required else elseif endforeach endfunction endif "
        + "endmacro find_package foreach function if include install macro message option project "
        + "set target_link_libraries", constants: "ON OFF TRUE FALSE", lineComments: ["#"],
      strings: [.lines("\"", variables: true)], traits: [.calls, .dollars, .ignoresCase]),
    CodeLanguage(
      names: ["makefile", "make", "mk", "gnumake", "just", "justfile"],
      keywords:
        "define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath",
      lineComments: ["#"], strings: [.line("\"", variables: true), .line("'")], inNames: "-.",
      traits: [.dollars, .colonKeys, .equalsKeys, .lineKeywords, .spacedComments]),
    CodeLanguage(
      names: ["dockerfile", "docker", "containerfile"],
      keywords:
        "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL "
        + "STOPSIGNAL USER VOLUME WORKDIR", lineComments: ["#"],
      strings: [.line("\"", variables: true), .line("'")], inNames: "-.",
      traits: [.dollars, .lineKeywords, .ignoresCase, .options, .spacedComments, .heredocs]),
    CodeLanguage(
      names: ["nginx", "nginxconf", "caddyfile"],
      keywords:
        "events http if include listen location map proxy_pass return rewrite root server server_name "
        + "set try_files types upstream", constants: "on off", lineComments: ["#"],
      strings: [.line("\"", variables: true), .line("'")], traits: [.dollars, .spacedComments]),
    CodeLanguage(
      names: ["diff", "patch", "udiff"], grammar: .diff),
  ]

  // MARK: - Markup and style sheets

  static let pages: [CodeLanguage] = [
    CodeLanguage(
      names: ["html", "xhtml", "htm", "vue", "svelte", "handlebars", "erb", "jinja", "jinja2"],
      grammar: .markup),
    CodeLanguage(
      names: ["xml", "svg", "rss", "atom", "xsd", "xsl", "xslt", "plist", "mathml"],
      grammar: .markup),
    CodeLanguage(
      names: ["css", "scss", "less", "sass"],
      keywords: "and important inherit initial none auto unset not only", lineComments: ["//"],
      blockComments: slashes, strings: quotes, inNames: "-",
      traits: [.atNames, .styles, .dollars]),
    CodeLanguage(
      names: ["markdown", "md", "mdx", "gfm", "rmd", "qmd", "commonmark"], grammar: .markdown),
    CodeLanguage(
      names: ["latex", "tex", "bibtex", "bib", "context"], lineComments: ["%"],
      strings: [.line("$")], traits: [.backslashes, .atNames]),
    CodeLanguage(
      names: ["typst", "typ"], keywords: "let set show import include if else for while in return",
      constants: "true false none auto", lineComments: ["//"], blockComments: nested,
      strings: [.line("\""), .line("$")], traits: [.calls, .hashTexts]),
  ]
}
