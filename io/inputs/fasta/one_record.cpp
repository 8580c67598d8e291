#include "io/inputs/fasta/one_record.hpp"

#include <cstdint>
#include <utility>

#include "io/memory_source.hpp"
#include "io/record_name.hpp"

namespace terrace::io {
namespace {

std::string name_of(const Settings& settings, std::string name, LetterRange range) {
  if (name.empty()) return name;
  if (settings.has("range")) name += ":" + std::to_string(range.begin + 1) + "-" + std::to_string(range.end);
  return wants_opposite(settings) ? name + "/rc" : name;
}

/// Letters of a record that has a name.
class Record : public MemorySource {
 public:
  /// @param first the letter of the record that is the source's first @param step to the next, -1 of an opposite
  /// strand
  Record(const Extents& shape, std::vector<std::byte> letters, std::string name, std::int64_t first,
         std::int64_t step, std::size_t record, RecordPlaces places)
      : MemorySource(ElementType::u8, shape, std::move(letters), {places.path()}),
        name_(std::move(name)),
        first_(first),
        step_(step),
        record_(record),
        places_(std::move(places)) {}

  std::string place_of(const Extents& index) const override {
    return places_.letter(record_, first_ + step_ * index[0]);
  }
  bool letters() const override { return true; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::int64_t first_, step_;
  std::size_t record_;
  RecordPlaces places_;
};

/// Calls a function that reads the file; its RecordErrors get the place of the setting that chose the record.
template <class Read>
auto at_record(const Settings& settings, const char* kind, const Read& read) {
  try {
    return read();
  } catch (const RecordError& error) {
    fail_setting(settings, settings.has("record") ? "record" : kind, error.what());
  }
}

}  // namespace

std::shared_ptr<Source> record_source(const Settings& settings, std::vector<std::byte> letters, LetterRange range,
                                      const std::string& name, std::size_t record, const RecordPlaces& places) {
  const bool opposite = wants_opposite(settings);
  if (opposite) {
    reverse_complement(settings, letters,
                       [&](std::int64_t letter) { return places.letter(record, range.begin + letter); });
  }
  const Extents shape{static_cast<std::int64_t>(letters.size())};
  return std::make_shared<Record>(shape, std::move(letters), name_of(settings, name, range),
                                  opposite ? range.end - 1 : range.begin, opposite ? -1 : 1, record, places);
}

std::shared_ptr<Source> chosen_record(const Settings& settings, const char* kind, const InputFile& file,
                                      ReadRecords read, const CheckKept& check_kept) {
  RecordChoice choice(file.path().string(), settings.find<std::string>("record"));
  at_record(settings, kind, [&] { read(file, choice, check_kept); });
  std::vector<std::byte> letters = at_record(settings, kind, [&] { return choice.finish(); });
  const LetterRange range = letter_range(settings, choice.name(), static_cast<std::int64_t>(letters.size()));
  letters.erase(letters.begin() + range.end, letters.end());
  letters.erase(letters.begin(), letters.begin() + range.begin);
  letters.shrink_to_fit();
  return record_source(settings, std::move(letters), range, choice.name(), choice.chosen(),
                       RecordPlaces(file.path(), read));
}

std::string record_name(const Source& source) {
  const auto* record = dynamic_cast<const Record*>(&source);
  return record == nullptr ? std::string() : record->name();
}

}  // namespace terrace::io
