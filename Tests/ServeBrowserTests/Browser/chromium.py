"""Drives a new Chromium over a pipe by the DevTools protocol, with Python's standard library."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    """An expectation that was not met in time."""


class Chromium:
    """A Chromium with a temporary profile."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="diple-chromium-")
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        words = [
            "chromium",
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-dev-shm-usage",
            "--mute-audio",
            "--force-color-profile=srgb",
            "--remote-debugging-pipe",
            f"--user-data-dir={self.profile}",
            "about:blank",
        ]

        def place():
            # The browser reads commands from 3 and writes answers to 4; the pipes may have these.
            reading = fcntl.fcntl(to_browser, fcntl.F_DUPFD, 10)
            writing = fcntl.fcntl(from_browser, fcntl.F_DUPFD, 10)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=place,
            pass_fds=(3, 4),
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._last = 0
        self._answers = {}
        self.events = []

    def close(self):
        try:
            self.send("Browser.close", wait=1)
        except (Failure, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, parameters=None, session=None, wait=30):
        """Sends a command and returns its result."""
        self._last += 1
        number = self._last
        message = {"id": number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        _write_all(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + wait
        while number not in self._answers:
            self._receive(end, method)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error'].get('message')}")
        return answer.get("result", {})

    def _receive(self, end, what):
        left = end - time.monotonic()
        if left <= 0 or not select.select([self._read], [], [], left)[0]:
            raise Failure(f"no answer to {what}")
        data = os.read(self._read, 1 << 20)
        if not data:
            raise Failure(f"the browser ended during {what}")
        self._buffer += data
        if b"\0" not in data:
            return
        *messages, self._buffer = self._buffer.split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self.events.append(message)

    def pump(self, seconds):
        """Reads the browser's messages for some seconds."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return
            if select.select([self._read], [], [], left)[0]:
                self._receive(end + 1, "events")

    def page(self, width=1280, height=900, context=None):
        """Opens a page in a new window of this size, in a browser context if one is passed."""
        return Page(self, width, height, context)


def _write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


# Keys by `KeyboardEvent.key`: code, number, text.
_KEYS = {
    "Enter": ("Enter", 13, "\r"),
    "Escape": ("Escape", 27, ""),
    "Tab": ("Tab", 9, ""),
    "Delete": ("Delete", 46, ""),
    "Backspace": ("Backspace", 8, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    " ": ("Space", 32, " "),
}
_COMMANDS = {"a": "selectAll"}


class Page:
    """A page, with mouse, keyboard and screenshots."""

    def __init__(self, browser, width, height, context):
        self.browser = browser
        # In a separate window, because a page behind another one is hidden and follows no changes.
        parameters = {"url": "about:blank", "newWindow": True}
        if context:
            parameters["browserContextId"] = context
        self.target = browser.send("Target.createTarget", parameters)["targetId"]
        self.session = browser.send(
            "Target.attachToTarget", {"targetId": self.target, "flatten": True}
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.size(width, height)

    def send(self, method, parameters=None, wait=30):
        return self.browser.send(method, parameters, self.session, wait)

    def close(self):
        self.browser.send("Target.closeTarget", {"targetId": self.target})

    def size(self, width, height, mobile=False, scale=1):
        self.send(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile},
        )
        self.send("Emulation.setTouchEmulationEnabled", {"enabled": mobile})

    def go(self, address, ready="document.documentElement.dataset.ready === 'true'"):
        self.send("Page.navigate", {"url": address})
        if ready:
            self.until(ready, f"the page {address} to be ready")

    def reload(self, ready="!window.isOld && document.documentElement.dataset.ready === 'true'"):
        """Reloads the page, and confirms if it asks first."""
        self.eval("window.isOld = true")
        self.send("Page.reload")
        # While the page asks for confirmation, it does not respond.
        end = time.monotonic() + 5
        while time.monotonic() < end:
            self.browser.pump(0.05)
            names = [
                each["method"]
                for each in self.browser.events
                if each.get("sessionId") == self.session
            ]
            if "Page.javascriptDialogOpening" in names:
                self.send("Page.handleJavaScriptDialog", {"accept": True})
                break
            if "Page.frameStartedLoading" in names and "Page.loadEventFired" in names:
                break
        self.browser.events = [
            each for each in self.browser.events if not each["method"].startswith("Page.")
        ]
        self.until(ready, "the page to be loaded anew")

    def eval(self, code, wait=30):
        """Returns the value of an expression; awaits promises."""
        answer = self.send(
            "Runtime.evaluate",
            {"expression": code, "awaitPromise": True, "returnByValue": True, "userGesture": True},
            wait,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, code, what=None, within=30):
        """Waits until an expression is true, and returns its value."""
        end = time.monotonic() + within
        while True:
            try:
                # Elements cannot be returned by value.
                value = self.eval(
                    f"Promise.resolve({code}).then(v => v instanceof Node ? true : v)"
                )
            except Failure as failure:
                # The page may be loading another one.
                value, problem = None, failure
            else:
                problem = None
            if value:
                return value
            if time.monotonic() > end:
                raise Failure(
                    f"waited {within} s for {what or code}" + (f": {problem}" if problem else "")
                )
            time.sleep(0.02)

    def faults(self):
        """Returns errors since the last call: exceptions, policy violations, failed requests."""
        found, rest = [], []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                rest.append(event)
                continue
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in (
                "error",
                "assert",
            ):
                found.append(
                    " ".join(
                        str(each.get("value", each.get("description")))
                        for each in parameters["args"]
                    )
                )
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        self.browser.events = rest
        return found

    # Mouse

    def mouse(self, kind, x, y, count=1, button="left", modifiers=0):
        self.send(
            "Input.dispatchMouseEvent",
            {
                "type": kind,
                "x": x,
                "y": y,
                "button": button if kind != "mouseMoved" or button == "left" else "none",
                "buttons": 1 if kind != "mouseReleased" and button == "left" else 0,
                "clickCount": count,
                "modifiers": modifiers,
            },
        )

    def hover(self, x, y):
        self.mouse("mouseMoved", x, y, button="none")

    def click(self, x, y, count=1, modifiers=0):
        self.hover(x, y)
        for number in range(1, count + 1):
            self.mouse("mousePressed", x, y, number, modifiers=modifiers)
            self.mouse("mouseReleased", x, y, number, modifiers=modifiers)

    def drag(self, x1, y1, x2, y2, steps=6):
        self.hover(x1, y1)
        self.mouse("mousePressed", x1, y1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps)
        self.mouse("mouseReleased", x2, y2)

    def tap(self, x, y):
        self.send(
            "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
        )
        self.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def box(self, selector):
        """Returns the middle of an element, scrolled into view: x, y."""
        box = self.until(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
            "const b = e.getBoundingClientRect(); return b.width ? [b.x + b.width / 2, b.y + b.height / 2] : null })()",
            f"{selector} to be seen",
        )
        return box

    def press_on(self, selector):
        self.click(*self.box(selector))

    # Keys

    def key(self, key, *, shift=False, control=False):
        modifiers = (8 if shift else 0) | (2 if control else 0)
        if key in _KEYS:
            code, number, text = _KEYS[key]
        else:
            code = f"Key{key.upper()}" if key.isalpha() else ""
            number, text = ord(key.upper()) if key.isascii() else 0, key
            if key.isupper() or key in '?+|{}"':
                modifiers |= 8
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        down = dict(event, type="keyDown" if text and not control else "rawKeyDown")
        if text and not control:
            down["text"] = text
        if control and key in _COMMANDS:
            down["commands"] = [_COMMANDS[key]]
        self.send("Input.dispatchKeyEvent", down)
        self.send("Input.dispatchKeyEvent", dict(event, type="keyUp"))

    def type(self, text):
        self.send("Input.insertText", {"text": text})

    # Appearance

    def screenshot(self, path, full=False):
        answer = self.send(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": full}, 60
        )
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def media(self, **features):
        self.send(
            "Emulation.setEmulatedMedia",
            {
                "features": [
                    {"name": name.replace("_", "-"), "value": value}
                    for name, value in features.items()
                ]
            },
        )
