#include "io/inputs/mutated.hpp"

#include <algorithm>
#include <string_view>

#include "io/held_source.hpp"
#include "io/random.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t block_letters = 4096;
constexpr std::string_view bases = "ACGT";

std::int64_t blocks_of(std::int64_t letters) { return (letters + block_letters - 1) / block_letters; }

enum class Mutation { none, replace, remove, insert };

class Mutated : public HeldSource {
 public:
  Mutated(std::shared_ptr<Source> original, double rate, std::int64_t seed, MutantLength length)
      : original_(std::move(original)),
        rate_(rate),
        events_(seed, RandomStream::events),
        kinds_(seed, RandomStream::kinds),
        letters_(seed, RandomStream::letters) {
    if (length == MutantLength::counted) count_letters();
    else shape_ = original_->shape();  // as many letters are expected to come as to go
  }

  ElementType type() const override { return ElementType::u8; }
  const Extents& shape() const override { return shape_; }
  bool letters() const override { return true; }
  /// 2: U is the letter T, which the first number replaced by T, too. Letters that are made have no U.
  int results() const override { return original_->files().empty() ? 1 : 2; }
  std::optional<std::uint64_t> content() const override { return held_content(*original_); }
  std::vector<std::filesystem::path> files() const override { return original_->files(); }
  std::size_t memory() const override { return block_begins_.capacity() * sizeof(std::int64_t); }

  /// @throws Error if the letters were not counted
  void read(const Box& box, void* buffer) override {
    if (block_begins_.empty()) throw Error("letters of a mutant whose length is an estimate were asked for");
    const std::int64_t begin = box.begin[0], end = box.end[0];
    if (begin >= end) return;
    const auto after = std::upper_bound(block_begins_.begin(), block_begins_.end(), begin);
    std::string made;
    for (auto block = after - block_begins_.begin() - 1; block_begins_[static_cast<std::size_t>(block)] < end;
         ++block) {
      make_block(block, made);
      const std::int64_t at = block_begins_[static_cast<std::size_t>(block)];
      const std::int64_t from = std::max(begin, at), to = std::min(end, at + static_cast<std::int64_t>(made.size()));
      std::copy(made.begin() + (from - at), made.begin() + (to - at), static_cast<char*>(buffer) + (from - begin));
    }
  }

 private:
  void count_letters() {
    const std::int64_t length = original_->shape()[0];
    block_begins_.reserve(static_cast<std::size_t>(blocks_of(length)) + 1);
    for (std::int64_t i = 0; i < length; ++i) {
      if (i % block_letters == 0) block_begins_.push_back(shape_[0]);
      const Mutation mutation = mutation_at(i);
      shape_[0] += mutation == Mutation::remove ? 0 : mutation == Mutation::insert ? 2 : 1;
    }
    block_begins_.push_back(shape_[0]);
  }

  Mutation mutation_at(std::int64_t index) const {
    if (events_.fraction(index) >= rate_) return Mutation::none;
    const std::uint64_t kind = kinds_.below(6, index);
    return kind < 4 ? Mutation::replace : kind == 4 ? Mutation::remove : Mutation::insert;
  }

  char replacement(char letter, std::int64_t index) const {
    char upper = static_cast<char>(letter & ~0x20);
    if (upper == 'U') upper = 'T';  // the same base, in RNA
    const std::size_t was = bases.find(upper);
    if (was == bases.npos) return bases[letters_.below(4, index)];
    return bases[(was + 1 + letters_.below(3, index)) % 4];
  }

  void make_block(std::int64_t block, std::string& made) const {
    const std::int64_t first = block * block_letters;
    const std::int64_t last = std::min(first + block_letters, original_->shape()[0]);
    std::string letters(static_cast<std::size_t>(last - first), '\0');
    original_->read(Box{{first}, {last}}, letters.data());
    made.clear();
    for (std::int64_t i = first; i < last; ++i) {
      const char letter = letters[static_cast<std::size_t>(i - first)];
      const Mutation mutation = mutation_at(i);
      if (mutation == Mutation::insert) made += bases[letters_.below(4, i)];
      if (mutation == Mutation::replace) made += replacement(letter, i);
      else if (mutation != Mutation::remove) made += letter;
    }
  }

  std::shared_ptr<Source> original_;
  double rate_;
  Random events_, kinds_, letters_;
  Extents shape_{0};
  std::vector<std::int64_t> block_begins_;  // first letter of each block of the original; the length last
};

}  // namespace

std::int64_t mutated_memory(std::int64_t letters) {
  return (blocks_of(letters) + 1) * static_cast<std::int64_t>(sizeof(std::int64_t));
}

std::shared_ptr<Source> mutated(std::shared_ptr<Source> original, double rate, std::int64_t seed,
                                MutantLength length) {
  return std::make_shared<Mutated>(std::move(original), rate, seed, length);
}

}  // namespace terrace::io
