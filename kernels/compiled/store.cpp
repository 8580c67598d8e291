#include "kernels/compiled/store.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <span>

#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"
#include "kernels/compiled/binary_file.hpp"
#include "kernels/compiled/device_headers.hpp"

namespace terrace::compiled {
namespace {

/// "sm_90" of a device whose kind is "cuda sm_90".
std::string architecture_of(const device::Context& device) {
  const std::string& kind = device.limits().kind;
  return kind.substr(kind.rfind(' ') + 1);
}

/// A checksum of texts, as the name of a file.
class NameSum {
 public:
  void add(std::string_view text) {
    const std::uint64_t size = text.size();
    sum_.add(std::as_bytes(std::span(&size, 1)));
    sum_.add(std::as_bytes(std::span(text)));
  }
  std::string name() const {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(sum_.value()));
    return digits.data();
  }

 private:
  io::RunningChecksum sum_;
};

/// The name of the file of all that makes a binary what it is.
std::string name_of(const Source& source, const std::string& architecture) {
  NameSum sum;
  sum.add(source.text);
  for (const std::string& kernel : source.kernels) sum.add(kernel);
  for (const DeviceHeader& header : headers_of(source.text)) sum.add(header.text);
  sum.add(Compiler::options());
  sum.add(architecture);
  return sum.name();
}

}  // namespace

std::shared_ptr<const Module> Store::module(const Source& source, const device::Context& device) {
  const std::string architecture = architecture_of(device), name = name_of(source, architecture);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Module>& module = modules_[name];
  if (!module) module = std::make_shared<const Module>(find(name, source, architecture));
  return module;
}

Binary Store::binary(const Source& source, const std::string& architecture) {
  const std::lock_guard lock(mutex_);
  return find(name_of(source, architecture), source, architecture);
}

Compilations Store::compilations() const {
  const std::lock_guard lock(mutex_);
  return compilations_;
}

Binary Store::find(const std::string& name, const Source& source, const std::string& architecture) {
  if (io::status_of(folder_)) {
    if (std::optional<Binary> kept = read_binary(io::Folder::open(folder_) / name)) return *kept;
  }
  const Compiler compiler;
  const auto begin = std::chrono::steady_clock::now();
  const Binary binary = compiler.compile(source, architecture);
  compilations_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++compilations_.count;
  write_binary(io::make_folder(folder_) / name, binary);
  return binary;
}

}  // namespace terrace::compiled
