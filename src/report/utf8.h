/* Programs and file systems hand us any bytes; reports are UTF-8.
 *
 * What is not UTF-8 (also surrogates, overlong forms and numbers beyond U+10FFFF) is read byte by
 * byte as U+FFFD, the replacement character. */
#ifndef REPORT_UTF8_H
#define REPORT_UTF8_H

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu
#define UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

/* The character at text[0..n), n > 0; returns its bytes, at least 1. */
size_t utf8_decode(const char *text, size_t n, uint32_t *character);

/* Moves the cursor or has no picture: C0 (tabs and line ends too), DEL and C1. */
bool utf8_is_control(uint32_t character);

/* The text with bytes that are not UTF-8 replaced. */
void utf8_append(struct str *out, const char *text, size_t n);

/* How many 16-bit units UTF-16 needs for text[0..n). */
size_t utf8_utf16_units(const char *text, size_t n);

/* For HTML and XML 1.0, as text or inside "": markup characters, tabs and line ends become references;
 * characters that XML has no way to write, and other controls, U+FFFD. */
void utf8_append_markup(struct str *out, const char *text, size_t n);

#endif
