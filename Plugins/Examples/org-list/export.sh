#!/bin/sh
# An export format for Diple: one Org list item for each highlight, its note below it.
#
# The request is one line of JSON. It is read by awk alone, character by character, and what it
# writes is JSON again: strings are passed on in their escaped form, and never taken apart.
export LC_ALL=C
exec awk '
  # Takes the string that begins at `at`, quotation marks left away, and moves `at` behind it.
  function string(    start) {
    start = ++at
    while (substr(line, at, 1) != "\"") at += substr(line, at, 1) == "\\" ? 2 : 1
    return substr(line, start, at++ - start)
  }

  # Skips a value that is no string, to the comma or bracket after it.
  function skip(    depth, sign) {
    depth = 0
    while (at <= length(line)) {
      sign = substr(line, at, 1)
      if (sign == "\"") { string(); continue }
      if (sign ~ /[[{]/) depth++
      if (sign ~ /[]}]/ && depth-- == 0) return
      if (sign == "," && depth == 0) return
      at++
    }
  }

  # An escaped text on one line.
  function flat(text) {
    gsub(/\\[nrt]/, " ", text)
    return text
  }

  function item(    key, sign) {
    quote = note = source = ""
    at++
    while ((sign = substr(line, at, 1)) != "}") {
      if (sign == ",") { at++; continue }
      key = string()
      at++
      if (substr(line, at, 1) != "\"") skip()
      else if (key == "quote") quote = string()
      else if (key == "note") note = string()
      else if (key == "source") source = string()
      else string()
    }
    at++
    printf "{\"text\":\"- %s ([[file:%s]])\\n%s\"}\n", flat(quote), source,
      note == "" ? "" : "  " flat(note) "\\n"
  }

  {
    line = $0
    at = index(line, "\"records\":[") + 11
    while ((sign = substr(line, at, 1)) == "{" || sign == ",") if (sign == ",") at++; else item()
    print "{\"done\":true}"
  }
'
