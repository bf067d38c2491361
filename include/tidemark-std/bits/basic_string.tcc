// std::string of programs that tidemark-c++ builds: compiled with the program, as C++20 does it, instead of taken from
// the library, whose code has no hooks.  So threads can go on in its middle, and its accesses take part in data races.
#include <bits/c++config.h>
#pragma GCC system_header
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include_next <bits/basic_string.tcc>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
