#include "io/inputs/raw_array.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "io/inputs/spans.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

template <class Word, class Swap>
void swap_words(void* elements, std::int64_t count, Swap swap) {
  char* at = static_cast<char*>(elements);
  for (std::int64_t i = 0; i < count; ++i, at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, at, sizeof(Word));
    word = swap(word);
    std::memcpy(at, &word, sizeof(Word));
  }
}

std::optional<std::int64_t> bytes_of(const Extents& shape, ElementType type) {
  try {
    std::int64_t bytes = 0;
    if (!__builtin_mul_overflow(volume(shape), static_cast<std::int64_t>(size_of(type)), &bytes)) return bytes;
  } catch (const Error&) {
    // More elements than 63 bits count: no file holds them.
  }
  return std::nullopt;
}

}  // namespace

void swap_bytes(void* elements, std::int64_t count, std::size_t size) {
  if (size == 2) swap_words<std::uint16_t>(elements, count, [](std::uint16_t w) { return __builtin_bswap16(w); });
  if (size == 4) swap_words<std::uint32_t>(elements, count, [](std::uint32_t w) { return __builtin_bswap32(w); });
  if (size == 8) swap_words<std::uint64_t>(elements, count, [](std::uint64_t w) { return __builtin_bswap64(w); });
}

void check_length(const InputFile& file, std::int64_t offset, ElementType type, const Extents& shape) {
  const auto needed = bytes_of(shape, type);
  if (needed && offset >= 0 && offset <= file.size() && *needed <= file.size() - offset) return;
  throw IoError(file.path().string(), "has " + counted(file.size(), "byte") + ", but " + to_string(shape) +
                                          " elements of " + std::string(name_of(type)) + " from byte " +
                                          std::to_string(offset) +
                                          " on need more; the file was cut short, or shape, "
                                          "type or offset are wrong");
}

RawArray::RawArray(InputFile file, std::int64_t offset, ElementType type, const Extents& shape, bool big_endian)
    : file_(std::move(file)), offset_(offset), type_(type), shape_(shape), big_endian_(big_endian) {
  check_length(file_, offset_, type_, shape_);
}

void RawArray::read(const Box& box, void* buffer) const {
  const std::size_t size = size_of(type_);
  std::vector<char> staging;
  for_each_span(shape_, offset_, box, static_cast<std::int64_t>(size), {}, [&](const Span& span) {
    if (span.parts.size() == 1) {
      file_.read(span.begin, span.end - span.begin, static_cast<char*>(buffer) + span.parts[0].target);
      return;
    }
    staging.resize(std::max(staging.size(), static_cast<std::size_t>(span.end - span.begin)));
    file_.read(span.begin, span.end - span.begin, staging.data());
    scatter(span, staging.data(), span.begin, buffer);
  });
  if (big_endian_) swap_bytes(buffer, box.volume(), size);
}

}  // namespace terrace::io
