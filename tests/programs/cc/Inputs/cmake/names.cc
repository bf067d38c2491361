#include <string>

std::string name_of(long value) {
  return "value " + std::to_string(value);
}
