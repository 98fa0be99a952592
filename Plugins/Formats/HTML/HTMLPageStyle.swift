import Model
import Rendering

/// The beginning of an HTML page: its security policy and its style sheet.
enum HTMLPageStyle {
  /// Returns everything before the body. The policy forbids scripts, frames and requests, and
  /// allows only the style sheet with the right hash.
  ///
  /// - Parameter format: the style rules of the documents' formats.
  static func head(title: String, format: HTMLFormatSheet = HTMLFormatSheet()) -> String {
    let rules = format.css
    let sheet = rules.isEmpty ? sheet : sheet + rules
    let hash = rules.isEmpty ? hash : HTMLFormatSheet.policyName(of: sheet)
    let losses = format.losses.joined(separator: "; ")
    let lost =
      losses.isEmpty
      ? "" : "\n<meta name=\"diple-lost-formats\" content=\"\(losses.escapedForHTML)\">"
    return """
      <!DOCTYPE html>
      <html>
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src '\(hash)'; base-uri 'none'; form-action 'none'">
      <meta name="referrer" content="no-referrer">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="generator" content="Diple">\(lost)
      <title>\(title.escapedForHTML)</title>
      <style>\(sheet)</style>
      </head>

      """
  }

  /// The SHA-256 hash of the style sheet.
  static let hash = HTMLFormatSheet.policyName(of: sheet)

