#include "io/inputs/fasta/file_set.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "io/inputs/fasta/letters.hpp"
#include "io/kept_memory.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t letters_of_mark = std::int64_t{1} << 16;
constexpr std::int64_t window_bytes = std::int64_t{1} << 18;

/// Finds where records are in a file that is read once.
class RecordIndex : public RecordTaker {
 public:
  /// @param settings that say which strand is wanted @param path of the file
  RecordIndex(const Settings& settings, std::string path) : settings_(settings), path_(std::move(path)) {}

  void begin(std::string_view header, std::int64_t) override {
    list.begin(header);
    begins_ = true;
  }
  void add(std::string_view letters, const TextPlace& at) override {
    if (opposite_) check_complements(letters, at);
    marks.add(list.letters(), static_cast<std::int64_t>(letters.size()), at.byte, begins_);
    list.add(letters.size());
    begins_ = false;
  }
  bool any() const override { return list.count() > 0; }
  std::size_t kept() const override { return list.memory() + marks.memory(); }

  RecordList list;
  LetterMarks marks;

 private:
  void check_complements(std::string_view letters, const TextPlace& at) const {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (complement(letters[i]) != 0) continue;
      const std::string place =
          path_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column + static_cast<std::int64_t>(i));
      fail_complement(settings_, letters[i], place);
    }
  }

  const Settings& settings_;
  std::string path_;
  bool opposite_ = wants_opposite(settings_);
  bool begins_ = false;  // no letter of the record has come yet
};

/// Takes letters from a file, from a byte on, and skips what may stand between them.
class LetterReader {
 public:
  /// @param last byte of the file before which all letters lie
  LetterReader(const InputFile& file, std::int64_t last) : file_(file), last_(last) {}

  /// The next letter is at this byte.
  void go_to(std::int64_t byte) { at_ = byte; }
  /// Takes letters. @param to null: they are left out
  void take(std::int64_t count, char* to) {
    while (count > 0) {
      const std::string_view line = rest_of_line();
      const std::string_view letters = line.substr(0, static_cast<std::size_t>(count));
      const std::int64_t taken = only_a_to_z(letters) ? take_all(letters, to) : take_some(line, count, to);
      count -= taken;
      if (to != nullptr) to += taken;
    }
  }
  /// The next letter, behind what may stand between letters, is at this byte.
  void expect(std::int64_t byte) {
    while (class_of(text_here()[0]) != LetterClass::letter) skip_one();
    if (at_ != byte) fail();
  }

 private:
  /// Text up to the end of the line, or of what is read; at its end the line end itself is skipped.
  std::string_view rest_of_line() {
    for (;;) {
      const std::string_view text = text_here();
      const std::size_t end = text.find('\n');
      if (end != 0) return text.substr(0, end);
      skip_one();
    }
  }

  static std::int64_t copy(std::string_view letters, char* to) {
    if (to != nullptr) std::memcpy(to, letters.data(), letters.size());
    return static_cast<std::int64_t>(letters.size());
  }

  std::int64_t take_all(std::string_view letters, char* to) {
    at_ += static_cast<std::int64_t>(letters.size());
    return copy(letters, to);
  }

  /// Takes letters up to the first other byte, and skips that byte.
  std::int64_t take_some(std::string_view line, std::int64_t count, char* to) {
    std::size_t end = 0;
    while (end < line.size() && static_cast<std::int64_t>(end) < count &&
           class_of(line[end]) == LetterClass::letter) {
      ++end;
    }
    take_all(line.substr(0, end), to);
    if (end < line.size() && static_cast<std::int64_t>(end) < count) skip_one();
    return static_cast<std::int64_t>(end);
  }

  /// Skips a blank or the end of a line, with a comment behind it.
  void skip_one() {
    const char byte = text_here()[0];
    if (byte != '\n' && byte != '\r' && class_of(byte) != LetterClass::blank) fail();
    ++at_;
    if (byte != '\n' || text_here()[0] != ';') return;
    while (text_here()[0] != '\n') ++at_;
  }

