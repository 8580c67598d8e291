"""The command `report`: a page about a result."""
import html.parser
import re
import shutil
import subprocess
import unittest

from made_profiles import PictureTest, many
from terrace_runs import FAILED, WRONG, h5py, main, numpy, random_letters

EMPTY = {"meta", "link", "br", "hr", "img", "input", "line", "rect", "circle"}
ACTIVITY = {"read": "reading", "copy up": "copying", "copy down": "copying", "peer": "copying", "assemble": "copying",
            "write": "writing"}


class Page(html.parser.HTMLParser):
    """The elements of a page: tables with their values, titles, texts. Fails if elements are not nested."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tables, self.values, self.titles, self.ids, self.links, self.faults = [], {}, [], [], [], [], []
        self.text = ""
        self.pictures = 0
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "data":
            self.rows[-1][-1] = float(attributes["value"])
        elif tag == "svg":
            self.pictures += 1
            self.titles.append("")
            if attributes.get("role") != "img" or "aria-labelledby" not in attributes:
                self.faults.append("a picture without a title")
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name, value in attributes.items():
            if name in ("src", "href", "xlink:href"):
                self.links.append(value)
            if name.startswith("on"):
                self.faults.append(f"{tag} {name}")
        if tag not in EMPTY or tag in ("line", "rect", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag in self.open[-1:]:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")
        if tag == "table":
            self.tables[self.caption] = self.rows

    def handle_data(self, data):
        self.text += data
        if not self.open:
            return
        if self.open[-1] == "caption":
            self.caption += data
        elif self.open[-1] == "title" and "svg" in self.open:
            self.titles[-1] += data
        elif {"td", "th"} & set(self.open) and isinstance(self.rows[-1][-1], str):
            self.rows[-1][-1] += data


class ReportTest(PictureTest):
    def report(self, name="result.h5"):
        self.terrace("report", name, "-o", "page.html")
        return self.page()

    def page(self):
        text = (self.folder / "page.html").read_text()
        page = Page(text)
        self.assertEqual(page.faults, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for link in page.links:
            self.assertTrue(link.startswith("#") and link[1:] in page.ids, link)
        self.assertNotRegex(text, r"<(script|link|img|iframe|object)|url\(|@import")
        return page

    def table(self, page, begins):
        """The rows of a table as dictionaries, by its caption's first words."""
        rows = next(rows for caption, rows in page.tables.items() if caption.startswith(begins))
        return [dict(zip(rows[0], row)) for row in rows[1:]]


