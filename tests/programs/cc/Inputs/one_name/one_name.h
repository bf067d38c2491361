inline int next_number() {
  static int n;
  return ++n;
}
inline int inline_variable = 5;
inline thread_local int inline_local = 7;
extern int of_program;
int program_function(int);
int library();
