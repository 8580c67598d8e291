#include "io/kinds.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string_view>

#include "io/input_file.hpp"
#include "io/row_set.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {

namespace {

/// Kinds whose arrays may have two dimensions: their rows may be a set. With an example of such an input.
struct KindOfArrays {
  std::string_view name;
  const char* example;
};
constexpr KindOfArrays kinds_of_arrays[] = {
    {"hdf5", "{hdf5: measurements.h5, dataset: run/temperature, each: row, end: nan}"},
    {"external", "{external: field.raw, type: f32, shape: [64, 64], each: row, end: nan}"},
    {"values", "{values: [1, 2, 3, 4], shape: [2, 2], type: f64, each: row, end: nan}"},
    {"npy", "{npy: series.npy, each: row, end: nan}"},
    {"npz", "{npz: grids.npz, array: series, each: row, end: nan}"},
    {"csv", "{csv: series.csv, each: row, end: nan}"},
    {"text", "{text: series.txt, each: row, end: nan}"},
    {"generate", "{generate: uniform, shape: [4, 90], each: row, end: nan}"},
};

/// What kinds with more keys are made of.
struct KindTexts {
  std::vector<Parameter> parameters;
  std::string example;
};

/// Adds the keys that make a set of rows.
InputKind with_row_sets(InputKind kind, std::deque<KindTexts>& kept) {
  const auto* found = std::find_if(std::begin(kinds_of_arrays), std::end(kinds_of_arrays),
                                   [&](const KindOfArrays& one) { return one.name == kind.name; });
  if (found == std::end(kinds_of_arrays)) return kind;
  KindTexts& texts = kept.emplace_back();
  texts.parameters.assign(kind.parameters.begin(), kind.parameters.end());
  texts.parameters.insert(texts.parameters.end(), row_set_parameters().begin(), row_set_parameters().end());
  texts.example = std::string(kind.example) + "\n" + found->example;
  kind.parameters = texts.parameters;
  kind.example = texts.example.c_str();
  return kind;
}

}  // namespace

std::span<const InputKind> input_kinds() {
  static std::deque<KindTexts> texts;
  static const std::vector<InputKind> kinds = [] {
    std::vector<InputKind> all;
    for (const InputKind& kind :
         {hdf5_kind(), external_kind(), values_kind(), npy_kind(), npz_kind(), csv_kind(), text_kind(), fasta_kind(),
          fastq_kind(), flo_kind(), image_kind(), graph_kind(), substitution_kind(), generate_kind()}) {
      all.push_back(with_row_sets(kind, texts));
    }
    return all;
  }();
  return kinds;
}

std::shared_ptr<Source> open_source(const InputKind& kind, const Settings& settings, const OpenContext& context) {
  return with_rows_as_set(kind.open(settings, context), settings);
}

bool is_holdable(const Extents& shape) {
  try {
    return volume(shape) <= most_elements;
  } catch (const Error&) {
    return false;
  }
}

Extents shape_setting(const Settings& settings, const std::string& key) {
  const auto& values = settings.get<std::vector<std::int64_t>>(key);
  if (values.empty()) fail_setting(settings, key, key + ": give at least one extent, as [3, 4]");
  if (values.size() > static_cast<std::size_t>(max_rank)) {
    fail_setting(settings, key, key + ": has " + std::to_string(values.size()) + " dimensions; the most are 32");
  }
  Extents shape;
  std::vector<ElementFault> faults;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) faults.push_back({i, key + ": the extent " + std::to_string(values[i]) + " is negative"});
    shape.push_back(values[i]);
  }
  if (!faults.empty()) throw ElementError(settings, key, std::move(faults));
  if (!is_holdable(shape)) {
    fail_setting(settings, key,
                 key + ": " + to_string(shape) + " elements are more than any machine holds; give a smaller shape");
  }
  return shape;
}

std::optional<ElementType> type_setting(const Settings& settings, const std::string& key) {
  const auto name = settings.find<std::string>(key);
  if (!name || name->empty()) return std::nullopt;
  const auto type = element_type_from(*name);
  if (!type) fail_setting(settings, key, key + ": '" + *name + "' is no element type; there are " + element_types);
  return type;
}

}  // namespace terrace::io
