#include "kernels/in_place/cuda/written_source.hpp"

namespace terrace::in_place {

compiled::Source written_source(const InPlaceSpec& spec, const InPlaceShape& shape) {
  const std::string home = "terrace::in_place::",
                    type = spec.value == ElementType::f32   ? "float"
                           : spec.value == ElementType::f64 ? "double"
                                                            : "int",
                    kernel = "<" + home + "Written, " + type + (shape.few ? ", true>" : ", false>");
  compiled::Source source;
  source.text =
      "#include \"kernels/in_place/cuda/kernel.cuh\"\n#include \"kernels/values/exact.hpp\"\n"
      "namespace terrace::in_place {\n" +
      spec.written->source + "}  // namespace terrace::in_place\n";
  source.kernels = {home + "sweep_in_place_kernel" + kernel, home + "leave_rows_kernel" + kernel,
                    home + "report_last_slab_kernel<" + home + "Written>"};
  return source;
}

}  // namespace terrace::in_place
