#include "kernels/recursive/problems.hpp"

#include <array>

#include "kernels/recursive/problem_list.hpp"
#include "kernels/recursive/semiring_list.hpp"

namespace terrace::recursive {
namespace {

template <class... Ps>
constexpr std::array<ProblemInfo, sizeof...(Ps)> make_table(ProblemList<Ps...>) {
  return {ProblemInfo{Ps::name, Ps::help, Ps::form, Ps::parameters,
                      semiring_index<typename Ps::Semiring>(Semirings{})}...};
}

constexpr auto table = make_table(Problems{});

}  // namespace

std::span<const ProblemInfo> problems() { return table; }

const ProblemInfo* find_problem(std::string_view name) {
  for (const ProblemInfo& info : table) {
    if (name == info.name) return &info;
  }
  return nullptr;
}

}  // namespace terrace::recursive
