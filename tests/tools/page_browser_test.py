#!/usr/bin/python3
"""The page of tools/shopmark report --html in headless Chromium: what is rendered is read back and
compared with the samples of the JSON.

usage: page_browser_test.py CHROMIUM CHROMEDRIVER
"""

import json
import math
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import pages

NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}

# Of each element that shows text, and each mark of a figure: its colours as the browser has them,
# the background being the first one behind it that is not transparent.
COLOURS = """
const behind = element => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour !== 'rgba(0, 0, 0, 0)') return colour;
  }
  return 'none';
};
const found = [];
for (const element of document.querySelectorAll('body *')) {
  const box = element.getBoundingClientRect();
  if (!box.width || element.closest('.heard, .skip')) continue;
  const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
  const style = getComputedStyle(element);
  if (element.closest('svg')) {
    if (own) found.push(['text', style.fill, behind(element), element.textContent, 1]);
    else if (element.tagName === 'use') {
      found.push(['mark', style.fill, behind(element), element.getAttribute('style'),
                  +style.fillOpacity]);
    }
  } else if (own) {
    found.push(['text', style.color, behind(element), element.textContent.trim(), 1]);
  }
}
return found;
"""

FOCUSABLE = """
return [...document.querySelectorAll('a[href], summary, [tabindex="0"]')]
  .filter(one => one.checkVisibility())
  .map(one => one.tagName + ' ' + (one.getAttribute('aria-label') || one.textContent.trim()));
"""

FOCUSED = """
const one = document.activeElement;
if (one === document.body || one === document.documentElement) return null;
const style = getComputedStyle(one);
return [one.tagName + ' ' + (one.getAttribute('aria-label') || one.textContent.trim()),
        style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        one.getBoundingClientRect().left >= 0];
"""

MARKS = """
return [...arguments[0].querySelectorAll('use')]
  .map(one => [one.getAttribute('style'), +one.getAttribute('x'), +one.getAttribute('y')])
  .filter(one => one[0].includes('--series-'));
"""


def nearest_rank(samples, percent):
    return sorted(samples)[math.ceil(percent * len(samples) / 100) - 1]


