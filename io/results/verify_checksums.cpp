#include "io/results/verify_checksums.hpp"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"
#include "io/files/tile_checksums.hpp"
#include "io/results/contents.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_findings = 1000;
constexpr auto progress_interval = std::chrono::milliseconds(100);
constexpr std::int64_t piece = std::int64_t{4} << 20;  // bytes read at a time

/// `stop` was set.
struct StopRequest {};

std::string describe(const StoredAs& stored) {
  return stored.type + (stored.shape.rank() == 0 ? ", one value" : " of " + to_string(stored.shape));
}

class Verification {
 public:
  Verification(const std::filesystem::path& path, const ChecksumProgress& progress, const std::atomic<int>* stop)
      : path_(path), file_(open_file(path, O_RDONLY)), progress_(progress), stop_(stop) {
    size_ = static_cast<std::int64_t>(std::filesystem::file_size(path));
  }

  ChecksumReport run() {
    try {
      contents_ = read_contents(path_);
    } catch (const IoError& error) {
      find("/", {}, error.what());
      return std::move(report_);
    }
    report_.recorded = contents_.record.has_value();
    if (!report_.recorded) return std::move(report_);
    try {
      record_ = record_from(*contents_.record);
    } catch (const Error& error) {
      find(attribute_name("/", checksums_attribute), {}, std::string("is damaged: ") + error.what());
      return std::move(report_);
    }
    try {
      compare_all();
    } catch (const StopRequest&) {
      report_.stopped = true;
    }
    return std::move(report_);
  }

 private:
  void find(const std::string& name, const Box& box, const std::string& what) {
    if (report_.findings.size() < most_findings) report_.findings.push_back({name, box, what});
    else ++report_.more;
  }

  void compare_all() {
    std::set<std::string> known;
    for (const RecordedChecksum& entry : record_) {
      known.insert(entry.name);
      if (entry.stored.tile) known.insert(checksum_table_of(entry.name));
      if (!is_attribute(entry.name)) all_ += bytes_of_numbers(entry.stored);
    }
    for (const RecordedChecksum& entry : record_) {
      if (!is_attribute(entry.name)) compare_dataset(entry);
      else if (!unread_.contains(entry.name.substr(0, entry.name.rfind('@')))) compare_attribute(entry);
    }
    constexpr const char* added = "was added: the record of checksums does not name it";
    for (const auto& [name, dataset] : contents_.datasets) {
      if (!known.contains(name)) find(name, {}, dataset.trouble.empty() ? added : dataset.trouble);
    }
    for (const auto& [name, attribute] : contents_.attributes) {
      if (!known.contains(name)) find(name, {}, attribute.trouble.empty() ? added : attribute.trouble);
    }
    if (progress_) progress_(all_, all_);
  }

  /// True if `found` is stored as it was written; else adds a finding. @param found null: it is missing
  template <class Found>
  bool is_as_written(const RecordedChecksum& entry, const Found* found) {
    if (found == nullptr) {
      find(entry.name, {}, "is missing");
      unread_.insert(entry.name);
      return false;
    }
    if (!found->trouble.empty()) {
      find(entry.name, {}, found->trouble);
      unread_.insert(entry.name);
      return false;
    }
    StoredAs written = entry.stored;
    written.tile.reset();
    if (found->stored == written) return true;
    find(entry.name, {}, "is " + describe(found->stored) + " and was written as " + describe(written));
    return false;
  }

  void compare_attribute(const RecordedChecksum& entry) {
    const auto at = contents_.attributes.find(entry.name);
    const FoundAttribute* found = at == contents_.attributes.end() ? nullptr : &at->second;
    if (!is_as_written(entry, found)) return;
    if (recorded_checksum(entry.stored, found->content) != entry.checksum) find(entry.name, {}, differs_from_written);
  }

  void compare_dataset(const RecordedChecksum& entry) {
    const FoundDataset* found = find_dataset(entry.name);
    if (!is_as_written(entry, found)) return;
    ++report_.datasets;
    if (entry.stored.type == text_type) {
      if (recorded_checksum(entry.stored, content_of(found->texts)) != entry.checksum)
        find(entry.name, {}, differs_from_written);
      return;
    }
    if (!lies_in_file(entry.name, *found)) return;
    if (entry.stored.tile) compare_tiles(entry, *found);
    else compare_whole(entry, *found);
  }

  const FoundDataset* find_dataset(const std::string& name) const {
    const auto at = contents_.datasets.find(name);
    return at == contents_.datasets.end() ? nullptr : &at->second;
  }

  /// True if a dataset's numbers, if any, have a place within the file; else adds a finding.
  bool lies_in_file(const std::string& name, const FoundDataset& found) {
    const std::int64_t bytes = bytes_of_numbers(found.stored);
    if (bytes == 0 && volume(found.stored.shape) == 0) return true;
    if (!found.offset || bytes == 0) {
      find(name, {}, "has no place of its own in the file");
      return false;
    }
    if (bytes <= size_ - *found.offset) return true;
    find(name, {}, "goes beyond the end of the file, at byte " + std::to_string(size_));
    return false;
  }

