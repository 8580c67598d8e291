#include "stages/recursive/blas_choice.hpp"

#include <string>

#include "kernels/recursive/blas.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

bool uses_blas(const recursive::TileSpec& spec, const Resources& resources) {
  return !resources.cuda && recursive::has_blas(spec);
}

}  // namespace

void choose_blas(recursive::TileSpec& spec, const Request& request) {
  if (!uses_blas(spec, request.resources)) return;
  const std::string& here = recursive::blas_kind();
  spec.threads = request.resources.device.processors;
  if (request.choices == nullptr) return;
  spec.threads = request.choices->at("threads");
  const std::string before = request.choices->at("blas");
  if (before == here) return;
  throw JobError("stage '" + request.stage.name + "' has computed with " + before + ", and here is " + here +
                 ", which rounds otherwise; go on where the former is, or start over with --fresh");
}

void note_blas(nlohmann::json& choices, const recursive::TileSpec& spec, const Resources& resources) {
  if (!uses_blas(spec, resources)) return;
  choices["blas"] = recursive::blas_kind();
  choices["threads"] = spec.threads;
}

}  // namespace terrace::stages
