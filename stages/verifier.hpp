// Computing parts of a finished result again, by the plain programs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Chooses the parts to compute again. The same choices for the same seed.
class Sampler {
 public:
  /// @param fraction of the parts, 0 < fraction <= 1
  Sampler(double fraction, std::int64_t seed) : fraction_(fraction), seed_(seed) {}

  bool takes_all() const { return fraction_ >= 1; }
  /// So many of the parts [0, count) of a dataset, in ascending order: `fraction` of them, rounded up.
  std::vector<std::int64_t> pick(const std::string& dataset, std::int64_t count) const;
  /// One of the places [0, count) in a part of a dataset.
  std::int64_t place(const std::string& dataset, std::int64_t part, std::int64_t count) const;

 private:
  double fraction_;
  std::int64_t seed_;
};

/// The findings of a verifier about datasets of its stage.
struct Checked {
  std::string dataset;     // "table"; of several that are checked together "start, end, cigar"
  std::string what;        // "41 of 4096 tiles computed again"; if `sampled` is false, why it was not
  std::string difference;  // the first difference, with its place; empty: none
  bool sampled = true;
};

/// A stage of a finished result.
struct VerifyRequest {
  /// The stage as recorded; `array` gives the arrays that it read: inputs of the job, and datasets of earlier stages
  /// in the result. @throws Unavailable
  const Request& request;
  /// A dataset of the stage, by its name: "table". @throws IoError if the result has no dataset of that name
  std::function<std::shared_ptr<io::Source>(const std::string& name)> dataset;
  /// The values of a small dataset as text: numbers in the fewest digits that give them back, as text_of() does.
  std::function<std::vector<std::string>(const std::string& name)> texts;
  std::function<bool(const std::string& name)> has;
  const Sampler& sampler;
  /// Called now and then with the numbers of checked parts and of all parts; it may throw. May be empty.
  std::function<void(std::int64_t done, std::int64_t all)> advance = {};
};

/// A dataset of the result has another type or shape than the stage writes, so that values cannot be compared.
class WrongDataset : public Error {
 public:
  WrongDataset(const std::string& name, const std::string& what) : Error(name + " " + what) {}
};

/// The stage reads an array of a temporary stage, which no result holds.
class Unavailable : public Error {
 public:
  using Error::Error;
};

/// A number in the fewest digits that give it back.
template <class T>
std::string text_of(T value);

/// A box of a source whose elements are of type T.
template <class T>
std::vector<T> read_box(io::Source& source, const Box& box) {
  std::vector<T> values(static_cast<std::size_t>(box.volume()));
  if (!values.empty()) source.read(box, values.data());
  return values;
}

/// All of a dataset, which must be of type T. @throws WrongDataset if it is of another
template <class T>
std::vector<T> read_all(const VerifyRequest& request, const std::string& name) {
  const std::shared_ptr<io::Source> source = request.dataset(name);
  if (source->type() != element_type_of<T>()) {
    throw WrongDataset(name, "is of " + std::string(name_of(source->type())) + ", not of " +
                                 std::string(name_of(element_type_of<T>())));
  }
  return read_box<T>(*source, Box::whole(source->shape()));
}

/// "row 3, column 17: 4 is stored, 5 was computed".
std::string difference_at(const Extents& point, const std::string& stored, const std::string& computed);

/// A dataset of the shape and type. @throws WrongDataset if it has others
std::shared_ptr<io::Source> open_dataset(const VerifyRequest& request, const std::string& name, const Extents& shape,
                                         ElementType type);
/// A dataset of the shape, of any type. @throws WrongDataset if it has another shape
std::shared_ptr<io::Source> open_dataset(const VerifyRequest& request, const std::string& name, const Extents& shape);

/// The parts in which datasets are checked, one at a time.
struct Parts {
  std::string dataset;  // by whose name parts are chosen
  std::int64_t count = 0;
  std::string name;                                 // "tiles"
  std::optional<std::int64_t> also = std::nullopt;  // a part that is checked in any case
};

/// Checks the parts that the sample takes, in ascending order, until one differs.
/// @param datasets that are checked together: "start, end, cigar"
/// @param check returns the difference of a part from the computed one; empty: no difference
/// @return with `what` "3 of 50 tiles computed again"
Checked check_parts(const VerifyRequest& request, const std::string& datasets, const Parts& parts,
                    const std::function<std::string(std::int64_t part)>& check);

/// Compares one small dataset with its expected values.
Checked check_texts(const VerifyRequest& request, const std::string& name, const std::vector<std::string>& expected,
                    const std::string& what);

}  // namespace terrace::stages
