#include "stages/recursive/square_matrix.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "io/inputs/graph.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// Whole numbers beyond are not all of f64, which the job's is read as.
constexpr double most_whole = 9007199254740992.0;  // 2^53
/// No weight is as large: from here on, a value for "no edge" cannot be mistaken for a weight.
constexpr double least_infinity = 4611686018427387904.0;  // 2^62

/// The fault of a number that elements of type T are compared with; null: none. Rounds the number to T.
template <class T>
const char* fault_of(double& number) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rounded = static_cast<T>(number);
    if (std::isinf(rounded) && std::isfinite(number)) return "which is too large for it";
    number = static_cast<double>(rounded);
    return nullptr;
  } else {
    const bool fits = number >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
                      number <= static_cast<double>(std::numeric_limits<T>::max()) && number == std::floor(number);
    if (!fits) return "which none of its elements can be";
    const double magnitude = std::abs(number);
    if (magnitude >= most_whole && magnitude < least_infinity) return "whose neighbours it is not told from (2^53)";
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<io::Source> open_square_matrix(const Request& request, Makes makes) {
  const std::string& name = request.stage.settings.text("matrix");
  std::shared_ptr<io::Source> matrix = request.array(name);
  refuse_no_rows(request.stage, "matrix", name, *matrix);
  const Extents& shape = matrix->shape();
  if (shape.rank() != 2 || shape[0] != shape[1]) {
    refuse(request.stage, "matrix", "'" + name + "' is " + to_string(shape) + "; give a square matrix");
  }
  constexpr std::int64_t most_rows = 1 << 24;
  if (makes == Makes::table && shape[0] > most_rows) {
    refuse(request.stage, "matrix", "'" + name + "' has more than 2^24 rows, which no disk holds the result of");
  }
  return matrix;
}

std::optional<double> no_edge_of(const Request& request, const io::Source& matrix) {
  auto number = request.stage.settings.find<double>("no_edge");
  if (!number) return std::nullopt;
  if (io::is_graph(matrix)) {
    refuse(
        request.stage, "no_edge",
        "'" + request.stage.settings.text("matrix") +
            "' is a graph, which has no value for no edge: it lists the edges that there are; leave `no_edge` out");
  }
  const char* fault = nullptr;
  dispatch(matrix.type(), [&](auto value) { fault = fault_of<decltype(value)>(*number); });
  if (fault != nullptr) {
    refuse(request.stage, "no_edge",
           "'" + request.stage.settings.text("matrix") + "' is a matrix of " + std::string(name_of(matrix.type())) +
               ", and this a number " + fault + "; give the number that stands there where there is no edge");
  }
  return number;
}

WeightRules distance_rules(const Request& request, const io::Source& matrix, bool zero_diagonal) {
  WeightRules rules;
  rules.label = label_of(request.stage, "matrix");
  rules.no_edge = no_edge_of(request, matrix);
  rules.zero_diagonal = zero_diagonal;
  return rules;
}

}  // namespace terrace::stages
