#include "CICU.h"

#include <string.h>
#include <unicode/ubidi.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>

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

int32_t icu_bidi_levels(const uint16_t *text, int32_t length, int32_t base, uint8_t *levels) {
  UErrorCode status = U_ZERO_ERROR;
  UBiDi *bidi = ubidi_openSized(length, 0, &status);
  if (!bidi) return -1;
  ubidi_setPara(
    bidi, (const UChar *)text, length, base < 0 ? UBIDI_DEFAULT_LTR : (UBiDiLevel)base, 0, &status);
  const UBiDiLevel *found = U_SUCCESS(status) ? ubidi_getLevels(bidi, &status) : 0;
  int32_t direction = -1;
  if (U_SUCCESS(status) && found) {
    memcpy(levels, found, (size_t)length);
    direction = ubidi_getParaLevel(bidi);
  }
  ubidi_close(bidi);
  return direction;
}

uint32_t icu_mirror(uint32_t scalar) { return (uint32_t)u_charMirror((UChar32)scalar); }
