// The input kind `npy`: NumPy's files, read by boxes.
#include <vector>

#include "io/inputs/npy_header.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr Parameter parameters[] = {
    {"npy", ParameterKind::file, "a .npy file, version 1 to 3, row-major or Fortran order"},
};

class NpySource : public Source {
 public:
  explicit NpySource(RawArray array) : array_(std::move(array)) {}

  ElementType type() const override { return array_.type(); }
  const Extents& shape() const override { return array_.shape(); }
  void read(const Box& box, void* buffer) override { array_.read(box, buffer); }
  std::vector<std::filesystem::path> files() const override { return {array_.file().path()}; }

 private:
  RawArray array_;
};

Extents reversed(const Extents& values) {
  Extents result = values;
  for (int d = 0; d < values.rank(); ++d) result[d] = values[values.rank() - 1 - d];
  return result;
}

/// Writes `from`, row-major of shape `shape`, into `to` with the order of the dimensions turned round.
void transpose(const std::byte* from, const Extents& shape, std::size_t size, std::byte* to) {
  const Extents target = reversed(row_major_strides(reversed(shape)));
  const std::int64_t count = volume(shape);
  Extents at = Extents::filled(shape.rank(), 0);
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::copy_n(from + i * static_cast<std::int64_t>(size), size, to + place * static_cast<std::int64_t>(size));
    int d = shape.rank() - 1;
    while (d >= 0 && at[d] + 1 == shape[d]) {
      place -= at[d] * target[d];
      at[d] = 0;
      --d;
    }
    if (d < 0) break;
    ++at[d];
    place += target[d];
  }
}

/// A file in Fortran order is the row-major file of the transposed array. A read needs memory for its box twice.
class FortranSource : public Source {
 public:
  explicit FortranSource(RawArray array) : array_(std::move(array)), shape_(reversed(array_.shape())) {}

  ElementType type() const override { return array_.type(); }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    const Box stored{reversed(box.begin), reversed(box.end)};
    const std::size_t size = size_of(type());
    std::vector<std::byte> elements(static_cast<std::size_t>(stored.volume()) * size);
    array_.read(stored, elements.data());
    if (!elements.empty()) transpose(elements.data(), stored.shape(), size, static_cast<std::byte*>(buffer));
  }
  std::vector<std::filesystem::path> files() const override { return {array_.file().path()}; }

 private:
  RawArray array_;
  Extents shape_;
};

std::shared_ptr<Source> open(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "npy", context));
  const NpyHeader header = read_npy_header(file);
  const bool transposed = header.fortran_order && header.shape.rank() > 1;
  const Extents shape = transposed ? reversed(header.shape) : header.shape;
  RawArray array(std::move(file), header.offset, header.type, shape, header.big_endian);
  if (transposed) return std::make_shared<FortranSource>(std::move(array));
  return std::make_shared<NpySource>(std::move(array));
}

}  // namespace

InputKind npy_kind() { return {"npy", "an array that NumPy saved", parameters, open, "{npy: grid.npy}"}; }

}  // namespace terrace::io
