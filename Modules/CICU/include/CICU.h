#pragma once
#include <stdint.h>

// The break iterator of ICU, without its headers: Foundation has an ICU of its own, and a program
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
