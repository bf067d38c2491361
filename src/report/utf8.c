#include "report/utf8.h"

/* What the first byte promises: bytes in all, and the least character that needs so many. */
static size_t length_of(unsigned char first, uint32_t *least) {
  if (first >= 0xc2 && first <= 0xdf) {
    *least = 0x80;
    return 2;
  }
  if (first >= 0xe0 && first <= 0xef) {
    *least = 0x800;
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    *least = 0x10000;
    return 4;
  }
  return 0;
}

size_t utf8_decode(const char *text, size_t n, uint32_t *character) {
  const unsigned char *p = (const unsigned char *)text;
  uint32_t least = 0;
  *character = p[0];
  if (p[0] < 0x80)
    return 1;
  *character = UTF8_REPLACEMENT;
  size_t length = length_of(p[0], &least);
  if (length == 0 || length > n)
    return 1;
  uint32_t c = p[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 1;
    c = c << 6 | (p[i] & 0x3f);
  }
  if (c < least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
    return 1;
  *character = c;
  return length;
}

bool utf8_is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f);
}

void utf8_append(struct str *out, const char *text, size_t n) {
  uint32_t c;
  for (size_t i = 0, length; i < n; i += length) {
    length = utf8_decode(text + i, n - i, &c);
    if (c == UTF8_REPLACEMENT)
      str_append(out, UTF8_REPLACEMENT_TEXT);
    else
      str_append_bytes(out, text + i, length);
  }
}

size_t utf8_utf16_units(const char *text, size_t n) {
  size_t units = 0;
  uint32_t c;
  for (size_t i = 0; i < n; units += c >= 0x10000 ? 2 : 1)
    i += utf8_decode(text + i, n - i, &c);
  return units;
}

static bool has_no_xml(uint32_t c) {
  return utf8_is_control(c) || c == UTF8_REPLACEMENT || c == 0xfffe || c == 0xffff;
}

void utf8_append_markup(struct str *out, const char *text, size_t n) {
  uint32_t c;
  for (size_t i = 0, length; i < n; i += length) {
    length = utf8_decode(text + i, n - i, &c);
    if (c == '&')
      str_append(out, "&amp;");
    else if (c == '<')
      str_append(out, "&lt;");
    else if (c == '>')
      str_append(out, "&gt;");
    else if (c == '"')
      str_append(out, "&quot;");
    else if (c == '\t' || c == '\n' || c == '\r')
      str_format(out, "&#%u;", c);
    else if (has_no_xml(c))
      str_append(out, UTF8_REPLACEMENT_TEXT);
    else
      str_append_bytes(out, text + i, length);
  }
}
