// The input kinds `csv` and `text`: numbers in text. Read once and kept in memory.
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "io/input_file.hpp"
#include "io/inputs/line_reader.hpp"
#include "io/inputs/numbers.hpp"
#include "io/inputs/shaped.hpp"
#include "io/inputs/text_fields.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"
#include "io/name_numbers.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

constexpr const char* header_help =
    "the first line names the columns; a first column without a name is an index, as pandas and R write it, and is "
    "left out, unless `shape`, `range` or `skip` read all values";

constexpr const char* row_help = "read this row alone, from 0; blank lines and lines that begin with # do not count";
constexpr const char* column_help = "read this column alone: index from 0, or name with 'header'";
constexpr const char* skip_help =
    "leading values to leave out, whatever they are; the others are read in order, unless it is 0";
constexpr const char* table_range_help =
    "[begin, end) of the values, in order, from 0 behind those that `skip` leaves out";
constexpr const char* shape_help =
    "extents of all values in order, slowest first; where it is absent, and no row, column, range or skip above 0 is "
    "given, a table has its rows and columns, all rows the same number of them, or one dimension if there is one of "
    "either";
constexpr const char* names_help =
    "the values are names, of items of a set or of nodes, as `pairs` takes them; numbers among them are names, too";
constexpr const char* type_help = "element type; i64 where all are whole numbers, else f64";

constexpr Parameter csv_parameters[] = {
    {"csv", ParameterKind::file, "a table of numbers with commas, plain or gzip; kept in memory"},
    {"row", ParameterKind::integer, row_help, "", nullptr, 0},
    {"column", ParameterKind::text, column_help, ""},
    {"header", ParameterKind::flag, header_help, "false"},
    {"skip", ParameterKind::count, skip_help, "0", nullptr, 0},
    {"range", ParameterKind::integers, table_range_help, "", nullptr, 0},
    {"separator", ParameterKind::text, "one character, or 'tab' or 'space'; a comma where absent", ""},
    {"type", ParameterKind::type, type_help, ""},
    {"names", ParameterKind::flag, names_help, "false"},
    {"shape", ParameterKind::integers, shape_help, "", nullptr, 0},
};

constexpr Parameter text_parameters[] = {
    {"text", ParameterKind::file, "numbers with commas or white space between them, plain or gzip; kept in memory"},
    {"row", ParameterKind::integer, row_help, "", nullptr, 0},
    {"column", ParameterKind::text, column_help, ""},
    {"header", ParameterKind::flag, header_help, "false"},
    {"skip", ParameterKind::count, skip_help, "0", nullptr, 0},
    {"range", ParameterKind::integers, table_range_help, "", nullptr, 0},
    {"separator", ParameterKind::text,
     "one character, or 'tab' or 'space'; where absent, commas in lines that have any, else white space", ""},
    {"type", ParameterKind::type, type_help, ""},
    {"names", ParameterKind::flag, names_help, "false"},
    {"shape", ParameterKind::integers, shape_help, "", nullptr, 0},
};

FieldRule field_rule(const Settings& settings, FieldRule rule) {
  if (!settings.has("separator")) return rule;
  const std::string& text = settings.text("separator");
  if (text == "space" || text == " ") return {Separation::blanks, ' '};
  if (text == "tab" || text == "\\t" || text == "\t") return {Separation::character, '\t'};
  if (text.size() != 1) fail_setting(settings, "separator", "separator: give one character, or 'tab' or 'space'");
  const auto letter = static_cast<unsigned char>(text[0]);
  if (letter < ' ' || letter > '~') {
    fail_setting(settings, "separator",
                 letter == '\n' || letter == '\r' ? "separator: the end of a line parts lines, not values in a line"
                                                  : "separator: is no character that can be printed, nor a tab");
  }
  if (letter == '"' || letter == '\'') fail_setting(settings, "separator", "separator: a quote stands around values");
  if (std::isalnum(letter) || std::string_view(".+-").find(text[0]) != std::string_view::npos) {
    fail_setting(settings, "separator", "separator: '" + text + "' is a part of numbers");
  }
  return {Separation::character, text[0]};
}

/// Names of a table.
struct TableNames {
  NameNumbers numbers;
  std::vector<std::array<std::int64_t, 2>> places;  // line and column of each value
};

