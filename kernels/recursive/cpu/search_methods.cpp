#include "kernels/recursive/searches.hpp"

#include <algorithm>

#include "kernels/device/cpu_features.hpp"
#include "kernels/recursive/cpu/searches/searches.hpp"
#include "kernels/recursive/measured_rates.hpp"

namespace terrace::recursive {
namespace {

using measured::SearchRates;

/// Seconds an edge and source: of the edges, and of the nodes, of which a row has as many values.
device::Cost cost_of_searches(const SearchSpec& spec, const device::Limits& limits, double edges_per_second,
                              double nodes_per_second) {
  const auto nodes = static_cast<double>(spec.graph->nodes), edges = static_cast<double>(spec.graph->edges());
  const double seconds = edges / edges_per_second + nodes / nodes_per_second;
  return {.seconds = seconds / std::max(1.0, edges) / limits.processors};
}

template <SearchWay way>
constexpr SearchMethod search_method(const char* name, const char* help,
                                     device::Cost (*cost)(const SearchSpec&, const device::Limits&)) {
  return {.name = name,
          .help = help,
          .backend = device::Backend::cpu,
          .schedule = "searches",
          .automatic = true,
          .unfit = [](const SearchSpec& spec, const device::Limits&) { return unfit_for(way, spec); },
          .cost = cost,
          .workspace = [](const SearchSpec& spec,
                          const device::Limits& limits) { return search_bytes(way, spec, limits.processors); },
          .make = [](const SearchSpec& spec, device::Context& context,
                     void*) { return make_searches_cpu(way, spec, context, device::best_instruction_set()); }};
}

constexpr SearchMethod all_search_methods[] = {
    search_method<SearchWay::levels>("levels", "searches in breadth from up to 512 nodes at once, by bits",
                                     [](const SearchSpec& spec, const device::Limits& limits) {
                                       return cost_of_searches(spec, limits, SearchRates::levels_edges,
                                                               SearchRates::levels_nodes);
                                     }),
    search_method<SearchWay::sweeps>(
        "sweeps",
        "passes over the edges out of changed nodes, for as many sources as a vector has lanes; "
        "where these take too many, nearest nodes first",
        [](const SearchSpec& spec, const device::Limits& limits) {
          const bool wide = spec.value != ElementType::i16 && spec.value != ElementType::i32;
          const double share = wide ? SearchRates::sweeps_wide : 1;
          return cost_of_searches(spec, limits, share * SearchRates::sweeps_edges, share * SearchRates::sweeps_nodes);
        }),
    search_method<SearchWay::breadth>("breadth", "searches in breadth from one node at a time",
                                      [](const SearchSpec& spec, const device::Limits& limits) {
                                        return cost_of_searches(spec, limits, SearchRates::breadth_edges,
                                                                SearchRates::breadth_nodes);
                                      }),
    search_method<SearchWay::nearest>("nearest", "nearest nodes first, from one node at a time (Dijkstra)",
                                      [](const SearchSpec& spec, const device::Limits& limits) {
                                        return cost_of_searches(spec, limits, SearchRates::nearest_edges,
                                                                SearchRates::nearest_nodes);
                                      })};

}  // namespace

std::span<const SearchMethod> search_methods() { return all_search_methods; }

}  // namespace terrace::recursive
