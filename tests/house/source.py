"""Source files as the rules see them: without comments and literals, and with their brackets understood."""

import bisect
import re

_LITERALS = re.compile(
    r'//(?:[^\\\n]|\\.|\\\n)*'
    r'|/\*.*?\*/'
    r'|(?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r'|"(?:[^"\\\n]|\\.)*"'
    # A digit separator is no character literal.
    r"|(?<![0-9a-fA-FxX])'(?:[^'\\\n]|\\.)+'"
    r"|(?<=\bu8)'(?:[^'\\\n]|\\.)+'",
    re.DOTALL)

_DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\\\n]|\\.|\\\n)*', re.MULTILINE | re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)
_TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w.\']*|->|::|==|!=|<=|>=|&&|\|\||\+=|-=|\*=|/=|\|=|&=|\S')


def _blank(match):
    text = match.group(0)
    if text.startswith(('//', '/*')):
        return re.sub(r'[^\n]', ' ', text)
    # The quotes stay, so that a literal still counts as a token.
    first = text.index('"') if '"' in text else text.index("'")
    inner = re.sub(r'[^\n]', ' ', text[first + 1:-1])
    return ' ' * first + text[first] + inner + text[-1]


class Source:
    """One C++ file: `text` as it is, `code` with comments and the insides of literals blanked."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.code = _LITERALS.sub(_blank, text)
        self._line_starts = [0] + [m.end() for m in re.finditer('\n', text)]
        self._structures = None

    def line(self, position):
        return bisect.bisect_right(self._line_starts, position)

    def line_count(self):
        return self.text.count('\n') + (0 if self.text.endswith('\n') or not self.text else 1)

    def includes(self):
        """(line, is_angled, path) of each include that is not commented out."""
        found = []
        for match in _INCLUDE.finditer(self.text):
            if self.code[match.start():match.end()].lstrip().startswith('#'):
                found.append((self.line(match.start()), match.group(1) == '<', match.group(2)))
        return found

    def structures(self):
        """The file without its directives, then each macro body on its own."""
        if self._structures is None:
            bodies = []
            for match in _DIRECTIVE.finditer(self.code):
                define = re.match(r'[ \t]*#[ \t]*define[ \t]+\w+(\([^)]*\))?', match.group(0))
                if define:
                    body = match.group(0)[define.end():].replace('\\\n', ' \n')
                    bodies.append((match.start() + define.end(), body))
            plain = _DIRECTIVE.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), self.code)
            self._structures = [Structure(plain, 0)] + [Structure(b, at) for at, b in bodies]
        return self._structures


class Frame:
    """A pair of brackets. Kinds: paren, control, catch_head; lambda_intro, binding, attribute, subscript;
    init, and the blocks: function, lambda, control_block, catch, type, plain."""

    BLOCKS = ('function', 'lambda', 'control_block', 'catch', 'type', 'plain', 'file')

    def __init__(self, kind, opened, parent, word=''):
        self.kind = kind
        self.opened = opened
        self.closed = None
        self.parent = parent
        self.word = word

    @property
    def is_block(self):
        return self.kind in Frame.BLOCKS


_CONTROL = ('if', 'while', 'for', 'switch')
_SPECIFIERS = ('const', 'noexcept', 'override', 'final', 'mutable', 'constexpr', 'consteval', 'volatile', '&', '&&')
_TYPE_WORDS = ('namespace', 'class', 'struct', 'union', 'enum', 'extern')


class Structure:
    """The tokens of a text, and the brackets that each of them is in."""

    def __init__(self, code, offset):
        matches = list(_TOKEN.finditer(code))
        self.tokens = [m.group(0) for m in matches]
        self.positions = [m.start() + offset for m in matches]
        self.root = Frame('file', -1, None)
        self.root.closed = len(self.tokens)
        self.frames = []
        self.frame_of = []
        self._closing = {}
        self._parse()

    def _parse(self):
        stack = [self.root]
        for i, token in enumerate(self.tokens):
            if token in '([{' and len(token) == 1:
                self.frame_of.append(stack[-1])
                kind, word = self._classify(i, token, stack[-1])
                frame = Frame(kind, i, stack[-1], word)
                self.frames.append(frame)
                stack.append(frame)
            elif token in ')]}' and len(token) == 1:
                wanted = {')': '(', ']': '[', '}': '{'}[token]
                depth = next((d for d in range(len(stack) - 1, 0, -1)
                              if self.tokens[stack[d].opened] == wanted), None)
                if depth is not None:
                    stack[depth].closed = i
                    self._closing[i] = stack[depth]
                    del stack[depth:]
                self.frame_of.append(stack[-1])
            else:
                self.frame_of.append(stack[-1])
        for frame in self.frames:
            if frame.closed is None:
                frame.closed = len(self.tokens)

    def _at(self, i):
        return self.tokens[i] if 0 <= i < len(self.tokens) else ''

    def _classify(self, i, token, parent):
        before = self._at(i - 1)
        if token == '(':
            word = before if before not in ('constexpr', 'co_await') else self._at(i - 2)
            if word in _CONTROL:
                return 'control', word
            return ('catch_head', word) if before == 'catch' else ('paren', before)
        if token == '[':
            return self._classify_square(i, before, parent), ''
        return self._classify_brace(i, before, parent)

    def _classify_square(self, i, before, parent):
        if self._at(i + 1) == '[' or (before == '[' and parent.kind == 'attribute'):
            return 'attribute'
        if before in ('&', '&&') and self._at(i - 2) == 'auto' or before == 'auto':
            return 'binding'
        if before in ('return', 'co_return', 'co_await', 'co_yield', 'case', 'else', 'do'):
            return 'lambda_intro'
        if before in (')', ']', '"') or re.match(r'\w', before):
            return 'subscript'
        return 'lambda_intro'

    def _classify_brace(self, i, before, parent):
        in_expression = parent.kind in ('paren', 'control', 'init', 'subscript', 'lambda_intro')
        head = self._function_head(i)
        if head is not None:
            return head
        if before in ('else', 'do', 'try'):
            return 'control_block', before
        if before in ('', ';', '{', '}', ':'):
            return ('init', '') if in_expression else ('plain', '')
        if before == 'requires':
            return 'plain', ''
        words = self._statement_words(i)
        for k, word in enumerate(words):
            if word in _TYPE_WORDS and not in_expression:
                names = [w for w in words[k + 1:] if re.match(r'[A-Za-z_]', w) and w not in ('final', 'class', 'struct')]
                plain_names = ':' not in words[k + 1:] and '::' not in words[k + 1:] and '<' not in words[k + 1:]
                # `struct stat found{}` declares a variable.
                if not (plain_names and len(names) > 1 and word != 'enum'):
                    return 'type', word
        return 'init', ''

    def _function_head(self, i):
        """The kind of block that a parameter list or a lambda introducer before it makes, or None."""
        j = i - 1
        # Over a trailing return type, back to its arrow.
        k = j
        while k >= 0 and i - k < 60 and self.tokens[k] not in (';', '{', '}', '=', 'return', 'co_return'):
            if self.tokens[k] == '->':
                j = k - 1
                break
            if k in self._closing:
                k = self._closing[k].opened
            k -= 1
        while self._at(j) in _SPECIFIERS or (self._at(j) == ')' and self._word_before_paren(j) in ('noexcept', 'requires')):
            j = self._closing[j].opened - 2 if self._at(j) == ')' else j - 1
        token = self._at(j)
        if j not in self._closing:
            return None
        frame = self._closing[j]
        if token == ')':
            if frame.kind == 'catch_head':
                return 'catch', ''
            if frame.kind == 'control':
                return 'control_block', frame.word
            if self._at(frame.opened - 1) == ']' and self._intro(frame.opened - 1):
                return 'lambda', ''
            if self._at(frame.opened - 1) == '>' and self._intro_before_template(frame.opened - 1):
                return 'lambda', ''
            return 'function', frame.word
        if token == ']' and frame.kind == 'lambda_intro':
            return 'lambda', ''
        if token == '}' and frame.kind == 'init' and frame.parent.kind in ('file', 'type') and j == i - 1:
            return 'function', ''  # a constructor whose last member is initialized with braces
        return None

    def _word_before_paren(self, close):
        frame = self._closing.get(close)
        return self._at(frame.opened - 1) if frame else ''

    def _intro(self, close):
        return close in self._closing and self._closing[close].kind == 'lambda_intro'

    def _intro_before_template(self, close):
        depth = 0
        for k in range(close, max(close - 40, -1), -1):
            depth += {'>': 1, '<': -1}.get(self.tokens[k], 0)
            if depth == 0:
                return self._intro(k - 1)
        return False

    def _statement_words(self, i):
        words = []
        k = i - 1
        while k >= 0 and self.tokens[k] not in (';', '{', '}'):
            if k in self._closing:
                k = self._closing[k].opened - 1
                continue
            if self.tokens[k] in ('(', '['):
                break
            words.append(self.tokens[k])
            k -= 1
        return words[::-1]

    # What the rules ask.

    def enclosing(self, i):
        """The brackets around a token, from the innermost out."""
        frame = self.frame_of[i]
        while frame is not None:
            yield frame
            frame = frame.parent

    def block_of(self, i):
        return next(f for f in self.enclosing(i) if f.is_block)

    def control_of(self, i):
        """The head of an if, while, for or switch that the token is in, or None."""
        for frame in self.enclosing(i):
            if frame.is_block:
                return None
            if frame.kind == 'control':
                return frame
        return None

    def full_expression(self, i):
        """(first, end) of the tokens of the statement, or of the part of a control head, that holds the token."""
        home = self.control_of(i) or self.block_of(i)
        first = i
        while first - 1 > home.opened:
            before = first - 1
            if before in self._closing:
                frame = self._closing[before]
                if frame.parent is home and (frame.is_block or frame.kind == 'control'):
                    break
                first = frame.opened if frame.opened >= 0 else before
                continue
            if self.tokens[before] == ';' and self.frame_of[before] is home:
                break
            first = before
        end = i
        while end < home.closed and not (self.tokens[end] == ';' and self.frame_of[end] is home):
            end += 1
        return first, end
