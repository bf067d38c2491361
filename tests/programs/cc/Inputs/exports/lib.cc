extern "C" {
__thread int tls_plain = 5;
__thread int hidden_tls = 6;
__thread int pre_one = 7;

int get(void) {
  return tls_plain + hidden_tls + pre_one;
}
}

namespace ns {
namespace in {
__thread int deep = 9;
__thread int deeper = 10;
}
}
