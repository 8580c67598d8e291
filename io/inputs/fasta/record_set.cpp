#include "io/inputs/fasta/record_set.hpp"

#include <span>

#include "io/memory_source.hpp"

namespace terrace::io {
namespace {

/// The letters of all records, in memory.
class RecordSet : public MemorySource {
 public:
  /// @param opposite true if each item is the opposite strand of its record
  RecordSet(std::vector<std::byte> letters, std::shared_ptr<const ItemSet> items, const std::filesystem::path& file,
            bool opposite, RecordPlace place)
      : MemorySource(ElementType::u8, {items->begin(items->count())}, std::move(letters), {file}),
        items_(std::move(items)),
        opposite_(opposite),
        place_(std::move(place)) {}

  bool letters() const override { return true; }
  std::shared_ptr<const ItemSet> items() const override { return items_; }
  std::size_t memory() const override { return MemorySource::memory() + items_->memory(); }
  std::string place_of(const Extents& index) const override {
    const std::int64_t item = items_->item_of(index[0]);
    const std::int64_t at = opposite_ ? items_->begin(item + 1) - 1 - index[0] : index[0] - items_->begin(item);
    return place_(static_cast<std::size_t>(item), at);
  }

 private:
  std::shared_ptr<const ItemSet> items_;
  bool opposite_;
  RecordPlace place_;
};

}  // namespace

std::vector<std::byte>* RecordCollector::begin(std::string_view header) {
  begin_.push_back(static_cast<std::int64_t>(letters_.size()));
  names_.emplace_back(name_in_header(header));
  name_bytes_ += sizeof(std::string) + names_.back().size() + 2 * sizeof(std::int64_t);
  return &letters_;
}

RecordCollector::Records RecordCollector::finish() {
  begin_.push_back(static_cast<std::int64_t>(letters_.size()));
  letters_.shrink_to_fit();
  name_bytes_ = 0;
  return {std::move(letters_), std::move(begin_), std::move(names_)};
}

bool wants_all_records(const Settings& settings) {
  if (!settings.has("records")) return false;
  for (const char* key : {"record", "range"}) {
    if (!settings.has(key)) continue;
    fail_setting(settings, key,
                 std::string(key) +
                     ": is of one record, and `records: all` makes a set of all: leave one of the two "
                     "out");
  }
  return true;
}

NodeNames names_of_records(const Settings& settings, std::vector<std::string> names,
                           const std::filesystem::path& file, const std::function<void(const std::string&)>& warn) {
  make_unique(names, warn, file.string());
  if (settings.find<bool>("reverse_complement").value_or(false)) {
    for (std::string& name : names) name += name.empty() ? "" : "/rc";
  }
  return NodeNames(std::move(names));
}

std::shared_ptr<Source> record_set_source(const Settings& settings, RecordCollector::Records records,
                                          const std::filesystem::path& file, RecordPlace place,
                                          const std::function<void(const std::string&)>& warn) {
  const bool opposite = settings.find<bool>("reverse_complement").value_or(false);
  auto items = std::make_shared<ItemSet>(std::move(records.begin),
                                         names_of_records(settings, std::move(records.names), file, warn));
  for (std::int64_t item = 0; opposite && item < items->count(); ++item) {
    reverse_complement(settings, std::span(records.letters)
                                     .subspan(static_cast<std::size_t>(items->begin(item)),
                                              static_cast<std::size_t>(items->length(item))));
  }
  return std::make_shared<RecordSet>(std::move(records.letters), std::move(items), file, opposite, std::move(place));
}

}  // namespace terrace::io
