#include "io/inputs/npy_array.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "io/inputs/npy_texts.hpp"

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
  std::shared_ptr<const NodeNames> element_names() const override { return stored_->element_names(); }

 private:
  std::shared_ptr<Source> stored_;
  Extents shape_;
};

/// The number that 16 bits are in IEEE's binary16.
float number_of_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                      fraction = bits & 1023;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

/// Bits of f16 as f32.
class HalfSource : public Source {
 public:
  explicit HalfSource(std::shared_ptr<Source> bits) : bits_(std::move(bits)) {}

  ElementType type() const override { return ElementType::f32; }
  const Extents& shape() const override { return bits_->shape(); }
  void read(const Box& box, void* buffer) override {
    // The bits lie in the second half of the buffer until they are numbers, from the front on.
    const auto count = static_cast<std::size_t>(box.volume());
    auto* to = static_cast<std::byte*>(buffer);
    const std::byte* from = to + count * sizeof(std::uint16_t);
    bits_->read(box, to + count * sizeof(std::uint16_t));
    for (std::size_t n = 0; n < count; ++n) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, from + n * sizeof bits, sizeof bits);
      const float number = number_of_half(bits);
      std::memcpy(to + n * sizeof number, &number, sizeof number);
    }
  }
  std::vector<std::filesystem::path> files() const override { return bits_->files(); }
  std::string place_of(const Extents& index) const override { return bits_->place_of(index); }
  std::size_t memory() const override { return bits_->memory(); }

 private:
  std::shared_ptr<Source> bits_;
};

/// Bytes that are truth values.
class TruthSource : public Source {
 public:
  explicit TruthSource(std::shared_ptr<Source> bytes) : bytes_(std::move(bytes)) {}

  ElementType type() const override { return bytes_->type(); }
  const Extents& shape() const override { return bytes_->shape(); }
  void read(const Box& box, void* buffer) override { bytes_->read(box, buffer); }
  std::vector<std::filesystem::path> files() const override { return bytes_->files(); }
  std::string place_of(const Extents& index) const override { return bytes_->place_of(index); }
  bool truths() const override { return true; }
  std::size_t memory() const override { return bytes_->memory(); }

 private:
  std::shared_ptr<Source> bytes_;
};

}  // namespace

std::shared_ptr<Source> npy_array(const NpyHeader& header,
                                  const std::function<std::shared_ptr<Source>(const Extents& shape)>& stored,
                                  const std::string& where, const CheckKept& check_kept) {
  const bool transposed = header.fortran_order && header.shape.rank() > 1;
  const Extents shape = transposed ? reversed(header.shape) : header.shape;
  auto array = header.text_bytes ? npy_texts(header, shape, *stored(bytes_of_texts(header, where)), check_kept)
                                 : stored(shape);
  if (transposed) array = std::make_shared<FortranSource>(std::move(array));
  if (header.half) return std::make_shared<HalfSource>(std::move(array));
  if (header.truths) return std::make_shared<TruthSource>(std::move(array));
  return array;
}

}  // namespace terrace::io
