#include "pipeline/app/pictures/trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>

#include "pipeline/app/pictures/queues.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::app {
namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double number) { return std::isfinite(number) ? fmt::format("{}", number) : "null"; }

/// A rate, as a member of an object; empty if nothing was done or it took no time.
std::string rate_member(const char* name, double amount, double seconds) {
  if (!(amount > 0 && seconds > 0)) return "";
  return fmt::format(",\"{}\":{}", name, json_number(amount / seconds));
}

/// Writes events, one a line.
class EventWriter {
 public:
  EventWriter(const ProfileRows& profile, std::ostream& out) : profile_(profile), out_(out) {
    out_ << trace_kind.begins;
  }

  void begin_place(int place) {
    metadata("process_name", place, 0, json_text(name_of_place(profile_, place)));
    event("{{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":{},\"tid\":0,\"args\":{{\"sort_index\":{}}}}}",
          place, place);
  }
  void begin_lane(const Queue& queue, int lane, int thread) {
    const std::string name = queue.lanes > 1 ? fmt::format("{} {}", queue.name, lane + 1) : queue.name;
    metadata("thread_name", queue.place, thread, json_text(name));
    event("{{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"sort_index\":{}}}}}",
          queue.place, thread, thread);
  }
  void block(const Queue& queue, const Happening& h, int thread) {
    const BlockRows& rows = profile_.blocks;
    const std::string arguments = fmt::format(
        "\"stage\":{},\"phase\":{:.0f},\"first\":{:.0f},\"count\":{:.0f},\"attempt\":{:.0f},\"attempts\":{:.0f},"
        "\"operations\":{}{}",
        json_text(profile_.stage_of_block(h.row)), rows.phase[h.row], rows.first[h.row], rows.count[h.row],
        rows.attempt[h.row], rows.attempts[h.row], json_number(rows.operations[h.row]),
        rate_member("operations_per_second", rows.operations[h.row], h.end - h.begin));
    complete(name_of_block(profile_, h.row), "block", queue, h, thread, arguments);
  }
  void copy(const Queue& queue, const Happening& h, int thread) {
    const CopyRows& rows = profile_.copies;
    const std::string arguments =
        fmt::format("\"stage\":{},\"array\":{},\"tile\":{:.0f},\"generation\":{:.0f},\"bytes\":{:.0f}{}",
                    json_text(profile_.stage_of_copy(h.row)), json_text(rows.array[h.row]), rows.tile[h.row],
                    rows.generation[h.row], rows.bytes[h.row],
                    rate_member("bytes_per_second", rows.bytes[h.row], h.end - h.begin));
    complete(name_of_copy(profile_, h.row), "copy", queue, h, thread, arguments);
  }
  void end(const std::string& title) {
    out_ << "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"job\":" << json_text(title) << "}}\n";
  }

 private:
  template <class... Values>
  void event(fmt::format_string<Values...> pattern, Values&&... values) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), pattern, std::forward<Values>(values)...);
    out_ << (first_ ? "\n" : ",\n") << line_;
    first_ = false;
  }
  /// @param name as JSON
  void metadata(const char* what, int place, int thread, const std::string& name) {
    event("{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", what, place, thread,
          name);
  }
  void complete(const std::string& name, const char* category, const Queue& queue, const Happening& h, int thread,
                const std::string& arguments) {
    constexpr double microseconds = 1e6;
    event(
        "{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{:.3f},\"dur\":{:.3f},\"pid\":{},\"tid\":{},\"args\":{{{}}}"
        "}}",
        json_text(name), category, h.begin * microseconds, (h.end - h.begin) * microseconds, queue.place, thread,
        arguments);
  }

  const ProfileRows& profile_;
  std::ostream& out_;
  std::string line_;
  bool first_ = true;
};

}  // namespace

void write_trace(const ProfileRows& profile, const std::string& title, std::ostream& out) {
  EventWriter writer(profile, out);
  int place = -1, threads = 0;
  for (const Queue& queue : queues_of(profile)) {
    if (queue.place != place) writer.begin_place(queue.place), threads = 0;
    place = queue.place;
    for (int lane = 0; lane < queue.lanes; ++lane) writer.begin_lane(queue, lane, threads + lane + 1);
    for (const Happening& happening : queue.happenings) {
      const int thread = threads + happening.lane + 1;
      if (queue.of_blocks) writer.block(queue, happening, thread);
      else writer.copy(queue, happening, thread);
    }
    threads += queue.lanes;
  }
  writer.end(title);
}

}  // namespace terrace::app
