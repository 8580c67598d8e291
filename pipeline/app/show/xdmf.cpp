#include "pipeline/app/show/xdmf.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <vector>

#include "io/results/reader.hpp"
#include "pipeline/app/markup.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr int most_rank = 3;

/// Extents from `first` on, as XDMF writes them.
std::string dimensions(const Extents& shape, int first) {
  std::string text;
  for (int axis = first; axis < shape.rank(); ++axis) text += (text.empty() ? "" : " ") + std::to_string(shape[axis]);
  return text;
}

std::string repeated(const std::string& word, int times) {
  std::string text = word;
  for (int i = 1; i < times; ++i) text += " " + word;
  return text;
}

/// A dataset as a grid or a series of grids.
class GridWriter {
 public:
  GridWriter(const std::string& file, const io::DatasetSummary& dataset, ElementType type,
             std::vector<std::string> times)
      : source_(escape_markup(file + ":" + dataset.path)),
        name_(escape_markup(dataset.path.substr(dataset.path.rfind('/') + 1))),
        title_(escape_markup(dataset.path.substr(1))),
        shape_(dataset.shape),
        type_(type),
        times_(std::move(times)) {}

  void write(std::ostream& out) const {
    if (times_.empty()) {
      write_grid(out, "  ", title_, "", whole());
      return;
    }
    out << fmt::format("  <Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", title_);
    for (std::size_t i = 0; i < times_.size(); ++i) {
      write_grid(out, "    ", title_, fmt::format("<Time Value=\"{}\"/>", times_[i]), at_time(i));
    }
    out << "  </Grid>\n";
  }

 private:
  int first() const { return times_.empty() ? 0 : 1; }
  int rank() const { return shape_.rank() - first(); }

  std::string number_type() const {
    const bool is_signed = dispatch(type_, [](auto value) { return std::is_signed_v<decltype(value)>; });
    const std::size_t bytes = size_of(type_);
    const char* kind = is_floating(type_) ? "Float"
                       : bytes == 1       ? (is_signed ? "Char" : "UChar")
                       : is_signed        ? "Int"
                                          : "UInt";
    return fmt::format("NumberType=\"{}\" Precision=\"{}\"", kind, bytes);
  }

  std::string whole() const {
    return fmt::format("<DataItem Dimensions=\"{}\" {} Format=\"HDF\">{}</DataItem>", dimensions(shape_, 0),
                       number_type(), source_);
  }

  /// Element `index` of the first dimension: begin, stride and count of each dimension, then the dataset.
  std::string at_time(std::size_t index) const {
    return fmt::format(
        "<DataItem ItemType=\"HyperSlab\" Dimensions=\"{}\"><DataItem Dimensions=\"3 {}\" Format=\"XML\">"
        "{} {} {} 1 {}</DataItem>{}</DataItem>",
        dimensions(shape_, 1), shape_.rank(), index, repeated("0", rank()), repeated("1", shape_.rank()),
        dimensions(shape_, 1), whole());
  }

  void write_grid(std::ostream& out, const std::string& indent, const std::string& title, const std::string& time,
                  const std::string& values) const {
    const bool cube = rank() == 3;
    out << indent << fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">{}\n", title, time);
    out << indent
        << fmt::format("  <Topology TopologyType=\"{}CoRectMesh\" Dimensions=\"{}\"/>\n", cube ? "3D" : "2D",
                       dimensions(shape_, first()));
    out << indent << fmt::format("  <Geometry GeometryType=\"{}\">", cube ? "ORIGIN_DXDYDZ" : "ORIGIN_DXDY");
    for (const char* number : {"0", "1"}) {
      out << fmt::format("<DataItem Dimensions=\"{}\" Format=\"XML\">{}</DataItem>", rank(),
                         repeated(number, rank()));
    }
    out << "</Geometry>\n";
    out << indent
        << fmt::format("  <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">{}</Attribute>\n", name_,
                       values);
    out << indent << "</Grid>\n";
  }

  std::string source_, name_, title_;
  Extents shape_;
  ElementType type_;
  std::vector<std::string> times_;  // empty: the dataset is one grid
};

/// The times of a dataset of snapshots: the group's `time` if it is as long as the first dimension.
std::vector<std::string> times_of(const io::ResultReader& reader, const io::DatasetSummary& dataset) {
  const std::string time = dataset.path.substr(0, dataset.path.rfind('/') + 1) + "time";
  const std::string name = dataset.path.substr(dataset.path.rfind('/') + 1);
  if (!name.ends_with("snapshots") || !reader.has(time)) return {};
  std::vector<std::string> times = reader.texts(time);
  if (static_cast<std::int64_t>(times.size()) != dataset.shape[0]) return {};
  return times;
}

}  // namespace

std::string xdmf_of(const std::filesystem::path& file, const std::string& stage) {
  const io::ResultReader reader(file);
  std::ostringstream grids;
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    const std::string group = dataset.path.substr(1, dataset.path.find('/', 1) - 1);
    const auto type = element_type_from(dataset.type);
    const bool is_own = group == "job" || group == "profile" || group == "checksums";
    if (is_own || dataset.only_dimension || !type || (!stage.empty() && group != stage)) continue;
    const int rank = dataset.shape.rank();
    if (rank < 2 || Box::whole(dataset.shape).empty()) continue;
    std::vector<std::string> times = times_of(reader, dataset);
    const int of_grid = rank - (times.empty() ? 0 : 1);
    if (of_grid < 2 || of_grid > most_rank) continue;
    GridWriter(file.filename().string(), dataset, *type, std::move(times)).write(grids);
  }
  if (grids.str().empty()) {
    throw JobError(file.string() + (stage.empty() ? "" : ", /" + stage) +
                   ": has no grid of two or three dimensions (terrace show lists its datasets)");
  }
  return "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n" + grids.str() + "</Domain>\n</Xdmf>\n";
}

}  // namespace terrace::app