  /// At least one byte of the file, from where the reader is.
  std::string_view text_here() {
    if (at_ < begin_ || at_ >= begin_ + static_cast<std::int64_t>(text_.size())) fill();
    return std::string_view(text_).substr(static_cast<std::size_t>(at_ - begin_));
  }

  void fill() {
    const std::int64_t wanted = std::clamp<std::int64_t>(last_ - at_, 1, window_bytes);
    text_.resize(static_cast<std::size_t>(wanted));
    text_.resize(static_cast<std::size_t>(file_.read_some(at_, wanted, text_.data())));
    begin_ = at_;
    if (text_.empty()) fail();
  }

  [[noreturn]] void fail() const {
    throw IoError(file_.path().string(),
                  "byte " + std::to_string(at_) +
                      ": letters are not where they were when the file was opened, or where its index says: do not "
                      "change the file while it is read, and make the index again (samtools faidx) if there is one");
  }

  const InputFile& file_;
  std::int64_t last_, at_ = 0;
  std::string text_;
  std::int64_t begin_ = 0;  // byte of the file where the text begins
};

class FileRecords : public Source {
 public:
  /// @param settings that say which strand is wanted
  FileRecords(const Settings& settings, InputFile file, std::shared_ptr<const ItemSet> items, LetterMarks marks,
              RecordPlaces places)
      : settings_(settings),
        file_(std::move(file)),
        items_(std::move(items)),
        marks_(std::move(marks)),
        shape_{items_->begin(items_->count())},
        opposite_(wants_opposite(settings)),
        places_(std::move(places)) {
    marks_.shrink();
  }

  ElementType type() const override { return ElementType::u8; }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return {file_.path()}; }
  bool letters() const override { return true; }
  std::shared_ptr<const ItemSet> items() const override { return items_; }
  std::size_t memory() const override { return items_->memory() + marks_.memory(); }
  std::string place_of(const Extents& index) const override {
    const std::int64_t item = items_->item_of(index[0]);
    return places_.letter(static_cast<std::size_t>(item), in_file(item, index[0]) - items_->begin(item));
  }

  void read(const Box& box, void* buffer) override {
    auto* to = static_cast<char*>(buffer);
    if (box.empty()) return;
    LetterReader reader(file_, last_byte(box.end[0]));
    if (!opposite_) return take(reader, box.begin[0], box.end[0], to);
    for (std::int64_t at = box.begin[0]; at < box.end[0];) {
      const std::int64_t item = items_->item_of(at), end = std::min(box.end[0], items_->begin(item + 1));
      take(reader, in_file(item, end - 1), in_file(item, at) + 1, to);
      turn(item, at, std::as_writable_bytes(std::span(to, static_cast<std::size_t>(end - at))));
      to += end - at;
      at = end;
    }
  }

 private:
  /// The letter in the order of the file.
  std::int64_t in_file(std::int64_t item, std::int64_t letter) const {
    return opposite_ ? items_->begin(item) + items_->begin(item + 1) - 1 - letter : letter;
  }

  /// Letters of an item from `begin` on, which come in the order of the file.
  void turn(std::int64_t item, std::int64_t begin, std::span<std::byte> letters) const {
    const std::int64_t first = in_file(item, begin) - items_->begin(item) + 1 - std::ssize(letters);
    reverse_complement(settings_, letters,
                       [&](std::int64_t at) { return places_.letter(static_cast<std::size_t>(item), first + at); });
  }

  /// A byte behind all letters before `end`, and the rest of their items.
  std::int64_t last_byte(std::int64_t end) const {
    const std::int64_t item_end = opposite_ ? items_->begin(items_->item_of(end - 1) + 1) : end;
    const std::size_t mark = marks_.behind(item_end);
    return mark == marks_.size() ? file_.size() : marks_[mark].byte;
  }

  /// Letters [begin, end) in the order of the file.
  void take(LetterReader& reader, std::int64_t begin, std::int64_t end, char* to) const {
    std::size_t mark = marks_.before(begin);
    reader.go_to(marks_[mark].byte);
    reader.take(begin - marks_[mark].letter, nullptr);
    for (std::int64_t letter = begin;;) {
      const bool last = mark + 1 == marks_.size();
      const std::int64_t stop = last ? end : std::min(end, marks_[mark + 1].letter);
      reader.take(stop - letter, to);
      if (stop == end) return;
      to += stop - letter;
      letter = stop;
      const bool begins = items_->begin(items_->item_of(letter)) == letter;
      // Within a record letters lead to the next mark.
      if (begins) reader.go_to(marks_[++mark].byte);
      else reader.expect(marks_[++mark].byte);
    }
  }

  Settings settings_;
  InputFile file_;
  std::shared_ptr<const ItemSet> items_;
  LetterMarks marks_;
  Extents shape_;
  bool opposite_;
  RecordPlaces places_;
};

}  // namespace