/// Reads the numbers that the settings choose, or names as numbers of names.
class TableReader {
 public:
  TableReader(const InputFile& file, const Settings& settings, const FieldRule& rule, CheckKept check_kept)
      : file_(file),
        settings_(settings),
        rule_(rule),
        check_kept_(std::move(check_kept)),
        lines_(file, check_kept_),
        numbers_(type_setting(settings, "type")),
        row_(settings.find<std::int64_t>("row")),
        skip_(settings.find<std::int64_t>("skip").value_or(0)),
        all_values_(settings.has("shape") || settings.has("range") || skip_ > 0),
        in_order_(row_ || settings.has("column") || all_values_) {
    if (row_ && *row_ < 0) fail_setting(settings, "row", "row: is negative");
    if (skip_ < 0) fail_setting(settings, "skip", "skip: is negative");
    if (row_ && settings.has("column")) fail_setting(settings, "row", "row: give a row or a column, not both");
    if (settings.has("range")) read_range();
    if (!settings.find<bool>("names").value_or(false)) return;
    if (settings.has("type")) fail_setting(settings, "type", "type: is of numbers, and `names: true` makes names");
    table_names_.emplace();
  }

  /// The names, if names are wanted.
  std::optional<TableNames>& names() { return table_names_; }

  /// The shape of what was read: rows and columns of a table, or one dimension.
  Extents shape() const {
    if (in_order_ || rows_ <= 1 || columns_ <= 1) return {static_cast<std::int64_t>(numbers_.count())};
    return {rows_, static_cast<std::int64_t>(columns_)};
  }

  /// True if the table has an index, which is left out.
  bool without_index() const { return without_index_; }

  NumberList& read() {
    const bool header = settings_.find<bool>("header").value_or(false);
    if (header) read_header();
    if (settings_.has("column")) find_column(header);
    std::int64_t row = 0;
    for (; next_line(); ++row) {
      if (row_ && row != *row_) continue;
      if (header) check_names();
      if (without_index_) fields_.erase(fields_.begin());
      if (!in_order_) check_columns();
      take_line();
      check_kept_(static_cast<std::int64_t>(numbers_.count() * size_of(numbers_.type())));
      if (row_) break;
    }
    if (row_ && row <= *row_ && taken_ == 0)
      fail_setting(settings_, "row",
                   "row: there is no row " + std::to_string(*row_) + " in " + file_.path().string() + ", which has " +
                       std::to_string(row));
    if (skip_ > seen_) {
      fail_setting(settings_, "skip",
                   seen_ == 1 ? "skip: there is only 1 value to leave out"
                              : "skip: there are only " + std::to_string(seen_) + " values to leave out");
    }
    if (range_ && range_->end > seen_ - skip_) {
      fail_setting(settings_, "range",
                   "range: [" + std::to_string(range_->begin) + ", " + std::to_string(range_->end) +
                       ") does not lie in the " + counted(seen_ - skip_, "value") + " that are read");
    }
    return numbers_;
  }

 private:
  /// Cuts the next line into fields; skips blank lines and comments.
  bool next_line() {
    while (lines_.next(line_)) {
      if (!line_.empty() && line_[0] == '#') continue;
      split_fields(line_, rule_, fields_);
      if (!fields_.empty()) return true;
    }
    return false;
  }

  void read_header() {
    if (!next_line()) throw IoError(file_.path().string(), "is empty: there is no header");
    header_line_ = lines_.number();
    names_ = fields_.size();
    without_index_ = !all_values_ && !settings_.has("column") && names_ > 1 && is_index_name(fields_[0].text);
  }

  /// @throws IoError if a line has a value more than the header has names: R writes names of rows so, and it is not
  /// clear which columns are named
  void check_names() const {
    const bool by_index = column_ && !column_is_named_;
    if (all_values_ || by_index || fields_.size() != names_ + 1) return;
    throw IoError(place(0), "this line has " + counted(static_cast<std::int64_t>(fields_.size()), "value") +
                                ", and line " + std::to_string(header_line_) + " names " +
                                counted(static_cast<std::int64_t>(names_), "column") +
                                ": names of rows need an empty name in the header (in R `col.names = NA`, or "
                                "`row.names = FALSE` to leave them out); `skip` and `shape` leave out a first line "
                                "that is no header");
  }

  void take_line() {
    ++taken_;
    if (!column_) {
      for (const Field& field : fields_) take(field);
    } else if (*column_ < fields_.size()) {
      take(fields_[*column_]);
    } else {
      throw IoError(place(line_.size()), "this line has " +
                                             counted(static_cast<std::int64_t>(fields_.size()), "value") +
                                             ", so none in column " + std::to_string(*column_));
    }
  }

  struct Range {
    std::int64_t begin, end;
  };

