// Kernels compiled at run time for the simulated GPU: a shared object.
#include "kernels/compiled/module.hpp"

#include "kernels/compiled/shared_object.hpp"

namespace terrace::compiled {

Module::Module(const Binary& binary) : compiler_(binary.compiler), bytes_(binary.bytes.size()) {
  const auto object = std::make_shared<SharedObject>(binary);
  for (std::size_t number = 0; number < object->kernels(); ++number) kernels_.push_back(object->kernel(number));
  library_ = object;
}

int Module::local_bytes(std::size_t) const { return 0; }

}  // namespace terrace::compiled
