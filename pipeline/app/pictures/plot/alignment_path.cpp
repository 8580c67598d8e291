#include "pipeline/app/pictures/plot/alignment_path.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pipeline/base/bands.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr std::int64_t band_elements = 1 << 20;

/// Keeps the points that a picture can tell from the one before.
class Thinned {
 public:
  Thinned(std::vector<PathPoint>& points, PathPoint step) : points_(points), step_(step) {}

  void add(PathPoint point) {
    last_ = point;
    if (points_.empty() || is_apart(points_.back(), point)) points_.push_back(point);
  }
  /// The last point is kept in any case.
  void end() {
    if (last_ && is_other(points_.back(), *last_)) points_.push_back(*last_);
  }

 private:
  bool is_apart(PathPoint a, PathPoint b) const {
    return std::abs(a.row - b.row) >= step_.row || std::abs(a.column - b.column) >= step_.column;
  }
  static bool is_other(PathPoint a, PathPoint b) { return a.row != b.row || a.column != b.column; }

  std::vector<PathPoint>& points_;
  PathPoint step_;
  std::optional<PathPoint> last_;
};

std::string group(const std::string& stage) { return "/" + stage + "/"; }

/// Runs of a CIGAR of =, X, I and D: calls `use(letter, columns)` for each. @throws IoError if it is another text
template <class Use>
void for_each_run(const std::string& cigar, const std::string& where, Use&& use) {
  constexpr std::int64_t most_columns = std::int64_t{1} << 40;  // of a run
  const char *next = cigar.data(), *end = next + cigar.size();
  while (next != end) {
    std::int64_t count = 0;
    const auto read = std::from_chars(next, end, count);
    if (read.ec != std::errc() || read.ptr == end || count <= 0 || count > most_columns) {
      throw IoError(where, "is damaged");
    }
    if (std::string_view("=XID").find(*read.ptr) == std::string_view::npos) throw IoError(where, "is damaged");
    next = read.ptr + 1;
    use(*read.ptr, count);
  }
}

/// Cuts an alignment into windows of columns.
class Windows {
 public:
  Windows(AlignmentPath& path, PathPoint begin, PathPoint step) : path_(path), at_(begin), step_(step) {}

  void add(char kind, std::int64_t count) {
    while (count > 0) {
      if (columns_ == 0) begin_window();
      const std::int64_t part = std::min(count, path_.window_columns - columns_);
      at_.row += kind != 'D' ? static_cast<double>(part) : 0;
      at_.column += kind != 'I' ? static_cast<double>(part) : 0;
      line_->add(at_);
      columns_ += part;
      equal_ += kind == '=' ? part : 0;
      count -= part;
      if (columns_ == path_.window_columns) end_window();
    }
  }
  void end() {
    if (columns_ > 0) end_window();
  }

 private:
  void begin_window() {
    path_.windows.emplace_back();
    line_.emplace(path_.windows.back().line, step_);
    line_->add(at_);
  }
  void end_window() {
    line_->end();
    path_.windows.back().identity = static_cast<double>(equal_) / static_cast<double>(columns_);
    columns_ = equal_ = 0;
  }

  AlignmentPath& path_;
  PathPoint at_, step_;
  std::optional<Thinned> line_;  // of the window under way
  std::int64_t columns_ = 0, equal_ = 0;
};

AlignmentPath path_of_cigar(const MadeResult& result, const std::string& stage, PathPoint step) {
  constexpr std::int64_t most_windows = 150, least_columns = 20;
  const std::string where = result.path().string() + ", " + group(stage);
  const std::vector<double> start = result.reader().numbers(group(stage) + "start");
  const std::vector<std::string> texts = result.reader().texts(group(stage) + "cigar");
  if (start.size() != 2 || texts.size() != 1) throw IoError(where, "has a damaged alignment");
  std::int64_t columns = 0;
  for_each_run(texts[0], where + "cigar", [&](char, std::int64_t count) { columns += count; });
  AlignmentPath path;
  path.window_columns = std::max(least_columns, (columns + most_windows - 1) / most_windows);
  Windows windows(path, {start[0], start[1]}, step);
  for_each_run(texts[0], where + "cigar", [&](char kind, std::int64_t count) { windows.add(kind, count); });
  windows.end();
  Thinned line(path.line, step);
  line.add({start[0], start[1]});
  for (const PathWindow& window : path.windows) {
    for (const PathPoint point : window.line) line.add(point);
  }
  line.end();
  return path;
}

/// The pairs of time warping: cells of the table.
AlignmentPath path_of_pairs(const MadeResult& result, const std::string& stage, PathPoint step) {
  const auto source = result.dataset(group(stage) + "path");
  const Extents& shape = source->shape();
  if (shape.rank() != 2 || shape[1] != 2 || source->type() != ElementType::i64) {
    throw IoError(result.path().string() + ", " + group(stage) + "path", "is no list of pairs");
  }
  AlignmentPath path;
  Thinned line(path.line, step);
  std::vector<std::int64_t> pairs;
  const TileGrid bands = bands_of(shape, band_elements);
  for (std::int64_t band = 0; band < bands.count(); ++band) {
    const Box box = bands.box(band);
    pairs.resize(static_cast<std::size_t>(box.volume()));
    source->read(box, pairs.data());
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      line.add({static_cast<double>(pairs[i]) + 0.5, static_cast<double>(pairs[i + 1]) + 0.5});
    }
  }
  line.end();
  return path;
}

bool is_list_of_pairs(const io::ResultReader& reader, const std::string& dataset) {
  const auto datasets = reader.datasets();
  return std::any_of(datasets.begin(), datasets.end(), [&](const io::DatasetSummary& found) {
    return found.path == dataset && found.shape.rank() == 2 && found.shape[1] == 2;
  });
}

/// The sequences of a stage as the job names them: its settings rows and columns; empty if there are none.
std::string sequences_of(const nlohmann::json& stage) {
  const nlohmann::json& settings = stage.at("settings");
  if (!settings.contains("rows") || !settings.contains("columns")) return "";
  return settings.at("rows").dump() + " " + settings.at("columns").dump();
}

}  // namespace

bool has_alignment(const io::ResultReader& reader, const std::string& stage) {
  if (reader.has(group(stage) + "cigar")) return reader.has(group(stage) + "start");
  return reader.has(group(stage) + "path") && is_list_of_pairs(reader, group(stage) + "path");
}

AlignmentPath read_alignment(const MadeResult& result, const std::string& stage, PathPoint step) {
  if (!has_alignment(result.reader(), stage)) {
    throw JobError(result.path().string() + ", /" + stage + ": has no alignment: it takes keep: alignment");
  }
  return result.reader().has(group(stage) + "cigar") ? path_of_cigar(result, stage, step)
                                                     : path_of_pairs(result, stage, step);
}

std::optional<std::string> stage_of_alignment(const MadeResult& result, const std::string& stage) {
  if (has_alignment(result.reader(), stage)) return stage;
  try {
    std::string wanted;
    const nlohmann::json& stages = result.identity().at("stages");
    for (const auto& one : stages) {
      if (one.at("name") == stage) wanted = sequences_of(one);
    }
    for (const auto& one : stages) {
      const std::string name = one.at("name");
      if (!wanted.empty() && sequences_of(one) == wanted && has_alignment(result.reader(), name)) return name;
    }
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    throw IoError(result.path().string() + ", attribute identity", "is damaged");
  }
}

}  // namespace terrace::app
