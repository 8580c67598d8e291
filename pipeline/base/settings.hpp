// Checked values of declared parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace terrace {

/// The value of one parameter. Sizes, counts and integers are int64; durations (seconds) and numbers double;
/// choices, arrays, types and files are strings, decimals lists of them; ranges are pairs. A quantity is a double or
/// an array's name; quantities are strings, numbers among them as they are written. Faces are strings, one for all
/// axes or one an axis: "FACE", or "LOW HIGH" if the sides of the axis differ, each a word or "value=NUMBER". The
/// value of `names` is the list of names, in the order of the job; of `items` their number, an int64.
using Value = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, std::vector<double>,
                           std::vector<std::string>, std::vector<std::array<std::int64_t, 2>>,
                           std::vector<std::vector<std::int64_t>>>;

class PlaceParts;

/// A place in a job: `file:line:column`, or the command-line setting, and the line itself.
struct Place {
  std::string text;     // "job.yaml:3:10" or "--set memory.device=1GiB"
  std::string excerpt;  // the line itself and a caret under the column; empty if there is none
  /// Makes the places of its parts: of texts, lists of texts, `names` and `items`; null for all other values.
  std::shared_ptr<const PlaceParts> parts = nullptr;
};

/// The source of a value. It reads the source only when it is asked, and keeps the source alive.
class PlaceParts {
 public:
  virtual ~PlaceParts() = default;
  /// The place of byte `offset` of a text, or of its end; of a text that cannot be found in its source the beginning.
  virtual Place inside(std::size_t offset) const = 0;
  /// The place of an element of a list, of a key of `names`, of one of `items`.
  virtual Place element(std::size_t index) const = 0;
};

/// The place of a byte of the text at `place`: its line and column in the job, whatever quotes, escapes and folded
/// lines stand before it. An offset beyond the text means its end. `place` itself if it knows no parts.
inline Place inside(const Place& place, std::size_t offset) {
  return place.parts ? place.parts->inside(offset) : place;
}

/// The place of an element of the list at `place`, of a key of `names`, of one of `items`. `place` itself if it knows
/// no parts.
inline Place element_of(const Place& place, std::size_t index) {
  return place.parts ? place.parts->element(index) : place;
}

/// "job.yaml:3:10: what", and the excerpt below if there is one. Without a place `what` alone.
inline std::string message_at(const Place& place, const std::string& what) {
  if (place.text.empty()) return what;
  return place.text + ": " + what + (place.excerpt.empty() ? "" : "\n" + place.excerpt);
}

/// Names with checked values; the code that checks them fills in defaults. Nested maps use dotted names
/// (`mutate.rate`), also below names that the user chose (`cells.u`); lists of maps have indices
/// (`point_sources[0].at`).
class Settings {
 public:
  void set(const std::string& name, Value value, Place place = {}) {
    entries_[name] = {std::move(value), std::move(place)};
  }
  bool has(const std::string& name) const { return entries_.count(name) > 0; }

  /// True if the value is there and a T: a parameter that takes words in place of a value may hold text.
  template <class T>
  bool holds(const std::string& name) const {
    auto at = entries_.find(name);
    return at != entries_.end() && std::holds_alternative<T>(at->second.value);
  }

  /// @throws std::out_of_range, std::bad_variant_access on names or types that were not declared (a bug)
  template <class T>
  const T& get(const std::string& name) const {
    return std::get<T>(entries_.at(name).value);
  }
  template <class T>
  std::optional<T> find(const std::string& name) const {
    auto at = entries_.find(name);
    if (at == entries_.end()) return std::nullopt;
    return std::get<T>(at->second.value);
  }
  std::int64_t integer(const std::string& name) const { return get<std::int64_t>(name); }
  double number(const std::string& name) const { return get<double>(name); }
  bool flag(const std::string& name) const { return get<bool>(name); }
  const std::string& text(const std::string& name) const { return get<std::string>(name); }
  /// The keys of a map whose keys the user chose (kind `names`), in the order of the job; none if it is not given.
  std::vector<std::string> names(const std::string& name) const {
    return holds<std::vector<std::string>>(name) ? get<std::vector<std::string>>(name) : std::vector<std::string>{};
  }
  /// The number of maps of a list (kind `items`); 0 if it is not given.
  std::int64_t count(const std::string& name) const { return holds<std::int64_t>(name) ? integer(name) : 0; }

  /// The place of the value in the job; an empty place for defaults.
  const Place& place(const std::string& name) const { return entries_.at(name).place; }

  /// Calls `visit(name, value, place)` for every entry, in the order of names.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [name, entry] : entries_) visit(name, entry.value, entry.place);
  }

 private:
  struct Entry {
    Value value;
    Place place;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace terrace
