"""docs/grafana/lakestream.json: its form, and that Debian's Prometheus has data for every expression in it, scraped from
processes that work."""

import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import harness

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "docs")
DASHBOARD = os.path.join(DOCS, "grafana", "lakestream.json")
PAGE = os.path.join(DOCS, "metrics.md")
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# What Grafana has for it: four scrapes at least.
RATE_INTERVAL = "10s"
SCRAPE_INTERVAL = "500ms"


def dashboard():
    with open(DASHBOARD, encoding="utf-8") as file:
        return json.load(file)


def graphs(board):
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def expressions(board):
    return [target["expr"] for panel in graphs(board) for target in panel["targets"]]


def watched():
    """The expressions that the page of metrics says to watch."""
    with open(PAGE, encoding="utf-8") as file:
        rows = file.read().split("\n## What to watch\n")[1].splitlines()
    cells = [re.split(r"(?<!\\)\|", row)[1] for row in rows if row.startswith("| `")]
    return [re.search("`([^`]+)`", cell).group(1).replace("\\|", "|") for cell in cells]


class Dashboard(unittest.TestCase):
    def test_panels(self):
        board = dashboard()
        self.assertGreaterEqual(board["schemaVersion"], 36)
        self.assertTrue(board["title"] and board["uid"])
        ids = [panel["id"] for panel in board["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        for panel in graphs(board):
            with self.subTest(panel["title"]):
                self.assertEqual(panel["datasource"], DATASOURCE)
                self.assertTrue(panel["targets"])
                names = [target["refId"] for target in panel["targets"]]
                self.assertEqual(len(names), len(set(names)))
                for target in panel["targets"]:
                    self.assertEqual(target["datasource"], DATASOURCE)
                    self.assertTrue(target["expr"] and target["legendFormat"])
        rows = [panel["title"] for panel in board["panels"] if panel["type"] == "row"]
        self.assertEqual(len(rows), len(set(rows)))
        self.assertGreaterEqual(len(rows), 9)

    def test_no_panel_lies_upon_another(self):
        panels = dashboard()["panels"]
        for panel in panels:
            at = panel["gridPos"]
            self.assertGreaterEqual(at["x"], 0)
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
        for one, other in itertools.combinations(panels, 2):
            a, b = one["gridPos"], other["gridPos"]
            apart = (a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"] or
                     a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"])
            self.assertTrue(apart, (one["title"], other["title"]))

    def test_what_it_shows_is_documented(self):
        with open(PAGE, encoding="utf-8") as file:
            documented = set(re.findall(r"^\| `(\w+)` \|", file.read(), re.M))
        board = dashboard()
        shown = {re.sub("_bucket$", "", name) for expression in expressions(board)
                 for name in re.findall(r"\blakestream_\w+", expression)}
        self.assertEqual(shown - documented, set())
        names = {variable["name"] for variable in board["templating"]["list"]}
        self.assertEqual(names, {"datasource", "instance"})


class DashboardData(harness.TestCase):
    def serve(self, *arguments, **keywords):
        """A process that serves metrics, and where."""
        process = self.start(*arguments, "--metrics", "0", **keywords)
        return process, self.told(process, rb"metrics are served at http://(127\.0\.0\.1:\d+)/")

    def told(self, process, pattern):
        for line in process.stderr:
            found = re.search(pattern, line)
            if found:
                # The rest is read, so that the process never waits for it.
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return found.group(1).decode()
        self.fail(f"{process.args} did not say {pattern}")

    def start_prometheus(self, targets):
        binary = shutil.which("prometheus")
        self.assertIsNotNone(binary, "Debian's package prometheus is not installed; see tools/setup.sh")
        config = os.path.join(self.folder, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"scrape_configs": [{"job_name": "lakestream", "scrape_interval": SCRAPE_INTERVAL,
                                           "scrape_timeout": SCRAPE_INTERVAL,
                                           "static_configs": [{"targets": targets}]}]}, file)
        process = subprocess.Popen([binary, f"--config.file={config}", "--web.listen-address=127.0.0.1:0",
                                    f"--storage.tsdb.path={self.folder}/prometheus"], stderr=subprocess.PIPE)
        self.addCleanup(self._end, process)
        self.api = "http://" + self.told(process, rb'"?Listening on"? address=(127\.0\.0\.1:\d+)') + "/api/v1/"

    def ask(self, path, **parameters):
        """The data of an answer; none where Prometheus refuses the question, or is not ready."""
        url = self.api + path + "?" + urllib.parse.urlencode(parameters, doseq=True)
        try:
            with urllib.request.urlopen(url, timeout=harness.TIMEOUT) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError:
            return None

    def has_data(self, expression):
        data = self.ask("query", query=expression)
        return data is not None and any(not math.isnan(float(one["value"][1])) for one in data["result"])

    def without_data(self, wanted, seconds):
        """Those that have none within that time."""
        deadline = time.monotonic() + seconds
        while True:
            wanted = [expression for expression in wanted if not self.has_data(expression)]
            if not wanted or time.monotonic() > deadline:
                return wanted

    def values_of(self, variable, count):
        """What Grafana has for "All" of a variable, once it has so many values."""
        metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"]).groups()
        deadline = time.monotonic() + harness.TIMEOUT
        while True:
            values = self.ask(f"label/{label}/values", **{"match[]": metric}) or []
            if len(values) == count:
                return "(" + "|".join(one.replace(".", "\\\\.") for one in values) + ")"
            self.assertLess(time.monotonic(), deadline, values)

    def keep_appending(self, append):
        """A line, its acknowledgement, the next line."""
        over = threading.Event()

        def work():
            while not over.is_set():
                append.stdin.write(b"0123456789\n")
                append.stdin.flush()
                append.stdout.readline()

        thread = threading.Thread(target=work)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(over.set)

    def test_every_expression_has_data(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        self.ok("stream", "set", "s", "lakestream.retention.records=1000")
        _, jobs = self.serve("run", "--compact-every", "100ms", "--retain-every", "100ms", "--gc-every", "300ms",
                             stdout=subprocess.DEVNULL)
        append, writer = self.serve("append", "s", "--offsets")
        _, reader = self.serve("read", "s", "--follow", stdout=subprocess.DEVNULL)
        self.keep_appending(append)
        targets = [jobs, writer, reader]
        self.start_prometheus(targets)
        board = dashboard()
        values = {"__rate_interval": RATE_INTERVAL}
        for variable in board["templating"]["list"]:
            if variable["type"] == "query":
                values[variable["name"]] = self.values_of(variable, len(targets))
        filled = [re.sub(r"\$(\w+)", lambda found: values[found.group(1)], one) for one in expressions(board)]
        self.assertGreater(len(filled), 60)
        self.assertEqual(self.without_data(filled + watched(), 60), [])
        # It would have renamed labels that it has itself.
        self.assertEqual(self.ask("query", query='{__name__=~"lakestream_.+", exported_job!=""}')["result"], [])
        # And what has no data is found.
        broken = ["rate(lakestream_nothing_total[10s])", "sum(", "histogram_quantile(0.99, lakestream_writer_entries_total)",
                  'lakestream_sessions_alive{instance=~"elsewhere"}']
        self.assertEqual(self.without_data(broken, 0), broken)


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
