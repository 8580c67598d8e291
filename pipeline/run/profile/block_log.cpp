#include "pipeline/run/profile/block_log.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include "io/files/checksum.hpp"

namespace terrace::run {
namespace {

constexpr std::uint64_t mark = 0x314B4C4254ull << 16 | sizeof(BlockRecord);  // "TBLK1"

/// The header of a piece; `checksum` covers the rest of the header and the records.
struct Header {
  std::uint64_t mark, checksum, count;
  double started;
};

std::uint64_t checksum_of(const Header& header, std::span<const std::byte> records) {
  return io::checksum(records) ^ io::checksum(std::as_bytes(std::span(&header.count, 1))) ^
         io::checksum(std::as_bytes(std::span(&header.started, 1)));
}

/// Adds the records of the pieces of a file, up to the first that is not whole.
void add_pieces(std::span<const std::byte> bytes, BlockLog::Attempt& attempt) {
  Header header;
  while (bytes.size() >= sizeof header) {
    std::memcpy(&header, bytes.data(), sizeof header);
    bytes = bytes.subspan(sizeof header);
    if (header.mark != mark || header.count > bytes.size() / sizeof(BlockRecord)) return;
    const auto records = bytes.first(header.count * sizeof(BlockRecord));
    if (header.checksum != checksum_of(header, records)) return;
    const std::size_t before = attempt.blocks.size();
    attempt.started = header.started;
    attempt.blocks.resize(before + header.count);
    if (header.count > 0) std::memcpy(attempt.blocks.data() + before, records.data(), records.size());
    bytes = bytes.subspan(records.size());
  }
}

}  // namespace

std::vector<BlockLog::Attempt> BlockLog::read(const io::Entry& entry) {
  std::map<std::int64_t, Attempt> attempts;
  if (!io::status_of(entry)) return {};
  const io::Folder folder = io::Folder::open(entry, false);
  for (const std::string& name : folder.names()) {
    const std::filesystem::path path = name;
    std::int64_t number = 0;
    const std::string stem = path.stem().string();
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    if (error != std::errc{} || path.extension() != ".blocks") continue;
    Attempt attempt;
    add_pieces(io::read_file(folder / name), attempt);
    if (attempt.started > 0) attempts[number] = std::move(attempt);
  }
  std::vector<Attempt> found;
  for (auto& [number, attempt] : attempts) found.push_back(std::move(attempt));
  return found;
}

BlockLog::BlockLog(const io::Entry& folder, std::int64_t attempt, double started) : started_(started) {
  const io::Entry file = io::Folder::open(folder, false) / (std::to_string(attempt) + ".blocks");
  path_ = file.path();
  io::remove_file(file);
  file_ = io::open_file(file, O_CREAT | O_EXCL | O_WRONLY, 0600);
  append({});
}

void BlockLog::append(std::span<const BlockRecord> records) {
  const auto bytes = std::as_bytes(records);
  Header header{mark, 0, records.size(), started_};
  header.checksum = checksum_of(header, bytes);
  std::vector<std::byte> piece(sizeof header + bytes.size());
  std::memcpy(piece.data(), &header, sizeof header);
  if (!bytes.empty()) std::memcpy(piece.data() + sizeof header, bytes.data(), bytes.size());
  io::write_fully(file_.get(), piece, length_, path_);
  length_ += static_cast<std::int64_t>(piece.size());
}

}  // namespace terrace::run
