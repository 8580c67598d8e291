// Lines of tables, cut into fields.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace terrace::io {

/// One field of a line: its text without blanks and quotes around it, and its first byte (from 0).
struct Field {
  std::string_view text;
  std::size_t at;
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

}  // namespace terrace::io
