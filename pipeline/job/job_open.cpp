// Opening the inputs of a job.
#include <algorithm>

#include "io/input_file.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/job/job_reader.hpp"

namespace terrace::job {
namespace {

/// An input failed because an input that it is made of failed, which is reported there.
struct Reported {};

class InputOpener {
 public:
  InputOpener(const Draft& draft, std::span<const io::InputKind> kinds, CheckContext& context, bool to_run)
      : draft_(draft), kinds_(kinds), context_(context), to_run_(to_run), tried_(draft.job.inputs.size()) {}

  std::map<std::string, std::shared_ptr<io::Source>> open_all() {
    for (std::size_t i = 0; i < tried_.size(); ++i) open(i);
    return std::move(sources_);
  }

 private:
  /// The source, or null if it cannot be opened; tries once.
  std::shared_ptr<io::Source> open(std::size_t index) {
    const Input& input = draft_.job.inputs[index];
    if (draft_.input_complete[index] && !tried_[index]) {
      tried_[index] = true;
      if (auto source = try_open(index)) sources_[input.name] = std::move(source);
    }
    auto at = sources_.find(input.name);
    return at == sources_.end() ? nullptr : at->second;
  }

  std::shared_ptr<io::Source> try_open(std::size_t index) {
    const Input& input = draft_.job.inputs[index];
    const auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& k) { return input.kind == k.name; });
    io::OpenContext around{draft_.job.folder, [this](const std::string& name) { return need(name); }};
    around.cache_bytes = cache_of_an_input();
    around.warn = [&](const std::string& what) {
      context_.warnings.add(position_of(index), "input '" + input.name + "': " + what);
    };
    around.element_places = [&](const std::string& key) { return places_of_elements(index, key); };
    around.host_memory = draft_.job.host_memory;
    around.to_run = to_run_;
    try {
      return io::open_source(*kind, input.settings, around);
    } catch (const Reported&) {
    } catch (const io::ElementError& error) {
      for (const io::ElementFault& fault : error.faults()) {
        context_.complaints.add(position_of_element(index, error.key(), fault.element), fault.message);
      }
    } catch (const JobError& error) {
      for (const std::string& message : error.messages()) complain(index, message);
    } catch (const io::DiskError&) {
      throw;  // the job is right
    } catch (const Error& error) {
      complain(index, error.what());
    }
    return nullptr;
  }

  /// Inputs keep decoded data in at most a quarter of the memory that the job gives, in equal parts.
  std::size_t cache_of_an_input() const {
    constexpr std::size_t most = std::size_t{64} << 20;
    if (!draft_.job.host_memory) return most;
    return std::min(most, static_cast<std::size_t>(*draft_.job.host_memory) / 4 / draft_.job.inputs.size());
  }

  std::shared_ptr<io::Source> need(const std::string& name) {
    const Input* input = draft_.job.find_input(name);
    auto source = input ? open(static_cast<std::size_t>(input - draft_.job.inputs.data())) : nullptr;
    if (!source) throw Reported{};
    return source;
  }

  /// The function that opened the input may know the setting's place: then the message has it and is complete.
  void complain(std::size_t index, const std::string& message) {
    const Input& input = draft_.job.inputs[index];
    if (const auto position = position_in(input, message)) context_.complaints.add_rendered(*position, message);
    else context_.complaints.add(position_of(index), "input '" + input.name + "': " + message);
  }

  /// The place that names an input which cannot be opened: in the file, or the setting of the command line.
  Position position_of(std::size_t index) const {
    const Input& input = draft_.job.inputs[index];
    if (!input.settings.has(input.kind)) return draft_.input_positions[index];
    const auto given = context_.complaints.sources().position_of(input.settings.place(input.kind));
    return given && given->source > 0 ? *given : draft_.input_positions[index];
  }

  Position position_of_element(std::size_t index, const std::string& key, std::size_t element) const {
    const Node* node = find_element(*draft_.input_nodes[index], key, element);
    return node ? node->position : position_of(index);
  }

  /// Places for errors that are found later, which outlive the text's own sources. Null if the setting is no list.
  io::ElementPlaces places_of_elements(std::size_t index, const std::string& key) {
    const Node* node = find_setting(*draft_.input_nodes[index], key);
    if (!node || node->kind != Node::Kind::list) return nullptr;
    std::vector<Position> positions;
    for (const Node& item : node->items) positions.push_back(item.position);
    if (!kept_text_) kept_text_ = std::make_shared<const Sources>(context_.complaints.sources());
    return [positions = std::move(positions), text = kept_text_](std::size_t element) {
      return text->place(positions.at(element)).text;
    };
  }

  std::optional<Position> position_in(const Input& input, const std::string& message) const {
    std::optional<Position> position;
    const auto look = [&](const Place& place) {
      const bool begins = !place.text.empty() && message.starts_with(place.text + ": ");
      if (begins) position = context_.complaints.sources().position_of(place);
    };
    look(input.place);
    input.settings.for_each([&](const std::string&, const Value&, const Place& place) { look(place); });
    return position;
  }

  const Draft& draft_;
  std::span<const io::InputKind> kinds_;
  CheckContext& context_;
  bool to_run_;
  std::vector<bool> tried_;
  std::shared_ptr<const Sources> kept_text_ = nullptr;  // a copy, made once it is needed
  std::map<std::string, std::shared_ptr<io::Source>> sources_;
};

}  // namespace

std::map<std::string, std::shared_ptr<io::Source>> open_inputs(const Draft& draft,
                                                               std::span<const io::InputKind> kinds,
                                                               CheckContext& context, bool to_run) {
  return InputOpener(draft, kinds, context, to_run).open_all();
}

}  // namespace terrace::job
