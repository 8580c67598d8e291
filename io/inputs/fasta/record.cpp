#include "io/inputs/fasta/record.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "io/memory_source.hpp"
#include "io/record_name.hpp"
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

void reverse_complement(const Settings& settings, std::span<std::byte> letters) {
  std::reverse(letters.begin(), letters.end());
  for (std::byte& letter : letters) {
    const char complement = complements[static_cast<unsigned char>(letter)];
    if (complement == 0) {
      fail_setting(settings, "reverse_complement",
                   std::string("reverse_complement: the letter '") + static_cast<char>(letter) +
                       "' has no complement; DNA has A, C, G, T, U and IUPAC's letters for sets of them");
    }
    letter = static_cast<std::byte>(complement);
  }
}

namespace {

std::optional<std::size_t> as_index(const std::optional<std::string>& text) {
  std::size_t value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

std::string name_of(const Settings& settings, std::string name, LetterRange range) {
  if (name.empty()) return name;
  if (settings.has("range")) name += ":" + std::to_string(range.begin + 1) + "-" + std::to_string(range.end);
  return settings.find<bool>("reverse_complement").value_or(false) ? name + "/rc" : name;
}

/// Letters of a record that has a name.
class Record : public MemorySource {
 public:
  /// @param first the letter of the record that is the source's first @param step to the next, -1 of an opposite
  /// strand
  Record(const Extents& shape, std::vector<std::byte> letters, const std::filesystem::path& file, std::string name,
         std::int64_t first, std::int64_t step, std::function<std::string(std::int64_t)> place)
      : MemorySource(ElementType::u8, shape, std::move(letters), {file}),
        name_(std::move(name)),
        first_(first),
        step_(step),
        place_(std::move(place)) {}

  std::string place_of(const Extents& index) const override { return place_(first_ + step_ * index[0]); }
  bool letters() const override { return true; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::int64_t first_, step_;
  std::function<std::string(std::int64_t)> place_;
};

}  // namespace

std::string_view name_in_header(std::string_view header) { return header.substr(0, header.find_first_of(" \t")); }

RecordChoice::RecordChoice(std::string path, std::optional<std::string> wanted)
    : path_(std::move(path)), wanted_(std::move(wanted)), wanted_index_(as_index(wanted_)) {}

std::vector<std::byte>* RecordChoice::begin(std::string_view header) {
  const std::string name(name_in_header(header));
  const std::size_t index = count_++;
  if (names_.size() < most_names) names_.push_back(name);
  if (!wanted_) {
    // If there is a second record, no letters are kept, only the names to list.
    if (index > 0) named_ = {};
    else name_of_named_ = name;
    return index == 0 ? &named_ : nullptr;
  }
  if (name == *wanted_ || header == *wanted_) {
    if (named_at_) throw JobError("record: two records of " + path_ + " are called '" + name + "'; give an index");
    named_at_ = index;
    name_of_named_ = name;
    return &named_;
  }
  if (wanted_index_ != index) return nullptr;
  name_of_indexed_ = name;
  return &indexed_;
}

std::vector<std::byte> RecordChoice::finish() {
  const std::string count = counted(static_cast<std::int64_t>(count_), "record") + ", ";
  if (!wanted_ && count_ > 1) {
    throw JobError("record: " + path_ + " has " + count + quote_names(names_) + "; say which one by name or index");
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
  throw JobError("record: there is no '" + *wanted_ + "' in " + path_ + " (" + count + quote_names(names_) + ")" +
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

std::shared_ptr<Source> record_source(const Settings& settings, std::vector<std::byte> letters, LetterRange range,
                                      const std::string& record, const std::filesystem::path& file,
                                      std::function<std::string(std::int64_t)> place) {
  const bool opposite = settings.find<bool>("reverse_complement").value_or(false);
  if (opposite) reverse_complement(settings, letters);
  const Extents shape{static_cast<std::int64_t>(letters.size())};
  return std::make_shared<Record>(shape, std::move(letters), file, name_of(settings, record, range),
                                  opposite ? range.end - 1 : range.begin, opposite ? -1 : 1, std::move(place));
}

std::string record_name(const Source& source) {
  const auto* record = dynamic_cast<const Record*>(&source);
  return record == nullptr ? std::string() : record->name();
}

}  // namespace terrace::io
