#include "stages/recursive/closures/program.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "stages/recursive/closures/edges.hpp"

namespace terrace::stages {

using recursive::Function;
using recursive::TileResult;
using recursive::TileTask;
using run::ArraySpec;
using run::Mode;
using run::Role;

namespace {

constexpr const char* inspect = "inspect";
constexpr const char* clamp = "clamp";  // of a phase of updates: sums that negative weights took below infinity

Function function_of(const Update& at) {
  if (at.i == at.k) return at.j == at.k ? Function::a : Function::b;
  return at.j == at.k ? Function::c : Function::d;
}

}  // namespace

ClosureProgram::ClosureProgram(ClosurePlan plan, std::shared_ptr<io::Source> matrix, std::string matrix_name)
    : plan_(std::move(plan)),
      matrix_name_(std::move(matrix_name)),
      across_((plan_.nodes + plan_.tile - 1) / plan_.tile),
      order_(RecursiveOrder::closure(across_, plan_.ways)) {
  const bool bits = recursive::has_bits(plan_.spec.table);
  const std::int64_t cells = bits ? cells_of_word : 1;
  input_ = add_array("input", Role::input, plan_.spec.value, cells);
  arrays_.back().source = std::move(matrix);
  table_ = add_array(bits ? "reached" : "distance", bits ? Role::scratch : Role::result, plan_.spec.value, cells);
  if (bits) {
    output_ = add_array("closure", Role::result, ElementType::u8,
                        plan_.spec.table == recursive::Table::packed_bits ? 8 : 1);
  } else if (recursive::has_trails(plan_.spec.table)) {
    trail_ = add_array("trail", Role::scratch, recursive::trail_type(plan_.spec.table));
    output_ = add_array("next", Role::result, ElementType::i32);
  }
  if (output_ >= 0) arrays_[static_cast<std::size_t>(output_)].generations = 1;
}

int ClosureProgram::add_array(const std::string& name, Role role, ElementType type, std::int64_t cells) {
  ArraySpec spec;
  spec.name = name;
  spec.role = role;
  spec.type = type;
  spec.shape = {plan_.nodes, (plan_.nodes + cells - 1) / cells};
  spec.tile = {plan_.tile, plan_.tile / cells};
  spec.generations = std::max<std::int64_t>(1, across_);
  spec.kept = 1;
  arrays_.push_back(std::move(spec));
  cells_.push_back(cells);
  return static_cast<int>(arrays_.size()) - 1;
}

ClosureProgram::~ClosureProgram() = default;

Box ClosureProgram::tile(int array, std::int64_t i, std::int64_t j) const {
  const std::int64_t side = plan_.tile, cells = cells_[static_cast<std::size_t>(array)];
  const auto column = [&](std::int64_t at) { return (std::min(plan_.nodes, at) + cells - 1) / cells; };
  return {{i * side, column(j * side)}, {std::min(plan_.nodes, (i + 1) * side), column((j + 1) * side)}};
}

std::optional<run::Phase> ClosureProgram::phase(std::int64_t number) {
  run::Phase phase;
  if (inspects() && number == 0) {
    phase.count = across_ * across_;
    phase.data = inspect;
    return phase;
  }
  if (number != (inspects() ? 1 : 0)) return std::nullopt;
  phase.count = order_.count();
  if (inspects()) {
    check_range();
    phase.after_results = true;
    if (range_.any && range_.least < 0) phase.data = clamp;
  }
  return phase;
}

run::Block ClosureProgram::block(const run::Phase& phase, std::int64_t, std::int64_t index) const {
  if (phase.data == inspect) {
    return {{{input_, 0, tile(input_, index / across_, index % across_), Mode::read}}, 0};
  }
  const Update at = order_.at(index);
  const auto rows_of = [&](std::int64_t i) {
    return static_cast<double>(std::min(plan_.nodes, (i + 1) * plan_.tile) - i * plan_.tile);
  };
  run::Block block;
  block.operations = rows_of(at.i) * rows_of(at.j) * rows_of(at.k);
  const auto tables = [&](std::int64_t generation, std::int64_t i, std::int64_t j, Mode mode) {
    block.accesses.push_back({table_, generation, tile(table_, i, j), mode});
    if (trail_ >= 0) block.accesses.push_back({trail_, generation, tile(trail_, i, j), mode});
  };
  // Every other update of a tile comes after those of smaller k.
  if (at.k > 0) tables(at.k, at.i, at.j, Mode::update);
  else tables(1, at.i, at.j, Mode::write);
  if (at.k == 0) block.accesses.push_back({input_, 0, tile(input_, at.i, at.j), Mode::read});
  // u and v, where they are not x itself.
  if (at.j != at.k) tables(order_.updates_before(at.i, at.k, index), at.i, at.k, Mode::read);
  if (at.i != at.k) tables(order_.updates_before(at.k, at.j, index), at.k, at.j, Mode::read);
  if (output_ >= 0 && at.k + 1 == across_) {
    block.accesses.push_back({output_, 1, tile(output_, at.i, at.j), Mode::write});
  }
  return block;
}

std::size_t ClosureProgram::descriptor_bytes() const { return sizeof(TileTask); }
std::size_t ClosureProgram::result_bytes() const { return sizeof(TileResult); }

void ClosureProgram::describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  TileTask task{};
  const run::TileView& first = view.accesses[0].tiles[0];
  task.rows = first.box.shape()[0];
  task.columns = first.box.shape()[1];
  if (phase.data == inspect) {
    task.function = Function::inspect;
    task.input = first.data;
    task.input_stride = first.strides[0];
  } else {
    const Update at = order_.at(view.index);
    task.function = function_of(at);
    task.first_pivot = at.k * plan_.tile;
    task.depth = std::min<std::int64_t>(plan_.nodes, task.first_pivot + plan_.tile) - task.first_pivot;
    task.last = at.k + 1 == across_;
    task.clamped = phase.data == clamp;
    task.first_row = first.box.begin[0];
    task.first_column = first.box.begin[1];
    task.loops = plan_.loops;
    std::size_t next = 0;
    const auto take = [&](auto*& data, device::i64& stride) {
      const run::TileView& tile = view.accesses[next++].tiles[0];
      data = tile.data;
      stride = tile.strides[0];
    };
    const auto take_tables = [&](auto*& data, auto*& trail, device::i64& stride) {
      take(data, stride);
      if (trail_ >= 0) take(trail, stride);
    };
    take_tables(task.x, task.x_trail, task.x_stride);
    if (at.k == 0) take(task.input, task.input_stride);
    if (at.j != at.k) take_tables(task.u, task.u_trail, task.u_stride);
    if (at.i != at.k) take_tables(task.v, task.v_trail, task.v_stride);
    if (output_ >= 0 && task.last != 0) {
      task.output_columns = view.accesses[next].tiles[0].box.shape()[1];
      take(task.output, task.output_stride);
    }
  }
  std::memcpy(descriptor, &task, sizeof task);
}

