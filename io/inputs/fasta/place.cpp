#include "io/inputs/fasta/place.hpp"

#include <optional>
#include <string_view>

#include "io/input_file.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// The place is found: nothing more is read.
struct Found {};

/// Waits for a record, or for a letter of it.
class PlaceFinder : public RecordTaker {
 public:
  PlaceFinder(std::size_t record, std::optional<std::int64_t> letter) : record_(record), letter_(letter) {}

  void begin(std::string_view, std::int64_t line) override {
    if (records_++ != record_ || letter_) return;
    place_ = ":" + std::to_string(line);
    throw Found();
  }
  void add(std::string_view letters, const TextPlace& at) override {
    const auto count = static_cast<std::int64_t>(letters.size());
    if (records_ != record_ + 1) return;
    if (*letter_ < seen_ + count) {
      place_ = ":" + std::to_string(at.line) + ":" + std::to_string(at.column + *letter_ - seen_);
      throw Found();
    }
    seen_ += count;
  }
  bool any() const override { return records_ > 0; }
  std::size_t kept() const override { return 0; }

  const std::string& place() const { return place_; }

 private:
  std::size_t record_, records_ = 0;
  std::optional<std::int64_t> letter_;
  std::int64_t seen_ = 0;  // letters of the record
  std::string place_;
};

std::string find(const std::filesystem::path& path, ReadRecords read, PlaceFinder finder) {
  try {
    read(InputFile(path), finder, [](std::int64_t) {});
  } catch (const Found&) {
  } catch (const IoError&) {
    // The place is a part of a message that is given anyway.
  }
  return path.string() + finder.place();
}

}  // namespace

std::string RecordPlaces::letter(std::size_t record, std::int64_t letter) const {
  return find(path_, read_, {record, letter});
}

std::string RecordPlaces::record(std::size_t record) const { return find(path_, read_, {record, std::nullopt}); }

}  // namespace terrace::io
