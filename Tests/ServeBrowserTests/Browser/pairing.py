"""Devices on a network, simulated by another loopback address."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time

from chromium import Chromium
from looking import _axe, _has_axe
from world import equal, expect, prepare

ADDRESS = "127.0.0.2"
NOTE = "document.querySelector('.access')"


def _serve(world):
    identifier = world.document("one.md", "# One\n\nThe quick brown fox jumps.\n")
    world.serve("--lan", ADDRESS)
    return identifier


def _phone(browser, address, ready=None):
    """Opens a page in a separate browser context, without cookies and storage."""
    context = browser.send("Target.createBrowserContext")["browserContextId"]
    page = browser.page(390, 844, context)
    page.size(390, 844, mobile=True, scale=2)
    page.go(address, ready=ready)
    return page


def _enter(page, selector, text):
    page.eval(f"(e => {{ e.focus(); e.select(); }})(document.querySelector('{selector}'))")
    page.type(text)


def check_pairing(world):
    """A device is paired by a code, reads, may not mark, is allowed to, and is revoked."""
    identifier = _serve(world)
    owner = world.open("/#/devices")
    owner.until("document.querySelector('.devices .nothing')?.textContent.includes('127.0.0.2')")
    network = world.said["network"]
    phone = _phone(owner.browser, network["address"])
    phone.until("document.querySelector('#pair-code')")
    equal(
        phone.eval("document.querySelector('#pair-name').value"),
        "Chrome on Linux",
        "the usual name",
    )
    code = network["code"]
    wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
    for text, words in (("12", "8 letters"), (wrong, "4 tries left")):
        _enter(phone, "#pair-code", text)
        phone.key("Enter")
        phone.until(f"document.querySelector('.pairing .problem').textContent.includes('{words}')")
    _enter(phone, "#pair-name", "Phone <b>‮\u200b")
    _enter(phone, "#pair-code", f"{code[:4].lower()} {code[4:].lower()}")
    phone.key("Enter")
    phone.until("document.querySelectorAll('.documents .entry').length === 1")
    expect(phone.eval("document.cookie") == "", "scripts see the token")
    phone.until(f"!{NOTE}.hidden && {NOTE}.textContent.includes('diple serve allow')")
    expect(
        phone.eval(
            "[...document.querySelectorAll('nav a')].find(a => a.hash === '#/devices').hidden"
        ),
        "a device sees the way to devices",
    )
    equal(
        phone.eval("fetch('/api/devices').then(a => a.status)"),
        403,
        "the list of devices, for a device",
    )

    # The device may read, but not mark.
    phone.go(f"{network['address']}d/{identifier}")
    prepare(phone)
    phone.until(f"!{NOTE}.hidden")
    expect(phone.eval("document.documentElement.scrollWidth <= innerWidth"), "wider than a phone")
    expect(
        phone.eval(
            "[...document.querySelectorAll('.bar button')].every(b => b.hidden || !/Pen|Undo|Redo/.test(b.ariaLabel))"
        ),
        "tools that change something",
    )
    phone.eval("window.same = true; true")
    phone.key("w")
    phone.until("!document.querySelector('.menu').hidden")
    equal(
        phone.eval("document.querySelectorAll('.menu .swatch, .menu .dot').length"),
        0,
        "colours in the menu",
    )
    phone.key("1")
    # Without encryption browsers offer only the older way to copy.
    phone.eval("Object.defineProperty(navigator, 'clipboard', { value: undefined }); true")
    phone.key("c")
    phone.until("document.querySelector('.notice.done')?.textContent.includes('Copied')")
    equal(phone.eval("getSelection().toString()"), "One", "the selection after copying")
    refused = phone.eval("""fetch("/api/actions/history.undo", { method: "POST", body: "{}",
        headers: { "Content-Type": "application/json", "X-Diple": "1" } })
      .then(a => a.json().then(j => [a.status, j.message, j.hint]))""")
    expect(
        refused[0] == 403 and "only read" in refused[1] and "serve allow" in refused[2],
        f"{refused}",
    )
    equal(world.highlights(), [], "highlights")

    # The owner's page lists the device and allows marking; the device's open page follows.
    owner.until("document.querySelectorAll('.device').length === 1")
    equal(owner.eval("document.querySelector('.device h2').textContent"), "Phone <b>", "the name")
    phone.key("Escape")
    owner.press_on(".device input[type=checkbox]")
    phone.until(f"{NOTE}.hidden", "the phone to follow", within=5)
    phone.until(
        "[...document.querySelectorAll('.bar button')].some(b => !b.hidden && b.ariaLabel === 'Pen')"
    )
    expect(phone.eval("window.same"), "the page was loaded again")
    phone.key("w")
    phone.until("!document.querySelector('.menu').hidden")
    phone.key("1")
    phone.until("document.querySelectorAll('#text mark').length === 1")
    equal(len(world.highlights()), 1, "highlights")

    # A command restricts it to reading again.
    device = world.json("serve", "devices")[0]
    world.diple("serve", "allow", "Phone <b>", "--read")
    phone.until(f"!{NOTE}.hidden", "the phone to follow", within=5)

    # A revoked device has no access.
    owner.until("!document.querySelector('.device input').checked")
    owner.press_on(".device button.danger")
    owner.until("document.querySelector('dialog[open]')")
    owner.press_on("dialog .buttons button.danger")
    owner.until("document.querySelectorAll('.device').length === 0")
    equal(
        phone.eval("fetch('/api/library').then(a => a.status)"),
        401,
        "the library, for a revoked device",
    )
    phone.go(network["address"], ready=None)
    phone.until("document.querySelector('#pair-code')")
    expect(device["mayWrite"], "the command saw another state")


def _picture(world, words, no_color):
    """Runs the server in a terminal; returns its output, and its QR code as rows of modules."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
    world.server = subprocess.Popen(
        [world.programs / "diple", "serve", "--port", "0", *words],
        cwd=world.library,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=dict(world.environment, TERM="xterm-256color", NO_COLOR=no_color),
    )
    os.close(terminal)
    text = ""
    end = time.monotonic() + 20
    while "within 5 minutes" not in text:
        expect(
            select.select([main], [], [], max(0, end - time.monotonic()))[0],
            lambda: f"no code in {text!r}",
        )
        text += os.read(main, 65536).decode("utf-8", "replace")
    rows = []
    # Without colours the light modules are drawn.
    pattern = "^([█▀▄ ]{20,})\r$" if no_color else "^\x1b\\[38;5;16;48;5;231m(.*?)\x1b\\[0m\r$"
    for line in re.findall(pattern, text, re.MULTILINE):
        rows.append([(cell in "█▀") != bool(no_color) for cell in line])
        rows.append([(cell in "█▄") != bool(no_color) for cell in line])
    return text, rows, main


