#include "pipeline/job/yaml/text.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "pipeline/base/error.hpp"
#include "pipeline/base/file_kind.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::job {
namespace {

/// The first bytes of each HDF5 file.
constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

[[noreturn]] void fail_to_read(const std::string& name) {
  const int reason = errno != 0 ? errno : EIO;
  if (reason == EIO) throw IoError(name, std::string("the job cannot be read: ") + std::strerror(reason));
  throw JobError(name + ": cannot read the job: " + std::strerror(reason) +
                 (reason == ENOENT ? names_beside(name) : ""));
}

}  // namespace

std::string read_job_text(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw JobError(name + ": this is a folder; name a job file in it");
  }
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw JobError(name + ": this is a pipe, a device or a socket, which may never end; write the job into a file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_to_read(name);
  std::string text;
  std::array<char, 65536> buffer;
  while (file.read(buffer.data(), buffer.size()), file.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (text.starts_with(hdf5_signature)) {
      throw JobError(name + ": this is an HDF5 file, not a job; `terrace show` describes a result");
    }
    if (text.size() > largest_job_bytes) {
      throw JobError(name + ": a job has at most " + format_size(static_cast<double>(largest_job_bytes)) +
                     "; put large lists of values into a file of their own and name it as an input");
    }
  }
  if (file.bad()) fail_to_read(name);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

}  // namespace terrace::job
