// The input kind `flo`: optical flow in Middlebury's format, read by boxes.
//
// The file: "PIEH" (the f32 202021.25), columns and rows as i32, then rows x columns x 2 values of f32, of each pixel
// the displacement along columns and along rows; all little-endian. Values beyond 1e9 mean that it is not known.
#include <bit>
#include <cstring>

#include "io/inputs/raw_array.hpp"
#include "io/inputs/selection.hpp"
#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr Parameter flo_parameters[] = {
    {"flo", ParameterKind::file, "a .flo file: rows x columns x 2 displacements, along columns, then along rows"},
    {"select", ParameterKind::selection, select_help, "", nullptr, 0},
    {"range", ParameterKind::integers, range_help, "", nullptr, 0},
};

constexpr std::int64_t columns_at = 4, rows_at = 8, values_at = 12;

/// An extent at a byte of the header.
std::int64_t extent_at(const unsigned char* header, std::int64_t at, const char* what, const std::string& path) {
  std::int32_t extent = 0;
  for (int byte = 3; byte >= 0; --byte) {
    extent = static_cast<std::int32_t>((static_cast<std::uint32_t>(extent) << 8) | header[at + byte]);
  }
  if (extent > 0) return extent;
  throw IoError(path, "byte " + std::to_string(at) + ": it has " + std::to_string(extent) + " " + what +
                          "; a .flo file has at least 1");
}

std::shared_ptr<Source> open_flo(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "flo", context));
  const std::string path = file.path().string();
  unsigned char header[values_at] = {};
  const std::int64_t found = file.read_some(0, values_at, header);
  if (found < columns_at || std::memcmp(header, "PIEH", columns_at) != 0) {
    throw IoError(path, "byte 0: a .flo file begins with the letters PIEH; this one does not");
  }
  if (found < values_at) {
    throw IoError(
        path, "byte " + std::to_string(found) + ": the file ends within its header of " + counted(values_at, "byte"));
  }
  const std::int64_t columns = extent_at(header, columns_at, "columns", path);
  const Extents shape{extent_at(header, rows_at, "rows", path), columns, 2};
  check_length(file, values_at, ElementType::f32, shape);
  const std::int64_t end = values_at + volume(shape) * static_cast<std::int64_t>(size_of(ElementType::f32));
  if (file.size() > end) {
    throw IoError(path, "byte " + std::to_string(end) + ": " + counted(file.size() - end, "byte") +
                            " follow the displacements of " + to_string(shape) + "; the header or the file is wrong");
  }
  return chosen_part(
      std::make_shared<RawSource>(RawArray(std::move(file), values_at, ElementType::f32, shape, false)), settings,
      path);
}

}  // namespace

InputKind flo_kind() {
  return {"flo", "optical flow in Middlebury's format", flo_parameters, open_flo,
          "{flo: flow.flo, select: [[0, 3], [0, 4], 1]}\n{flo: flow.flo, range: [0, 2]}"};
}

}  // namespace terrace::io
