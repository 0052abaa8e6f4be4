"""What a co_await expression may hold, and where it may stand (docs/adr/0002-coroutines.md)."""

import re

_LOCKS = ('lock_guard', 'unique_lock', 'scoped_lock', 'shared_lock')


def check(files):
    for path in sorted(files):
        source = files[path]
        if 'co_await' not in source.code:
            continue
        for structure in source.structures():
            for i, token in enumerate(structure.tokens):
                if token == 'co_await':
                    for position, rule, message in _check_await(structure, i):
                        yield path, source.line(position), rule, message
            for position, message in _check_locks(structure):
                yield path, source.line(position), 'await-lock', message


def _check_await(s, i):
    first, end = s.full_expression(i)
    around = []
    for frame in s.enclosing(i):
        if frame.is_block:
            break
        around.append(frame)
    lambdas = [f for f in s.frames if f.kind == 'lambda_intro' and first <= f.opened < end]
    for frame in lambdas:
        yield s.positions[frame.opened], 'await-lambda', 'a lambda in a co_await expression is destroyed twice by ' \
            'g++ 12: name the lambda, or the task, in a statement before it'
    for frame in s.frames:
        if frame.kind == 'init' and (first <= frame.opened < end or frame in around):
            if not any(_inside(s, frame, intro) for intro in lambdas):
                yield s.positions[frame.opened], 'await-brace', 'braces in a co_await expression are destroyed twice ' \
                    'by g++ 12: name the argument, or the task, in a statement before it'
    if _in_catch(s, i):
        yield s.positions[i], 'await-catch', 'co_await in a catch block: keep what was caught, and await after the block'
    if _in_branch(s, i):
        yield s.positions[i], 'await-branch', 'co_await in a branch of ?: is miscompiled by g++ 12: write an if, or ' \
            'name the task first'
    head = s.control_of(i)
    if head is not None and _is_condition(s, i, head, first, end):
        yield s.positions[i], 'await-condition', f'co_await in the condition of {head.word} is miscompiled by g++ 12: ' \
            'name its result in a statement before it, or in the declaration of the if'


def _inside(s, frame, intro):
    """Whether the braces belong to a lambda that is reported already: to its captures or its body."""
    if frame.opened < intro.opened:
        return False
    if frame.opened < intro.closed:
        return True
    parent = frame
    while parent is not None:
        if parent.kind == 'lambda' and parent.opened > intro.opened:
            return True
        parent = parent.parent
    return False


def _in_catch(s, i):
    for frame in s.enclosing(i):
        if frame.kind == 'catch':
            return True
        if frame.kind in ('function', 'lambda'):
            return False
    return False


def _in_branch(s, i):
    """Whether a ? stands before the token in its expression, or before brackets of that expression it is in."""
    at = i
    for frame in s.enclosing(i):
        depth = 0
        for k in range(at - 1, frame.opened, -1):
            if s.frame_of[k] is not frame:
                continue
            token = s.tokens[k]
            if token == '>' and s.tokens[k + 1] in ('(', '{', '::'):
                depth += 1
            elif token == '<' and depth > 0:
                depth -= 1
            elif token == '?':
                return True
            elif token in (';', '{', '}') or (token == ',' and depth == 0):
                break
        if frame.is_block:
            return False
        at = frame.opened
    return False


def _is_condition(s, i, head, first, end):
    semicolons = [k for k in range(head.opened, head.closed) if s.tokens[k] == ';' and s.frame_of[k] is head]
    before = sum(1 for k in semicolons if k < i)
    if head.word == 'for':
        # Only the middle part; the range of a range-for is evaluated once, as a declaration.
        return len(semicolons) == 2 and before == 1
    if semicolons and before == 0:
        return False  # the init statement
    # A declaration with its value is right.
    declares = any(s.tokens[k] == '=' and s.frame_of[k] is head for k in range(first, i))
    return not declares


def _check_locks(s):
    for i, token in enumerate(s.tokens):
        if token not in _LOCKS:
            continue
        name_at = _declared_name(s, i)
        if name_at is None:
            continue
        name = s.tokens[name_at]
        block = s.block_of(i)
        held = True
        for k in range(name_at, block.closed):
            if s.tokens[k] == name and s.tokens[k + 1:k + 2] == ['.'] and s.tokens[k + 2:k + 3] in (['unlock'], ['lock']):
                held = s.tokens[k + 2] == 'lock'
            if held and s.tokens[k] == 'co_await' and _same_function(s, k, block):
                yield s.positions[k], f'co_await while {name} ({token}) is held: end its block first, or use AsyncMutex'
                break


def _declared_name(s, i):
    k = i + 1
    if s.tokens[k:k + 1] == ['<']:
        depth = 0
        while k < len(s.tokens):
            depth += {'<': 1, '>': -1}.get(s.tokens[k], 0)
            k += 1
            if depth == 0:
                break
    if k + 1 < len(s.tokens) and re.match(r'[A-Za-z_]', s.tokens[k]) and s.tokens[k + 1] in ('(', '{', '='):
        return k
    return None


def _same_function(s, k, block):
    for frame in s.enclosing(k):
        if frame is block:
            return True
        if frame.kind == 'lambda':
            return False
    return False
