#include "stages/refuse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/run_settings.hpp"

namespace terrace::stages {
namespace {

/// At least that many bytes, rounded up to the digits that format_size() shows.
double shown_above(double bytes) {
  double unit = 1;
  while (bytes >= 1024 * unit) unit *= 1024;
  const double step = bytes < 100 * unit ? unit / 10 : unit;
  return std::ceil(bytes / step) * step;
}

}  // namespace

const Place& place_of(const job::Stage& stage, const std::string& parameter) {
  if (!stage.settings.has(parameter)) return stage.place;
  const Place& place = stage.settings.place(parameter);
  return place.text.empty() ? stage.place : place;
}

void refuse(const job::Stage& stage, const std::string& parameter, const std::string& what) {
  throw JobError(message_at(place_of(stage, parameter), "stage '" + stage.name + "': " + what));
}

io::DataLabel label_of(const job::Stage& stage, const std::string& parameter) {
  return {stage.settings.text(parameter), stage.name, place_of(stage, parameter)};
}

void refuse_letters(const Request& request, const std::string& parameter, const io::Source& source) {
  if (!source.letters()) return;
  refuse(request.stage, parameter,
         "'" + request.stage.settings.text(parameter) +
             "' holds letters of a sequence, where numbers are wanted: give them as `npy`, `hdf5`, `csv`, `text`, "
             "`external`, `values`, or `generate: uniform`");
}

void refuse_no_rows(const job::Stage& stage, const std::string& parameter, const std::string& array,
                    const io::Source& source) {
  if (source.shape() != Extents{0}) return;
  const auto files = source.files();
  refuse(
      stage, parameter,
      "'" + array + "' is empty" + (files.empty() ? "" : ": " + files.front().string() + " has no rows of values"));
}

std::string remedy_for_list(const io::Source& source) {
  if (source.shape().rank() != 1 || source.letters()) return "";
  return "; for one row, `csv`, `text` and `values` take `shape: [1, " + std::to_string(source.shape()[0]) + "]`";
}

double largest_magnitude(ElementType type) {
  return dispatch(type, [](auto value) {
    using Limits = std::numeric_limits<decltype(value)>;
    return std::max(static_cast<double>(Limits::max()), -static_cast<double>(Limits::lowest()));
  });
}

std::string warning_of_f32_results(const Place& place, const std::string& stage, double largest) {
  constexpr double exact = 1 << 24;  // f32 has every whole number up to it
  if (largest <= exact) return "";
  return message_at(place, "stage '" + stage +
                               "': results of whole numbers are kept as f32 here, which beyond 2^24 (16,777,216) "
                               "holds only some of them: leave `type` out, or say `type: f64`, for exact ones");
}

std::size_t Resources::host_memory_for(std::size_t blocks) const {
  const std::size_t wanted = blocks + input_memory;
  std::size_t memory = wanted + window_memory;
  // The share of the window grows with the memory.
  while (memory < wanted + run::window_share(memory)) memory = wanted + run::window_share(memory);
  return memory;
}

void refuse_budgets(const Resources& resources, const BlockMemory& memory) {
  const std::int64_t least = memory.block + page_bytes, written = 2 * memory.written;  // as holds() has it
  const std::int64_t host =
      resources.cuda ? std::max({(least + 1) / 2, written, memory.tile}) : least + memory.workspace;
  const std::int64_t device = resources.cuda ? least + memory.workspace : least;
  std::string text;
  const auto need = [&](const char* budget, std::size_t given, std::int64_t wanted, std::size_t least_budget) {
    if (static_cast<std::int64_t>(given) >= wanted) return;
    text += (text.empty() ? "" : "; ") + std::string(budget) +
            " is too small for any plan of this stage: the least is " +
            format_size(shown_above(static_cast<double>(least_budget)));
  };
  need("memory.host", resources.host_budget, host, resources.host_memory_for(static_cast<std::size_t>(host)));
  // On the CPU, memory.host alone in a job is the limit of blocks, too.
  if (resources.cuda || resources.device_given) {
    need("memory.device", resources.device_budget, device,
         static_cast<std::size_t>(device) + resources.device_beside);
  }
  throw JobError(text);
}

void refuse_budgets(const Resources& resources, std::int64_t least, std::int64_t workspace, std::int64_t tile) {
  refuse_budgets(resources, {least - page_bytes, workspace, 0, tile});
}

}  // namespace terrace::stages
