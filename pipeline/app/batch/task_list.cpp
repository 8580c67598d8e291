#include "pipeline/app/batch/task_list.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* remedy = "--again lists the tasks anew";

Json values_json(const job::TaskValues& values) {
  Json list = Json::array();
  for (const auto& [name, value] : values) {
    list.push_back(
        {{"name", name}, {"value", text_json(value.text)}, {"text", value.quoted}, {"index", value.index}});
  }
  return list;
}

job::TaskValues values_from(const Json& list) {
  job::TaskValues values;
  for (const Json& value : list) {
    values.emplace_back(value.at("name").get<std::string>(),
                        job::SweepValue{text_from(value.at("value")), value.at("text"), value.at("index")});
  }
  return values;
}

/// The list as JSON, a task a line.
std::string text_of_list(const job::TaskList& list) {
  std::string text = "{\"sweep\": " + list.sweep.dump() + ",\n\"tasks\": [\n";
  for (std::size_t number = 0; number < list.tasks.size(); ++number) {
    const Json task = {{"task", number}, {"values", values_json(list.tasks[number])}};
    text += task.dump() + (number + 1 < list.tasks.size() ? ",\n" : "\n");
  }
  return text + "]}\n";
}

/// The list in the file, or nullopt if there is none.
std::optional<job::TaskList> read_list(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const std::vector<std::byte> bytes = io::read_file(path);
  return read_json(path.string(), remedy, [&] {
    const char* text = reinterpret_cast<const char*>(bytes.data());
    const Json json = Json::parse(text, text + bytes.size());
    job::TaskList list{json.at("sweep"), {}};
    for (const Json& task : json.at("tasks")) list.tasks.push_back(values_from(task.at("values")));
    return list;
  });
}

/// Writes the list, unless another process has listed the tasks in between. @param again replaces a list
void write_list(const fs::path& path, const job::TaskList& list, bool again) {
  const fs::path made = path.string() + fmt::format(".{}", ::getpid());
  io::write_file_durably(made, text_of_list(list));
  if (again) io::rename_durably(made, path);
  else if (!io::rename_to_new(made, path)) fs::remove(made);
}

/// The number at the front of a text, which is taken off.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || text.starts_with('-')) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

fs::path list_path(const fs::path& batch) { return batch.string() + ".tasks"; }

job::Batch known_batch(const JobArguments& arguments) {
  const auto list = read_list(list_path(arguments.path));
  return job::load_batch(arguments.path, arguments.settings, list ? &*list : nullptr);
}

job::Batch listed_batch(const JobArguments& arguments, bool again) {
  const fs::path path = list_path(arguments.path);
  std::error_code ignored;
  if (again || !fs::exists(path, ignored)) {
    write_list(path, job::load_batch(arguments.path, arguments.settings, nullptr).list, again);
  }
  return known_batch(arguments);
}

JobArguments task_arguments(const JobArguments& batch, const job::Task& task) {
  JobArguments arguments = batch;
  arguments.task = std::make_shared<const job::Task>(task);
  return arguments;
}

TaskRange task_range(const std::string& text, const job::Batch& batch) {
  const std::int64_t last = std::ssize(batch.tasks) - 1;
  if (text.empty()) return {0, last};
  std::string_view rest = text;
  const auto first = take_number(rest);
  std::optional<std::int64_t> end = first;
  if (rest.starts_with('-')) {
    rest.remove_prefix(1);
    end = take_number(rest);
  }
  if (!first || !end || !rest.empty() || *first > *end) {
    throw JobError("--task " + text + ": name one task, such as 17, or a range of tasks, such as 10-19");
  }
  if (*end > last) {
    throw JobError(fmt::format("--task {}: {} has {}, numbered from 0 to {}", text, batch.file.string(),
                               counted(last + 1, "task"), last));
  }
  return {*first, *end};
}

}  // namespace terrace::app
