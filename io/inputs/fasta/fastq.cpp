// The input kind `fastq`: the letters of one record of a FASTQ file (Cock et al. 2010), plain or gzip. Qualities are
// checked and left out.
#include <cctype>

#include "io/inputs/fasta/record.hpp"
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
    {"range", ParameterKind::integers, "[begin, end) of the record as it stands in the file, from 0", "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the opposite strand: complemented, last letter first", "false"},
};

/// Lines of letters, for places of errors.
struct LetterLine {
  std::int64_t first;  // letter of the record
  std::int64_t line;   // of the file
};

class FastqReader {
 public:
  FastqReader(const InputFile& file, std::optional<std::string> wanted, CheckKept check_kept)
      : path_(file.path().string()),
        check_kept_(std::move(check_kept)),
        lines_(file, check_kept_),
        choice_(path_, std::move(wanted)) {}

  /// Reads all records. @return the letters of the wanted one @throws IoError, JobError
  std::vector<std::byte> read() {
    while (next_header()) read_record();
    if (!choice_.any()) throw IoError(path_, "has no record: no line begins with '@'");
    return choice_.finish();
  }

  const RecordChoice& choice() const { return choice_; }
  /// Lines of the record, by its number.
  std::vector<LetterLine> take_lines() { return choice_.chosen() == named_lines_of_ ? named_lines_ : other_lines_; }

 private:
  std::string place(std::size_t at) const {
    return path_ + ":" + std::to_string(lines_.number()) + ":" + std::to_string(at + 1);
  }

  bool next_header() {
    while (lines_.next(line_)) {
      if (line_.find_first_not_of(" \t") == line_.npos) continue;
      if (line_[0] == '@') return true;
      throw IoError(place(0), choice_.any() ? "a record begins with '@', and this line does not"
                                            : "a FASTQ file begins with a line '@name'");
    }
    return false;
  }

  void read_record() {
    const std::string header(line_.substr(1));
    const std::int64_t begin = lines_.number();
    const std::size_t first = header.find_first_not_of(" \t");
    std::vector<std::byte>* kept =
        choice_.begin(first == header.npos ? std::string_view() : std::string_view(header).substr(first));
    current_.clear();
    const std::int64_t length = read_letters(kept, begin);
    check_second_header(header);
    read_qualities(length, begin);
    if (kept != nullptr) keep_lines();
    if (kept != nullptr) check_kept_(static_cast<std::int64_t>(choice_.kept()));
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

  void keep_lines() {
    const bool first = named_lines_of_ == SIZE_MAX;
    if (first) named_lines_of_ = choice_.last();
    (first ? named_lines_ : other_lines_) = std::move(current_);
    current_ = {};
  }

  std::string path_;
  CheckKept check_kept_;
  LineReader lines_;
  RecordChoice choice_;
  std::string_view line_;
  std::vector<LetterLine> current_, named_lines_, other_lines_;  // a record may be wanted by name, another by index
  std::size_t named_lines_of_ = SIZE_MAX;
};

std::shared_ptr<Source> open_fastq(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "fastq", context));
  FastqReader reader(file, settings.find<std::string>("record"), kept_check(settings, "fastq", context));
  std::vector<std::byte> letters = at_record(settings, "fastq", [&] { return reader.read(); });
  const std::string& name = reader.choice().name();
  const LetterRange range = letter_range(settings, name, static_cast<std::int64_t>(letters.size()));
  letters.erase(letters.begin() + range.end, letters.end());
  letters.erase(letters.begin(), letters.begin() + range.begin);
  const auto place = [lines = reader.take_lines(), path = file.path().string()](std::int64_t letter) {
    auto line = lines.begin();
    while (line != lines.end() && line + 1 != lines.end() && (line + 1)->first <= letter) ++line;
    if (line == lines.end()) return path;
    return path + ":" + std::to_string(line->line) + ":" + std::to_string(letter - line->first + 1);
  };
  return record_source(settings, std::move(letters), range, name, file.path(), place);
}

}  // namespace

InputKind fastq_kind() {
  return {"fastq", "one sequence of a FASTQ file", fastq_parameters, open_fastq,
          "{fastq: reads.fq.gz, record: read7, range: [0, 3]}"};
}

}  // namespace terrace::io
