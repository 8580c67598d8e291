#include "stages/recursive/searches/plan.hpp"

#include <algorithm>

#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/recursive/methods.hpp"

namespace terrace::stages {

using recursive::SearchStep;
using recursive::SearchTask;
using run::Mode;
using run::Role;

namespace {

enum class SearchSlot { distance, beside, potential, eccentricity, sum, reached, histogram };

constexpr run::SlotField<SearchTask> search_slots[] = {
    run::field<&SearchTask::distance, &SearchTask::distance_stride>(SearchSlot::distance, "distance"),
    run::field<&SearchTask::beside, &SearchTask::beside_stride>(SearchSlot::beside, "beside"),
    run::field<&SearchTask::potential>(SearchSlot::potential, "potential"),
    run::field<&SearchTask::eccentricity>(SearchSlot::eccentricity, "eccentricity"),
    run::field<&SearchTask::sum>(SearchSlot::sum, "sum"),
    run::field<&SearchTask::reached>(SearchSlot::reached, "reached"),
    run::field<&SearchTask::histogram>(SearchSlot::histogram, "histogram"),
};

}  // namespace

SearchPlan::SearchPlan(RowSearches cut, std::string matrix_name, std::shared_ptr<const io::NodeNames> nodes)
    : cut_(std::move(cut)), matrix_name_(std::move(matrix_name)), nodes_(std::move(nodes)) {
  const std::int64_t columns = cut_.spec.graph->nodes;
  const auto add = [&](const char* name, Role role, ElementType type, Extents shape, Extents tile) {
    run::ArraySpec spec;
    spec.name = name;
    spec.role = role;
    spec.type = type;
    spec.shape = shape;
    spec.tile = tile;
    arrays_.push_back(std::move(spec));
    return static_cast<int>(arrays_.size()) - 1;
  };
  const Extents table{cut_.spec.rows(), columns}, band{cut_.rows, std::max<std::int64_t>(1, columns)};
  const ElementType wide = is_floating(cut_.spec.value) ? ElementType::f64 : ElementType::i64;
  if (cut_.reduces) {
    const ElementType types[] = {cut_.spec.value, wide, ElementType::i64};
    for (int n = 0; n < 3; ++n) add(reduction_names[n], Role::result, types[n], {cut_.spec.rows()}, {cut_.rows});
  } else {
    add("distance", Role::result, cut_.spec.value, table, band);
  }
  if (cut_.spec.beside != recursive::Beside::none)
    beside_ = add(cut_.spec.sources ? "previous" : "next", Role::result, ElementType::i32, table, band);
  if (cut_.spec.bins) {
    histogram_ = static_cast<int>(arrays_.size());
    arrays_.push_back(histogram_array(*cut_.spec.bins, blocks()));
  }
  if (!has_potentials()) return;
  potential_ = add("potential", Role::scratch, wide, {columns}, {columns});
}

Box SearchPlan::rows(std::int64_t index) const {
  const std::int64_t first = index * cut_.rows;
  return {{first, 0}, {std::min(cut_.spec.rows(), first + cut_.rows), cut_.spec.graph->nodes}};
}

std::optional<run::Phase> SearchPlan::phase(std::int64_t number, const run::Tally&) const {
  if (blocks() == 0 || number > (has_potentials() ? 1 : 0)) return std::nullopt;
  if (has_potentials() && number == 0) {
    prove_weights(matrix_name_, cut_.spec.value, cut_.weights.weights, cut_.spec.graph->nodes);
    return run::Phase{number, 1};
  }
  return run::Phase{number, blocks(), histogram_ >= 0 ? run::Order::in_turn : run::Order::any};
}

std::string SearchPlan::part(const run::Phase& phase) const {
  if (!has_potentials()) return "";
  return makes_rows(phase) ? "rows" : "potentials";
}

run::Block SearchPlan::block(const run::Phase& phase, std::int64_t index) const {
  run::Block block;
  if (!makes_rows(phase)) {
    block.accesses.push_back({SearchSlot::potential, potential_, 1, Box::whole(arrays_.back().shape), Mode::write});
    return block;
  }
  const Box box = rows(index);
  block.operations = static_cast<double>(box.shape()[0]) * static_cast<double>(cut_.spec.graph->edges());
  if (cut_.reduces) {
    const Box part{{box.begin[0]}, {box.end[0]}};
    for (const SearchSlot slot : {SearchSlot::eccentricity, SearchSlot::sum, SearchSlot::reached}) {
      const int array = static_cast<int>(slot) - static_cast<int>(SearchSlot::eccentricity);
      block.accesses.push_back({slot, array, 1, part, Mode::write});
    }
  } else {
    block.accesses.push_back({SearchSlot::distance, 0, 1, box, Mode::write});
  }
  if (histogram_ >= 0) {
    const run::ArraySpec& spec = arrays_[static_cast<std::size_t>(histogram_)];
    block.accesses.push_back(histogram_access(SearchSlot::histogram, histogram_, spec, index));
  }
  if (beside_ >= 0) block.accesses.push_back({SearchSlot::beside, beside_, 1, box, Mode::write});
  if (potential_ >= 0) {
    block.accesses.push_back({SearchSlot::potential, potential_, 1, Box::whole(arrays_.back().shape), Mode::read});
  }
  return block;
}

SearchTask SearchPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  SearchTask task{};
  task.step = makes_rows(phase) ? SearchStep::rows : SearchStep::potentials;
  if (makes_rows(phase)) {
    const Box box = rows(view.index);
    task.first_row = box.begin[0];
    task.rows = box.shape()[0];
    task.makes_histogram = view.index == 0 ? 1 : 0;
  }
  run::bind_slots(search_slots, view, task);
  return task;
}

std::unique_ptr<run::Worker> SearchPlan::make_worker(device::Context& context) const {
  const recursive::SearchMethod& method = search_method(cut_.spec, context.limits());
  return std::make_unique<KernelWorker<SearchPlan>>(*this, method.make(cut_.spec, context, nullptr));
}

}  // namespace terrace::stages
