#include "stages/arrays_read.hpp"

#include <algorithm>
#include <utility>

#include "io/item_set.hpp"
#include "io/packing.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

std::string setting_that_names(const std::string& array, const job::Stage& stage) {
  const auto names = job::array_names(stage.arrays, stage.settings);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const job::ArrayName& named) { return named.name == array; });
  return found == names.end() ? "" : found->setting;
}

namespace {

[[noreturn]] void refuse_set(const job::Stage& stage, const std::string& setting, const std::string& name,
                             const io::Source& set) {
  const char* remedy = set.letters() ? "`record: NAME` in place of `records: all` takes one"
                                     : "without `each` it is one array; `select` takes a part of it";
  refuse(stage, setting,
         "'" + name + "' is a set of " + counted(set.items()->count(), "item") + ", and `" + setting +
             "` takes one array: " + remedy);
}

}  // namespace

std::shared_ptr<io::Source> as_read_by(const job::Stage& stage, const std::string& name,
                                       std::shared_ptr<io::Source> array) {
  const std::string setting = setting_that_names(name, stage);
  const Place& place = place_of(stage, setting);
  if (array->items() && std::find(stage.sets.begin(), stage.sets.end(), setting) == stage.sets.end()) {
    refuse_set(stage, setting, name, *array);
  }
  if (array->element_names() && setting != "pairs") {
    refuse(stage, setting,
           "'" + name + "' holds names, and `" + setting +
               "` takes numbers: leave `names` out of an input of text whose values are numbers, or convert texts "
               "to numbers");
  }
  return io::unpacked(std::move(array), {name, stage.name, place}, stage.settings.has("nan"));
}

}  // namespace terrace::stages
