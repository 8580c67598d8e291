#include "pipeline/job/yaml_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::job {
namespace {

constexpr std::size_t longest_quote = 60;

/// Bytes of the UTF-8 sequence that begins `text`, or 0 where none does (RFC 3629: no overlong forms, no surrogates).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string read_job_text(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw JobError(name + ": this is a folder; name a job file in it");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw JobError(name + ": cannot read the job: " + std::strerror(errno ? errno : EIO));
  std::string text;
  std::array<char, 65536> buffer;
  while (file.read(buffer.data(), buffer.size()), file.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_job_bytes) {
      throw JobError(name + ": a job has at most " + format_size(static_cast<double>(largest_job_bytes)) +
                     "; put large lists of values into a file of their own and name it as an input");
    }
  }
  if (file.bad()) throw JobError(name + ": cannot read the job: " + std::strerror(errno ? errno : EIO));
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

std::size_t first_invalid_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

std::string quote(std::string_view text) {
  std::string result = "'";
  std::size_t at = 0;
  while (at < text.size() && at < longest_quote) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0 || byte < 0x20 || byte == 0x7F) result += fmt::format("\\x{:02x}", byte);
    else result += text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return result + (at < text.size() ? "...'" : "'");
}

}  // namespace terrace::job
