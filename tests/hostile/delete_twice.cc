// EXPECT: abort 1
struct node {
  long a[5];
};
int main() {
  node *volatile p = new node;
  delete p;
  delete p; // HERE
}
