#include "pipeline/app/pictures/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <ostream>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/device_work.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/app/pictures/queues.hpp"
#include "pipeline/app/pictures/report/memory_picture.hpp"
#include "pipeline/app/pictures/report/memory_rows.hpp"
#include "pipeline/app/pictures/report/roofline.hpp"
#include "pipeline/app/pictures/report/roofs.hpp"
#include "pipeline/app/pictures/report/stage_bars.hpp"
#include "pipeline/app/pictures/report/stage_sums.hpp"
#include "pipeline/app/pictures/report/timeline.hpp"
#include "pipeline/app/show/bound.hpp"
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
std::string share_cell(double share) { return data_markup(share, format_share(share)); }

/// Writes the sections of a report in order.
class ReportWriter {
 public:
  ReportWriter(const io::ResultReader& result, const std::string& path, std::ostream& out)
      : result_(result),
        out_(out),
        profile_(read_profile(result, path)),
        own_(profile_.of_this_run()),
        stages_(read_stage_sums(result, profile_)),
        memory_(read_memory(result, path, stages_.size())) {}

  void write() {
    begin_page(out_, attribute("title"));
    write_origin();
    for (const Section& section : sections) {
      begin_section(out_, section.id, section.heading);
      (this->*section.write_content)();
      end_section(out_);
    }
    end_page(out_);
  }

