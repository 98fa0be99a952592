#include "CICU.h"

#include <unicode/ubrk.h>

icu_words *icu_words_open(const uint16_t *text, int32_t length) {
  UErrorCode status = U_ZERO_ERROR;
  // The dictionaries go by script: no language needs to be known.
  UBreakIterator *iterator = ubrk_open(UBRK_WORD, "en", (const UChar *)text, length, &status);
  if (U_SUCCESS(status)) return (icu_words *)iterator;
  if (iterator) ubrk_close(iterator);
  return 0;
}

void icu_words_close(icu_words *words) { ubrk_close((UBreakIterator *)words); }

int32_t icu_words_next(icu_words *words) { return ubrk_next((UBreakIterator *)words); }

int icu_words_is_word(icu_words *words) {
  return ubrk_getRuleStatus((UBreakIterator *)words) >= UBRK_WORD_NONE_LIMIT;
}
