"""The reference of jobs: every declared key is in help, page and schema, and every example is right."""
import json
import re
import unittest

import terrace_runs
from terrace_runs import WRONG, JobTest, main, skip


def schema_of(map_schema, name):
    """The schema of a key with dots in a map, or None: "until.norm", "cells.*" (any name), "sources[].at"."""

    def part_with(schema, key):
        return next((part for part in [schema, *schema.get("anyOf", [])] if key in part), {})

    found = {"anyOf": [map_schema]}
    for part in name.replace("[]", ".[]").split("."):
        if part == "*":
            found = part_with(found, "additionalProperties").get("additionalProperties")
        elif part == "[]":
            found = part_with(found, "items").get("items")
        else:
            found = part_with(found, "properties").get("properties", {}).get(part)
        if found is None:
            return None
    return found


class ReferenceTest(JobTest):
    def answer(self, *arguments):
        return json.loads(self.terrace(*arguments, "--json").stdout)

    def problems(self):
        """(stage, problem or None, what holds keys, datasets and examples) of everything that stages compute."""
        for command in ("problems", "operators"):
            for stage in self.answer(command)["stages"]:
                for problem in stage.get("problems", [stage]):
                    yield stage, problem is not stage and problem, problem

    def page(self):
        """Sections of the page by their headings."""
        text = self.terrace("reference").stdout
        parts = re.split(r"^#{2,3} (.*)\n", text, flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2]))


class Keys(ReferenceTest):
    def check_keys(self, keys, said, section):
        words = " ".join(said.split())
        for key in keys:
            with self.subTest(key=key["name"]):
                self.assertTrue(key["help"])
                default = "required" if key["required"] else key.get("default", "-")
                start = re.compile(r"[| ] " + re.escape(key["name"]) + " ")
                row, line = (next(filter(start.match, text.splitlines())) for text in (section, said))
                self.assertRegex(line, r"  " + re.escape(default) + "  ")
                self.assertEqual(row.split(" | ")[2:4], [default, key["example"]])
                for choice in key.get("choices", []):
                    self.assertRegex(row, r"\W" + re.escape(choice) + r"\W")
                self.assertIn(f"; example: {key['example']} ", words + " ")

    def test_of_problems_are_in_help_and_page(self):
        page = self.page()
        for stage, problem, holder in self.problems():
            with self.subTest(stage=stage["name"], problem=holder["name"]):
                selector = stage.get("selector", "problem")
                said = self.terrace(selector + "s", holder["name"]).stdout
                heading = f"Stage `{stage['name']}`" + (f", {selector} `{holder['name']}`" if problem else "")
                self.check_keys(holder["keys"], said, page[heading])
                for dataset in holder["datasets"]:
                    self.assertIn(dataset["name"], said)
                    row = " | ".join(dataset[part] for part in ("name", "shape", "when", "meaning"))
                    self.assertIn(f"\n| {row} |\n", page[heading])

    def test_of_inputs_and_jobs_are_in_help_and_page(self):
        page = self.page()
        for kind in self.answer("inputs")["inputs"]:
            with self.subTest(kind=kind["name"]):
                said = self.terrace("inputs", kind["name"]).stdout
                self.check_keys(kind["keys"], said, page[f"Input `{kind['name']}`"])
        keys = self.answer("job")
        said = self.terrace("job").stdout
        self.check_keys(keys["keys"], said, page["Keys of a job"])
        self.check_keys(keys["stage_keys"], said, page["Keys of every stage"])
        self.assertEqual({"inputs", "stages", "output", "memory.host"} - {key["name"] for key in keys["keys"]}, set())

    def test_are_what_jobs_may_hold(self):
        """The loader names the keys that a map takes: they are those of the reference."""
        for stage, problem, holder in self.problems():
            settings = {stage["selector"]: holder["name"]} if problem else {}
            job = self.write_job({}, [{"name": "s", stage["name"]: {**settings, "qqqqqqqq": 1}}])
            said = self.terrace("check", job, expect=WRONG).stderr
            listed = re.search(r"unknown key 'qqqqqqqq' in .*; it takes ([^;\n]*)", said)[1]
            listed = set(re.split(r", | and ", listed)) - {"temporary", stage.get("selector")}
            self.assertEqual(listed, {re.split(r"[.[]", key["name"])[0] for key in holder["keys"]}, holder["name"])

    def test_that_do_not_exist_are_errors_with_hints(self):
        self.assertSays(self.terrace("problems", "lsc", "--json", expect=WRONG), "did you mean 'lcs'")
        self.assertSays(self.terrace("inputs", "fsta", "--json", expect=WRONG), "did you mean 'fasta'")
        self.terrace("problems", "--json", "--markdown", expect=WRONG)


