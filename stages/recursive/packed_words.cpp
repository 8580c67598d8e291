#include "stages/recursive/packed_words.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace terrace::stages {
namespace {

/// Elements that are read at a time, or a row of more.
constexpr std::int64_t piece_elements = std::int64_t{1} << 16;

class PackedWords : public io::Source {
 public:
  explicit PackedWords(std::shared_ptr<io::Source> truth)
      : truth_(std::move(truth)), shape_{truth_->shape()[0], words_of(truth_->shape()[1])} {}

  ElementType type() const override { return ElementType::u32; }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return truth_->files(); }
  std::size_t memory() const override { return truth_->memory(); }

  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    auto* words = static_cast<std::uint32_t*>(buffer);
    std::fill_n(words, box.volume(), 0u);
    Box cells = box;
    cells.begin[1] = box.begin[1] * cells_of_word;
    cells.end[1] = std::min(truth_->shape()[1], box.end[1] * cells_of_word);
    const std::int64_t columns = cells.end[1] - cells.begin[1], across = box.end[1] - box.begin[1];
    const std::int64_t rows = std::max<std::int64_t>(1, piece_elements / columns);
    std::vector<std::uint8_t> piece;
    for (std::int64_t row = box.begin[0]; row < box.end[0]; row += rows) {
      cells.begin[0] = row;
      cells.end[0] = std::min(box.end[0], row + rows);
      piece.resize(static_cast<std::size_t>(cells.volume()));
      truth_->read(cells, piece.data());
      const std::uint8_t* from = piece.data();
      for (std::int64_t i = cells.begin[0]; i < cells.end[0]; ++i, from += columns, words += across)
        pack(from, columns, words);
    }
  }

 private:
  static void pack(const std::uint8_t* from, std::int64_t columns, std::uint32_t* words) {
    for (std::int64_t j = 0; j < columns; ++j)
      words[j / cells_of_word] |= static_cast<std::uint32_t>(from[j] != 0) << j % cells_of_word;
  }

  std::shared_ptr<io::Source> truth_;
  Extents shape_;
};

}  // namespace

std::shared_ptr<io::Source> packed_words(std::shared_ptr<io::Source> truth) {
  return std::make_shared<PackedWords>(std::move(truth));
}

}  // namespace terrace::stages
