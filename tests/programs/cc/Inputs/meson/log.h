#ifndef LOG_H
#define LOG_H

#ifdef __cplusplus
extern "C" {
#endif

struct entry {
  long value, is_valid;
};

/* Makes the entry valid after its value is durable. */
void log_write(struct entry *entry, long value);

#ifdef __cplusplus
}
#endif
#endif
