#!/usr/bin/env python3
"""Tests of the house test: each rule broken on purpose is found at its line, and what only looks like it passes."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import headers
import house
import rules_shape

HERE = os.path.dirname(os.path.abspath(__file__))


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix='lakestream-house-')
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'w', encoding='utf-8') as stream:
            stream.write(text)

    def findings(self, allowed=()):
        return house.check_tree(self.root, list(allowed))[1]

    def expect(self, path, line, rule, word=''):
        found = self.findings()
        hits = [f for f in found if f[:3] == (path, line, rule) and word in f[3]]
        self.assertTrue(hits, f'no {rule} at {path}:{line} in {found}')
        return hits[0][3]

    def body(self, text, path='src/log/x.cc', head=''):
        """A function body on line 2 and after; `head` stands on line 1."""
        self.write(path, head + '\n' + text + '\n')

    def expect_body(self, text, line, rule, word='', **more):
        self.body(text, **more)
        return self.expect(more.get('path', 'src/log/x.cc'), line, rule, word)

    def expect_clean(self, text, **more):
        self.body(text, **more)
        self.assertEqual(self.findings(), [])


class Includes(Tree):
    def test_each_layer_sees_only_what_lies_below(self):
        order = [('base', 'codec'), ('codec', 'format'), ('format', 'model'), ('model', 'runtime'),
                 ('runtime', 'objstore'), ('objstore', 'meta'), ('meta', 'objstore'), ('meta', 'log'),
                 ('log', 'bindings'), ('bindings', 'server'), ('server', 'cli'), ('kafka', 'runtime'),
                 ('codec', 'runtime'), ('format', 'runtime'), ('kafka', 'format'), ('objstore', 'format'),
                 ('parquet', 'model'), ('parquet', 'runtime'), ('format', 'parquet'), ('model', 'parquet')]
        for own, other in order:
            self.write(f'src/{other}/up.h', '#pragma once\n')
            self.write(f'src/{own}/x.cc', f'\n#include "{other}/up.h"\n')
            message = self.expect(f'src/{own}/x.cc', 2, 'layer', other)
            self.assertIn('may see', message)
            os.remove(os.path.join(self.root, f'src/{own}/x.cc'))

    def test_bench_lies_between_log_and_cli(self):
        self.write('bench/report.h', '#pragma once\n')
        self.write('src/log/x.h', '#pragma once\n')
        self.write('src/cli/x.h', '#pragma once\n')
        self.write('src/cli/commands/bench.cc', '#include "bench/report.h"\n')
        self.write('bench/good.cc', '#include "log/x.h"\n')
        self.assertEqual(self.findings(), [])
        self.write('bench/bad.cc', '\n#include "cli/x.h"\n')
        self.write('src/log/bad.cc', '\n#include "bench/report.h"\n')
        self.expect('bench/bad.cc', 2, 'layer', 'cli')
        self.expect('src/log/bad.cc', 2, 'layer', 'bench')

    def test_layers_below_are_fine(self):
        for other in ('base', 'codec', 'format', 'model', 'runtime', 'objstore', 'meta', 'log'):
            self.write(f'src/{other}/low.h', '#pragma once\n')
            self.write(f'src/log/use_{other}.cc', f'#include "{other}/low.h"\n')
        self.assertEqual(self.findings(), [])

    def test_through_a_second_header(self):
        self.write('src/runtime/gate.h', '#pragma once\n')
        self.write('src/base/shared.h', '#pragma once\n#include "runtime/gate.h"\n')
        self.write('src/codec/varint.cc', '\n\n#include "base/shared.h"\n')
        self.expect('src/codec/varint.cc', 3, 'layer', 'through src/base/shared.h')

    def test_through_a_header_beside_the_file_and_a_third(self):
        self.write('src/runtime/gate.h', '#pragma once\n')
        self.write('include/lakestream/public.h', '#pragma once\n#include "runtime/gate.h"\n')
        self.write('src/model/b.h', '#pragma once\n#include "lakestream/public.h"\n')
        self.write('src/model/a.cc', '#include "b.h"\n')
        self.expect('src/model/a.cc', 1, 'layer', 'through src/model/b.h -> include/lakestream/public.h')

    def test_task_h_counts_as_runtime_and_the_rest_of_include_as_base(self):
        self.write('include/lakestream/task.h', '#pragma once\n')
        self.write('include/lakestream/status.h', '#pragma once\n')
        for layer in ('codec', 'format', 'model', 'kafka'):
            self.write(f'src/{layer}/x.cc', '#include "lakestream/status.h"\n#include "lakestream/task.h"\n')
            self.expect(f'src/{layer}/x.cc', 2, 'layer', 'task.h')
        self.write('src/meta/x.cc', '#include "lakestream/status.h"\n#include "lakestream/task.h"\n')
        self.assertFalse([f for f in self.findings() if f[0] == 'src/meta/x.cc' or f[1] == 1])

    def test_the_simulator_is_for_tests_only(self):
        self.write('src/runtime/sim/sim_runtime.h', '#pragma once\n')
        self.write('src/meta/x_test.cc', '#include "runtime/sim/sim_runtime.h"\n')
        self.write('src/meta/testing/suite.cc', '#include "runtime/sim/sim_runtime.h"\n')
        self.assertEqual(self.findings(), [])
        self.write('src/meta/x.cc', '#include "runtime/sim/sim_runtime.h"\n')
        self.expect('src/meta/x.cc', 1, 'layer', 'runtime/sim')

    def test_src_sees_nothing_of_sim_and_tests(self):
        self.write('sim/world.h', '#pragma once\n')
        self.write('tests/tools.h', '#pragma once\n')
        self.write('src/log/a.cc', '#include "sim/world.h"\n')
        self.write('src/log/b.cc', '#include "../../tests/tools.h"\n')
        self.write('src/log/c_test.cc', '#include "tests/tools.h"\n')
        self.write('fuzz/fuzz_target.h', '#pragma once\n')
        self.write('src/log/d.cc', '#include "fuzz/fuzz_target.h"\n')
        self.write('src/log/d_fuzz.cc', '#include "fuzz/fuzz_target.h"\n')
        self.expect('src/log/a.cc', 1, 'layer', 'sim/world.h')
        self.expect('src/log/b.cc', 1, 'layer', 'tests/tools.h')
        self.expect('src/log/d.cc', 1, 'layer', 'fuzz/fuzz_target.h')
        self.assertFalse([f for f in self.findings() if 'c_test' in f[0] or 'd_fuzz' in f[0]])

    def test_only_the_simulator_and_tests_break_rules(self):
        self.write('src/base/broken_rule.h', '#pragma once\nclass BrokenRule { friend class RuleBreaker; };\n')
        self.write('sim/mutants/mutant.cc', 'void F() { RuleBreaker breaker(Rule::kA); }\n')
        self.write('src/log/a_test.cc', 'void F() { RuleBreaker breaker(Rule::kA); }\n')
        self.write('src/log/b.cc', 'bool F() { return Broken(Rule::kA); }  // not RuleBreaker\n')
        self.assertEqual(self.findings(), [])
        self.write('src/cli/c.cc', '\nvoid F() { RuleBreaker breaker(Rule::kA); }\n')
        self.write('bench/d.cc', 'class RuleBreaker { void F() { BrokenRule::now_ = 1; } };\n')
        self.expect('src/cli/c.cc', 2, 'rule-breaker')
        self.expect('bench/d.cc', 1, 'rule-breaker')

    def test_test_code_is_for_tests(self):
        self.write('src/meta/testing/suite.h', '#pragma once\n')
        self.write('src/log/a.cc', '#include "meta/testing/suite.h"\n')
        self.expect('src/log/a.cc', 1, 'layer', 'only tests')

    def test_gtest_also_through_a_second_header(self):
        self.write('src/log/testing/world.h', '#pragma once\n#include <gtest/gtest.h>\n')
        self.write('src/log/a_test.cc', '#include <gtest/gtest.h>\n')
        self.assertEqual(self.findings(), [])
        self.write('src/log/a.cc', '#include <gtest/gtest.h>\n')
        self.write('src/log/b.cc', '#include <vector>\n#include "log/testing/world.h"\n')
        self.expect('src/log/a.cc', 1, 'gtest')
        self.expect('src/log/b.cc', 2, 'gtest', 'through src/log/testing/world.h')

    def test_back_ends_stay_in_their_folders(self):
        homes = {'lmdb.h': 'src/meta/lmdb', 'grpcpp/channel.h': 'src/meta/oxia', 'curl/curl.h': 'src/objstore/s3',
                 'boost/asio.hpp': 'src/runtime/asio', 'arrow/api.h': 'src/parquet',
                 'parquet/file_writer.h': 'src/parquet/inner'}
        for header, home in homes.items():
            self.write(f'{home}/x.cc', f'#include <{header}>\n')
        self.assertEqual(self.findings(), [])
        for number, header in enumerate(homes):
            self.write(f'src/log/x{number}.cc', f'\n#include <{header}>\n')
            self.expect(f'src/log/x{number}.cc', 2, 'back-end', header)

    def test_a_back_end_through_a_header_of_its_folder(self):
        self.write('src/meta/lmdb/environment.h', '#pragma once\n#include <lmdb.h>\n')
        self.write('src/log/x.cc', '#include "meta/lmdb/environment.h"\n')
        self.expect('src/log/x.cc', 1, 'back-end', 'through src/meta/lmdb/environment.h')

    def test_headers_of_the_folder_parquet_are_none_of_arrow(self):
        self.write('src/parquet/rows.h', '#pragma once\n')
        self.write('src/log/x.cc', '#include "parquet/rows.h"\n')
        self.assertEqual(self.findings(), [])
        self.write('src/parquet/rows.h', '#pragma once\n#include <parquet/types.h>\n')
        self.expect('src/log/x.cc', 1, 'back-end', 'through src/parquet/rows.h')

    def test_fmt_is_not_in_installed_headers(self):
        self.write('src/base/x.cc', '#include <fmt/format.h>\n')
        self.assertEqual(self.findings(), [])
        self.write('include/lakestream/a.h', '#pragma once\n#include <fmt/format.h>\n')
        self.expect('include/lakestream/a.h', 2, 'fmt')

    def test_an_unknown_folder_is_named(self):
        self.write('src/extra/x.cc', 'int a;\n')
        self.expect('src/extra/x.cc', 1, 'layer', 'extra')

    def test_an_include_in_a_comment_is_none(self):
        self.write('src/runtime/gate.h', '#pragma once\n')
        self.write('src/codec/x.cc', '// #include "runtime/gate.h"\n/*\n#include "runtime/gate.h"\n*/\n'
                   'const char* kText = R"(\n#include "runtime/gate.h"\n)";\n')
        self.assertEqual(self.findings(), [])


class Calls(Tree):
    def test_each_banned_call_names_its_replacement(self):
        cases = [('auto t = std::chrono::steady_clock::now();', 'clock', 'runtime.clock'),
                 ('auto t = std::chrono::system_clock::now();', 'clock', 'runtime.clock'),
                 ('auto t = std::chrono::high_resolution_clock::now();', 'clock', 'runtime.clock'),
                 ('clock_gettime(CLOCK_REALTIME, &t);', 'clock', 'runtime.clock'),
                 ('::gettimeofday(&t, nullptr);', 'clock', 'runtime.clock'),
                 ('auto t = time(nullptr);', 'clock', 'runtime.clock'),
                 ('auto t = std::time( NULL );', 'clock', 'runtime.clock'),
                 ('time(&now);', 'clock', 'runtime.clock'),
                 ('std::random_device device;', 'random', 'runtime.random'),
                 ('int r = rand();', 'random', 'runtime.random'),
                 ('int r = std::rand();', 'random', 'runtime.random'),
                 ('std::mt19937 r(1);', 'random', 'runtime.random'),
                 ('std::mt19937_64 r(1);', 'random', 'runtime.random'),
                 ('std::uniform_int_distribution<int> d(0, 9);', 'random', 'Below'),
                 ('std::shuffle(v.begin(), v.end(), r);', 'random', 'Below'),
                 ('getrandom(b, 8, 0);', 'random', 'runtime.random'),
                 ('std::ifstream in("/dev/urandom");', 'random', 'runtime.random'),
                 ('uuid_generate(out);', 'uuid', 'Random::Uuid'),
                 ('std::thread t(f);', 'thread', 'Gate::Spawn'),
                 ('std::vector<std::jthread> t;', 'thread', 'RunBlocking'),
                 ('auto f = std::async(g);', 'thread', 'RunBlocking'),
                 ('std::this_thread::yield();', 'thread', 'Yield'),
                 ('std::this_thread::sleep_for(d);', 'sleep', 'SleepFor'),
                 ('usleep(5);', 'sleep', 'SleepFor'),
                 ('::sleep(1);', 'sleep', 'SleepFor'),
                 ('nanosleep(&t, nullptr);', 'sleep', 'SleepFor')]
        for text, rule, instead in cases:
            with self.subTest(text):
                self.assertIn(instead, self.expect_body('void F() {\n  ' + text + '\n}', 3, rule))

    def test_a_clock_under_another_name(self):
        self.expect_body('using Clock = std::chrono::steady_clock;', 2, 'clock')
        self.expect_body('using std::chrono::steady_clock;', 2, 'clock')
        self.expect_body('typedef std::chrono::system_clock Now;', 2, 'clock')
        self.expect_body('namespace c = std::chrono;\nauto t = c::system_clock::now();', 3, 'clock')

    def test_a_name_that_the_runtime_gives_to_a_clock(self):
        self.write('src/runtime/times.h', '#pragma once\nusing RawClock = std::chrono::steady_clock;\n')
        self.body('auto t = RawClock::now();')
        self.expect('src/log/x.cc', 2, 'clock', 'RawClock')
        self.assertEqual(len(self.findings()), 1)

    def test_the_runtime_may(self):
        self.expect_clean('std::thread t;\nauto n = std::chrono::steady_clock::now();', path='src/runtime/x.cc')

    def test_look_alikes_pass(self):
        self.expect_clean('// std::thread, rand(), steady_clock::now()\n'
                          'const char* kHelp = "std::this_thread::sleep_for(1s) and time(nullptr)";\n'
                          'const char* kRaw = R"x(std::random_device rand())x";\n'
                          'void F() { record.time(); clock.Wall(); entry->time(); my_rand(); operand(x); SleepFor(x); }\n'
                          'int thread_count = 1; Duration time(Duration d); int big = 1\'000\'000; char q = \'"\';\n'
                          'bool steady_clock_ok; int uuid_generated_at; std::thread_local_thing x;')


class Coroutines(Tree):
    def function(self, text):
        return 'Task<void> F() {\n' + text + '\n}'

    def test_braces(self):
        for text in ('  co_await G({1, 2});', '  co_await G(Request{.key = "a"});', '  auto x = co_await G(OpContext{});',
                     '  co_return co_await G({"a", "b"});', '  use(co_await G(A{1}), 2);', '  use(A{1}, co_await G());',
                     '  Pair p{co_await G(), 1};', '  if (auto r = co_await G({}); r) return;',
                     '  for (auto& x : co_await G({1})) use(x);', '  while (F({}) && co_await G()) {}'):
            with self.subTest(text):
                self.expect_body(self.function(text), 3, 'await-brace', 'name the argument')

    def test_over_several_lines(self):
        self.expect_body(self.function('  const Status s = co_await store.Put(\n      context,\n      Key("a"),\n'
                                       '      Options{.create = true});'), 6, 'await-brace')
        self.expect_body(self.function('  const Status s =\n      co_await\n      Call(1,\n           [x] { return x; });'),
                         6, 'await-lambda')

    def test_inside_a_macro_argument(self):
        self.expect_body(self.function('  LS_CO_ASSIGN(auto x, co_await G({1}));'), 3, 'await-brace')
        self.expect_body(self.function('  LS_CO_TRY(co_await G(\n      [&] { return 1; }));'), 4, 'await-lambda')
        self.expect_body('#define CALL(x) \\\n  do { \\\n    co_await G({x}); \\\n  } while (false)', 4, 'await-brace')

    def test_lambdas(self):
        for text in ('  co_await Call([x = std::move(x)] { return 1; });', '  co_await Call([] {});',
                     '  co_await Call([&](int a) mutable -> Result<int> { return a; });',
                     '  co_await [](int a) -> Task<int> { co_return a; }(1);', '  co_return co_await Call([this] { G(); });'):
            with self.subTest(text):
                self.expect_body(self.function(text), 3, 'await-lambda', 'name the lambda')

    def test_conditions(self):
        for text in ('  if (co_await G()) {\n  }', '  if (!(co_await G()).ok()) co_return;', '  while (co_await G()) {}',
                     '  switch (co_await G()) { default: break; }', '  do { F(); } while (co_await G());',
                     '  for (int i = 0; co_await G(i); ++i) {}', '  if (int a = 1; a == co_await G()) {}',
                     '  if (a == co_await G()) {}', '  if constexpr (x) { if (co_await G()) {} }'):
            with self.subTest(text):
                self.expect_body(self.function(text), 3, 'await-condition', 'name its result')

    def test_branches_of_a_conditional(self):
        for text in ('  auto x = a ? co_await G() : 1;', '  auto x = a ? 1 : co_await G();', '  use(b, a ? Status() : co_await G());',
                     '  co_return a ? std::move(x) : (co_await G()).status();', '  LS_CO_ASSIGN(auto x, a ? co_await G() : H());',
                     '  auto x = a ? F<int, 2>(co_await G()) : F<int, 2>(1);', '  auto x = (a ? F : co_await G());'):
            with self.subTest(text):
                self.expect_body(self.function(text), 3, 'await-branch', 'write an if')
        self.expect_body(self.function('  const auto x = a\n      ? b\n      : co_await G();'), 5, 'await-branch')

    def test_conditionals_beside_an_await_pass(self):
        for text in ('  auto x = co_await G() ? 1 : 2;', '  use(a ? 1 : 2, co_await G());', '  auto x = (a ? 1 : 2) + co_await G();',
                     '  auto y = a ? 1 : 2; co_await G();', '  co_await G(a ? 1 : 2);', '  if (a ? b : c) { co_await G(); }',
                     '  for (auto t = a ? 1 : 2; t; --t) { co_await G(); }'):
            with self.subTest(text):
                self.expect_clean(self.function(text))

    def test_catch(self):
        self.expect_body(self.function('  try {\n    F();\n  } catch (const E& e) {\n    if (x) {\n      co_await G();\n    }\n  }'),
                         7, 'await-catch')

    def test_locks(self):
        for lock in ('const std::lock_guard lock(mutex_);', 'std::unique_lock<std::mutex> lock(mutex_);',
                     'std::scoped_lock lock{a, b};', 'std::shared_lock<std::shared_mutex> lock(m);'):
            with self.subTest(lock):
                self.expect_body(self.function('  ' + lock + '\n  if (x) {\n    co_await G();\n  }'), 5, 'await-lock', 'lock')

    def test_look_alikes_pass(self):
        self.expect_clean('''#define LS_EACH(x) { x, x }
// co_await G({1}) and co_await [] {}
const char* kText = "co_await G({1})";
Task<void> F(Runtime& runtime) {
  co_await G(std::move(named));
  if (const auto r = co_await G(); r.ok()) {
    Use({1, 2});
  }
  if (const bool ok = co_await G()) {
    Use({3});
  }
  for (auto& x : co_await G()) {
    Use({x});
  }
  for (const int i : {1, 2, 3}) {
    co_await G(i);
  }
  std::vector<int> list{1, 2};
  Request request = {.key = "a"};
  auto task = G(Request{.key = "a"}, [] { return 1; });
  co_await task;
  const auto [a, b] = co_await Pair();
  const auto function = [x = std::move(x)](int y) { return Use{x, y}; };
  const int value = values[co_await Index()] + table["a"][0];
  const auto body = [](Runtime& r) -> Task<void> {
    co_await Yield(r);
  };
  gate.Spawn([](Runtime& r) -> Task<void> { co_await Yield(r); }(runtime));
  const int n = co_await G(1) ? 1 : 2;
  while (true) {
    const bool more = co_await G();
    if (!more) break;
  }
  switch (n) {
    case 1: {
      co_await G(1);
      break;
    }
    default:
      co_await G(2);
  }
  {
    const std::lock_guard lock(mutex_);
    list.push_back(1);
  }
  co_await G(3);
  std::unique_lock held(mutex_);
  held.unlock();
  co_await G(4);
  try {
    co_await G(5);
  } catch (const std::exception& e) {
    failed = true;
  }
  const std::lock_guard last(mutex_);
  gate.Spawn([](Runtime& r) -> Task<void> { co_await Yield(r); }(runtime));
  struct Local { int x; };
  [[maybe_unused]] Local local{1};
}
Result<int> Member::Get() const { return Result<int>{1}; }
Box::Box(int a) : a_{a}, b_(a) { Use({a}); }
''')


class Names(Tree):
    def test_a_class_in_two_files(self):
        for first, second in (('class Thing {};', 'struct Thing { int a; };'), ('enum class Thing { kA };', 'class Thing final : A {};'),
                              ('template <class T>\nclass Thing {};', 'union Thing { int a; };')):
            with self.subTest(first):
                self.write('src/log/a.h', '#pragma once\nnamespace lakestream {\n' + first + '\n}\n')
                self.write('src/meta/testing/b.h', '#pragma once\n\n\nnamespace lakestream {\n' + second + '\n}\n')
                self.expect('src/log/a.h', 3 + first.count('\n'), 'one-definition', 'src/meta/testing/b.h')
                self.expect('src/meta/testing/b.h', 5, 'one-definition', 'Thing')

    def test_what_is_not_the_same_name_passes(self):
        self.write('src/log/a.h', '''#pragma once
namespace lakestream {
class Thing { struct State {}; };
struct Other;
template <> struct Less<int> {};
struct stat found{};
namespace internal { class Inner {}; }
}
''')
        self.write('src/log/b.cc', '''namespace lakestream {
class Thing;
struct Other {};
struct Host { struct State {}; };
template <> struct Less<char> {};
namespace { class Thing {}; struct Other {}; }
namespace more { class Inner {}; }
struct Host::Thing {};
void F() { struct Thing {}; }
}
namespace other { class Thing {}; }
''')
        self.assertEqual(self.findings(), [])


class Headers(Tree):
    def check(self):
        return [(path, message) for path, message in headers.check(self.root, 'g++', jobs=2)[1]]

    def test_a_header_that_needs_another_before_it(self):
        self.write('include/lakestream/a.h', '#pragma once\n#include <string>\ninline std::string A() { return {}; }\n')
        self.write('src/base/good.h', '#pragma once\n#include "lakestream/a.h"\ninline std::string B() { return A(); }\n')
        self.write('src/base/own.h', '#pragma once\nint own(std::string);\n')
        self.write('src/base/own.cc', '#include "base/own.h"\n')  # the build shows this one
        self.assertEqual(self.check(), [])
        self.write('src/base/bad.h', '#pragma once\ninline std::string C() { return {}; }\n')
        (path, message), = self.check()
        self.assertEqual(path, 'src/base/bad.h')
        self.assertIn('bad.h:2', message)


class Shape(Tree):
    def test_function_length(self):
        lines = '\n'.join(f'  Use({i});' for i in range(98))
        self.expect_clean('void F() {\n' + lines + '\n}')
        self.expect_body('void F() {\n' + lines + '\n  Use(98);\n}', 2, 'function-length', '101')
        self.expect_body('class A {\n  int F() const override {\n' + lines + '\n  Use(98);\n  }\n};', 3, 'function-length')

    def test_file_length(self):
        self.expect_clean('int a;\n' * 898)
        self.expect_body('int a;\n' * 900, 901, 'file-length')

    def test_leftovers(self):
        for word in ('TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'):
            self.expect_body(f'int a;  // {word}: later', 2, 'leftover', word)
        self.expect_clean('const char* kTemplate = "/tmp/x-XXXXXX"; int TODOS;')
        self.write('tools/x.sh', '#!/bin/sh\n# FIX' + 'ME\n')
        self.expect('tools/x.sh', 2, 'leftover')

    def test_pragma_once(self):
        self.write('src/log/a.h', '// Why.\n\n#pragma once\n#include <vector>\n')
        self.assertFalse([f for f in self.findings() if f[0] == 'src/log/a.h'])
        self.write('src/log/a.h', '#include <vector>\n#pragma once\n')
        self.expect('src/log/a.h', 1, 'pragma-once')
        self.write('src/log/b.h', '// #pragma once\n')
        self.expect('src/log/b.h', 1, 'pragma-once')

    def test_own_header_first(self):
        self.write('src/log/a.h', '#pragma once\n')
        self.write('src/log/a.cc', '#include "log/a.h"\n#include <vector>\n')
        self.assertEqual(self.findings(), [])
        self.write('src/log/a.cc', '#include <vector>\n#include "log/a.h"\n')
        self.expect('src/log/a.cc', 1, 'own-header')

    def test_every_test_is_built(self):
        self.write('src/log/CMakeLists.txt', 'lakestream_test(log\n  SOURCES a_test.cc testing/c_test.cc)\n')
        for path in ('a_test.cc', 'testing/c_test.cc', 'other.cc'):
            self.write('src/log/' + path, '')
        self.assertEqual(self.findings(), [])
        for path in ('test.cc', '_test.cc', 'testing/a_test.cc', 'c_test.cc'):
            self.write('src/log/' + path, '')
        self.assertEqual([f[0] for f in self.findings() if f[2] == 'not-built'],
                         ['src/log/_test.cc', 'src/log/c_test.cc', 'src/log/testing/a_test.cc'])

    def ninja(self, kind, entries):
        self.write('b/CMakeCache.txt', f'CMAKE_BUILD_TYPE:STRING={kind}\n')
        self.write('b/.ninja_log', '# ninja log v5\n' + ''.join(f'{s}\t{e}\t0\t{o}\tabc\n' for s, e, o in entries))
        return rules_shape.check_ninja_log(os.path.join(self.root, 'b'))

    def test_compile_time(self):
        slow = [(1000, 22000, 'src/a.cc.o'), (0, 19999, 'src/b.cc.o'), (0, 90000, 'bin/test')]
        why, found = self.ninja('Release', slow)
        self.assertEqual([(f[0], f[2]) for f in found], [('src/a.cc.o', 'compile-time')])
        self.assertEqual(why, '2 objects')
        # The last time counts.
        self.assertEqual(self.ninja('Release', slow + [(0, 5000, 'src/a.cc.o')])[1], [])
        self.assertEqual(self.ninja('None', slow), ('not a release build', []))
        self.assertEqual(rules_shape.check_ninja_log(os.path.join(self.root, 'c')), ('no ninja log', []))


class Program(Tree):
    def run_house(self, *more):
        return subprocess.run([sys.executable, os.path.join(self.root, 'tests/house/house.py'), '--root', self.root, *more],
                              capture_output=True, text=True)

    def setUp(self):
        super().setUp()
        folder = os.path.join(self.root, 'tests/house')
        os.makedirs(folder)
        for name in os.listdir(HERE):
            if name.endswith('.py'):
                shutil.copy(os.path.join(HERE, name), folder)
        self.write('tests/house/allowed.txt', '# none\n')
        self.write('src/log/x.cc', 'int a;\n')

    def test_says_where_and_fails(self):
        self.assertEqual(self.run_house().returncode, 0, self.run_house().stdout)
        self.write('src/log/x.cc', '\nstd::thread t;\n')
        answer = self.run_house()
        self.assertEqual(answer.returncode, 1)
        self.assertIn('src/log/x.cc:2: [thread]', answer.stdout)

    def test_exceptions_are_named_used_and_reasoned(self):
        self.write('src/log/x.cc', 'std::thread t;\n')
        self.write('tests/house/allowed.txt', 'thread src/log/x.cc it waits for a lock\n')
        self.assertEqual(self.run_house().returncode, 0)
        self.write('tests/house/allowed.txt', 'sleep src/log/x.cc another rule\n')
        answer = self.run_house()
        self.assertEqual(answer.returncode, 1)
        self.assertIn('allowed.txt:1: [house] this exception covers nothing', answer.stdout)
        self.write('tests/house/allowed.txt', 'thread src/log/x.cc\n')
        self.assertNotEqual(self.run_house().returncode, 0)

    def test_an_empty_tree_fails(self):
        os.remove(os.path.join(self.root, 'src/log/x.cc'))
        self.assertEqual(self.run_house().returncode, 1)

    def test_files_that_git_ignores_are_not_read(self):
        self.write('.gitignore', '/scratch/\n')
        self.write('scratch/x.cc', 'std::thread t;\n')
        self.assertEqual(self.run_house().returncode, 1)
        if shutil.which('git'):
            subprocess.run(['git', 'init', '-q', self.root], check=True)
            self.assertEqual(self.run_house().returncode, 0, self.run_house().stdout)


if __name__ == '__main__':
    unittest.main()
