// All records of a file of sequences as a set: read in parts where the file is plain, else kept in memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/inputs/fasta/place.hpp"
#include "io/inputs/fasta/record.hpp"
#include "io/item_set.hpp"

namespace terrace::io {

/// Parameters of a kind that reads records: `records`, `record`, `range`. @throws JobError if `records: all` stands
/// beside keys of a single record
bool wants_all_records(const Settings& settings);

/// The set of all records of a file, each turned round if the job says so.
/// @param kind the setting that names the file
std::shared_ptr<Source> record_set_source(const Settings& settings, const char* kind, InputFile file,
                                          ReadRecords read, const OpenContext& context);

/// Begins, ends and names of records.
class RecordList {
 public:
  void begin(std::string_view header);
  void add(std::size_t letters) { letters_ += static_cast<std::int64_t>(letters); }
  std::size_t count() const { return names_.size(); }
  std::int64_t letters() const { return letters_; }
  /// Bytes of memory, about.
  std::size_t memory() const { return bytes_; }
  /// The set; the list is then empty. @param warn is told of names that had to be changed; null: nobody is
  std::shared_ptr<const ItemSet> finish(bool opposite, const RecordPlaces& places,
                                        const std::function<void(const std::string&)>& warn);

 private:
  std::vector<std::int64_t> begin_;
  std::vector<std::string> names_;
  std::int64_t letters_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace terrace::io
