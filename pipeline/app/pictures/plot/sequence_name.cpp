#include "pipeline/app/pictures/plot/sequence_name.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "io/files/durable.hpp"
#include "io/input_file.hpp"
#include "io/inputs/line_reader.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// True if the file has the size and the time that the result recorded.
bool is_unchanged(const Json& file) {
  const auto state = io::file_state(io::Entry(text_from(file.at("path"))));
  return state && state->size == file.at("size") && state->modified == file.at("time");
}

/// The first word of the header that a file of sequences begins with; empty if it begins otherwise.
std::string first_record(const std::string& path) {
  const io::InputFile file(path);
  io::LineReader lines(file);
  std::string_view line;
  if (!lines.next(line) || line.empty() || (line[0] != '>' && line[0] != '@')) return "";
  return std::string(line.substr(1, line.find_first_of(" \t") - 1));
}

/// The record that an input holds; empty if it is no file of sequences, or the record is not known.
std::string record_of(const MadeResult& result, const std::string& input) {
  const Json& defined = result.identity().at("inputs").at(input);
  const std::string kind = defined.at("kind");
  if (kind != "fasta" && kind != "fastq") return "";
  const Json record = defined.at("settings").value("record", Json());
  const std::string wanted = record.is_string() ? text_from(record) : record.is_null() ? "" : record.dump();
  const bool is_index =
      !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_index && wanted != "0") return "record " + wanted;
  if (!wanted.empty() && !is_index) return wanted;
  const Json& files = result.inputs().at(input).at("files");
  return !files.empty() && is_unchanged(files.at(0)) ? first_record(text_from(files.at(0).at("path"))) : "";
}

}  // namespace

std::string sequence_name(const MadeResult& result, const std::string& stage, const char* side) {
  try {
    for (const Json& one : result.identity().at("stages")) {
      if (one.at("name") != stage || !one.at("settings").contains(side)) continue;
      const std::string input = text_from(one.at("settings").at(side));
      if (!result.identity().at("inputs").contains(input)) return input;
      const std::string record = record_of(result, input);
      return record.empty() || record == input ? input : record + " (" + input + ")";
    }
  } catch (const Json::exception&) {
    // A picture can do without the name.
  } catch (const Error&) {
  }
  return "";
}

}  // namespace terrace::app
