#include "pipeline/app/pictures/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double left = 60, right = 930, top = 30, bottom = 344, whole_width = 1140, label_width = 170,
                 whole_height = 386;

/// Decades from `least` to `most` (powers of ten) on [from, to].
struct LogAxis {
  double least, most, from, to;

  double place(double logarithm) const { return from + (to - from) * (logarithm - least) / (most - least); }
};

LogAxis axis_around(double least, double most, double from, double to) {
  LogAxis axis{std::floor(std::log10(least) - 0.3), std::ceil(std::log10(most) + 0.3), from, to};
  if (axis.most - axis.least < 2) axis.most = axis.least + 2;
  return axis;
}

class RooflineWriter {
 public:
  RooflineWriter(std::ostream& out, const Roofline& roofline) : out_(out), roofline_(roofline) {
    double least_x = HUGE_VAL, most_x = 0, least_y = HUGE_VAL, most_y = 0;
    for (const RooflinePoint& point : roofline.points) {
      least_x = std::min(least_x, point.intensity), most_x = std::max(most_x, point.intensity);
      least_y = std::min(least_y, point.rate), most_y = std::max(most_y, point.rate);
    }
    for (const RooflineCeiling& ceiling : roofline.ceilings) {
      if (ceiling.operations > 0)
        most_y = std::max(most_y, ceiling.operations), least_y = std::min(least_y, ceiling.operations);
    }
    for (const RooflineCeiling& ceiling : roofline.ceilings) {  // where it meets the rates
      if (ceiling.bytes > 0)
        least_x = std::min(least_x, most_y / ceiling.bytes), most_x = std::max(most_x, most_y / ceiling.bytes);
    }
    x_ = axis_around(least_x, most_x, left, right);
    y_ = axis_around(least_y, most_y, bottom, top);
  }

  void write(const std::string& id) {
    out_ << fmt::format(
        "<svg role=\"img\" viewBox=\"0 0 {} {}\" aria-labelledby=\"{}\"><title id=\"{}\">Rates of stages over the "
        "{}s that they compute a byte, beside the ceilings</title>\n",
        whole_width, whole_height, id, id, escape_markup(roofline_.unit));
    write_axes();
    for (const RooflineCeiling& ceiling : roofline_.ceilings) write_ceiling(ceiling);
    for (const RooflinePoint& point : roofline_.points) write_point(point);
    out_ << "</svg>\n";
  }

 private:
  void write_axes() {
    const double step_x = std::ceil((x_.most - x_.least) / 10), step_y = std::ceil((y_.most - y_.least) / 8);
    for (double power = x_.least; power <= x_.most; power += step_x) {
      out_ << fmt::format(
          "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text class=\"soft\" x=\"{0:.1f}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>\n",
          x_.place(power), top, bottom, bottom + 16, label(power));
    }
    for (double power = y_.least; power <= y_.most; power += step_y) {
      out_ << fmt::format(
          "<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text class=\"soft\" x=\"{3}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5}</text>\n",
          left, y_.place(power), right, left - 6, y_.place(power) + 4, label(power));
    }
    out_ << fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}s a byte moved</text>\n",
                        (left + right) / 2, bottom + 36, escape_markup(roofline_.unit));
    out_ << fmt::format("<text class=\"soft\" x=\"0\" y=\"{}\">{}s per second</text>\n", top - 8,
                        escape_markup(roofline_.unit));
  }

  static std::string label(double power) {
    if (power < -2 || power > 17) return fmt::format("1e{:.0f}", power);
    return power < 0 ? fmt::format("{:g}", std::pow(10, power))
                     : fmt::format("{:.0f}{}", std::pow(10, std::fmod(power, 3)), prefix(power));
  }

  /// The SI prefix of a power of ten from 0 to 17.
  static const char* prefix(double power) {
    static constexpr const char* prefixes[] = {"", " k", " M", " G", " T", " P"};
    return prefixes[static_cast<std::size_t>(power / 3)];
  }

  void write_ceiling(const RooflineCeiling& ceiling) {
    // In logarithms the rate is `offset`, or `offset` + the operations a byte.
    const bool flat = ceiling.operations > 0;
    const double offset = std::log10(flat ? ceiling.operations : ceiling.bytes);
    double x0 = x_.least, x1 = x_.most;
    if (!flat) x0 = std::max(x0, y_.least - offset), x1 = std::min(x1, y_.most - offset);
    if (x0 >= x1) return;
    const auto y = [&](double x) { return y_.place(flat ? offset : offset + x); };
    out_ << fmt::format("<path class=\"ceiling{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"><title>{}</title></path>\n",
                        flat ? "" : " dashed", x_.place(x0), y(x0), x_.place(x1), y(x1), escape_markup(ceiling.name));
    const double end_x = x_.place(x1), label_x = flat ? right + 6 : std::max(end_x - 4, left + label_width);
    write_label(ceiling.name, "soft halo", label_x, flat ? y(x1) + 4 : std::max(y(x1), top) + 14, !flat);
  }

  /// Writes a label at a place, or below it where it would overlap earlier ones.
  void write_label(const std::string& text, const char* look, double x, double y, bool ends) {
    const auto is_taken = [&](const std::pair<double, double>& other) {
      return std::abs(other.first - x) < label_width && std::abs(other.second - y) < 14;
    };
    while (std::any_of(labels_.begin(), labels_.end(), is_taken)) y += 2;
    labels_.emplace_back(x, y);
    out_ << fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", look, x, y,
                        ends ? " text-anchor=\"end\"" : "", escape_markup(text));
  }

  void write_point(const RooflinePoint& point) {
    const double x = x_.place(std::log10(point.intensity)), y = y_.place(std::log10(point.rate));
    const std::string said =
        escape_markup(fmt::format("{}, {}: {}, {:.3g} {}s a byte", point.name, point.level,
                                  format_rate(point.rate, roofline_.unit + "/s"), point.intensity, roofline_.unit));
    const std::string colour = colour_class(point.stage);
    if (point.level == "disk") {
      out_ << fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"><title>{}</title></circle>\n",
                          colour, x, y, said);
    } else {
      out_ << fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\"><title>{}</title></rect>\n", colour,
          x - 4.5, y - 4.5, said);
    }
    write_label(point.name + ", " + point.level, "halo", x + 8, y - 7, false);
  }

  std::ostream& out_;
  const Roofline& roofline_;
  LogAxis x_{}, y_{};
  std::vector<std::pair<double, double>> labels_;  // their places
};

}  // namespace

void write_roofline(std::ostream& out, const Roofline& roofline, const std::string& id) {
  RooflineWriter(out, roofline).write(id);
}

}  // namespace terrace::app
