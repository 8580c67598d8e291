// The methods of updates of tiles and of problems over intervals (launch/method.hpp). Their cost is of an update of
// an element (of bits: of a cell), or of a split.
#pragma once

#include <span>

#include "kernels/launch/method.hpp"
#include "kernels/recursive/intervals.hpp"
#include "kernels/recursive/problem.hpp"
#include "kernels/recursive/tiles.hpp"

namespace terrace::recursive {

/// Updates of the tiles of a table.
struct UpdateSpec {
  TileSpec tiles;
  Form form = Form::product;  // what they are made for
  std::int64_t side = 0;      // rows and columns of the largest tile
};

/// Blocks of a triangle of tiles.
struct TriangleSpec {
  IntervalSpec intervals;
  std::int64_t side = 0;  // rows and columns of the largest tile
};

using UpdateMethod = device::Method<UpdateSpec>;
using TriangleMethod = device::Method<TriangleSpec>;

/// All methods: those of CUDA, where this program has them, then those of the CPU.
std::span<const UpdateMethod> update_methods();
std::span<const TriangleMethod> triangle_methods();

/// The rows of CUDA (cuda/methods.cpp); none in a program without it.
std::span<const UpdateMethod> update_cuda_methods();
std::span<const TriangleMethod> triangle_cuda_methods();

/// The reasons why kernels of bits, of counts, of paths, of sums of products by a BLAS and of other updates do not
/// compute them; empty: they do.
std::string unfit_for_bits(const UpdateSpec& spec, const device::Limits& limits);
std::string unfit_for_counts(const UpdateSpec& spec, const device::Limits& limits);
std::string unfit_for_paths(const UpdateSpec& spec, const device::Limits& limits);
std::string unfit_for_updates(const UpdateSpec& spec, const device::Limits& limits);

/// Multiply-adds a second of a device, which bound sums of products; 0 if not known.
double multiply_adds_of(const TileSpec& spec, device::Backend backend, const device::Limits& limits);

/// Costs by the measured rates: of updates in bits, of counts by bits, with paths, of sums of products, and of
/// others.
device::Cost cost_of_bits(device::Backend backend, const device::Limits& limits);
device::Cost cost_of_counts(device::Backend backend, const device::Limits& limits);
device::Cost cost_of_paths(const UpdateSpec& spec, device::Backend backend, const device::Limits& limits);
device::Cost cost_of_products(const UpdateSpec& spec, device::Backend backend, const device::Limits& limits);
device::Cost cost_of_updates(const UpdateSpec& spec, device::Backend backend, const device::Limits& limits);
device::Cost cost_of_updates(ElementType type, device::Backend backend, const device::Limits& limits);
device::Cost cost_of_splits(const TriangleSpec& spec, device::Backend backend, const device::Limits& limits);

}  // namespace terrace::recursive
