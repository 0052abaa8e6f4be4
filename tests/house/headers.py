#!/usr/bin/env python3
"""Compiles each header alone: headers.py --root TREE --compiler PROGRAM. Headers with a .cc of their name are left
out: it includes them first (house.py sees to that), so the build shows it. Exits with 1 when one needs another."""

import argparse
import concurrent.futures
import os
import subprocess
import sys

import house


def list_headers(root):
    paths = set(house.list_files(root))
    return sorted(p for p in paths if p.endswith('.h')
                  and not (p.startswith('src/') and p[:-2] + '.cc' in paths))


def compile_alone(root, compiler, path):
    """What the compiler says against the header, or nothing."""
    command = [compiler, '-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-I', root, '-I', os.path.join(root, 'include'),
               '-I', os.path.join(root, 'src'), '-x', 'c++', '-']
    done = subprocess.run(command, input=f'#include "{os.path.join(root, path)}"\n', capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else ''


def check(root, compiler, jobs):
    """(number of headers, [(path, what is wrong)])."""
    headers = list_headers(root)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = pool.map(lambda path: compile_alone(root, compiler, path), headers)
        return len(headers), [(path, answer) for path, answer in zip(headers, answers) if answer]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--root', required=True)
    parser.add_argument('--compiler', required=True)
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()
    count, wrong = check(options.root, options.compiler, options.jobs)
    for path, answer in wrong:
        print(f'{path}: does not compile alone: include what it uses\n{answer}')
    print(f'{count} headers compiled alone, {len(wrong)} of them do not')
    return 1 if wrong or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
