// What the stage `recursive` declares: made from the list of problems.
#include "kernels/recursive/problems.hpp"
#include "stages/recursive/closure_stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {
namespace {

const std::vector<Parameter> closure_parameters = {
    {"matrix", ParameterKind::array,
     "the square matrix: row i has the weights of the edges from node i to all nodes"},
    {"type", ParameterKind::choice,
     "type of the distances; input: that of the matrix; auto: of integers the narrowest that is sure to hold them",
     "input", "input, auto, i16, i32, i64, f32, f64"},
};

job::ProblemDeclaration declare(const recursive::ProblemInfo& problem) {
  job::ProblemDeclaration declaration;
  declaration.name = problem.name;
  declaration.summary = problem.help;
  declaration.group = "closures";
  declaration.parameters = closure_parameters;
  declaration.parameters.insert(declaration.parameters.end(), problem.parameters.begin(), problem.parameters.end());
  declaration.outputs = {
      {"distance", "nodes x nodes", "from each node to each; no path: infinity, in integers half the largest value"}};
  return declaration;
}

}  // namespace

StageKind recursive_stage() {
  StageKind kind;
  kind.declaration.name = "recursive";
  kind.declaration.help = "tables whose tiles are updated by other tiles, larger than memory";
  kind.declaration.parameters = {{"schedule", ParameterKind::choice,
                                  "how the recursion over tiles is cut; auto and two_way: in two at every level; "
                                  "r_way: as host and device memory "
                                  "ask for; plain: in single tiles at once",
                                  "auto", "auto, two_way, r_way, plain"}};
  for (const recursive::ProblemInfo& problem : recursive::problems()) {
    kind.declaration.problems.push_back(declare(problem));
  }
  kind.make = make_closure;
  return kind;
}

}  // namespace terrace::stages
