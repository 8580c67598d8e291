#include "io/inputs/npy_texts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "io/inputs/raw_array.hpp"
#include "io/kinds.hpp"
#include "io/name_array.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t letter_bytes = 4;                    // of wide texts
constexpr std::int64_t read_bytes = std::int64_t{1} << 20;  // at a time

/// Adds a letter in UTF-8. @return false if the number is no letter
bool add_letter(std::uint32_t letter, std::string& text) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](int shift) { add(0x80 | (letter >> shift & 0x3f)); };
  if (letter < 0x80) return add(letter), true;
  if (letter < 0x800) return add(0xc0 | letter >> 6), rest(0), true;
  if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000)) return false;
  if (letter < 0x10000) return add(0xe0 | letter >> 12), rest(6), rest(0), true;
  return add(0xf0 | letter >> 18), rest(12), rest(6), rest(0), true;
}

/// A text of UCS-4 as UTF-8. @return false if it has a number that is no letter
bool read_wide(std::string_view bytes, bool big_endian, std::string& text) {
  text.clear();
  std::size_t end = bytes.find_last_not_of('\0');
  end = end == bytes.npos ? 0 : end / letter_bytes * letter_bytes + letter_bytes;
  for (std::size_t at = 0; at < end; at += letter_bytes) {
    std::uint32_t letter = 0;
    std::memcpy(&letter, bytes.data() + at, sizeof letter);
    if (big_endian) swap_bytes(&letter, 1, sizeof letter);
    if (!add_letter(letter, text)) return false;
  }
  return true;
}

}  // namespace

Extents bytes_of_texts(const NpyHeader& header, const std::string& where) {
  if (is_holdable(header.shape)) return {volume(header.shape), *header.text_bytes};
  throw IoError(where, "is of shape " + to_string(header.shape) + ": more texts than any machine holds");
}

std::shared_ptr<Source> npy_texts(const NpyHeader& header, const Extents& shape, Source& bytes,
                                  const CheckKept& check_kept) {
  const std::int64_t count = bytes.shape()[0], length = bytes.shape()[1];
  const std::int64_t together = std::max<std::int64_t>(1, read_bytes / std::max<std::int64_t>(1, length));
  NameArray names(check_kept);
  std::string some, text;
  for (std::int64_t begin = 0; begin < count; begin += together) {
    const std::int64_t end = std::min(count, begin + together);
    some.resize(static_cast<std::size_t>((end - begin) * length));
    bytes.read({{begin, 0}, {end, length}}, some.data());
    for (std::int64_t at = begin; at < end; ++at) {
      const std::string_view stored = std::string_view(some).substr(static_cast<std::size_t>((at - begin) * length),
                                                                    static_cast<std::size_t>(length));
      if (!header.wide_texts) {
        names.add(stored.substr(0, stored.find_last_not_of('\0') + 1));
      } else if (read_wide(stored, header.big_endian, text)) {
        names.add(text);
      } else {
        throw IoError(bytes.place_of({at, 0}),
                      "text " + std::to_string(at) + " has a number that is no letter: the file is damaged");
      }
    }
  }
  return names.finish(shape, bytes.files(), bytes.place_of({0, 0}));
}

}  // namespace terrace::io
