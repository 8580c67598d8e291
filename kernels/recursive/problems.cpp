#include "kernels/recursive/problems.hpp"

#include <array>

#include "kernels/recursive/problem_list.hpp"
#include "kernels/recursive/semiring_list.hpp"

namespace terrace::recursive {
namespace {

template <class P>
constexpr int semiring_of() {
  if constexpr (requires { typename P::Semiring; }) return Semirings::index<typename P::Semiring>();
  else return -1;
}

template <class P>
constexpr int rule_of() {
  if constexpr (P::form == Form::intervals) return Rules::index<typename P::Rule>();
  else return -1;
}

template <class... Ps>
constexpr std::array<ProblemInfo, sizeof...(Ps)> make_table(values::TypeList<Ps...>) {
  return {ProblemInfo{Ps::name, Ps::help, Ps::form, Ps::parameters, semiring_of<Ps>(), rule_of<Ps>()}...};
}

template <class... Ss>
constexpr std::array<SemiringInfo, sizeof...(Ss)> make_semirings(values::TypeList<Ss...>) {
  return {SemiringInfo{Ss::name, Ss::help, Ss::nothing}...};
}

constexpr auto table = make_table(Problems{});
constexpr auto algebras = make_semirings(Semirings{});

}  // namespace

std::span<const ProblemInfo> problems() { return table; }

const ProblemInfo* find_problem(std::string_view name) {
  for (const ProblemInfo& info : table) {
    if (name == info.name) return &info;
  }
  return nullptr;
}

std::span<const SemiringInfo> semirings() { return algebras; }

int find_semiring(std::string_view name) {
  for (std::size_t number = 0; number < algebras.size(); ++number) {
    if (name == algebras[number].name) return static_cast<int>(number);
  }
  return -1;
}

}  // namespace terrace::recursive
