// Kernels compiled at run time for the simulated GPU: a shared object.
#include "kernels/compiled/module.hpp"

#include <dlfcn.h>

#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "tests/simulated_gpu/compiled/scratch_folder.hpp"

namespace terrace::compiled {

Module::Module(const Binary& binary) : compiler_(binary.compiler), bytes_(binary.bytes.size()) {
  const simulated_gpu::ScratchFolder folder;  // the loader needs the file only while it opens it
  io::write_file_durably(folder / "terrace.so", binary.bytes);
  library_ = std::shared_ptr<void>(dlopen((folder / "terrace.so").c_str(), RTLD_NOW | RTLD_LOCAL), [](void* opened) {
    if (opened != nullptr) dlclose(opened);
  });
  if (!library_) throw DeviceError("dlopen", dlerror());
  for (const std::string& symbol : binary.symbols) {
    const void* variable = dlsym(library_.get(), symbol.c_str());
    if (variable == nullptr) throw DeviceError("dlsym of " + symbol, dlerror());
    kernels_.push_back(*static_cast<const void* const*>(variable));
  }
}

int Module::local_bytes(std::size_t) const { return 0; }

}  // namespace terrace::compiled
