#include "stages/query/query_program.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "kernels/recursive/reduction.hpp"
#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::stages {

using recursive::ReductionResult;
using recursive::ReductionTask;
using recursive::RowTotals;

QueryProgram::QueryProgram(QueryPlan plan, std::shared_ptr<io::Source> matrix) : plan_(plan) {
  run::ArraySpec input;
  input.name = "matrix";
  input.role = run::Role::input;
  input.type = plan_.value;
  input.shape = {plan_.nodes, plan_.nodes};
  input.tile = {plan_.rows, std::max<std::int64_t>(1, plan_.nodes)};
  input.source = std::move(matrix);
  arrays_.push_back(std::move(input));
}

QueryProgram::~QueryProgram() = default;

std::int64_t QueryProgram::blocks() const { return plan_.totals ? (plan_.nodes + plan_.rows - 1) / plan_.rows : 0; }

std::optional<run::Phase> QueryProgram::phase(std::int64_t number) {
  if (number > 0 || blocks() == 0) return std::nullopt;
  run::Phase phase;
  phase.count = blocks();
  return phase;
}

run::Block QueryProgram::block(const run::Phase&, std::int64_t, std::int64_t index) const {
  const std::int64_t first = index * plan_.rows;
  const Box rows{{first, 0}, {std::min(plan_.nodes, first + plan_.rows), plan_.nodes}};
  return {{{0, 0, rows, run::Mode::read}}, static_cast<double>(rows.volume())};
}

void QueryProgram::open(device::Context& context, int) {
  Opened opened;
  if (context.shares_host_memory()) {
    opened.updates = recursive::make_reduction_cpu(plan_.value, context);
  } else {
    opened.workspace = std::make_unique<DeviceMemory>(context, recursive::reduction_cuda_bytes());
    opened.updates = recursive::make_reduction_cuda(plan_.value, context, opened.workspace->data());
  }
  opened_.push_back(std::move(opened));
}

std::size_t QueryProgram::descriptor_bytes() const { return sizeof(ReductionTask); }
std::size_t QueryProgram::result_bytes() const { return sizeof(ReductionResult); }

void QueryProgram::describe(const run::Phase&, const run::BlockView& view, void* descriptor) const {
  const run::TileView& tile = view.accesses[0].tiles[0];
  const Extents shape = tile.box.shape();
  const ReductionTask task{shape[0], shape[1], tile.box.begin[0], tile.data, tile.strides[0]};
  std::memcpy(descriptor, &task, sizeof task);
}

void QueryProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&, int device) {
  opened_[static_cast<std::size_t>(device)].updates->run(port);
}

void QueryProgram::failed(const run::Phase&, std::int64_t, std::int64_t index, int) {
  throw ComputeError("block " + std::to_string(index) + " of a query failed, which no block does");
}

void QueryProgram::fold(const run::Phase&, std::int64_t, std::int64_t index, const void* folded) {
  ReductionResult result;
  std::memcpy(&result, folded, sizeof result);
  const bool whole = !is_floating(plan_.value);
  const std::int64_t rows = std::min(plan_.rows, plan_.nodes - index * plan_.rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const RowTotals& found = result.rows[row];
    if (plan_.each && whole) {
      const std::int64_t none = dispatch(plan_.value, [](auto value) -> std::int64_t {
        if constexpr (std::is_signed_v<decltype(value)> && sizeof value > 1 && std::is_integral_v<decltype(value)>)
          return recursive::infinity<decltype(value)>();
        else return 0;
      });
      totals_.farthest.push_back(found.finite > 0 ? found.most : none);
    } else if (plan_.each) {
      totals_.farthest_real.push_back(found.finite > 0 ? found.most_real : recursive::infinity<double>());
    }
    if (found.finite == 0) continue;
    const bool first = totals_.finite == 0;
    totals_.least = first ? found.least : std::min<std::int64_t>(totals_.least, found.least);
    totals_.most = first ? found.most : std::max<std::int64_t>(totals_.most, found.most);
    totals_.least_real = first ? found.least_real : std::min(totals_.least_real, found.least_real);
    totals_.most_real = first ? found.most_real : std::max(totals_.most_real, found.most_real);
    totals_.finite += found.finite;
    totals_.sum_real += found.sum_real;
    totals_.low += found.low;
    totals_.high += found.high + (totals_.low >> 32);
    totals_.low &= 0xFFFFFFFF;
  }
}

std::string QueryProgram::save() const {
  const DistanceTotals& t = totals_;
  const nlohmann::json whole = {t.finite, t.least, t.most, t.high, t.low, t.farthest};
  const nlohmann::json all = {{"whole", whole},
                              {"real", numbers_json({t.least_real, t.most_real, t.sum_real})},
                              {"farthest_real", numbers_json(t.farthest_real)}};
  return all.dump();
}

void QueryProgram::load(const std::string& text) {
  const nlohmann::json all = nlohmann::json::parse(text);
  const nlohmann::json& whole = all.at("whole");
  const std::vector<double> real = numbers_from(all.at("real"));
  totals_ = {};
  totals_.finite = whole.at(0);
  totals_.least = whole.at(1);
  totals_.most = whole.at(2);
  totals_.high = whole.at(3);
  totals_.low = whole.at(4);
  totals_.farthest = whole.at(5).get<std::vector<std::int64_t>>();
  totals_.least_real = real.at(0);
  totals_.most_real = real.at(1);
  totals_.sum_real = real.at(2);
  totals_.farthest_real = numbers_from(all.at("farthest_real"));
}

}  // namespace terrace::stages
