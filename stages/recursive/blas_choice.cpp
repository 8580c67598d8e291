#include "stages/recursive/blas_choice.hpp"

#include <string>

#include "kernels/recursive/blas.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

/// The library that computes on the device, as far as it fixes bits.
std::string blas_of(const Resources& resources) {
  if (!resources.cuda) return recursive::blas_kind();
  const std::string& kind = recursive::cuda_blas_kind();
  // The way in which cuBLAS cuts a product depends on the number of processors.
  return kind.empty() ? "no cuBLAS" : kind + " for " + std::to_string(resources.device.processors) + " processors";
}

}  // namespace

void choose_blas(recursive::TileSpec& spec, const Request& request) {
  if (!recursive::has_blas(spec)) return;
  const std::string here = blas_of(request.resources);
  if (!request.resources.cuda) spec.threads = request.resources.device.processors;
  if (request.choices == nullptr) return;
  if (!request.resources.cuda) spec.threads = request.choices->at("threads");
  const std::string before = request.choices->at("blas");
  if (before == here) return;
  throw JobError("stage '" + request.stage.name + "' has computed with " + before + ", and here is " + here +
                 ", which rounds otherwise; go on where the former is, or start over with --fresh=all");
}

void note_blas(nlohmann::json& choices, const recursive::TileSpec& spec, const Resources& resources) {
  if (!recursive::has_blas(spec)) return;
  choices["blas"] = blas_of(resources);
  if (!resources.cuda) choices["threads"] = spec.threads;
}

}  // namespace terrace::stages
