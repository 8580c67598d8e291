#include "pipeline/job/sweep/pattern.hpp"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "pipeline/base/error.hpp"

namespace terrace::job {
namespace {

/// A path as a pattern that matches it alone.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char letter : path) {
    if (letter == '*' || letter == '?' || letter == '[' || letter == '\\') text += '\\';
    text += letter;
  }
  return text;
}

/// Ends a search at a folder that is there and cannot be read. One that is not there holds no match.
int on_error(const char*, int error_number) { return error_number != ENOENT && error_number != ENOTDIR ? 1 : 0; }

/// Frees what glob() has found.
struct Found {
  glob_t paths = {};
  ~Found() { ::globfree(&paths); }
};

}  // namespace

std::vector<std::string> matching_paths(const std::string& pattern, const std::filesystem::path& folder) {
  const bool absolute = pattern.starts_with('/');
  const std::string prefix = absolute ? "" : folder.string() + "/";
  Found found;
  const int status = ::glob((escaped(prefix) + pattern).c_str(), GLOB_NOSORT, on_error, &found.paths);
  if (status == GLOB_NOSPACE) throw std::bad_alloc();
  if (status == GLOB_ABORTED) {
    throw IoError(prefix + pattern, "a folder cannot be read: " + std::generic_category().message(errno));
  }
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < found.paths.gl_pathc; ++i) paths.emplace_back(found.paths.gl_pathv[i] + prefix.size());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace terrace::job
