// Files to read, and inputs opened as a job opens them.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::io {

using test::TempFolder;

/// Settings written as a list: {{"fasta", "a.fa"}, {"range", Values{1, 2}}}.
struct Setting {
  std::string name;
  Value value;

  Setting(std::string key, Value content) : name(std::move(key)), value(std::move(content)) {}
  Setting(std::string key, const char* text) : name(std::move(key)), value(std::string(text)) {}
  Setting(std::string key, int number) : name(std::move(key)), value(std::int64_t{number}) {}
  Setting(std::string key, double number) : name(std::move(key)), value(number) {}
  Setting(std::string key, bool flag) : name(std::move(key)), value(flag) {}
};
using Values = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;
using Ranges = std::vector<std::vector<std::int64_t>>;

/// Opens an input of the kind that the first setting names; paths start at `folder`.
inline std::shared_ptr<Source> open_input(const TempFolder& folder, const std::vector<Setting>& list,
                                          std::shared_ptr<Source> other = nullptr) {
  Settings settings;
  for (const Setting& setting : list) settings.set(setting.name, setting.value, {"job.yaml:7: " + setting.name, ""});
  for (const InputKind& kind : input_kinds()) {
    if (list.at(0).name == kind.name) {
      return open_source(kind, settings, {folder.path(), [other](const std::string&) { return other; }});
    }
  }
  throw Error("no input kind " + list.at(0).name);
}

template <class T>
std::vector<T> read_box(Source& source, const Box& box) {
  if (source.type() != element_type_of<T>()) throw Error("the type is " + std::string(name_of(source.type())));
  std::vector<T> elements(static_cast<std::size_t>(box.volume()) + 1, T{77});
  source.read(box, elements.data());
  if (elements.back() != T{77}) throw Error("read wrote behind the buffer");
  elements.pop_back();
  return elements;
}

template <class T>
std::vector<T> read_all(Source& source) {
  return read_box<T>(source, Box::whole(source.shape()));
}

inline std::string read_letters(Source& source) {
  const auto letters = read_all<std::uint8_t>(source);
  return {letters.begin(), letters.end()};
}

/// "job: " or "io: " and the message of the error that `call` throws, without the folder; "none" if it throws no
/// error.
template <class Call>
std::string error_of(const TempFolder& folder, const Call& call) {
  std::string text = "none";
  try {
    call();
  } catch (const JobError& error) {
    text = std::string("job: ") + error.what();
  } catch (const IoError& error) {
    text = std::string("io: ") + error.what();
  }
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
  return text;
}

/// The error of opening an input and reading its first elements, all of them if there are less than a million.
inline std::string open_error(const TempFolder& folder, const std::vector<Setting>& list,
                              std::shared_ptr<Source> other = nullptr) {
  return error_of(folder, [&] {
    auto source = open_input(folder, list, other);
    Box box = Box::whole(source->shape());
    for (int d = 0; d < box.rank() && box.volume() > 1000000; ++d) box.end[d] = 1;
    std::vector<char> bytes(static_cast<std::size_t>(box.volume()) * size_of(source->type()) + 1);
    source->read(box, bytes.data());
  });
}

/// A value's bytes, little-endian or turned round.
template <class T>
std::string bytes_of(const std::vector<T>& values, bool big_endian = false) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  for (std::size_t i = 0; big_endian && i < bytes.size(); i += sizeof(T)) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T)));
  }
  return bytes;
}

/// 0, 1, 2, ...
template <class T>
std::vector<T> counting(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i);
  return values;
}

/// Writes a gzip file, or with mode "ab" another member behind one.
inline void write_gzip(const std::filesystem::path& path, const std::string& text, const char* mode = "wb") {
  gzFile file = gzopen(path.c_str(), mode);
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

}  // namespace terrace::io
