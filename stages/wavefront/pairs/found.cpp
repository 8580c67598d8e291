#include "stages/wavefront/pairs/found.hpp"

#include <algorithm>
#include <tuple>

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {
namespace {

using Json = nlohmann::json;

Json json_of(const std::vector<FoundPiece>& pieces) {
  Json list = Json::array();
  for (const FoundPiece& piece : pieces) list.push_back({piece.row, piece.block, piece.begin, piece.count});
  return list;
}

std::vector<FoundPiece> pieces_from(const Json& list) {
  std::vector<FoundPiece> pieces;
  for (const Json& piece : list) pieces.push_back({piece.at(0), piece.at(1), piece.at(2), piece.at(3)});
  return pieces;
}

}  // namespace

void FoundPairs::add(std::int64_t rows, std::int64_t block, const pairs::i64* passed) {
  for (std::int64_t row = 0; row < rows; ++row) {
    if (passed[row] > 0) found_.push_back({row, block, 0, passed[row]});
  }
}

void FoundPairs::end_round() {
  pieces_ = std::move(found_);
  found_.clear();
  std::sort(pieces_.begin(), pieces_.end(), [](const FoundPiece& a, const FoundPiece& b) {
    return std::tie(a.row, a.block) < std::tie(b.row, b.block);
  });
  for (FoundPiece& piece : pieces_) {
    piece.begin = count_;
    count_ += piece.count;
  }
  ++rounds_;
}

std::string FoundPairs::save() const {
  return Json{json_of(found_), json_of(pieces_), rounds_, count_, filled_}.dump();
}

void FoundPairs::load(const std::string& state) {
  const Json saved = Json::parse(state);
  found_ = pieces_from(saved.at(0));
  pieces_ = pieces_from(saved.at(1));
  rounds_ = saved.at(2);
  count_ = saved.at(3);
  filled_ = saved.at(4);
}

}  // namespace terrace::stages
