"""Calls that would make a run depend on anything but its inputs. All of it comes from src/runtime."""

import re

_CLOCKS = r'(?:steady|system|high_resolution|file|utc|tai|gps)_clock'
_NOT_MEMBER = r'(?<![\w.>])'

BANNED = [
    ('clock', re.compile(r'\b' + _CLOCKS + r'\b'), 'runtime.clock (Wall, Monotonic, Boot) or runtime.Now()'),
    ('clock', re.compile(_NOT_MEMBER + r'(?:clock_gettime|gettimeofday|timespec_get|ftime)\b'),
     'runtime.clock (Wall, Monotonic, Boot)'),
    ('clock', re.compile(_NOT_MEMBER + r'time\s*\(\s*(?:nullptr|NULL|0|&\s*\w+)\s*\)'), 'runtime.clock.Wall()'),
    ('random', re.compile(r'\brandom_device\b|\bmt19937(?:_64)?\b|\bminstd_rand0?\b|\bdefault_random_engine\b'),
     'runtime.random'),
    ('random', re.compile(r'\b(?:uniform_int|uniform_real|normal|bernoulli|poisson|exponential|discrete)_distribution\b'),
     'Random::Below, which is the same with every library'),
    ('random', re.compile(r'\bstd\s*::\s*(?:shuffle|sample|random_shuffle)\b'), 'a loop over Random::Below'),
    ('random', re.compile(_NOT_MEMBER + r'(?:s?rand|rand_r|[dlm]rand48)\s*\(|\b(?:getrandom|getentropy|arc4random\w*)\b'),
     'runtime.random'),
    ('uuid', re.compile(r'\buuid_generate(?:_random|_time|_time_safe)?\s*\(|\bboost\s*::\s*uuids\b'), 'Random::Uuid'),
    ('thread', re.compile(r'\bstd\s*::\s*(?:j?thread|async)\b|\bpthread_create\b'),
     'Gate::Spawn for tasks, RunBlocking for calls that block'),
    ('thread', re.compile(r'\bstd\s*::\s*this_thread\b'), 'Yield or SleepFor'),
    ('sleep', re.compile(r'\bsleep_(?:for|until)\b|' + _NOT_MEMBER + r'(?:u|nano|clock_nano)?sleep\s*\('),
     'SleepFor or SleepUntil'),
]

# Names that someone gave to a clock: using X = ...steady_clock, typedef ...steady_clock X.
_ALIAS = re.compile(r'\busing\s+(\w+)\s*=\s*[^;]*\b' + _CLOCKS + r'\b|\btypedef\s+[^;]*\b' + _CLOCKS + r'\b[^;]*?(\w+)\s*;')
_URANDOM = re.compile(r'/dev/u?random')


def exempt(path):
    return path.startswith('src/runtime/')


def check(files):
    aliases = set()
    for source in files.values():
        for match in _ALIAS.finditer(source.code):
            aliases.add(match.group(1) or match.group(2))
    alias_call = re.compile(r'\b(' + '|'.join(sorted(aliases)) + r')\s*::\s*now\b') if aliases else None
    for path in sorted(files):
        if exempt(path):
            continue
        source = files[path]
        for name, pattern, instead in BANNED:
            for match in pattern.finditer(source.code):
                text = re.sub(r'\s+', '', match.group(0)).rstrip('(')
                yield path, source.line(match.start()), name, f'{text} is not the same in every run: use {instead}'
        if alias_call:
            for match in alias_call.finditer(source.code):
                yield path, source.line(match.start()), 'clock', f'{match.group(1)} is a clock of the machine: ' \
                    'use runtime.clock (Wall, Monotonic, Boot) or runtime.Now()'
        for match in _URANDOM.finditer(source.text):
            if source.code[match.start()] != ' ' or '"' in source.code[source.code.rfind('\n', 0, match.start()) + 1:match.start()]:
                yield path, source.line(match.start()), 'random', f'{match.group(0)}: use runtime.random'
