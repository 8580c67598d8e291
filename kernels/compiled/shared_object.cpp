#include "kernels/compiled/shared_object.hpp"

#include <dlfcn.h>

#include "io/files/durable.hpp"
#include "kernels/compiled/scratch_folder.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::compiled {

SharedObject::SharedObject(const Binary& binary) {
  const ScratchFolder folder;  // the loader needs the file only while it opens it
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

}  // namespace terrace::compiled
