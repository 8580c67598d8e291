// All records of a file of sequences as a set, in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/inputs/fasta/record.hpp"
#include "io/item_set.hpp"

namespace terrace::io {

/// Keeps all records of a file.
class RecordCollector : public RecordTaker {
 public:
  std::vector<std::byte>* begin(std::string_view header) override;
  void reserve(std::size_t letters) override { letters_.reserve(letters); }
  bool any() const override { return !names_.empty(); }
  std::size_t kept() const override { return letters_.size() + name_bytes_; }

  /// Letters before the last record.
  std::int64_t before_last() const { return begin_.back(); }
  /// Takes the kept records; it is then empty.
  struct Records {
    std::vector<std::byte> letters;   // of all records, one after another
    std::vector<std::int64_t> begin;  // as ItemSet takes it
    std::vector<std::string> names;
  };
  Records finish();

 private:
  std::vector<std::byte> letters_;
  std::vector<std::int64_t> begin_;
  std::vector<std::string> names_;
  std::size_t name_bytes_ = 0;
};

/// The place of a letter of a record in its file, for errors; both from 0.
using RecordPlace = std::function<std::string(std::size_t record, std::int64_t letter)>;

/// Parameters of a kind that reads records: `records`, `record`, `range`. @throws JobError if `records: all` stands
/// beside keys of a single record
bool wants_all_records(const Settings& settings);

/// The set that records are, each turned round if the job says so.
/// @param warn is told of names that are not unique; null: nobody is
std::shared_ptr<Source> record_set_source(const Settings& settings, RecordCollector::Records records,
                                          const std::filesystem::path& file, RecordPlace place,
                                          const std::function<void(const std::string&)>& warn);

/// The names of the items of such a set. @param names of the records as they stand in the file
NodeNames names_of_records(const Settings& settings, std::vector<std::string> names,
                           const std::filesystem::path& file, const std::function<void(const std::string&)>& warn);

}  // namespace terrace::io
