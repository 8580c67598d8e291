#include "io/kinds.hpp"

#include <array>

#include "io/input_file.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {

std::span<const InputKind> input_kinds() {
  static const std::array kinds{hdf5_kind(),  external_kind(), values_kind(),       npy_kind(),     npz_kind(),
                                csv_kind(),   text_kind(),     fasta_kind(),        fastq_kind(),   flo_kind(),
                                image_kind(), graph_kind(),    substitution_kind(), generate_kind()};
  return kinds;
}

bool is_holdable(const Extents& shape) {
  try {
    return volume(shape) <= most_elements;
  } catch (const Error&) {
    return false;
  }
}

Extents shape_setting(const Settings& settings, const std::string& key) {
  const auto& values = settings.get<std::vector<std::int64_t>>(key);
  if (values.empty()) fail_setting(settings, key, key + ": give at least one extent, as [3, 4]");
  if (values.size() > static_cast<std::size_t>(max_rank)) {
    fail_setting(settings, key, key + ": has " + std::to_string(values.size()) + " dimensions; the most are 32");
  }
  Extents shape;
  std::vector<ElementFault> faults;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) faults.push_back({i, key + ": the extent " + std::to_string(values[i]) + " is negative"});
    shape.push_back(values[i]);
  }
  if (!faults.empty()) throw ElementError(settings, key, std::move(faults));
  if (!is_holdable(shape)) {
    fail_setting(settings, key,
                 key + ": " + to_string(shape) + " elements are more than any machine holds; give a smaller shape");
  }
  return shape;
}

std::optional<ElementType> type_setting(const Settings& settings, const std::string& key) {
  const auto name = settings.find<std::string>(key);
  if (!name || name->empty()) return std::nullopt;
  const auto type = element_type_from(*name);
  if (!type) fail_setting(settings, key, key + ": '" + *name + "' is no element type; there are " + element_types);
  return type;
}

}  // namespace terrace::io
