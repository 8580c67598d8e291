// The input kind `fasta`: one record of a FASTA file or all of them, plain or gzip. Decoded once and kept in memory,
// a byte a letter. A range of a plain file that has an index is read alone.
#include "io/inputs/fasta/index.hpp"
#include "io/inputs/fasta/place.hpp"
#include "io/inputs/fasta/record.hpp"
#include "io/inputs/fasta/record_set.hpp"
#include "io/inputs/fasta/scanner.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"

namespace terrace::io {
namespace {

constexpr Parameter fasta_parameters[] = {
    {"fasta", ParameterKind::file, "a FASTA file, plain or gzip; kept in memory, a byte a letter"},
    {"record", ParameterKind::text, "name or index (from 0) of the record; needed when there are several", ""},
    {"records", ParameterKind::choice, "a set of all records, for stages that take sets", "", "all"},
    {"range", ParameterKind::integers,
     "[begin, end) of the record as it stands in the file, from 0; read alone where the plain file has an index "
     "(FILE.fai, as samtools faidx writes it) that is not older",
     "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the opposite strand: complemented, last letter first", "false"},
};

/// Reads the file, and hands its records on.
void scan(const InputFile& file, const Settings& settings, RecordTaker& taker, const CheckKept& check_kept) {
  GzipReader reader(file);
  FastaScanner scanner(file.path().string(), taker);
  if (reader.plain()) taker.reserve(static_cast<std::size_t>(file.size()));
  std::vector<char> buffer(text_buffer_bytes(file));
  const auto take_next = [&] {
    const std::string_view text = reader.next(buffer);
    if (!text.empty()) scanner.take(text);
    return !text.empty();
  };
  while (at_record(settings, "fasta", take_next)) check_kept(static_cast<std::int64_t>(taker.kept()));
  scanner.finish();
}

std::shared_ptr<Source> open_all(const InputFile& file, const Settings& settings, const OpenContext& context,
                                 const CheckKept& check_kept) {
  RecordCollector records;
  scan(file, settings, records, check_kept);
  const auto place = [path = file.path()](std::size_t record, std::int64_t letter) {
    return fasta_place(path, record, letter);
  };
  return record_set_source(settings, records.finish(), file.path(), place, context.warn);
}

std::shared_ptr<Source> open_fasta(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "fasta", context));
  const CheckKept check_kept = kept_check(settings, "fasta", context);
  if (wants_all_records(settings)) return open_all(file, settings, context, check_kept);
  const auto place_in = [path = file.path()](std::size_t record) {
    return [path, record](std::int64_t letter) { return fasta_place(path, record, letter); };
  };
  if (settings.has("range")) {
    if (auto part = read_indexed(file, settings, check_kept, context.warn)) {
      return record_source(settings, std::move(part->letters), part->range, part->name, file.path(),
                           place_in(part->record));
    }
  }
  RecordChoice choice(file.path().string(), settings.find<std::string>("record"));
  scan(file, settings, choice, check_kept);
  std::vector<std::byte> letters = at_record(settings, "fasta", [&] { return choice.finish(); });
  const LetterRange range = letter_range(settings, choice.name(), static_cast<std::int64_t>(letters.size()));
  letters.erase(letters.begin() + range.end, letters.end());
  letters.erase(letters.begin(), letters.begin() + range.begin);
  letters.shrink_to_fit();
  return record_source(settings, std::move(letters), range, choice.name(), file.path(), place_in(choice.chosen()));
}

}  // namespace

InputKind fasta_kind() {
  return {"fasta", "one sequence of a FASTA file, or a set of all", fasta_parameters, open_fasta,
          "{fasta: genome.fa, record: chr1, range: [0, 1000]}\n{fasta: genome.fa, records: all}"};
}

}  // namespace terrace::io
