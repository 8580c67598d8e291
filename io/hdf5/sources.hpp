// The files of virtual datasets and of external storage.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace terrace::io {

/// Collects the files of a dataset and of all its sources.
class StorageWalk {
 public:
  /// @throws IoError naming a file that is missing or too short
  void visit(hid_t dataset, const std::string& where);
  /// The files in the order in which they were found, each once.
  std::vector<std::filesystem::path> take() { return std::move(files_); }

 private:
  struct Mapping {
    std::string file, dataset;  // as the virtual dataset names them
    Hdf5Handle selection;       // of the source
    hssize_t points;            // that it fills of the virtual dataset
  };

  void add(const std::filesystem::path& file);
  void visit_external(hid_t creation, const std::string& where);
  void visit_virtual(hid_t creation, const std::filesystem::path& owner, const std::string& where);
  void visit_series(const Mapping& mapping, const std::filesystem::path& owner, const std::string& where);
  void visit_source(const Mapping& mapping, const Hdf5Handle& file, const std::string& where);

  std::vector<std::filesystem::path> files_;
  std::set<std::filesystem::path> known_;               // the same, to look them up
  std::set<std::pair<std::string, std::string>> seen_;  // files and datasets that were visited
};

}  // namespace terrace::io
