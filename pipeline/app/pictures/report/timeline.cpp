#include "pipeline/app/pictures/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ostream>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double lane_height = 10, queue_height = 18, name_height = 17, place_height = 22, gap = 5, top = 8;
constexpr std::size_t most_single = 400;  // happenings of a queue that are drawn one by one
constexpr int most_lanes = 8;
constexpr double least_width = 1e-3;  // of a rectangle that can be seen, as a part of the picture's
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
    for (const Row& row : rows) {
      height += (row.queue->place != place ? place_height : 0) + name_height + row.height() + gap;
      place = row.queue->place;
    }
    begin_picture(out_, height + 24, fmt::format("timeline-{:.0f}", attempt_.number),
                  fmt::format("What each queue of each device did in attempt {:.0f}, over {}", attempt_.number,
                              format_duration(seconds_)));
    write_time_axis(out_, seconds_, top, height);
    double y = top;
    place = -1;
    for (const Row& row : rows) {
      if (row.queue->place != place) {
        place = row.queue->place;
        out_ << fmt::format("<text x=\"0\" y=\"{}\" class=\"halo\" font-weight=\"600\">{}</text>\n", y + 14,
                            escape_markup(name_of_place(profile_, place)));
        y += place_height;
      }
      out_ << fmt::format("<text class=\"soft halo\" x=\"0\" y=\"{}\">{}</text>\n", y + 13,
                          escape_markup(row.queue->name));
      write_row(row, y + name_height);
      y += name_height + row.height() + gap;
    }
    end_picture(out_);
  }

 private:
  /// The place of a time, as a part of the picture's width.
  double x_of(double time) const { return (time - attempt_.begin) / seconds_; }

  void write_row(const Row& row, double y) {
    out_ << fmt::format("<rect class=\"band\" x=\"0\" y=\"{}\" width=\"100%\" height=\"{}\"/>\n", y, row.height());
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
      const double x = std::min(x_of(h->begin), 1 - least_width);
      out_ << fmt::format(
          "<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"><title>{}</title></rect>\n",
          colour_class(stage_of(row, *h)), across(x), y + h->lane * height,
          across(std::max(least_width, x_of(h->end) - x - 2e-4)), height - 0.6, escape_markup(describe(row, *h)));
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
          "<rect class=\"{}\" opacity=\"{:.1f}\" x=\"{}\" y=\"{:.0f}\" width=\"{}\" height=\"{:.0f}\"><title>{}: "
          "{} begun, {}% busy</title></rect>\n",
          colour_class(look.first), static_cast<double>(look.second) / shades,
          across(static_cast<double>(first) / columns_), y, across(static_cast<double>(end - first) / columns_),
          row.height(), escape_markup(profile_.stages[look.first]), begun, 100 * look.second / shades);
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