void LetterMarks::add(std::int64_t letter, std::int64_t count, std::int64_t byte, bool begins_record) {
  if (begins_record) marks_.push_back({letter, byte});
  for (std::int64_t next = marks_.back().letter + letters_of_mark; next < letter + count; next += letters_of_mark) {
    marks_.push_back({next, byte + next - letter});
  }
}

void LetterMarks::add(std::int64_t letter, const IndexEntry& entry) {
  for (std::int64_t at = 0; at < entry.length; at += letters_of_mark) {
    marks_.push_back({letter + at, entry.byte_of(at)});
  }
}

std::size_t LetterMarks::before(std::int64_t letter) const {
  const auto found = std::upper_bound(marks_.begin(), marks_.end(), letter,
                                      [](std::int64_t at, const LetterMark& mark) { return at < mark.letter; });
  return static_cast<std::size_t>(found - marks_.begin()) - 1;
}

std::size_t LetterMarks::behind(std::int64_t letter) const {
  const auto found = std::lower_bound(marks_.begin(), marks_.end(), letter,
                                      [](const LetterMark& mark, std::int64_t at) { return mark.letter < at; });
  return static_cast<std::size_t>(found - marks_.begin());
}

namespace {

/// The records by the index of the file, if that is used.
struct IndexedRecords {
  RecordList list;
  LetterMarks marks;
};

std::optional<IndexedRecords> indexed_set(const InputFile& file, const CheckKept& check_kept,
                                          const OpenContext& context) {
  const auto entries = read_whole_index(file, context.warn);
  if (!entries) return std::nullopt;
  IndexedRecords records;
  for (const IndexEntry& entry : *entries) {
    records.list.begin(entry.name);
    records.marks.add(records.list.letters(), entry);
    records.list.add(static_cast<std::size_t>(entry.length));
    check_kept(static_cast<std::int64_t>(records.list.memory() + records.marks.memory()));
  }
  return records;
}

}  // namespace

std::shared_ptr<Source> file_set_source(const Settings& settings, const char* kind, InputFile file, ReadRecords read,
                                        const OpenContext& context) {
  const RecordPlaces places(file.path(), read);
  const bool opposite = wants_opposite(settings);
  const CheckKept check_kept = kept_check(settings, kind, context);
  if (auto indexed = indexed_set(file, check_kept, context)) {
    return std::make_shared<FileRecords>(settings, std::move(file),
                                         indexed->list.finish(opposite, places, context.warn),
                                         std::move(indexed->marks), places);
  }
  RecordIndex index(settings, file.path().string());
  read(file, index, check_kept);
  return std::make_shared<FileRecords>(settings, std::move(file), index.list.finish(opposite, places, context.warn),
                                       std::move(index.marks), places);
}

}  // namespace terrace::io
