// The temperature of a chip, as in Rodinia's hotspot.
#pragma once

#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// The physical constants are Rodinia's: a chip of 16 mm x 16 mm x 0.5 mm, ambient temperature 80.
struct Hotspot {
  using Kernel = Hotspot;
  static constexpr const char* name = "hotspot";
  static constexpr const char* help = "temperature of a chip that is heated by its power, as in Rodinia's hotspot";
  static constexpr const char* formula =
      "u: fma(q, fma(z, 80 - u, fma(x, fma(-2, u, u[0,-1] + u[0,1]), fma(y, fma(-2, u, u[-1,0] + u[1,0]), power))), "
      "u)\n"
      "# u is the grid; q = step/Cap, x = 1/Rx, y = 1/Ry, z = 1/Rz: Rodinia's constants for the grid's shape";
  static constexpr int rank = 2, fields = 1, radius = 1;
  static constexpr const char* field_names[fields] = {"grid"};
  static constexpr bool has_step = false, own_faces = false;
  static constexpr double operations = 9;
  static constexpr OwnArray own_array = OwnArray::required;

  template <class T>
  struct Constants {
    T step, per_row, per_column, per_layer, ambient;  // step/Cap, 1/Ry, 1/Rx, 1/Rz
    i32 power;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    constexpr double side = 0.016, thickness = 0.0005, conductivity = 100, heat = 1.75e6, factor = 0.5;
    constexpr double most_power_density = 3e6, precision = 0.001, ambient = 80;
    const double dx = side / static_cast<double>(reader.extent(0)), dy = side / static_cast<double>(reader.extent(2));
    const double capacity = factor * heat * thickness * dx * dy;
    // Rodinia's program for CPUs divides the step by 1000.
    const double step = precision / (most_power_density / (factor * thickness * heat)) / 1000;
    return {static_cast<T>(step / capacity),
            static_cast<T>(2 * conductivity * thickness * dy / dx),
            static_cast<T>(2 * conductivity * thickness * dx / dy),
            static_cast<T>(conductivity * dx * dy / thickness),
            static_cast<T>(ambient),
            reader.array("power")};
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    const V u = at(0, 0, 0, 0), two = V(T(-2));
    const V vertical = fused(two, u, plus(V(at(0, -1, 0, 0)), V(at(0, 1, 0, 0))));
    const V horizontal = fused(two, u, plus(V(at(0, 0, 0, -1)), V(at(0, 0, 0, 1))));
    const V rows = fused(V(k.per_row), vertical, V(at.array(k.power)));
    const V columns = fused(V(k.per_column), horizontal, rows);
    made[0] = fused(V(k.step), fused(V(k.per_layer), minus(V(k.ambient), u), columns), u);
  }
};

}  // namespace terrace::stencil
