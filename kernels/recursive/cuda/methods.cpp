#include "kernels/recursive/methods.hpp"

#include "kernels/recursive/blas.hpp"

namespace terrace::recursive {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

std::size_t workspace(const UpdateSpec& spec, const Limits&) { return tiles_cuda_bytes(spec.tiles, spec.side); }

std::unique_ptr<device::BlockKernel> make(const UpdateSpec& spec, device::Context& context, void* memory) {
  return make_tiles_cuda(spec.tiles, spec.side, context, memory);
}

/// Reasons of sums of products of real numbers, which cuBLAS computes where it is found. @param found by cuBLAS
std::string unfit_for_products(const UpdateSpec& spec, bool found) {
  if (!has_blas(spec.tiles)) return "it sums products of real numbers";
  if (cuda_blas_kind().empty() == !found) return "";
  return found ? "cuBLAS is not found" : "cuBLAS is found, and computes them";
}

Cost products(const UpdateSpec& spec, const Limits& limits) { return cost_of_products(spec, Backend::cuda, limits); }

constexpr UpdateMethod methods[] = {
    {"bits", "tiles of bits in shared memory and registers", Backend::cuda, "", true, unfit_for_bits,
     [](const UpdateSpec&, const Limits& limits) { return cost_of_bits(Backend::cuda, limits); }, workspace, make},
    {"counts", "numbers of common bits in registers, of tables of bits in shared memory", Backend::cuda, "", true,
     unfit_for_counts, [](const UpdateSpec&, const Limits& limits) { return cost_of_counts(Backend::cuda, limits); },
     workspace, make},
    {"paths", "distances in registers, each with its path", Backend::cuda, "", true, unfit_for_paths,
     [](const UpdateSpec& spec, const Limits& limits) { return cost_of_paths(spec, Backend::cuda, limits); },
     workspace, make},
    {"cublas", "sums of products of real numbers, by cuBLAS", Backend::cuda, "", true,
     [](const UpdateSpec& spec, const Limits&) { return unfit_for_products(spec, true); }, products, workspace, make},
    {"products", "sums of products of real numbers in registers", Backend::cuda, "", true,
     [](const UpdateSpec& spec, const Limits&) { return unfit_for_products(spec, false); }, products, workspace,
     make},
    {"tiles", "parts of tiles in registers", Backend::cuda, "", true, unfit_for_updates,
     [](const UpdateSpec& spec, const Limits& limits) { return cost_of_updates(spec, Backend::cuda, limits); },
     workspace, make}};

constexpr TriangleMethod triangles[] = {
    {"intervals", "parts of tiles in shared memory and registers", Backend::cuda, "", true, device::never_unfit,
     [](const TriangleSpec& spec, const Limits& limits) { return cost_of_splits(spec, Backend::cuda, limits); },
     [](const TriangleSpec& spec, const Limits&) { return intervals_cuda_bytes(spec.intervals, spec.side); },
     [](const TriangleSpec& spec, device::Context& context, void* memory) {
       return make_intervals_cuda(spec.intervals, spec.side, context, memory);
     }}};

}  // namespace

std::span<const UpdateMethod> update_cuda_methods() { return methods; }
std::span<const TriangleMethod> triangle_cuda_methods() { return triangles; }

}  // namespace terrace::recursive
