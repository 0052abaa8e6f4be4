"""Which folder may include which: the layers, test code, and the third-party back ends."""

import posixpath
import re

_BELOW_LOG = {'base', 'codec', 'format', 'parquet', 'model', 'runtime', 'objstore', 'meta'}
_BELOW_SERVER = _BELOW_LOG | {'log', 'bindings', 'kafka'}

LAYERS = {
    'base': set(),
    'codec': {'base'},
    'format': {'base', 'codec'},
    'parquet': {'base', 'codec', 'format'},
    'model': {'base', 'codec', 'format'},
    'runtime': {'base'},
    'runtime/sim': {'base', 'runtime'},
    'runtime/asio': {'base', 'runtime'},
    'objstore': {'base', 'codec', 'runtime'},
    'meta': {'base', 'codec', 'runtime'},
    'log': _BELOW_LOG,
    'metrics': _BELOW_LOG | {'log'},
    'kafka': {'base', 'codec'},
    'bindings': _BELOW_LOG | {'log', 'kafka'},
    'server': _BELOW_SERVER,
    'bench': _BELOW_LOG | {'log', 'kafka'},
    'cli': _BELOW_SERVER | {'server', 'runtime/asio', 'bench', 'metrics'},
}
LAYERS['server'] = _BELOW_SERVER | {'runtime/asio'}

# Each back end's headers and where they may be seen.
BACK_ENDS = [
    ('lmdb', re.compile(r'lmdb\.h$'), ('src/meta/lmdb',)),
    ('gRPC', re.compile(r'(grpc|grpcpp|google/protobuf)/'), ('src/meta/oxia',)),
    ('curl', re.compile(r'curl/'), ('src/objstore/s3',)),
    ('Arrow', re.compile(r'(arrow|parquet)/'), ('src/parquet',)),
    ('prometheus-cpp', re.compile(r'(prometheus|civetweb)/'), ('src/metrics',)),
    ('Boost', re.compile(r'boost/'), ('src/runtime/asio', 'src/server')),
]

_GTEST = re.compile(r'(gtest|gmock)/')
_FMT = re.compile(r'fmt/')


_BREAKER = re.compile(r'\b(?:RuleBreaker|BrokenRule)\b')
_BREAKER_HOME = 'src/base/broken_rule.h'


def layer_of(path):
    if path == 'include/lakestream/task.h':
        return 'runtime'
    if path.startswith('include/lakestream/'):
        return 'base'
    parts = path.split('/')
    if parts[0] == 'bench':
        return 'bench'
    if parts[0] != 'src' or len(parts) < 3:
        return None
    if '/'.join(parts[1:3]) in LAYERS:
        return '/'.join(parts[1:3])
    return parts[1]


def is_test_code(path):
    return path.endswith(('_test.cc', '_fuzz.cc')) or '/testing/' in path or path.startswith(('tests/', 'fuzz/'))


def resolve(includer, name, known):
    """The file of the project that an include names, or None."""
    for candidate in ('src/' + name, 'include/' + name, name,
                      posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))):
        if candidate in known:
            return candidate
    return None


def reached(path, files, graph):
    """Everything that a file includes, directly or not: {target: (line of the first include, chain)}.
    A target is a file of the project, or "<name>"."""
    seen = {}
    queue = [(target, line, [target]) for target, line in graph[path]]
    while queue:
        target, line, chain = queue.pop(0)
        if target in seen or target == path:
            continue
        seen[target] = (line, chain)
        queue.extend((t, line, chain + [t]) for t, _ in graph.get(target, ()))
    return seen


def build_graph(files):
    graph = {}
    for path, source in files.items():
        edges = []
        for line, angled, name in source.includes():
            target = resolve(path, name, files)
            edges.append((target if target else '<' + name + '>', line))
        graph[path] = edges
    return graph


def check(files):
    graph = build_graph(files)
    for path in sorted(files):
        targets = reached(path, files, graph)
        yield from _check_layers(path, targets)
        yield from _check_third_party(path, targets)
        yield from _check_rule_breaker(path, files[path])


def _check_rule_breaker(path, source):
    """No product can break a rule of the protocol."""
    if path == _BREAKER_HOME or path.startswith('sim/') or is_test_code(path):
        return
    for match in _BREAKER.finditer(source.code):
        yield path, source.line(match.start()), 'rule-breaker', f'{match.group(0)} is for sim/ and tests alone: ' \
            'here a rule is only asked about, with Broken(Rule::...)'


def _via(chain):
    return '' if len(chain) == 1 else ' through ' + ' -> '.join(chain[:-1])


def _check_layers(path, targets):
    own = layer_of(path)
    if own is None and not path.startswith('src/'):
        return
    if own not in LAYERS:
        yield path, 1, 'layer', f'the folder {own} is in no layer: name it in tests/house/rules_includes.py'
        return
    allowed = LAYERS[own] | {own}
    if is_test_code(path):
        # Tests drive any part that has coroutines on the simulator.
        allowed = allowed | ({'runtime/sim'} if 'runtime' in allowed else set())
    for target, (line, chain) in sorted(targets.items()):
        if target.startswith('<'):
            continue
        other = layer_of(target)
        if other is None:
            if target.startswith(('sim/', 'tests/', 'fuzz/')) and not is_test_code(path):
                yield path, line, 'layer', f'includes {target}{_via(chain)}: src sees nothing of sim/, tests/ and fuzz/; ' \
                    'move what is shared into src'
            continue
        if is_test_code(target) and not is_test_code(path):
            yield path, line, 'layer', f'includes {target}{_via(chain)}: only tests include test code'
        if other not in allowed:
            known = ', '.join(sorted(LAYERS[own])) or 'nothing'
            yield path, line, 'layer', f'{own} includes {target}{_via(chain)}, which is {other}; {own} may see ' \
                f'{known}: move the code, or pass in what it needs'


def _check_third_party(path, targets):
    for target, (line, chain) in sorted(targets.items()):
        if not target.startswith('<'):
            continue
        name = target[1:-1]
        if _GTEST.match(name) and not is_test_code(path):
            yield path, line, 'gtest', f'includes {name}{_via(chain)}: only *_test.cc, *_fuzz.cc and testing/ folders may'
        if _FMT.match(name) and path.startswith('include/'):
            yield path, line, 'fmt', f'includes {name}{_via(chain)}: installed headers use std::string, fmt stays in .cc'
        if not path.startswith(('src/', 'include/', 'sim/', 'bench/')):
            continue
        for back_end, pattern, homes in BACK_ENDS:
            if not pattern.match(name):
                continue
            folder = posixpath.dirname(path)
            if not any(folder == h or folder.startswith(h + '/') for h in homes):
                yield path, line, 'back-end', f'includes {name}{_via(chain)}: {back_end} is seen only in ' \
                    f'{" and ".join(homes)}; use that folder through its interface'
