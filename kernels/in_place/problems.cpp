#include "kernels/in_place/problems.hpp"
#include "kernels/in_place/problem_list.hpp"

#include <array>

namespace terrace::in_place {
namespace {

template <class... Ps>
constexpr std::array<InPlaceInfo, sizeof...(Ps)> make_table(TypeList<Ps...>) {
  return {InPlaceInfo{Ps::name, Ps::help, Ps::corners, Ps::parameters}...};
}

constexpr auto table = make_table(InPlaceProblems{});

}  // namespace

std::span<const InPlaceInfo> in_place_problems() { return table; }

const InPlaceInfo* find_in_place(std::string_view name) {
  for (const InPlaceInfo& info : table) {
    if (name == info.name) return &info;
  }
  return nullptr;
}

}  // namespace terrace::in_place
