// The input kind `external`: a row-major array of known type and shape in a file without a header, larger than
// memory; read by boxes, past the page cache if the file system allows it.
#include "io/input_file.hpp"
#include "io/inputs/direct_reader.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/kinds.hpp"

namespace terrace::io {
namespace {

constexpr Parameter external_parameters[] = {
    {"external", ParameterKind::file, "a file that holds a row-major array"},
    {"type", ParameterKind::type, "element type"},
    {"shape", ParameterKind::integers, "extents, slowest first", nullptr, nullptr, 0},
    {"offset", ParameterKind::size, "byte of the first element", "0", nullptr, 0, 9.2e18, "bytes"},
    {"endian", ParameterKind::choice, "order of an element's bytes; little: that of PCs, big: the other one",
     "little", "little, big"},
};

class ExternalSource : public Source {
 public:
  ExternalSource(RawArray array, std::int64_t offset, bool big_endian)
      : array_(std::move(array)), offset_(offset), big_endian_(big_endian) {
    if (StxxlLanes::supported(array_.file().path())) direct_ = std::make_unique<DirectReader>(array_.file());
  }

  ElementType type() const override { return array_.type(); }
  const Extents& shape() const override { return array_.shape(); }
  void read(const Box& box, void* buffer) override {
    if (!direct_) return array_.read(box, buffer);
    direct_->read(shape(), offset_, box, static_cast<std::int64_t>(size_of(type())), buffer);
    if (big_endian_) swap_bytes(buffer, box.volume(), size_of(type()));
  }
  std::vector<std::filesystem::path> files() const override { return {array_.file().path()}; }

 private:
  RawArray array_;
  std::int64_t offset_;
  bool big_endian_;
  std::unique_ptr<DirectReader> direct_;
};

std::shared_ptr<Source> open_external(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "external", context));
  const auto type = type_setting(settings, "type");
  if (!type) fail_setting(settings, "external", std::string("type: is missing; there are ") + element_types);
  if (!settings.has("shape"))
    fail_setting(settings, "external", "shape: is missing; give the extents, as [1000, 20]");
  const Extents shape = shape_setting(settings, "shape");
  const std::int64_t offset = settings.find<std::int64_t>("offset").value_or(0);
  if (offset < 0) fail_setting(settings, "offset", "offset: is negative");
  const bool big = settings.find<std::string>("endian").value_or("little") == "big";
  return std::make_shared<ExternalSource>(RawArray(std::move(file), offset, *type, shape, big), offset, big);
}

}  // namespace

InputKind external_kind() {
  return {"external", "an external-memory array: a raw row-major file, read through STXXL", external_parameters,
          open_external, "{external: field.raw, type: f32, shape: [64, 64], endian: big}"};
}

}  // namespace terrace::io