 private:
  struct Section {
    const char *id, *heading;
    void (ReportWriter::*write_content)();
  };
  static const std::array<Section, 9> sections;

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
         << "</p>\n<p>" << escape_markup(describe_time()) << "</p>\n<nav aria-label=\"Sections\">";
    for (const Section& section : sections) {
      out_ << "<a href=\"#" << section.id << "\">" << section.heading << "</a>";
    }
    out_ << "</nav>\n</header>\n";
  }

  /// "Took 1.78 s: align 1.36 s, bound by writing; path 329 ms, bound by computing."
  std::string describe_time() const {
    constexpr std::size_t most_stages = 6;
    std::string text;
    std::size_t told = 0;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageSums& stage = stages_[s];
      if (!stage.computed() || ++told > most_stages) continue;
      text += fmt::format("{}{} {}, bound by {}", text.empty() ? ": " : "; ", profile_.stages[s],
                          format_duration(stage.seconds), bound_by(stage.activities, stage.seconds));
    }
    if (told > most_stages) text += fmt::format("; and {} more", told - most_stages);
    const auto seconds = result_.attribute("seconds");
    const std::string whole = seconds ? " " + format_duration(std::strtod(seconds->c_str(), nullptr)) : "";
    return (last_attempt() > 1 ? "The last attempt took" : "Took") + whole + text + ".";
  }

  /// The stage's name with the colour that it has in pictures.
  std::string name_cell(std::size_t stage) const {
    return "<span class=\"chip " + colour_class(stage) + "\"></span>" + escape_markup(profile_.stages[stage]);
  }

  /// ", taken over, computed ...", if another run computed the stage.
  std::string origin_note(std::size_t stage) const {
    if (!profile_.taken_over[stage]) return "";
    return " <small>taken over, computed " + escape_markup(profile_.computed[stage]) + "</small>";
  }

  /// A share with a bar of its length.
  static std::string bar_cell(double share) {
    return share_cell(share) + fmt::format(" <meter min=\"0\" max=\"1\" value=\"{:.4f}\">{:.0f}%</meter>",
                                           std::min(1.0, share), 100 * share);
  }
  /// How much of the limit a stage reached.
  static std::string reached_cell(const StageSums& stage) { return stage.limit > 0 ? bar_cell(stage.fraction) : ""; }

  void write_stages() {
    PageTable table{"Work, time and rate of each stage in the last attempt",
                    {"stage", "blocks", "operations", "left out", "predicted", "measured", "computing", "rate",
                     "limit", "set by", "reached"},
                    {}};
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageSums& stage = stages_[s];
      if (!stage.computed()) {
        table.rows.push_back({name_cell(s), "", "", "", "", "", "", "", "", "",
                              profile_.taken_over[s] ? "" : "complete before the last attempt"});
        table.rows.back().front() += origin_note(s);
        continue;
      }
      table.rows.push_back(
          {name_cell(s) + origin_note(s), count_cell(stage.blocks),
           data_markup(stage.operations, format_count(stage.operations, stage.unit)), share_cell(stage.skipped),
           seconds_cell(stage.predicted_seconds), seconds_cell(stage.seconds), seconds_cell(stage.compute_seconds),
           rate_cell(stage.rate, stage.unit + "/s"), stage.limit > 0 ? rate_cell(stage.limit, stage.unit + "/s") : "",
           escape_markup(stage.limit_kind), reached_cell(stage)});
    }
    write_table(out_, table);
    out_ << "<p>The rate counts the time during which at least one block was being computed. \"Left out\" is the "
            "share "
            "of the whole problem that cannot change the result.</p>\n";
    write_bounds();
    write_stage_bars(out_, profile_.stages, stages_);
  }

  void write_bounds() {
    PageTable table{"The activities that took each stage's time, and which of them bound it",
                    {"stage", "time", "computing", "reading", "copying", "writing", "bound by"},
                    {}};
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageSums& stage = stages_[s];
      if (!stage.computed()) continue;
      std::vector<std::string> row{name_cell(s), seconds_cell(stage.seconds)};
      for (const double seconds : stage.activities) row.push_back(seconds_cell(seconds));
      row.push_back(bound_by(stage.activities, stage.seconds));
      table.rows.push_back(std::move(row));
    }
    if (!table.rows.empty()) write_table(out_, table);
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
    const std::vector<AttemptSpan> attempts = attempts_of(own_, last_attempt());
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
    const std::vector<Queue> queues = queues_of(own_);
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
      write_timeline(out_, own_, queues, attempt, a + 1 == attempts.size(), columns);
    }
  }

  void write_limits() {
    const auto all = rooflines_of(result_, profile_.stages, stages_);
    if (all.empty()) {
      out_ << "<p>No stage of the last attempt has a rate and moved bytes.</p>\n";
      return;
    }
    out_ << "<p>Each stage at each level, a circle for the disk and a square for the link: its rate over its whole "
            "time, "
            "over the operations that it computes for a byte that the level moved. Level roofs are the limits of "
            "stages "
            "while they compute; dashed ones are the link's rate, and the disk's, the highest that a stage measured "
            "while it read or wrote.</p>\n";
    for (const auto& [unit, roofline] : all) {
      write_roofline(out_, roofline, "roofline-" + std::to_string(std::distance(all.begin(), all.find(unit))));
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
  }

  void write_memory_of_stages() {
    PageTable table{"Most memory held at a time, and the budgets",
                    {"stage", "host", "budget of the host", "a device", "budget of a device"},
                    {}};
    const auto known_bytes_cell = [](double bytes) { return bytes > 0 ? bytes_cell(bytes) : ""; };
    double host = 0, device = 0;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageSums& stage = stages_[s];
      if (!stage.computed()) continue;
      host = std::max(host, stage.budget_host), device = std::max(device, stage.budget_device);
      table.rows.push_back({name_cell(s), bytes_cell(stage.peak_host), known_bytes_cell(stage.budget_host),
                            known_bytes_cell(stage.peak_device), known_bytes_cell(stage.budget_device)});
    }
    if (!table.rows.empty()) write_table(out_, table);
    for (const LocationMemory& memory : memory_) {
      const bool is_host = memory.device < 0;
      write_memory(out_, memory, is_host ? "host" : fmt::format("device {}", memory.device), is_host ? host : device,
                   fmt::format("memory-{}", memory.device + 1));
    }
  }

  void write_attempts() {
    PageTable table{"Attempts that computed or moved something, from their first block or copy to their last",
                    {"attempt", "begin", "end", "blocks", "operations"},
                    {}};
    for (const AttemptSpan& attempt : attempts_of(own_, last_attempt())) {
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
      safety.rows.push_back({name_cell(s), count_cell(stages_[s].checkpoints), count_cell(stages_[s].repeated)});
    }
    if (!safety.rows.empty()) write_table(out_, safety);
  }

  /// The work of each device on stages that several computed.
  void write_work_of_devices() {
    PageTable table{"Devices of stages that several computed",
                    {"stage", "device", "blocks", "computing", "of the stage's time", "moved between devices"},
                    {}};
    const auto work = work_of_devices(profile_);
    for (std::size_t s = 0; s < work.size(); ++s) {
      if (work[s].size() < 2) continue;
      const double whole = stages_[s].seconds;
      for (const DeviceWork& one : work[s]) {
        table.rows.push_back({name_cell(s), std::to_string(one.device), count_cell(one.blocks),
                              seconds_cell(one.seconds), whole > 0 ? bar_cell(one.seconds / whole) : "",
                              escape_markup(moved_between_devices(one))});
      }
    }
    if (!table.rows.empty()) write_table(out_, table);
  }

  void write_devices() {
    write_work_of_devices();
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
  ProfileRows profile_, own_;  // of all stages; without those that are taken over
  std::vector<StageSums> stages_;
  std::vector<LocationMemory> memory_;
};

const std::array<ReportWriter::Section, 9> ReportWriter::sections{{
    {"stages", "Stages", &ReportWriter::write_stages},
    {"results", "Results", &ReportWriter::write_results},
    {"timeline", "Timeline", &ReportWriter::write_timelines},
    {"memory", "Memory", &ReportWriter::write_memory_of_stages},
    {"limits", "Rates and limits", &ReportWriter::write_limits},
    {"moved", "Bytes moved", &ReportWriter::write_movements},
    {"attempts", "Attempts", &ReportWriter::write_attempts},
    {"devices", "Devices", &ReportWriter::write_devices},
    {"job", "The job", &ReportWriter::write_job},
}};

}  // namespace

void write_report(const io::ResultReader& result, const std::string& path, std::ostream& out) {
  ReportWriter(result, path, out).write();
}

}  // namespace terrace::app
