// The input kind `substitution`: scores of pairs of letters, in the format of NCBI's matrices. Read once and kept in
// memory.
#include <array>
#include <cctype>
#include <charconv>
#include <span>

#include "io/files/checksum.hpp"
#include "io/input_file.hpp"
#include "io/inputs/line_reader.hpp"
#include "io/inputs/text_fields.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

constexpr Parameter substitution_parameters[] = {
    {"substitution", ParameterKind::file,
     "scores of pairs of letters in NCBI's format, plain or gzip: lines that begin with #, a line of letters, and "
     "for each of them a line with the letter and its scores with all, whole numbers from -128 to 127; letters are "
     "A to Z and *, case does not matter; a line's letter is one of a stage's `rows`, a column's one of its "
     "`columns`"},
};

class SubstitutionMatrix : public MemorySource {
 public:
  SubstitutionMatrix(std::string letters, std::vector<std::byte> scores, std::filesystem::path path)
      : MemorySource(ElementType::i8,
                     {static_cast<std::int64_t>(letters.size()), static_cast<std::int64_t>(letters.size())},
                     std::move(scores), {std::move(path)}),
        letters_(std::move(letters)) {}

  std::string matrix_letters() const override { return letters_; }
  std::optional<std::uint64_t> content() const override {
    const std::uint64_t both[] = {*MemorySource::content(), checksum(std::as_bytes(std::span(letters_)))};
    return checksum(std::as_bytes(std::span(both)));
  }

 private:
  std::string letters_;
};

class MatrixReader {
 public:
  MatrixReader(const InputFile& file, const CheckKept& check_kept)
      : path_(file.path().string()), lines_(file, check_kept) {}

  std::shared_ptr<Source> read(const std::filesystem::path& path) {
    if (!next_line()) throw IoError(path_, "is empty: a substitution matrix begins with a line of its letters");
    read_letters();
    scores_.resize(letters_.size() * letters_.size());
    while (next_line()) read_row();
    for (std::size_t letter = 0; letter < letters_.size(); ++letter) {
      if (row_lines_[letter] > 0) continue;
      throw IoError(place_in(header_line_, header_at_[letter]),
                    name_of(letter) + " has a column and no line of scores: give it one, or take its column away");
    }
    return std::make_shared<SubstitutionMatrix>(letters_, std::move(scores_), path);
  }

 private:
  static constexpr int least_score = -128, largest_score = 127;

  /// Cuts the next line into fields; skips blank lines and comments.
  bool next_line() {
    while (lines_.next(line_)) {
      split_fields(line_, {Separation::blanks, ' '}, fields_);
      if (!fields_.empty() && line_[fields_[0].at] != '#') return true;
    }
    return false;
  }

  void read_letters() {
    header_line_ = lines_.number();
    for (const Field& field : fields_) {
      const char letter = letter_in(field, "the first line has the letters alone, which columns stand for");
      if (letters_.find(letter) != letters_.npos) fail(field.at, "a second column for " + quote(field.text));
      letters_ += letter;
      header_at_.push_back(field.at);
    }
    row_lines_.assign(letters_.size(), 0);
  }

  void read_row() {
    const char letter = letter_in(fields_[0], "a line of scores begins with its letter");
    const std::size_t row = letters_.find(letter);
    if (row == letters_.npos) {
      fail(fields_[0].at, quote(fields_[0].text) + " has no column: give it one in line " +
                              std::to_string(header_line_) + ", or take this line away");
    }
    if (row_lines_[row] > 0) {
      fail(fields_[0].at,
           "a second line of " + quote(fields_[0].text) + "; the first is line " + std::to_string(row_lines_[row]));
    }
    row_lines_[row] = lines_.number();
    const std::size_t wanted = letters_.size() + 1;
    if (fields_.size() != wanted) {
      fail(fields_.size() > wanted ? fields_[wanted].at : line_.size(),
           "this line has " + counted(static_cast<std::int64_t>(fields_.size()) - 1, "score") + ", and line " +
               std::to_string(header_line_) + " names " +
               counted(static_cast<std::int64_t>(letters_.size()), "column"));
    }
    for (std::size_t column = 0; column < letters_.size(); ++column) {
      scores_[row * letters_.size() + column] = score_in(fields_[column + 1]);
    }
  }

  /// @param rule follows what is wrong with the field
  char letter_in(const Field& field, const char* rule) const {
    if (field.text.size() == 1) {
      const auto letter = static_cast<unsigned char>(field.text[0]);
      if (letter == '*' || (letter < 128 && std::isalpha(letter))) return static_cast<char>(std::toupper(letter));
    }
    fail(field.at, quote(field.text) + " is no letter (A to Z, *): " + rule);
  }

  std::byte score_in(const Field& field) const {
    std::string_view text = field.text;
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    std::int64_t score = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole && error != std::errc::result_out_of_range) {
      fail(field.at, quote(field.text) +
                         " is no whole number; scores with decimals are multiplied, all of them and the costs of "
                         "gaps, until they have none");
    }
    if (!whole || score < least_score || score > largest_score) {
      fail(field.at, quote(field.text) + " is no score from " + std::to_string(least_score) + " to " +
                         std::to_string(largest_score) + ": divide all scores, and the costs of gaps");
    }
    return static_cast<std::byte>(score);
  }

  std::string name_of(std::size_t letter) const { return "'" + letters_.substr(letter, 1) + "'"; }
  std::string place_in(std::int64_t line, std::size_t at) const {
    return path_ + ":" + std::to_string(line) + ":" + std::to_string(at + 1);
  }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw IoError(place_in(lines_.number(), at), what);
  }

  std::string path_;
  LineReader lines_;
  std::string_view line_;
  std::vector<Field> fields_;
  std::string letters_;
  std::vector<std::size_t> header_at_;
  std::int64_t header_line_ = 0;
  std::vector<std::int64_t> row_lines_;  // of each letter; 0: none yet
  std::vector<std::byte> scores_;
};

std::shared_ptr<Source> open_substitution(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "substitution", context));
  return MatrixReader(file, kept_check(settings, "substitution", context)).read(file.path());
}

}  // namespace

InputKind substitution_kind() {
  return {"substitution", "scores of pairs of letters, for the `matrix` of an alignment", substitution_parameters,
          open_substitution, "{substitution: NUC.4.4}"};
}

}  // namespace terrace::io
