/* Names of C++ functions (process/cxx_name.h). */
#include "base/str.h"
#include "process/cxx_name.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void reads(const char *mangled, const char *wanted) {
  struct str name = {0};
  bool can = cxx_name(mangled, &name);
  if (can != (wanted != NULL) || strcmp(str_text(&name), wanted ? wanted : "") != 0)
    fail_msg("%s: %s", mangled, str_text(&name));
  str_free(&name);
}

static void names_are_read(void **state) {
  (void)state;
  reads("_Z7preparev", "prepare");
  reads("_ZL7prepareP6sharedi", "prepare");
  reads("_ZN7nvindex6NVMMgr4initERPvRiRb", "nvindex::NVMMgr::init");
  reads("_ZNK3map4findEi", "map::find");
  reads("_ZN12_GLOBAL__N_14initEv", "_GLOBAL__N_1::init");
  reads("_Z5writeIiLj64EEvT_", "write");
  reads("_ZN5viper5ViperImmE6createERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEmNS_"
        "11ViperConfigE",
        "viper::Viper::create");
  reads("_ZN7nvindex7RN_tree5BtreeIxxLi64EEC2Ev", "nvindex::RN_tree::Btree::Btree");
  reads("_ZN4PairI3KeyNS0_5ValueEED1Ev", "Pair::~Pair");
  reads("_ZN1aIJidEE1bIFvvEEEvv", "a::b");
  reads("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back");
  reads("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move");
  reads("_ZN3foo3barB5cxx11Ev", "foo::bar");
}

static void other_names_are_not(void **state) {
  (void)state;
  reads("prepare", NULL);
  reads("_Z", NULL);
  reads("_ZN", NULL);
  reads("_ZN3fo", NULL);
  reads("_ZN99999999999999999999foE", NULL);
  reads("_ZN3fooI", NULL);
  reads("_ZN3fooILNS_1aE0EE3barEv", NULL); /* a value of an enumeration */
  reads("_ZN3fooplERKS_", NULL);           /* operator+ */
  reads("_ZZN3foo3barEvENKUlvE_clEv", NULL);
}

static void patterns_fit_the_end(void **state) {
  (void)state;
  assert_true(cxx_name_fits("init", "nvindex::NVMMgr::init"));
  assert_true(cxx_name_fits("NVMMgr::init", "nvindex::NVMMgr::init"));
  assert_true(cxx_name_fits("nvindex::NVMMgr::*", "nvindex::NVMMgr::init"));
  assert_true(
      cxx_name_fits("viper::Viper<unsigned long, pair<int, int>>::create", "viper::Viper::create"));
  assert_false(cxx_name_fits("Mgr::init", "nvindex::NVMMgr::init"));
  assert_false(cxx_name_fits("nvindex::NVMMgr", "nvindex::NVMMgr::init"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_read),
                                     cmocka_unit_test(other_names_are_not),
                                     cmocka_unit_test(patterns_fit_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