  static let sheet = """

    :root { --paper: #fdfdfb; --ink: #1c1c1a; --faint: #5f5f5a; --line: #d8d8d2; --link: #0b57a4; \
    --box: #f3f3ee;
      --yellow: #ffeb94; --green: #c5edbb; --blue: #c3defc; --pink: #fbcfe3;
      --yellow-line: #8a6a00; --green-line: #2c7020; --blue-line: #1d5fa8; --pink-line: #a02c6b;
      --keyword: #a3174f; --string: #0b5a2b; --number: #0a4fa0; --comment: #5f5f5a; \
    --type: #6a3ca8; --tip: #0f5c28; --warn: #8a5a00; --caution: #b3261e; }
    @media screen and (prefers-color-scheme: dark) { :root { --paper: #191a1b; --ink: #e4e3df; \
    --faint: #a5a49e; --line: #3d3e40; --link: #8ab9f0; --box: #232426;
      --yellow: #40360a; --green: #1b3815; --blue: #14304d; --pink: #451a33;
      --yellow-line: #e3c24a; --green-line: #84cf73; --blue-line: #82b6f0; --pink-line: #ef96c3;
      --keyword: #f58fb4; --string: #8fd6a2; --number: #8ab9f0; --comment: #a5a49e; \
    --type: #c7a6f2; --tip: #6fce85; --warn: #e0b04a; --caution: #f58f86; } }
    * { box-sizing: border-box; }
    html { background: var(--paper); color: var(--ink); \
    font: 18px/1.5 Charter, \
    "Bitstream Charter", "Iowan Old Style", "Source Serif 4", "Noto Serif", Georgia, serif; -webkit-text-size-adjust: 100%; }
    body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 40rem; \
    overflow-wrap: break-word; }
    a { color: var(--link); text-underline-offset: 0.15em; }
    [data-b] { white-space: pre-wrap; }
    h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.6em 0 0.5em; break-after: avoid; }
    h1 { font-size: 1.7rem; } h2 { font-size: 1.35rem; } h3 { font-size: 1.15rem; } \
    h4, h5, h6 { font-size: 1rem; }
    header > h1, header > h2 { margin-top: 0; } header { margin-bottom: 1.5rem; }
    p, ul, ol, dl, blockquote, pre, .table, .callout, .footnote { margin: 0 0 1em; }
    ul, ol { padding-inline-start: 1.6em; } ul.tight p, ol.tight p { margin: 0; } \
    .tight > li > ul, .tight > li > ol { margin: 0; }
    li.task { list-style: none; } li.task > input { margin-block: 0; \
    margin-inline: -1.3em 0.3em; } \
    li.task > input + p { display: inline; }
    blockquote { padding-inline-start: 1em; border-inline-start: 3px solid var(--line); \
    color: var(--faint); } blockquote > :last-child, .callout > :last-child { margin-bottom: 0; }
    .callout { padding: 0.6em 1em; border-inline-start: 4px solid var(--number); \
    background: var(--box); } \
    .callout.tip { border-color: var(--tip); } .callout.important { border-color: var(--type); } \
    .callout.warning { border-color: var(--warn); } \
    .callout.caution { border-color: var(--caution); }
    .callout > .label { font-weight: bold; margin-bottom: 0.3em; }
    dt { font-weight: bold; } dd { margin: 0 0 0.5em; margin-inline-start: 1.5em; } \
    dd > p { margin: 0; }
    .footnote { font-size: 0.9em; padding-inline-start: 2em; } \
    .footnote > .label { float: inline-start; margin-inline: -2em 0.5em; \
    min-width: 1.5em; color: var(--faint); } \
    .footnote-mark { font-size: 0.8em; vertical-align: super; line-height: 1; \
    text-decoration: none; }
    code, pre { font: 0.84em/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
    pre { padding: 0.7em 0.9em; background: var(--box); overflow-x: auto; } \
    pre code { font-size: 1em; } \
    p code, li code, td code { background: var(--box); padding: 0 0.15em; }
    pre[data-b] { white-space: pre; } \
    .code-title { font-size: 0.8em; color: var(--faint); margin: 0 0 0.2em; }
    .k-comment { color: var(--comment); font-style: italic; } .k-string { color: var(--string); } \
    .k-number, .k-key, .k-meta { color: var(--number); } \
    .k-keyword, .k-tag { color: var(--keyword); } \
    .k-type, .k-function, .k-variable { color: var(--type); } .k-added { color: var(--tip); } \
    .k-removed { color: var(--caution); }
    .table { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.92em; } \
    th, td { padding: 0.25em 0.7em; border: 1px solid var(--line); text-align: start; \
    vertical-align: top; } th { background: var(--box); } .left { text-align: left; } \
    .center { text-align: center; } .right { text-align: right; }
    hr { border: 0; border-top: 1px solid var(--line); margin: 2em 0; } \
    img { max-width: 100%; height: auto; } .picture { color: var(--faint); font-style: italic; }
    mark { color: inherit; background: var(--box); border-bottom: 2px solid; padding: 0.05em 0; \
    -webkit-box-decoration-break: clone; box-decoration-break: clone; print-color-adjust: exact; \
    -webkit-print-color-adjust: exact; }
    mark.yellow { background: var(--yellow); border-color: var(--yellow-line); } \
    mark.green { background: var(--green); border-color: var(--green-line); } \
    mark.blue { background: var(--blue); border-color: var(--blue-line); } \
    mark.pink { background: var(--pink); border-color: var(--pink-line); }
    mark.doubtful { border-bottom-style: dashed; } \
    mark.own { border: 0; background: var(--box); font-weight: 600; } \
    mark code { background: none; }
    [data-x] { user-select: none; -webkit-user-select: none; }
    .hint { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); \
    white-space: nowrap; }
    .hint:target + mark, .hint:target + a > mark { outline: 3px solid var(--link); \
    outline-offset: 1px; }
    .sign { font: 0.62em/1 ui-sans-serif, system-ui, sans-serif; vertical-align: super; \
    margin-right: 0.1em; color: var(--faint); text-decoration: none; } \
    a.sign { color: var(--link); padding: 0.4em 0.2em; }
    .facts, aside, .list, nav { \
    font-family: ui-sans-serif, system-ui, \
    "Segoe UI", "Noto Sans", sans-serif; } .facts { font-size: 0.74rem; color: var(--faint); margin: 0 0 0.3em; }
    .note:not(.callout) { margin: 0; font-size: 0.84rem; line-height: 1.4; } \
    p.note { white-space: pre-wrap; } .note:not(.callout) > * { margin: 0 0 0.5em; } \
    .note > :last-child { margin-bottom: 0; } \
    .note :is(h1, h2, h3, h4, h5, h6) { font-size: 1em; } .note blockquote { color: inherit; } \
    header > .note { margin: 1em 0; } .tag, time { white-space: nowrap; }
    article { position: relative; } article::after { content: ""; display: block; clear: both; }
    div.noted { display: flex; flex-direction: column; } div.noted > * { min-width: 0; } \
    div.noted > aside { order: 1; margin: -0.4em 0 1em; } \
    .note-box { padding: 0.3em 0 0.3em 0.7em; margin-bottom: 0.5em; \
    border-left: 3px solid var(--line); } .note-box.yellow { border-color: var(--yellow-line); } \
    .note-box.green { border-color: var(--green-line); } \
    .note-box.blue { border-color: var(--blue-line); } \
    .note-box.pink { border-color: var(--pink-line); }
    .note-box:target, li:target { background: var(--box); } .back { text-decoration: none; }
    .color { display: inline-block; min-width: 1.5em; padding: 0 0.25em; text-align: center; \
    font-size: 0.72rem; border-radius: 3px; color: var(--ink); print-color-adjust: exact; \
    -webkit-print-color-adjust: exact; } .color.yellow { background: var(--yellow); } \
    .color.green { background: var(--green); } .color.blue { background: var(--blue); } \
    .color.pink { background: var(--pink); }
    .list { margin-top: 3rem; padding-top: 0.5rem; border-top: 1px solid var(--line); \
    font-size: 0.84rem; } .list h2, nav h1 { font-size: 1rem; } \
    .list li, nav li { margin-bottom: 0.4em; } .list li a { color: inherit; } \
    .problem { color: var(--caution); font-style: italic; }
    nav { margin-bottom: 3rem; font-size: 0.9rem; } \
    article + article { margin-top: 5rem; padding-top: 2rem; border-top: 3px double var(--line); }
    @media screen and (min-width: 64rem) { body { max-width: 64rem; padding-left: 4.5rem; } \
    nav, article { max-width: 37.5rem; } article > .list { clear: both; } \
    div.noted { display: block; } \
    div.noted > aside { float: right; clear: right; width: 17.5rem; margin: 0.3em -19.5rem 0.8em 0; } \
    .sign { position: absolute; left: -3.1rem; width: 2.3rem; margin: 0; text-align: right; \
    font-size: 0.7rem; line-height: 1.7rem; vertical-align: baseline; } a.sign { padding: 0; } \
    .sign.second { left: -4.5rem; } .sign.more { position: static; font-size: 0.62em; \
    line-height: 1; vertical-align: super; } }
    @media print { @page { margin: 2cm; } html { font-size: 11pt; background: #fff; color: #000; } \
    body { max-width: none; padding: 0; } a { color: inherit; text-decoration: none; } \
    pre[data-b] { white-space: pre-wrap; } \
    pre, .table, .note-box, figure, img { break-inside: avoid; } p { orphans: 3; widows: 3; } \
    article + article { break-before: page; border: 0; margin: 0; padding: 0; } \
    .back { display: none; } div.noted { break-inside: auto; } }

    """
}
