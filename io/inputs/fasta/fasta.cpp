// The input kind `fasta`: one record of a FASTA file, plain or gzip. Decoded once and kept in memory, a byte a
// letter. A range of a plain file that has an index is read alone.
#include "io/inputs/fasta/index.hpp"
#include "io/inputs/fasta/place.hpp"
#include "io/inputs/fasta/record.hpp"
#include "io/inputs/fasta/scanner.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"

namespace terrace::io {
namespace {

constexpr Parameter fasta_parameters[] = {
    {"fasta", ParameterKind::file, "a FASTA file, plain or gzip; kept in memory, a byte a letter"},
    {"record", ParameterKind::text, "name or index (from 0) of the record; needed when there are several", ""},
    {"range", ParameterKind::integers,
     "[begin, end) of the record as it stands in the file, from 0; read alone where the plain file has an index "
     "(FILE.fai, as samtools faidx writes it) that is not older",
     "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the opposite strand: complemented, last letter first", "false"},
};

/// Reads the file, and returns the letters of the record.
std::vector<std::byte> scan(const InputFile& file, const Settings& settings, FastaScanner& scanner,
                            const CheckKept& check_kept) {
  GzipReader reader(file);
  if (reader.plain()) scanner.reserve(static_cast<std::size_t>(file.size()));
  std::vector<char> buffer(text_buffer_bytes(file));
  const auto take_next = [&] {
    const std::string_view text = reader.next(buffer);
    if (!text.empty()) scanner.take(text);
    return !text.empty();
  };
  while (at_record(settings, "fasta", take_next)) check_kept(static_cast<std::int64_t>(scanner.kept()));
  return at_record(settings, "fasta", [&] { return scanner.finish(); });
}

std::shared_ptr<Source> open_fasta(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "fasta", context));
  const CheckKept check_kept = kept_check(settings, "fasta", context);
  const auto place_in = [path = file.path()](std::size_t record) {
    return [path, record](std::int64_t letter) { return fasta_place(path, record, letter); };
  };
  if (settings.has("range")) {
    if (auto part = read_indexed(file, settings, check_kept, context.warn)) {
      return record_source(settings, std::move(part->letters), part->range, part->name, file.path(),
                           place_in(part->record));
    }
  }
  FastaScanner scanner(file.path().string(), settings.find<std::string>("record"));
  std::vector<std::byte> letters = scan(file, settings, scanner, check_kept);
  const LetterRange range = letter_range(settings, scanner.name(), static_cast<std::int64_t>(letters.size()));
  letters.erase(letters.begin() + range.end, letters.end());
  letters.erase(letters.begin(), letters.begin() + range.begin);
  letters.shrink_to_fit();
  return record_source(settings, std::move(letters), range, scanner.name(), file.path(), place_in(scanner.chosen()));
}

}  // namespace

InputKind fasta_kind() {
  return {"fasta", "one sequence of a FASTA file", fasta_parameters, open_fasta,
          "{fasta: genome.fa, record: chr1, range: [0, 1000]}"};
}

}  // namespace terrace::io
