#include "io/inputs/spans.hpp"

#include <algorithm>
#include <cstring>

#include "io/files/box_runs.hpp"

namespace terrace::io {
namespace {

class Gatherer {
 public:
  Gatherer(const SpanLimits& limits, const std::function<void(const Span&)>& visit)
      : limits_(limits), visit_(visit) {}

  void add(std::int64_t file, std::int64_t target, std::int64_t bytes) {
    while (bytes > 0) {
      const bool joins =
          !span_.parts.empty() && file - span_.end <= limits_.gap && file < span_.begin + limits_.bytes;
      if (!joins) flush();
      if (span_.parts.empty()) span_.begin = file;
      const std::int64_t part = std::min(bytes, span_.begin + limits_.bytes - file);
      span_.parts.push_back({file, target, part});
      span_.end = file + part;
      file += part, target += part, bytes -= part;
    }
  }

  void flush() {
    if (!span_.parts.empty()) visit_(span_);
    span_.parts.clear();
  }

 private:
  SpanLimits limits_;
  const std::function<void(const Span&)>& visit_;
  Span span_;
};

}  // namespace

void for_each_span(const Extents& shape, std::int64_t origin, const Box& box, std::int64_t element_size,
                   const SpanLimits& limits, const std::function<void(const Span&)>& visit) {
  if (box.empty()) return;
  const BoxRuns runs(shape, element_size, box);
  Gatherer gatherer(limits, visit);
  for (std::int64_t run = 0; run < runs.count(); ++run) {
    gatherer.add(origin + runs.offset(run), run * runs.run_bytes(), runs.run_bytes());
  }
  gatherer.flush();
}

void scatter(const Span& span, const void* bytes, std::int64_t begin, void* target) {
  for (const SpanPart& part : span.parts) {
    std::memcpy(static_cast<char*>(target) + part.target, static_cast<const char*>(bytes) + (part.file - begin),
                static_cast<std::size_t>(part.bytes));
  }
}

}  // namespace terrace::io
