#!/usr/bin/env python3
"""The house rules as a test: house.py --root TREE [--build BUILD]. Prints file:line and what to do instead, and
exits with 1 when a rule is broken. Exceptions stand in allowed.txt beside this file, each with its reason."""

import argparse
import fnmatch
import os
import subprocess
import sys

import rules_calls
import rules_coroutines
import rules_includes
import rules_names
import rules_shape
from source import Source

CPP = ('.h', '.cc')
TEXT = CPP + ('.py', '.sh', '.cmake', '.proto', 'CMakeLists.txt')
SKIPPED_FOLDERS = {'.git', 'build', 'data', '.cache', '__pycache__'}


def list_files(root):
    """Paths below root, with / between the parts: what git knows or would know, else what is there."""
    try:
        answer = subprocess.run(['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                                capture_output=True, check=True)
        paths = [p for p in answer.stdout.decode().split('\0') if p]
        if paths:
            return sorted(set(p for p in paths if os.path.isfile(os.path.join(root, p))))
    except (OSError, subprocess.CalledProcessError):
        pass
    paths = []
    for folder, below, names in os.walk(root):
        below[:] = sorted(d for d in below if d not in SKIPPED_FOLDERS)
        paths.extend(os.path.relpath(os.path.join(folder, name), root) for name in names)
    return sorted(paths)


def read_allowed(path):
    """Lines of `rule glob reason`; a # begins a comment."""
    entries = []
    with open(path, encoding='utf-8') as stream:
        for number, line in enumerate(stream, 1):
            fields = line.split('#')[0].split(None, 2)
            if not fields:
                continue
            if len(fields) < 3:
                raise SystemExit(f'{path}:{number}: an exception is a rule, a path and a reason')
            entries.append({'rule': fields[0], 'glob': fields[1], 'line': number, 'used': False})
    return entries


def check_tree(root, allowed):
    """All findings that no exception covers, as (path, line, rule, message)."""
    texts = {}
    for path in list_files(root):
        if path.endswith(TEXT):
            with open(os.path.join(root, path), encoding='utf-8', errors='replace') as stream:
                texts[path] = stream.read()
    files = {p: Source(p, t) for p, t in texts.items() if p.endswith(CPP)}
    found = set()
    for rules in (rules_includes, rules_calls, rules_coroutines, rules_names, rules_shape):
        found.update(rules.check(files))
    found.update(rules_shape.check_texts(texts))
    found.update(rules_shape.check_built(texts))
    kept = []
    for finding in sorted(found):
        entry = next((e for e in allowed if e['rule'] == finding[2] and fnmatch.fnmatch(finding[0], e['glob'])), None)
        if entry:
            entry['used'] = True
        else:
            kept.append(finding)
    return len(files), kept


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--root', required=True)
    parser.add_argument('--build', help='a build tree, for the log of ninja')
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    allowed_path = os.path.join(here, 'allowed.txt')
    allowed = read_allowed(allowed_path)
    count, found = check_tree(options.root, allowed)
    if count == 0:
        found.append((options.root, 0, 'house', 'there is no C++ file here: this checks nothing'))
    for entry in allowed:
        if not entry['used']:
            found.append((os.path.relpath(allowed_path, options.root), entry['line'], 'house',
                          'this exception covers nothing any more: take it out'))
    log = 'no build tree'
    if options.build:
        log, slow = rules_shape.check_ninja_log(options.build)
        found.extend(slow)
    for path, line, rule, message in found:
        print(f'{path}:{line}: [{rule}] {message}')
    print(f'{count} files checked, {len(found)} findings; compile times: {log}')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
