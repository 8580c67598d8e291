#include "io/inputs/fasta/index.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "io/inputs/gzip_reader.hpp"
#include "io/inputs/line_reader.hpp"
#include "io/inputs/text_fields.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

namespace fs = std::filesystem;

/// The index, or the file, is not as the index says: a reason not to use it.
class Unfit : public Error {
 public:
  using Error::Error;
};

std::int64_t number_in(const Field& field, std::int64_t line) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(field.text.data(), field.text.data() + field.text.size(), number);
  if (error == std::errc{} && end == field.text.data() + field.text.size() && number >= 0) return number;
  throw Unfit("line " + std::to_string(line) + " is damaged");
}

std::vector<IndexEntry> read_entries(const InputFile& index) {
  std::vector<IndexEntry> entries;
  LineReader lines(index);
  std::string_view line;
  std::vector<Field> fields;
  while (lines.next(line)) {
    split_fields(line, {Separation::character, '\t'}, fields);
    if (fields.empty()) continue;
    if (fields.size() != 5) throw Unfit("line " + std::to_string(lines.number()) + " has not five fields");
    const auto number = [&](std::size_t field) { return number_in(fields[field], lines.number()); };
    entries.push_back({std::string(fields[0].text), number(1), number(2), number(3), number(4)});
    const IndexEntry& entry = entries.back();
    const bool lines_fit = entry.bytes == entry.letters + 1 || entry.bytes == entry.letters + 2;
    if (entry.length > 0 && (entry.letters == 0 || !lines_fit)) {
      throw Unfit("line " + std::to_string(lines.number()) + " is damaged");
    }
  }
  return entries;
}

/// The number of the record that the job wants; nullopt if the index does not say which.
std::optional<std::size_t> wanted_entry(const std::vector<IndexEntry>& entries,
                                        const std::optional<std::string>& wanted) {
  if (!wanted) return entries.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt;
  const auto named = [&](const IndexEntry& entry) { return entry.name == *wanted; };
  const auto at = std::find_if(entries.begin(), entries.end(), named);
  if (at != entries.end()) {
    if (std::find_if(at + 1, entries.end(), named) != entries.end()) return std::nullopt;
    return static_cast<std::size_t>(at - entries.begin());
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(wanted->data(), wanted->data() + wanted->size(), number);
  if (error != std::errc{} || end != wanted->data() + wanted->size() || number >= entries.size()) return std::nullopt;
  return number;
}

/// One record of the file, in which the index says where lines are.
class IndexedRecord {
 public:
  IndexedRecord(const InputFile& file, const IndexEntry& entry) : file_(file), entry_(entry) {}

  /// Letters of a range. @throws Unfit
  std::vector<std::byte> read(LetterRange range) const {
    begin_of_header();
    next_header();
    std::vector<std::byte> letters;
    letters.reserve(static_cast<std::size_t>(range.end - range.begin));
    if (range.begin == range.end) return letters;
    constexpr std::int64_t most_letters = std::int64_t{1} << 22;
    for (std::int64_t at = range.begin; at < range.end;) {
      const std::int64_t next =
          std::min(range.end, (at / entry_.letters + most_letters / entry_.letters + 1) * entry_.letters);
      take_lines(at, next, letters);
      at = next;
    }
    return letters;
  }

  /// The byte of the '>' of the record, whose header is the line before its first letter. @throws Unfit
  std::int64_t begin_of_header() const {
    constexpr std::int64_t longest = std::int64_t{1} << 16;
    const std::int64_t from = std::max<std::int64_t>(0, entry_.offset - longest);
    const std::string bytes = bytes_at(from, entry_.offset);
    std::string_view before = bytes;
    // A header without letters may end with the file.
    if (before.ends_with('\n')) before.remove_suffix(1);
    else if (entry_.length > 0 || entry_.offset < file_.size()) fail_header();
    const std::size_t end = before.rfind('\n');
    const std::size_t begin = end == before.npos ? (before.starts_with("\xef\xbb\xbf") ? 3 : 0) : end + 1;
    std::string_view line = before.substr(begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('>')) fail_header();
    line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.substr(0, line.find_first_of(" \t")) != entry_.name) fail_header();
    return from + static_cast<std::int64_t>(begin);
  }

  /// The byte of the '>' of the record behind the last letter; the size of the file if there is none. @throws Unfit
  std::int64_t next_header() const {
    const std::int64_t end = entry_.length == 0 ? entry_.offset : entry_.byte_of(entry_.length - 1) + 1;
    if (entry_.length > 0 && !is_letter(bytes_at(end - 1, end)[0])) fail_end();
    constexpr std::int64_t most_blank = 4096;
    const std::string rest = bytes_at(end, std::min(file_.size(), end + most_blank));
    const std::size_t next = rest.find_first_not_of(" \t\r\n");
    if (next == rest.npos && end + most_blank >= file_.size()) return file_.size();
    const bool begins =
        next != rest.npos && rest[next] == '>' && (next > 0 ? rest[next - 1] == '\n' : entry_.length == 0);
    if (!begins) fail_end();
    return end + static_cast<std::int64_t>(next);
  }

 private:
  std::string bytes_at(std::int64_t begin, std::int64_t end) const {
    if (begin < 0 || end > file_.size() || begin > end) throw Unfit("points behind the end of the file");
    std::string bytes(static_cast<std::size_t>(end - begin), '\0');
    file_.read(begin, end - begin, bytes.data());
    return bytes;
  }

  [[noreturn]] void fail_header() const { throw Unfit("the header of '" + entry_.name + "' is not where it says"); }

  [[noreturn]] void fail_end() const { throw Unfit("'" + entry_.name + "' does not end where it says"); }

  static bool is_letter(char byte) {
    return std::isalpha(static_cast<unsigned char>(byte)) || byte == '*' || byte == '-' || byte == '.';
  }

  /// Adds letters of some lines, which must be full lines as the index says.
  void take_lines(std::int64_t begin, std::int64_t end, std::vector<std::byte>& letters) const {
    const std::string bytes = bytes_at(entry_.byte_of(begin), entry_.byte_of(end - 1) + 1);
    std::size_t at = 0;
    for (std::int64_t letter = begin; letter < end;) {
      const std::int64_t line_end = std::min(end, (letter / entry_.letters + 1) * entry_.letters);
      for (; letter < line_end; ++letter, ++at) {
        if (!is_letter(bytes[at])) fail_lines(letter);
        letters.push_back(static_cast<std::byte>(bytes[at]));
      }
      if (letter == end) return;
      if (entry_.bytes - entry_.letters == 2 && bytes[at++] != '\r') fail_lines(letter);
      if (bytes[at++] != '\n') fail_lines(letter);
    }
  }

  [[noreturn]] void fail_lines(std::int64_t letter) const {
    throw Unfit("lines of '" + entry_.name + "' are of other lengths than it says, at letter " +
                std::to_string(letter));
  }

  const InputFile& file_;
  const IndexEntry& entry_;
};

