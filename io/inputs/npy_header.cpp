#include "io/inputs/npy_header.hpp"

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

// Reads the Python dictionary of the header: only what NumPy writes there.
class Dictionary {
 public:
  Dictionary(std::string where, std::string text) : where_(std::move(where)), text_(std::move(text)) {}

  void parse(NpyHeader& header) {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") parse_type(header);
      else if (key == "fortran_order") header.fortran_order = boolean();
      else if (key == "shape") parse_shape(header);
      else fail("has the unknown key " + quote(key));
      seen_ += key == "descr" ? 1 : key == "fortran_order" ? 10 : 100;
      if (!accept(',') && peek() != '}') fail("lacks a comma");
    }
    if (seen_ != 111) fail("must have descr, fortran_order and shape, once each");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw IoError(where_, "the .npy header " + what); }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char letter) {
    if (peek() != letter || letter == '\0') return false;
    ++at_;
    return true;
  }
  void expect(char letter) {
    if (!accept(letter)) fail("is damaged at byte " + std::to_string(at_) + ": '" + letter + "' is missing");
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote == '[') fail("describes records (structured types); save one field alone");
    if (quote != '\'' && quote != '"') fail("is damaged at byte " + std::to_string(at_) + ": no string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("is damaged: a string does not end");
    const std::string_view inside = std::string_view(text_).substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }
  bool boolean() {
    peek();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.compare(at_, word.size(), word) != 0) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("has a fortran_order that is neither True nor False");
  }
  void parse_type(NpyHeader& header);
  void parse_shape(NpyHeader& header);

  std::string where_;
  std::string text_;
  std::size_t at_ = 0;
  int seen_ = 0;
};

std::optional<ElementType> type_of(std::string_view code) {
  constexpr std::pair<std::string_view, ElementType> codes[] = {
      {"b1", ElementType::u8},  {"u1", ElementType::u8},  {"i1", ElementType::i8},  {"u2", ElementType::u16},
      {"i2", ElementType::i16}, {"u4", ElementType::u32}, {"i4", ElementType::i32}, {"u8", ElementType::u64},
      {"i8", ElementType::i64}, {"f2", ElementType::f32}, {"f4", ElementType::f32}, {"f8", ElementType::f64}};
  for (const auto& [name, type] : codes) {
    if (name == code) return type;
  }
  return std::nullopt;
}

/// The bytes of texts of such a code: S6 has 6 letters of one byte, U6 of four; nullopt if it is of no texts.
std::optional<std::int64_t> text_bytes_of(std::string_view code) {
  if (!code.starts_with('S') && !code.starts_with('U')) return std::nullopt;
  std::int32_t letters = 0;
  const auto [end, error] = std::from_chars(code.data() + 1, code.data() + code.size(), letters);
  if (error != std::errc{} || end != code.data() + code.size() || letters < 0) return std::nullopt;
  return std::int64_t{letters} * (code[0] == 'U' ? 4 : 1);
}

void Dictionary::parse_type(NpyHeader& header) {
  const std::string_view text = quoted();
  const bool ordered = !text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos;
  const auto type = ordered ? type_of(text.substr(1)) : std::nullopt;
  if (ordered) header.text_bytes = text_bytes_of(text.substr(1));
  header.big_endian = text.starts_with('>');
  if (header.text_bytes) {
    header.type = ElementType::u8;
    header.wide_texts = text[1] == 'U';
    return;
  }
  if (text == "|O") {
    fail(
        "describes Python's objects, which only Python reads: save numbers, or texts of a fixed length "
        "(array.astype(str))");
  }
  if (!type) {
    fail("has the element type " + quote(text) + "; booleans, texts, f16 and " + element_types +
         " can be read: convert with astype() and save again");
  }
  header.type = *type;
  header.half = text.ends_with("f2");
  header.truths = text.ends_with("b1");
}

void Dictionary::parse_shape(NpyHeader& header) {
  expect('(');
  header.shape = Extents();
  while (!accept(')')) {
    peek();
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
    if (error != std::errc{} || extent < 0) fail("has a shape that is none");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (header.shape.rank() == max_rank) fail("has more than 32 dimensions");
    header.shape.push_back(extent);
    if (!accept(',') && peek() != ')') fail("has a shape that is none");
  }
}

}  // namespace

NpyHeader read_npy_header(const ReadSome& read, const std::string& where) {
  unsigned char start[12] = {};
  const std::int64_t got = read(0, sizeof start, start);
  if (got < 6 || std::memcmp(start, "\x93NUMPY", 6) != 0) {
    throw IoError(where, "is no .npy file: it does not begin with NumPy's magic bytes");
  }
  const int version = start[6];
  if (got < 10 || version < 1 || version > 3) {
    throw IoError(where, got < 10
                             ? "was cut short in the .npy header"
                             : "is of .npy version " + std::to_string(version) + "; versions 1 to 3 can be read");
  }
  const std::int64_t prefix = version == 1 ? 10 : 12;
  std::int64_t length = start[8] | start[9] << 8;
  if (version > 1) length |= static_cast<std::int64_t>(start[10]) << 16 | static_cast<std::int64_t>(start[11]) << 24;
  constexpr std::int64_t longest = std::int64_t{1} << 20;  // of 32 dimensions it has some 700 bytes
  if (length > longest) {
    throw IoError(where, "has a .npy header of " + std::to_string(length) + " bytes, and none is longer than " +
                             std::to_string(longest) + ": the file is damaged");
  }
  std::string text(static_cast<std::size_t>(length), ' ');
  if (read(prefix, length, text.data()) < length) throw IoError(where, "was cut short in the .npy header");
  NpyHeader header;
  header.offset = prefix + length;
  Dictionary(where, std::move(text)).parse(header);
  return header;
}

}  // namespace terrace::io
