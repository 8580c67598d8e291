#include "io/inputs/shaped.hpp"

#include "io/input_file.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {

Extents shape_of_values(const Settings& settings, std::int64_t count, const std::string& what) {
  if (!settings.has("shape")) return {count};
  Extents shape = shape_setting(settings, "shape");
  if (volume(shape) == count) return shape;
  fail_setting(settings, "shape",
               "shape: " + to_string(shape) + " are " + counted(volume(shape), "number") + ", but " + what + " has " +
                   std::to_string(count));
}

std::shared_ptr<Source> shaped_source(NumberList& numbers, const Settings& settings,
                                      std::vector<std::filesystem::path> files, const std::string& what,
                                      ElementPlaces places) {
  const Extents shape = shape_of_values(settings, static_cast<std::int64_t>(numbers.count()), what);
  const ElementType type = numbers.type();
  return std::make_shared<MemorySource>(type, shape, numbers.take(), std::move(files), std::move(places));
}

}  // namespace terrace::io
