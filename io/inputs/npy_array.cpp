#include "io/inputs/npy_array.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace terrace::io {
namespace {

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

/// An array in Fortran order is the row-major one of the transposed array. A read needs memory for its box twice.
class FortranSource : public Source {
 public:
  explicit FortranSource(std::shared_ptr<Source> stored)
      : stored_(std::move(stored)), shape_(reversed(stored_->shape())) {}

  ElementType type() const override { return stored_->type(); }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    const Box there{reversed(box.begin), reversed(box.end)};
    const std::size_t size = size_of(type());
    std::vector<std::byte> elements(static_cast<std::size_t>(there.volume()) * size);
    stored_->read(there, elements.data());
    if (!elements.empty()) transpose(elements.data(), there.shape(), size, static_cast<std::byte*>(buffer));
  }
  std::vector<std::filesystem::path> files() const override { return stored_->files(); }
  std::string place_of(const Extents& index) const override { return stored_->place_of(reversed(index)); }
  std::size_t memory() const override { return stored_->memory(); }

 private:
  std::shared_ptr<Source> stored_;
  Extents shape_;
};

}  // namespace

std::shared_ptr<Source> npy_array(const NpyHeader& header,
                                  const std::function<std::shared_ptr<Source>(const Extents& shape)>& stored) {
  const bool transposed = header.fortran_order && header.shape.rank() > 1;
  auto array = stored(transposed ? reversed(header.shape) : header.shape);
  return transposed ? std::make_shared<FortranSource>(std::move(array)) : array;
}

}  // namespace terrace::io
