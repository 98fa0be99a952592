// Short excerpts of texts, cut between words.

/** The maximum number of characters before and after a passage, enough to distinguish places. */
const around = 120;

/** Returns the end of the text before a passage. */
export function lead(text = "") {
  return text.length > around ? `… ${text.slice(-around).replace(/^\S*\s+/, "")}` : text;
}

/** Returns the beginning of the text after a passage. */
export function trail(text = "") {
  return text.length > around ? `${text.slice(0, around).replace(/\s+\S*$/, "")} …` : text;
}

/** Returns the beginning of a text in one line, with at most `most` characters and an ellipsis. */
export function shortened(text, most = 280) {
  const short = text.replace(/\s+/g, " ").trim();
  return short.length > most ? `${short.slice(0, most).replace(/\s+\S*$/, "")} …` : short;
}
