"""A server that answers every path with another attack, and what must come of each."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import zlib
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

MB = 1024 * 1024
GOOD = {"query": "canary", "results": [{"url": "https://a.example/", "title": "T"}]}


class Attack(NamedTuple):
    """`answer` yields bytes until it ends or the client has gone; `outcomes` are those allowed."""

    answer: object
    outcomes: frozenset
    seconds: float = 10.0  # deadline of the search


def http(body=b"", status="200 OK", **headers):
    lines = {"Content-Type": "application/json", "Content-Length": len(body)}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body


def once(answer):
    return lambda: iter([answer])


def endless(*begin, forever):
    def answer():
        yield from begin
        while True:
            yield forever

    return answer


def said(value, **headers):
    return once(http(json.dumps(value).encode(), **headers))


def plain(text, **headers):
    return once(http(text.encode() if isinstance(text, str) else text, **headers))


def bomb(megabytes, wbits):
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    block = bytes(MB)
    return b"".join(packer.compress(block) for _ in range(megabytes)) + packer.flush()


def rows(count):
    return {"query": "canary", "results": [{"url": f"http://a.example/{n}"} for n in range(count)]}


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BAD, LATE, BROKEN = frozenset({"bad_response"}), frozenset({"timeout"}), frozenset({"network"})
FAILS = BAD | BROKEN | {"config"}
FOUND = frozenset({"page 1"})


@cache
def attacks():
    gzipped = bomb(8, 16 + zlib.MAX_WBITS)
    return {
        "gzip bomb": Attack(once(http(gzipped, Content_Encoding="gzip")), BAD),
        "deflate bomb": Attack(
            once(http(bomb(8, zlib.MAX_WBITS), Content_Encoding="deflate")), BAD
        ),
        "bare deflate bomb": Attack(
            once(http(bomb(8, -zlib.MAX_WBITS), Content_Encoding="deflate")), BAD
        ),
        "gzip in gzip": Attack(
            once(http(gzip.compress(gzipped), Content_Encoding="gzip, gzip")), BAD
        ),
        "gzip in gzip, said once": Attack(
            once(http(gzip.compress(gzipped), Content_Encoding="gzip")), FAILS
        ),
        "zstd": Attack(once(http(b"(\xb5/\xfd" * 99, Content_Encoding="zstd")), BAD),
        "brotli": Attack(once(http(b"\x1b" * 99, Content_Encoding="br")), BAD),
        "unknown encoding": Attack(once(http(b"x", Content_Encoding="canary")), BAD),
        "endless body": Attack(endless(HEAD + b"\r\n", forever=b" " * 65536), BAD),
        "endless line": Attack(endless(HEAD + b"\r\n", forever=b'{"a":"' + b"a" * 65530), BAD),
        "line of 10 MB": Attack(plain(json.dumps({"a": "a" * 10 * MB})), BAD),
        "endless chunks of a byte": Attack(
            endless(CHUNKED, forever=b"1\r\n \r\n" * 500), BAD | LATE, 0.5
        ),
        "endless chunk extension": Attack(endless(CHUNKED + b"1;", forever=b"a" * 65536), BROKEN),
        "endless trailers": Attack(endless(CHUNKED + b"0\r\n", forever=b"A: b\r\n" * 999), FAILS),
        "endless headers": Attack(endless(HEAD, forever=b"X-Canary: canary\r\n" * 999), BROKEN),
        "endless header": Attack(endless(HEAD + b"X-Canary: ", forever=b"a" * 65536), BROKEN),
        "endless status line": Attack(endless(b"HTTP/1.1 200 ", forever=b"a" * 65536), BROKEN),
        "endless patience": Attack(
            endless(forever=b"HTTP/1.1 100 Continue\r\n\r\n" * 99), LATE | BROKEN, 0.5
        ),
        "endless hints": Attack(
            endless(forever=b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 99),
            LATE | BROKEN,
            0.5,
        ),
        "another protocol": Attack(
            once(http(b"", "101 Switching Protocols", Upgrade="canary", Connection="upgrade")),
            FAILS | LATE,
            1,
        ),
        "status 999": Attack(once(http(b"{}", "999 Canary")), FAILS),
        "no status": Attack(once(b"HTTP/1.1 canary\r\n\r\n"), BROKEN),
        "no HTTP": Attack(once(b"\x16\x03\x01\x00\xa5canary\r\n\r\n"), BROKEN),
        "newer HTTP": Attack(once(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), BROKEN),
        "nothing": Attack(once(b""), BROKEN),
        "length too long": Attack(once(http(b'{"results": []}', Content_Length=10**9)), BROKEN),
        "length too short": Attack(once(http(json.dumps(GOOD).encode(), Content_Length=9)), FAILS),
        "length below zero": Attack(once(http(b"{}", Content_Length=-1)), BROKEN),
        "length without bound": Attack(once(http(b"{}", Content_Length="9" * 99)), FAILS),
        "two lengths": Attack(
            once(HEAD + b"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}"), BROKEN
        ),
        "no content": Attack(once(http(b"", "204 No Content", Content_Length=None)), FAILS),
        "UTF-16": Attack(plain(json.dumps(GOOD).encode("utf-16")), FOUND),
        "UTF-32": Attack(plain(json.dumps(GOOD).encode("utf-32")), FOUND),
        "UTF-7": Attack(plain("+AHsAIg-", Content_Type="application/json; charset=utf-7"), BAD),
        "Latin-1": Attack(plain('{"results": "caf\xe9"}'.encode("latin-1")), BAD),
        "bytes that are no text": Attack(plain(bytes(range(128, 256)) * 99), BAD),
        "byte order mark": Attack(plain(b"\xef\xbb\xbf" + json.dumps(GOOD).encode()), FOUND),
        "arrays without end": Attack(plain('{"results": ' + "[" * 900_000), BAD),
        "objects without end": Attack(plain('{"a": ' * 300_000), BAD),
        "deep row": Attack(plain('{"results": [%s]}' % ("[" * 800 + "]" * 800)), BAD | {"page 0"}),
        "deep error": Attack(
            plain('{"error": ' * 800 + "1" + "}" * 800, status="500 Canary"), {"upstream"}
        ),
        "deep engine": Attack(
            plain('{"results": [], "unresponsive_engines": [%s]}' % ("[" * 800 + "]" * 800)),
            BAD | {"upstream"},
        ),
        "many empty rows": Attack(
            plain('{"results": [%s{}]}' % ("{}," * 600_000)), FAILS | {"page 0"}
        ),
        "many lists": Attack(plain('{"results": [%s[]]}' % ("[]," * 600_000)), FAILS | {"page 0"}),
        "many results": Attack(plain(json.dumps(rows(20_000))), {"page 20000"}),
        "many engines": Attack(
            said({"results": [], "unresponsive_engines": [["canary", "x" * 99]] * 15_000}),
            {"upstream"},
        ),
        "number of many digits": Attack(plain('{"results": %s}' % ("9" * 100_000)), BAD),
        "number beyond all": Attack(plain('{"results": 1e999}'), {"config"}),
        "not a number": Attack(plain('{"results": NaN}'), {"config"}),
        "wait beyond all": Attack(
            once(http(b"{}", "429 Canary", Retry_After="9" * 400)), {"rate_limited"}
        ),
        "wait of nonsense": Attack(
            once(http(b"{}", "429 Canary", Retry_After="nan, -inf")), {"rate_limited"}
        ),
        "halves of characters": Attack(
            plain('{"results": [{"url": "https://a.example/\\ud800", "title": "\\udfff\\u0000"}]}'),
            FOUND,
        ),
        "the same key twice": Attack(plain('{"results": [], "results": {"url": 1}}'), {"config"}),
        "title of 2 MB": Attack(
            said({"results": [{"url": "https://a.example/", "title": "<a &#27;" * 200_000}]}), FOUND
        ),
        "query of 2 MB": Attack(said(GOOD | {"query": "\x1b[31m" * 190_000}), FOUND),
        "redirect to itself": Attack(
            once(http(b"", "302 Found", Location="/search")), {"redirect"}
        ),
        "cookies": Attack(said(GOOD, Set_Cookie="canary=1; Domain=.example"), FOUND),
    }


class Attacker:
    """Answers `/NAME/search` with the attack of that name; `asked` counts the requests."""

    def __init__(self):
        self.attacks = {name.replace(" ", "-"): attack for name, attack in attacks().items()}
        self.asked = dict.fromkeys(self.attacks, 0)
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        with connection:
            connection.settimeout(15)
            try:
                request = b""
                while b"\r\n\r\n" not in request:
                    request += connection.recv(65536)
                name = request.split(b"/", 2)[1].decode()
                self.asked[name] += 1
                for part in self.attacks[name].answer():
                    connection.sendall(part)
            except OSError:
                return


@contextmanager
def attacking():
    attacker = Attacker()
    thread = threading.Thread(target=attacker.serve, daemon=True)
    thread.start()
    try:
        yield attacker
    finally:
        # Closing alone would not wake the thread that waits.
        attacker.socket.shutdown(socket.SHUT_RDWR)
        attacker.socket.close()
        thread.join(5)
