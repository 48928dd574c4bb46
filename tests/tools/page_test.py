#!/usr/bin/python3
"""The page of tools/shopmark report --html, without a browser."""

import html.parser
import json
import os
import re
import tempfile
import unittest
from unittest import mock

import pages
import reports
import script


class Elements(html.parser.HTMLParser):
    """Tags with their attributes, in order; and all text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        _, out = pages.page(cls.folder)
        with open(out, encoding="utf-8") as file:
            cls.page = file.read()
        cls.elements = Elements(cls.page)

    def file(self, content):
        path = os.path.join(self.folder, "given.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def test_nothing_of_a_file_becomes_part_of_the_page(self):
        tags = {tag for tag, _ in self.elements.tags}
        self.assertFalse(tags & {"b", "i", "script", "iframe", "object"}, tags)
        shown = " ".join(self.elements.text.split())
        self.assertIn('a|b <b>bold</b> "quoted" \'single\' & {{ 7*7 }} [31m', shown)
        self.assertIn('p|g "x" $^2$', shown)
        self.assertIn("4MB <i>", shown)
        self.assertIn("SEARCH p USING INDEX <b> (slug=?)", shown)
        self.assertNotIn("\x1b", self.page)

    def test_it_refers_to_nothing_outside_itself(self):
        for tag, attributes in self.elements.tags:
            for key, value in attributes.items():
                if key in ("src", "srcset", "action", "data", "poster", "background"):
                    self.fail(f"{tag} {key}={value}")
                if key in ("href", "xlink:href"):
                    self.assertRegex(value, r"^(#|data:,$)", tag)
        self.assertFalse(re.findall(r"@import|//[a-z]|url\((?!#)", self.page))
        policy = [attributes["content"] for tag, attributes in self.elements.tags
                  if attributes.get("http-equiv") == "Content-Security-Policy"]
        self.assertTrue(policy[0].startswith("default-src 'none';"))

    def test_names_within_it_are_unique_and_lead_somewhere(self):
        names = [attributes["id"] for _, attributes in self.elements.tags if "id" in attributes]
        self.assertEqual(len(names), len(set(names)))
        used = {value[1:] for _, attributes in self.elements.tags for key, value in
                attributes.items() if key.endswith("href") and value.startswith("#")}
        used |= set(re.findall(r"url\(#([^)]+)\)", self.page))
        used |= {attributes["aria-labelledby"] for _, attributes in self.elements.tags
                 if "aria-labelledby" in attributes}
        self.assertGreater(len(used), 20)
        self.assertLessEqual(used, set(names))

    def test_no_colour_is_fixed(self):
        figures = re.findall(r"<svg.*?</svg>", self.page, re.DOTALL)
        self.assertGreater(len(figures), 10)
        for figure in figures:
            self.assertFalse(re.findall(r"(?:fill|stroke): *#|(?:fill|stroke)=.#", figure))

    def test_the_same_files_make_the_same_page(self):
        out = os.path.join(self.folder, "again.html")
        script.run("report", os.path.join(self.folder, "run.json"), "--html", f"--output={out}",
                   f"--baseline={self.folder}/1.json", f"--history={self.folder}/record")
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), self.page)

    def test_runs_unlike_this_one_have_no_line(self):
        made = pages.run(9)
        made["context"]["host_name"] = "other"
        done = script.run("report", self.file(json.dumps(made)), "--html",
                          f"--history={self.folder}/record")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("History of", done.stdout)
        self.assertIn("History of", self.page)

    def test_an_interrupted_run_without_a_case_has_a_page(self):
        made = reports.document(complete=False)
        done = script.run("report", self.file(json.dumps(made)), "--html",
                          f"--history={self.folder}/none")
        self.assertEqual((done.returncode, done.stderr[:80]),
                         (2, f"shopmark report: {self.folder}/none holds no run\n"[:80]))
        from history import record  # noqa: E402  (found through the script)
        with mock.patch.object(record, "FOLDER", os.path.join(self.folder, "none")):
            done = script.run("report", self.file(json.dumps(made)), "--html")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("INCOMPLETE", done.stdout)

    def test_what_it_cannot_do_is_refused(self):
        good = self.file(json.dumps(reports.document(reports.entry())))
        script.assert_refused(self, script.run("report", good, "--html", "--published"),
                              "--published")
        script.assert_refused(self, script.run("report", good, "--html", f"--output={good}"),
                              "--output")


if __name__ == "__main__":
    unittest.main()
