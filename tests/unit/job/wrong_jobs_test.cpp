// Wrong jobs, and the places and words of their errors.
#include "tests/unit/job/wrong_job.hpp"

namespace terrace::job {
namespace {

const std::string ends = "output: o.h5\n";
/// One input; line 1.
const std::string one_input = "inputs: {a: {generate: dna}}\n";

/// A job whose line 2 is `line`.
std::string with_header(const std::string& line) {
  return one_input + line + "\nstages: [{name: s, wavefront: {problem: summed_area, grid: a}}]\n" +
         (line.find("output") == std::string::npos ? ends : "");
}

/// A job whose inputs are `inputs`, from line 2 on; the stage reads `a`.
std::string with_inputs(const std::string& inputs) {
  return "inputs:\n" + inputs + "\nstages: [{name: s, wavefront: {problem: summed_area, grid: a}}]\n" + ends;
}

/// A job with one alignment whose line 5 is `keys`.
std::string with_keys(const std::string& keys) {
  return one_input + ends + "stages:\n- name: s\n  wavefront: {" + keys + "}\n";
}

/// An alignment in order, but for `keys`, which begin at 5:67.
std::string aligning(const std::string& keys) {
  return with_keys("problem: smith_waterman, rows: a, columns: a,         " + keys);
}

/// A stencil in order, but for `keys`, which begin at 5:51.
std::string stepping(const std::string& keys) {
  return one_input + ends + "stages:\n- name: s\n  stencil: {operator: heat, grid: a, steps: 5,    " + keys + "}\n";
}

/// A job whose stages are `stages`, from line 4 on.
std::string with_stages(const std::string& stages) { return one_input + ends + "stages:\n" + stages; }

const std::string align_t = "- name: t\n  wavefront: {problem: smith_waterman, rows: a, columns: a, keep: table}\n";
/// A temporary stage.
std::string nothing_kept(const std::string& name) {
  return "- name: " + name + "\n  temporary: true\n  wavefront: {problem: summed_area, grid: a}\n";
}

const std::string align_s = "- name: t\n  wavefront: {problem: smith_waterman, rows: a, columns: a}\n";

std::vector<WrongJob> wrong_syntax() {
  return {
      {"an empty file", "", "1:1", {"the job is empty"}},
      {"comments alone", "# nothing\n", "1:1", {"the job is empty"}},
      {"a list", "- a\n- b\n", "1:1", {"a job is a map of keys", "not a list of 2"}},
      {"a word", "hello", "1:1", {"a job is a map of keys", "not 'hello'"}},
      {"a tab", one_input + "memory:\n\thost: 1GiB\n", "3:1", {"spaces, not tabs"}},
      {"two documents", with_header("backend: cpu") + "---\njob: b\n", "5:1", {"second document"}},
      {"a brace left open", one_input + "memory: {host: 1GiB\n" + ends, "3:7", {"braces"}},
      {"a bracket left open", one_input + "devices: [0, 1\n" + ends, "3:7", {"brackets"}},
      {"wrong indentation", one_input + " backend: cpu\n", "2:2", {"not valid YAML"}},
      {"a zero byte", std::string("job: a\0b\n", 9), "1:7", {"no text in UTF-8 (byte 6"}},
      {"bytes that are no UTF-8", "job: x\nname: \xff\xfe\n", "2:7", {"no text in UTF-8"}},
      {"a quote left open", with_header("backend: 'cpu"), "2:10", {"this quote is not closed"}},
      {"a quote left open in braces", with_header("memory: {host: \"1GiB}"), "2:16", {"this quote is not closed"}},
      {"a merge key", with_header("memory: {<<: 3}"), "2:10", {"merge keys (<<) are no part of a job"}},
      {"no colon before a brace", with_header("memory {host: 1GiB}"), "2:8", {"missing before this '{'"}},
      {"no-break spaces",
       with_header("\xC2\xA0\xC2\xA0"
                   "backend: cpu"),
       "2:1",
       {"no-break space (U+00A0)"}},
      {"an unknown alias", with_header("backend: *none"), "2:10", {"alias"}},
      {"an alias in its anchor", with_header("devices: &d [*d]"), "2:14", {"alias"}},
      {"no colon after a key", one_input + "stages\n- name: s\n" + ends, "3:7", {"a line above may lack its ':'"}},
      {"a bracket that closes a brace", with_header("memory: {host: 1GiB]"), "2:20", {"closes none of its kind"}},
      {"a tag", with_header("backend: !!str cpu"), "2:10", {"tag", "take it away"}},
      {"a map as a key", with_header("{a: b}: c"), "2:1", {"a key must be a word"}},
      {"no key", with_header(": c"), "2:1", {"key"}},
      {"deep nesting", with_header("devices: " + std::string(70, '[') + std::string(70, ']')), "2:73", {"64 deep"}},
  };
}

std::vector<WrongJob> wrong_headers() {
  return {
      {"an unknown key", with_header("scrath: {size: 1GiB}"), "2:1", {"unknown key 'scrath'", "'scratch'?"}},
      {"a far unknown key", with_header("xyzzy: 1"), "2:1", {"unknown key 'xyzzy'", "it takes job, memory, scratch"}},
      {"a zero byte in a text", with_header("job: \"a\\0b\""), "2:6", {"'job' takes a text", "no zero byte"}},
      {"an unknown nested key", with_header("memory: {hots: 1GiB}"), "2:10", {"'hots' in 'memory'", "'host'?"}},
      {"a duplicate key", with_header("inputs: {b: {generate: dna}}"), "2:1", {"duplicate key 'inputs'", "line 1"}},
      {"a scalar for a map", with_header("memory: 4GiB"), "2:9", {"takes a map {host: ...}", "'4GiB'"}},
      {"nothing for a map", with_header("memory:"), "2:1", {"takes a map", "not nothing"}},
      {"a size without number", with_header("memory: {host: much}"), "2:16", {"a size in bytes", "'much'"}},
      {"a unit in wrong case", with_header("memory: {host: 4gib}"), "2:16", {"the unit is written GiB"}},
      {"a size too large", with_header("memory: {host: 99999999999GiB}"), "2:16", {"no number of bytes below 2^63"}},
      {"a size of nothing", with_header("memory: {host: 0}"), "2:16", {"of at least 1", "'0'"}},
      {"a negative size", with_header("memory: {host: -1GiB}"), "2:16", {"a size in bytes"}},
      {"a size beyond 63 bits", with_header("memory: {host: 99999999TiB}"), "2:16", {"a size in bytes"}},
      {"no size in quotes", with_header("memory: {host: '1GiBi'}"), "2:16", {"a size in bytes", "the text '1GiBi'"}},
      {"an unknown back end", with_header("backend: cude"), "2:10", {"one of auto, cuda, cpu", "'cuda'?"}},
      {"a list for a word", with_header("backend: [cpu]"), "2:10", {"not a list of 1"}},
      {"a time without unit",
       with_header("checkpoint: {every: 30}"),
       "2:21",
       {"a time of at least 0.001 s, such as 30s, or auto", "add the unit: 30s"}},
      {"a time of nothing", with_header("checkpoint: {every: 0s}"), "2:21", {"of at least 0.001"}},
      {"devices by word", with_header("devices: both"), "2:10", {"a list of whole numbers", "or all"}},
      {"a negative device", with_header("devices: [0, -1]"), "2:14", {"from 0 to 1023", "'-1'"}},
      {"a device twice", with_header("devices: [1, 1]"), "2:10", {"device 1 is named twice"}},
      {"no device", with_header("devices: []"), "2:10", {"'devices' is empty"}},
      {"the output in a home folder",
       with_header("output: ~/o.h5"),
       "2:9",
       {"'output' takes a path", "not '~/o.h5'", "that ~ stands"}},
      {"the output a folder", with_header("output: ./"), "2:9", {"names a folder"}},
      {"no output",
       one_input + "stages: [{name: s, wavefront: {problem: summed_area, grid: a}}]\n",
       "1:1",
       {"the job needs 'output'"}},
      {"no stages", "inputs: {}\n" + ends, "1:1", {"the job needs 'stages'"}},
      {"stages that are none",
       with_header("stages: 3").substr(0, one_input.size() + 10) + ends,
       "2:9",
       {"takes a list of stages"}},
      {"an empty list of stages", one_input + "stages: []\n" + ends, "2:9", {"at least one stage"}},
  };
}

std::vector<WrongJob> wrong_inputs() {
  return {
      {"inputs as a list",
       "inputs: [1]\nstages: [{name: s, tally: {machines: 2}}]\n" + ends,
       "1:9",
       {"'inputs' takes a map"}},
      {"an input without kind", with_inputs("  a: {length: 5}"), "2:3", {"of no known kind", "fasta, generate"}},
      {"an input that is no map", with_inputs("  a: file.fa"), "2:6", {"takes a map such as", "'file.fa'"}},
      {"a kind mistyped", with_inputs("  a: {fsata: x.fa}"), "2:7", {"unknown kind of input 'fsata'", "'fasta'?"}},
      {"two kinds", with_inputs("  a: {fasta: x.fa, generate: dna}"), "2:20", {"one kind", "already fasta"}},
      {"another kind's key",
       with_inputs("  a: {fasta: x.fa, seed: 1}"),
       "2:20",
       {"belongs to generate, not to fasta"}},
      {"an input's name", with_inputs("  a: {generate: dna}\n  b/c: {generate: dna}"), "3:3", {"letters, digits"}},
      {"a flag by yes", with_inputs("  a: {fasta: x.fa, reverse_complement: yes}"), "2:40", {"write true"}},
      {"a flag by False", with_inputs("  a: {fasta: x.fa, reverse_complement: False}"), "2:40", {"write false"}},
      {"a flag in quotes", with_inputs("  a: {fasta: x.fa, reverse_complement: 'true'}"), "2:40", {"write true"}},
      {"a range backwards", with_inputs("  a: {fasta: x.fa, range: [9, 3]}"), "2:27", {"at or before its end"}},
      {"a range of three", with_inputs("  a: {fasta: x.fa, range: [1, 2, 3]}"), "2:27", {"[begin, end]"}},
      {"an empty path", with_inputs("  a: {fasta: ''}"), "2:14", {"a path"}},
      {"a nested need",
       with_inputs("  b: {generate: dna}\n  a: {generate: dna, mutate: {rate: 0.5}}"),
       "3:30",
       {"needs 'mutate.of'"}},
      {"a rate above 1",
       with_inputs("  b: {generate: dna}\n  a: {generate: dna, mutate: {of: b, rate: 1.5}}"),
       "3:44",
       {"from 0 to 1", "'1.5'"}},
      {"numbers in quotes",
       with_inputs("  a: {generate: dna, numbers: [1, '2']}"),
       "2:35",
       {"'numbers' takes a list of numbers", "not the text '2'", "take the quotes away"}},
      {"a number in quotes", with_inputs("  a: {generate: dna, numbers: '2'}"), "2:31", {"take the quotes away"}},
      {"numbers in a list of lists",
       with_inputs("  a: {generate: dna, numbers: [[97, 98], [99, 100]]}"),
       "2:32",
       {"not lists in a list", "in one list, row by row", "`shape: [2, 2]`"}},
      {"a word among numbers", with_inputs("  a: {generate: dna, numbers: [1, x]}"), "2:35", {"not 'x'"}},
      {"a number with a leading zero", with_inputs("  a: {generate: dna, numbers: [010]}"), "2:32", {"leading zero"}},
      {"a number in hexadecimal", with_inputs("  a: {generate: dna, numbers: [0x10]}"), "2:32", {"in decimal"}},
      {"a number too large for all types",
       with_inputs("  a: {generate: dna, numbers: [1, 1e999]}"),
       "2:35",
       {"does not fit a 64-bit float"}},
      {"nothing among numbers", with_inputs("  a: {generate: dna, numbers: [1, ~]}"), "2:35", {"not nothing"}},
      {"a count of more letters than can be counted",
       with_inputs("  a: {generate: dna, length: 1000000000000000000000000000000}"),
       "2:30",
       {"it does not fit in 64 bits"}},
      {"the same with an exponent",
       with_inputs("  a: {generate: dna, length: 1e30}"),
       "2:30",
       {"it does not fit in 64 bits"}},
      {"a length just beyond 64 bits", with_inputs("  a: {generate: dna, length: 9.3e18}"), "2:30", {"64 bits"}},
      {"an extent of more than can be counted",
       with_inputs("  a: {generate: dna, shape: [1e30]}"),
       "2:30",
       {"a list of whole numbers", "'1e30'", "64 bits"}},
      {"made of nothing",
       with_inputs("  bb: {generate: dna}\n  a: {generate: dna, mutate: {of: bc}}"),
       "3:35",
       {"no input 'bc'", "'bb'?"}},
      {"made in a circle",
       with_inputs("  a: {generate: dna, mutate: {of: b}}\n  b: {generate: dna, mutate: {of: a}}"),
       "2:3",
       {"in a circle: a -> b -> a"}},
      {"made of itself", with_inputs("  a: {generate: dna, mutate: {of: a}}"), "2:3", {"a -> a"}},
      {"the output overwrites it", with_inputs("  a: {fasta: o.h5}"), "4:9", {"file of input 'a'"}},
  };
}

std::vector<WrongJob> wrong_values() {
  return {
      {"octal", stepping("dt: 010"), "5:55", {"leading zero"}},
      {"octal steps",
       with_stages("- name: s\n  stencil: {operator: heat, grid: a, steps: 010}\n"),
       "5:45",
       {"leading zero"}},
      {"a fraction for an integer", aligning("every: 1.5"), "5:76", {"whole number from 1 to 1000000", "'1.5'"}},
      {"an exponent for an integer", aligning("every: 1e3"), "5:76", {"write 1000"}},
      {"a unit for an integer", aligning("every: 4Ki"), "5:76", {"write 4096"}},
      {"a hexadecimal integer", aligning("every: 0x10"), "5:76", {"write it in decimal"}},
      {"underscores", aligning("every: 1_000"), "5:76", {"without _"}},
      {"an integer in quotes", aligning("every: '10'"), "5:76", {"the text '10'", "quotes"}},
      {"beyond 64 bits", aligning("every: 99999999999999999999"), "5:76", {"64 bits"}},
      {"too small", aligning("every: 0"), "5:76", {"from 1 to 1000000"}},
      {"too large", aligning("every: 1000001"), "5:76", {"from 1 to 1000000"}},
      {"a word for a number", aligning("match: one"), "5:76", {"'match' takes a number, not 'one'"}},
      {"not a number", aligning("match: .nan"), "5:76", {"a number, not '.nan'"}},
      {"infinity", aligning("match: .inf"), "5:76", {"a number"}},
      {"a number beyond floats", aligning("match: 1e999"), "5:76", {"64-bit float"}},
      {"true for a number", aligning("match: true"), "5:76", {"a number"}},
      {"nothing for a number", aligning("match: "), "5:69", {"'match' takes a number, not nothing"}},
      {"a map for a number", aligning("match: {a: 1}"), "5:76", {"not a map"}},
      {"a choice mistyped", aligning("keep: tabel"), "5:75", {"one of score, table, borders", "'table'?"}},
      {"a list without brackets", aligning("keep: score, table"), "5:82", {"unknown key 'table'", "brackets"}},
      {"an unknown type", aligning("type: int"), "5:75", {"u8, i8, u16", "or auto"}},
      {"a type by another name", aligning("type: float64"), "5:75", {"did you mean 'f64'?"}},
      {"a list's elements", stepping("coefficients: [1, x, 2]"), "5:69", {"a list of numbers", "'x'"}},
      {"a scalar for a list", stepping("coefficients: 3"), "5:65", {"a list of numbers"}},
      {"texts out of choice", stepping("reduce: [sum, minimun]"), "5:65", {"'minimun'", "'minimum'?"}},
      {"a text twice", stepping("reduce: [sum, minimum, sum]"), "5:74", {"'reduce' names 'sum' twice", "leave one"}},
      {"a value with a unit", stepping("dt: 11"), "5:55", {"from 1e-09 to 10"}},
      {"settings that contradict",
       with_stages("- name: s\n  stencil: {operator: heat, grid: a, steps: 0, reduce: "
                   "sum}\n"),
       "5:56",
       {"nothing to reduce"}},
  };
}

std::vector<WrongJob> wrong_stages() {
  return {
      {"a stage that is a word", with_stages("- align\n"), "4:3", {"a stage is a map"}},
      {"no name", with_stages("- wavefront: {problem: summed_area, grid: a}\n"), "4:3", {"needs a name"}},
      {"a bad name", with_stages("- name: a b\n  wavefront: {problem: summed_area, grid: a}\n"), "4:9", {"letters"}},
      {"a reserved name",
       with_stages("- name: profile\n  wavefront: {problem: summed_area, grid: a}\n"),
       "4:9",
       {"/profile"}},
      {"a name twice", with_stages(align_t + align_t), "6:9", {"two stages are named 't'"}},
      {"no kind", with_stages("- name: s\n"), "4:3", {"of no kind", "wavefront, stencil"}},
      {"a kind mistyped",
       with_stages("- name: s\n  wavfront: {problem: summed_area, grid: a}\n"),
       "5:3",
       {"'wavfront'", "'wavefront'?"}},
      {"a problem for a kind", with_stages("- name: s\n  dtw: {rows: a}\n"), "5:3", {"wavefront: {problem: dtw"}},
      {"two kinds",
       with_stages("- name: s\n  wavefront: {problem: summed_area, grid: a}\n  stencil: {}\n"),
       "6:3",
       {"already a 'wavefront'"}},
      {"a kind without map", with_stages("- name: s\n  wavefront: dtw\n"), "5:14", {"takes a map of keys"}},
      {"no problem", with_keys("rows: a"), "5:3", {"needs 'problem'", "smith_waterman, dtw"}},
      {"a problem mistyped", with_keys("problem: smith_watermann"), "5:24", {"'smith_waterman'?"}},
      {"an operator mistyped", with_stages("- name: s\n  stencil: {operator: heet}\n"), "5:23", {"'heat'?"}},
      {"a problem of another kind",
       with_keys("problem: heat, grid: a, steps: 5"),
       "5:24",
       {"'heat' belongs to 'stencil', not to 'wavefront'; write stencil: {operator: heat, ...}"}},
      {"keys of all stages alone", with_stages("- name: s\n  schedule: auto\n"), "4:3", {"of no kind"}},
      {"another problem's key",
       with_keys("problem: summed_area, grid: a, window: 5"),
       "5:46",
       {"unknown key 'window'", "belongs to dtw, not to summed_area"}},
      {"a key of several problems",
       with_keys("problem: summed_area, grid: a, rows: a"),
       "5:46",
       {"belongs to smith_waterman, dtw"}},
      {"a missing key",
       with_keys("problem: summed_area"),
       "5:3",
       {"stage 's' (wavefront, summed_area) needs 'grid': the image"}},
      {"a name in the map", with_keys("problem: summed_area, grid: a, name: b"), "5:46", {"one level up"}},
      {"keys next to their kind",
       with_stages("- name: s\n  wavefront:\n  problem: summed_area\n  grid: a\n"),
       "6:3",
       {"'problem' belongs to the map of the stage's kind: indent it below 'wavefront'"}},
      {"keys without their kind",
       with_stages("- name: s\n  grid: a\n  problem: summed_area\n"),
       "6:3",
       {"of no kind: write wavefront: {problem: summed_area, ...}"}},
      {"keys without a kind that has no problems",
       with_stages("- name: s\n  machines: 3\n"),
       "5:3",
       {"'machines' belongs to the map of the stage's kind, which is missing"}},
      {"the word of another kind",
       with_stages("- name: s\n  stencil: {problem: heat, grid: a, steps: 5}\n"),
       "5:13",
       {"'stencil' has no 'problem': it takes 'operator', one of heat"}},
      {"another problem's key in place of its own",
       with_keys("problem: summed_area, rows: a"),
       "5:37",
       {"unknown key 'rows'", "belongs to smith_waterman", "; it needs 'grid': the image"}},
      {"a schedule unknown", with_keys("problem: summed_area, grid: a, schedule: squar"), "5:56", {"'square'?"}},
      {"a schedule twice",
       with_stages("- name: s\n  schedule: auto\n  wavefront: {problem: summed_area, grid: a, "
                   "schedule: auto}\n"),
       "5:3",
       {"also given"}},
      {"temporary by word",
       with_stages("- name: s\n  temporary: maybe\n  wavefront: {problem: summed_area, "
                   "grid: a}\n"),
       "5:14",
       {"true or false"}},
  };
}

std::vector<WrongJob> wrong_references() {
  return {
      {"an unknown input", with_keys("problem: summed_area, grid: aa"), "5:43", {"no array 'aa'", "'a'?"}},
      {"a far unknown input", with_keys("problem: summed_area, grid: image"), "5:43", {"no array", "there is a"}},
      {"no input at all",
       ends + "stages: [{name: s, wavefront: {problem: summed_area, grid: x}}]\n",
       "2:60",
       {"the job has no inputs"}},
      {"a stage without output",
       with_stages(align_t + "- {name: s, wavefront: {problem: summed_area, grid: t}}\n"),
       "6:53",
       {"'t' is a stage", "t/table"}},
      {"nothing kept", with_stages(nothing_kept("s")), "5:14", {"the only stage is temporary", "hold nothing"}},
      {"nothing kept of two",
       with_stages(nothing_kept("s") + nothing_kept("t")),
       "8:14",
       {"all stages are temporary", "add a stage"}},
      {"an output not written",
       with_stages(align_s + "- {name: s, wavefront: {problem: summed_area, grid: t/table}}"),
       "6:53",
       {"writes 'table' only with 'keep: table'"}},
      {"an output mistyped",
       with_stages(align_t + "- {name: s, wavefront: {problem: summed_area, grid: t/tabel}}"),
       "6:53",
       {"writes no 'tabel'", "'table'?"}},
      {"an output unknown",
       with_stages(align_t + "- {name: s, wavefront: {problem: summed_area, grid: t/xyz}}"),
       "6:53",
       {"it writes score, table"}},
      {"a later stage",
       with_stages("- {name: s, wavefront: {problem: summed_area, grid: t/table}}\n" + align_t),
       "4:53",
       {"'t' comes later"}},
      {"the stage itself", with_keys("problem: summed_area, grid: s/table"), "5:43", {"itself"}},
      {"an unknown stage",
       with_stages(align_t + "- {name: s, wavefront: {problem: summed_area, grid: u/table}}\n"),
       "6:53",
       {"'t/table'?"}},
  };
}

/// A key that is needed, misspelt: the unknown key is the only error.
std::vector<WrongJob> wrong_spellings() {
  const std::string stage = "{name: s, wavefront: {problem: summed_area, grid: a}}";
  return {
      {"of a stage's key", with_keys("problem: summed_area, gird: a"), "5:37", {"unknown key 'gird'", "'grid'?"}},
      {"of one of two", aligning("mach: 1"), "5:69", {"'match'?"}},
      {"of the problem", with_keys("problm: summed_area, grid: a"), "5:15", {"unknown key 'problm'", "'problem'?"}},
      {"of an operator",
       with_stages("- name: s\n  stencil: {operater: heat, grid: a, steps: 5}\n"),
       "5:13",
       {"unknown key 'operater'", "'operator'?"}},
      {"of a nested key",
       with_inputs("  b: {generate: dna}\n  a: {generate: dna, mutate: {off: b}}"),
       "3:31",
       {"unknown key 'off'", "'of'?"}},
      {"of a name", with_stages("- nmae: s\n  wavefront: {problem: summed_area, grid: a}\n"), "4:3", {"'name'?"}},
      {"of a name that is read",
       with_stages("- nmae: t" + align_t.substr(9) +
                   "- {name: s, wavefront: {problem: summed_area, grid: t/table}}\n"),
       "4:3",
       {"'name'?"}},
      {"of the output", one_input + "stages: [" + stage + "]\nouput: o.h5\n", "3:1", {"'output'?"}},
      {"of the stages", one_input + ends + "stages_: [" + stage + "]\n", "3:1", {"'stages'?"}},
      {"of the inputs", "imputs: {a: {generate: dna}}\n" + ends + "stages: [" + stage + "]\n", "1:1", {"'inputs'?"}},
      {"of inputs that are a list", "inputs: [a]\n" + ends + "stages: [" + stage + "]\n", "1:9", {"takes a map"}},
  };
}

TEST_CASE("Files that are no YAML jobs are refused where they stop being one") { check_all(wrong_syntax()); }
TEST_CASE("Wrong headers are refused at their place") { check_all(wrong_headers()); }
TEST_CASE("Wrong inputs are refused at their place") { check_all(wrong_inputs()); }
TEST_CASE("Wrong values are refused at their place") { check_all(wrong_values()); }
TEST_CASE("Wrong stages are refused at their place") { check_all(wrong_stages()); }
TEST_CASE("One misspelt key is one error") { check_all(wrong_spellings()); }
TEST_CASE("Arrays that nobody writes are refused at their place") { check_all(wrong_references()); }

}  // namespace
}  // namespace terrace::job
