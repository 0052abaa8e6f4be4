#!/usr/bin/env python3
"""Holds the documentation to the code: pages.py --root TREE. Prints what is wrong and exits with 1.

docs/format: each example is a block after a comment that names where its bytes are stated,
`<!-- bytes: FILE [first N] -->` before hexadecimal lines or `<!-- text: FILE -->` before text, of which ends of lines
and indents do not count. Every error that a page tells of is one that the code has.
docs/testing.md: every test that it names is there. All pages: so is every file."""

import argparse
import glob
import os
import re
import sys

import goldens

PAGES = 'docs/format'
SECTIONS = ['Grammar', 'Example', 'Limits', 'Refused', 'Open', 'Code']
_DIRECTIVE = re.compile(r'<!-- (bytes|text): (\S+)(?: first (\d+))? -->')
_HEX_LINE = re.compile(r'([0-9a-f]{2}(?: [0-9a-f]{2})*)(?:  .*)?')
_SENTENCE = re.compile(r'\| `(\w+)` \| `([^`]+)` \|')
_LINK = re.compile(r'\]\(([^)#:]+)\)')
_TEST_NAME = re.compile(r'`([A-Z]\w+|crash)\.(\w+)`')
_TEST = re.compile(r'\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)')
# A case of a table: {"Name", ...}.
_CASE = re.compile(r'\{"(\w+)",')
_ADDED = re.compile(r'add_test\(NAME (\w+)\.(\w+)')
_PATH = re.compile(r'`((?:src|include|tests|docs|tools|cmake|examples)/[^`\s]*)`')


def example_bytes(kind, lines):
    """The bytes of a block, or None and the line that is no example."""
    if kind == 'text':
        return ''.join(line.strip() for line in lines).encode(), None
    data = b''
    for line in lines:
        match = _HEX_LINE.fullmatch(line.rstrip())
        if not match:
            return None, line
        data += bytes.fromhex(match.group(1))
    return data, None


def blocks(text):
    """(line number, directive or None, language, lines) of each fenced block."""
    lines = text.split('\n')
    at = 0
    while at < len(lines):
        if not lines[at].startswith('```'):
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith('```')), len(lines))
        directive = _DIRECTIVE.fullmatch(lines[at - 1]) if at > 0 else None
        yield at + 1, directive, lines[at][3:].strip(), lines[at + 1:end]
        at = end + 1


def check_examples(root, text):
    count = 0
    for line, directive, language, body in blocks(text):
        if directive is None:
            if language in ('hex', 'text', 'json'):
                yield line, 'an example says above it where its bytes are stated: <!-- bytes: FILE -->'
            continue
        kind, path, first = directive.groups()
        count += 1
        if (language == 'hex') != (kind == 'bytes'):
            yield line, f'a block of {kind} cannot be {language or "without a language"}'
            continue
        data, bad = example_bytes(kind, body)
        if data is None:
            yield line, f'not hexadecimal bytes, two spaces and a meaning: {bad}'
            continue
        if not data:
            yield line, 'an example without bytes'
            continue
        if not os.path.isfile(os.path.join(root, path)):
            yield line, f'there is no {path}'
            continue
        if data not in goldens.of_file(os.path.join(root, path), int(first) if first else None):
            yield line, f'{path} does not state these {len(data)} bytes: {data.hex()}'
    if count == 0:
        yield 1, 'a page without an example'


def check_sections(text):
    found = re.findall(r'^## (.+)$', text, re.MULTILINE)
    if [name for name in found if name in SECTIONS] != SECTIONS:
        yield 1, f'a page has the sections {", ".join(SECTIONS)}, in this order'


def check_sentences(text, codes, sentences):
    for match in _SENTENCE.finditer(text):
        line = text.count('\n', 0, match.start()) + 1
        code, sentence = match.groups()
        if code not in codes:
            yield line, f'there is no status code {code}'
        if sentence not in sentences:
            yield line, f'no source says: {sentence}'


def check_references(root, folder, text):
    for pattern, base in ((_LINK, folder), (_PATH, root)):
        for match in pattern.finditer(text):
            if not glob.glob(os.path.join(base, match.group(1))):
                yield text.count('\n', 0, match.start()) + 1, f'there is no {match.group(1)}'


def check_tests(root, text):
    """Suite.Name, where Name may also be a case of a table in any test."""
    tests, cases = set(), set()
    for path, code in files_below(root, ('src', 'sim', 'tests'), ('.cc', '.h', 'CMakeLists.txt')):
        tests.update(_ADDED.findall(code) if path.endswith('.txt') else _TEST.findall(code))
        cases.update(_CASE.findall(code))
    suites = {suite for suite, _ in tests} | {'ObjectStoreConformance'}
    for match in _TEST_NAME.finditer(text):
        suite, name = match.groups()
        if (suite, name) not in tests and not (suite in suites and name in cases):
            yield text.count('\n', 0, match.start()) + 1, f'there is no test {suite}.{name}'


def files_below(root, folders, endings):
    for top in folders:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(endings):
                    path = os.path.join(folder, name)
                    with open(path, encoding='utf-8') as stream:
                        yield path, stream.read()


def source_texts(root):
    """The string literals of all sources that are no tests."""
    found = set()
    for path, code in files_below(root, ('src',), ('.cc', '.h')):
        if not path.endswith('_test.cc'):
            found |= goldens.texts_of_cpp(code)
    return found


def check_format_page(root, name, text, index, codes, sentences):
    yield from check_sections(text)
    yield from check_examples(root, text)
    yield from check_sentences(text, codes, sentences)
    if f']({name})' not in index:
        yield 1, f'{PAGES}/README.md does not list this page'


def check_tree(root):
    """All findings as (path, line, message), and the number of pages of docs/format."""
    texts = {os.path.relpath(path, root): text for path, text in files_below(root, ('docs',), ('.md',))}
    with open(os.path.join(root, 'README.md'), encoding='utf-8') as stream:
        texts['README.md'] = stream.read()
    sentences = source_texts(root)
    codes = {text for text in sentences if re.fullmatch('[a-z_]+', text)}
    found, count = [], 0
    for path, text in sorted(texts.items()):
        folder, name = os.path.split(path)
        checks = [check_references(root, os.path.join(root, folder), text)]
        if folder == PAGES and name != 'README.md':
            count += 1
            index = texts.get(f'{PAGES}/README.md', '')
            checks.append(check_format_page(root, name, text, index, codes, sentences))
        if path == 'docs/testing.md':
            checks.append(check_tests(root, text))
        for check in checks:
            found += [(path, line, message) for line, message in check]
    return found, count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--root', required=True)
    found, count = check_tree(parser.parse_args().root)
    if count == 0:
        found.append((PAGES, 0, 'there are no pages here: this checks nothing'))
    for path, line, message in found:
        print(f'{path}:{line}: {message}')
    print(f'{count} pages of the format checked, {len(found)} findings')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
