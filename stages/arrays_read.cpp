#include "stages/arrays_read.hpp"

#include <algorithm>
#include <utility>

#include "io/packing.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

std::string setting_that_names(const std::string& array, const job::Stage& stage) {
  const auto names = job::array_names(stage.arrays, stage.settings);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const job::ArrayName& named) { return named.name == array; });
  return found == names.end() ? "" : found->setting;
}

std::shared_ptr<io::Source> as_read_by(const job::Stage& stage, const std::string& name,
                                       std::shared_ptr<io::Source> array) {
  const std::string setting = setting_that_names(name, stage);
  const Place& place = place_of(stage, setting);
  return io::unpacked(std::move(array), {name, stage.name, place}, stage.settings.has("nan"));
}

}  // namespace terrace::stages
