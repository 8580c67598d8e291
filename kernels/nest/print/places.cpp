#include "kernels/nest/print/places.hpp"

#include <algorithm>

namespace terrace::nest {

using formula::Node;
using formula::Operation;

double cells_of(const Ranges& box) {
  double all = 1;
  for (const Range& range : box) all *= static_cast<double>(std::max<i64>(0, range.size()));
  return all;
}

const Array& Places::array_of(const Statement& statement) const {
  return nest_.arrays[static_cast<std::size_t>(statement.array)];
}

bool Places::has_joined_loops() const { return spec_.skew.first > 0; }

std::size_t Places::y_of(std::size_t loop) const { return loop > spec_.skew.first ? loop - spec_.skew.first : 0; }

bool Places::is_joined(std::size_t loop) const { return has_joined_loops() && loop <= spec_.skew.first; }

i64 Places::joined_count() const {
  i64 all = 1;
  for (std::size_t loop = 0; loop <= spec_.skew.first; ++loop) all *= nest_.loops[loop].range.size();
  return all;
}

Ranges Places::y_box(const Statement& statement) const {
  Ranges all;
  for (std::size_t n = 0; n < sweep_.rank(); ++n) all.push_back(statement.box[spec_.skew.first + n]);
  if (has_joined_loops()) all[0] = {0, joined_count()};
  return all;
}

Ranges Places::any_y() const { return Ranges(sweep_.rank(), {-unbounded, unbounded}); }

Ranges Places::y_of_dependence(const Dependence& one) const {
  const Statement& source = nest_.statements[static_cast<std::size_t>(one.source)];
  const std::size_t first_loop = array_of(source).first_loop;
  Ranges all(sweep_.rank(), {-unbounded, unbounded});
  for (std::size_t loop = has_joined_loops() ? spec_.skew.first + 1 : 0; loop < nest_.depth(); ++loop) {
    all[y_of(loop)] = loop < first_loop ? Range{nest_.loops[loop].range.begin + one.distance[loop], unbounded}
                                        : source.box[loop].shifted(one.distance[loop]);
  }
  if (has_joined_loops() && one.distance[spec_.skew.first] != 0) all[0].begin = 1;
  return all;
}

std::optional<Ranges> Places::y_of_input(const Access& access) const {
  Ranges all(sweep_.rank(), {-unbounded, unbounded});
  const std::vector<i64>& shape = nest_.inputs[static_cast<std::size_t>(access.array)].shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Range inside = Range{0, shape[axis]}.shifted(-access.offset[axis]);
    if (access.loops[axis] < 0) {
      if (!inside.holds(0)) return std::nullopt;
      continue;
    }
    const auto loop = static_cast<std::size_t>(access.loops[axis]);
    if (!is_joined(loop)) all[y_of(loop)] = intersection({all[y_of(loop)]}, {inside})[0];
    else if (!nest::holds({inside}, {nest_.loops[loop].range})) return std::nullopt;
  }
  return all;
}

std::vector<std::size_t> Places::sources_of(std::size_t target, int access) const {
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n < spec_.flow.size(); ++n) {
    if (spec_.flow[n].target == static_cast<int>(target) && spec_.flow[n].access == access) all.push_back(n);
  }
  return all;
}

int Places::usual_source(std::size_t target, int access) const {
  double most = 0;
  int found = -1;
  for (const std::size_t n : sources_of(target, access)) {
    const double cells = cells_of(intersection(y_of_dependence(spec_.flow[n]), y_box(nest_.statements[target])));
    if (cells > most) most = cells, found = static_cast<int>(n);
  }
  return found;
}

Ranges Places::usual_box(std::size_t target, bool has_ghosts) const {
  const Statement& statement = nest_.statements[target];
  Ranges box = y_box(statement);
  Ranges none(sweep_.rank(), Range{});
  for (const Node& node : statement.value.nodes()) {
    if (node.operation != Operation::read) continue;
    const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
    if (access.is_input) {
      const auto inside = y_of_input(access);
      if (!inside) return none;
      box = intersection(box, *inside);
    } else if (!has_ghosts) {
      const int source = usual_source(target, node.number);
      if (source < 0) return none;
      box = intersection(box, y_of_dependence(spec_.flow[static_cast<std::size_t>(source)]));
    }
  }
  return is_empty(box) ? none : box;
}

bool Places::can_have_ghosts(const std::vector<bool>& first_fails) const {
  for (std::size_t target = 0; target < nest_.statements.size(); ++target) {
    for (const Node& node : nest_.statements[target].value.nodes()) {
      if (node.operation != Operation::read) continue;
      const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
      if (!access.is_input && !has_ghost(target, node.number, first_fails)) return false;
    }
  }
  return true;
}

Ranges Places::ghost_box(std::size_t source) const {
  Ranges all(sweep_.rank(), Range{});
  for (const Dependence& one : spec_.flow) {
    if (one.source != static_cast<int>(source)) continue;
    Ranges read = y_box(nest_.statements[static_cast<std::size_t>(one.target)]);
    if (is_empty(read)) continue;
    for (std::size_t n = 0; n < read.size(); ++n) read[n] = read[n].shifted(-one.distance[spec_.skew.first + n]);
    const bool has_any = !is_empty(all);
    for (std::size_t n = 0; n < read.size(); ++n) {
      if (!has_any) all[n] = read[n];
      else all[n] = {std::min(all[n].begin, read[n].begin), std::max(all[n].end, read[n].end)};
    }
  }
  return all;
}

Linear Places::y_by_coordinates(std::size_t statement, std::size_t n) const {
  Linear made;
  const i64 sign = spec_.skew.reversed[spec_.skew.first + n] ? -1 : 1;
  for (std::size_t m = 0; m < sweep_.rank(); ++m) {
    made.multiples.push_back(sign * sweep_.inverse()[n][m]);
    made.constant -= made.multiples.back() * spec_.skew.shifts[statement][m];
  }
  return made;
}

bool Places::is_on_cell_before(std::size_t dependence) const {
  Point before{};
  before[sweep_.rank() - 1] = 1;
  return sweep_.along(dependence) == before;
}

bool Places::is_carried(std::size_t statement) const {
  for (std::size_t target = 0; target < nest_.statements.size(); ++target) {
    for (const Node& node : nest_.statements[target].value.nodes()) {
      if (node.operation != Operation::read || nest_.accesses[static_cast<std::size_t>(node.number)].is_input)
        continue;
      const int source = usual_source(target, node.number);
      if (source < 0 || !is_on_cell_before(static_cast<std::size_t>(source))) continue;
      if (spec_.flow[static_cast<std::size_t>(source)].source == static_cast<int>(statement)) return true;
    }
  }
  return false;
}

bool Places::has_ghost(std::size_t target, int access, const std::vector<bool>& first_fails) const {
  const Ranges box = y_box(nest_.statements[target]);
  std::vector<std::size_t> sources;
  for (const std::size_t n : sources_of(target, access)) {
    if (!is_empty(intersection(y_of_dependence(spec_.flow[n]), box))) sources.push_back(n);
  }
  if (sources.size() != 1) return is_empty(box);
  const Dependence& one = spec_.flow[sources.front()];
  const Statement& source = nest_.statements[static_cast<std::size_t>(one.source)];
  const auto array = static_cast<std::size_t>(source.array);
  for (std::size_t loop = 0; loop < nest_.arrays[array].first_loop; ++loop) {
    if (source.box[loop] != nest_.loops[loop].range) return false;
  }
  if (has_joined_loops() && one.distance[spec_.skew.first] > 1) return false;
  return !first_fails[array];
}

}  // namespace terrace::nest
