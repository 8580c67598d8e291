// Letters of DNA that equal nothing, counted as sequences are read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::stages {

/// Codes of a sequence of DNA (letter_codes()), of which those that equal nothing are counted as they are read.
class CountedLetters : public io::Source {
 public:
  /// @param codes one dimension, u8 @param name of the sequence in the job
  CountedLetters(std::shared_ptr<io::Source> codes, std::string name)
      : codes_(std::move(codes)), name_(std::move(name)) {}

  ElementType type() const override { return codes_->type(); }
  const Extents& shape() const override { return codes_->shape(); }
  std::vector<std::filesystem::path> files() const override { return codes_->files(); }
  std::string place_of(const Extents& index) const override { return codes_->place_of(index); }
  void read(const Box& box, void* buffer) override;

  const std::string& name() const { return name_; }
  /// The share of the letters read so far that equal nothing, from 0 to 1.
  double share() const;

 private:
  std::shared_ptr<io::Source> codes_;
  std::string name_;
  std::atomic<std::int64_t> read_{0}, unlike_{0};
};

using LetterCounts = std::vector<std::shared_ptr<const CountedLetters>>;

/// A warning of sequences of which more than a tenth of the letters read so far equal nothing, as those of a protein
/// do that is read as DNA, with the remedies; empty if there is none. @param place in the job @param stage its name
std::string warning_of_letters(const Place& place, const std::string& stage, const LetterCounts& sequences);

}  // namespace terrace::stages
