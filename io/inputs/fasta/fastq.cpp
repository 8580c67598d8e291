// The input kind `fastq`: the letters of one record of a FASTQ file (Cock et al. 2010) or of all, plain or gzip.
// Qualities are checked and left out.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include "io/inputs/fasta/record.hpp"
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
    {"records", ParameterKind::choice, "a set of all records, for stages that take sets", "", "all"},
    {"range", ParameterKind::integers, "[begin, end) of the record as it stands in the file, from 0", "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the opposite strand: complemented, last letter first", "false"},
};

/// Lines of letters, for places of errors.
struct LetterLine {
  std::int64_t first;  // letter of the record
  std::int64_t line;   // of the file
};
using LetterLines = std::vector<LetterLine>;

/// "reads.fq:3:2", line and column of a letter of a record.
std::string place_in(const LetterLines& lines, const std::string& path, std::int64_t letter) {
  const auto behind = std::upper_bound(lines.begin(), lines.end(), letter,
                                       [](auto at, const LetterLine& line) { return at < line.first; });
  if (behind == lines.begin()) return path;
  const LetterLine& line = *(behind - 1);
  return path + ":" + std::to_string(line.line) + ":" + std::to_string(letter - line.first + 1);
}

class FastqReader {
 public:
  /// Takes the lines of letters of a record that was kept, by its number.
  using TakeLines = std::function<void(std::size_t record, LetterLines lines)>;

  FastqReader(const InputFile& file, RecordTaker& taker, TakeLines take_lines, CheckKept check_kept)
      : path_(file.path().string()),
        check_kept_(std::move(check_kept)),
        lines_(file, check_kept_),
        taker_(taker),
        take_lines_(std::move(take_lines)) {}

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
    std::vector<std::byte>* kept =
        taker_.begin(first == header.npos ? std::string_view() : std::string_view(header).substr(first));
    current_.clear();
    const std::int64_t length = read_letters(kept, begin);
    check_second_header(header);
    read_qualities(length, begin);
    if (kept != nullptr) take_lines_(record_, std::move(current_));
    if (kept != nullptr) check_kept_(static_cast<std::int64_t>(taker_.kept()));
    ++record_;
  }

  [[noreturn]] void fail_end(std::int64_t begin) const {
    throw IoError(path_ + ":" + std::to_string(begin),
                  "the record that begins here has no end; the file was cut short");
  }

  /// Takes lines up to one that begins with '+'. @return the number of letters
  std::int64_t read_letters(std::vector<std::byte>* kept, std::int64_t begin) {
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
      if (kept != nullptr) {
        current_.push_back({length, lines_.number()});
        const auto* bytes = reinterpret_cast<const std::byte*>(line_.data());
        kept->insert(kept->end(), bytes, bytes + line_.size());
      }
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
        throw IoError(place(0), "the record has " + counted(length, "letter") + ", and " + std::to_string(found) +
                                    " qualities");
      }
    }
  }

  std::string path_;
  CheckKept check_kept_;
  LineReader lines_;
  RecordTaker& taker_;
  TakeLines take_lines_;
  std::string_view line_;
  LetterLines current_;
  std::size_t record_ = 0;
};

std::shared_ptr<Source> open_all(const InputFile& file, const Settings& settings, const OpenContext& context) {
  RecordCollector collector;
  LetterLines lines;  // of all records, with the letters before them
  const auto take = [&](std::size_t, const LetterLines& of_record) {
    const std::int64_t before = collector.before_last();
    for (const LetterLine& line : of_record) lines.push_back({before + line.first, line.line});
  };
  FastqReader(file, collector, take, kept_check(settings, "fastq", context)).read();
  RecordCollector::Records records = collector.finish();
  const auto place = [lines = std::move(lines), begin = records.begin, path = file.path().string()](
                         std::size_t record, std::int64_t letter) {
    return place_in(lines, path, begin[record] + letter);
  };
  return record_set_source(settings, std::move(records), file.path(), place, context.warn);
}

std::shared_ptr<Source> open_fastq(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "fastq", context));
  if (wants_all_records(settings)) return open_all(file, settings, context);
  RecordChoice choice(file.path().string(), settings.find<std::string>("record"));
  std::map<std::size_t, LetterLines> lines;  // a record may be wanted by name, another by index
  const auto take = [&](std::size_t record, LetterLines of_record) { lines[record] = std::move(of_record); };
  FastqReader reader(file, choice, take, kept_check(settings, "fastq", context));
  at_record(settings, "fastq", [&] { reader.read(); });
  std::vector<std::byte> letters = at_record(settings, "fastq", [&] { return choice.finish(); });
  const std::string& name = choice.name();
  const LetterRange range = letter_range(settings, name, static_cast<std::int64_t>(letters.size()));
  letters.erase(letters.begin() + range.end, letters.end());
  letters.erase(letters.begin(), letters.begin() + range.begin);
  const auto place = [lines = lines[choice.chosen()], path = file.path().string()](std::int64_t letter) {
    return place_in(lines, path, letter);
  };
  return record_source(settings, std::move(letters), range, name, file.path(), place);
}

}  // namespace

InputKind fastq_kind() {
  return {"fastq", "one sequence of a FASTQ file, or a set of all", fastq_parameters, open_fastq,
          "{fastq: reads.fq.gz, record: read7, range: [0, 3]}\n{fastq: reads.fq.gz, records: all}"};
}

}  // namespace terrace::io
