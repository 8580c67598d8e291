// Compiles device code while the program runs: by NVRTC, or for the simulated GPU of tests by the compiler of C++.
#pragma once

#include <string>
#include <vector>

namespace terrace::compiled {

/// Device code, and the kernels wanted of it.
struct Source {
  std::string text;                  // C++; includes device headers by their names ("kernels/...")
  std::vector<std::string> kernels;  // name expressions, as "terrace::stencil::step_kernel<Cell, float>"
};

/// What a compiler makes of a source for one architecture.
struct Binary {
  std::string compiler;              // that made it: "NVRTC 13.0"
  std::string bytes;                 // machine code, or PTX if the compiler does not know the architecture
  std::vector<std::string> symbols;  // of the kernels, in the order of Source::kernels
};

/// The compiler that this program finds where it runs. Sources see the program's device headers, and no other file.
/// Values are rounded as in the program's own kernels: IEEE division and square roots, subnormal numbers, and nothing
/// contracted. May be used by several threads at once.
class Compiler {
 public:
  /// Empty if there is a compiler; else a sentence for users that says what is missing.
  static std::string why_missing();
  /// The options of every compilation.
  static std::string options();
  /// An identity that no other compiler has, also of the same version; empty if it is not known. Binaries of
  /// the same build are the same.
  static std::string build();

  /// @throws DeviceError with why_missing()
  Compiler();
  /// Its name and version: "NVRTC 13.0".
  const std::string& identity() const { return identity_; }
  /// @param architecture of a device: "sm_90"
  /// @throws DeviceError with the compiler's log if the source does not compile: a defect of the program
  Binary compile(const Source& source, const std::string& architecture) const;

 private:
  std::string identity_;
};

}  // namespace terrace::compiled
