#include "io/node_names.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <span>
#include <type_traits>

#include "io/files/checksum.hpp"
#include "io/node_datasets.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

/// The text itself if it is UTF-8, else its bytes as letters of Latin-1.
std::string utf8(std::string text) {
  if (first_invalid_byte(text) == text.size()) return text;
  std::string result;
  for (const char byte : text) {
    const auto letter = static_cast<unsigned char>(byte);
    if (letter < 0x80) result += byte;
    else result += {static_cast<char>(0xC0 | (letter >> 6)), static_cast<char>(0x80 | (letter & 0x3F))};
  }
  return result;
}

void to_utf8(NodeNames::Texts& texts) {
  for (std::string& text : texts) text = utf8(std::move(text));
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

using Rows = std::vector<std::int64_t>;

/// The rows of a list, by its entries.
template <class T>
Rows sorted_rows(const std::vector<T>& list) {
  Rows rows(list.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const auto entry = [&](std::int64_t row) -> const T& { return list[static_cast<std::size_t>(row)]; };
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return entry(a) < entry(b); });
  return rows;
}

/// The rows at which a list has that entry.
template <class T>
std::span<const std::int64_t> rows_of(const std::vector<T>& list, const Rows& sorted, const T& wanted) {
  const auto entry = [&](std::int64_t row) -> const T& { return list[static_cast<std::size_t>(row)]; };
  const auto begin =
      std::partition_point(sorted.begin(), sorted.end(), [&](auto row) { return entry(row) < wanted; });
  const auto end = std::partition_point(begin, sorted.end(), [&](auto row) { return !(wanted < entry(row)); });
  return {begin, end};
}

std::size_t bytes_of(const NodeNames::Texts& texts) {
  std::size_t bytes = texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.size() >= sizeof(std::string) / 2 ? text.capacity() : 0;
  return bytes;
}

}  // namespace

NodeNames::NodeNames(List ids, std::optional<Texts> labels)
    : count_(std::visit([](const auto& list) { return static_cast<std::int64_t>(list.size()); }, ids)),
      ids_(std::move(ids)),
      labels_(std::move(labels)) {
  if (auto* texts = std::get_if<Texts>(&*ids_)) to_utf8(*texts);
  if (labels_) to_utf8(*labels_);
  by_id_ = std::visit([](const auto& list) { return sorted_rows(list); }, *ids_);
  if (labels_) by_label_ = sorted_rows(*labels_);
}

std::string NodeNames::id(std::int64_t row) const {
  if (!ids_) return std::to_string(first_ + row);
  const auto at = static_cast<std::size_t>(row);
  if (const auto* texts = std::get_if<Texts>(&*ids_)) return (*texts)[at];
  return std::to_string(std::get<Numbers>(*ids_)[at]);
}

std::string NodeNames::name(std::int64_t row) const {
  return labels_ ? (*labels_)[static_cast<std::size_t>(row)] : id(row);
}

NodeNames::List NodeNames::names() const { return labels_ ? List(*labels_) : ids(); }

NodeNames::List NodeNames::names(const std::vector<std::int64_t>& rows) const {
  if (labels_ || (ids_ && std::holds_alternative<Texts>(*ids_))) {
    Texts texts;
    for (const std::int64_t row : rows) texts.push_back(name(row));
    return texts;
  }
  Numbers numbers;
  for (const std::int64_t row : rows) {
    numbers.push_back(ids_ ? std::get<Numbers>(*ids_)[static_cast<std::size_t>(row)] : first_ + row);
  }
  return numbers;
}

NodeNames::List NodeNames::ids() const {
  if (ids_) return *ids_;
  Numbers numbers(static_cast<std::size_t>(count_));
  for (std::int64_t row = 0; row < count_; ++row) numbers[static_cast<std::size_t>(row)] = first_ + row;
  return numbers;
}

std::optional<std::int64_t> NodeNames::row_of_id(std::string_view text) const {
  const std::optional<std::int64_t> number = number_of(text);
  if (!ids_) {
    if (!number || *number < first_ || *number - first_ >= count_) return std::nullopt;
    return *number - first_;
  }
  std::span<const std::int64_t> rows;
  if (const auto* texts = std::get_if<Texts>(&*ids_)) rows = rows_of(*texts, by_id_, std::string(text));
  else if (number) rows = rows_of(std::get<Numbers>(*ids_), by_id_, *number);
  return rows.empty() ? std::nullopt : std::optional(rows.front());
}

