#include <unicode/ubrk.h>

// ICU renames its functions by macros, with its version in them; Swift sees no macros.
static inline UBreakIterator *icu_ubrk_open(UBreakIteratorType type, const char *locale,
                                            const UChar *text, int32_t length, UErrorCode *status) {
  return ubrk_open(type, locale, text, length, status);
}
static inline void icu_ubrk_close(UBreakIterator *iterator) { ubrk_close(iterator); }
static inline int32_t icu_ubrk_next(UBreakIterator *iterator) { return ubrk_next(iterator); }
static inline int32_t icu_ubrk_rule_status(UBreakIterator *iterator) {
  return ubrk_getRuleStatus(iterator);
}
