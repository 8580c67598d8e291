#include "stages/stencil/rates.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/separable.hpp"
#include "stages/stencil/measured.hpp"

namespace terrace::stages {
namespace {

using measured::RadiusRate;
using measured::StencilRates;
using stencil::Face;
using stencil::Shape;
using stencil::StencilSpec;
using stencil::measured::BoxSums;
using stencil::measured::CudaBox;
using stencil::measured::CudaStream;
using stencil::measured::CudaVolume;
using stencil::measured::StreamForm;

int bytes_of(const StencilSpec& spec) { return static_cast<int>(size_of(spec.value)); }

double operations_of_named(std::string_view name) {
  for (const auto& row : measured::formula_operations) {
    if (name == row.name) return row.operations;
  }
  constexpr double most = 9;
  return most;
}

/// Operations of a cell of the operator of a row.
double operations_of_named(std::string_view name, int radius) {
  const double span = 2 * radius + 1;
  if (name == "separable") return 2 * span;
  const stencil::OperatorInfo* info = stencil::find_operator(name);
  if (info == nullptr || !info->linear) return operations_of_named(name);
  return info->shape == Shape::box ? std::pow(span, info->rank) : 1 + 2.0 * radius * info->rank;
}

bool is_star(const StencilSpec& spec) { return stencil::has_shape(spec, Shape::star); }
bool is_box(const StencilSpec& spec) { return stencil::has_shape(spec, Shape::box); }

/// The name under which the table has the stencil's rates.
std::string_view row_name(const StencilSpec& spec) {
  if (spec.separable) return "separable";
  static constexpr const char* stars[] = {"star1d", "star2d", "star3d"};
  static constexpr const char* boxes[] = {"star1d", "box2d", "box3d"};
  const auto rank = static_cast<std::size_t>(spec.rank - 1);
  if (spec.terms.empty()) return spec.name;
  return is_star(spec) ? stars[rank] : is_box(spec) ? boxes[rank] : "";
}

bool keeps_or_wraps(const stencil::Faces& faces) {
  return faces.low == faces.high && (faces.low == Face::fixed || faces.low == Face::periodic);
}

StreamForm form_of(const StencilSpec& spec) {
  return spec.separable ? StreamForm::separable : is_star(spec) ? StreamForm::star : StreamForm::box;
}

/// True if a sum has a kernel of CUDA that makes more than single steps of any stencil.
bool has_kernel(const StencilSpec& spec) {
  const bool star = is_star(spec), box = is_box(spec);
  if (!star && !box && !spec.separable) return false;
  if (spec.rank == 1) return false;
  const bool faces = keeps_or_wraps(spec.faces[0]) && keeps_or_wraps(spec.faces[2]) &&
                     (spec.rank < 3 || keeps_or_wraps(spec.faces[1]));
  const bool plain = faces && spec.source < 0 && spec.mask < 0;
  if (spec.rank == 3) return plain && spec.radius <= CudaVolume::most_radius(box);
  if (!plain) return spec.radius == 1 && !spec.separable;
  if (box && spec.radius >= CudaBox::least_radius) return spec.radius <= CudaBox::most_radius;
  return spec.radius <= CudaStream::most_radius(form_of(spec), bytes_of(spec));
}

/// Steps between two visits of a cell to the device's memory.
double depth_of(const StencilSpec& spec, StencilWay way) {
  const int bytes = bytes_of(spec);
  const bool box = is_box(spec);
  if (spec.depth == 1) return 1;
  if (way == StencilWay::cpu) {
    const auto reach =
        spec.rank == 3 ? stencil::measured::CpuTiles::reach_of_volumes : stencil::measured::CpuTiles::reach;
    return static_cast<double>(std::max<std::int64_t>(1, reach / spec.radius));
  }
  if (way == StencilWay::overlapped) return stencil::measured::CudaOverlapped::steps(spec.radius);
  if (way == StencilWay::skewed) return std::max(1, stencil::skewed_steps(spec.tile, spec.radius));
  if (way == StencilWay::step) return 1;
  if (spec.rank == 2 && box && spec.radius >= CudaBox::least_radius) {
    const bool products = CudaBox::has_products(bytes);  // as nearly all coefficients suit them
    return CudaBox::sizes(products ? BoxSums::products : BoxSums::terms, spec.radius, bytes).levels;
  }
  if (spec.rank == 3) return CudaVolume::sizes(box, spec.radius, bytes).levels;
  const stencil::measured::StreamSizes sizes =
      spec.terms.empty() ? stencil::measured::CudaFormulaStream::sizes(spec.fields(), spec.arrays > 0, bytes)
                         : CudaStream::sizes(form_of(spec), spec.radius, bytes);
  return sizes.levels * sizes.warps;
}

std::span<const StencilRates> table_of(StencilWay way) {
  switch (way) {
    case StencilWay::stream:
      return measured::stencil_stream_rates;
    case StencilWay::step:
      return measured::stencil_step_rates;
    case StencilWay::overlapped:
      return measured::stencil_overlapped_rates;
    case StencilWay::skewed:
      return measured::stencil_skewed_rates;
    case StencilWay::cpu:
      break;
  }
  return measured::stencil_cpu_rates;
}

/// Multiply-adds a second by the table: between two radii in proportion, beyond them those of the nearest.
double measured_operations(const StencilSpec& spec, StencilWay way) {
  const std::string_view name = row_name(spec);
  const std::span<const StencilRates> table = table_of(way);
  auto row = std::ranges::find_if(table, [&](const StencilRates& r) { return name == r.name; });
  if (row == table.end()) row = table.end() - 1;
  const auto rate = [&](const RadiusRate& at) {
    const double cells = spec.value == ElementType::f32 ? at.f32 : at.f64 > 0 ? at.f64 : at.f32 / 2;
    return 1e9 * cells * (*row->name == '\0' ? 1 : operations_of_named(row->name, at.radius));
  };
  const RadiusRate *below = nullptr, *above = nullptr;
  for (const RadiusRate& at : row->at) {
    if (at.radius == 0) break;
    if (at.radius <= spec.radius) below = &at;
    if (at.radius >= spec.radius && above == nullptr) above = &at;
  }
  if (below == nullptr) return rate(*above);
  if (above == nullptr || above == below) return rate(*below);
  const double part = static_cast<double>(spec.radius - below->radius) / (above->radius - below->radius);
  return (1 - part) * rate(*below) + part * rate(*above);
}

}  // namespace

double operations_of(const StencilSpec& spec) {
  return spec.terms.empty() ? operations_of_named(spec.name) : static_cast<double>(spec.terms.size());
}

StencilWay stencil_way(const StencilSpec& spec, bool cuda) {
  if (!cuda) return StencilWay::cpu;
  if (spec.schedule == stencil::Schedule::overlapped) return StencilWay::overlapped;
  if (spec.schedule == stencil::Schedule::time_skewed) return StencilWay::skewed;
  if (spec.schedule == stencil::Schedule::plain || spec.depth == 1) return StencilWay::step;
  return spec.terms.empty() || has_kernel(spec) ? StencilWay::stream : StencilWay::step;
}

double multiply_adds_of(const Resources& resources) {
  const device::Limits& device = resources.device;
  if (resources.cuda) return 2 * device.operations_per_second;
  return device.multiply_adds_per_second > 0 ? device.multiply_adds_per_second : device.operations_per_second;
}

double stencil_speed(const StencilSpec& spec, const Resources& resources) {
  const StencilWay way = stencil_way(spec, resources.cuda);
  const auto size = static_cast<double>(size_of(spec.value));
  const double operations = measured_operations(spec, way);
  const double usual = resources.cuda ? measured::stencil_cuda_multiply_adds : measured::stencil_cpu_multiply_adds;
  const double given = multiply_adds_of(resources), machine = given > 0 ? given / usual : 1;
  double seconds = operations_of(spec) / (operations * machine);
  // The rate of hotspot is with its array.
  const int own_arrays = spec.name == "hotspot" ? 1 : 0;
  if (way == StencilWay::stream)
    seconds += (spec.arrays - own_arrays) * size / (measured::stencil_cache_bytes * machine);
  const double bytes = (2.0 * spec.fields() + spec.arrays) * size / depth_of(spec, way);
  if (const double memory = resources.device.memory_bytes_per_second; memory > 0) {
    seconds = std::max(seconds, bytes / memory);
  }
  return 1 / seconds;
}

}  // namespace terrace::stages
