#include "io/item_set.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "io/files/checksum.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {

ItemSet::ItemSet(std::vector<std::int64_t> begin, NodeNames names)
    : begin_(std::move(begin)), names_(std::move(names)) {}

std::int64_t ItemSet::item_of(std::int64_t element) const {
  return std::upper_bound(begin_.begin(), begin_.end(), element) - begin_.begin() - 1;
}

std::size_t ItemSet::memory() const { return begin_.capacity() * sizeof(std::int64_t) + names_.memory(); }

std::uint64_t ItemSet::content() const {
  RunningChecksum sum;
  sum.add(std::as_bytes(std::span(begin_)));
  const std::uint64_t names = names_.content();
  sum.add(std::as_bytes(std::span(&names, 1)));
  return sum.value();
}

void make_unique(std::vector<std::string>& names, const std::function<void(const std::string&)>& warn,
                 const std::string& what) {
  std::unordered_set<std::string> taken(names.begin(), names.end());
  if (taken.size() == names.size()) return;
  std::unordered_map<std::string, std::int64_t> numbers;  // the last one that was given to a name
  std::int64_t changed = 0;
  std::string example;
  for (std::string& name : names) {
    std::int64_t& number = numbers[name];
    if (++number == 1) continue;
    std::string other = name + "#" + std::to_string(number);
    while (!taken.insert(other).second) other = name + "#" + std::to_string(++number);
    if (changed++ == 0) example = quote(name) + " is there again, and becomes " + quote(other);
    name = std::move(other);
  }
  if (!warn) return;
  warn("names of records in " + what + " are there several times (" + counted(changed, "name") +
       " changed): " + example);
}

}  // namespace terrace::io
