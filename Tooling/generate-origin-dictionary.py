"""Prints the Zstandard dictionary of stored origins, as in `OperationCoder.originDictionary`.

The dictionary consists of what origins have in common, and of tables of how frequent each byte is,
made of random origins of every format. It is part of the library's format: another version of
libzstd or another seed makes other bytes, with which stored origins cannot be read."""

import base64
import ctypes
import random

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZDICT_finalizeDictionary.restype = ctypes.c_size_t
random.seed(14)
FORMATS = ("kindle", "hypothesis", "readwise", "koreader", "zotero", "w3c", "markdown", "html")
WORDS = (
    "the of and to in is that it for was on are as with his they at be this from I have or by "
    "one had not"
).split()


class Parameters(ctypes.Structure):
    _fields_ = [("level", ctypes.c_int), ("notification", ctypes.c_uint), ("id", ctypes.c_uint)]


def words(least, most):
    return " ".join(random.choices(WORDS, k=random.randint(least, most))).capitalize()


def date():
    year, month, day = random.randint(2012, 2027), random.randint(1, 12), random.randint(1, 28)
    hour, minute, second = random.randint(0, 23), random.randint(0, 59), random.randint(0, 59)
    return f"{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"


def digest():
    return f"{random.getrandbits(128):032x}"


def origin():
    form = random.choice(FORMATS + ("w3c", "kindle"))
    folder = f"/home/{random.choice(('ann', 'user', 'kim'))}/{words(1, 3).replace(' ', '/')}"
    path = f"{folder}/{random.randint(1, 9999)}.md"
    name = words(1, 4).replace(" ", "-").lower()
    address = f"https://www.example.org/{random.randint(1, 99999)}/{name}"
    key = random.choice(
        (
            f"id:urn:{words(1, 2)}:{random.randint(1, 999999)}",
            f"id:{digest()}",
            f"id:{address}",
            digest(),
        )
    )
    passage = digest()
    members = {
        "format": form,
        "key": key,
        "marked": random.choice(("yellow", "green", "blue", "pink")),
        "passageDigest": passage,
        "quoteDigest": passage if random.random() < 0.9 else digest(),
    }
    optional = {
        "author": lambda: words(2, 3),
        "color": lambda: random.choice(("yellow", "#ffd400", "rgb(255,0,0)")),
        "created": date,
        "updated": date,
        "note": lambda: words(3, 20),
        "quote": lambda: words(5, 30),
        "location": lambda: f"page {random.randint(1, 600)} · location {random.randint(1, 9000)}",
        "source": lambda: random.choice((path, address)),
        "title": lambda: random.choice((path, words(2, 6))),
    }
    for name, value in optional.items():
        if random.random() < (0.15 if name in ("note", "quote") else 0.6):
            members[name] = value()
    if random.random() < 0.25:
        members["tags"] = [words(1, 1).lower()]

    def text(value):
        return "[" + ",".join(map(text, value)) + "]" if isinstance(value, list) else f'"{value}"'

    return ("{" + ",".join(f'"{k}":{text(v)}' for k, v in sorted(members.items())) + "}").encode()


CONTENT = (
    '"author":"","color":"#ffd400","created":"2026-01-01T00:00:00Z","earlierKeys":["'
    '"location":"page 1 · location 1","quote":"https://www."format":"markdown",'
    '"format":"readwise",'
    '"format":"koreader","format":"zotero","format":"kindle","key":"","format":"hypothesis",'
    '"key":"id:","tags":[""],"title":"/home/.md","updated":"2026-01-01T00:00:00Z"}'
    '{"created":"2026-01-01T00:00:00Z","format":"w3c","key":"id:https://","marked":"blue","note":""'
    '"marked":"pink","marked":"green","marked":"yellow","passageDigest":"","quoteDigest":"",'
    '"source":"/home/.md","title":"/home/.md","updated":"2026-01-01T00:00:00Z"}'
).encode()
samples = [origin() for _ in range(5_000)]
buffer, sizes = b"".join(samples), (ctypes.c_size_t * len(samples))(*map(len, samples))
made = ctypes.create_string_buffer(4_096)
size = zstd.ZDICT_finalizeDictionary(
    made,
    ctypes.c_size_t(len(made)),
    CONTENT,
    ctypes.c_size_t(len(CONTENT)),
    buffer,
    sizes,
    len(samples),
    Parameters(3, 0, 0x4F524947),
)
if size > len(made):
    raise SystemExit("generate-origin-dictionary: libzstd failed")
text = base64.b64encode(made.raw[:size]).decode()
for start in range(0, len(text), 92):
    print(text[start : start + 92])
