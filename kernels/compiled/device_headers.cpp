#include "kernels/compiled/device_headers.hpp"

#include <algorithm>
#include <map>

namespace terrace::compiled {
namespace {

using Found = std::map<std::string_view, DeviceHeader>;

void add_headers_of(std::string_view text, Found& found) {
  constexpr std::string_view include = "#include \"";
  for (auto at = text.find(include); at != std::string_view::npos; at = text.find(include, at)) {
    at += include.size();
    const std::string_view name = text.substr(at, text.find('"', at) - at);
    const auto header = std::ranges::find(device_headers(), name, &DeviceHeader::name);
    if (header != device_headers().end() && found.emplace(name, *header).second) add_headers_of(header->text, found);
  }
}

}  // namespace

std::vector<DeviceHeader> headers_of(std::string_view text) {
  Found found;
  add_headers_of(text, found);
  std::vector<DeviceHeader> headers;
  for (const auto& [name, header] : found) headers.push_back(header);
  return headers;
}

}  // namespace terrace::compiled
