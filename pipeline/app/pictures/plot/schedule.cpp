#include <algorithm>
#include <cmath>
#include <numeric>

#include "pipeline/app/pictures/plot.hpp"
#include "pipeline/app/pictures/plot/gnuplot.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr int width = 1000, most_height = 800, least_height = 200, row_height = 24;
constexpr double least_pixels = 1.5;  // of a job that is drawn by itself

/// Boxes of one colour: centre x and y, then left, right, low, high.
using Boxes = std::vector<double>;

void add_box(Boxes& boxes, double begin, double end, double machine) {
  boxes.insert(boxes.end(), {(begin + end) / 2, machine, begin, end, machine - 0.4, machine + 0.4});
}

/// The jobs of a schedule with their times.
struct Jobs {
  std::vector<double> assignment, load, times;  // times: empty if they are not known
};

/// The times if they give the loads that the result has; empty if not: the input has changed.
std::vector<double> times_that_fit(io::Source* source, const Jobs& jobs) {
  if (source == nullptr || source->shape().rank() != 1 || volume(source->shape()) != std::ssize(jobs.assignment))
    return {};
  std::vector<double> times;
  std::vector<std::byte> bytes(jobs.assignment.size() * size_of(source->type()));
  source->read(Box::whole(source->shape()), bytes.data());
  dispatch(source->type(), [&](auto zero) {
    const auto* values = reinterpret_cast<const decltype(zero)*>(bytes.data());
    times.assign(values, values + jobs.assignment.size());
  });
  std::vector<double> load(jobs.load.size());
  for (std::size_t job = 0; job < times.size(); ++job)
    load[static_cast<std::size_t>(jobs.assignment[job])] += times[job];
  return load == jobs.load ? times : std::vector<double>();
}

/// Boxes of jobs in two colours by turns, and of jobs that are too short to be seen as one box.
struct Chart {
  Boxes turns[2], short_jobs;
};

Chart chart_of(const Jobs& jobs, double longest) {
  Chart chart;
  if (jobs.times.empty()) {
    for (std::size_t m = 0; m < jobs.load.size(); ++m)
      add_box(chart.turns[0], 0, jobs.load[m], static_cast<double>(m));
    return chart;
  }
  std::vector<std::size_t> order(jobs.times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return jobs.times[a] > jobs.times[b]; });
  std::vector<double> until(jobs.load.size());
  std::vector<int> drawn(jobs.load.size());
  for (const std::size_t job : order) {
    const auto machine = static_cast<std::size_t>(jobs.assignment[job]);
    if (jobs.times[job] * width < least_pixels * longest) continue;  // all after it are shorter still
    add_box(chart.turns[drawn[machine]++ % 2], until[machine], until[machine] + jobs.times[job],
            static_cast<double>(machine));
    until[machine] += jobs.times[job];
  }
  for (std::size_t m = 0; m < until.size(); ++m) {
    if (until[m] < jobs.load[m]) add_box(chart.short_jobs, until[m], jobs.load[m], static_cast<double>(m));
  }
  return chart;
}

void add_boxes(Gnuplot& plot, const Boxes& boxes, const char* colour, const char* border) {
  if (boxes.empty()) return;
  plot.graph(
      fmt::format("binary record={} format='%float64%float64%float64%float64%float64%float64' using 1:2:3:4:5:6 "
                  "with boxxyerror fillstyle solid 1 {} fillcolor rgb '{}' notitle",
                  boxes.size() / 6, border, colour),
      boxes);
}

Jobs read_jobs(const MadeResult& result, const std::string& group) {
  Jobs jobs{result.reader().numbers(group + "assignment"), result.reader().numbers(group + "load"), {}};
  const auto machines = static_cast<double>(jobs.load.size());
  for (const double machine : jobs.assignment) {
    if (!(machine >= 0 && machine < machines))
      throw IoError(result.path().string() + ", " + group + "assignment", "is damaged");
  }
  return jobs;
}

}  // namespace

void draw_schedule(const MadeResult& result, const PlotSubject& subject, io::Source* times, PictureForm form,
                   std::ostream& out) {
  const std::string group = "/" + subject.stage + "/";
  Jobs jobs = read_jobs(result, group);
  jobs.times = times_that_fit(times, jobs);
  const double makespan = *std::max_element(jobs.load.begin(), jobs.load.end()), longest = std::max(makespan, 1.0);
  const int height = std::clamp(row_height * static_cast<int>(std::min<std::size_t>(jobs.load.size(), 1000)),
                                least_height, most_height);
  std::string note =
      fmt::format("{} jobs on {} machines, makespan {:.0f}", jobs.assignment.size(), jobs.load.size(), makespan);
  const bool bounded = result.reader().has(group + "lower_bound");
  const double bound = bounded ? result.reader().numbers(group + "lower_bound").front() : 0;
  if (bounded && makespan <= bound) note += ", optimal";
  else if (bounded && bound > 0)
    note += fmt::format(", lower bound {:.0f} (red), gap {:.3g}%", bound, 100 * (makespan / bound - 1));
  note +=
      jobs.times.empty() ? "; the times of the jobs are not at hand: loads alone" : "; jobs of a machine by length";
  Canvas canvas{width, height};
  canvas.right = 40;
  Gnuplot plot(canvas, {title_of(result, subject), note, "time", "machine"}, form);
  plot.command("set xrange [0:{}]", longest * 1.02);
  plot.command("set yrange [{}:-0.5]", static_cast<double>(jobs.load.size()) - 0.5);
  const Chart chart = chart_of(jobs, longest);
  const char* border = jobs.load.size() <= 100 ? "border linecolor rgb '#ffffff'" : "noborder";
  add_boxes(plot, chart.turns[0], "#0072b2", border);
  add_boxes(plot, chart.turns[1], "#56b4e9", border);
  add_boxes(plot, chart.short_jobs, "#999999", "noborder");
  if (bounded) {
    plot.graph(
        "binary record=2 format='%float64%float64' using 1:2 with lines linecolor rgb '#d00000' linewidth 2 notitle",
        {bound, -0.5, bound, static_cast<double>(jobs.load.size()) - 0.5});
  }
  plot.draw(out);
}

}  // namespace terrace::app
