# SPDX-License-Identifier: Apache-2.0
"""Reads what the checks need of Swift sources: top-level types, and the names each of them uses."""

import re
from pathlib import Path

_DECLARATION = re.compile(
    r"\b(?:(class|struct|enum|protocol|actor|extension|typealias)\s+([A-Za-z_][\w.]*))"
)
_WORD = re.compile(r"(?<![\w.])([A-Z]\w*)")


def without_comments_and_strings(text):
    """Returns the text with comments and string literals blanked; offsets and lines stay."""
    result = list(text)
    index = 0
    length = len(text)

    def blank(start, end):
        for position in range(start, min(end, length)):
            if result[position] != "\n":
                result[position] = " "

    def skip_string(start):
        """Blanks a string literal; keeps the code inside interpolations."""
        hashes = 0
        position = start
        while text[position] == "#":
            hashes += 1
            position += 1
        quotes = '"""' if text.startswith('"""', position) else '"'
        position += len(quotes)
        closing = quotes + "#" * hashes
        interpolation = "\\" + "#" * hashes + "("
        piece = start
        while position < length:
            if text.startswith(interpolation, position):
                blank(piece, position + len(interpolation))
                depth = 1
                position += len(interpolation)
                while position < length and depth:
                    character = text[position]
                    if character == '"':
                        position = skip_string(position)
                        continue
                    depth += (character == "(") - (character == ")")
                    position += 1
                piece = position - 1
            elif text.startswith(closing, position):
                blank(piece, position + len(closing))
                return position + len(closing)
            elif text[position] == "\\" and not hashes:
                position += 2
            elif text[position] == "\n" and quotes == '"':
                # An unterminated literal: a regular expression, or a quote in one.
                blank(piece, position)
                return position
            else:
                position += 1
        blank(piece, length)
        return length

    while index < length:
        if text.startswith("//", index):
            end = text.find("\n", index)
            end = length if end < 0 else end
            blank(index, end)
            index = end
        elif text.startswith("/*", index):
            depth, end = 1, index + 2
            while end < length and depth:
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
            blank(index, end)
            index = end
        elif text[index] == '"' or re.match(r'#+"', text[index : index + 8]):
            index = skip_string(index)
        else:
            index += 1
    return "".join(result)


class Declaration:
    """A top-level declaration of a type, or an extension of one."""

    def __init__(self, kind, name, line, text):
        self.kind = kind
        self.name = name.split(".")[0]
        self.line = line
        self.text = text

    @property
    def names(self):
        """The capitalised names in it, each with the line of its first use."""
        found = {}
        for match in _WORD.finditer(self.text):
            found.setdefault(match.group(1), self.line + self.text.count("\n", 0, match.start()))
        return found


def declarations(path):
    """The top-level declarations of types in a file."""
    text = without_comments_and_strings(Path(path).read_text(encoding="utf-8"))
    result = []
    depth = 0
    start = 0
    for position, character in enumerate(text):
        if character in "{([":
            depth += 1
        elif character in "})]":
            depth -= 1
            if depth == 0 and character == "}":
                _add(result, text, start, position + 1)
                start = position + 1
    _add(result, text, start, len(text))
    return result


def _add(result, text, start, end):
    piece = text[start:end]
    head = piece.split("{", 1)[0]
    # What comes before a type in the same stretch: imports, type aliases, free functions without a body.
    match = None
    for candidate in _DECLARATION.finditer(head):
        match = candidate
        if candidate.group(1) != "typealias":
            break
    if match and not re.search(r"\bfunc\b", head[: match.start()]):
        line = text.count("\n", 0, start) + 1
        result.append(Declaration(match.group(1), match.group(2), line, piece))


def type_graph(files):
    """Edges between the top-level types of a module: {name: {other: (file, line)}}."""
    owned = {}
    parsed = [(path, declarations(path)) for path in files]
    for path, found in parsed:
        for declaration in found:
            if declaration.kind not in ("extension",):
                owned.setdefault(declaration.name, path)
    edges = {name: {} for name in owned}
    for path, found in parsed:
        for declaration in found:
            if declaration.name not in owned:
                continue
            for name, line in declaration.names.items():
                if name in owned and name != declaration.name:
                    edges[declaration.name].setdefault(name, (path, line))
    return owned, edges


def circles(edges):
    """The strongly connected components of more than one type, largest first (Tarjan, 1972)."""
    index, low, stack, on_stack, result = {}, {}, [], set(), []

    def visit(root):
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(edges[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        other = stack.pop()
                        on_stack.remove(other)
                        group.append(other)
                        if other == node:
                            break
                    if len(group) > 1:
                        result.append(sorted(group))

    for name in edges:
        if name not in index:
            visit(name)
    return sorted(result, key=lambda group: (-len(group), group))
