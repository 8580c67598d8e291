#include "stages/wavefront/pairs/cigars.hpp"

#include <numeric>

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

void CigarRounds::end_round() {
  count_ += std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0});
  ++rounds_;
  copied_ = false;
}

void CigarRounds::end_copies() {
  bytes_.clear();
  copied_ = true;
}

std::int64_t CigarRounds::begin(std::int64_t block) const {
  const std::int64_t before = count_ - std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0});
  return std::accumulate(bytes_.begin(), bytes_.begin() + block, before);
}

std::string CigarRounds::save() const { return nlohmann::json{bytes_, rounds_, count_, copied_, filled_}.dump(); }

void CigarRounds::load(const std::string& state) {
  const auto saved = nlohmann::json::parse(state);
  bytes_ = saved.at(0).get<std::vector<std::int64_t>>();
  rounds_ = saved.at(1);
  count_ = saved.at(2);
  copied_ = saved.at(3);
  filled_ = saved.at(4);
}

}  // namespace terrace::stages
