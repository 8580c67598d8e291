#include "pipeline/app/pictures/plot/subject.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "pipeline/app/show/datasets.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

using Datasets = std::vector<io::DatasetSummary>;

bool has(const Datasets& datasets, const std::string& path) {
  return std::any_of(datasets.begin(), datasets.end(), [&](const auto& dataset) { return dataset.path == path; });
}

template <std::size_t N>
bool is_one_of(const std::string& name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The sort of picture for a dataset; nullopt if it cannot be drawn.
std::optional<PlotSort> sort_of(const Datasets& datasets, const io::DatasetSummary& dataset) {
  const std::string group = group_of(dataset.path), name = name_of(dataset.path);
  if (dataset.only_dimension || is_bookkeeping(dataset) || Box::whole(dataset.shape).empty()) return std::nullopt;
  if (name == "cigar" && has(datasets, group + "/start")) return PlotSort::alignment;
  if (!element_type_from(dataset.type)) return std::nullopt;
  const int rank = dataset.shape.rank();
  if (name == "path" && rank == 2 && dataset.shape[1] == 2) return PlotSort::alignment;
  const bool is_schedule = (name == "assignment" && has(datasets, group + "/load")) ||
                           (name == "load" && has(datasets, group + "/assignment"));
  if (is_schedule && rank == 1) return PlotSort::schedule;
  if (volume(dataset.shape) < 2) return std::nullopt;
  return rank < 2 || dataset.shape[rank - 2] == 1 ? PlotSort::line : PlotSort::table;
}

/// Datasets that describe others.
bool is_secondary(const io::DatasetSummary& dataset) {
  static constexpr std::array<std::string_view, 7> names{"steps", "lengths", "time", "edges", "start", "end", "bins"};
  const std::string name = name_of(dataset.path);
  return is_one_of(name, names) || name.starts_with("previous") || name.starts_with("border_") ||
         holds_names(dataset.path) || dataset.coordinate ||
         std::count(dataset.path.begin(), dataset.path.end(), '/') > 2;
}

/// The datasets that people look for first.
bool is_primary(const std::string& dataset) {
  static constexpr std::array<std::string_view, 4> names{"u", "table", "grid", "distance"};
  return is_one_of(name_of(dataset), names);
}

/// The rank of a dataset among those that tell most about a result.
std::tuple<int, int, int, std::int64_t> rank_of(const PlotSubject& subject) {
  constexpr int of_sorts[] = {3, 1, 2, 4};  // in the order of PlotSort
  const std::string& path = subject.dataset.path;
  const int of_name = is_primary(path) ? 2 : holds_snapshots(path) ? 0 : 1;
  return {is_secondary(subject.dataset) ? 0 : 1, of_sorts[static_cast<int>(subject.sort)], of_name,
          volume(subject.dataset.shape)};
}

/// True if the dataset holds eight bits of a square matrix a byte.
bool is_packed(const io::ResultReader& reader, const io::DatasetSummary& dataset) {
  if (dataset.type != "u8" || dataset.shape.rank() != 2 || dataset.shape[1] != (dataset.shape[0] + 7) / 8)
    return false;
  const std::vector<std::string> dimensions = reader.dimensions(dataset.path);
  return dimensions.size() == 2 && dimensions[1] == "byte";
}

/// All that can be drawn of a stage, or of all.
std::vector<PlotSubject> subjects_of(const Datasets& datasets, const std::string& stage) {
  std::vector<PlotSubject> found;
  for (const io::DatasetSummary& dataset : datasets) {
    const std::string of = dataset.path.substr(1, dataset.path.find('/', 1) - 1);
    if (!stage.empty() && of != stage) continue;
    if (const auto sort = sort_of(datasets, dataset)) found.push_back({*sort, dataset, of});
  }
  return found;
}

std::vector<std::string> names_of(const std::vector<PlotSubject>& subjects) {
  std::vector<std::string> names;
  for (const PlotSubject& subject : subjects) names.push_back(subject.dataset.path.substr(1));
  return names;
}

/// The reason why a dataset of that path is none of the subjects.
std::string why_not_drawn(const Datasets& datasets, const std::string& path) {
  const auto found =
      std::find_if(datasets.begin(), datasets.end(), [&](const auto& dataset) { return dataset.path == path; });
  if (found == datasets.end()) return "is not there";
  return volume(found->shape) == 1 ? "is one value, which `terrace show` prints" : "is no array that can be drawn";
}

}  // namespace

bool holds_snapshots(const std::string& dataset) { return dataset.ends_with("snapshots"); }

bool holds_names(const std::string& dataset) {
  static constexpr std::array<std::string_view, 3> names{"next", "choice", "split"};
  return is_one_of(name_of(dataset), names);
}

namespace {

/// The subject that is named, or the most telling one.
PlotSubject find_subject(const Datasets& datasets, const std::string& file, const std::string& name) {
  const bool whole_stage = name.find('/') == std::string::npos;
  const auto all = subjects_of(datasets, ""), subjects = subjects_of(datasets, whole_stage ? name : "");
  const std::string there = all.empty() ? "; it has no array of numbers" : "; there are " + list_names(names_of(all));
  if (!whole_stage) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const PlotSubject& subject) { return subject.dataset.path == "/" + name; });
    if (found != all.end()) return *found;
    throw JobError(file + ", /" + name + ": " + why_not_drawn(datasets, "/" + name) + there);
  }
  if (subjects.empty()) {
    throw JobError(file + (name.empty() ? "" : ", /" + name) + ": has no dataset that can be drawn" + there);
  }
  return *std::max_element(subjects.begin(), subjects.end(),
                           [](const PlotSubject& a, const PlotSubject& b) { return rank_of(a) < rank_of(b); });
}

}  // namespace

std::vector<std::string> plot_names(const io::ResultReader& reader) {
  return names_of(subjects_of(reader.datasets(), ""));
}

PlotSubject plot_subject(const io::ResultReader& reader, const std::string& file, const std::string& named) {
  PlotSubject subject = find_subject(reader.datasets(), file, named.starts_with("/") ? named.substr(1) : named);
  subject.packed = is_packed(reader, subject.dataset);
  return subject;
}

}  // namespace terrace::app
