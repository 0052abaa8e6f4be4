#!/usr/bin/env python3
"""Holds the pages of docs/format to the code: format_pages.py --root TREE. Prints what is wrong and exits with 1.

Each example is a block after a comment that names where its bytes are stated, `<!-- bytes: FILE [first N] -->` before
hexadecimal lines or `<!-- text: FILE -->` before text, of which ends of lines and indents do not count. Every error
that a page tells of is one that the code has; what it names in the tree is there."""

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


def source_texts(root):
    """The string literals of all sources that are no tests."""
    found = set()
    for folder, _, names in os.walk(os.path.join(root, 'src')):
        for name in names:
            if name.endswith(('.cc', '.h')) and not name.endswith('_test.cc'):
                with open(os.path.join(folder, name), encoding='utf-8') as stream:
                    found |= goldens.texts_of_cpp(stream.read())
    return found


def check_tree(root):
    """All findings as (path, line, message), and the number of pages."""
    folder = os.path.join(root, PAGES)
    pages = sorted(name for name in os.listdir(folder) if name.endswith('.md'))
    texts = {}
    for name in pages:
        with open(os.path.join(folder, name), encoding='utf-8') as stream:
            texts[name] = stream.read()
    sentences = source_texts(root)
    codes = {text for text in sentences if re.fullmatch('[a-z_]+', text)}
    found = []
    for name, text in texts.items():
        checks = [check_references(root, folder, text)]
        if name != 'README.md':
            checks += [check_sections(text), check_examples(root, text), check_sentences(text, codes, sentences)]
            if f']({name})' not in texts.get('README.md', ''):
                found.append((f'{PAGES}/README.md', 1, f'the index does not list {name}'))
        for check in checks:
            found += [(f'{PAGES}/{name}', line, message) for line, message in check]
    return found, len(pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--root', required=True)
    found, count = check_tree(parser.parse_args().root)
    if count < 2:
        found.append((PAGES, 0, 'there are no pages here: this checks nothing'))
    for path, line, message in found:
        print(f'{path}:{line}: {message}')
    print(f'{count} pages checked, {len(found)} findings')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
