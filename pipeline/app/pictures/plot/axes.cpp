#include "pipeline/app/pictures/plot/axes.hpp"

#include <algorithm>

#include "pipeline/app/pictures/plot/sequence_name.hpp"
#include "pipeline/app/show/datasets.hpp"

namespace terrace::app {
namespace {

constexpr std::size_t longest_name = 16;  // of a name
constexpr std::int64_t most_named = 1 << 20;

std::string shortened(const std::string& name) {
  if (name.size() <= longest_name) return name;
  std::size_t end = longest_name - 1;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0u) == 0x80u) --end;  // whole letters of UTF-8
  return name.substr(0, end) + "\u2026";
}

/// The dataset whose values name the indices of a dimension; nullptr if there is none.
const io::DatasetSummary* coordinate_of(const std::vector<io::DatasetSummary>& datasets, const std::string& path,
                                        std::int64_t extent) {
  const auto found = std::find_if(datasets.begin(), datasets.end(), [&](const auto& dataset) {
    return dataset.path == path && dataset.coordinate && dataset.shape == Extents{extent};
  });
  return found == datasets.end() || extent > most_named ? nullptr : &*found;
}

bool are_indices(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return false;
  }
  return true;
}

/// The sequence along a dimension of a table: its name, or empty.
std::string sequence_along(const MadeResult& result, const std::string& stage, const std::string& dimension) {
  if (dimension == "row") return sequence_name(result, stage, "rows");
  return dimension == "column" ? sequence_name(result, stage, "columns") : "";
}

}  // namespace

PlotAxis axis_of(const MadeResult& result, const PlotSubject& subject, int d, std::size_t most, const char* absent) {
  const io::DatasetSummary& dataset = subject.dataset;
  const std::vector<std::string> dimensions = result.reader().dimensions(dataset.path);
  if (std::ssize(dimensions) != dataset.shape.rank()) return {absent, {}};
  const std::string& name = dimensions[static_cast<std::size_t>(d)];
  const std::string sequence = sequence_along(result, subject.stage, name);
  PlotAxis axis{name + (sequence.empty() ? "" : ": " + sequence), {}};
  const auto datasets = result.reader().datasets();
  const auto* coordinate = coordinate_of(datasets, group_of(dataset.path) + "/" + name, dataset.shape[d]);
  if (coordinate == nullptr) return axis;
  const std::vector<std::string> names = result.reader().texts(coordinate->path);
  if (are_indices(names)) return axis;
  const std::size_t step = (names.size() + most - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t i = 0; i < names.size(); i += step) {
    axis.names.emplace_back(static_cast<std::int64_t>(i), shortened(names[i]));
  }
  return axis;
}

PlotAxis column_axis_of(const MadeResult& result, const PlotSubject& subject, std::size_t most) {
  const int rank = subject.dataset.shape.rank();
  if (!subject.packed) return axis_of(result, subject, rank - 1, most, "column");
  PlotAxis axis = axis_of(result, subject, rank - 2, most, "column");
  axis.label = "to";
  return axis;
}

int room_beside(const PlotAxis& axis, int without) {
  constexpr int letter = 9, room = 60;  // pixels; those of the label and the ticks
  std::size_t longest = 0;
  for (const auto& [index, name] : axis.names) longest = std::max(longest, std::min(name.size(), longest_name));
  return axis.names.empty() ? without : std::max(without, room + letter * static_cast<int>(longest));
}

void set_names(Gnuplot& plot, const char* axis, const PlotAxis& names, double place) {
  if (names.names.empty()) return;
  std::string text;
  for (const auto& [index, name] : names.names) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", gnuplot_text(name), static_cast<double>(index) + place);
  }
  plot.command("set {}tics {}({}) font {}", axis, axis[0] == 'x' ? "rotate by 90 right " : "", text, plot.font(9));
}

std::string time_of_snapshot(const MadeResult& result, const PlotSubject& subject, std::int64_t number) {
  const std::vector<std::string> dimensions = result.reader().dimensions(subject.dataset.path);
  if (dimensions.empty()) return "";
  const std::string path = group_of(subject.dataset.path) + "/" + dimensions.front();
  const auto datasets = result.reader().datasets();
  if (coordinate_of(datasets, path, subject.dataset.shape[0]) == nullptr) return "";
  return dimensions.front() + " " + result.reader().texts(path)[static_cast<std::size_t>(number)];
}

}  // namespace terrace::app
