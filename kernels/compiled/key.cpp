#include "kernels/compiled/key.hpp"

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

#include "io/files/checksum.hpp"
#include "kernels/compiled/device_headers.hpp"
#include "kernels/compiled/texts.hpp"

namespace terrace::compiled {
namespace {

/// Stands in every key. It changes with what this program makes of a source in another way than before.
constexpr std::string_view format = "terrace 1";
constexpr std::size_t digits_of_name = 16;

}  // namespace

std::string key_of(const Source& source, const std::string& options, const std::string& architecture) {
  std::string key;
  for (const std::string_view text :
       {format, std::string_view(source.text), std::string_view(options), std::string_view(architecture)}) {
    add_text(key, text);
  }
  add_number(key, source.kernels.size());
  for (const std::string& kernel : source.kernels) add_text(key, kernel);
  for (const DeviceHeader& header : headers_of(source.text)) {
    add_text(key, header.name);
    add_text(key, header.text);
  }
  return key;
}

std::string key_with(const std::string& key, const std::string& build) {
  std::string both;
  add_text(both, key);
  add_text(both, build);
  return both;
}

std::string name_of(const std::string& key) {
  const std::uint64_t sum = io::checksum(std::as_bytes(std::span(key)));
  std::array<char, digits_of_name + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(sum));
  return digits.data();
}

bool is_name_of_key(const std::string& name) {
  return name.size() == digits_of_name && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace terrace::compiled
