#include "stages/kernel_graph/verify/cells.hpp"

#include <algorithm>
#include <limits>

#include "kernels/graph/stored.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/verify/boxes.hpp"

namespace terrace::stages {

template <class T>
GraphCells<T>::GraphCells(const VerifyRequest& request, const GraphDefinition& definition)
    : request_(request),
      definition_(definition),
      graph_(*definition.graph),
      numbers_(graph_.reductions.size(), std::numeric_limits<double>::quiet_NaN()),
      is_known_(graph_.reductions.size()) {}

template <class T>
void GraphCells<T>::set_number(int reduction, double number) {
  numbers_[static_cast<std::size_t>(reduction)] = number;
  is_known_[static_cast<std::size_t>(reduction)] = true;
}

template <class T>
std::optional<int> GraphCells<T>::missing_number(int value) const {
  std::vector<bool> is_needed(static_cast<std::size_t>(graph_.values()));
  is_needed[static_cast<std::size_t>(value)] = true;
  for (int own = value; own >= 0 && graph_.is_node(own); --own) {
    if (!is_needed[static_cast<std::size_t>(own)]) continue;
    for (const graph::KnownNumber& known : graph_.node(own).settings.known) {
      if (!is_known_[static_cast<std::size_t>(known.number)]) return known.number;
    }
    for (const int operand : graph_.node(own).operands) is_needed[static_cast<std::size_t>(operand)] = true;
  }
  return std::nullopt;
}

template <class T>
std::vector<T> GraphCells<T>::make(int value, const Box& box) {
  constexpr graph::WindowLimits limits{4 * GraphVerifyLimits::operations, 2 * GraphVerifyLimits::values};
  const auto read_input = [this](int input, const graph::Cells& cells) { return read(input, cells); };
  graph::Window<T> window(graph_, read_input, numbers_, limits, [this] { advance(); });
  const graph::Array<T>& made =
      window.make(value, graph::Cells::of({{box.begin[0], box.end[0]}, {box.begin[1], box.end[1]}}));
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(box.volume()));
  for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i) {
    for (std::int64_t j = box.begin[1]; j < box.end[1]; ++j) values.push_back(made.at(i, j));
  }
  return values;
}

/// The rows of bands in which all of an array is made again; nullopt: that is too much work.
template <class T>
std::optional<std::int64_t> GraphCells<T>::rows_of_bands(int value, double operations) const {
  const graph::Shape shape = graph_.shape(value);
  for (std::int64_t rows = shape.rows;; rows = (rows + 1) / 2) {
    const std::int64_t begin = (shape.rows - rows) / 2, bands = (shape.rows + rows - 1) / rows;
    const graph::WindowLimits work =
        graph::work_of_cells(graph_, value, graph::Cells::of({{begin, begin + rows}, {0, shape.columns}}));
    const double all = work.operations + operations * static_cast<double>(rows) * static_cast<double>(shape.columns);
    if (all * static_cast<double>(bands) > GraphVerifyLimits::operations) return std::nullopt;
    if (work.values <= GraphVerifyLimits::values) return rows;
    if (rows == 1) return std::nullopt;
  }
}

template <class T>
std::shared_ptr<io::Source> GraphCells<T>::stored(int value) const {
  const graph::Shape shape = graph_.shape(value);
  for (const graph::Kept& kept : graph_.kept) {
    if (kept.value != value || kept.type != graph_.type) continue;
    return open_dataset(request_, dataset_name(graph_.node(value).name), {shape.rows, shape.columns}, kept.type);
  }
  return nullptr;
}

template <class T>
std::string GraphCells<T>::visit(int value, double operations,
                                 const std::function<void(const graph::Array<T>& band)>& visit) {
  const std::int64_t all_rows = graph_.shape(value).rows, columns = graph_.shape(value).columns;
  const auto visit_all = [&](std::int64_t rows, const auto& values_of) {
    for (std::int64_t begin = 0; begin < all_rows; begin += rows) {
      const Box band{{begin, 0}, {std::min(begin + rows, all_rows), columns}};
      visit({{band.end[0] - begin, columns}, values_of(band)});
    }
  };
  if (const auto rows = rows_of_bands(value, operations); rows && !missing_number(value)) {
    visit_all(*rows, [&](const Box& band) { return make(value, band); });
    return "computed again";
  }
  const std::shared_ptr<io::Source> source = stored(value);
  const double cells = static_cast<double>(all_rows) * static_cast<double>(columns);
  if (!source || cells > GraphVerifyLimits::stored_values) return "";
  constexpr std::int64_t at_once = 1 << 20;
  visit_all(std::max<std::int64_t>(1, at_once / columns), [&](const Box& band) {
    advance();
    return read_box<T>(*source, band);
  });
  return "computed again from '" + graph_.node(value).name + "' as it is stored";
}

template <class T>
std::vector<T> GraphCells<T>::read(int input, const graph::Cells& cells) const {
  io::Source& source = *definition_.inputs[static_cast<std::size_t>(input)];
  std::vector<T> values(static_cast<std::size_t>(cells.count()));
  const std::int64_t width = cells.columns.size();
  for (const graph::Range& rows : cells.rows.ranges()) {
    for (const graph::Range& columns : cells.columns.ranges()) {
      const Box box{{rows.begin, columns.begin}, {rows.end, columns.end}};
      T* to = values.data() + cells.number_of(rows.begin, columns.begin);
      dispatch(source.type(), [&](auto zero) {
        const auto stored = read_box<decltype(zero)>(source, box);
        for (std::size_t n = 0; n < stored.size(); ++n) {
          const auto at = static_cast<std::int64_t>(n);
          to[at / columns.size() * width + at % columns.size()] = graph::loaded<T>(stored[n]);
        }
      });
    }
  }
  return values;
}

/// Lets a signal stop what takes long.
template <class T>
void GraphCells<T>::advance() {
  if (!request_.request.watch) return;
  ++steps_;
  request_.request.watch("cells of " + request_.request.stage.name, "step", steps_, steps_);
}

template class GraphCells<float>;
template class GraphCells<double>;

}  // namespace terrace::stages
