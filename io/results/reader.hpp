// Descriptions that a result file holds of itself.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/box.hpp"

namespace terrace::io {

/// Text attributes at the root of an HDF5 file; nullopt in place of those that it has not, and of all if it is no
/// HDF5 file. The library reads the file in a child (call_in_child).
/// @throws IoError if the file cannot be read, or begins as an HDF5 file and is damaged or cut short; DiskError
std::vector<std::optional<std::string>> root_texts(const std::filesystem::path& file,
                                                   const std::vector<std::string>& names);
std::optional<std::string> root_text(const std::filesystem::path& file, const std::string& name);

/// Summary of a dataset, as its user sees it.
struct DatasetSummary {
  std::string path;  // "/align/table"
  std::string type;  // "i32", "f64", "text", or "other"
  Extents shape;     // rank 0: one value
  std::string long_name, units;
  bool only_dimension = false;  // stands for a dimension's length and holds no values
  bool coordinate = false;      // holds the places, or names, along a dimension
};

/// Reads small parts of an HDF5 file. A damaged file may make the library spin or crash: to read files from other
/// sources, first do so in a child (try_in_child).
class ResultReader {
 public:
  /// @throws IoError if the file is no HDF5 file or cannot be opened
  explicit ResultReader(const std::filesystem::path& file);
  ~ResultReader();
  ResultReader(const ResultReader&) = delete;
  ResultReader& operator=(const ResultReader&) = delete;

  /// All datasets, in the order of their names. @throws IoError
  std::vector<DatasetSummary> datasets() const;
  bool has(const std::string& dataset) const;
  /// The names of a dataset's dimensions; empty if one of them has none. @throws IoError
  std::vector<std::string> dimensions(const std::string& dataset) const;
  /// A dataset's values, row-major, as text: numbers in the fewest digits that give them back. @throws IoError
  std::vector<std::string> texts(const std::string& dataset) const;
  /// The values of a dataset of numbers. @throws IoError, also if they are no numbers
  std::vector<double> numbers(const std::string& dataset) const;
  /// An attribute of the root as text; several values are joined by ", ". nullopt if absent.
  std::optional<std::string> attribute(const std::string& name) const;
  /// An attribute of a group or dataset in the same form. @throws IoError if there is no such object
  std::optional<std::string> attribute(const std::string& object, const std::string& name) const;
  /// Reads every attribute of every object, to find out whether the library survives them. @throws IoError
  void read_all_attributes() const;

 private:
  struct File;

  DatasetSummary summary_of(const std::string& path) const;
  std::string where(const std::string& dataset) const { return path_ + ", dataset " + dataset; }

  std::string path_;
  std::unique_ptr<File> file_;
};

}  // namespace terrace::io
