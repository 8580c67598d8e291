#include "pipeline/app/pictures/plot/gnuplot.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>

#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::app {
namespace {

constexpr std::size_t longest_text = 120;  // of a text
constexpr const char* name = "gnuplot";

[[noreturn]] void fail(const std::string& what) { throw Error(std::string(name) + ": " + what); }

/// A file in memory, for what a child writes.
io::Descriptor memory_file() {
  io::Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (!file) fail(std::string("no memory for its output: ") + std::strerror(errno));
  return file;
}

std::string content_of(const io::Descriptor& file) {
  std::string text(static_cast<std::size_t>(io::size_of_file(file, name)), '\0');
  io::read_fully(file.get(), std::as_writable_bytes(std::span(text.data(), text.size())), 0, name);
  return text;
}

/// What to hand to a child before it starts.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  void use(const io::Descriptor& file, int as) { posix_spawn_file_actions_adddup2(&actions_, file.get(), as); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

pid_t start(const io::Descriptor& in, const io::Descriptor& out, const io::Descriptor& err) {
  FileActions actions;
  actions.use(in, STDIN_FILENO);
  actions.use(out, STDOUT_FILENO);
  actions.use(err, STDERR_FILENO);
  std::array<char*, 4> arguments{const_cast<char*>(name), const_cast<char*>("--default-settings"),
                                 const_cast<char*>("-"), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, name, actions.get(), nullptr, arguments.data(), environ);
  if (error == ENOENT) fail("is not installed; it draws the picture: install the package gnuplot-nox");
  if (error != 0) fail(std::string("cannot be started: ") + std::strerror(error));
  return child;
}

/// Writes all, or as much as the other end takes: it says itself why it has ended.
void send(const io::Descriptor& pipe_end, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(pipe_end.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// The command that chooses the form and the size, in pixels of 1/96 inch.
std::string terminal_of(PictureForm form, const std::string& font, int width, int height) {
  constexpr const char* look = "background '#ffffff'";
  constexpr double pixels_an_inch = 96;
  if (form == PictureForm::svg) {
    return fmt::format("set terminal svg noenhanced size {},{} font {} {}", width, height, font, look);
  }
  if (form == PictureForm::pdf) {
    return fmt::format("set terminal pdfcairo noenhanced size {:.4f}in,{:.4f}in font {} fontscale 0.75 {}",
                       width / pixels_an_inch, height / pixels_an_inch, font, look);
  }
  return fmt::format("set terminal pngcairo noenhanced size {},{} font {} {}", width, height, font, look);
}

/// SVG that begins as all of this program's does.
std::string marked(const std::string& svg) {
  return std::string(svg_begins) + svg.substr(std::min(svg.find("<svg"), svg.size()));
}

std::string fraction(int pixels, int whole) { return fmt::format("{:.8f}", static_cast<double>(pixels) / whole); }

}  // namespace

Gnuplot::Gnuplot(const Canvas& canvas, const PictureTexts& texts, PictureForm form) : form_(form) {
  const int width = canvas.left + canvas.width + canvas.right, height = canvas.top + canvas.height + canvas.bottom;
  command("set encoding utf8");
  command("{}", terminal_of(form, font(11), width, height));
  command("set lmargin at screen {}", fraction(canvas.left, width));
  command("set rmargin at screen {}", fraction(canvas.left + canvas.width, width));
  command("set bmargin at screen {}", fraction(canvas.bottom, height));
  command("set tmargin at screen {}", fraction(canvas.bottom + canvas.height, height));
  command("set tics out nomirror");
  command("set label 1 {} at screen 0.5,{} center font {}", gnuplot_text(texts.title), fraction(height - 24, height),
          font(13));
  command("set label 2 {} at screen 0.5,{} center textcolor '#505050'", gnuplot_text(texts.note),
          fraction(height - 46, height));
  // At the edges: gnuplot leaves a label of an axis out if names along the axis take its place.
  command("set label 3 {} at screen {},{} center", gnuplot_text(texts.x),
          fraction(canvas.left + canvas.width / 2, width), fraction(20, height));
  command("set label 4 {} at screen {},{} center rotate by 90", gnuplot_text(texts.y), fraction(26, width),
          fraction(canvas.bottom + canvas.height / 2, height));
}

void Gnuplot::graph(const std::string& what, const std::vector<double>& data) {
  graphs_ += (graphs_.empty() ? "plot '-' " : ", '-' ") + what;
  data_.append(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(double));
}

std::string Gnuplot::font(int points) const {
  constexpr double pixels_a_point = 96.0 / 72;  // SVG counts pixels
  if (form_ != PictureForm::svg) return fmt::format("'sans,{}'", points);
  return fmt::format("'sans-serif,{:.0f}'", points * pixels_a_point);
}

void Gnuplot::draw(std::ostream& picture) const {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(std::string("no pipe can be made: ") + std::strerror(errno));
  const io::Descriptor from(ends[0]);
  io::Descriptor to(ends[1]);
  const io::Descriptor out = memory_file(), err = memory_file();
  const pid_t child = start(from, out, err);
  send(to, script_ + graphs_ + "\n");
  send(to, data_);
  to = io::Descriptor();
  const int status = status_of(child);
  const std::string drawn = content_of(out), said = content_of(err);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || drawn.empty()) {
    fail("draws no picture: " + (said.empty() ? "it ended without a word" : said));
  }
  picture << (form_ == PictureForm::svg ? marked(drawn) : drawn);
}

std::string gnuplot_text(std::string_view text) {
  const std::string shown = printable(text.substr(0, longest_text));
  std::string result = "'";
  for (const char letter : shown) {
    if (letter == '\n' || letter == '\t') result += ' ';
    else if (letter == '\'' || letter == '`') result += "\u2019";
    else if (letter == '\\') result += '/';
    else result += letter;
  }
  return result + "'";
}

}  // namespace terrace::app
