#include "stages/nest/verify.hpp"

#include <algorithm>

#include "kernels/nest/elements.hpp"
#include "kernels/nest/reference.hpp"
#include "stages/nest/definition.hpp"
#include "stages/nest/verify_tables.hpp"
#include "stages/nest/words.hpp"

namespace terrace::stages {
namespace {

using nest::Array;
using nest::Word;

constexpr double most_cells = 1 << 24;

class NestVerifier {
 public:
  explicit NestVerifier(const VerifyRequest& request)
      : request_(request), definition_(define_nest(request.request)), nest_(*definition_.spec.nest) {}

  std::vector<Checked> verify() && {
    double cells = nest_.cells();
    for (const Array& array : nest_.arrays) cells += elements_of(array.box);
    if (cells > most_cells) return verify_tables(request_, definition_);
    std::vector<std::vector<std::byte>> data;
    std::vector<const void*> inputs;
    for (const std::shared_ptr<io::Source>& source : definition_.inputs) {
      data.emplace_back(static_cast<std::size_t>(volume(source->shape())) * size_of(source->type()));
      if (!data.back().empty()) source->read(Box::whole(source->shape()), data.back().data());
      inputs.push_back(data.back().data());
    }
    const nest::Made made = nest::run_as_written(nest_, inputs);
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) check_array(n, made.arrays[n]);
    return std::move(found_);
  }

 private:
  static double elements_of(const nest::Ranges& box) {
    double all = 1;
    for (const nest::Range& range : box) all *= static_cast<double>(range.size());
    return all;
  }
  void check_array(std::size_t number, const std::vector<Word>& words) {
    const Array& array = nest_.arrays[number];
    const nest::Kept& kept = definition_.spec.kept[number];
    const Settings& settings = request_.request.stage.settings;
    if (kept.table) check_dataset(dataset_of(settings, array.name, "table"), array, words, false);
    if (kept.last) check_dataset(dataset_of(settings, array.name, "last"), array, words, array.first_loop == 0);
    const bool is_made = !nest::is_empty(array.written);
    if (kept.corner && is_made) {
      nest::Point at{};
      for (std::size_t axis = 0; axis < array.written.size(); ++axis) at[axis] = array.written[axis].end - 1;
      check_one(array, array.name + "_corner", words[index_in(array.box, at)]);
    }
    if (kept.best != 0 && is_made) check_best(array, kept.best, words);
  }
  static std::size_t index_in(const nest::Ranges& box, const nest::Point& at) {
    std::size_t index = 0;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      index =
          index * static_cast<std::size_t>(box[axis].size()) + static_cast<std::size_t>(at[axis] - box[axis].begin);
    }
    return index;
  }
  /// @param is_slice the last slice of a table alone
  void check_dataset(const std::string& name, const Array& array, const std::vector<Word>& words, bool is_slice) {
    nest::Ranges box = array.box;
    if (is_slice) box[0] = {array.written[0].end - 1, array.written[0].end};
    Extents shape;
    for (std::size_t axis = is_slice && box.size() > 1 ? 1 : 0; axis < box.size(); ++axis)
      shape.push_back(box[axis].size());
    Checked checked{name, "computed again by the loops as they are written", "", true};
    const std::shared_ptr<io::Source> source = open_dataset(request_, name, shape, array.type);
    std::vector<std::byte> stored(static_cast<std::size_t>(volume(shape)) * size_of(array.type));
    if (!stored.empty()) source->read(Box::whole(shape), stored.data());
    // A table without slices ends with what is before them, which is no part of its box.
    if (nest::is_empty(box) || !nest::holds(array.box, box)) return;
    nest::Point at = nest::first_point(box);
    nest::i64 index = 0;
    do {
      const Word expected = words[index_in(array.box, at)];
      const Word is = nest::word_of(array.type, nest::load(array.type, stored.data(), index++));
      if (is.whole == expected.whole) continue;
      Extents point;
      for (std::size_t axis = 0; axis < box.size(); ++axis) point.push_back(at[axis] - box[axis].begin);
      checked.difference = difference_at(point, text_of_word(array, is), text_of_word(array, expected));
      break;
    } while (nest::step(box, box.size(), at));
    found_.push_back(std::move(checked));
  }
  void check_best(const Array& array, int direction, const std::vector<Word>& words) {
    nest::BestElement best{};
    nest::Point at = nest::first_point(array.written);
    do nest::offer(best, array.type, direction, at, words[index_in(array.box, at)]);
    while (nest::step(array.written, array.written.size(), at));
    check_one(array, array.name + "_best", best.value);
    std::vector<std::string> where;
    for (std::size_t axis = 0; axis < array.box.size(); ++axis) {
      where.push_back(text_of(static_cast<std::int64_t>(best.at[axis])));
    }
    found_.push_back(check_texts(request_, array.name + "_best_at", where, "computed again"));
  }
  void check_one(const Array& array, const std::string& name, const Word& word) {
    found_.push_back(check_texts(request_, name, {text_of_word(array, word)}, "computed again"));
  }
  static std::string text_of_word(const Array& array, const Word& word) {
    return dispatch(array.type, [&](auto zero) {
      using T = decltype(zero);
      return text_of(std::is_floating_point_v<T> ? static_cast<T>(word.real) : static_cast<T>(word.whole));
    });
  }

  const VerifyRequest& request_;
  NestDefinition definition_;
  const nest::Nest& nest_;
  std::vector<Checked> found_;
};

}  // namespace

std::vector<Checked> verify_nest(const VerifyRequest& request) { return NestVerifier(request).verify(); }

}  // namespace terrace::stages
