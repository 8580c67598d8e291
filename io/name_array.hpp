// Arrays of texts as tables of names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/kept_memory.hpp"
#include "io/name_numbers.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// Takes the texts of an array, row-major, and makes a table of names of them (Source::element_names()).
class NameArray {
 public:
  explicit NameArray(CheckKept check_kept) : check_kept_(std::move(check_kept)) {}

  /// @throws JobError if names take more memory than an input may keep
  void add(std::string_view text);
  /// @param shape of as many elements as there are texts @param files from which they come
  /// @param where names the array in errors: "a.h5, dataset /pairs"
  std::shared_ptr<Source> finish(const Extents& shape, std::vector<std::filesystem::path> files, std::string where);

 private:
  CheckKept check_kept_;
  NameNumbers names_;
  std::vector<std::byte> elements_;  // numbers, i64
};

}  // namespace terrace::io
