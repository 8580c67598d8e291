// Binaries in the user's cache folder, so that a later run of the user does not compile them again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/files/entry.hpp"
#include "kernels/compiled/compiler.hpp"

namespace terrace::compiled {

/// A folder of binaries that all processes of a user share. A binary is found by its key, which stands in its file:
/// it is taken only if all of it is the same, and the bytes are those that were written. Files are written under
/// other names and renamed. If the folder has no room, those are removed whose last use is the longest ago.
///
/// Machine code is loaded from there: a folder or file that another user owns or may write to is not used, and no
/// link is followed. No failure is an error: what cannot be read is not found, and what cannot be written is not
/// kept.
class Cache {
 public:
  static constexpr std::int64_t usual_bytes = std::int64_t{256} << 20;

  /// Keeps nothing.
  Cache() = default;
  /// @param folder made when the first file is written; @param most_bytes of all files
  explicit Cache(std::filesystem::path folder, std::int64_t most_bytes = usual_bytes);

  /// False: nothing is found or kept.
  bool is_used() const { return !folder_.empty(); }
  std::optional<Binary> find(const std::string& key) const;
  void keep(const std::string& key, const Binary& binary) const;

 private:
  /// Removes files until others of so many bytes fit.
  void make_room(const io::Folder& folder, std::int64_t bytes) const;

  std::filesystem::path folder_;
  std::int64_t most_bytes_ = 0;
};

/// `compiled` in the user's cache folder; one that keeps nothing if there is no such folder, or if
/// TERRACE_COMPILED_CACHE is neither "on" nor empty nor unset.
Cache user_cache();

/// The fault of TERRACE_COMPILED_CACHE, with what would be right: it is neither "on" nor "off" nor empty. "": none
std::string fault_of_cache_variable();

}  // namespace terrace::compiled
