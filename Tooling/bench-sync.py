#!/usr/bin/env python3
"""Measures syncing between two homes, each with a daemon and a Syncthing instance on loopback.

usage: bench-sync.py DIPLE [ROUNDS]
           the time until a highlight of one home is listed in the other
       bench-sync.py DIPLE --soak SECONDS [--git] [--pause S]
           random commands in both homes, through Syncthing or a git remote; daemons are killed
           occasionally; the libraries must be equal at the end
All files are in a temporary folder, all ports on loopback, and all processes end with this program.
"""

import os, random, re, shutil, socket, subprocess, sys, tempfile, time, urllib.request

DIPLE = os.path.abspath(sys.argv[1])
PLACE = tempfile.mkdtemp(prefix="diple-sync-")
TEXT = "# Rooms\n\n" + "\n\n".join(
    f"Paragraph {n} says that a woman must have money and a room of her own, number {n}, to write fiction."
    for n in range(1, 401)
)


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Home:
    def __init__(self, name):
        self.name, self.path = name, f"{PLACE}/{name}"
        self.notes, self.shared = self.path + "/notes", self.path + "/shared"
        os.makedirs(self.notes)
        os.makedirs(self.shared)
        self.listen, self.gui = port(), port()
        self.config = self.path + "/.config/syncthing"
        self.environment = {
            "HOME": self.path,
            "PATH": os.environ["PATH"],
            "DIPLE_SYNC_PASSPHRASE": "correct horse battery",
            "STNOUPGRADE": "1",
            "LANG": "C.UTF-8",
        }
        self.process = None

    def diple(self, *words, check=True):
        run = subprocess.run(
            [DIPLE, *words],
            cwd=self.notes,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        if check and run.returncode not in (0, 1):
            raise SystemExit(f"{self.name}: diple {' '.join(words)}: {run.returncode} {run.stderr}")
        return run.stdout

    def prepare(self):
        subprocess.run(
            ["syncthing", "generate", "--home", self.config, "--no-default-folder"],
            env=self.environment,
            check=True,
            capture_output=True,
        )
        self.id = subprocess.run(
            ["syncthing", "--home", self.config, "--device-id"],
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def start(self, other):
        os.makedirs(self.shared + "/.stfolder", exist_ok=True)
        devices = "".join(
            f'<device id="{home.id}" name="{home.name}"><address>tcp://127.0.0.1:{home.listen}</address></device>'
            for home in (self, other)
        )
        members = "".join(f'<device id="{home.id}"/>' for home in (self, other))
        with open(self.config + "/config.xml", "w") as file:
            file.write(f"""<configuration version="35">
  <folder id="diple" label="" path="{self.shared}" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true"
    fsWatcherDelayS="10" ignorePerms="true" autoNormalize="true"><filesystemType>basic</filesystemType>{members}
  </folder>{devices}
  <gui enabled="true" tls="false"><address>127.0.0.1:{self.gui}</address><apikey>key-{self.name}</apikey></gui>
  <options><listenAddress>tcp://127.0.0.1:{self.listen}</listenAddress>
    <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
    <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><startBrowser>false</startBrowser>
    <crashReportingEnabled>false</crashReportingEnabled><urAccepted>-1</urAccepted>
    <autoUpgradeIntervalH>0</autoUpgradeIntervalH><reconnectionIntervalS>1</reconnectionIntervalS></options>
</configuration>""")
        self.process = subprocess.Popen(
            [
                "syncthing",
                "serve",
                "--home",
                self.config,
                "--no-browser",
                "--no-restart",
                "--no-upgrade",
            ],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def is_connected(self):
        try:
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.gui}/rest/system/connections",
                headers={"X-API-Key": f"key-{self.name}"},
            )
            return '"connected": true' in urllib.request.urlopen(request, timeout=2).read().decode()
        except OSError:
            return False

    @property
    def address(self):
        return f"{self.shared}?syncthing=http://127.0.0.1:{self.gui}&folder=diple"

    def digest(self):
        return re.search(r"digest (\w+)", self.diple("sync", "verify")).group(1)


def wait(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"bench: timed out after {seconds} s: {what}")
        time.sleep(0.02)


def set_up(git=False):
    a, b = Home("anna"), Home("ben")
    for home in (a, b):
        if not git:
            home.prepare()
        with open(home.notes + "/rooms.md", "w") as file:
            file.write(
                TEXT if home is a else TEXT.replace("Paragraph 7 says", "Paragraph 7 of mine says")
            )
        home.diple("init")
        home.diple("add", "rooms.md")
    if git:
        remote = PLACE + "/remote.git"
        subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
        a.diple("sync", "init", "git", remote, "--device", "anna")
        b.diple("sync", "join", "git", remote, "--device", "ben")
        return begin(a, b)
    a.start(b)
    b.start(a)
    wait("Syncthing connects the devices", lambda: a.is_connected() and b.is_connected())
    for home in (a, b):
        home.environment["DIPLE_SYNCTHING_KEY"] = f"key-{home.name}"
    a.diple("sync", "init", "folder", a.address, "--device", "anna")
    wait(
        "the vault arrives at the second device",
        lambda: os.path.isdir(b.shared + "/v1") and "epoch" in str(list(os.walk(b.shared))),
    )
    b.diple("sync", "join", "folder", b.address, "--device", "ben")
    return begin(a, b)


def begin(*homes):
    for home in homes:
        home.diple("daemon", "start")
    return homes


def latency(rounds):
    a, b = set_up()
    times = []
    time.sleep(3)
    for n in range(rounds):
        text = f"number {n + 1}, to"
        begin = time.monotonic()
        a.diple("mark", "rooms.md", f'"{text}"')
        marked = time.monotonic()
        wait(
            f"highlight {n} arrives at the second device",
            lambda: text in b.diple("list", "--no-daemon"),
            30,
        )
        times.append(time.monotonic() - marked)
        time.sleep(random.uniform(0.5, 1.5))
    times.sort()
    print(
        f"{rounds} highlights, from the end of `mark` on one device to `list` on the other, through Syncthing, notified of each change:"
        f" p50 {times[len(times) // 2]:.2f} s, p95 {times[int(len(times) * 0.95)]:.2f} s, longest {times[-1]:.2f} s"
        f" (goal: p95 1 s); load {os.getloadavg()[0]:.1f}"
    )
    finish(a, b)


def soak(seconds, git, pause):
    a, b = set_up(git)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    pick = random.Random(seed)
    end, acts, kills = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        time.sleep(pick.random() * 2 * pause)
        home = pick.choice((a, b))
        ids = re.findall(r"^(\d+(?:-\w+)?) ", home.diple("list", check=False), re.M)
        act = pick.randrange(10)
        if pick.randrange(40) == 0:
            killed = re.search(r"process (\d+)", home.diple("daemon", "status", check=False))
            if killed:
                os.kill(int(killed.group(1)), 9)
                kills += 1
            home.diple("daemon", "start", check=False)
        elif act < 3 or not ids:
            home.diple(
                "mark",
                "rooms.md",
                f'"number {pick.randrange(1, 400)}, to"',
                "--color",
                pick.choice(["yellow", "green", "blue", "pink"]),
                check=False,
            )
        elif act < 5:
            home.diple("highlight", "note", pick.choice(ids), f"note {acts}", check=False)
        elif act < 6:
            home.diple("highlight", "tag", pick.choice(ids), f"t{pick.randrange(5)}", check=False)
        elif act < 7:
            home.diple("remove", pick.choice(ids), check=False)
        elif act < 8:
            home.diple("undo", check=False)
        else:
            lines = open(home.notes + "/rooms.md").read().split("\n\n")
            lines.insert(
                pick.randrange(len(lines)), f"A paragraph that was written in between, {acts}."
            )
            with open(home.notes + "/rooms.md.new", "w") as file:
                file.write("\n\n".join(lines))
            os.rename(home.notes + "/rooms.md.new", home.notes + "/rooms.md")
        acts += 1
    for _ in range(60):
        time.sleep(2)
        for home in (a, b):
            home.diple("sync", check=False)
        if a.digest() == b.digest():
            break
    same = a.digest() == b.digest()
    count = len(a.diple("list").splitlines())
    for home in (a, b):
        home.diple("doctor")
    print(
        f"{acts} commands and edits, and {kills} killed daemons in {seconds} s through {'git' if git else 'Syncthing'}, {count} highlights: the libraries are {'equal' if same else 'DIFFERENT'}"
    )
    finish(a, b)
    if not same:
        raise SystemExit(1)


def finish(*homes):
    for home in homes:
        home.diple("daemon", "stop", check=False)
        if home.process:
            home.process.terminate()
            home.process.wait(20)


try:
    if sys.argv[2:3] == ["--soak"]:
        words = sys.argv[4:]
        soak(
            int(sys.argv[3]),
            "--git" in words,
            float(words[words.index("--pause") + 1]) if "--pause" in words else 0,
        )
    else:
        latency(int(sys.argv[2]) if len(sys.argv) > 2 else 40)
finally:
    subprocess.run(["pkill", "-f", f"syncthing.*{PLACE}"], check=False)
    subprocess.run(["pkill", "-f", f"dipled?.*{PLACE}"], check=False)
    shutil.rmtree(PLACE, ignore_errors=True)
