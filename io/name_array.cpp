#include "io/name_array.hpp"

#include <utility>

#include "io/memory_source.hpp"

namespace terrace::io {
namespace {

/// Numbers of names.
class NameSource : public MemorySource {
 public:
  NameSource(const Extents& shape, std::vector<std::byte> numbers, std::vector<std::filesystem::path> files,
             NodeNames::Texts names, std::string where)
      : MemorySource(ElementType::i64, shape, std::move(numbers), std::move(files)),
        names_(std::make_shared<NodeNames>(std::move(names))),
        where_(std::move(where)) {}

  std::shared_ptr<const NodeNames> element_names() const override { return names_; }
  std::size_t memory() const override { return MemorySource::memory() + names_->memory(); }
  std::string place_of(const Extents&) const override { return where_; }

 private:
  std::shared_ptr<const NodeNames> names_;
  std::string where_;
};

}  // namespace

void NameArray::add(std::string_view text) {
  const std::int64_t number = names_.number_of(text);
  const auto* bytes = reinterpret_cast<const std::byte*>(&number);
  elements_.insert(elements_.end(), bytes, bytes + sizeof number);
  check_kept_(static_cast<std::int64_t>(elements_.capacity()) + names_.memory());
}

std::shared_ptr<Source> NameArray::finish(const Extents& shape, std::vector<std::filesystem::path> files,
                                          std::string where) {
  elements_.shrink_to_fit();
  return std::make_shared<NameSource>(shape, std::move(elements_), std::move(files), names_.take(), std::move(where));
}

}  // namespace terrace::io