  /// @throws IoError, StopRequest
  void read(std::int64_t offset, std::span<std::byte> buffer) {
    if (stop_ != nullptr && stop_->load() != 0) throw StopRequest{};
    read_fully(file_.get(), buffer, offset, path_);
    report_.bytes += static_cast<std::int64_t>(buffer.size());
    const auto now = Clock::now();
    if (!progress_ || now < next_progress_) return;
    next_progress_ = now + progress_interval;
    progress_(std::min(report_.bytes, all_), all_);
  }

  void compare_whole(const RecordedChecksum& entry, const FoundDataset& found) {
    RunningChecksum sum = begin_recorded(entry.stored);
    const std::int64_t bytes = bytes_of_numbers(entry.stored);
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(bytes, piece)));
    try {
      for (std::int64_t at = 0; at < bytes; at += piece) {
        const auto part = std::span(buffer).first(static_cast<std::size_t>(std::min(piece, bytes - at)));
        read(*found.offset + at, part);
        sum.add(part);
      }
    } catch (const IoError& error) {
      find(entry.name, {}, error.what());
      return;
    }
    if (sum.value() != entry.checksum) find(entry.name, {}, differs_from_written);
  }

  /// The recorded checksums of tiles [first, last). @throws IoError
  std::vector<std::uint64_t> table_part(const FoundDataset& table, std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> part(static_cast<std::size_t>(last - first));
    constexpr auto word = static_cast<std::int64_t>(sizeof(std::uint64_t));
    read_fully(file_.get(), std::as_writable_bytes(std::span(part)), *table.offset + first * word, path_);
    return part;
  }

  /// The dataset's table; else null, and a finding, if it is not as it was made.
  const FoundDataset* find_table(const std::string& name, std::int64_t tiles) {
    const FoundDataset* table = find_dataset(name);
    const RecordedChecksum expected{name, {"u64", {tiles}, {}}};
    if (!is_as_written(expected, table) || !lies_in_file(name, *table)) return nullptr;
    return table;
  }

  /// Compares each tile with the table, and all tiles and the table with the record, so that damage is found to the
  /// tile.
  void compare_tiles(const RecordedChecksum& entry, const FoundDataset& found) {
    const TileGrid grid(entry.stored.shape, *entry.stored.tile);
    const std::string table_name = checksum_table_of(entry.name);
    const FoundDataset* table = find_table(table_name, grid.count());
    const auto element = static_cast<std::int64_t>(size_of(*element_type_from(entry.stored.type)));
    RunningChecksum of_tiles = begin_recorded(entry.stored), of_table = begin_recorded(entry.stored);
    std::vector<Box> different;
    std::int64_t more_different = 0;
    bool all_read = true;
    for (std::int64_t first = 0, last = 0; first < grid.count(); first = last) {
      last = end_of_tile_group(grid, first);
      try {
        const auto sums = checksums_of_tiles(
            grid, element, first, last,
            [&](std::int64_t offset, std::span<std::byte> buffer) { read(*found.offset + offset, buffer); });
        of_tiles.add(content_of(sums));
        if (table == nullptr) continue;
        const auto recorded = table_part(*table, first, last);
        of_table.add(content_of(recorded));
        for (std::size_t i = 0; i < sums.size(); ++i) {
          if (sums[i] == recorded[i]) continue;
          if (different.size() < most_findings) different.push_back(grid.box(first + static_cast<std::int64_t>(i)));
          else ++more_different;
        }
      } catch (const IoError& error) {
        all_read = false;
        find(entry.name, {grid.box(first).begin, grid.box(last - 1).end}, error.what());
      }
    }
    const bool tiles_fit = all_read && of_tiles.value() == entry.checksum;
    const bool table_fits = all_read && of_table.value() == entry.checksum;
    if (tiles_fit && !different.empty())
      find(table_name, {}, std::string(differs_from_written) + "; its dataset does not");
    if (tiles_fit) return;
    for (const Box& box : different) find(entry.name, box, differs_from_written);
    report_.more += more_different;
    if (!all_read || table_fits) return;
    if (table == nullptr) find(entry.name, {}, differs_from_written);
    else find(table_name, {}, "differs from the record of checksums");
  }

  std::filesystem::path path_;
  Descriptor file_;
  const ChecksumProgress& progress_;
  const std::atomic<int>* stop_;
  std::int64_t size_ = 0, all_ = 0;
  Clock::time_point next_progress_ = Clock::now() + progress_interval;
  ResultContents contents_;
  std::vector<RecordedChecksum> record_;
  std::set<std::string> unread_;  // datasets whose attributes are not known
  ChecksumReport report_;
};

}  // namespace

ChecksumReport verify_checksums(const std::filesystem::path& result, const ChecksumProgress& progress,
                                const std::atomic<int>* stop) {
  std::error_code error;
  const auto status = std::filesystem::status(result, error);
  if (!std::filesystem::exists(status)) throw IoError(result.string(), "is not there");
  if (!std::filesystem::is_regular_file(status)) throw IoError(result.string(), "is no file");
  return Verification(result, progress, stop).run();
}

}  // namespace terrace::io
