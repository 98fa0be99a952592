#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <pango/pangocairo.h>

/* Bit fields of C, one bit each. */
static inline int cpango_is_sentence_start(const PangoLogAttr *attribute) {
  return attribute->is_sentence_start;
}

static inline int cpango_is_line_break(const PangoLogAttr *attribute) {
  return attribute->is_line_break;
}
