#include "io/inputs/fasta/record_set.hpp"

#include <span>
#include <utility>

#include "io/inputs/fasta/file_set.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "io/kept_memory.hpp"
#include "io/memory_source.hpp"

namespace terrace::io {
namespace {

/// Keeps the letters of all records.
class RecordCollector : public RecordTaker {
 public:
  void begin(std::string_view header, std::int64_t) override { list.begin(header); }
  void add(std::string_view more, const TextPlace&) override {
    append(letters, more);
    list.add(more.size());
  }
  bool any() const override { return list.count() > 0; }
  std::size_t kept() const override { return letters.size() + list.memory(); }

  RecordList list;
  std::vector<std::byte> letters;  // of all records, one after another
};

/// The letters of all records, in memory.
class HeldRecords : public MemorySource {
 public:
  /// @param opposite true if each item is the opposite strand of its record
  HeldRecords(std::vector<std::byte> letters, std::shared_ptr<const ItemSet> items, bool opposite,
              RecordPlaces places)
      : MemorySource(ElementType::u8, {items->begin(items->count())}, std::move(letters), {places.path()}),
        items_(std::move(items)),
        opposite_(opposite),
        places_(std::move(places)) {}

  bool letters() const override { return true; }
  std::shared_ptr<const ItemSet> items() const override { return items_; }
  std::size_t memory() const override { return MemorySource::memory() + items_->memory(); }
  std::string place_of(const Extents& index) const override {
    const std::int64_t item = items_->item_of(index[0]);
    const std::int64_t at = opposite_ ? items_->begin(item + 1) - 1 - index[0] : index[0] - items_->begin(item);
    return places_.letter(static_cast<std::size_t>(item), at);
  }

 private:
  std::shared_ptr<const ItemSet> items_;
  bool opposite_;
  RecordPlaces places_;
};

void turn(const Settings& settings, std::vector<std::byte>& letters, const ItemSet& items,
          const RecordPlaces& places) {
  for (std::int64_t item = 0; item < items.count(); ++item) {
    const auto place = [&](std::int64_t letter) { return places.letter(static_cast<std::size_t>(item), letter); };
    const auto begin = static_cast<std::size_t>(items.begin(item)),
               length = static_cast<std::size_t>(items.length(item));
    reverse_complement(settings, std::span(letters).subspan(begin, length), place);
  }
}

}  // namespace

void RecordList::begin(std::string_view header) {
  begin_.push_back(letters_);
  names_.emplace_back(name_in_header(header));
  bytes_ += sizeof(std::string) + names_.back().size() + 2 * sizeof(std::int64_t);
}

std::shared_ptr<const ItemSet> RecordList::finish(bool opposite, const RecordPlaces& places,
                                                  const std::function<void(const std::string&)>& warn) {
  begin_.push_back(letters_);
  begin_.shrink_to_fit();
  const auto place = [&](std::size_t record) { return places.record(record); };
  std::vector<std::string> repeated = make_unique(names_, warn, places.path().string(), place);
  for (std::vector<std::string>* names : {&names_, &repeated}) {
    for (std::string& name : *names) name += opposite ? "/rc" : "";
  }
  return std::make_shared<ItemSet>(std::move(begin_), NodeNames(std::move(names_)), std::move(repeated));
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

std::shared_ptr<Source> record_set_source(const Settings& settings, const char* kind, InputFile file,
                                          ReadRecords read, const OpenContext& context) {
  if (GzipReader(file).plain()) return file_set_source(settings, kind, std::move(file), read, context);
  const CheckKept check_kept =
      kept_check(settings, kind, context, "; or unpack the file, which is then read in parts (gunzip -k)");
  const RecordPlaces places(file.path(), read);
  const bool opposite = wants_opposite(settings);
  RecordCollector records;
  read(file, records, check_kept);
  records.letters.shrink_to_fit();
  auto items = records.list.finish(opposite, places, context.warn);
  if (opposite) turn(settings, records.letters, *items, places);
  return std::make_shared<HeldRecords>(std::move(records.letters), std::move(items), opposite, places);
}

}  // namespace terrace::io
