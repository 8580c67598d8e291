// An array that is held in memory as a whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "io/files/checksum.hpp"
#include "io/held_source.hpp"

namespace terrace::io {

/// Row-major elements in memory, which the source owns.
class MemorySource : public HeldSource {
 public:
  /// @param bytes the elements, volume(shape) of them, in the machine's byte order
  /// @param places of the elements, if they stand in the job itself; null: not known
  MemorySource(ElementType type, Extents shape, std::vector<std::byte> bytes,
               std::vector<std::filesystem::path> files = {}, ElementPlaces places = nullptr)
      : type_(type),
        shape_(std::move(shape)),
        bytes_(std::move(bytes)),
        files_(std::move(files)),
        places_(std::move(places)) {}

  ElementType type() const override { return type_; }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    copy_box(bytes_.data(), Box::whole(shape_), buffer, box, box, size_of(type_));
  }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string place_of(const Extents& index) const override {
    if (!places_) return HeldSource::place_of(index);
    std::int64_t element = 0;
    for (int d = 0; d < shape_.rank(); ++d) element = element * shape_[d] + index[d];
    return places_(static_cast<std::size_t>(element));
  }
  std::size_t memory() const override { return bytes_.size(); }
  std::optional<std::uint64_t> content() const override { return checksum(bytes_); }
  std::optional<KnownRange> known_range() const override {
    return dispatch(type_, [&](auto zero) {
      using T = decltype(zero);
      const auto count = static_cast<std::size_t>(volume(shape_));
      return range_of(std::span(reinterpret_cast<const T*>(bytes_.data()), count), "its values in memory");
    });
  }

 private:
  ElementType type_;
  Extents shape_;
  std::vector<std::byte> bytes_;
  std::vector<std::filesystem::path> files_;
  ElementPlaces places_;
};

}  // namespace terrace::io
