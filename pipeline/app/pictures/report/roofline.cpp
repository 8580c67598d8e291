#include "pipeline/app/pictures/report/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/page.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double top = 30, bottom = 344, height = 386;
constexpr double left = 46;           // pixels beside the plane, for names of rates
constexpr double plane = 0.86;        // of the picture's width
constexpr double narrow = 330;        // pixels of the plane on a narrow page, for which labels are kept apart
constexpr double letter_width = 6.5;  // pixels
constexpr double label_height = 14;

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

/// A label's box on a narrow page, in pixels.
struct LabelBox {
  double left, right, y;

  bool meets(const LabelBox& other) const {
    return left < other.right && other.left < right && std::abs(y - other.y) < label_height;
  }
};

/// Draws the plane: places across are parts of the picture's width, places down are pixels.
class RooflineWriter {
 public:
  RooflineWriter(std::ostream& out, const Roofline& roofline) : out_(out), roofline_(roofline) {
    double least_x = HUGE_VAL, most_x = 0, least_y = HUGE_VAL, most_y = 0;
    for (const RooflinePoint& point : roofline.points) {
      least_x = std::min(least_x, point.intensity), most_x = std::max(most_x, point.intensity);
      least_y = std::min(least_y, point.rate), most_y = std::max(most_y, point.rate);
    }
    for (const RooflineCeiling& ceiling : roofline.ceilings) {
      highest_ = std::max(highest_, ceiling.operations), fastest_ = std::max(fastest_, ceiling.bytes);
      if (ceiling.operations > 0)
        most_y = std::max(most_y, ceiling.operations), least_y = std::min(least_y, ceiling.operations);
    }
    for (const RooflineCeiling& ceiling : roofline.ceilings) {  // where it meets the rates
      if (ceiling.bytes > 0)
        least_x = std::min(least_x, most_y / ceiling.bytes), most_x = std::max(most_x, most_y / ceiling.bytes);
    }
    x_ = axis_around(least_x, most_x, 0, plane);
    y_ = axis_around(least_y, most_y, bottom, top);
  }

  void write(const std::string& id) {
    begin_picture(out_, height, id,
                  "Rates of stages over the " + roofline_.unit + "s that they compute a byte, below their roofs");
    out_ << fmt::format("<g transform=\"translate({})\">\n", left);
    write_axes();
    for (const RooflineCeiling& ceiling : roofline_.ceilings) write_ceiling(ceiling);
    for (const RooflinePoint& point : roofline_.points) write_point(point);
    out_ << "</g>\n";
    end_picture(out_);
  }

 private:
  void write_axes() {
    const double step_x = std::ceil((x_.most - x_.least) / 6), step_y = std::ceil((y_.most - y_.least) / 8);
    for (double power = x_.least; power <= x_.most; power += step_x) {
      out_ << fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text class=\"soft\" x=\"{0}\" "
          "y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>\n",
          across(x_.place(power)), top, bottom, bottom + 16, label(power));
    }
    for (double power = y_.least; power <= y_.most; power += step_y) {
      out_ << fmt::format(
          "<line class=\"grid\" x1=\"0\" x2=\"{0}\" y1=\"{1:.1f}\" y2=\"{1:.1f}\"/><text class=\"soft\" x=\"-6\" "
          "y=\"{2:.1f}\" text-anchor=\"end\">{3}</text>\n",
          across(plane), y_.place(power), y_.place(power) + 4, label(power));
    }
    out_ << fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}s a byte moved</text>\n",
                        across(plane / 2), bottom + 36, escape_markup(roofline_.unit));
    out_ << fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\">{}s per second</text>\n", -left, top - 12,
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

  /// Roofs are cut where they cross: a sloped one ends at the highest level one, and that begins at the steepest.
  void write_ceiling(const RooflineCeiling& ceiling) {
    // In logarithms the rate is `offset`, or `offset` + the operations a byte.
    const bool flat = ceiling.operations > 0;
    const double offset = std::log10(flat ? ceiling.operations : ceiling.bytes);
    double begin = x_.least, end = x_.most;
    if (flat && fastest_ > 0) begin = std::max(begin, offset - std::log10(fastest_));
    if (!flat) {
      begin = std::max(begin, y_.least - offset);
      end = std::min(end, (highest_ > 0 ? std::log10(highest_) : y_.most) - offset);
    }
    if (begin >= end) return;
    const auto y = [&](double x) { return y_.place(flat ? offset : offset + x); };
    out_ << fmt::format(
        "<line class=\"ceiling{}\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"><title>{}</title></line>\n",
        flat ? "" : " dashed", across(x_.place(begin)), y(begin), across(x_.place(end)), y(end),
        escape_markup(ceiling.name));
    const double place = flat ? end : (begin + end) / 2;
    const bool ends = flat || x_.place(place) > plane / 2;
    write_label(ceiling.name, "soft halo", x_.place(place),
                flat   ? 0
                : ends ? -8
                       : 8,
                flat ? y(place) - 5 : y(place) + 14, ends);
  }

  /// Writes a label `beside` pixels from a place, or below it where it would meet earlier ones. @param ends at the
  /// place
  void write_label(const std::string& text, const char* look, double x, double beside, double y, bool ends) {
    const double at = narrow * x / plane + beside, wide = letter_width * static_cast<double>(text.size());
    LabelBox box{ends ? at - wide : at, ends ? at : at + wide, y};
    while (std::any_of(labels_.begin(), labels_.end(), [&](const LabelBox& other) { return box.meets(other); })) {
      box.y += 2;
    }
    labels_.push_back(box);
    out_ << fmt::format("<text class=\"{}\" x=\"{}\" dx=\"{}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", look,
                        across(x), beside, box.y, ends ? "end" : "start", escape_markup(text));
  }

  void write_point(const RooflinePoint& point) {
    const double x = x_.place(std::log10(point.intensity)), y = y_.place(std::log10(point.rate));
    const std::string said =
        escape_markup(fmt::format("{}, {}: {}, {:.3g} {}s a byte", point.name, point.level,
                                  format_rate(point.rate, roofline_.unit + "/s"), point.intensity, roofline_.unit));
    const std::string colour = colour_class(point.stage);
    if (point.level == "disk") {
      out_ << fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{:.1f}\" r=\"5\"><title>{}</title></circle>\n", colour,
                          across(x), y, said);
    } else {
      out_ << fmt::format(
          "<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"9\" height=\"9\" "
          "transform=\"translate(-4.5)\"><title>{}</title></rect>\n",
          colour, across(x), y - 4.5, said);
    }
    const bool ends = x > plane / 2;
    write_label(point.name + ", " + point.level, "halo", x, ends ? -8 : 8, y + 16, ends);
  }

  std::ostream& out_;
  const Roofline& roofline_;
  LogAxis x_{}, y_{};
  double highest_ = 0, fastest_ = 0;  // of the level roofs, and of the sloped ones
  std::vector<LabelBox> labels_;
};

}  // namespace

void write_roofline(std::ostream& out, const Roofline& roofline, const std::string& id) {
  RooflineWriter(out, roofline).write(id);
}

}  // namespace terrace::app
