// As much of a text as is read at a glance, cut between words.

/** How many characters stand around a passage at most: enough to tell one place from another. */
const around = 120;

/** The end of what stands before a passage. */
export function lead(text = "") {
  return text.length > around ? `… ${text.slice(-around).replace(/^\S*\s+/, "")}` : text;
}

/** The beginning of what stands behind a passage. */
export function trail(text = "") {
  return text.length > around ? `${text.slice(0, around).replace(/\s+\S*$/, "")} …` : text;
}

/** The beginning of a text, in one line. */
export function shortened(text, most = 280) {
  const short = text.replace(/\s+/g, " ").trim();
  return short.length > most ? `${short.slice(0, most).replace(/\s+\S*$/, "")} …` : short;
}
