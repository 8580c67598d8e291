#include "stages/recursive/square_matrix.hpp"

#include "stages/refuse.hpp"

namespace terrace::stages {

std::shared_ptr<io::Source> open_square_matrix(const Request& request) {
  const std::string& name = request.stage.settings.text("matrix");
  std::shared_ptr<io::Source> matrix = request.array(name);
  const Extents& shape = matrix->shape();
  if (shape.rank() != 2 || shape[0] != shape[1]) {
    refuse(request.stage, "matrix", "'" + name + "' is " + to_string(shape) + "; give a square matrix");
  }
  constexpr std::int64_t most_rows = 1 << 24;
  if (shape[0] > most_rows) {
    refuse(request.stage, "matrix", "'" + name + "' has more than 2^24 rows, which no disk holds the result of");
  }
  return matrix;
}

}  // namespace terrace::stages
