#include "pipeline/app/pictures/plot.hpp"

#include "pipeline/app/pictures/plot/kinds.hpp"

namespace terrace::app {

const PictureKind& picture_kind_of(const std::filesystem::path& path) {
  static constexpr const char* endings = ".png, .svg or .pdf";
  static constexpr PictureKind png{"a PNG picture", "\x89PNG\r\n\x1a\n", ".png", endings};
  static constexpr PictureKind svg{"an SVG picture", svg_begins, ".svg", endings};
  static constexpr PictureKind pdf{"a PDF", "%PDF-", ".pdf", endings};
  const std::string ending = ending_of(path);
  return ending == svg.ending ? svg : ending == pdf.ending ? pdf : png;
}

PictureForm picture_form_of(const std::filesystem::path& path) {
  const std::string ending = ending_of(path);
  return ending == ".svg" ? PictureForm::svg : ending == ".pdf" ? PictureForm::pdf : PictureForm::png;
}

std::string title_of(const MadeResult& result, const PlotSubject& subject) {
  return result.reader().attribute("title").value_or("") + ": " + subject.dataset.path.substr(1);
}

void draw_dataset(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices,
                  std::ostream& out) {
  if (subject.sort == PlotSort::table) draw_table(result, subject, choices, out);
  else if (subject.sort == PlotSort::alignment) draw_alignment(result, subject, choices, out);
  else draw_line(result, subject, choices, out);
}

}  // namespace terrace::app
