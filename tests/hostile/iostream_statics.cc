// EXPECT: none 0
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
static std::map<std::string, int> table{{"one", 1}, {"two", 2}};
static const std::regex pattern("([a-z]+)=([0-9]+)");
int main() {
  std::ostringstream out;
  std::smatch match;
  std::string line = "value=42";
  if (table.size() != 2 || !std::regex_match(line, match, pattern))
    return 1;
  table["three"] = std::stoi(match[2]);
  for (const auto &entry : table)
    out << entry.first << ' ' << entry.second << '\n';
  std::cout << out.str();
  return out.str() != "one 1\nthree 42\ntwo 2\n";
}
