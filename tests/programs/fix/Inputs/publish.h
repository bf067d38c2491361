struct item {
  long value;
  char apart[56];
  long ready;
};

void publish(struct item *i, long value);
