#include "pipeline/app/pictures/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ostream>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/app/pictures/queues.hpp"
#include "pipeline/app/pictures/roofline.hpp"
#include "pipeline/app/pictures/stage_sums.hpp"
#include "pipeline/app/pictures/timeline.hpp"
#include "pipeline/app/show/datasets.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr std::size_t most_attempts = 8;   // with a timeline
constexpr double most_rectangles = 16000;  // of all timelines: keeps the page small
constexpr std::size_t most_datasets = 500;

std::string seconds_cell(double seconds) { return data_markup(seconds, format_duration(seconds)); }
std::string bytes_cell(double bytes) { return data_markup(bytes, format_size(bytes)); }
std::string count_cell(double count) { return data_markup(count, fmt::format("{:.0f}", count)); }
std::string rate_cell(double rate, const std::string& unit) { return data_markup(rate, format_rate(rate, unit)); }
std::string share_cell(double share) { return data_markup(share, fmt::format("{:.3g}%", 100 * share)); }

/// Writes the sections of a report in order.
class ReportWriter {
 public:
  ReportWriter(const io::ResultReader& result, const std::string& path, std::ostream& out)
      : result_(result),
        out_(out),
        profile_(read_profile(result, path)),
        stages_(read_stage_sums(result, profile_)) {}

  void write() {
    begin_page(out_, attribute("title"));
    write_origin();
    section("stages", "Stages", &ReportWriter::write_stages);
    section("results", "Results", &ReportWriter::write_results);
    section("timeline", "Timeline", &ReportWriter::write_timelines);
    section("limits", "Rates and limits", &ReportWriter::write_limits);
    section("moved", "Bytes moved", &ReportWriter::write_movements);
    section("attempts", "Attempts", &ReportWriter::write_attempts);
    section("devices", "Devices", &ReportWriter::write_devices);
    section("job", "The job", &ReportWriter::write_job);
    end_page(out_);
  }

 private:
  void section(const char* id, const char* heading, void (ReportWriter::*write_content)()) {
    begin_section(out_, id, heading);
    (this->*write_content)();
    end_section(out_);
  }

  std::string attribute(const char* name) const { return result_.attribute(name).value_or("?"); }

  std::string text_of(const std::string& dataset) const {
    if (!result_.has(dataset)) return "";
    const std::vector<std::string> texts = result_.texts(dataset);
    return texts.empty() ? "" : texts.front();
  }

  double last_attempt() const { return std::strtod(attribute("attempts").c_str(), nullptr); }

  void write_origin() {
    const std::string attempts = attribute("attempts");
    out_ << "<p>"
         << escape_markup(fmt::format("Made by Terrace {} ({}) on {} with {}; started {}, finished {}, {}.",
                                      attribute("version"), attribute("commit"), attribute("host"),
                                      attribute("devices"), attribute("started"), attribute("finished"),
                                      attempts == "1" ? "in one attempt" : "in " + attempts + " attempts"))
         << "</p>\n<nav aria-label=\"Sections\">";
    for (const auto& [id, name] :
         {std::pair("stages", "Stages"), std::pair("results", "Results"), std::pair("timeline", "Timeline"),
          std::pair("limits", "Rates and limits"), std::pair("moved", "Bytes moved"),
          std::pair("attempts", "Attempts"), std::pair("devices", "Devices"), std::pair("job", "Job")}) {
      out_ << "<a href=\"#" << id << "\">" << name << "</a>";
    }
    out_ << "</nav>\n</header>\n";
  }

  /// The stage's name with the colour that it has in pictures.
  std::string name_cell(std::size_t stage) const {
    return "<span class=\"chip " + colour_class(stage) + "\"></span>" + escape_markup(profile_.stages[stage]);
  }

  /// "<meter>": how much of the limit a stage reached.
  static std::string reached_cell(const StageSums& stage) {
    if (stage.limit <= 0) return "";
    return data_markup(stage.fraction, fmt::format("{:.0f}%", 100 * stage.fraction)) +
           fmt::format(" <meter min=\"0\" max=\"1\" value=\"{:.4f}\">{:.0f}%</meter>", std::min(1.0, stage.fraction),
                       100 * stage.fraction);
  }

