#include "pipeline/app/pictures/report/stage_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double row_height = 54, bar_height = 13;
constexpr double widest = 0.6;  // of the picture: the rest is for the words beside the bars

/// A bar with words at its end.
void write_bar(std::ostream& out, const std::string& look, double y, double part, const std::string& said) {
  out << fmt::format(
      "<rect class=\"{}\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/><text class=\"soft\" x=\"{}\" dx=\"6\" "
      "y=\"{}\">{}"
      "</text>\n",
      look, y, across(std::max(part, 1e-3)), bar_height, across(part), y + bar_height - 2, escape_markup(said));
}

}  // namespace

void write_stage_bars(std::ostream& out, const std::vector<std::string>& names,
                      const std::vector<StageSums>& stages) {
  double longest = 0;
  std::size_t rows = 0;
  for (const StageSums& stage : stages) {
    if (stage.computed()) longest = std::max({longest, stage.seconds, stage.predicted_seconds}), ++rows;
  }
  if (longest <= 0) return;
  out << "<h3>Predicted and measured times</h3>\n";
  begin_picture(out, row_height * static_cast<double>(rows), "times-title",
                "Predicted and measured time of each stage");
  double y = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const StageSums& stage = stages[s];
    if (!stage.computed()) continue;
    out << fmt::format("<text x=\"0\" y=\"{}\">{}</text>\n", y + 13, escape_markup(names[s]));
    write_bar(out, colour_class(s) + " hollow", y + 18, widest * stage.predicted_seconds / longest,
              "predicted " + format_duration(stage.predicted_seconds));
    write_bar(out, colour_class(s), y + 34, widest * stage.seconds / longest,
              "measured " + format_duration(stage.seconds));
    y += row_height;
  }
  end_picture(out);
}

}  // namespace terrace::app
