#include "io/kept_memory.hpp"

#include <unistd.h>

#include "io/input_file.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::io {

CheckKept kept_check(const Settings& settings, const std::string& key, const OpenContext& context,
                     const std::string& remedy) {
  const bool given = context.host_memory.has_value();
  const std::int64_t most = given ? *context.host_memory : sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
  return [&settings, key, given, most, remedy](std::int64_t bytes) {
    if (bytes < most) return;
    const auto size = [](std::int64_t of) { return format_size(static_cast<double>(of)); };
    fail_setting(settings, key,
                 key + ": takes " + size(bytes) + " of memory and more, and " +
                     (given ? "memory.host is " : "this machine has ") + size(most) +
                     (given ? ": the least is more than " + size(bytes) : "") + remedy);
  };
}

}  // namespace terrace::io
