// Records of files of sequences: which one a job wants, and its letters as an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"

namespace terrace::io {

/// A place in a text, or in the text that a gzip file holds.
struct TextPlace {
  std::int64_t byte;          // from 0
  std::int64_t line, column;  // from 1
};

/// Takes the records of a file, which come one after another.
class RecordTaker {
 public:
  virtual ~RecordTaker() = default;
  /// Begins the next record. @param header without the letter that marks it @param line of the header
  virtual void begin(std::string_view header, std::int64_t line) = 0;
  /// Adds letters that stand side by side in a line to the record. @param at the first of them
  virtual void add(std::string_view letters, const TextPlace& at) = 0;
  /// Room for that many letters, so that long sequences are not moved as they grow.
  virtual void reserve(std::size_t) {}
  /// True if there was a record.
  virtual bool any() const = 0;
  /// Bytes that are kept so far.
  virtual std::size_t kept() const = 0;
};

/// No record, or several, are as the job says. Without a place: RecordChoice does not know it.
class RecordError : public JobError {
 public:
  using JobError::JobError;
};

/// Chooses the record that a job wants among those that come one after another, and keeps its letters.
class RecordChoice : public RecordTaker {
 public:
  /// @param path names the file in errors
  /// @param wanted the record to keep: its name (the header's first word, or the whole header) or, if no record has
  /// that name, its index from 0; nullopt keeps the only record
  RecordChoice(std::string path, std::optional<std::string> wanted);

  void begin(std::string_view header, std::int64_t line) override;
  void add(std::string_view letters, const TextPlace& at) override;
  void reserve(std::size_t letters) override { named_.reserve(letters); }
  bool any() const override { return count_ > 0; }
  std::size_t kept() const override { return named_.size() + indexed_.size(); }
  /// Number of the last record, from 0.
  std::size_t last() const { return count_ - 1; }
  /// Hands the letters over. @throws RecordError if the wanted record is missing or was not named: the
  /// message lists the names
  std::vector<std::byte> finish();
  /// Name and number in the file of the record that finish() handed over.
  const std::string& name() const { return name_; }
  std::size_t chosen() const { return chosen_; }

 private:
  std::string path_;
  std::optional<std::string> wanted_;
  std::optional<std::size_t> wanted_index_;
  std::size_t count_ = 0;
  std::vector<std::string> names_;             // of the first records, for messages
  std::vector<std::byte> named_, indexed_;     // letters of the record with the wanted name, or index
  std::vector<std::byte>* keeping_ = nullptr;  // those of the record that comes; null: it is not wanted
  std::optional<std::size_t> named_at_;
  std::string name_of_named_, name_of_indexed_, name_;
  std::size_t chosen_ = 0;
};

/// The name of a record: the first word of its header.
std::string_view name_in_header(std::string_view header);

/// The setting `range` in a record of so many letters; all of it if it is not given. @throws JobError
struct LetterRange {
  std::int64_t begin, end;
};
LetterRange letter_range(const Settings& settings, const std::string& record, std::int64_t letters);

/// Adds letters of a text to letters that are kept.
void append(std::vector<std::byte>& kept, std::string_view letters);

/// True if the job wants the opposite strand.
bool wants_opposite(const Settings& settings);

/// The complement of a letter for bases, or of a gap; 0 if it has none.
char complement(char letter);

/// Refuses a letter that has no complement. @param place of the letter: "a.fa:3:2"
/// @throws JobError at `reverse_complement`
[[noreturn]] void fail_complement(const Settings& settings, char letter, const std::string& place);

/// The bases of the opposite strand, last one first.
/// @param place gives the place of a letter, by its index before they are turned
/// @throws JobError at `reverse_complement` for a letter that has no complement
void reverse_complement(const Settings& settings, std::span<std::byte> letters,
                        const std::function<std::string(std::int64_t)>& place);

}  // namespace terrace::io
