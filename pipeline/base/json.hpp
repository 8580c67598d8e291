// JSON forms of values that JSON itself does not have (numbers that are not finite, bytes that are not UTF-8,
// extents), and errors of JSON that this program wrote, with their place.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/base/box.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace {

/// Bytes as hexadecimal digits, two a byte.
std::string to_hex(const std::string& bytes);
/// @throws std::invalid_argument for other text
std::string from_hex(const std::string& text);

/// A number, to the bit; "inf", "-inf" and "nan" if it is not finite.
nlohmann::json number_json(double number);
/// @throws nlohmann::json::exception, std::invalid_argument for other values than number_json() makes
double number_from(const nlohmann::json& json);
nlohmann::json numbers_json(const std::vector<double>& numbers);
std::vector<double> numbers_from(const nlohmann::json& json);

nlohmann::json extents_json(const Extents& extents);
/// @throws nlohmann::json::exception for other values than extents_json() makes
Extents extents_from(const nlohmann::json& json);

/// Text, for example a path: a string, or {"bytes": hex} if it is not UTF-8.
nlohmann::json text_json(const std::string& text);
/// @throws as number_from()
std::string text_from(const nlohmann::json& json);

/// The remedy for damaged records of an unfinished run.
inline constexpr const char* remedy_for_runs = "start over with --fresh=all";

/// JSON that this program wrote and cannot read.
class DamagedRecord : public IoError {
 public:
  /// @param where file, and record or attribute; @param remedy the advice: "replace the result with --fresh"
  DamagedRecord(const std::string& where, const std::string& remedy)
      : IoError(where, "is not what this version of Terrace writes, or is damaged; " + remedy) {}
};

/// Calls `read`, which parses JSON that this program wrote or takes values out of it.
/// @throws DamagedRecord at `where`, with the remedy, in place of the library's errors
template <class Read>
auto read_json(const std::string& where, const std::string& remedy, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception&) {
    throw DamagedRecord(where, remedy);
  } catch (const std::logic_error&) {  // invalid_argument and out_of_range, of numbers in texts
    throw DamagedRecord(where, remedy);
  }
}

}  // namespace terrace
