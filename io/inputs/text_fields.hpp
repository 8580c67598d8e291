// Lines of tables, cut into fields.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terrace::io {

/// One field of a line: its text without blanks and quotes around it, and its first byte (from 0).
struct Field {
  std::string_view text;
  std::size_t at;
  bool quoted = false;  // true if it stands in double quotes
};

enum class Separation {
  character,  // exactly one separator between two fields; fields may be empty
  blanks,     // runs of blanks
  either      // commas if the line has any (one more at its end counts nothing), else runs of blanks
};

struct FieldRule {
  Separation separation = Separation::character;
  char separator = ',';
};

/// Cuts a line; fields may stand in double quotes. Blank lines give no field.
void split_fields(std::string_view line, const FieldRule& rule, std::vector<Field>& fields);

/// True if the whole text is a number: "3", "-0.5", "1e9".
bool is_number(std::string_view text);

/// True for numbers with blanks, commas or semicolons between them, also a number with a decimal comma: "1 2", "1,5".
bool is_list_of_numbers(std::string_view text);
/// The remedy if fields stand between semicolons or bars; empty for a text without them.
std::string advice_on_separators(std::string_view text);
/// The remedy for a number with a decimal comma; empty for other texts.
std::string advice_on_decimals(std::string_view text);

/// True for the name of a column that has none: empty, as pandas and R write the one of their index, or "Unnamed: 0",
/// as pandas calls it when it reads such a table.
bool is_index_name(std::string_view text);

}  // namespace terrace::io