def _read(world, rows):
    """Returns the text of a QR code."""
    picture = world.folder / "code.pgm"
    size = 6
    pixels = b"".join(
        bytes(0 if dark else 255 for dark in row for _ in range(size)) * size for row in rows
    )
    picture.write_bytes(b"P5 %d %d 255\n" % (len(rows[0]) * size, len(rows) * size) + pixels)
    return subprocess.run(
        ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", str(picture)],
        capture_output=True,
        text=True,
    ).stdout.strip()


def check_pairing_by_picture(world):
    """The QR code in the terminal pairs a phone, once."""
    if not shutil.which("zbarimg"):
        expect(not os.environ.get("CI"), "zbarimg is missing; Tooling/setup --test installs it")
        print("skipped: zbarimg, which reads QR codes, is not installed")
        return
    world.document("one.md", "# One\n")
    for no_color in ("1", ""):
        text, rows, main = _picture(world, ["--lan", ADDRESS], no_color)
        expect(len(rows) > 20, lambda: f"no picture in {text!r}")
        link = _read(world, rows)
        letters = re.search(r"and enter ([A-Z]{4}) ([A-Z]{4})\.", text)
        expect(
            letters and link.endswith(f"/#pair={letters[1]}{letters[2]}"),
            lambda: f"{link!r} is not what {text!r} says",
        )
        expect(link.startswith(f"http://{ADDRESS}:"), lambda: f"{link!r} leads elsewhere")
        if no_color:
            world.server.terminate()
            world.server.wait(10)
            os.close(main)
    world.browser = Chromium()
    phone = _phone(world.browser, link)
    phone.until("document.querySelectorAll('.documents .entry').length === 1")
    expect("#pair" not in phone.eval("location.href"), "the code is still in the address")
    equal(
        [each["name"] for each in world.json("serve", "devices")],
        ["Chrome on Linux"],
        "the devices",
    )
    # A paired device that opens the link again is not paired twice; for others the code is used.
    phone.go("about:blank", ready=None)
    phone.go(link)
    equal(len(world.json("serve", "devices")), 1, "devices")
    other = _phone(world.browser, link)
    other.until("document.querySelector('.pairing .problem')?.textContent.includes('used already')")
    os.close(main)


def check_accessible_pairing(world):
    if not _has_axe():
        return
    _serve(world)
    owner = world.open("/#/devices")
    network = world.said["network"]
    phone = _phone(owner.browser, network["address"])
    phone.until("document.querySelector('#pair-code')")
    found = []
    themes = ("light", "sepia", "dark")
    for theme in themes:
        phone.eval(f"document.documentElement.dataset.theme = '{theme}'")
        found += _axe(phone, f"pairing, {theme}")
    phone.eval("document.documentElement.dataset.theme = 'light'")
    _enter(phone, "#pair-code", network["code"])
    phone.key("Enter")
    phone.until("document.querySelectorAll('.documents .entry').length === 1")
    owner.until("document.querySelectorAll('.device').length === 1")
    for theme in themes:
        for page in (phone, owner):
            page.eval(f"document.documentElement.dataset.theme = '{theme}'")
        found += _axe(phone, f"library of a device, {theme}")
        found += _axe(owner, f"devices, {theme}")
        owner.press_on(".device button.danger")
        owner.until("document.querySelector('dialog[open]')")
        found += _axe(owner, f"revoking, {theme}")
        owner.key("Escape")
        owner.until("!document.querySelector('dialog[open]')")
    expect(not found, lambda: " | ".join(found))