  void write_stages() {
    PageTable table{"Work, time and rate of each stage in the last attempt",
                    {"stage", "blocks", "operations", "left out", "predicted", "measured", "computing", "rate",
                     "limit", "set by", "reached"},
                    {}};
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageSums& stage = stages_[s];
      if (!stage.computed()) {
        table.rows.push_back({name_cell(s), "", "", "", "", "", "", "", "", "", "complete before the last attempt"});
        continue;
      }
      table.rows.push_back(
          {name_cell(s), count_cell(stage.blocks),
           data_markup(stage.operations, format_count(stage.operations, stage.unit)), share_cell(stage.skipped),
           seconds_cell(stage.predicted_seconds), seconds_cell(stage.seconds), seconds_cell(stage.compute_seconds),
           rate_cell(stage.rate, stage.unit + "/s"), stage.limit > 0 ? rate_cell(stage.limit, stage.unit + "/s") : "",
           escape_markup(stage.limit_kind), reached_cell(stage)});
    }
    write_table(out_, table);
    out_ << "<p>The rate counts the time during which at least one block was being computed. \"Left out\" is the "
            "share "
            "of the whole problem that cannot change the result.</p>\n";
    write_times();
  }

  /// Predicted and measured times as bars.
  void write_times() {
    double longest = 0;
    std::size_t rows = 0;
    for (const StageSums& stage : stages_) {
      if (stage.computed()) longest = std::max({longest, stage.seconds, stage.predicted_seconds}), ++rows;
    }
    if (longest <= 0) return;
    constexpr double left = 160, width = 820, row_height = 34;
    out_ << "<h3>Predicted and measured times</h3>\n"
         << fmt::format(
                "<svg role=\"img\" viewBox=\"0 0 1140 {}\" aria-labelledby=\"times-title\"><title id=\"times-title\">"
                "Predicted and measured time of each stage</title>\n",
                row_height * static_cast<double>(rows) + 6);
    double y = 2;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageSums& stage = stages_[s];
      if (!stage.computed()) continue;
      out_ << fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - 8, y + 20,
                          escape_markup(shortened(profile_.stages[s])));
      for (const auto& [said, seconds, look, at] :
           {std::tuple("predicted", stage.predicted_seconds, " hollow", y + 2),
            std::tuple("measured", stage.seconds, "", y + 16)}) {
        const double bar = width * seconds / longest;
        out_ << fmt::format(
            "<rect class=\"{}{}\" x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"11\"/><text class=\"soft\" "
            "x=\"{:.2f}\" "
            "y=\"{}\">{} {}</text>\n",
            colour_class(s), look, left, at, std::max(1.0, bar), left + bar + 6, at + 10, said,
            escape_markup(format_duration(seconds)));
      }
      y += row_height;
    }
    out_ << "</svg>\n";
  }

  static std::string shortened(const std::string& name) {
    constexpr std::size_t most_letters = 20;
    return name.size() <= most_letters ? name : name.substr(0, most_letters - 3) + "...";
  }

  void write_results() {
    PageTable table{"Datasets of the result", {"dataset", "type", "shape", "values", "meaning"}, {}};
    std::size_t more = 0;
    for (const io::DatasetSummary& dataset : result_.datasets()) {
      if (dataset.only_dimension || is_bookkeeping(dataset) || dataset.path == "/job") continue;
      if (table.rows.size() >= most_datasets) ++more;
      else
        table.rows.push_back({escape_markup(dataset.path.substr(1)), escape_markup(dataset.type), shape_of(dataset),
                              escape_markup(values_of(result_, dataset)), escape_markup(meaning_of(dataset))});
    }
    write_table(out_, table);
    if (more > 0) out_ << "<p>And " << more << " more.</p>\n";
  }

  void write_timelines() {
    const std::vector<AttemptSpan> attempts = attempts_of(profile_, last_attempt());
    if (attempts.empty()) {
      out_ << "<p>Nothing was computed or moved.</p>\n";
      return;
    }
    out_ << "<p class=\"legend\">";
    for (std::size_t s = 0; s < std::min(stages_.size(), 4 * stage_colours); ++s) {
      out_ << "<span>" << name_cell(s) << "</span>";
    }
    out_ << "</p>\n<p>Blocks and movements of tiles by device and queue. Where there are too many to be drawn one by "
            "one, a column has the colour of the stage that takes most of its time, the stronger the busier it "
            "is.</p>\n";
    const std::vector<Queue> queues = queues_of(profile_);
    const std::size_t first = attempts.size() > most_attempts ? attempts.size() - most_attempts : 0;
    if (first > 0) out_ << "<p>The last " << most_attempts << " of " << attempts.size() << " attempts.</p>\n";
    const double rows = static_cast<double>(queues.size() * (attempts.size() - first));
    const int columns = static_cast<int>(std::clamp(most_rectangles / std::max(1.0, rows), 60.0, 1000.0));
    for (std::size_t a = first; a < attempts.size(); ++a) {
      const AttemptSpan& attempt = attempts[a];
      if (attempts.size() > 1) {
        const double since = attempt.begin - attempts.front().begin;
        out_ << fmt::format("<h3>Attempt {:.0f}{}</h3>\n", attempt.number,
                            since > 0 ? ", begun " + escape_markup(format_duration(since)) + " after the first" : "");
      }
      out_ << "<div class=\"wide\">\n";
      write_timeline(out_, profile_, queues, attempt, a + 1 == attempts.size(), columns);
      out_ << "</div>\n";
    }
  }

  /// A picture for each unit of operations, with the stages that count in it.
  std::map<std::string, Roofline> rooflines() const {
    std::map<std::string, Roofline> found;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageSums& stage = stages_[s];
      if (!(stage.rate > 0 && stage.operations > 0)) continue;
      const double disk = stage.bytes_read + stage.bytes_written, link = stage.bytes_up + stage.bytes_down;
      if (disk + link <= 0) continue;
      Roofline& roofline = found[stage.unit];
      roofline.unit = stage.unit;
      const std::string& name = profile_.stages[s];
      if (disk > 0) roofline.points.push_back({s, name, "disk", stage.operations / disk, stage.rate});
      if (link > 0) roofline.points.push_back({s, name, "link", stage.operations / link, stage.rate});
      if (stage.limit > 0) roofline.ceilings.push_back({name + ": " + stage.limit_kind, stage.limit, 0});
    }
    for (auto& [unit, roofline] : found) add_device_ceilings(roofline);
    return found;
  }

  void add_device_ceilings(Roofline& roofline) const {
    for (const auto& [column, name] :
         {std::pair("memory_rate", "memory of the device"), std::pair("link_rate", "link to the host")}) {
      const std::string path = std::string("/profile/devices/") + column;
      if (!result_.has(path)) continue;
      const std::vector<double> rates = result_.numbers(path);
      const double most = rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
      if (most > 0) roofline.ceilings.push_back({std::string(name) + ", " + format_rate(most, "B/s"), 0, most});
    }
  }

  void write_limits() {
    const auto all = rooflines();
    if (all.empty()) {
      out_ << "<p>No stage of the last attempt has a rate and moved bytes.</p>\n";
      return;
    }
    out_ << "<p>Each stage at each level: its rate while computing, over the operations that it computes for a byte "
            "that "
            "the level moved. Level lines are the limits of stages, sloped ones those of bytes, as recorded in the "
            "profile.</p>\n";
    for (const auto& [unit, roofline] : all) {
      out_ << "<div class=\"wide\">\n";
      write_roofline(out_, roofline, "roofline-" + std::to_string(std::distance(all.begin(), all.find(unit))));
      out_ << "</div>\n";
    }
  }

  void write_movements() {
    PageTable table{"Bytes that each level moved in the last attempt, and the rate while it did",
                    {"stage", "movement", "copies", "bytes", "time", "rate"},
                    {}};
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      for (const MovementSums& movement : stages_[s].movements) {
        table.rows.push_back({name_cell(s), escape_markup(movement.name), count_cell(movement.copies),
                              bytes_cell(movement.bytes), seconds_cell(movement.seconds),
                              movement.seconds > 0 ? rate_cell(movement.bytes / movement.seconds, "B/s") : ""});
      }
    }
    write_table(out_, table);
    PageTable memory{"Most memory held at a time", {"stage", "host", "a device"}, {}};
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (!stages_[s].computed()) continue;
      memory.rows.push_back({name_cell(s), bytes_cell(stages_[s].peak_host), bytes_cell(stages_[s].peak_device)});
    }
    if (!memory.rows.empty()) write_table(out_, memory);
  }

  void write_attempts() {
    PageTable table{"Attempts that computed or moved something, from their first block or copy to their last",
                    {"attempt", "begin", "end", "blocks", "operations"},
                    {}};
    for (const AttemptSpan& attempt : attempts_of(profile_, last_attempt())) {
      table.rows.push_back({count_cell(attempt.number), seconds_cell(attempt.begin), seconds_cell(attempt.end),
                            count_cell(attempt.blocks),
                            data_markup(attempt.operations, format_count(attempt.operations))});
    }
    write_table(out_, table);
    PageTable safety{"Safety of each stage in the last attempt",
                     {"stage", "checkpoints", "blocks computed again after a stop"},
                     {}};
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (!stages_[s].computed()) continue;
      safety.rows.push_back({name_cell(s), count_cell(stages_[s].cuts), count_cell(stages_[s].repeated)});
    }
    if (!safety.rows.empty()) write_table(out_, safety);
  }

  void write_devices() {
    const auto numbers = [&](const char* column) {
      const std::string path = std::string("/profile/devices/") + column;
      std::vector<double> values = result_.has(path) ? result_.numbers(path) : std::vector<double>();
      values.resize(profile_.devices.size());
      return values;
    };
    const auto memory = numbers("memory"), processors = numbers("processors"), memory_rate = numbers("memory_rate"),
               link_rate = numbers("link_rate"), operation_rate = numbers("operation_rate");
    PageTable table{"Devices with their ceilings",
                    {"device", "memory", "processors", "memory rate", "link to the host", "operations"},
                    {}};
    for (std::size_t d = 0; d < profile_.devices.size(); ++d) {
      table.rows.push_back({escape_markup(profile_.devices[d]), bytes_cell(memory[d]), count_cell(processors[d]),
                            rate_cell(memory_rate[d], "B/s"),
                            link_rate[d] > 0 ? rate_cell(link_rate[d], "B/s") : "shares the host's memory",
                            rate_cell(operation_rate[d], "/s")});
    }
    write_table(out_, table);
  }

  void write_job() { out_ << "<pre>" << escape_markup(text_of("/job")) << "</pre>\n"; }

  const io::ResultReader& result_;
  std::ostream& out_;
  ProfileRows profile_;
  std::vector<StageSums> stages_;
};

}  // namespace

void write_report(const io::ResultReader& result, const std::string& path, std::ostream& out) {
  ReportWriter(result, path, out).write();
}

}  // namespace terrace::app
