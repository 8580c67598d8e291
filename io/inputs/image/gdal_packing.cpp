#include "io/inputs/image/gdal_packing.hpp"

#include <libxml/parser.h>
#include <libxml/tree.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>

namespace terrace::io {
namespace {

constexpr std::uint32_t metadata_tag = 42112, no_data_tag = 42113;

/// The number that a text is, apart from blanks around it.
std::optional<long double> number_in(const std::string& text) {
  char* end = nullptr;
  const long double value = std::strtold(text.c_str(), &end);
  const auto rest = static_cast<std::size_t>(end - text.c_str());
  if (rest == 0 || text.find_first_not_of(" \t\r\n", rest) != text.npos) return std::nullopt;
  return value;
}

using XmlText = std::unique_ptr<xmlChar, void (*)(void*)>;

std::string string_of(XmlText text) { return text ? reinterpret_cast<const char*>(text.get()) : std::string(); }
void free_text(void* text) { xmlFree(text); }

std::string attribute(xmlNode* node, const char* name) {
  return string_of({xmlGetProp(node, reinterpret_cast<const xmlChar*>(name)), free_text});
}

/// True if an integer of the type may have that value.
bool may_equal(ElementType type, long double value) {
  return dispatch(type, [&](auto element) {
    using Limits = std::numeric_limits<decltype(element)>;
    return value >= static_cast<long double>(Limits::lowest()) && value <= static_cast<long double>(Limits::max());
  });
}

void add_no_data(Packing& packing, const std::string& text, std::vector<std::string>& faults) {
  std::optional<long double> value = number_in(text);
  if (!value) {
    faults.push_back("tag GDAL_NODATA, '" + text + "', is no number");
    return;
  }
  if (!is_floating(packing.element) && !may_equal(packing.element, *value)) return;
  if (packing.element == ElementType::f32) value = static_cast<long double>(static_cast<float>(*value));
  if (!std::isnan(*value)) packing.fills.push_back({*value, "tag GDAL_NODATA"});
}

/// Adds the scale and the offset of the band: <Item sample="0" role="scale">0.1</Item>, and role "offset".
void add_scale(Packing& packing, const std::string& text, int band, std::vector<std::string>& faults) {
  const std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> xml(
      xmlReadMemory(text.data(), static_cast<int>(text.size()), "GDAL_METADATA", nullptr,
                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING),
      xmlFreeDoc);
  if (!xml) {
    faults.push_back("tag GDAL_METADATA is no XML");
    return;
  }
  for (xmlNode* item = xmlDocGetRootElement(xml.get())->children; item != nullptr; item = item->next) {
    if (item->type != XML_ELEMENT_NODE || attribute(item, "sample") != std::to_string(band)) continue;
    const std::string role = attribute(item, "role");
    if (role != "scale" && role != "offset") continue;
    const std::string content = string_of({xmlNodeGetContent(item), free_text});
    const auto value = number_in(content);
    if (!value || !std::isfinite(static_cast<double>(*value))) {
      faults.push_back("tag GDAL_METADATA, " + role + " '" + content + "', is no finite number");
      continue;
    }
    (role == "scale" ? packing.scale : packing.offset) = static_cast<double>(*value);
  }
}

}  // namespace

Packing gdal_packing(const TiffFile& file, ElementType type, int band, std::vector<std::string>& faults) {
  Packing packing;
  packing.element = type;
  packing.scale_origin = "tag GDAL_METADATA";
  if (const auto text = file.text(no_data_tag)) add_no_data(packing, *text, faults);
  if (const auto text = file.text(metadata_tag)) add_scale(packing, *text, band, faults);
  return packing;
}

}  // namespace terrace::io