  void read_range() {
    const auto& range = settings_.get<std::vector<std::int64_t>>("range");
    if (range.size() != 2) fail_setting(settings_, "range", "range: give two numbers, [begin, end]");
    if (range[0] < 0 || range[1] < range[0]) {
      fail_setting(settings_, "range", "range: a range [begin, end) begins at 0 or later, and before its end");
    }
    range_ = {range[0], range[1]};
  }

  /// A row of a table has as many values as its first row.
  void check_columns() {
    if (rows_++ == 0) {
      columns_ = fields_.size();
      first_line_ = lines_.number();
    }
    if (fields_.size() == columns_) return;
    const std::size_t at = fields_.size() > columns_ ? fields_[columns_].at : line_.size();
    throw IoError(place(at), "this line has " + counted(static_cast<std::int64_t>(fields_.size()), "value") +
                                 ", and line " + std::to_string(first_line_) + " has " + std::to_string(columns_) +
                                 ": rows of a table have as many; `shape` or `range` read all values in order");
  }

  void take(const Field& field) {
    const std::int64_t at = seen_++ - skip_;
    if (at < 0 || (range_ && (at < range_->begin || at >= range_->end))) return;
    if (table_names_) return take_name(field);
    if (auto wrong = numbers_.add(field.text)) throw IoError(place(field.at), *wrong + advice(field));
  }

  void take_name(const Field& field) {
    if (field.text.empty()) throw IoError(place(field.at), "a name is missing");
    if (field.text.find('\t') != field.text.npos) {
      throw IoError(place(field.at),
                    quote(field.text) + " has a tab: if values stand between tabs, say `separator: tab`");
    }
    const std::int64_t number = table_names_->numbers.number_of(field.text);
    table_names_->places.push_back({lines_.number(), static_cast<std::int64_t>(field.at) + 1});
    numbers_.add(std::to_string(number));
  }

  /// The setting that a value may lack which is no number: names in the first line, or another separator.
  std::string advice(const Field& field) const {
    if (is_of_esri_grid(field.text)) {
      return "; this is an ESRI ASCII grid: `skip: 12` leaves out a header of six lines, `shape: [ROWS, COLUMNS]` "
             "reads the values, and cells without a value stay numbers";
    }
    const bool word = is_word(fields_.front()), only_words = fields_.size() == 2 && word && is_word(fields_.back());
    if (taken_ == 1 && word && !settings_.find<bool>("header").value_or(false)) {
      return std::string("; if this line names the columns, say `header: true`") +
             (only_words ? "; if all values are names, as `pairs` takes them, `names: true`" : "");
    }
    if (only_words) return "; if the values are names, as `pairs` takes them, say `names: true`";
    const std::size_t other = field.text.find_first_of(";\t|");
    if (other == field.text.npos) return advice_on_decimals(field.text);
    if (settings_.has("separator")) return "";
    return "; if values stand between other characters, say so by `separator`";
  }

  static bool is_word(const Field& field) {
    return !field.text.empty() && std::isalpha(static_cast<unsigned char>(field.text[0])) != 0;
  }

  static bool is_of_esri_grid(std::string_view text) {
    std::string word(text);
    for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return word == "ncols" || word == "nrows" || word == "xllcorner" || word == "yllcorner" || word == "xllcenter" ||
           word == "yllcenter" || word == "cellsize" || word == "nodata_value";
  }

  void find_column(bool header) {
    const std::string wanted = settings_.text("column");
    std::vector<std::string> names;
    for (const Field& field : fields_) names.emplace_back(field.text);
    const auto named = std::find(names.begin(), names.end(), wanted);
    if (header && named != names.end()) {
      if (std::find(named + 1, names.end(), wanted) != names.end()) {
        fail_setting(settings_, "column", "column: several are called '" + wanted + "'; give an index");
      }
      column_ = static_cast<std::size_t>(named - names.begin());
      column_is_named_ = true;
      return;
    }
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    const bool number = error == std::errc{} && end == wanted.data() + wanted.size();
    if (number && (!header || index < names.size())) {
      column_ = index;
      return;
    }
    if (!header)
      fail_setting(settings_, "column", "column: '" + wanted + "' is no index; for a name say 'header: true'");
    fail_setting(
        settings_, "column",
        "column: there is no '" + wanted + "'; there are " + quote_names(names) + did_you_mean(wanted, names));
  }

  std::string place(std::size_t at) const {
    return file_.path().string() + ":" + std::to_string(lines_.number()) + ":" + std::to_string(at + 1);
  }

