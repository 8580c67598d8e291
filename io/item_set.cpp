#include "io/item_set.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "io/files/checksum.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {

ItemSet::ItemSet(std::vector<std::int64_t> begin, NodeNames names, std::vector<std::string> repeated)
    : begin_(std::move(begin)), names_(std::move(names)), repeated_(std::move(repeated)) {}

std::string ItemSet::item_name(std::int64_t item) const {
  const bool numbers = std::holds_alternative<NodeNames::Numbers>(names_.names({item}));
  return numbers ? "item " + names_.name(item) : quote(names_.name(item));
}

bool ItemSet::is_repeated(const std::string& name) const {
  return std::binary_search(repeated_.begin(), repeated_.end(), name);
}

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

namespace {

using Warn = std::function<void(const std::string&)>;
using PlaceOf = std::function<std::string(std::size_t item)>;

/// Names that are there several times, ascending. Takes little memory where there is none.
std::vector<std::string> repeated_names(const std::vector<std::string>& names) {
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> repeated;
  for (std::size_t at = 1; at < sorted.size(); ++at) {
    if (sorted[at] != sorted[at - 1] || (!repeated.empty() && repeated.back() == sorted[at])) continue;
    repeated.emplace_back(sorted[at]);
  }
  return repeated;
}

void name_by_index(std::vector<std::string>& names, const Warn& warn, const std::string& what,
                   const PlaceOf& place_of) {
  std::int64_t nameless = 0;
  std::size_t first = 0;
  for (std::size_t item = 0; item < names.size(); ++item) {
    if (!names[item].empty()) continue;
    if (nameless++ == 0) first = item;
    names[item] = std::to_string(item);
  }
  if (nameless == 0 || !warn) return;
  warn(counted(nameless, "record") + " of " + what +
       (nameless == 1 ? " has no name, and is called by its index" : " have no name, and are called by their index") +
       ", from 0: " + place_of(first) + " becomes " + quote(names[first]));
}

}  // namespace

std::vector<std::string> make_unique(std::vector<std::string>& names, const Warn& warn, const std::string& what,
                                     const PlaceOf& place_of) {
  name_by_index(names, warn, what, place_of);
  std::vector<std::string> repeated = repeated_names(names);
  if (repeated.empty()) return repeated;
  std::unordered_set<std::string> taken(names.begin(), names.end());
  std::unordered_map<std::string, std::int64_t> numbers;  // the last one that was given to a name
  std::int64_t changed = 0;
  std::string example;
  for (std::size_t item = 0; item < names.size(); ++item) {
    std::string& name = names[item];
    std::int64_t& number = numbers[name];
    if (++number == 1) continue;
    std::string other = name + "#" + std::to_string(number);
    while (!taken.insert(other).second) other = name + "#" + std::to_string(++number);
    if (changed++ == 0 && warn) {
      example = quote(name) + " at " + place_of(item) + " is there again, and becomes " + quote(other);
    }
    name = std::move(other);
  }
  if (warn) {
    warn("names of records in " + what + " are there several times (" + counted(changed, "name") +
         " changed): " + example);
  }
  return repeated;
}

}  // namespace terrace::io
