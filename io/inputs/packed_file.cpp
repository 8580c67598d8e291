#include "io/inputs/packed_file.hpp"

#include <string_view>

#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

struct Compression {
  std::string_view begin;  // of the file
  const char* name;
  const char* program;  // that unpacks it
};

constexpr Compression compressions[] = {
    {"BZh", "bzip2", "bunzip2 -k"},
    {"\xfd"
     "7zXZ",
     "xz", "unxz -k"},
    {"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
    {"PK\x03\x04", "zip", "unzip"},
};

}  // namespace

void refuse_packed(const InputFile& file) {
  char bytes[8] = {};
  const std::int64_t count = file.read_some(0, sizeof bytes, bytes);
  const std::string_view begin(bytes, static_cast<std::size_t>(count));
  for (const Compression& compression : compressions) {
    if (!begin.starts_with(compression.begin)) continue;
    throw IoError(file.path().string(), std::string("is compressed with ") + compression.name +
                                            ", and text is read plain or compressed with gzip: unpack it first (" +
                                            compression.program + ")");
  }
}

}  // namespace terrace::io
