// The input kind `fasta`: one record of a FASTA file or all of them, plain or gzip. One record is decoded once and
// kept in memory, a byte a letter. A range of a plain file that has an index is read alone.
#include <utility>

#include "io/inputs/fasta/index.hpp"
#include "io/inputs/fasta/one_record.hpp"
#include "io/inputs/fasta/readers.hpp"
#include "io/inputs/fasta/record_set.hpp"
#include "io/inputs/fasta/scanner.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"

namespace terrace::io {
namespace {

constexpr Parameter fasta_parameters[] = {
    {"fasta", ParameterKind::file, "a FASTA file, plain or gzip; one record is kept in memory, a byte a letter"},
    {"record", ParameterKind::text, "name or index (from 0) of the record; needed when there are several", ""},
    {"records", ParameterKind::choice,
     "a set of all records, for stages that take sets; of a plain file read in parts", "", "all"},
    {"range", ParameterKind::integers,
     "[begin, end) of the record as it stands in the file, from 0; read alone where the plain file has an index "
     "(FILE.fai, as samtools faidx writes it) that is not older",
     "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the opposite strand: complemented, last letter first", "false"},
};

std::shared_ptr<Source> open_fasta(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "fasta", context));
  if (wants_all_records(settings)) return record_set_source(settings, "fasta", std::move(file), read_fasta, context);
  const CheckKept check_kept = kept_check(settings, "fasta", context);
  if (settings.has("range")) {
    if (auto part = read_indexed(file, settings, check_kept, context.warn)) {
      return record_source(settings, std::move(part->letters), part->range, part->name, part->record,
                           RecordPlaces(file.path(), read_fasta));
    }
  }
  return chosen_record(settings, "fasta", file, read_fasta, check_kept);
}

}  // namespace

void read_fasta(const InputFile& file, RecordTaker& taker, const CheckKept& check_kept) {
  GzipReader reader(file);
  FastaScanner scanner(file.path().string(), taker);
  if (reader.plain()) taker.reserve(static_cast<std::size_t>(file.size()));
  std::vector<char> buffer(text_buffer_bytes(file));
  for (std::string_view text = reader.next(buffer); !text.empty(); text = reader.next(buffer)) {
    scanner.take(text);
    check_kept(static_cast<std::int64_t>(taker.kept()));
  }
  scanner.finish();
}

InputKind fasta_kind() {
  return {"fasta", "one sequence of a FASTA file, or a set of all", fasta_parameters, open_fasta,
          "{fasta: genome.fa, record: chr1, range: [0, 1000]}\n{fasta: genome.fa, records: all}"};
}

}  // namespace terrace::io
