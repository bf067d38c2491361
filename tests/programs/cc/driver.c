/* The driver where clang would stand: every way a build system calls a compiler.
 *
 * RUN: rm -rf %t && mkdir -p %t && cd %t
 *
 * Several sources, objects, link only, libraries.
 * RUN: echo 'int helper(int x) { return x + 1; }' > helper.c
 * RUN: %tidemark_cc -c %s -o main.o && %tidemark_cc -c helper.c && %tidemark_cc main.o helper.o -o p1 && ./p1
 * RUN: %tidemark_cc -O2 -g -Wall -Wextra -Werror %s helper.c -o p2 && ./p2
 * RUN: ar rcs libhelper.a helper.o && %tidemark_cc %s -L. -lhelper -o p3 && ./p3
 * RUN: %tidemark_cc -shared -fPIC helper.c -o libshared.so && %tidemark_cc %s -L. -lshared -Wl,-rpath,%t -o p4 && ./p4
 * RUN: %tidemark_cc -r main.o helper.o -o both.o && %tidemark_cc both.o -o p5 && ./p5
 * RUN: %tidemark_cc -O2 -ffunction-sections -fdata-sections -fvisibility=hidden -Wl,--gc-sections %s helper.c -o p6 && ./p6 && %tidemark check --allow-empty ./p6
 *
 * Every program says which hooks it was built for.
 * RUN: nm -D p1 p4 p6 libshared.so | %FileCheck --check-prefix=ABI %s
 * ABI-COUNT-4: {{V|R|W}} __tidemark_abi
 *
 * Assembly, bitcode, standard input, response files, preprocessing, dependencies.
 * RUN: printf '.globl helper\nhelper: lea 1(%%%%rdi),%%%%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' > helper.s
 * RUN: %tidemark_cc %s helper.s -o p7 && ./p7
 * RUN: %tidemark_cc -S -O1 helper.c -o helper2.s && %tidemark_cc %s helper2.s -o p8 && ./p8
 * RUN: %tidemark_cc -c -emit-llvm helper.c -o helper.bc && %tidemark_cc %s helper.bc -o p9 && ./p9
 * RUN: cat %s | %tidemark_cc -x c - -x none helper.o -o p10 && ./p10
 * RUN: echo '-O1 -c "helper.c"' > args && %tidemark_cc @args -o 'with space.o' && %tidemark_cc main.o 'with space.o' -o p11 && ./p11
 * RUN: %tidemark_cc -E -DSHOW %s | %FileCheck --check-prefix=CPP %s
 * CPP: shown_by_the_preprocessor
 * RUN: %tidemark_cc -MD -MF deps.d -c %s -o deps.o && %FileCheck --check-prefix=DEPS %s < deps.d
 * DEPS: deps.o: {{.*}}driver.c
 * RUN: %tidemark_cc -MMD -c helper.c -o sub.o && %FileCheck --check-prefix=SUB %s < sub.d
 * SUB: sub.o: helper.c
 * RUN: %tidemark_cc -MM -MT target helper.c | %FileCheck --check-prefix=TARGET %s
 * TARGET: target: helper.c
 *
 * Two parts of clang that do not run here: the compilation database and another_directory.
 * RUN: %tidemark_cc -MJ ours.json -c helper.c -o db.o && %FileCheck --check-prefix=DATABASE %s < ours.json
 * DATABASE: "file": "helper.c", "output": "db.o", "arguments": [{{.*}}"helper.c", "-o", "db.o", "-g", "-D", "PMEMOBJ_DIRECT_NON_INLINE", "-c",
 * DATABASE-NOT: driver-only
 * RUN: mkdir -p other_dir && cp helper.c other_dir/moved.c && %tidemark_cc -working-directory=%t/other_dir -c moved.c -o moved.o && test -e other_dir/moved.o
 *
 * A static library may come last.
 * RUN: ! %tidemark_cc %s -L. -Wl,-Bstatic -lhelper -o p18 2> static.txt || ./p18
 * RUN: ! grep libtidemark static.txt
 *
 * A warning about the command line comes once.
 * RUN: %tidemark_cc -Wno-such-flag -c helper.c -o once.o 2>&1 | grep -c 'unknown warning option' | %FileCheck --check-prefix=ONCE %s
 * ONCE: {{^}}1{{$}}
 *
 * Quotes in arguments, also in what the object keeps of its command.
 * RUN: echo 'const char *quoted(void) { return TEXT; }' > quoted.c && %tidemark_cc -Werror '-DTEXT="1.0 \\ \"rc\"; f(&x) # y"' -c quoted.c -o quoted.o
 * RUN: objcopy -O binary --only-section=.tidemark.build --set-section-flags .tidemark.build=alloc quoted.o quoted.bin
 * RUN: tr '\000' '\n' < quoted.bin | %FileCheck --check-prefix=QUOTED %s
 * QUOTED: {{^}}-DTEXT="1.0 \\ \"rc\"; f(&x) # y"{{$}}
 *
 * Precompiled headers.
 * RUN: echo 'int helper(int);' > h.h && %tidemark_cc -x c-header h.h -o h.pch && %tidemark_cc -include-pch h.pch %s helper.c -o p12 && ./p12
 * RUN: %tidemark_cc -O0 -x c-header h.h -o h.h.gch && %tidemark_cc -O0 -include h.h %s helper.c -o p12 && ./p12
 * RUN: echo 'export module number; export int zero() { return 0; }' > number.cppm && echo 'import number; int main() { return zero(); }' > uses.cc
 * RUN: %tidemark_cxx -std=c++20 --precompile number.cppm -o number.pcm && %tidemark_cxx -std=c++20 -fmodule-file=number=number.pcm uses.cc number.pcm -o p13 && ./p13
 * RUN: %tidemark_cxx -std=c++20 -O2 -fmodule-output=number.pcm -c number.cppm -o number.o && %tidemark_cxx -std=c++20 -O2 -fmodule-file=number=number.pcm uses.cc number.o -o p14 && ./p14
 *
 * Questions.
 * RUN: %tidemark_cc --version | %FileCheck --check-prefix=VERSION %s
 * RUN: %tidemark_cc -v 2>&1 | %FileCheck --check-prefix=VERSION %s
 * VERSION: clang version 19
 * RUN: %tidemark_cc -c helper.c -Xclang -ast-dump 2>&1 | %FileCheck --check-prefix=AST %s
 * AST: FunctionDecl {{.*}}helper
 * AST-NOT: No such file
 * RUN: %tidemark_cc -dumpmachine && %tidemark_cc -print-prog-name=ld && %tidemark_cc -print-search-dirs
 *
 * What cannot work is dropped with one line.
 * RUN: %tidemark_cc -static -flto -no-pie -static-libgcc --coverage -ftest-coverage %s helper.c -o p13 2>&1 | %FileCheck --check-prefix=DROPPED %s
 * RUN: ./p13
 * DROPPED: tidemark-cc: warning: -static ignored: {{.+}}
 * DROPPED-NEXT: tidemark-cc: warning: -flto ignored: {{.+}}
 * DROPPED-NEXT: tidemark-cc: warning: -no-pie ignored: {{.+}}
 * DROPPED-NEXT: tidemark-cc: warning: -static-libgcc ignored: {{.+}}
 * DROPPED-NEXT: tidemark-cc: warning: --coverage ignored: {{.+}}
 * DROPPED-NOT: {{.}}
 * RUN: %tidemark_cc -pg -fprofile-generate -fprofile-instr-generate=x -fcoverage-mapping %s helper.c -o p19 2>&1 | %FileCheck --check-prefix=PROFILE %s
 * RUN: ./p19 && test ! -e gmon.out && test ! -e x && %tidemark check --allow-empty ./p19
 * PROFILE: tidemark-cc: warning: -pg ignored: {{.+}}
 * PROFILE-NEXT: tidemark-cc: warning: -fprofile-generate ignored: {{.+}}
 * PROFILE-NEXT: tidemark-cc: warning: -fprofile-instr-generate=x ignored: {{.+}}
 * PROFILE-NOT: {{.}}
 * RUN: %tidemark_cc -Werror -static -no-pie -static-libgcc -c helper.c -o quiet.o 2>&1 | %FileCheck --allow-empty --check-prefix=QUIET %s
 * QUIET-NOT: {{.}}
 * A sanitizer that only traps needs no runtime and stays.
 * RUN: %tidemark_cc -fsanitize=address -fsanitize-recover=all %s helper.c -o p15 2>&1 | %FileCheck --check-prefix=SANITIZE %s
 * RUN: %tidemark_cc -fsanitize=memory %s helper.c -o p16 && ./p15 && ./p16 && nm p15 p16 > symbols && ! grep -q san_ symbols
 * SANITIZE: tidemark-cc: warning: -fsanitize=address ignored: {{.+}}
 * SANITIZE-NOT: {{.}}
 * RUN: %tidemark_cc -fsanitize=thread -c helper.c -o thread.o 2>&1 | %FileCheck --check-prefix=THREAD %s
 * THREAD: tidemark-cc: warning: -fsanitize=thread ignored: 'tidemark check --model=sc' finds data races
 * RUN: echo 'int main(int n, char **v) { (void)v; return 0x7fffffff + n; }' > overflow.c
 * RUN: %tidemark_cc -fsanitize=undefined -fsanitize-trap=undefined overflow.c -o p17 2>&1 | %FileCheck --allow-empty --check-prefix=QUIET %s
 * RUN: ! %tidemark check ./p17 2> p17.txt
 * RUN: %FileCheck --check-prefix=TRAP %s < p17.txt
 * TRAP: error[fatal-signal]
 * TRAP-NEXT: overflow.c:1:
 *
 * Errors are clang's, to the letter; no output is left, and no temporary file.
 * RUN: mkdir tmp && echo 'int main(void) { return x' > bad.c
 * RUN: ! env TMPDIR=%t/tmp %tidemark_cc -c bad.c -o bad.o 2> ours.txt
 * RUN: ! clang-19 -c bad.c -o bad.o 2> theirs.txt
 * RUN: diff ours.txt theirs.txt && test ! -e bad.o
 * RUN: echo 'int nowhere(void); int main(void) { return nowhere(); }' > undefined.c
 * RUN: ! env TMPDIR=%t/tmp %tidemark_cc undefined.c -o undefined 2> link.txt
 * RUN: %FileCheck --check-prefix=LINK %s < link.txt
 * LINK: undefined reference to `nowhere'
 * LINK: error: linker command failed with exit code 1
 * RUN: ! env TMPDIR=%t/tmp %tidemark_cc nosuch.c 2> nosuch.txt
 * RUN: %FileCheck --check-prefix=NOSUCH %s < nosuch.txt
 * NOSUCH: error: no such file or directory: 'nosuch.c'
 * RUN: env TMPDIR=%t/tmp %tidemark_cc %s helper.c -o p14
 * RUN: rmdir tmp
 */
#ifdef SHOW
shown_by_the_preprocessor
#endif

int helper(int);

int main(void) {
  return helper(1) == 2 ? 0 : 1;
}
