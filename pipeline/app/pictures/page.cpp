#include "pipeline/app/pictures/page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/report/axis.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

// Colours of stages: those that Okabe and Ito chose for the colour-blind, darker on white and lighter on black.
constexpr const char* style = R"(
:root { color-scheme: light dark; --page: #fff; --ink: #1a1a1a; --soft: #5c5c5c; --line: #d0d0d0; --band: #f4f4f4;
  --s0: #0072b2; --s1: #c44e00; --s2: #008060; --s3: #b0518d; --s4: #7d6200; --s5: #2f86c0; --s6: #6d4cc0; --s7: #666; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181b; --ink: #e8e8e8; --soft: #a8a8a8; --line: #44484d; --band: #202327;
    --s0: #56b4e9; --s1: #ff9d5c; --s2: #3ddbb0; --s3: #f0a6d0; --s4: #e6d442; --s5: #9bd3f5; --s6: #b9a3f5;
    --s7: #bbb; }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
h1 { font-size: 1.7rem; margin: 1rem 0 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p, caption { color: var(--soft); } a { color: var(--s0); }
nav a { margin-right: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .2rem 0 .4rem; }
th, td { padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 500; } tbody th { font-weight: 600; white-space: nowrap; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.short { white-space: nowrap; } td.text { max-width: 26rem; overflow-wrap: break-word; }
svg { display: block; width: 100%; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg text.soft { fill: var(--soft); } svg .grid { stroke: var(--line); stroke-width: 1; fill: none; }
svg .band { fill: var(--band); } svg .ceiling { stroke: var(--soft); stroke-width: 1.5; fill: none; }
svg .dashed { stroke-dasharray: 5 4; } svg .halo { paint-order: stroke; stroke: var(--page); stroke-width: 3; }
.s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .s2 { --c: var(--s2); } .s3 { --c: var(--s3); }
.s4 { --c: var(--s4); } .s5 { --c: var(--s5); } .s6 { --c: var(--s6); } .s7 { --c: var(--s7); }
svg .s0, svg .s1, svg .s2, svg .s3, svg .s4, svg .s5, svg .s6, svg .s7 { fill: var(--c); }
svg .hollow { fill: none; stroke: var(--c); stroke-width: 1.5; }
.chip { display: inline-block; width: .8em; height: .8em; border-radius: .15em; background: var(--c);
  margin-right: .4em; }
.legend span { margin-right: 1.2rem; white-space: nowrap; }
meter { width: 7rem; } pre { background: var(--band); padding: .8rem 1rem; overflow-x: auto; font-size: .85rem; }
@media (max-width: 44rem) {
  main { padding: .5rem .9rem 3rem; }
  table, caption, tbody, tr { display: block; } thead { display: none; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  th, td { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0; }
  tbody th { display: block; } td:empty { display: none; }
  tbody th, td, td.n, td.short, td.text { white-space: normal; overflow-wrap: anywhere; max-width: none; }
  td::before { content: attr(data-label); color: var(--soft); white-space: nowrap; text-align: left; }
  td { text-align: right; }
}
)";

constexpr std::size_t most_short = 24;  // letters of a cell that is not wrapped

bool is_number(const std::string& cell) { return cell.starts_with("<data "); }

/// True for columns that hold numbers alone, and empty cells.
bool is_of_numbers(const PageTable& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    if (!row.at(column).empty() && !is_number(row.at(column))) return false;
    any = any || !row.at(column).empty();
  }
  return any;
}

}  // namespace

void begin_page(std::ostream& out, const std::string& title) {
  const std::string name = escape_markup(title);
  out << report_kind.begins
      << "\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      << "<title>" << name << " - Terrace</title>\n<style>" << style
      << "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>" << name << "</h1>\n";
}

void end_page(std::ostream& out) { out << "</main>\n</body>\n</html>\n"; }

void begin_section(std::ostream& out, const std::string& id, const std::string& heading) {
  out << "<section id=\"" << id << "\">\n<h2>" << heading << "</h2>\n";
}

void end_section(std::ostream& out) { out << "</section>\n"; }

std::string data_markup(double value, const std::string& shown) {
  return fmt::format("<data value=\"{}\">{}</data>", value, escape_markup(shown));
}

void write_table(std::ostream& out, const PageTable& table) {
  out << "<div class=\"wide\"><table>\n<caption>" << escape_markup(table.caption) << "</caption>\n<thead><tr>";
  for (std::size_t column = 0; column < table.heading.size(); ++column) {
    out << "<th scope=\"col\"" << (is_of_numbers(table, column) ? " class=\"n\"" : "") << ">"
        << escape_markup(table.heading[column]) << "</th>";
  }
  out << "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out << "<tr><th scope=\"row\">" << row.at(0) << "</th>";
    for (std::size_t column = 1; column < row.size(); ++column) {
      const bool is_short = row[column].size() <= most_short;
      out << "<td class=\""
          << (is_number(row[column]) ? "n"
              : is_short             ? "short"
                                     : "text")
          << "\" data-label=\"" << escape_markup(table.heading.at(column)) << "\">" << row[column] << "</td>";
    }
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n";
}

void begin_picture(std::ostream& out, double height, const std::string& id, const std::string& title) {
  out << fmt::format("<svg role=\"img\" height=\"{:.0f}\" aria-labelledby=\"{}\"><title id=\"{}\">{}</title>\n",
                     height, id, id, escape_markup(title));
}

void end_picture(std::ostream& out) { out << "</svg>\n"; }

std::string across(double part) { return fmt::format("{:.3f}%", 100 * part); }

void write_time_axis(std::ostream& out, double seconds, double top, double bottom) {
  constexpr int ticks = 5;
  constexpr double near_end = 0.9;
  for (const double tick : linear_ticks(0, seconds, ticks)) {
    const double part = tick / seconds;
    const char* anchor = tick == 0 ? "start" : part > near_end ? "end" : "middle";
    out << fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text class=\"soft\" x=\"{0}\" y=\"{3}\" "
        "text-anchor=\"{4}\">{5}</text>\n",
        across(part), top, bottom, bottom + 15, anchor, tick == 0 ? "0" : escape_markup(format_duration(tick)));
  }
}

std::string colour_class(std::size_t stage) { return "s" + std::to_string(stage % stage_colours); }

}  // namespace terrace::app
