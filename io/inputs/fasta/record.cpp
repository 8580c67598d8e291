#include "io/inputs/fasta/record.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr std::size_t most_names = 100000;  // kept for messages

// IUPAC's letters for bases and sets of bases, and their complements.
constexpr std::array<char, 256> complements = [] {
  std::array<char, 256> table{};
  constexpr std::string_view letters = "ACGTURYSWKMBVDHNX", opposite = "TGCAAYRSWMKVBHDNX";
  for (std::size_t i = 0; i < letters.size(); ++i) {
    table[static_cast<unsigned char>(letters[i])] = opposite[i];
    table[static_cast<unsigned char>(letters[i] + 32)] = static_cast<char>(opposite[i] + 32);
  }
  table['-'] = '-';
  table['.'] = '.';
  return table;
}();

}  // namespace

void append(std::vector<std::byte>& kept, std::string_view letters) {
  const auto* bytes = reinterpret_cast<const std::byte*>(letters.data());
  kept.insert(kept.end(), bytes, bytes + letters.size());
}

bool wants_opposite(const Settings& settings) { return settings.find<bool>("reverse_complement").value_or(false); }

char complement(char letter) { return complements[static_cast<unsigned char>(letter)]; }

void fail_complement(const Settings& settings, char letter, const std::string& place) {
  fail_setting(settings, "reverse_complement",
               "reverse_complement: " + place + ": the letter '" + letter +
                   "' has no complement; DNA has A, C, G, T, U and IUPAC's letters for sets of them");
}

void reverse_complement(const Settings& settings, std::span<std::byte> letters,
                        const std::function<std::string(std::int64_t)>& place) {
  for (std::size_t at = 0; at < letters.size(); ++at) {
    const auto letter = static_cast<char>(letters[at]);
    if (complement(letter) == 0) fail_complement(settings, letter, place(static_cast<std::int64_t>(at)));
    letters[at] = static_cast<std::byte>(complement(letter));
  }
  std::reverse(letters.begin(), letters.end());
}

namespace {

std::optional<std::size_t> as_index(const std::optional<std::string>& text) {
  std::size_t value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view name_in_header(std::string_view header) { return header.substr(0, header.find_first_of(" \t")); }

RecordChoice::RecordChoice(std::string path, std::optional<std::string> wanted)
    : path_(std::move(path)), wanted_(std::move(wanted)), wanted_index_(as_index(wanted_)) {}

void RecordChoice::add(std::string_view letters, const TextPlace&) {
  if (keeping_ != nullptr) append(*keeping_, letters);
}

void RecordChoice::begin(std::string_view header, std::int64_t) {
  const std::string name(name_in_header(header));
  keeping_ = nullptr;
  const std::size_t index = count_++;
  if (names_.size() < most_names) names_.push_back(name);
  if (!wanted_) {
    // If there is a second record, no letters are kept, only the names to list.
    if (index > 0) named_ = {};
    else name_of_named_ = name;
    if (index == 0) keeping_ = &named_;
    return;
  }
  if (name == *wanted_ || header == *wanted_) {
    if (named_at_) throw RecordError("record: two records of " + path_ + " are called '" + name + "'; give an index");
    named_at_ = index;
    name_of_named_ = name;
    keeping_ = &named_;
    return;
  }
  if (wanted_index_ != index) return;
  name_of_indexed_ = name;
  keeping_ = &indexed_;
}

std::vector<std::byte> RecordChoice::finish() {
  const std::string count = counted(static_cast<std::int64_t>(count_), "record") + ", ";
  if (!wanted_ && count_ > 1) {
    throw RecordError("record: " + path_ + " has " + count + quote_names(names_) +
                      "; say which one by name or index, or `records: all` to take them as a set");
  }
  if (named_at_ || !wanted_) {
    chosen_ = named_at_.value_or(0);
    name_ = name_of_named_;
    return std::move(named_);
  }
  if (wanted_index_ && *wanted_index_ < count_) {
    chosen_ = *wanted_index_;
    name_ = name_of_indexed_;
    return std::move(indexed_);
  }
  throw RecordError("record: there is no '" + *wanted_ + "' in " + path_ + " (" + count + quote_names(names_) + ")" +
                    did_you_mean(*wanted_, names_));
}

LetterRange letter_range(const Settings& settings, const std::string& record, std::int64_t letters) {
  if (!settings.has("range")) return {0, letters};
  const auto& range = settings.get<std::vector<std::int64_t>>("range");
  if (range.size() != 2) fail_setting(settings, "range", "range: give two numbers, [begin, end]");
  if (range[0] < 0 || range[1] < range[0] || range[1] > letters) {
    fail_setting(settings, "range",
                 "range: [" + std::to_string(range[0]) + ", " + std::to_string(range[1]) +
                     ") does not lie in the record '" + record + "' of " + counted(letters, "letter"));
  }
  return {range[0], range[1]};
}

}  // namespace terrace::io
