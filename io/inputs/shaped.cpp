#include "io/inputs/shaped.hpp"

#include "io/input_file.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {

std::shared_ptr<Source> shaped_source(NumberList& numbers, const Settings& settings,
                                      std::vector<std::filesystem::path> files, const std::string& what,
                                      ElementPlaces places) {
  const auto count = static_cast<std::int64_t>(numbers.count());
  Extents shape{count};
  if (settings.has("shape")) {
    shape = shape_setting(settings, "shape");
    if (volume(shape) != count) {
      fail_setting(settings, "shape",
                   "shape: " + to_string(shape) + " are " + counted(volume(shape), "number") + ", but " + what +
                       " has " + std::to_string(count));
    }
  }
  const ElementType type = numbers.type();
  return std::make_shared<MemorySource>(type, shape, numbers.take(), std::move(files), std::move(places));
}

}  // namespace terrace::io
