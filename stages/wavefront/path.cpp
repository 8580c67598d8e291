#include "stages/wavefront/path.hpp"

#include <charconv>
#include <stdexcept>

namespace terrace::stages {
namespace {

char letter_of(wavefront::PathStep step) { return "=XID"[static_cast<int>(step)]; }

template <class Runs>
std::string cigar_of(const Runs& runs) {
  std::string text;
  for (const PathRun& run : runs) {
    text += std::to_string(run.count);
    text += run.step;
  }
  return text;
}

}  // namespace

void Path::add(char step, std::int64_t count) {
  if (count == 0) return;
  if (!runs_.empty() && runs_.back().step == step) runs_.back().count += count;
  else runs_.push_back({step, count});
}

void Path::add(const wavefront::TraceResult& found) {
  for (std::int64_t i = 0; i < found.count; ++i) add(letter_of(found.step(i)), 1);
}

std::int64_t Path::length() const {
  std::int64_t steps = 0;
  for (const PathRun& run : runs_) steps += run.count;
  return steps;
}

std::int64_t Path::count(char step) const {
  std::int64_t steps = 0;
  for (const PathRun& run : runs_) steps += run.step == step ? run.count : 0;
  return steps;
}

std::vector<std::int64_t> Path::cells(std::int64_t rows, std::int64_t columns) const {
  std::vector<std::int64_t> cells(2 * static_cast<std::size_t>(length()));
  auto at = cells.rbegin();
  for (const PathRun& run : runs_) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      *at++ = columns - 1;
      *at++ = rows - 1;
      rows -= run.step != 'D';
      columns -= run.step != 'I';
    }
  }
  return cells;
}

std::string Path::cigar() const { return cigar_of(std::vector<PathRun>(runs_.rbegin(), runs_.rend())); }

std::string Path::save() const { return cigar_of(runs_); }

Path Path::load(const std::string& saved) {
  Path path;
  const char* end = saved.data() + saved.size();
  for (const char* at = saved.data(); at != end;) {
    std::int64_t count = 0;
    const auto [kind, error] = std::from_chars(at, end, count);
    if (error != std::errc{} || kind == end || count < 0) {
      throw std::invalid_argument("'" + saved.substr(static_cast<std::size_t>(at - saved.data()), 40) +
                                  "' is no run of a path");
    }
    path.add(*kind, count);
    at = kind + 1;
  }
  return path;
}

}  // namespace terrace::stages
