"""A shopmark-server of a test's own, on a free port."""

import http.client
import json
import re
import signal
import subprocess

TOKEN = "the-staffs-token"


class Server:
    """Runs within a with-block; what it prints on standard error is in .errors afterwards."""

    def __init__(self, program, target, folder, *arguments):
        token = folder / "token"
        token.write_text(TOKEN + "\n", encoding="utf-8")
        self.command = [program, f"--target={target}", "--listen=127.0.0.1:0",
                        f"--admin_token_file={token}", *arguments]
        self.errors = ""

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"shopmark-server: listening on (http://127\.0\.0\.1:(\d+))\n", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"{line!r} {self.process.communicate()[1]}")
        self.url, self.port = found[1], int(found[2])
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    def stop(self, with_signal=signal.SIGTERM):
        """The status that it ends with, and what it still printed on standard output."""
        self.process.send_signal(with_signal)
        output, self.errors = self.process.communicate(timeout=30)
        return self.process.returncode, output

    def ask(self, method, path, body=None, **headers):
        """Status, headers in lower case and the body, of JSON where it is some."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content_Type", "application/json")
        connection.request(method, path, body,
                           {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        its = {name.lower(): value for name, value in response.getheaders()}
        if its.get("content-type", "").startswith("application/json"):
            text = json.loads(text) if text else None
        return response.status, its, text

    def staff(self, path):
        return self.ask("GET", path, Authorization=f"Bearer {TOKEN}")
