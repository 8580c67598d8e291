// The input kind `npy`: NumPy's files, read by boxes.
#include "io/inputs/npy_array.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/inputs/selection.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr Parameter npy_parameters[] = {
    {"npy", ParameterKind::file, "a .npy file, version 1 to 3, row-major or Fortran order"},
    {"select", ParameterKind::selection, select_help, "", nullptr, 0},
    {"range", ParameterKind::integers, range_help, "", nullptr, 0},
};

std::shared_ptr<Source> open_npy(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "npy", context));
  const std::string path = file.path().string();
  const NpyHeader header = read_npy_header(
      [&](std::int64_t offset, std::int64_t bytes, void* buffer) { return file.read_some(offset, bytes, buffer); },
      path);
  return chosen_part(npy_array(
                         header,
                         [&](const Extents& shape) {
                           return std::make_shared<RawSource>(
                               RawArray(std::move(file), header.offset, header.stored(), shape, header.big_endian));
                         },
                         path, kept_check(settings, "npy", context)),
                     settings, path);
}

}  // namespace

InputKind npy_kind() {
  return {"npy", "an array that NumPy saved", npy_parameters, open_npy,
          "{npy: grid.npy, select: [[0, 3], [0, 4]]}\n{npy: grid.npy, range: [0, 2]}"};
}

}  // namespace terrace::io
