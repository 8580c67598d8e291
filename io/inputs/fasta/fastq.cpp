// The input kind `fastq`: the letters of one record of a FASTQ file (Cock et al. 2010) or of all, plain or gzip.
// Qualities are checked and left out.
#include <cctype>
#include <utility>

#include "io/inputs/fasta/one_record.hpp"
#include "io/inputs/fasta/readers.hpp"
#include "io/inputs/fasta/record_set.hpp"
#include "io/inputs/line_reader.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

constexpr Parameter fastq_parameters[] = {
    {"fastq", ParameterKind::file, "a FASTQ file, plain or gzip; the letters of a record are kept in memory"},
    {"record", ParameterKind::text, "name or index (from 0) of the record; needed when there are several", ""},
    {"records", ParameterKind::choice,
     "a set of all records, for stages that take sets; of a plain file read in parts", "", "all"},
    {"range", ParameterKind::integers, "[begin, end) of the record as it stands in the file, from 0", "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the opposite strand: complemented, last letter first", "false"},
};

class FastqReader {
 public:
  FastqReader(const InputFile& file, RecordTaker& taker, CheckKept check_kept)
      : path_(file.path().string()), check_kept_(std::move(check_kept)), lines_(file, check_kept_), taker_(taker) {}

  /// Reads all records. @throws IoError, JobError
  void read() {
    while (next_header()) read_record();
    if (!taker_.any()) throw IoError(path_, "has no record: no line begins with '@'");
  }

 private:
  std::string place(std::size_t at) const {
    return path_ + ":" + std::to_string(lines_.number()) + ":" + std::to_string(at + 1);
  }

  bool next_header() {
    while (lines_.next(line_)) {
      if (line_.find_first_not_of(" \t") == line_.npos) continue;
      if (line_[0] == '@') return true;
      throw IoError(place(0), taker_.any() ? "a record begins with '@', and this line does not"
                                           : "a FASTQ file begins with a line '@name'");
    }
    return false;
  }

  void read_record() {
    const std::string header(line_.substr(1));
    const std::int64_t begin = lines_.number();
    const std::size_t first = header.find_first_not_of(" \t");
    taker_.begin(first == header.npos ? std::string_view() : std::string_view(header).substr(first), begin);
    const std::int64_t length = read_letters(begin);
    check_second_header(header);
    read_qualities(length, begin);
    check_kept_(static_cast<std::int64_t>(taker_.kept()));
  }

  [[noreturn]] void fail_end(std::int64_t begin) const {
    throw IoError(path_ + ":" + std::to_string(begin),
                  "the record that begins here has no end; the file was cut short");
  }

  /// Takes lines up to one that begins with '+'. @return the number of letters
  std::int64_t read_letters(std::int64_t begin) {
    std::int64_t length = 0;
    for (;;) {
      if (!lines_.next(line_)) fail_end(begin);
      if (line_.starts_with('+')) return length;
      for (std::size_t at = 0; at < line_.size(); ++at) {
        const auto letter = static_cast<unsigned char>(line_[at]);
        if (std::isalpha(letter) && letter < 128) continue;
        if (letter == '*' || letter == '-' || letter == '.') continue;
        throw IoError(place(at),
                      quote(line_.substr(at, 1)) + " has no place in a sequence: letters, '*', '-' and '.'");
      }
      if (!line_.empty()) taker_.add(line_, {lines_.byte(), lines_.number(), 1});
      length += static_cast<std::int64_t>(line_.size());
    }
  }

  /// Behind '+' stands nothing, or the header again.
  void check_second_header(const std::string& header) const {
    const std::string_view again = line_.substr(1);
    if (!again.empty() && again != header)
      throw IoError(place(1), "behind '+' stands another header than behind '@'");
  }

  /// Qualities are as many as letters, on as many lines as it takes.
  void read_qualities(std::int64_t length, std::int64_t begin) {
    std::int64_t found = 0;
    while (found < length) {
      if (!lines_.next(line_)) fail_end(begin);
      for (std::size_t at = 0; at < line_.size(); ++at) {
        if (line_[at] < '!' || line_[at] > '~')
          throw IoError(place(at), quote(line_.substr(at, 1)) + " is no quality ('!' to '~')");
      }
      found += static_cast<std::int64_t>(line_.size());
      if (found > length) {
        throw IoError(place(0), "the record of line " + std::to_string(begin) + " has " + counted(length, "letter") +
                                    ", and with this line " + std::to_string(found) +
                                    (found == 1 ? " quality" : " qualities") + ": there is one quality a letter");
      }
    }
  }

  std::string path_;
  CheckKept check_kept_;
  LineReader lines_;
  RecordTaker& taker_;
  std::string_view line_;
};

std::shared_ptr<Source> open_fastq(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "fastq", context));
  if (wants_all_records(settings)) return record_set_source(settings, "fastq", std::move(file), read_fastq, context);
  return chosen_record(settings, "fastq", file, read_fastq, kept_check(settings, "fastq", context));
}

}  // namespace

void read_fastq(const InputFile& file, RecordTaker& taker, const CheckKept& check_kept) {
  FastqReader(file, taker, check_kept).read();
}

InputKind fastq_kind() {
  return {"fastq", "one sequence of a FASTQ file, or a set of all", fastq_parameters, open_fastq,
          "{fastq: reads.fq.gz, record: read7, range: [0, 3]}\n{fastq: reads.fq.gz, records: all}"};
}

}  // namespace terrace::io
