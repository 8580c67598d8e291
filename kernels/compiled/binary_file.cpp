#include "kernels/compiled/binary_file.hpp"

#include <string_view>

#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"
#include "kernels/compiled/texts.hpp"

// A file has a checksum of all that follows, and then texts: the key, the compiler, the machine code, the symbols.
namespace terrace::compiled {
namespace {

std::uint64_t checksum(std::string_view text) { return io::checksum(std::as_bytes(std::span(text))); }

}  // namespace

std::string content_of(const std::string& key, const Binary& binary) {
  std::string texts;
  add_text(texts, key);
  add_text(texts, binary.compiler);
  add_text(texts, binary.bytes);
  for (const std::string& symbol : binary.symbols) add_text(texts, symbol);
  std::string content;
  add_number(content, checksum(texts));
  return content += texts;
}

std::optional<Binary> binary_in(std::span<const std::byte> content, const std::string& key) {
  std::string_view left(reinterpret_cast<const char*>(content.data()), content.size());
  const std::optional<std::uint64_t> sum = take_number(left);
  if (!sum || *sum != checksum(left) || take_text(left) != key) return std::nullopt;
  const std::optional<std::string_view> compiler = take_text(left), bytes = take_text(left);
  if (!compiler || !bytes) return std::nullopt;
  Binary binary{std::string(*compiler), std::string(*bytes), {}};
  while (!left.empty()) {
    const std::optional<std::string_view> symbol = take_text(left);
    if (!symbol) return std::nullopt;
    binary.symbols.emplace_back(*symbol);
  }
  return binary;
}

void write_binary(const io::Entry& file, const std::string& key, const Binary& binary) {
  io::write_file_durably(file, std::string_view(content_of(key, binary)));
}

std::optional<Binary> read_binary(const io::Entry& file, const std::string& key) {
  if (!io::status_of(file)) return std::nullopt;
  return binary_in(io::read_file(file), key);
}

}  // namespace terrace::compiled