std::int64_t NodeNames::row_of(std::string_view text) const {
  const std::optional<std::int64_t> by_id = row_of_id(text);
  if (labels_) {
    const auto rows = rows_of(*labels_, by_label_, std::string(text));
    if (rows.size() > 1) throw Error("is the name of several nodes: give an id");
    if (!rows.empty() && by_id && rows.front() != *by_id) {
      throw Error("is the name of one node and the id of another");
    }
    if (!rows.empty()) return rows.front();
  }
  if (by_id) return *by_id;
  fail_unknown(text);
}

void NodeNames::fail_unknown(std::string_view text) const {
  if (count_ == 0) throw Error("is no node: there is none");
  if (!ids_) {
    throw Error("is no node: give whole numbers from " + std::to_string(first_) + " to " +
                std::to_string(first_ + count_ - 1));
  }
  const std::string meant = near(text);
  throw Error("is no node" + (meant.empty() ? ": there are " + quote_names(first_names(), 6) : meant));
}

std::vector<std::string> NodeNames::first_names() const {
  constexpr std::int64_t most = 100000;
  std::vector<std::string> names;
  for (std::int64_t row = 0; row < count_ && row < most; ++row) names.push_back(name(row));
  return names;
}

std::string NodeNames::near(std::string_view text) const {
  const bool texts = labels_ || (ids_ && std::holds_alternative<Texts>(*ids_));
  return texts ? did_you_mean(text, first_names()) : "";
}

std::size_t NodeNames::memory() const {
  std::size_t bytes = (by_id_.capacity() + by_label_.capacity()) * sizeof(std::int64_t);
  if (labels_) bytes += bytes_of(*labels_);
  if (!ids_) return bytes;
  if (const auto* texts = std::get_if<Texts>(&*ids_)) return bytes + bytes_of(*texts);
  return bytes + std::get<Numbers>(*ids_).capacity() * sizeof(std::int64_t);
}

std::uint64_t NodeNames::content() const {
  RunningChecksum sum;
  const auto add = [&](const auto& list) {
    using Name = typename std::decay_t<decltype(list)>::value_type;
    if constexpr (std::is_same_v<Name, std::int64_t>) {
      sum.add(std::as_bytes(std::span(list)));
    } else {
      for (const std::string& text : list) sum.add(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
    }
  };
  if (ids_) std::visit(add, *ids_);
  // A range may have many more numbers than memory holds, and than can be looked at one by one.
  constexpr std::int64_t piece = 1 << 16, most_looked_at = 1 << 24;
  if (!ids_ && count_ > most_looked_at) {
    const std::int64_t range[] = {first_, count_};
    sum.add(std::as_bytes(std::span(range)));
    return sum.value();
  }
  for (std::int64_t row = 0; !ids_ && row < count_; row += piece) {
    Numbers numbers(static_cast<std::size_t>(std::min(piece, count_ - row)));
    std::iota(numbers.begin(), numbers.end(), first_ + row);
    add(numbers);
  }
  if (labels_) add(*labels_);
  return sum.value();
}

std::shared_ptr<const NodeNames> names_from_datasets(NodeNames::List names, std::optional<NodeNames::List> ids) {
  if (ids && std::holds_alternative<NodeNames::Texts>(names)) {
    return std::make_shared<NodeNames>(*std::move(ids), std::get<NodeNames::Texts>(std::move(names)));
  }
  return std::make_shared<NodeNames>(std::move(names));
}

std::shared_ptr<const std::vector<std::int64_t>> rows_from_dataset(const NodeNames::List& sources,
                                                                   const NodeNames& nodes) {
  auto rows = std::make_shared<std::vector<std::int64_t>>();
  const auto add = [&](const auto& list) {
    for (const auto& name : list) {
      if constexpr (std::is_same_v<std::decay_t<decltype(name)>, std::string>) rows->push_back(nodes.row_of(name));
      else rows->push_back(nodes.row_of(std::to_string(name)));
    }
  };
  try {
    std::visit(add, sources);
  } catch (const Error&) {
    return nullptr;
  }
  return rows;
}

bool NodeNames::operator==(const NodeNames& other) const {
  if (!ids_ && !other.ids_ && !labels_ && !other.labels_) return first_ == other.first_ && count_ == other.count_;
  return count_ == other.count_ && names() == other.names() && ids() == other.ids();
}

}  // namespace terrace::io
