// The input kind `fasta`: one record of a FASTA file, plain or gzip. Decoded once and kept in memory, a byte a
// letter.
#include <algorithm>
#include <array>

#include "io/input_file.hpp"
#include "io/inputs/fasta/place.hpp"
#include "io/inputs/fasta/scanner.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "io/record_name.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr Parameter parameters[] = {
    {"fasta", ParameterKind::file, "a FASTA file, plain or gzip; kept in memory, a byte a letter"},
    {"record", ParameterKind::text, "name or index (from 0) of the record; needed when there are several", ""},
    {"range", ParameterKind::integers, "[begin, end) of the record as it stands in the file, from 0", "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the opposite strand: complemented, last letter first", "false"},
};

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

void reverse_complement(const Settings& settings, std::vector<std::byte>& letters) {
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

void cut_range(const Settings& settings, const std::string& record, std::vector<std::byte>& letters) {
  const auto& range = settings.get<std::vector<std::int64_t>>("range");
  if (range.size() != 2) fail_setting(settings, "range", "range: give two numbers, [begin, end]");
  if (range[0] < 0 || range[1] < range[0] || range[1] > static_cast<std::int64_t>(letters.size())) {
    fail_setting(settings, "range",
                 "range: [" + std::to_string(range[0]) + ", " + std::to_string(range[1]) +
                     ") does not lie in the record '" + record + "' of " +
                     counted(static_cast<std::int64_t>(letters.size()), "letter"));
  }
  letters.erase(letters.begin() + range[1], letters.end());
  letters.erase(letters.begin(), letters.begin() + range[0]);
  letters.shrink_to_fit();
}

std::string name_of(const Settings& settings, std::string name) {
  if (name.empty()) return name;
  if (settings.has("range")) {
    const auto& range = settings.get<std::vector<std::int64_t>>("range");
    name += ":" + std::to_string(range[0] + 1) + "-" + std::to_string(range[1]);
  }
  return settings.find<bool>("reverse_complement").value_or(false) ? name + "/rc" : name;
}

/// Place of the letters of a source in a record: letter i is letter begin + step * i.
struct RecordPart {
  std::size_t record;
  std::int64_t begin;
  std::int64_t step;  // -1 of an opposite strand
};

/// Letters of a record that has a name.
class Record : public MemorySource {
 public:
  Record(const Extents& shape, std::vector<std::byte> letters, const InputFile& file, std::string name,
         const RecordPart& part)
      : MemorySource(ElementType::u8, shape, std::move(letters), {file.path()}),
        name_(std::move(name)),
        part_(part) {}

  std::string place_of(const Extents& index) const override {
    return fasta_place(files().front(), part_.record, part_.begin + part_.step * index[0]);
  }

  bool letters() const override { return true; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  RecordPart part_;
};

/// Calls a function that reads the file; its errors get the place of the setting that chose the record.
template <class Read>
auto at_record(const Settings& settings, const Read& read) {
  try {
    return read();
  } catch (const JobError& error) {
    fail_setting(settings, settings.has("record") ? "record" : "fasta", error.what());
  }
}

/// Reads the file, and returns the letters of the record.
std::vector<std::byte> scan(const InputFile& file, const Settings& settings, FastaScanner& scanner,
                            const CheckKept& check_kept) {
  GzipReader reader(file);
  if (reader.plain()) scanner.reserve(static_cast<std::size_t>(file.size()));
  std::vector<char> buffer(1 << 20);
  const auto take_next = [&] {
    const std::string_view text = reader.next(buffer);
    if (!text.empty()) scanner.take(text);
    return !text.empty();
  };
  while (at_record(settings, take_next)) check_kept(static_cast<std::int64_t>(scanner.kept()));
  return at_record(settings, [&] { return scanner.finish(); });
}

std::shared_ptr<Source> open(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "fasta", context));
  FastaScanner scanner(file.path().string(), settings.find<std::string>("record"));
  std::vector<std::byte> letters = scan(file, settings, scanner, kept_check(settings, "fasta", context));
  if (settings.has("range")) cut_range(settings, scanner.name(), letters);
  RecordPart part{scanner.chosen(), 0, 1};
  if (settings.has("range")) part.begin = settings.get<std::vector<std::int64_t>>("range")[0];
  if (settings.find<bool>("reverse_complement").value_or(false)) {
    reverse_complement(settings, letters);
    part = {part.record, part.begin + static_cast<std::int64_t>(letters.size()) - 1, -1};
  }
  const Extents shape{static_cast<std::int64_t>(letters.size())};
  return std::make_shared<Record>(shape, std::move(letters), file, name_of(settings, scanner.name()), part);
}

}  // namespace

std::string record_name(const Source& source) {
  const auto* record = dynamic_cast<const Record*>(&source);
  return record == nullptr ? std::string() : record->name();
}

InputKind fasta_kind() {
  return {"fasta", "one sequence of a FASTA file", parameters, open,
          "{fasta: genome.fa, record: chr1, range: [0, 1000]}"};
}

}  // namespace terrace::io
