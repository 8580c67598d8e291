#include "pipeline/run/profile/taken_profile.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "pipeline/run/dataset_json.hpp"

namespace terrace::run {
namespace {

using Bytes = std::vector<std::byte>;
using Texts = std::vector<std::string>;
/// Columns of one table, by name.
using Table = std::map<std::string, const io::SmallDataset*>;

constexpr const char* group = "/profile/";

/// "blocks" and "begin" of "/profile/blocks/begin".
std::pair<std::string, std::string> table_and_column(const std::string& path) {
  const std::string rest = path.starts_with(group) ? path.substr(std::strlen(group)) : "";
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos) return {};
  return {rest.substr(0, slash), rest.substr(slash + 1)};
}

std::map<std::string, Table> tables_of(const std::vector<io::SmallDataset>& columns) {
  std::map<std::string, Table> tables;
  for (const io::SmallDataset& column : columns) {
    const auto [table, name] = table_and_column(column.spec.path);
    if (!table.empty() && column.spec.shape.rank() == 1) tables[table][name] = &column;
  }
  return tables;
}

std::size_t rows_of(const io::SmallDataset& column) { return static_cast<std::size_t>(column.spec.shape[0]); }

/// The whole numbers of a column; nullopt if there is no such column, or it holds something else.
std::optional<std::vector<std::int64_t>> numbers_in(const Table& table, const std::string& name) {
  const auto at = table.find(name);
  if (at == table.end()) return std::nullopt;
  const auto* bytes = std::get_if<Bytes>(&at->second->values);
  const bool wide = at->second->spec.type == ElementType::i64;
  if (bytes == nullptr || (!wide && at->second->spec.type != ElementType::i32)) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (std::size_t row = 0; row < rows_of(*at->second); ++row) {
    std::int64_t number = 0;
    std::int32_t narrow = 0;
    if (wide) std::memcpy(&number, bytes->data() + row * sizeof number, sizeof number);
    else std::memcpy(&narrow, bytes->data() + row * sizeof narrow, sizeof narrow);
    numbers.push_back(wide ? number : narrow);
  }
  return numbers;
}

/// Appends row `row` of `from` to `to`, or 0 or an empty text without a column of that kind.
void append_row(const io::SmallDataset* from, std::size_t row, io::SmallDataset& to) {
  if (auto* texts = std::get_if<Texts>(&to.values)) {
    const auto* of = from != nullptr ? std::get_if<Texts>(&from->values) : nullptr;
    texts->push_back(of != nullptr ? of->at(row) : "");
  } else {
    auto& bytes = std::get<Bytes>(to.values);
    const std::size_t size = size_of(to.spec.type);
    const auto* of = from != nullptr && from->spec.type == to.spec.type ? std::get_if<Bytes>(&from->values) : nullptr;
    const auto begin =
        of != nullptr ? of->begin() + static_cast<std::ptrdiff_t>(row * size) : Bytes::const_iterator();
    if (of != nullptr) bytes.insert(bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    else bytes.resize(bytes.size() + size);
  }
  to.spec.shape[0] += 1;
}

/// Writes a whole number over a row. @param row of the column, of i64 or i32
void set_number(io::SmallDataset& column, std::size_t row, std::int64_t number) {
  auto& bytes = std::get<Bytes>(column.values);
  const std::size_t size = size_of(column.spec.type);
  std::memcpy(bytes.data() + row * size, &number, size);  // little-endian
}

/// The tables of a new profile, to be changed.
class NewTables {
 public:
  explicit NewTables(std::vector<io::SmallDataset>& columns) {
    for (io::SmallDataset& column : columns) {
      const auto [table, name] = table_and_column(column.spec.path);
      if (!table.empty() && column.spec.shape.rank() == 1) tables_[table][name] = &column;
    }
  }

  void add(std::size_t stage, const TakenProfile& taken) {
    const auto from = tables_of(taken);
    const auto table_of = [&](const char* name) {
      const auto at = from.find(name);
      return at == from.end() ? Table() : at->second;
    };
    const std::vector<std::int64_t> devices = add_devices(table_of("devices"));
    replace_stage(stage, table_of("stages"));
    for (const char* name : {"parts", "blocks", "copies"}) add_rows(name, table_of(name), stage, devices);
  }

 private:
  static std::size_t rows_in(const Table& table) { return table.empty() ? 0 : rows_of(*table.begin()->second); }

  static const io::SmallDataset* find(const Table& table, const std::string& name) {
    const auto at = table.find(name);
    return at == table.end() ? nullptr : at->second;
  }

  /// All columns of the stage but its name, which may be another one, and those that are of this run alone.
  void replace_stage(std::size_t stage, const Table& from) {
    if (rows_in(from) != 1) return;
    static const std::set<std::string> of_this_run{"name", "computed", "taken_over"};
    for (auto& [name, column] : tables_["stages"]) {
      if (of_this_run.contains(name)) continue;
      io::SmallDataset one = *column;
      one.spec.shape[0] = 0;
      if (auto* texts = std::get_if<Texts>(&one.values)) texts->clear();
      else std::get<Bytes>(one.values).clear();
      append_row(find(from, name), 0, one);
      if (auto* texts = std::get_if<Texts>(&column->values)) {
        texts->at(stage) = std::get<Texts>(one.values).front();
      } else {
        const Bytes& bytes = std::get<Bytes>(one.values);
        std::copy(bytes.begin(), bytes.end(),
                  std::get<Bytes>(column->values).begin() + static_cast<std::ptrdiff_t>(stage * bytes.size()));
      }
    }
  }

  void add_rows(const std::string& table, const Table& from, std::size_t stage,
                const std::vector<std::int64_t>& devices) {
    const std::map<std::string, std::optional<std::vector<std::int64_t>>> of_devices{
        {"device", numbers_in(from, "device")}, {"from", numbers_in(from, "from")}};
    for (std::size_t row = 0; row < rows_in(from); ++row) {
      for (auto& [name, column] : tables_[table]) {
        append_row(find(from, name), row, *column);
        const std::size_t last = rows_of(*column) - 1;
        if (name == "stage") set_number(*column, last, static_cast<std::int64_t>(stage));
        const auto numbers = of_devices.find(name);
        if (numbers == of_devices.end() || (name == "device" && !numbers->second)) continue;
        const std::int64_t number = numbers->second ? numbers->second->at(row) : -1;
        const bool known = number >= 0 && number < std::ssize(devices);
        set_number(*column, last, known ? devices[static_cast<std::size_t>(number)] : -1);
      }
    }
  }

  /// @return the new numbers of the other profile's devices
  std::vector<std::int64_t> add_devices(const Table& from) {
    std::vector<std::int64_t> numbers;
    auto& devices = tables_["devices"];
    if (devices.empty()) return numbers;
    for (std::size_t row = 0; row < rows_in(from); ++row) {
      for (auto& [name, column] : devices) append_row(find(from, name), row, *column);
      const std::size_t added = rows_of(*devices.begin()->second) - 1;
      std::size_t same = 0;
      while (same < added && !is_same_device(same, added)) ++same;
      if (same < added) drop_last(devices);
      numbers.push_back(static_cast<std::int64_t>(same));
    }
    return numbers;
  }

  /// Devices of one name and kind are one: their rates are measured anew by each run.
  bool is_same_device(std::size_t a, std::size_t b) {
    const auto same = [&](const char* name) {
      const auto at = tables_["devices"].find(name);
      const auto* texts = at == tables_["devices"].end() ? nullptr : std::get_if<Texts>(&at->second->values);
      return texts == nullptr || texts->at(a) == texts->at(b);
    };
    return same("name") && same("kind");
  }

  static void drop_last(std::map<std::string, io::SmallDataset*>& table) {
    for (auto& [name, column] : table) {
      if (auto* texts = std::get_if<Texts>(&column->values)) texts->pop_back();
      else
        std::get<Bytes>(column->values).resize(std::get<Bytes>(column->values).size() - size_of(column->spec.type));
      column->spec.shape[0] -= 1;
    }
  }

  std::map<std::string, std::map<std::string, io::SmallDataset*>> tables_;
};

/// The numbers of the rows of the stage in a table.
std::vector<std::size_t> rows_of_stage(const std::string& name, const Table& table, std::size_t stage) {
  std::vector<std::size_t> rows;
  if (name == "stages") return {stage};
  if (name == "devices") {
    for (std::size_t row = 0; row < rows_of(*table.begin()->second); ++row) rows.push_back(row);
    return rows;
  }
  const auto numbers = numbers_in(table, "stage");
  for (std::size_t row = 0; numbers && row < numbers->size(); ++row) {
    if ((*numbers)[row] == static_cast<std::int64_t>(stage)) rows.push_back(row);
  }
  return rows;
}

}  // namespace

TakenProfile profile_of_stage(const io::StoredGroup& profile, const std::string& stage) {
  const auto tables = tables_of(profile.small);
  const auto stages = tables.find("stages");
  if (stages == tables.end() || !stages->second.contains("name")) return {};
  const auto* names = std::get_if<Texts>(&stages->second.at("name")->values);
  const auto at = names != nullptr ? std::find(names->begin(), names->end(), stage) : Texts::const_iterator();
  if (names == nullptr || at == names->end()) return {};
  const auto number = static_cast<std::size_t>(at - names->begin());
  TakenProfile taken;
  for (const auto& [name, table] : tables) {
    const std::vector<std::size_t> rows = rows_of_stage(name, table, number);
    for (const auto& [column, from] : table) {
      io::SmallDataset& one = taken.emplace_back(io::SmallDataset{from->spec, {}});
      one.spec.shape[0] = 0;
      if (std::holds_alternative<Texts>(from->values)) one.values = Texts();
      for (const std::size_t row : rows) {
        if (row < rows_of(*from)) append_row(from, row, one);
      }
    }
  }
  return taken;
}

void add_taken(std::vector<io::SmallDataset>& columns, const std::map<std::size_t, TakenProfile>& taken) {
  NewTables tables(columns);
  for (const auto& [stage, profile] : taken) tables.add(stage, profile);
}

nlohmann::json profile_json(const TakenProfile& profile) {
  nlohmann::json columns = nlohmann::json::array();
  for (const io::SmallDataset& column : profile) columns.push_back(small_json(column));
  return columns;
}

TakenProfile taken_profile_from(const nlohmann::json& json) {
  TakenProfile profile;
  for (const nlohmann::json& column : json) profile.push_back(small_from(column));
  return profile;
}

}  // namespace terrace::run
