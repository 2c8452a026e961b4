"""Reads a page as a browser would, and says what in it could act."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

# What Datasette's own pages have; everything else that could act must not appear.
DATASETTES_OWN_SCRIPT = {"openColumnChooser()"}
VOID = {"meta", "link", "input", "br", "hr", "img", "rect", "line", "path", "circle"}
ADDRESSES = {"href", "src", "action", "formaction", "poster", "data", "xlink:href"}
RAW = {"script", "style"}


class Page(HTMLParser):
    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.alarming = []
        self.text = []  # what is shown, by element
        self.addresses = []
        self.open = []
        self.labels = set()
        self.fields = []
        self.headings = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            self._look_at(tag, name, value or "")
        values = dict(attrs)
        if tag == "label":
            self.labels.add(values.get("for"))
        if tag in {"input", "select", "textarea"} and values.get("type") != "hidden":
            self.fields.append(values)
        if tag in {"h1", "h2", "h3", "h4"}:
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        while self.open and tag in self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not self.open or self.open[-1] not in RAW:
            self.text.append((tuple(self.open), data))
        elif "canary" in data:
            self.alarming.append(f"{self.open[-1]} holds a stored value: {data[:200]}")

    def _look_at(self, tag, name, value):
        if tag in {"iframe", "object", "embed", "base", "applet"}:
            self.alarming.append(f"element {tag}")
        if name.startswith("on") and value not in DATASETTES_OWN_SCRIPT:
            self.alarming.append(f"{tag} {name}={value[:80]}")
        if name == "style" and "canary" in value:
            self.alarming.append(f"{tag} style={value[:80]}")
        if name in ADDRESSES:
            self.addresses.append((tag, value))
            parts = urlsplit(value.strip().lower())
            if parts.scheme not in {"", "http", "https"} or parts.username is not None:
                self.alarming.append(f"{tag} {name}={value[:80]}")
            if tag in {"script", "img", "link"} and parts.netloc not in {"", "localhost"}:
                self.alarming.append(f"fetched from elsewhere: {value}")

    def shown_in(self, *elements):
        return [text for path, text in self.text if set(elements) & set(path)]
