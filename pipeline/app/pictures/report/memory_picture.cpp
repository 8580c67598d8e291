#include "pipeline/app/pictures/report/memory_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double top = 24, bottom = 124, height = 146;
constexpr std::size_t columns = 300;
constexpr double farthest_budget = 4;  // of the most held: a budget beyond is told, and not drawn

/// The most that was held in each column, and the stage that held it.
std::vector<HeldMemory> columns_of(const std::vector<HeldMemory>& held, double begin, double seconds) {
  std::vector<HeldMemory> most(columns);
  const auto column_at = [&](double time) {
    const double at = (time - begin) / seconds * static_cast<double>(columns);
    return std::min(columns - 1, static_cast<std::size_t>(std::max(0.0, at)));
  };
  for (std::size_t at = 0; at < held.size(); ++at) {
    const double end = at + 1 < held.size() ? held[at + 1].time : begin + seconds;
    for (std::size_t c = column_at(held[at].time), last = column_at(end); c <= last; ++c) {
      if (held[at].bytes > most[c].bytes) most[c] = held[at];
    }
  }
  return most;
}

void write_columns(std::ostream& out, const std::vector<HeldMemory>& most, double whole) {
  const auto is_same = [](const HeldMemory& a, const HeldMemory& b) {
    return a.bytes == b.bytes && a.stage == b.stage;
  };
  for (std::size_t first = 0, end = 0; first < columns; first = end) {
    for (end = first; end < columns && is_same(most[first], most[end]);) ++end;
    if (most[first].bytes <= 0) continue;
    const double high = (bottom - top) * most[first].bytes / whole;
    out << fmt::format(
        "<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"><title>{}</title></rect>\n",
        colour_class(most[first].stage), across(static_cast<double>(first) / columns), bottom - high,
        across(static_cast<double>(end - first) / columns), high, format_size(most[first].bytes));
  }
}

}  // namespace

void write_memory(std::ostream& out, const LocationMemory& memory, const std::string& name, double budget,
                  const std::string& id) {
  if (memory.held.empty()) return;
  const double begin = memory.held.front().time, seconds = std::max(memory.held.back().time - begin, 1e-9);
  const std::vector<HeldMemory> most = columns_of(memory.held, begin, seconds);
  double peak = 1;
  for (const HeldMemory& held : most) peak = std::max(peak, held.bytes);
  const bool drawn = budget > 0 && budget <= farthest_budget * peak;
  const double whole = drawn ? std::max(budget, peak) : peak;
  begin_picture(out, height, id, "Memory over time: " + name);
  write_time_axis(out, seconds, top, bottom);
  write_columns(out, most, whole);
  if (drawn) {
    const double y = bottom - (bottom - top) * budget / whole;
    out << fmt::format("<line class=\"ceiling dashed\" x1=\"0\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>\n", y);
  }
  const std::string said = name + ": at most " + format_size(peak) +
                           (budget > 0 ? " of a budget of " + format_size(budget) + (drawn ? " (dashed)" : "") : "");
  out << fmt::format("<text x=\"0\" y=\"13\">{}</text>\n", escape_markup(said));
  end_picture(out);
}

}  // namespace terrace::app