void ClosureProgram::open(device::Context& context, int) {
  opened_.push_back(std::make_unique<OpenedTiles>(plan_.spec, plan_.tile, context));
}

void ClosureProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&,
                         int device) {
  opened_[static_cast<std::size_t>(device)]->run(port);
}

void ClosureProgram::failed(const run::Phase&, std::int64_t, std::int64_t index, int) {
  throw ComputeError("block " + std::to_string(index) + " of a closure failed, which no block does");
}

void ClosureProgram::fold(const run::Phase& phase, std::int64_t, std::int64_t index, const void* folded) {
  TileResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.negative_pivot >= 0) {
    throw ComputeError("'" + matrix_name_ + "' has a negative cycle through node " +
                       std::to_string(result.negative_pivot) +
                       " (counted from 0), so that no path there is the shortest; mend the weights");
  }
  if ((result.found & 1) != 0) {
    range_.add(result.least.whole, result.most.whole);
    least_real_ = std::min(least_real_, result.least.real);
    most_real_ = std::max(most_real_, result.most.real);
  }
  if ((result.found & 2) != 0) {
    farthest_ = std::max<std::int64_t>(farthest_, result.farthest.whole);
    farthest_real_ = std::max(farthest_real_, result.farthest.real);
  }
  if (phase.data != inspect && index + 1 == phase.count) check_distances();
}

/// Before anything is computed: negative weights must leave what is infinite far above what is not.
void ClosureProgram::check_range() const {
  if (range_.any && range_.least < 0 && !holds_distances(plan_.spec.value, range_, plan_.nodes)) {
    throw ComputeError("'" + matrix_name_ + "' has weights from " + std::to_string(range_.least) + " to " +
                       std::to_string(range_.most) + ", and distances between " + std::to_string(plan_.nodes) +
                       " nodes may leave " + std::string(name_of(plan_.spec.value)) + ": " +
                       type_that_holds(range_, plan_.nodes));
  }
}

/// Without negative weights no path was lost for its length if the longest one found stays below infinity by the
/// largest weight.
void ClosureProgram::check_distances() const {
  const auto fail = [&](const std::string& advice) {
    throw ComputeError("distances of '" + matrix_name_ + "' leave " + std::string(name_of(plan_.spec.value)) + ": " +
                       advice);
  };
  dispatch(plan_.spec.value, [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr auto largest = static_cast<double>(std::numeric_limits<T>::max());
      const double magnitude = std::max(most_real_, -least_real_);
      const bool fits = least_real_ < 0 ? magnitude <= largest / 2 / static_cast<double>(plan_.nodes)
                                        : farthest_real_ <= largest - most_real_;
      if (!fits) fail(sizeof(T) == 4 ? "say `type: f64`" : "scale the weights down");
    } else if constexpr (std::is_signed_v<T> && sizeof(T) > 1) {
      if (range_.any && range_.least >= 0 && farthest_ >= recursive::infinity<T>() - range_.most) {
        fail(type_that_holds(range_, plan_.nodes));
      }
    }
  });
}

std::string ClosureProgram::save() const {
  const nlohmann::json state = {{"any", range_.any},
                                {"least", range_.least},
                                {"most", range_.most},
                                {"farthest", farthest_},
                                {"real", numbers_json({least_real_, most_real_, farthest_real_})}};
  return state.dump();
}

void ClosureProgram::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  range_ = {state.at("any"), state.at("least"), state.at("most")};
  farthest_ = state.at("farthest");
  const std::vector<double> real = numbers_from(state.at("real"));
  least_real_ = real.at(0);
  most_real_ = real.at(1);
  farthest_real_ = real.at(2);
}

}  // namespace terrace::stages
