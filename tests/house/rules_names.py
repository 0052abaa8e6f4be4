"""One name, one class: two definitions of a class in one namespace are undefined behaviour as soon as they meet in a
program, and no tool says so."""

import re

_KEYWORDS = ('class', 'struct', 'union', 'enum')


def check(files):
    places = {}
    for path in sorted(files):
        source = files[path]
        for structure in source.structures()[:1]:
            for frame in structure.frames:
                name = _defined_class(structure, frame)
                if name is not None:
                    line = source.line(structure.positions[frame.opened])
                    places.setdefault(name, {}).setdefault(path, line)
    for name, found in sorted(places.items()):
        for path, line in found.items() if len(found) > 1 else ():
            others = ', '.join(p for p in found if p != path)
            yield path, line, 'one-definition', f'{name} is defined in {others} too: share one, give one another name, ' \
                'or put what is for one file into an unnamed namespace'


def _defined_class(s, frame):
    """lakestream::Name for the body of a class at namespace scope, or None."""
    if frame.kind != 'type':
        return None
    name = _class_name(s._statement_words(frame.opened))
    if name is None:
        return None
    spaces = []
    parent = frame.parent
    while parent is not None and parent.kind != 'file':
        space = _namespace_name(s, parent)
        if not space:
            return None
        spaces.append(space)
        parent = parent.parent
    return '::'.join([*reversed(spaces), name]) if spaces and spaces[-1].split('::')[0] == 'lakestream' else None


def _class_name(words):
    words = _without_template_head(words)
    k = 0
    while k < len(words) and words[k] not in _KEYWORDS:
        if words[k] == 'namespace':
            return None
        k += 1
    while k < len(words) and words[k] in _KEYWORDS:
        k += 1
    if k >= len(words) or not re.match(r'[A-Za-z_]', words[k]):
        return None
    # A specialization, or a member that is defined outside its class.
    if words[k + 1:k + 2] in (['<'], ['::']):
        return None
    return words[k]


def _without_template_head(words):
    while words[:2] == ['template', '<']:
        depth = 0
        for k in range(1, len(words)):
            depth += {'<': 1, '>': -1}.get(words[k], 0)
            if depth == 0:
                break
        words = words[k + 1:]
    return words


def _namespace_name(s, frame):
    """The name of the namespace that the brackets are; '' for an unnamed one and for anything else."""
    words = s._statement_words(frame.opened)
    if frame.kind != 'type' or 'namespace' not in words:
        return ''
    return ''.join(words[words.index('namespace') + 1:])
