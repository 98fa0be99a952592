#pragma once
#include <stdint.h>

// The parts of ICU that are used, without its headers: Foundation has an ICU of its own, and a program
// that saw the headers of both would be refused. ICU also renames its functions by macros, with its
// version in them, which Swift cannot see.

/// An iterator over the borders of words.
typedef struct icu_words icu_words;

/// Opens an iterator over UTF-16 units, which must outlive it; NULL when ICU cannot.
icu_words *icu_words_open(const uint16_t *text, int32_t length);
/// Closes it.
void icu_words_close(icu_words *words);
/// The end of the next piece, or a negative number after the last one.
int32_t icu_words_next(icu_words *words);
/// Whether the piece before the present border is a word.
int icu_words_is_word(icu_words *words);

/// The levels of a text's UTF-16 units by the bidirectional algorithm: odd ones run from right to left.
/// `base` is the level of a paragraph, or negative for that of its first letter. Returns the level of
/// the first paragraph, or a negative number when ICU cannot.
int32_t icu_bidi_levels(const uint16_t *text, int32_t length, int32_t base, uint8_t *levels);
/// The character that looks like this one from the other side; itself for most.
uint32_t icu_mirror(uint32_t scalar);
