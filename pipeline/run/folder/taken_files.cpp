#include "pipeline/run/folder/taken_files.hpp"

#include <fcntl.h>

#include <map>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

/// Opens the result that the part is in. @throws IoError unless it is the file that was looked at
io::Descriptor open_result(const TakenPart& part) {
  const io::Entry entry(part.file);
  io::Descriptor file = io::open_file(entry, O_RDONLY);
  if (io::file_state(entry) != part.state) {
    throw IoError(part.file.string(),
                  "has changed while the run was being planned; the same command looks at it again");
  }
  return file;
}

}  // namespace

TakenBytes::TakenBytes(const RunPlan& plan, const std::vector<LargeDataset>& datasets,
                       const io::CreatedResult& created, const RunFolder& folder) {
  std::map<std::filesystem::path, int> open;  // descriptors of results
  int to = -1;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const TakenPart* part = plan.stages[datasets[i].stage].taken.get();
    if (part == nullptr || !created.extents[i]) continue;
    if (!open.contains(part->file)) {
      files_.push_back(open_result(*part));
      open[part->file] = files_.back().get();
    }
    if (to < 0) {
      files_.push_back(io::open_file(folder.result(), O_RDWR));
      to = files_.back().get();
    }
    const std::int64_t offset = part->group.large.at(datasets[i].array).offset;
    pieces_.push_back({{open[part->file], part->file, offset},
                       {to, folder.result().path(), created.extents[i]->offset},
                       created.extents[i]->bytes});
  }
}

std::int64_t TakenBytes::share() {
  std::int64_t all = 0;
  for (Piece& piece : pieces_) {
    const std::int64_t shared = io::share_bytes(piece.from, piece.to, piece.bytes);
    piece.from.offset += shared;
    piece.to.offset += shared;
    piece.bytes -= shared;
    all += shared;
  }
  return all;
}

void TakenBytes::copy_rest(const RunSettings& settings) {
  std::int64_t all = 0;
  for (const Piece& piece : pieces_) all += piece.bytes;
  const Watch watch = watch_of(settings);
  WatchedPart copying(watch, "copying what is taken over", "byte", all);
  for (const Piece& piece : pieces_) {
    io::copy_bytes(piece.from, piece.to, piece.bytes, [&](std::int64_t bytes) { copying.advance(bytes); });
  }
}

void note_taken(const RunPlan& plan, const RunFolder& folder) {
  Progress progress;
  progress.attempt = -1;
  for (std::size_t number = 0; number < plan.stages.size(); ++number) {
    if (plan.stages[number].taken) progress.completed[number] = completed_by(*plan.stages[number].taken);
  }
  if (!progress.completed.empty()) Ledger(folder.ledger(), progress);
}

}  // namespace terrace::run