class Examples(ReferenceTest):
    def test_of_problems_are_right_and_have_every_key(self):
        # The files that examples name.
        self.write("NUC.4.4", "   A  C  G  T\nA  5 -4 -4 -4\nC -4  5 -4 -4\nG -4 -4  5 -4\nT -4 -4 -4  5\n")
        self.write("roads.txt", "1 2 5\n2 3 4\n3 4 1\n")
        for stage, _, holder in self.problems():
            for key in holder["keys"]:
                self.assertIn("example", key, (holder["name"], key["name"]))
            self.assertTrue(holder["examples"], holder["name"])
            for number, example in enumerate(holder["examples"]):
                with self.subTest(problem=holder["name"], example=example):
                    job = self.write("example.yaml", example)
                    on_cuda_alone = "time_skewed" in example
                    ended = self.terrace("check", job, expect=None if on_cuda_alone else 0)
                    self.assertNotIn("nothing reads", ended.stderr)
                    if number == 0:
                        self.terrace("run", job, "--fresh=all")
            # Help shows the first one, as it is.
            shown = self.terrace(stage.get("selector", "problem") + "s", holder["name"]).stdout
            self.assertIn(holder["examples"][0], re.sub("^    ", "", shown, flags=re.MULTILINE))

    def test_of_jobs_is_right_and_has_every_key(self):
        answer = self.answer("job")
        for key in answer["keys"] + answer["stage_keys"]:
            self.assertIn("example", key, key["name"])
        self.terrace("run", self.write("example.yaml", answer["example"]))


def jsonschema():
    try:
        import jsonschema as module
        import yaml
    except ImportError as missing:
        skip(f"{missing} (Debian: python3-jsonschema, python3-yaml)")
    return module, yaml


