#include "kernels/compiled/compiler.hpp"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <memory>

#include "kernels/compiled/compile_error.hpp"
#include "kernels/compiled/device_headers.hpp"
#include "kernels/compiled/file_build.hpp"

namespace terrace::compiled {
namespace {

constexpr std::array common_options{"--std=c++20",     "-default-device",  "-no-source-include", "--fmad=false",
                                    "--prec-div=true", "--prec-sqrt=true", "--ftz=false"};

/// Opens NVRTC if the loader finds it, or in the toolkit that the program was built with. @return null if not found
void* open() {
  for (const std::string name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    for (const std::string& file : {name, TERRACE_CUDA_LIBRARIES "/" + name}) {
      if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    }
  }
  return nullptr;
}

/// NVRTC's functions. It stays loaded.
struct Library {
  void* handle = open();
  decltype(&nvrtcVersion) version = find<decltype(&nvrtcVersion)>("nvrtcVersion");
  decltype(&nvrtcGetErrorString) text = find<decltype(&nvrtcGetErrorString)>("nvrtcGetErrorString");
  decltype(&nvrtcGetNumSupportedArchs) count_architectures =
      find<decltype(&nvrtcGetNumSupportedArchs)>("nvrtcGetNumSupportedArchs");
  decltype(&nvrtcGetSupportedArchs) get_architectures =
      find<decltype(&nvrtcGetSupportedArchs)>("nvrtcGetSupportedArchs");
  decltype(&nvrtcCreateProgram) create = find<decltype(&nvrtcCreateProgram)>("nvrtcCreateProgram");
  decltype(&nvrtcDestroyProgram) destroy = find<decltype(&nvrtcDestroyProgram)>("nvrtcDestroyProgram");
  decltype(&nvrtcAddNameExpression) add_name = find<decltype(&nvrtcAddNameExpression)>("nvrtcAddNameExpression");
  decltype(&nvrtcGetLoweredName) get_symbol = find<decltype(&nvrtcGetLoweredName)>("nvrtcGetLoweredName");
  decltype(&nvrtcCompileProgram) compile = find<decltype(&nvrtcCompileProgram)>("nvrtcCompileProgram");
  decltype(&nvrtcGetProgramLogSize) log_size = find<decltype(&nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize");
  decltype(&nvrtcGetProgramLog) get_log = find<decltype(&nvrtcGetProgramLog)>("nvrtcGetProgramLog");
  decltype(&nvrtcGetCUBINSize) cubin_size = find<decltype(&nvrtcGetCUBINSize)>("nvrtcGetCUBINSize");
  decltype(&nvrtcGetCUBIN) get_cubin = find<decltype(&nvrtcGetCUBIN)>("nvrtcGetCUBIN");
  decltype(&nvrtcGetPTXSize) ptx_size = find<decltype(&nvrtcGetPTXSize)>("nvrtcGetPTXSize");
  decltype(&nvrtcGetPTX) get_ptx = find<decltype(&nvrtcGetPTX)>("nvrtcGetPTX");
  std::string number = handle == nullptr ? "" : version_number();
  void* builtins = handle == nullptr ? nullptr : open_builtins();

  void check(nvrtcResult result, const char* call) const {
    if (result != NVRTC_SUCCESS) throw DeviceError(call, text(result));
  }

 private:
  template <class Call>
  Call find(const char* name) const {
    if (handle == nullptr) return nullptr;
    void* symbol = ::dlsym(handle, name);
    if (symbol == nullptr) throw DeviceError("NVRTC", std::string("this one has no ") + name);
    return reinterpret_cast<Call>(symbol);
  }
  std::string version_number() const {
    int major = 0, minor = 0;
    check(version(&major, &minor), "nvrtcVersion");
    return std::to_string(major) + "." + std::to_string(minor);
  }
  /// NVRTC opens another library, which lies beside it, by its name alone. The loader takes one that is open.
  void* open_builtins() const {
    std::array<char, 4096> folder{};
    if (::dlinfo(handle, RTLD_DI_ORIGIN, folder.data()) != 0) return nullptr;
    return ::dlopen((std::string(folder.data()) + "/libnvrtc-builtins.so." + number).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
};

const Library& library() {
  static const Library found;
  return found;
}

void check(nvrtcResult result, const char* call) { library().check(result, call); }

/// What is compiled for an architecture: machine code, or, if this NVRTC does not know it, PTX of the newest one
/// before it that it knows: the driver translates that.
std::string target_of(const std::string& architecture) {
  const int wanted = std::stoi(architecture.substr(architecture.find('_') + 1));
  int count = 0;
  check(library().count_architectures(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  check(library().get_architectures(known.data()), "nvrtcGetSupportedArchs");
  const auto beyond = std::ranges::upper_bound(known, wanted);
  if (beyond == known.begin()) throw DeviceError("NVRTC " + library().number, "does not compile for " + architecture);
  const int newest = *std::prev(beyond);
  return (newest == wanted ? "sm_" : "compute_") + std::to_string(newest);
}

class Program {
 public:
  explicit Program(const Source& source) {
    std::vector<const char*> texts, names;
    for (const DeviceHeader& header : headers_of(source.text)) {
      texts.push_back(header.text);
      names.push_back(header.name.data());
    }
    check(library().create(&program_, source.text.c_str(), "terrace.cu", static_cast<int>(names.size()), texts.data(),
                           names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { library().destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void add(const std::string& kernel) {
    check(library().add_name(program_, kernel.c_str()), "nvrtcAddNameExpression");
  }
  bool compile(const std::string& target) {
    const std::string architecture = "--gpu-architecture=" + target;
    std::vector<const char*> options(common_options.begin(), common_options.end());
    options.push_back(architecture.c_str());
    return library().compile(program_, static_cast<int>(options.size()), options.data()) == NVRTC_SUCCESS;
  }
  std::string log() const {
    std::string log = take(library().log_size, library().get_log, "nvrtcGetProgramLog");
    log.resize(log.find_last_not_of(std::string_view("\n\0", 2)) + 1);
    return log;
  }
  std::string code(const std::string& target) const {
    return target.starts_with("sm_") ? take(library().cubin_size, library().get_cubin, "nvrtcGetCUBIN")
                                     : take(library().ptx_size, library().get_ptx, "nvrtcGetPTX");
  }
  std::string symbol(const std::string& kernel) const {
    const char* symbol = nullptr;
    check(library().get_symbol(program_, kernel.c_str(), &symbol), "nvrtcGetLoweredName");
    return symbol;
  }

 private:
  std::string take(decltype(&nvrtcGetCUBINSize) get_size, decltype(&nvrtcGetCUBIN) get, const char* call) const {
    std::size_t size = 0;
    check(get_size(program_, &size), call);
    std::string bytes(size, '\0');
    check(get(program_, bytes.data()), call);
    return bytes;
  }

  nvrtcProgram program_ = nullptr;
};

}  // namespace

std::string Compiler::why_missing() {
  if (library().handle != nullptr) return "";
  return "its kernels are compiled when it runs, by NVRTC, and libnvrtc.so.13 or .12 of the CUDA Toolkit is not "
         "found: install the toolkit or NVIDIA's package of NVRTC for Python (the extra nvrtc of Terrace's wheel), "
         "or "
         "name the library's folder in LD_LIBRARY_PATH";
}

std::string Compiler::options() {
  std::string options;
  for (const char* option : common_options) options.append(option).append(" ");
  return options;
}

std::string Compiler::build() {
  if (library().handle == nullptr) return "";
  return "NVRTC " + library().number + " " + library_build(library().handle) + " " +
         library_build(library().builtins) + variables_text({"NVRTC_PREPEND_FLAGS", "NVRTC_APPEND_FLAGS"});
}

Compiler::Compiler() {
  if (const std::string why = why_missing(); !why.empty()) throw DeviceError("NVRTC", why);
  identity_ = "NVRTC " + library().number;
}

Binary Compiler::compile(const Source& source, const std::string& architecture) const {
  const std::string target = target_of(architecture);
  Program program(source);
  for (const std::string& kernel : source.kernels) program.add(kernel);
  if (!program.compile(target)) throw compile_error(identity_, program.log());
  Binary binary{identity_, program.code(target), {}};
  for (const std::string& kernel : source.kernels) binary.symbols.push_back(program.symbol(kernel));
  return binary;
}

}  // namespace terrace::compiled