def contrast(colour, behind, opacity):
    """WCAG 2's, of two of the browser's rgb()."""
    one, other = ([float(part) / 255 for part in text[text.index("(") + 1:-1].split(",")[:3]]
                  for text in (colour, behind))

    def light(parts):
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055)**2.4
                            for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    seen = [opacity * part + (1 - opacity) * under for part, under in zip(one, other)]
    high, low = sorted((light(seen), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Page(unittest.TestCase):
    chromium = chromedriver = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # From 100 samples on there is a p99 to read.
        made, cls.path = pages.page(folder.name, count=100)
        cls.targets = list(made["context"]["shopmark"]["targets"])
        cls.entries = {(entry["title"], entry["target"]): entry for entry in made["benchmarks"]}
        options = webdriver.ChromeOptions()
        options.binary_location = cls.chromium
        for flag in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
                     "disable-background-networking", "disable-component-update", "disable-sync",
                     "disable-dev-shm-usage", f"user-data-dir={folder.name}/profile"):
            options.add_argument("--" + flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(cls.chromedriver), options=options)
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.open()

    def open(self, width=1200, scheme="light", details=False):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.get("file://" + self.path)
        if details:
            self.browser.execute_script(
                "document.querySelectorAll('details').forEach(one => one.open = true)")

    def all(self, selector, within=None):
        return (within or self.browser).find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector, within=None):
        return [" ".join(one.text.split()) for one in self.all(selector, within)]

    def assert_shows(self, shown, ns):
        """Three digits, rounded right."""
        number, unit = shown.split()
        digit = 10.0 ** -len(number.partition(".")[2]) * NS[unit]
        self.assertLessEqual(abs(float(number) * NS[unit] - ns), digit / 2 * 1.000001, shown)
        self.assertTrue(unit == "ns" or len(number.replace(".", "")) == 3, shown)

    def sections(self):
        return {" ".join(self.all("h3", one)[0].text.split()): one for one in self.all(".card")}

    def entry(self, title, target):
        """None where the target did not run the case."""
        for (name, on), entry in self.entries.items():
            if on == target and " ".join(name.replace("\x1b", " ").split()) == title:
                return entry
        return None

    def test_every_cell_of_the_table_follows_from_the_samples(self):
        self.assertEqual(self.texts(".engines thead th"), ["query", "rows", *self.targets])
        rows, read = self.all(".engines tbody tr"), 0
        self.assertEqual(len(rows), len({title for title, _ in self.entries}))
        for row in rows:
            title = self.texts("th a", row)[0]
            cells = self.all("td", row)
            self.assertEqual(len(cells), 1 + len(self.targets))
            medians = {}
            for target, cell in zip(self.targets, cells[1:]):
                entry, shown = self.entry(title, target), " ".join(cell.text.split())
                with self.subTest(title=title, target=target):
                    read += 1
                    if entry is None:
                        self.assertEqual(shown, "-")
                    elif "samples" not in entry:
                        self.assertIn("FAILED: a|b <b>bold</b>", shown)
                        self.assertTrue(shown.endswith("failing"), shown)
                    else:
                        median = self.all(".median", cell)[0].text.split(":")[-1].strip("★ ")
                        self.assert_shows(median, nearest_rank(entry["samples"], 50))
                        self.assert_shows(self.all(".p95", cell)[0].text.replace("p95", "").strip(),
                                          nearest_rank(entry["samples"], 95))
                        self.assertEqual(cells[0].text, str(entry["rows"]))
                        medians[target] = nearest_rank(entry["samples"], 50)
            best = [target for target, cell in zip(self.targets, cells[1:]) if "★" in cell.text]
            one_of_many = len(medians) > 1 and title not in ("stock decrement", "empty call")
            self.assertEqual(best, [min(medians, key=medians.get)] if one_of_many else [], title)
        self.assertEqual(read, 3 * len(rows))

    def test_writes_of_unequal_durability_are_not_compared_and_say_so(self):
        (row,) = [row for row in self.all(".engines tbody tr") if "stock" in row.text]
        self.assertIn("not to be compared", row.text)
        self.assertNotIn("★", row.text)

    def test_verdicts_stand_in_the_cells(self):
        (row,) = [row for row in self.all(".engines tbody tr") if "catalog search" in row.text]
        verdicts = self.texts(".verdict", row)
        self.assertEqual([verdict.split(" ×")[0] for verdict in verdicts], ["slower"] * 3)
        (same,) = [row for row in self.all(".engines tbody tr") if "order detail" in row.text]
        self.assertEqual(self.texts(".verdict", same)[0], "cannot tell")

    def test_the_figures_beside_a_query_follow_from_the_samples(self):
        self.open(details=True)
        read = 0
        for title, section in self.sections().items():
            for row in self.all("table.samples tbody tr", section):
                target = self.texts("th", row)[0]
                samples = self.entry(title, target)["samples"]
                cells = self.texts("td", row)
                self.assertEqual(cells[0], str(len(samples)))
                for cell, percent in zip(cells[1:], (0, 25, 50, 75, 95, 99, 100)):
                    ns = min(samples) if percent == 0 else nearest_rank(samples, percent)
                    with self.subTest(title=title, target=target, percent=percent):
                        self.assert_shows(cell.split(" (")[0], ns)
                        read += 1
        measured = sum("samples" in entry for entry in self.entries.values())
        self.assertEqual(read, 7 * measured)

    def test_each_call_is_a_mark_at_its_time(self):
        for title, section in self.sections().items():
            figures = self.all("figure[aria-label^=Distribution]", section)
            marks = self.browser.execute_script(MARKS, figures[0])
            samples = {target: sorted(entry["samples"]) for target in self.targets
                       if "samples" in (entry := self.entry(title, target) or {})}
            every = []
            for row, (target, ordered) in enumerate(samples.items()):
                places = sorted(x for style, x, _ in marks if f"--series-{row + 1})" in style)
                self.assertEqual(len(places), len(ordered), (title, target))
                every += zip(places, map(math.log, ordered))
            # One line, the axis, holds all of them.
            every.sort()
            (x0, y0), (x1, y1) = every[0], every[-1]
            for x, y in every:
                self.assertAlmostEqual(y, y0 + (y1 - y0) * (x - x0) / (x1 - x0), delta=1e-3)

    def test_every_figure_says_its_figures(self):
        for title, section in self.sections().items():
            figures = self.all("figure", section)
            self.assertTrue(figures)
            for figure in figures:
                self.assertEqual(figure.get_attribute("role"), "img")
                self.assertEqual(figure.accessible_name, figure.get_attribute("aria-label"))
            said = figures[0].get_attribute("aria-label")
            for target in self.targets:
                entry = self.entry(title, target) or {}
                if "samples" not in entry:
                    continue
                part = said.split(f"{target}: ")[1].split(";")[0]
                self.assert_shows(part.split("median ")[1].split(",")[0],
                                  nearest_rank(entry["samples"], 50))
                self.assertIn(f"in {len(entry['samples'])} samples", part)

    def test_the_history_shows_each_run_and_its_step(self):
        self.open(details=True)
        section = self.sections()["catalog search"]
        figure = self.all("figure[aria-label^=History]", section)[0]
        self.assertIn("slower ×1.5", figure.get_attribute("aria-label"))
        self.assertIn("from 2026-11-05 on", figure.get_attribute("aria-label"))
        marks = self.browser.execute_script(MARKS, figure)
        # Each run of each target, and one mark of each in the legend.
        self.assertEqual(len(marks), 3 * (8 + 1))
        region = self.all(".scroll[aria-label='Runs of catalog search: sqlite']", section)[0]
        rows = [self.texts("th, td", row) for row in self.all("tbody tr", region)]
        self.assertEqual([row[0] for row in rows],
                         [f"2026-11-{day:02d} 12:00" for day in range(1, 9)])
        for day, row in enumerate(rows, start=1):
            samples = next(entry["samples"] for entry in
                           pages.run(day, 1.0 if day < 5 else 1.5, 100)["benchmarks"]
                           if (entry["query"], entry["target"]) == ("catalog_search", "sqlite"))
            self.assert_shows(row[2], nearest_rank(samples, 50))
            self.assert_shows(row[3], nearest_rank(samples, 95))
            self.assertEqual(row[4].split(" ×")[0], "slower" if day == 5 else "")

    def test_plans_and_work_stand_beside_the_query(self):
        self.open(details=True)
        section = self.sections()["catalog search"]
        (plan,) = self.all("pre", section)
        self.assertEqual(plan.get_property("textContent").splitlines(), pages.PLAN)
        self.assertIn("search_page, 5 calls", self.texts("h4", section))
        (work,) = self.all(".scroll[aria-label^='Work of search_page']", section)
        self.assertEqual(self.texts("tbody th, tbody td", work), ["vm_steps", "1234"])
        failed = self.texts("details .failed", self.sections()["order detail"])
        self.assertTrue(failed[0].startswith("a|b <b>bold</b>"), failed)

    def test_the_page_never_scrolls_sideways(self):
        for width in (320, 360, 800, 1200):
            for details in (False, True):
                with self.subTest(width=width, details=details):
                    self.open(width, details=details)
                    wide = self.browser.execute_script(
                        "return document.documentElement.scrollWidth")
                    self.assertLessEqual(wide, width)
        self.open(360, details=True)
        for region in self.all(".scroll, pre"):
            self.assertEqual(region.get_attribute("tabindex"), "0")
            self.assertTrue(region.accessible_name)
        table = self.all(".scroll")[0]
        self.assertGreater(int(table.get_property("scrollWidth")), 360)

    def test_text_and_marks_stand_out_in_light_and_dark(self):
        backgrounds = {}
        for scheme in ("light", "dark"):
            self.open(scheme=scheme, details=True)
            found = self.browser.execute_script(COLOURS)
            kinds = [kind for kind, *_ in found]
            self.assertGreater(kinds.count("text"), 200)
            self.assertGreater(kinds.count("mark"), 1000)
            backgrounds[scheme] = {behind for _, _, behind, *_ in found}
            for kind, colour, behind, what, opacity in found:
                least = 4.5 if kind == "text" else 3
                self.assertGreaterEqual(contrast(colour, behind, opacity), least,
                                        (scheme, kind, what))
        self.assertFalse(backgrounds["light"] & backgrounds["dark"])

    def test_the_keyboard_reaches_all_and_shows_where_it_is(self):
        for details in (False, True):
            self.open(details=details)
            expected = self.browser.execute_script(FOCUSABLE)
            self.assertGreater(len(expected), 15)
            reached = []
            for _ in range(len(expected) + 5):
                ActionChains(self.browser).send_keys(Keys.TAB).perform()
                focused = self.browser.execute_script(FOCUSED)
                if focused is None:
                    break
                reached.append(focused[0])
                self.assertEqual(focused[1:], [True, True], focused[0])
            self.assertEqual(reached, expected)

    def test_the_skip_link_and_details_work_from_the_keyboard(self):
        ActionChains(self.browser).send_keys(Keys.TAB, Keys.ENTER).perform()
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "figures")
        summary = self.all("summary")[0]
        self.browser.execute_script("arguments[0].focus()", summary)
        ActionChains(self.browser).send_keys(Keys.SPACE).perform()
        self.assertEqual(self.all("details[open]"), self.all("details")[:1])

    def test_it_has_the_structure_that_a_screen_reader_needs(self):
        self.open(details=True)
        self.assertEqual(self.all("html")[0].get_attribute("lang"), "en")
        self.assertEqual(self.browser.title, "Shopmark report")
        for tag in ("header", "main", "footer", "h1"):
            self.assertEqual(len(self.all(tag)), 1, tag)
        levels = [int(one.tag_name[1]) for one in self.all("h1, h2, h3, h4")]
        self.assertTrue(all(after <= before + 1 for before, after in zip(levels, levels[1:])))
        for table in self.all("table"):
            self.assertTrue(self.texts("caption", table)[0])
        self.assertFalse(self.all("th:not([scope])"))
        self.assertEqual(len(self.all("tbody tr")), len(self.all("tbody th[scope=row]")))
        names = [one.accessible_name for one in self.all("[role=region], section")]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(all(names))

    def test_nothing_leaves_the_page_and_nothing_is_complained_of(self):
        self.assertEqual(self.browser.get_log("browser"), [])
        asked = []
        for line in self.browser.get_log("performance"):
            message = json.loads(line["message"])["message"]
            # Not what the browser's own first page asks for.
            if (message["method"] == "Network.requestWillBeSent"
                    and message["params"]["documentURL"].startswith("file://")):
                asked.append(message["params"]["request"]["url"])
        self.assertIn("file://" + self.path, asked)
        self.assertLessEqual({url for url in asked if not url.startswith("data:")},
                             {"file://" + self.path})


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    Page.chromium, Page.chromedriver = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
