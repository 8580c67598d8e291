#include "io/inputs/selection.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "io/input_file.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

/// A box of another array. Dimensions may be dropped in which it has the length 1.
class PartSource : public Source {
 public:
  /// @param kept the dimensions that are not dropped, in order
  PartSource(std::shared_ptr<Source> whole, Box part, std::vector<int> kept)
      : whole_(std::move(whole)), part_(std::move(part)), kept_(std::move(kept)) {
    for (const int d : kept_) shape_.push_back(part_.end[d] - part_.begin[d]);
  }

  ElementType type() const override { return whole_->type(); }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    Box there = part_;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      const int d = kept_[k], own = static_cast<int>(k);
      there.begin[d] = part_.begin[d] + box.begin[own];
      there.end[d] = part_.begin[d] + box.end[own];
    }
    if (!there.empty()) whole_->read(there, buffer);
  }
  std::vector<std::filesystem::path> files() const override { return whole_->files(); }
  std::string place_of(const Extents& index) const override {
    Extents there = part_.begin;
    for (std::size_t k = 0; k < kept_.size(); ++k) there[kept_[k]] += index[static_cast<int>(k)];
    return whole_->place_of(there);
  }
  bool letters() const override { return whole_->letters(); }
  bool truths() const override { return whole_->truths(); }
  int results() const override { return whole_->results(); }
  std::optional<ChangedDefault> changed_default() const override { return whole_->changed_default(); }
  std::size_t memory() const override { return whole_->memory(); }
  /// The extreme values may lie outside of the part.
  std::optional<KnownRange> known_range() const override {
    std::optional<KnownRange> range = whole_->known_range();
    if (range) range->exact = false;
    return range;
  }
  std::shared_ptr<const Packing> packing() const override { return whole_->packing(); }
  std::shared_ptr<const NodeNames> element_names() const override { return whole_->element_names(); }

 private:
  std::shared_ptr<Source> whole_;
  Box part_;
  std::vector<int> kept_;
  Extents shape_;
};

/// The part itself; the array if the part is all of it.
std::shared_ptr<Source> part_of(std::shared_ptr<Source> whole, const Box& part, std::vector<int> kept) {
  const bool all = part == Box::whole(whole->shape()) && static_cast<int>(kept.size()) == whole->shape().rank();
  if (all) return whole;
  return std::make_shared<PartSource>(std::move(whole), part, std::move(kept));
}

}  // namespace

std::shared_ptr<Source> selected(std::shared_ptr<Source> whole, const Settings& settings, const std::string& what) {
  if (!settings.has("select")) return whole;
  const Extents& shape = whole->shape();
  const auto& entries = settings.get<std::vector<std::vector<std::int64_t>>>("select");
  const std::string of = "select: " + what + " is of shape " + to_string(shape) + ": ";
  if (static_cast<int>(entries.size()) != shape.rank()) {
    fail_setting(
        settings, "select",
        of + "give " + counted(shape.rank(), "range") + " or indices, not " + std::to_string(entries.size()));
  }
  Box part = Box::whole(shape);
  std::vector<int> kept;
  std::vector<ElementFault> faults;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto& entry = entries[static_cast<std::size_t>(d)];
    const bool index = entry.size() == 1;
    const std::int64_t begin = entry[0], end = index ? begin + 1 : entry[1];
    if (begin < 0 || end < begin || end > shape[d]) {
      faults.push_back(
          {static_cast<std::size_t>(d),
           of + (index ? std::to_string(begin) : "[" + std::to_string(begin) + ", " + std::to_string(end) + ")") +
               " does not lie in dimension " + std::to_string(d)});
      continue;
    }
    part.begin[d] = begin;
    part.end[d] = end;
    if (!index) kept.push_back(d);
  }
  if (!faults.empty()) throw ElementError(settings, "select", std::move(faults));
  if (kept.empty()) {
    fail_setting(settings, "select", of + "a single element is no array: give a range in one dimension, as [[0, 1]]");
  }
  return part_of(std::move(whole), part, std::move(kept));
}

std::shared_ptr<Source> in_range(std::shared_ptr<Source> whole, const Settings& settings, const std::string& what) {
  if (!settings.has("range")) return whole;
  const auto& range = settings.get<std::vector<std::int64_t>>("range");
  if (range.size() != 2) fail_setting(settings, "range", "range: give two numbers, [begin, end]");
  const Extents& shape = whole->shape();
  if (shape.rank() == 0 || range[0] < 0 || range[1] < range[0] || range[1] > shape[0]) {
    fail_setting(settings, "range",
                 "range: [" + std::to_string(range[0]) + ", " + std::to_string(range[1]) + ") does not lie in " +
                     what + ", which is of shape " + to_string(shape));
  }
  Box part = Box::whole(shape);
  part.begin[0] = range[0];
  part.end[0] = range[1];
  std::vector<int> kept(static_cast<std::size_t>(shape.rank()));
  std::iota(kept.begin(), kept.end(), 0);
  return part_of(std::move(whole), part, std::move(kept));
}

std::shared_ptr<Source> chosen_part(std::shared_ptr<Source> whole, const Settings& settings,
                                    const std::string& what) {
  if (settings.has("select") && settings.has("range")) {
    fail_setting(settings, "range", "range: `select` chooses a part already; give one of the two");
  }
  return in_range(selected(std::move(whole), settings, what), settings, what);
}

std::shared_ptr<Source> at_last_index(std::shared_ptr<Source> whole, std::int64_t index) {
  Box part = Box::whole(whole->shape());
  const int last = whole->shape().rank() - 1;
  part.begin[last] = index;
  part.end[last] = index + 1;
  std::vector<int> kept(static_cast<std::size_t>(last));
  std::iota(kept.begin(), kept.end(), 0);
  return part_of(std::move(whole), part, std::move(kept));
}

}  // namespace terrace::io
