#include "kernels/compiled/binary_file.hpp"

#include <cstring>
#include <span>
#include <string_view>

#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"

// A file has a checksum of all that follows, and then texts, each after its length: the compiler, the machine code,
// the symbols. Numbers have 64 bits, in the order of this machine.
namespace terrace::compiled {
namespace {

constexpr std::size_t number_bytes = sizeof(std::uint64_t);

std::uint64_t checksum(std::string_view text) { return io::checksum(std::as_bytes(std::span(text))); }

void add_number(std::string& to, std::uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), number_bytes);
}

void add_text(std::string& to, std::string_view text) {
  add_number(to, text.size());
  to += text;
}

std::uint64_t take_number(std::string_view& from) {
  std::uint64_t number = 0;
  std::memcpy(&number, from.data(), number_bytes);
  from.remove_prefix(number_bytes);
  return number;
}

std::string take_text(std::string_view& from) {
  const std::uint64_t size = take_number(from);
  const std::string text(from.substr(0, size));
  from.remove_prefix(size);
  return text;
}

}  // namespace

void write_binary(const io::Entry& file, const Binary& binary) {
  std::string content;
  add_text(content, binary.compiler);
  add_text(content, binary.bytes);
  for (const std::string& symbol : binary.symbols) add_text(content, symbol);
  std::string whole;
  add_number(whole, checksum(content));
  io::write_file_durably(file, std::string_view(whole += content));
}

std::optional<Binary> read_binary(const io::Entry& file) {
  if (!io::status_of(file)) return std::nullopt;
  const std::vector<std::byte> bytes = io::read_file(file);
  std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (content.size() < number_bytes || take_number(content) != checksum(content)) return std::nullopt;
  Binary binary;
  if (content.empty()) return std::nullopt;
  binary.compiler = take_text(content);
  binary.bytes = take_text(content);
  while (!content.empty()) binary.symbols.push_back(take_text(content));
  return binary;
}

}  // namespace terrace::compiled
