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

/// Takes the records of a file, which come one after another.
class RecordTaker {
 public:
  virtual ~RecordTaker() = default;
  /// Begins the next record. @param header without the letter that marks it
  /// @return the letters of the record, to be added to; null if it is not kept
  virtual std::vector<std::byte>* begin(std::string_view header) = 0;
  /// Room for that many letters, so that long sequences are not moved as they grow.
  virtual void reserve(std::size_t letters) = 0;
  /// True if there was a record.
  virtual bool any() const = 0;
  /// Bytes that are kept so far.
  virtual std::size_t kept() const = 0;
};

/// Chooses the record that a job wants among those that come one after another, and keeps its letters.
class RecordChoice : public RecordTaker {
 public:
  /// @param path names the file in errors
  /// @param wanted the record to keep: its name (the header's first word, or the whole header) or, if no record has
  /// that name, its index from 0; nullopt keeps the only record
  RecordChoice(std::string path, std::optional<std::string> wanted);

  std::vector<std::byte>* begin(std::string_view header) override;
  void reserve(std::size_t letters) override { named_.reserve(letters); }
  bool any() const override { return count_ > 0; }
  std::size_t kept() const override { return named_.size() + indexed_.size(); }
  /// Number of the last record, from 0.
  std::size_t last() const { return count_ - 1; }
  /// Hands the letters over. @throws JobError (without a place) if the wanted record is missing or was not named: the
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
  std::vector<std::string> names_;          // of the first records, for messages
  std::vector<std::byte> named_, indexed_;  // letters of the record with the wanted name, or index
  std::optional<std::size_t> named_at_;
  std::string name_of_named_, name_of_indexed_, name_;
  std::size_t chosen_ = 0;
};

/// The name of a record: the first word of its header.
std::string_view name_in_header(std::string_view header);

/// Calls a function that reads the file; its errors about the job get the place of the setting that chose the record.
template <class Read>
auto at_record(const Settings& settings, const char* kind, const Read& read) {
  try {
    return read();
  } catch (const JobError& error) {
    fail_setting(settings, settings.has("record") ? "record" : kind, error.what());
  }
}

/// The setting `range` in a record of so many letters; all of it if it is not given. @throws JobError
struct LetterRange {
  std::int64_t begin, end;
};
LetterRange letter_range(const Settings& settings, const std::string& record, std::int64_t letters);

/// The bases of the opposite strand, last one first. @throws JobError at `reverse_complement` for a letter that has
/// no complement
void reverse_complement(const Settings& settings, std::span<std::byte> letters);

/// The input that letters are, turned round if the job says so.
/// @param letters of the range @param place gives the place of a letter of the record, from 0, for errors
std::shared_ptr<Source> record_source(const Settings& settings, std::vector<std::byte> letters, LetterRange range,
                                      const std::string& record, const std::filesystem::path& file,
                                      std::function<std::string(std::int64_t)> place);

}  // namespace terrace::io