class Reports(ReportTest):
    def check_figures(self, page):
        stages = self.columns_of("stages")
        columns = {"blocks": "blocks", "operations": "operations", "left out": "skipped",
                   "predicted": "predicted_seconds", "measured": "seconds", "computing": "compute_seconds",
                   "rate": "rate", "limit": "limit", "reached": "fraction"}
        rows = self.table(page, "Work, time and rate")
        self.assertEqual([row["stage"] for row in rows], list(stages["name"]))
        for number, row in enumerate(rows):
            for shown, column in columns.items():
                self.assertEqual(row[shown], stages[column][number], column)
            self.assertEqual(row["set by"], stages["limit_kind"][number])
        copies = self.columns_of("copies")
        moved = self.table(page, "Bytes that each level moved")
        self.assertEqual(sum(row["bytes"] for row in moved), copies["bytes"].sum())
        self.assertEqual(sum(row["copies"] for row in moved), len(copies["bytes"]))
        for row in moved:
            of = (copies["movement"] == row["movement"]) & (stages["name"][copies["stage"]] == row["stage"])
            self.assertEqual(row["bytes"], copies["bytes"][of].sum())
            busy = united(copies["begin"][of], copies["end"][of])
            self.assertAlmostEqual(row["time"], busy, places=9)
            if busy > 0:
                self.assertAlmostEqual(row["rate"] * busy / row["bytes"], 1, places=6)
        memory = self.table(page, "Most memory")
        self.assertEqual([row["host"] for row in memory], list(stages["peak_host"]))
        self.assertEqual([row["budget of the host"] for row in memory], list(stages["budget_host"]))
        self.check_bounds_of_stages(page, stages, copies)

    def check_bounds_of_stages(self, page, stages, copies):
        """Times of activities are those of the profile; `show` names the same bounds."""
        said = self.terrace("show", "result.h5").stdout
        bounds = re.findall(r"bound by ([^\n;]*(?:\n {14}[^\n;]*)*)", said)
        rows = self.table(page, "The activities")
        self.assertEqual([row["bound by"] for row in rows], [" ".join(bound.split()) for bound in bounds])
        for number, row in enumerate(rows):
            self.assertEqual(row["computing"], stages["compute_seconds"][number])
            for activity in ("reading", "copying", "writing"):
                of = numpy.array([ACTIVITY[movement] == activity for movement in copies["movement"]], bool)
                of &= copies["stage"] == number
                self.assertAlmostEqual(row[activity], united(copies["begin"][of], copies["end"][of]), places=9)
            self.assertIn(f"{stages['name'][number]} ", page.text)
        self.assertRegex(page.text, r"Took [0-9.]+ m?s: align [0-9.]+ m?s, bound by ")

    def test_hold_the_figures_of_the_profile(self):
        self.made_result()
        page = self.report()
        result = self.open()
        self.check_figures(page)
        datasets = {row["dataset"]: row for row in self.table(page, "Datasets")}
        self.assertEqual(datasets["align/score"]["values"], str(result["align/score"][()]))
        self.assertEqual(datasets["align/table"]["shape"], "900 x 1000")
        self.assertEqual(datasets["align/table"]["type"], "i32")
        self.assertIn(result["job"].asstr()[()], page.text)
        devices = self.table(page, "Devices")
        self.assertEqual([row["memory rate"] for row in devices], list(self.columns_of("devices")["memory_rate"]))
        for part in ("What each queue", "Rates of stages", "Predicted and measured", "Memory over time: host"):
            self.assertTrue(any(title.startswith(part) for title in page.titles), part)

    def test_draw_each_block_and_copy_where_they_are_few(self):
        self.made_result(stages=("align",))
        blocks = {"stage": [0, 0], "device": [0, 0], "begin": [0.0, 3.0], "end": [1.0, 4.0], "operations": [8.0, 4.0],
                  "phase": [0, 0], "first": [0, 1], "count": [1, 1], "attempt": [1, 1], "attempts": [1, 1]}
        copies = {"stage": [0], "array": ["a"], "tile": [3], "generation": [0], "movement": ["read"], "device": [-1],
                  "from": [-1], "bytes": [1024], "begin": [0.0], "end": [2.0]}
        self.with_profile(blocks, copies)
        self.report()
        drawn = re.findall(r'<rect class="s0" x="([0-9.]+)%"[^>]* width="([0-9.]+)%"[^>]*><title>([^<]*)</title>',
                           (self.folder / "page.html").read_text())
        places = {title: (float(x), float(width)) for x, width, title in drawn if " at " in title}
        self.assertEqual(sorted(places), ["align 0: 1.00 s at 0 s, 8 operations/s",
                                          "align 1: 1.00 s at 3.00 s, 4 operations/s",
                                          "read a[3]: 1.00 KiB in 2.00 s at 0 s, 512 B/s"])
        for title, (x, width) in zip(sorted(places), ((0, 25), (75, 25), (0, 50))):
            self.assertAlmostEqual(places[title][0], x, delta=0.01)
            self.assertAlmostEqual(places[title][1], width, delta=0.05)

    def test_cut_roofs_where_they_cross(self):
        """A sloped roof ends at the highest level one; a level one begins at the steepest sloped one."""
        self.made_result(stages=("align",))
        with h5py.File(self.folder / "result.h5", "r+") as file:
            stages = file["profile/stages"]
            for column, value in (("operations", 1e9), ("seconds", 2.0), ("limit", 5e9), ("bytes_read", 1e8),
                                  ("bytes_written", 0), ("bytes_up", 4e8), ("bytes_down", 0)):
                stages[column][0] = value
            file["profile/devices/link_rate"][0] = 5e9
        copies = {"stage": [0], "array": ["a"], "tile": [3], "generation": [0], "movement": ["read"], "device": [-1],
                  "from": [-1], "bytes": [10**8], "begin": [0.0], "end": [0.1]}  # 1 GB/s
        self.with_profile({}, copies)
        self.report()
        text = (self.folder / "page.html").read_text()
        roofs = {name: [float(part) for part in parts] for *parts, name in re.findall(
            r'<line class="ceiling[^"]*" x1="([0-9.]+)%" y1="([0-9.]+)" x2="([0-9.]+)%" y2="([0-9.]+)"><title>([^<]*)', text)}
        self.assertEqual(sorted(roofs), ["align: device memory", "disk, 1.00 GB/s", "link, 5.00 GB/s"])
        level, disk, link = (roofs[name] for name in ("align: device memory", "disk, 1.00 GB/s", "link, 5.00 GB/s"))
        self.assertEqual(level[1], level[3])
        for x, y in (disk[2:], link[2:]):
            self.assertAlmostEqual(y, level[1], delta=0.2)  # they end on it
        self.assertAlmostEqual(link[2], level[0], delta=0.01)  # where it begins
        self.assertLess(link[2], disk[2])
        self.assertLess(disk[2], level[2])
        # A decade is as wide for all: the disk meets the level roof at 5 operations a byte, the link at 1.
        circle = re.search(r'<circle class="s0" cx="([0-9.]+)%" cy="([0-9.]+)"', text)
        decade = (disk[2] - link[2]) / numpy.log10(5)
        self.assertAlmostEqual(float(circle[1]), link[2] + decade, delta=0.02)  # 10 operations a byte of the disk
        self.assertGreater(float(circle[2]), level[1])  # and below the roof

    def test_draw_memory_over_time_below_its_budget(self):
        self.made_result(stages=("align", "other"))
        memory = self.columns_of("memory")
        stages = self.columns_of("stages")
        for number in range(2):
            most = memory["bytes"][(memory["stage"] == number) & (memory["device"] == -1)].max()
            self.assertGreater(most, 0)
            self.assertLessEqual(most, stages["budget_host"][number])
            self.assertLessEqual(abs(most - stages["peak_host"][number]), stages["peak_host"][number] / 2)
        self.assertTrue((numpy.diff(memory["time"][memory["device"] == -1]) >= 0).all())
        self.with_profile({}, {}, memory={
            "stage": [0, 0, 1, 1], "device": numpy.array([-1, -1, -1, -1], "i4"), "time": [0.0, 1.0, 2.0, 4.0],
            "bytes": [1 << 20, 2 << 20, 3 << 20, 0]})
        with h5py.File(self.folder / "result.h5", "r+") as file:
            file["profile/stages/budget_host"][...] = 4 << 20
        page = self.report()
        self.assertIn("host: at most 3.00 MiB of a budget of 4.00 MiB (dashed)", page.text)
        drawn = re.findall(r'<rect class="(s[01])" x="([0-9.]+)%" y="[0-9.]+" width="([0-9.]+)%" height="([0-9.]+)">'
                           r'<title>([0-9.]+ MiB)</title>', (self.folder / "page.html").read_text())
        for (stage, x, width, height, said), wanted in zip(drawn, (("s0", 0, 25, 25, "1.00 MiB"), ("s0", 25, 25, 50, "2.00 MiB"),
                                                                  ("s1", 50, 50, 75, "3.00 MiB"))):
            self.assertEqual((stage, said), (wanted[0], wanted[4]))
            for found, number in ((x, wanted[1]), (width, wanted[2]), (height, wanted[3])):
                self.assertAlmostEqual(float(found), number, delta=0.4)
        self.assertEqual(len(drawn), 3)

    def test_of_many_blocks_are_small_and_soon_done(self):
        self.made_result()
        self.with_profile(*many(100_000, devices=8))
        self.check_bounds("report", "result.h5", "-o", "page.html")
        self.assertLess((self.folder / "page.html").stat().st_size, 5e6)
        page = self.page()
        blocks = self.columns_of("blocks")
        attempts = self.table(page, "Attempts")
        self.assertEqual([row["attempt"] for row in attempts], [1, 2])
        for row in attempts:
            of = blocks["attempt"] == row["attempt"]
            self.assertEqual(row["blocks"], of.sum())
            self.assertAlmostEqual(row["operations"] / blocks["operations"][of].sum(), 1, places=9)
        self.assertEqual(attempts[0]["begin"], blocks["begin"].min())
        # Each block is counted in one column of a picture.
        text = (self.folder / "page.html").read_text()
        begun = sum(int(n) for n in re.findall(r"<title>[^<:]*: ([0-9]+) begun", text))
        self.assertEqual(begun, 200_000)

    def test_tell_what_devices_did_and_exchanged(self):
        self.made_result()
        blocks, copies = many(3000, devices=3)
        self.with_profile(blocks, copies)
        rows = self.table(self.report(), "Devices of stages that several computed")
        self.assertEqual(len(rows), 6)
        named = self.columns_of("stages")["name"]
        for number, row in enumerate(rows):
            stage, device = divmod(number, 3)
            self.assertEqual((row["stage"], row["device"]), (named[stage], str(device)))
            last = blocks["attempt"][blocks["stage"] == stage].max()
            of = (blocks["stage"] == stage) & (blocks["device"] == device) & (blocks["attempt"] == last)
            self.assertEqual(row["blocks"], of.sum())
            self.assertAlmostEqual(row["computing"], united(blocks["begin"][of], blocks["end"][of]), places=9)
            for peer in {0, 1, 2} - {device}:
                for ends, word in (((device, peer), "to"), ((peer, device), "from")):
                    moved = (copies["stage"] == stage) & (copies["from"] == ends[0]) & (copies["device"] == ends[1])
                    said = re.search(rf"([0-9.]+) GiB {word} device {peer}\b", row["moved between devices"])
                    if moved.any():
                        self.assertAlmostEqual(float(said[1]) * 2**30, copies["bytes"][moved].sum(), delta=2**30 / 2)
                    else:
                        self.assertIsNone(said)

    def test_merged_columns_are_as_strong_as_they_are_busy(self):
        self.made_result(stages=("align", "other"))
        count = 4000  # the first half is busy all the time, the second for a fifth of it
        begin = numpy.arange(count) * 1e-3
        busy = numpy.where(numpy.arange(count) < count // 2, 1e-3, 0.2e-3)
        blocks = {"stage": (numpy.arange(count) >= count // 2).astype("i8"), "device": numpy.zeros(count, "i4"),
                  "begin": begin, "end": begin + busy, "operations": numpy.ones(count),
                  "phase": numpy.zeros(count, "i8"), "first": numpy.arange(count),
                  "count": numpy.ones(count, "i8"), "attempt": numpy.ones(count, "i8"),
                  "attempts": numpy.ones(count, "i4")}
        nothing = {key: values[:0] for key, values in many(1)[1].items() if key not in ("array", "movement")}
        texts = {key: numpy.array([], h5py.string_dtype()) for key in ("array", "movement")}
        self.with_profile(blocks, {**nothing, **texts})
        self.report()
        drawn = re.findall(r'<rect class="(s[01])" opacity="([0-9.]+)" x="([0-9.]+)%"[^>]* width="([0-9.]+)%"',
                           (self.folder / "page.html").read_text())
        strong = sum(float(width) for _, opacity, _, width in drawn if opacity == "1.0")
        self.assertAlmostEqual(strong, 50, delta=1.5)
        self.assertEqual({stage for stage, opacity, _, _ in drawn if opacity == "1.0"}, {"s0"})
        weak = sum(float(width) for stage, opacity, _, width in drawn if stage == "s1" and float(opacity) <= 0.4)
        self.assertAlmostEqual(weak, 50, delta=1.5)

    def test_show_what_a_job_says_as_text(self):
        self.made_result(stages=("align",))
        evil = "<script>alert('1')</script>&amp;\"\x01\x1b[31m"
        with h5py.File(self.folder / "result.h5", "r+") as file:
            for name in ("title", "host", "devices", "version"):
                file.attrs[name] = evil
            for path in ("job", "profile/stages/name", "profile/devices/name", "profile/stages/limit_kind",
                         "profile/stages/unit"):
                shape = file[path].shape
                del file[path]
                file[path] = evil if shape == () else [evil] * shape[0]
            file["align"].create_dataset("<b>x</b>", data=1).attrs["long_name"] = evil
        page = self.report()
        self.assertIn("<script>alert('1')</script>&amp;\"??[31m", page.text)
        self.assertIn("<b>x</b>", page.text)

    def test_of_stopped_runs_show_their_attempts(self):
        self.made_result(stages=("align",))
        with h5py.File(self.folder / "result.h5", "r+") as file:
            file.attrs["attempts"] = 12
            columns = file["profile/blocks"]
            count = len(columns["begin"])
            columns["attempt"][...] = numpy.arange(1, count + 1)
            columns["begin"][...] = numpy.arange(count) * 100.0
            columns["end"][...] = numpy.arange(count) * 100.0 + 1
        page = self.report()
        self.assertEqual([row["attempt"] for row in self.table(page, "Attempts")], sorted({*range(1, count + 1), 12}))
        self.assertIn("in 12 attempts", page.text)


class Shapes(ReportTest):
    """Results of every kind make a page."""

    def test_of_stages_that_an_earlier_attempt_completed_say_so(self):
        self.made_result()
        with h5py.File(self.folder / "result.h5", "r+") as file:
            for column in ("seconds", "blocks", "operations", "rate", "limit"):
                file[f"profile/stages/{column}"][0] = 0
        page = self.report()
        self.assertEqual(self.table(page, "Work, time and rate")[0]["reached"], "complete before the last attempt")

    def test_of_stages_without_blocks(self):
        self.run_job({"a": random_letters(0, 1), "b": random_letters(5, 2)},
                     [{"name": "s", "wavefront": {"problem": "lcs", "rows": "a", "columns": "b"}}], backend="cpu")
        self.report()

    def test_in_a_browser_need_no_network_and_report_no_fault(self):
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("there is no chromium")
        self.made_result()
        self.report()
        shot = self.folder / "page.png"
        call = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/browser"]
        ended = subprocess.run([*call, "--window-size=1200,1600", f"--screenshot={shot}",
                                f"file://{self.folder}/page.html"], capture_output=True, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertGreater(shot.stat().st_size, 20_000)
        # In a narrow frame nothing but the job's own lines is wider than the page.
        self.write("frame.html", "<iframe id=f src=page.html width=420 height=900></iframe><script>f.onload = () => { "
                   "const page = f.contentDocument; document.title = page.documentElement.scrollWidth + ' ' + "
                   "[...page.querySelectorAll('table, svg, p, nav')].filter(e => e.scrollWidth > 400).length; }</script>")
        dumped = subprocess.run([*call, "--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom",
                                 f"file://{self.folder}/frame.html"], capture_output=True, text=True, timeout=120)
        widths = re.search(r"<title>([0-9]+) ([0-9]+)</title>", dumped.stdout)
        self.assertIsNotNone(widths, dumped.stdout + dumped.stderr)
        self.assertLessEqual(int(widths[1]), 420)
        self.assertEqual(int(widths[2]), 0)


class Errors(ReportTest):
    def test_of_results_and_files_name_what_is_wrong(self):
        self.made_result(stages=("align",))
        self.write("notes.txt", "mine")
        self.assertSays(self.terrace("report", "result.h5", "-o", "notes.txt", expect=WRONG), "is not a report")
        self.assertSays(self.terrace("report", "result.h5", "-o", "page.pdf", expect=WRONG), "ends in .html")
        self.assertSays(self.terrace("report", "notes.txt", "-o", "page.html", expect=FAILED), "no HDF5 file")
        with h5py.File(self.folder / "result.h5", "r+") as file:
            del file["profile/copies/begin"]
        self.assertSays(self.terrace("report", "result.h5", "-o", "page.html", expect=FAILED),
                        "/profile/copies/begin is not there")
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["x"] = 1
        self.assertSays(self.terrace("report", "other.h5", "-o", "page.html", expect=FAILED), "did not make")
        self.assertFalse((self.folder / "page.html").exists())


def united(begin, end):
    """The time during which at least one interval lasts."""
    order = numpy.argsort(begin)
    latest = numpy.maximum.accumulate(end[order])
    before = numpy.concatenate([[-numpy.inf], latest[:-1]])
    return float(numpy.maximum(0, latest - numpy.maximum(begin[order], before)).sum())


if __name__ == "__main__":
    main()
