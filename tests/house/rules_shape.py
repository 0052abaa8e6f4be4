"""Lengths, leftovers, headers, and how long the compiler takes."""

import json
import os
import re
import resource
import shlex
import subprocess

MAX_FUNCTION_LINES = 100
MAX_FILE_LINES = 900
MAX_COMPILE_SECONDS = 20

_MARKER = re.compile(r'\b(?:TO' r'DO|FIX' r'ME|X' r'XX)\b')


def check(files):
    for path in sorted(files):
        source = files[path]
        if path.endswith('.h'):
            directive = re.search(r'^[ \t]*#.*$', source.code, re.MULTILINE)
            if not directive or not re.match(r'[ \t]*#[ \t]*pragma[ \t]+once\b', directive.group(0)):
                yield path, 1, 'pragma-once', 'a header begins with #pragma once'
        yield from _check_own_header(path, source, files)
        for structure in source.structures()[:1]:
            for frame in structure.frames:
                if frame.kind == 'function' and not _inside_function(frame):
                    begin = source.line(structure.positions[frame.opened])
                    end_token = min(frame.closed, len(structure.tokens) - 1)
                    lines = source.line(structure.positions[end_token]) - begin + 1
                    if lines > MAX_FUNCTION_LINES:
                        yield path, begin, 'function-length', f'a function of {lines} lines; at most ' \
                            f'{MAX_FUNCTION_LINES}: give its parts names'


def _inside_function(frame):
    parent = frame.parent
    while parent is not None:
        if parent.kind in ('function', 'lambda'):
            return True
        parent = parent.parent
    return False


def _check_own_header(path, source, files):
    """A .cc includes its own header first, which shows that the header stands alone."""
    if not path.startswith('src/') or not path.endswith('.cc'):
        return
    header = path[:-3] + '.h'
    if header not in files:
        return
    includes = source.includes()
    if not includes or includes[0][2] not in (header[len('src/'):], os.path.basename(header)):
        yield path, includes[0][0] if includes else 1, 'own-header', \
            f'include {header[len("src/"):]} first: that shows that it needs nothing before it'


def check_texts(texts):
    """Rules for every text file, C++ or not: {path: text}."""
    for path in sorted(texts):
        text = texts[path]
        if text.count('\n') > MAX_FILE_LINES:
            yield path, MAX_FILE_LINES + 1, 'file-length', f'a file of {text.count(chr(10))} lines; at most ' \
                f'{MAX_FILE_LINES}: one job per file'
        for match in _MARKER.finditer(text):
            yield path, text.count('\n', 0, match.start()) + 1, 'leftover', f'{match.group(0)}: do it, or say in ' \
                'the documentation what is left out'


def check_built(texts):
    """A test that no list of sources names is never run, and nothing else tells: {path: text}."""
    for path in sorted(texts):
        if not path.endswith('_test.cc'):
            continue
        folder = os.path.dirname(path)
        while folder and folder + '/CMakeLists.txt' not in texts:
            folder = os.path.dirname(folder)
        named = os.path.relpath(path, folder or '.')
        if folder and not re.search(r'(?<![\w./])' + re.escape(named) + r'(?!\w)', texts[folder + '/CMakeLists.txt']):
            yield path, 1, 'not-built', f'{folder}/CMakeLists.txt does not name it, so it is never run'


def check_ninja_log(build):
    """Reads ninja's log of a release build. Returns findings, or a word on why there is nothing to read."""
    log = os.path.join(build, '.ninja_log')
    cache = os.path.join(build, 'CMakeCache.txt')
    if not os.path.exists(log) or not os.path.exists(cache):
        return 'no ninja log', []
    with open(cache, encoding='utf-8', errors='replace') as stream:
        kind = re.search(r'^CMAKE_BUILD_TYPE:\w+=(.*)$', stream.read(), re.MULTILINE)
    if not kind or kind.group(1) not in ('Release', 'RelWithDebInfo', 'MinSizeRel'):
        return 'not a release build', []
    took = {}
    with open(log, encoding='utf-8', errors='replace') as stream:
        for line in stream:
            fields = line.rstrip('\n').split('\t')
            if len(fields) == 5 and fields[3].endswith('.o'):
                took[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000.0
    slow = {output: seconds for output, seconds in took.items() if seconds > MAX_COMPILE_SECONDS}
    findings = []
    for output in sorted(slow):
        # The log has wall-clock times: where the machine was busy, the processor time decides.
        seconds = _processor_seconds(build, output) or slow[output]
        if seconds > MAX_COMPILE_SECONDS:
            findings.append((output, 0, 'compile-time', f'took {seconds:.1f} s; at most {MAX_COMPILE_SECONDS} s in '
                             'release: split it, or keep heavy headers out of it'))
    return f'{len(took)} objects', findings


def _processor_seconds(build, output):
    """Compiles the object again, to nowhere; nothing where the tree does not say how."""
    try:
        with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as commands:
            command = next((c['command'] for c in json.load(commands) if f' -o {output} ' in c['command']), None)
    except OSError:
        return None
    if command is None:
        return None
    words = shlex.split(command.replace(f' -o {output} ', ' -o /dev/null '))
    if os.path.basename(words[0]) == 'ccache':
        words = words[1:]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if subprocess.run(words, cwd=build, capture_output=True).returncode != 0:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
