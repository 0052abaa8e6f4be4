"""The byte strings that a test or a fixture states: what the examples of docs/format are compared with."""

import re

_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<raw>R"(?P<delimiter>[^()\\\s]{0,16})\((?P<inner>.*?)\)(?P=delimiter)")'
    r'|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<char>(?<![0-9a-zA-Z])'(?:[^'\\\n]|\\.)+')"
    r'|(?P<space>\s+)|(?P<other>\w+|.)',
    re.DOTALL)
_ESCAPE = re.compile(rb'\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)', re.DOTALL)
_SIMPLE = {b'n': b'\n', b't': b'\t', b'r': b'\r', b'0': b'\0'}
_HEX = re.compile(rb'[0-9a-fA-F\s]+')
_INTEGER = r'(?:0x[0-9a-fA-F]+|\d+)'
_INTEGERS = re.compile(r'\{\s*(' + _INTEGER + r'(?:\s*,\s*' + _INTEGER + r')*)\s*\}')


def _unescape(match):
    escaped = match.group(1)
    if escaped[:1] == b'x':
        return bytes([int(escaped[1:], 16)])
    if escaped[:1] in b'01234567':
        return bytes([int(escaped, 8)])
    return _SIMPLE.get(escaped, escaped)


def _literals(code):
    """Runs of string literals as a compiler joins them, and runs joined by + besides."""
    adjacent, summed = [], []
    joinable = plus = False
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup if match.lastgroup not in ('delimiter', 'inner') else 'raw'
        if kind in ('raw', 'string'):
            text = match.group('inner').encode() if kind == 'raw' else \
                _ESCAPE.sub(_unescape, match.group('string')[1:-1].encode())
            if joinable:
                adjacent[-1] += text
                summed[-1] += text
            else:
                adjacent.append(text)
                if plus and summed:
                    summed[-1] += text
                else:
                    summed.append(text)
            joinable, plus = True, False
        elif kind in ('space', 'comment') or match.group() == 's':
            continue
        else:
            # A sum goes on only where a literal stands right before the plus.
            plus = match.group() == '+' and joinable
            joinable = False
    return adjacent + summed


def of_cpp(code):
    """Every string literal as it is and, where it is made of hexadecimal digits, as those bytes; and every list of
    integers in braces as big-endian words."""
    found = set()
    for text in _literals(code):
        found.add(text)
        digits = b''.join(text.split())
        if digits and _HEX.fullmatch(text) and len(digits) % 2 == 0:
            found.add(bytes.fromhex(digits.decode()))
    for match in _INTEGERS.finditer(code):
        words = [int(word, 0) if word.startswith('0x') else int(word) for word in re.findall(_INTEGER, match.group(1))]
        if all(word < 1 << 32 for word in words):
            found.add(b''.join(word.to_bytes(4, 'big') for word in words))
    return found


def of_file(path, first=None):
    """The golden bytes of a C++ file, or the one of any other file; `first`: how many bytes of it count."""
    with open(path, 'rb') as stream:
        data = stream.read()
    if path.endswith(('.cc', '.h')):
        return of_cpp(data.decode())
    return {data if first is None or len(data) < first else data[:first]}


def texts_of_cpp(code):
    """The string literals of a C++ file as text."""
    return {text.decode('utf-8', 'replace') for text in _literals(code)}
