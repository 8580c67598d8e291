#include "io/inputs/unpack_setting.hpp"

#include <cstdio>
#include <utility>

#include "io/input_file.hpp"

namespace terrace::io {
namespace {

std::string scale_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

bool asks_attributes(const Settings& settings) { return settings.find<bool>("unpack").value_or(true); }

std::shared_ptr<const Packing> packing_as_asked(const Settings& settings, const std::string& key,
                                                const std::string& what, const Extents& shape, Packing packing,
                                                const std::vector<std::string>& faults, const OpenContext& context) {
  if (!asks_attributes(settings)) return nullptr;
  packing.unpack = settings.has("unpack");
  for (const std::string& fault : faults) {
    std::string text = what;
    text.append(": its ").append(fault);
    if (packing.unpack) {
      fail_setting(settings, "unpack", "unpack: " + text + ": correct it, or say `unpack: false` and unpack by hand");
    }
    if (context.warn) context.warn(text + " and is passed over");
  }
  if (packing.unpack) return std::make_shared<const Packing>(std::move(packing));
  if (!packing.changes_values() || volume(shape) == 0) return nullptr;
  if (packing.is_scaled()) {
    fail_setting(settings, key,
                 key + ": " + what + " is packed: by its " + packing.scale_origin + " an element x stands for " +
                     scale_text(packing.scale) + " * x + " + scale_text(packing.offset) +
                     "; say `unpack: true` to read these values, or `unpack: false` to read x");
  }
  return std::make_shared<const Packing>(std::move(packing));
}

int results_of_packed(const std::shared_ptr<const Packing>& packing) { return packing ? 2 : 1; }

std::optional<ChangedDefault> changed_default_of_packed(const std::shared_ptr<const Packing>& packing) {
  if (!packing || packing->unpack) return std::nullopt;
  return ChangedDefault{{"unpack", earlier_unpack}, "an error where an attribute would change a value"};
}

}  // namespace terrace::io
