/* Shown in the reports of this folder; it is never compiled. */
struct node {
  long key, value;
  struct node *next;
};

void insert(struct node **head, struct node *n, long key, long value) {
  n->key = key;
  n->value = value;
  n->next = *head;
  persist(n, sizeof n->key);
  *head = n;
  persist(head, sizeof *head);
}

void recover(struct node **head) {
  for (struct node *n = *head; n; n = n->next) {
	long value = n->value;
	tidemark_assert(value == 10 * n->key);
  }
}
