#include "pipeline/app/pictures/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ostream>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/axis.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double left = 130, width = 1000, lane_height = 10, queue_height = 18, gap = 5, top = 8;
constexpr std::size_t most_single = 400;  // happenings of a queue that are drawn one by one
constexpr int most_lanes = 8;
constexpr double least_width = 0.6;  // of a rectangle that can be seen
constexpr int shades = 5;

/// The happenings of a queue in one attempt.
struct Row {
  const Queue* queue;
  std::vector<const Happening*> happenings;
  bool single;  // each is drawn
  double height() const { return single ? std::max(queue_height, queue->lanes * lane_height) : queue_height; }
};

std::vector<Row> rows_of(const ProfileRows& profile, const std::vector<Queue>& queues, const AttemptSpan& attempt,
                         bool is_last) {
  std::vector<Row> rows;
  for (const Queue& queue : queues) {
    Row row{&queue, {}, false};
    for (const Happening& happening : queue.happenings) {
      if (queue.of_blocks ? profile.blocks.attempt[happening.row] == attempt.number : is_last) {
        row.happenings.push_back(&happening);
      }
    }
    row.single = row.happenings.size() <= most_single && queue.lanes <= most_lanes;
    if (!row.happenings.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

/// Draws one attempt.
class TimelineWriter {
 public:
  TimelineWriter(std::ostream& out, const ProfileRows& profile, const AttemptSpan& attempt, int columns)
      : out_(out), profile_(profile), attempt_(attempt), columns_(columns) {
    seconds_ = std::max(attempt.end - attempt.begin, 1e-9);
  }

  void write(const std::vector<Row>& rows) {
    double height = top;
    int place = -1;
    for (const Row& row : rows)
      height += (row.queue->place != place ? 22 : 0) + row.height() + gap, place = row.queue->place;
    const std::string id = fmt::format("timeline-{:.0f}", attempt_.number);
    out_ << fmt::format(
        "<svg role=\"img\" viewBox=\"0 0 {} {}\" aria-labelledby=\"{}\"><title id=\"{}\">What each queue of each "
        "device "
        "did in attempt {:.0f}, over {}</title>\n",
        left + width + 40, height + 24, id, id, attempt_.number, format_duration(seconds_));
    write_axis(height);
    double y = top;
    place = -1;
    for (const Row& row : rows) {
      if (row.queue->place != place) {
        place = row.queue->place;
        out_ << fmt::format("<text x=\"0\" y=\"{}\" font-weight=\"600\">{}</text>\n", y + 14,
                            escape_markup(name_of_place(profile_, place)));
        y += 22;
      }
      write_row(row, y);
      y += row.height() + gap;
    }
    out_ << "</svg>\n";
  }

 private:
  double x_of(double time) const { return left + width * (time - attempt_.begin) / seconds_; }

  void write_axis(double height) {
    for (const double tick : linear_ticks(0, seconds_, 8)) {
      const double x = left + width * tick / seconds_;
      out_ << fmt::format(
          "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text class=\"soft\" x=\"{0:.1f}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>\n",
          x, top, height, height + 15, tick == 0 ? "0" : escape_markup(format_duration(tick)));
    }
  }

  void write_row(const Row& row, double y) {
    out_ << fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - 8,
                        y + row.height() / 2 + 4, escape_markup(row.queue->name));
    out_ << fmt::format("<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, y, width,
                        row.height());
    if (row.single) write_each(row, y);
    else write_merged(row, y);
  }

  std::size_t stage_of(const Row& row, const Happening& h) const {
    return static_cast<std::size_t>(row.queue->of_blocks ? profile_.blocks.stage[h.row]
                                                         : profile_.copies.stage[h.row]);
  }

  std::string describe(const Row& row, const Happening& h) const {
    const double seconds = h.end - h.begin;
    const std::string when =
        fmt::format("{} at {}", format_duration(seconds), format_duration(h.begin - attempt_.begin));
    if (row.queue->of_blocks) {
      const double done = profile_.blocks.operations[h.row];
      return name_of_block(profile_, h.row) + ": " + when +
             (done > 0 && seconds > 0 ? ", " + format_rate(done / seconds, "operations/s") : "");
    }
    const double bytes = profile_.copies.bytes[h.row];
    return name_of_copy(profile_, h.row) + ": " + format_size(bytes) + " in " + when +
           (seconds > 0 ? ", " + format_rate(bytes / seconds, "B/s") : "");
  }

  void write_each(const Row& row, double y) {
    const double height = row.height() / row.queue->lanes;
    for (const Happening* h : row.happenings) {
      const double x = std::min(x_of(h->begin), left + width - least_width);
      out_ << fmt::format(
          "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
          "height=\"{:.1f}\"><title>{}</title></rect>\n",
          colour_class(stage_of(row, *h)), x, y + h->lane * height, std::max(least_width, x_of(h->end) - x - 0.2),
          height - 0.6, escape_markup(describe(row, *h)));
    }
  }

  /// The work of a queue in one column of the picture.
  struct Column {
    std::map<std::size_t, double> busy;  // seconds, by stage
    std::int64_t begun = 0;
  };

  std::vector<Column> columns_of(const Row& row) const {
    std::vector<Column> columns(static_cast<std::size_t>(columns_));
    const double step = seconds_ / columns_;
    const auto column_at = [&](double time) {
      return std::clamp(static_cast<int>((time - attempt_.begin) / step), 0, columns_ - 1);
    };
    double until = attempt_.begin;
    for (const Happening* h : row.happenings) {
      const std::size_t stage = stage_of(row, *h);
      ++columns[static_cast<std::size_t>(column_at(h->begin))].begun;
      const double from = std::max(h->begin, until);
      until = std::max(until, h->end);
      if (h->end < from) continue;
      for (int c = column_at(from), last = column_at(h->end); c <= last; ++c) {
        const double begin = attempt_.begin + c * step;
        const double part = std::min(h->end, begin + step) - std::max(from, begin);
        columns[static_cast<std::size_t>(c)].busy[stage] += std::max(0.0, part);
      }
    }
    return columns;
  }

  /// The stage that takes most of a column's time, and how strongly it is drawn: 0 to `shades`.
  static std::pair<std::size_t, int> look_of(const Column& column, double step) {
    double total = 0, most = -1;
    std::size_t stage = 0;
    for (const auto& [number, seconds] : column.busy) {
      total += seconds;
      if (seconds > most) most = seconds, stage = number;
    }
    if (total <= 0) return {stage, column.begun > 0 ? 1 : 0};
    return {stage, std::clamp(static_cast<int>(std::ceil(shades * total / step - 1e-9)), 1, shades)};
  }

  void write_merged(const Row& row, double y) {
    const std::vector<Column> columns = columns_of(row);
    const double step = seconds_ / columns_;
    for (std::size_t first = 0, end = 0; first < columns.size(); first = end) {
      const auto look = look_of(columns[first], step);
      std::int64_t begun = 0;
      for (end = first; end < columns.size() && look_of(columns[end], step) == look; ++end)
        begun += columns[end].begun;
      if (look.second == 0) continue;
      out_ << fmt::format(
          "<rect class=\"{}\" opacity=\"{:.1f}\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" "
          "height=\"{:.0f}\"><title>{}: "
          "{} begun, {}% busy</title></rect>\n",
          colour_class(look.first), static_cast<double>(look.second) / shades,
          left + width * static_cast<double>(first) / columns_, y,
          width * static_cast<double>(end - first) / columns_, row.height(),
          escape_markup(profile_.stages[look.first]), begun, 100 * look.second / shades);
    }
  }

  std::ostream& out_;
  const ProfileRows& profile_;
  const AttemptSpan& attempt_;
  int columns_;
  double seconds_;
};

}  // namespace

std::vector<AttemptSpan> attempts_of(const ProfileRows& profile, double last) {
  std::map<double, AttemptSpan> found;
  const auto add = [&](double number, double begin, double end) -> AttemptSpan& {
    const auto [at, added] = found.try_emplace(number, AttemptSpan{number, begin, end});
    at->second.begin = std::min(at->second.begin, begin);
    at->second.end = std::max(at->second.end, end);
    return at->second;
  };
  const BlockRows& blocks = profile.blocks;
  for (std::size_t row = 0; row < blocks.size(); ++row) {
    AttemptSpan& attempt = add(blocks.attempt[row], blocks.begin[row], blocks.end[row]);
    attempt.rows += 1;
    attempt.blocks += blocks.count[row];
    attempt.operations += blocks.operations[row];
    last = std::max(last, blocks.attempt[row]);
  }
  for (std::size_t row = 0; row < profile.copies.size(); ++row) {
    add(last, profile.copies.begin[row], profile.copies.end[row]);
  }
  std::vector<AttemptSpan> attempts;
  for (const auto& [number, attempt] : found) attempts.push_back(attempt);
  return attempts;
}

void write_timeline(std::ostream& out, const ProfileRows& profile, const std::vector<Queue>& queues,
                    const AttemptSpan& attempt, bool is_last, int columns) {
  TimelineWriter(out, profile, attempt, columns).write(rows_of(profile, queues, attempt, is_last));
}

}  // namespace terrace::app
