"""What the reports count, on small histories made by hand."""

import fcntl
import os
import struct
import tempfile
import unittest

import dead_sessions
from history_report import Calls, died_in_flight

F_OFD_SETLK = 37
SECOND = 10**9
APPEND = "began {} append client 0 at 1 log 1 number 1 caller 0 records 1 size 16 ."
ACKNOWLEDGED = "ended {} at 2 ok entry 0:1:1:16:1700:16 ."

HISTORY = f"""history 1 .
process a.1 threads 1 at 1 .
began 1 read client 0 at {SECOND} log 1 from 0 max_records 1 max_bytes 1 .
ended 1 at {2 * SECOND} ok next 0 .
began 2 trim client 0 at {3 * SECOND} log 1 asked 4 .
ended 2 at {5 * SECOND} unavailable 'held%20holder_pid=77%20holder_state=T .
began 3 trim client 0 at {6 * SECOND} log 1 asked 4 .
killed a.1 at {7 * SECOND} .
process b.1 threads 1 at 1 .
began 1 read client 0 at {3 * SECOND} log 1 from 0 max_records 1 max_bytes 1 .
ended 1 at {4 * SECOND} ok next 0 .
exited b.1 at {7 * SECOND} code 0 .""".split("\n")


class HistoryReport(unittest.TestCase):
    def test_in_flight_after_an_acknowledgement(self):
        self.assertFalse(died_in_flight(APPEND.format(1)))
        self.assertFalse(died_in_flight("\n".join([APPEND.format(1), ACKNOWLEDGED.format(1)])))
        self.assertFalse(died_in_flight("\n".join([APPEND.format(1), "ended 1 at 2 unavailable 'no .", APPEND.format(2)])))
        self.assertTrue(died_in_flight("\n".join([APPEND.format(1), ACKNOWLEDGED.format(1), APPEND.format(2)])))

    def test_late_calls(self):
        calls = Calls(HISTORY)
        self.assertEqual(len(calls.late([], 3)), 0)
        self.assertEqual(calls.slowest, 2)
        self.assertEqual([late.split(":")[0] for late in calls.late([], 1.5)], ["trim of a.1"])
        # It stood still meanwhile.
        self.assertEqual(calls.late([("a.1", 4 * SECOND, 4 * SECOND)], 1.5), [])
        self.assertEqual(len(calls.late([("a.1", 8 * SECOND, 9 * SECOND), ("b.1", 0, 9 * SECOND)], 1.5)), 1)

    def test_who_was_named(self):
        calls = Calls(HISTORY)
        self.assertEqual(calls.naming([("c.1", 77, 2 * SECOND, 6 * SECOND)]), (1, 1, 1))
        self.assertEqual(calls.naming([("c.1", 7, 2 * SECOND, 6 * SECOND)]), (0, 0, 1))
        self.assertEqual(calls.naming([("c.1", 77, 6 * SECOND, 7 * SECOND)]), (0, 0, 0))
        # Its own calls say nothing about the others.
        self.assertEqual(calls.naming([("a.1", 77, 2 * SECOND, 6 * SECOND)]), (0, 0, 1))

    def test_dead_sessions(self):
        with tempfile.TemporaryDirectory() as folder:
            sessions = os.path.join(folder, "meta", "sessions")
            os.makedirs(sessions)
            for name in ("0" * 16, "1" * 16, "pidns-1"):
                with open(os.path.join(sessions, name), "w", encoding="ascii"):
                    pass
            with open(os.path.join(sessions, "0" * 16), "r+", encoding="ascii") as held:
                fcntl.fcntl(held, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
                self.assertEqual(dead_sessions.dead_sessions(folder), ["1" * 16])
            self.assertEqual(len(dead_sessions.dead_sessions(folder)), 2)


if __name__ == "__main__":
    unittest.main()