  const InputFile& file_;
  const Settings& settings_;
  FieldRule rule_;
  CheckKept check_kept_;
  LineReader lines_;
  NumberList numbers_;
  std::optional<std::int64_t> row_;
  std::optional<std::size_t> column_;
  bool column_is_named_ = false;
  std::int64_t skip_;
  bool all_values_;  // by keys that count all values of the file
  bool in_order_;    // values are read one after another, whatever their rows
  std::optional<Range> range_;
  std::int64_t seen_ = 0;
  std::int64_t header_line_ = 0;
  std::size_t names_ = 0;  // in the header
  bool without_index_ = false;
  std::int64_t rows_ = 0, first_line_ = 0;  // of a table
  std::size_t columns_ = 0;
  std::int64_t taken_ = 0;  // lines of which values were taken
  std::optional<TableNames> table_names_;
  std::string_view line_;
  std::vector<Field> fields_;
};

/// An array of a table. The first number of its results read all values into one dimension, the second an index, too.
class Table : public MemorySource {
 public:
  Table(ElementType type, Extents shape, std::vector<std::byte> bytes, const std::filesystem::path& path, bool index)
      : MemorySource(type, shape, std::move(bytes), {path}), results_(index ? 3 : 2) {}
  int results() const override { return results_; }

 private:
  int results_;
};

/// Numbers of names.
class NameTable : public Table {
 public:
  NameTable(Extents shape, std::vector<std::byte> bytes, const std::filesystem::path& path, bool index,
            TableNames names)
      : Table(ElementType::i64, std::move(shape), std::move(bytes), path, index),
        path_(path.string()),
        names_(std::make_shared<NodeNames>(names.numbers.take())),
        places_(std::move(names.places)) {}

  std::shared_ptr<const NodeNames> element_names() const override { return names_; }
  std::size_t memory() const override {
    return Table::memory() + names_->memory() + places_.capacity() * sizeof(places_[0]);
  }
  std::string place_of(const Extents& index) const override {
    std::int64_t at = 0;
    for (int d = 0; d < index.rank(); ++d) at = at * shape()[d] + index[d];
    const auto [line, column] = places_[static_cast<std::size_t>(at)];
    return path_ + ":" + std::to_string(line) + ":" + std::to_string(column);
  }

 private:
  std::string path_;
  std::shared_ptr<const NodeNames> names_;
  std::vector<std::array<std::int64_t, 2>> places_;
};

std::shared_ptr<Source> open_table(const Settings& settings, const OpenContext& context, const char* key,
                                   const FieldRule& rule) {
  const InputFile file(input_path(settings, key, context));
  TableReader reader(file, settings, field_rule(settings, rule), kept_check(settings, key, context));
  NumberList& numbers = reader.read();
  if (reader.without_index() && context.warn) {
    context.warn(file.path().string() +
                 ": the first column has no name, and is left out as an index; `shape` or "
                 "`skip` read it as well");
  }
  if (reader.names()) {
    const auto count = static_cast<std::int64_t>(numbers.count());
    const Extents shape =
        settings.has("shape") ? shape_of_values(settings, count, file.path().string()) : reader.shape();
    return std::make_shared<NameTable>(shape, numbers.take(), file.path(), reader.without_index(),
                                       std::move(*reader.names()));
  }
  if (const Extents shape = reader.shape(); shape.rank() > 1 || reader.without_index()) {
    const ElementType type = numbers.type();
    return std::make_shared<Table>(type, shape, numbers.take(), file.path(), reader.without_index());
  }
  return shaped_source(numbers, settings, {file.path()}, file.path().string());
}

std::shared_ptr<Source> open_csv(const Settings& settings, const OpenContext& context) {
  return open_table(settings, context, "csv", {Separation::character, ','});
}

std::shared_ptr<Source> open_text(const Settings& settings, const OpenContext& context) {
  return open_table(settings, context, "text", {Separation::either, ','});
}

}  // namespace

InputKind csv_kind() {
  return {"csv", "numbers of a table with commas", csv_parameters, open_csv,
          "{csv: prices.csv, header: true, column: close}\n"
          "{csv: prices.csv, header: true, row: 0}\n"
          "{csv: prices.csv, skip: 2, shape: [2, 2]}\n"
          "{csv: prices.csv, skip: 2, range: [0, 3]}\n"
          "{csv: pairs.csv, names: true}\n"
          "separator: \",\""};
}

InputKind text_kind() {
  return {"text", "numbers in text", text_parameters, open_text,
          "{text: numbers.txt, shape: [2, 3]}\n"
          "{text: numbers.txt, header: true, column: 2}\n"
          "{text: numbers.txt, row: 1}\n"
          "{text: numbers.txt, range: [0, 4]}\n"
          "{text: pairs.txt, names: true}\n"
          "skip: 2, shape: [2, 2]\n"
          "separator: space"};
}

}  // namespace terrace::io
