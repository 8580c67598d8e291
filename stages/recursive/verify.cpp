#include "stages/recursive/verify.hpp"

#include "kernels/recursive/problems.hpp"

namespace terrace::stages {

std::vector<Checked> verify_recursive(const VerifyRequest& request) {
  using recursive::Form;
  switch (recursive::find_problem(request.request.stage.problem)->form) {
    case Form::shortest_paths:
      return verify_distances(request);
    case Form::transitive_closure:
      return verify_transitive_closure(request);
    case Form::intervals:
      return verify_intervals(request);
    case Form::elimination:
      return verify_elimination(request);
    default:
      return verify_product(request);
  }
}

}  // namespace terrace::stages