fs::path index_of(const InputFile& file) {
  fs::path path = file.path();
  path += ".fai";
  return path;
}

/// @throws Unfit, IoError
std::vector<IndexEntry> entries_for(const InputFile& file, const fs::path& path) {
  std::error_code ignored;
  if (fs::last_write_time(path, ignored) < fs::last_write_time(file.path(), ignored)) {
    throw Unfit("is older than the file");
  }
  return read_entries(InputFile(path));
}

/// Each record begins where the one before ends, the first one with the file.
void check_all(const InputFile& file, const std::vector<IndexEntry>& entries) {
  std::int64_t at = -1;
  for (const IndexEntry& entry : entries) {
    const IndexedRecord record(file, entry);
    const std::int64_t begin = record.begin_of_header();
    constexpr std::int64_t mark_bytes = 3;  // of a byte order mark
    if (at < 0 ? begin > mark_bytes : begin != at) {
      throw Unfit("there is text before '" + entry.name + "' of which it says nothing");
    }
    at = record.next_header();
  }
  if (at != file.size()) throw Unfit("it says nothing of the file's last records");
}

std::optional<IndexedPart> read_by_index(const InputFile& file, const fs::path& path, const Settings& settings,
                                         const CheckKept& check_kept) {
  const std::vector<IndexEntry> entries = entries_for(file, path);
  const auto number = wanted_entry(entries, settings.find<std::string>("record"));
  if (!number) return std::nullopt;
  const IndexEntry& entry = entries[*number];
  const LetterRange range = letter_range(settings, entry.name, entry.length);
  check_kept(range.end - range.begin);
  return IndexedPart{IndexedRecord(file, entry).read(range), range, entry.name, *number};
}

}  // namespace

namespace {

/// Calls a function that uses the index of a plain file. @return nullopt if there is no index, or it is unfit
template <class Use>
auto with_index(const InputFile& file, const std::function<void(const std::string&)>& warn, const Use& use)
    -> decltype(use(fs::path())) {
  const fs::path path = index_of(file);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || !GzipReader(file).plain()) return std::nullopt;
  std::string why;
  try {
    return use(path);
  } catch (const Unfit& unfit) {
    why = unfit.what();
  } catch (const IoError& error) {
    why = error.what();
  }
  if (warn) warn("the index " + path.string() + " is not used, and the file is read whole: " + why);
  return std::nullopt;
}

}  // namespace

std::optional<IndexedPart> read_indexed(const InputFile& file, const Settings& settings, const CheckKept& check_kept,
                                        const std::function<void(const std::string&)>& warn) {
  return with_index(file, warn,
                    [&](const fs::path& path) { return read_by_index(file, path, settings, check_kept); });
}

std::optional<std::vector<IndexEntry>> read_whole_index(const InputFile& file,
                                                        const std::function<void(const std::string&)>& warn) {
  return with_index(file, warn, [&](const fs::path& path) -> std::optional<std::vector<IndexEntry>> {
    std::vector<IndexEntry> entries = entries_for(file, path);
    // Each record costs a few reads.
    constexpr std::int64_t least_bytes = std::int64_t{1} << 16;  // of the file, a record. Not measured
    if (file.size() / least_bytes < std::ssize(entries)) return std::nullopt;
    check_all(file, entries);
    return entries;
  });
}

}  // namespace terrace::io
