#!/usr/bin/env python3
"""Tests of pages.py: a page that is right passes, and each thing that can go stale is found."""

import os
import shutil
import tempfile
import unittest

import pages
import goldens

PAGE = '''# A record

## Grammar

## Example

<!-- bytes: src/a_test.cc -->
```hex
00 00 00 07    log   7
61             "a"
```

<!-- text: src/a_test.cc -->
```json
{"a":1,
  "b":2}
```

<!-- bytes: src/object.bin first 2 -->
```hex
ff 00
```

## Limits

## Refused

| code | sentence | when |
| --- | --- | --- |
| `corrupt` | `the record is bad` | always |

## Open

## Code

`src/a.cc`, `src/*_test.cc`, [index](README.md)
'''
TEST = r'''
// "0000000762" in a comment is no statement
EXPECT_EQ(Hex("00000007" // the log
              " 61"), R"({"a":1,)" R"("b":2})");
'''
SOURCE = 'Status Bad() { return Named("corrupt", "the record " "is bad"); }'


class Pages(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix='lakestream-docs-')
        self.addCleanup(shutil.rmtree, self.root)
        self.write('src/a_test.cc', TEST)
        self.write('src/a.cc', SOURCE)
        self.write('src/object.bin', b'\xff\0rest')
        self.write('docs/format/README.md', '[a](a.md)')
        self.write('README.md', '`src/a.cc`')

    def write(self, path, data):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'wb') as stream:
            stream.write(data if isinstance(data, bytes) else data.encode())

    def messages(self, page):
        self.write('docs/format/a.md', page)
        return [message for _, _, message in pages.check_tree(self.root)[0]]

    def test_a_right_page_passes(self):
        self.assertEqual(self.messages(PAGE), [])

    def test_what_is_wrong_is_named(self):
        for old, new, message in [
                ('61             "a"', '62             "a"', 'does not state these 5 bytes: 0000000762'),
                ('61             "a"\n', '', 'does not state these 4 bytes'),
                ('00 00 00 07    log', '00 00 00 07 log', 'not hexadecimal bytes'),
                ('"b":2', '"b":3', 'src/a_test.cc does not state'),
                ('first 2', 'first 3', 'src/object.bin does not state'),
                (' first 2', '', 'src/object.bin does not state'),
                ('src/object.bin first', 'src/gone.bin first', 'there is no src/gone.bin'),
                ('<!-- bytes: src/a_test.cc -->\n', '', 'says above it where its bytes are stated'),
                ('<!-- text: src/a_test.cc -->', '<!-- bytes: src/a_test.cc -->', 'a block of bytes cannot be json'),
                ('00 00 00 07    log   7\n61             "a"\n', '', 'an example without bytes'),
                ('## Limits\n', '', 'has the sections'),
                ('`the record is bad`', '`the record is worse`', 'no source says: the record is worse'),
                ('`corrupt`', '`broken`', 'there is no status code broken'),
                ('`src/a.cc`', '`src/b.cc`', 'there is no src/b.cc'),
                ('(README.md)', '(index.md)', 'there is no index.md'),
        ]:
            with self.subTest(message, new=new):
                self.assertIn(old, PAGE)
                found = self.messages(PAGE.replace(old, new, 1))
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])

    def test_a_page_without_an_example(self):
        head, rest = PAGE.split('<!-- bytes', 1)
        page = head + rest[rest.index('## Limits'):]
        self.assertEqual(self.messages(page), ['a page without an example'])

    def test_a_page_that_the_index_does_not_list(self):
        self.write('docs/format/README.md', 'nothing')
        self.assertEqual(self.messages(PAGE), ['docs/format/README.md does not list this page'])


    def test_tests_that_the_guide_names(self):
        self.write('tests/crash/CMakeLists.txt', 'add_test(NAME crash.loop COMMAND x)')
        self.write('src/a_test.cc', TEST + 'TEST_F(Log, Reads) {}\nTEST(Cells, All) {}\nScenario s[] = {{"Late", Late}};')
        self.write('docs/testing.md', '`Log.Reads`, `Cells.Late`, `crash.loop`, `house.py`, `src/a.cc`')
        self.assertEqual(self.messages(PAGE), [])
        for name in ['Log.Writes', 'Other.Reads', 'Other.Late', 'crash.other']:
            self.write('docs/testing.md', f'`{name}`')
            self.assertEqual(self.messages(PAGE), [f'there is no test {name}'])

    def test_files_that_any_page_names(self):
        self.write('docs/adr/1.md', '`src/gone.h` and [this](../format/README.md)')
        self.write('README.md', '[that](docs/gone.md)')
        self.assertEqual(self.messages(PAGE), ['there is no docs/gone.md', 'there is no src/gone.h'])


class Goldens(unittest.TestCase):
    def test_literals_as_a_compiler_sees_them(self):
        found = goldens.of_cpp(r'''
            f("\xff\0\n"s + "x", "v" /* "in a comment" */ "w", '"', 1'000, R"x(raw \n)x" "\x01") + g("alone");
        ''')
        self.assertEqual(found, {b'\xff\0\n', b'\xff\0\nx', b'x', b'vw', b'raw \\n\x01', b'alone'})

    def test_hexadecimal_text_and_lists_of_words(self):
        found = goldens.of_cpp('Hex("0a 0B"), "abc", Words{1, 0x0203}, {x, 1}, {4294967296}')
        self.assertEqual(found, {b'0a 0B', b'\x0a\x0b', b'abc', b'\0\0\0\x01\0\0\x02\x03'})


if __name__ == '__main__':
    unittest.main()
