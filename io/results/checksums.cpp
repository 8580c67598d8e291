#include "io/results/checksums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <sstream>

#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they are in memory");

constexpr std::size_t digits = 16;

std::string hex(std::uint64_t value) {
  std::array<char, digits> text;
  text.fill('0');
  std::array<char, digits> shortest{};
  const auto end = std::to_chars(shortest.data(), shortest.data() + digits, value, 16).ptr;
  std::copy(shortest.data(), end, text.data() + (digits - static_cast<std::size_t>(end - shortest.data())));
  return {text.data(), digits};
}

/// Parses a number; the whole text must be one. @throws Error
template <class T>
T number_from(const std::string& text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) throw Error("'" + text + "' is no number");
  return value;
}

/// "300x1000"; "-" for rank 0.
std::string extents_text(const Extents& extents) {
  std::string text;
  for (std::int64_t extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "-" : text;
}

/// @throws Error
Extents extents_from(const std::string& text) {
  Extents extents;
  if (text == "-") return extents;
  std::istringstream fields(text);
  for (std::string field; std::getline(fields, field, 'x');) {
    if (extents.rank() == max_rank) throw Error("'" + text + "' has too many dimensions");
    extents.push_back(number_from<std::int64_t>(field, 10));
    if (extents[extents.rank() - 1] < 0) throw Error("'" + text + "' has a negative extent");
  }
  if (extents.rank() == 0 || text.back() == 'x') throw Error("'" + text + "' is no shape");
  volume(extents);  // throws if that leaves 64 bits
  return extents;
}

/// "i32 300x1000 100x200"
std::string fields_of(const StoredAs& stored) {
  return stored.type + " " + extents_text(stored.shape) + " " + (stored.tile ? extents_text(*stored.tile) : "-");
}

RecordedChecksum line_from(const std::string& line) {
  std::istringstream fields(line);
  std::string checksum, shape, tile;
  RecordedChecksum entry;
  if (!(fields >> checksum >> entry.stored.type >> shape >> tile >> std::ws) || !std::getline(fields, entry.name) ||
      entry.name.empty()) {
    throw Error("has too few fields");
  }
  if (checksum.size() != digits) throw Error("'" + checksum + "' is no checksum");
  entry.checksum = number_from<std::uint64_t>(checksum, 16);
  if (entry.stored.type != text_type && !element_type_from(entry.stored.type)) {
    throw Error("'" + entry.stored.type + "' is no type");
  }
  entry.stored.shape = extents_from(shape);
  if (tile == "-") return entry;
  entry.stored.tile = extents_from(tile);
  bool fits = entry.stored.tile->rank() == entry.stored.shape.rank() && entry.stored.type != text_type;
  for (std::int64_t extent : *entry.stored.tile) fits = fits && extent > 0;
  if (!fits) throw Error("a tile of " + tile + " does not fit " + entry.stored.type + " of " + shape);
  return entry;
}

}  // namespace

std::int64_t bytes_of_numbers(const StoredAs& stored) {
  const auto element = element_type_from(stored.type);
  std::int64_t bytes = 0;
  if (!element ||
      __builtin_mul_overflow(volume(stored.shape), static_cast<std::int64_t>(size_of(*element)), &bytes)) {
    return 0;
  }
  return bytes;
}

RunningChecksum begin_recorded(const StoredAs& stored) {
  const std::string fields = fields_of(stored) + "\n";
  RunningChecksum sum;
  sum.add(std::as_bytes(std::span(fields)));
  return sum;
}

std::uint64_t recorded_checksum(const StoredAs& stored, std::span<const std::byte> content) {
  RunningChecksum sum = begin_recorded(stored);
  sum.add(content);
  return sum.value();
}

std::vector<std::byte> content_of(std::span<const std::string> texts) {
  std::vector<std::byte> content;
  for (const std::string& text : texts) {
    const auto bytes = std::as_bytes(std::span(text.c_str(), text.size() + 1));
    content.insert(content.end(), bytes.begin(), bytes.end());
  }
  return content;
}

std::span<const std::byte> content_of(std::span<const std::uint64_t> tiles) { return std::as_bytes(tiles); }

std::string checksum_table_of(const std::string& dataset) { return checksums_group + dataset; }

std::string attribute_name(const std::string& object, const std::string& attribute) {
  return object + "@" + attribute;
}

std::string to_text(std::span<const RecordedChecksum> record) {
  std::string text;
  for (const RecordedChecksum& entry : record) {
    text += hex(entry.checksum) + " " + fields_of(entry.stored) + " " + entry.name + "\n";
  }
  return text;
}

std::vector<RecordedChecksum> record_from(const std::string& text) {
  std::vector<RecordedChecksum> record;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    try {
      record.push_back(line_from(line));
    } catch (const Error& error) {
      throw Error("line " + std::to_string(record.size() + 1) + " of the record of checksums: " + error.what());
    }
  }
  return record;
}

}  // namespace terrace::io