class Schema(ReferenceTest):
    def setUp(self):
        super().setUp()
        module, self.yaml = jsonschema()
        self.schema = json.loads(self.terrace("schema").stdout)
        module.Draft7Validator.check_schema(self.schema)
        self.validator = module.Draft7Validator(self.schema)

    def assertRight(self, text):
        errors = [error.message for error in self.validator.iter_errors(self.yaml.safe_load(text))]
        self.assertEqual(errors, [], text)

    def test_holds_every_key(self):
        definitions = self.schema["definitions"]
        for stage, problem, holder in self.problems():
            parts = definitions[stage["name"]]
            found = parts if "properties" in parts else next(p for p in parts["anyOf"] if p["title"] == holder["name"])
            for key in holder["keys"]:
                with self.subTest(problem=holder["name"], key=key["name"]):
                    self.assertEqual(schema_of(found, key["name"])["description"], key["help"])
        for kind in self.answer("inputs")["inputs"]:
            found = next(part for part in definitions["input"]["anyOf"] if part["title"] == kind["name"])
            for key in kind["keys"]:
                self.assertEqual(schema_of(found, key["name"])["description"], key["help"])
        for key in self.answer("job")["keys"]:
            self.assertEqual(schema_of(self.schema, key["name"])["description"], key["help"])

    def test_takes_every_job_of_configs(self):
        jobs = sorted((terrace_runs.root / "configs").glob("*.yaml"))
        self.assertGreater(len(jobs), 10)
        for job in jobs:
            with self.subTest(job=job.name):
                self.assertRight(job.read_text())

    def test_takes_every_example(self):
        for _, _, holder in self.problems():
            for example in holder["examples"]:
                self.assertRight(example)
        for kind in self.answer("inputs")["inputs"]:
            for example in kind["examples"]:
                self.assertRight(self.job(inputs=f"{{x: {example}}}"))
        self.assertRight(self.answer("job")["example"])

    def job(self, stage="dp_table: {extents: [9], steps: [[1]]}", inputs="{a: {values: [1, 2]}}", top=""):
        return f"inputs: {inputs}\nstages:\n- {{name: s, {stage}}}\noutput: out.h5\n{top}"

    def test_takes_the_same_numbers_as_the_program(self):
        for top in ("memory: {host: 1GiB}", "memory: {host: 1000000}", "memory: {host: '2e9'}", "devices: all",
                    "devices: [0, 1]", "checkpoint: {every: 500ms}", "checkpoint: {every: auto}", "job: 7"):
            with self.subTest(top=top):
                self.assertRight(self.job(top=top))
        for keys in ("extents: [1e3], steps: [[1]]", "extents: [64Ki], steps: [[1]], cost: 2.5",
                     "extents: [9], steps: [[1]], keep: table", "extents: [9], steps: [[1]], keep: [table, choice]"):
            self.assertRight(self.job(f"dp_table: {{{keys}}}"))

    def test_refuses_wrong_jobs(self):
        wrong = [self.job(top="memry: {host: 1GiB}"), self.job(top="memory: {hots: 1GiB}"),
                 self.job(top="memory: 1GiB"),
                 self.job(top="memory: {host: much}"), self.job(top="memory: {host: 0}"), self.job(top="backend: gpu"),
                 self.job(top="checkpoint: {every: 30}"), self.job(top="devices: some"),
                 self.job("dp_tabel: {extents: [9], steps: [[1]]}"), self.job("dp_table: {extends: [9]}"),
                 self.job("dp_table: {extents: 9, steps: [[1]]}"), self.job("dp_table: {extents: [0], steps: [[1]]}"),
                 self.job("dp_table: {extents: [9], steps: [1]}"), self.job("dp_table: {extents: [9], combine: sum}"),
                 self.job("dp_table: {extents: [9], keep: [tables]}"), self.job("dp_table: {steps: [[1]]}"),
                 self.job("dp_table: {extents: [9]}, temporary: perhaps"), self.job("dp_table: {extents: [9]}, x: 1"),
                 self.job("wavefront: {problem: lcss, rows: a, columns: a}"),
                 self.job("wavefront: {problem: lcs, rows: a}"),
                 self.job("wavefront: {problem: lcs, rows: [a], columns: a}"),
                 self.job("wavefront: {problem: lcs, rows: a, columns: a, window: 3}"),
                 self.job("stencil: {operator: heat2d, grid: a, dt: 1, diffusivity: 1, steps: 3, until: {every: 3}}"),
                 self.job("stencil: {operator: heat2d, grid: a, dt: 1, diffusivity: 1, steps: 3, boundary: open}"),
                 self.job(inputs="{a: {valeus: [1]}}"), self.job(inputs="{a: {values: [one]}}"),
                 self.job(inputs="{a: {values: [1], dataset: x}}"), self.job(inputs="{'a b': {values: [1]}}"),
                 self.job(inputs="[1]"), "stages: []\noutput: x.h5", "stages: 1\noutput: x.h5", "output: x.h5",
                 self.job().replace("output: out.h5", ""), self.job().replace("name: s, ", "")]
        for text in wrong:
            with self.subTest(job=text):
                self.assertFalse(self.validator.is_valid(self.yaml.safe_load(text)))
                self.terrace("check", self.write("wrong.yaml", text), expect=WRONG)


if __name__ == "__main__":
    main()
