"""A stream is dropped while other processes hold leases on its logs and do nothing: they give way by themselves."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402

DROP_WITHIN = ""
PARTITIONS = 3
# For the whole drop, by its own deadline; it may wait for 30 seconds otherwise.
MILLISECONDS = 2000


class DropUnderLeases(harness.TestCase):
    def start_holder(self):
        """An appending process that has a lease on every log, and waits for input."""
        holder = self.start("append", "s", "--offsets")
        holder.stdin.write(b"x\n" * PARTITIONS)
        holder.stdin.flush()
        acknowledged = {holder.stdout.readline().split()[1] for _ in range(PARTITIONS)}
        self.assertEqual(len(acknowledged), PARTITIONS)
        return holder

    def test_idle_holders_give_way_in_less_than_two_seconds(self):
        self.ok("stream", "create", "s", "--binding", "raw", "--partitions", str(PARTITIONS))
        holders = [self.start_holder(), self.start_holder()]
        leases = json.loads(self.ok("stream", "describe", "s", "--json"))["leases"]
        self.assertEqual(sorted((lease["process"], lease["partition"]) for lease in leases),
                         sorted((holder.pid, i) for holder in holders for i in range(PARTITIONS)))
        drop = subprocess.run([DROP_WITHIN, self.deployment, "s", str(MILLISECONDS)], capture_output=True,
                              timeout=harness.TIMEOUT, check=False)
        self.assertEqual((drop.returncode, drop.stderr), (0, b""))
        self.assertEqual(json.loads(self.ok("stream", "list", "--json")), [])
        kinds = {line.split()[0] for line in self.ok("inspect", "meta", "--keys").splitlines()}
        self.assertFalse(kinds & {b"index_record", b"write_lease"}, kinds)
        for holder in holders:
            self.assertIsNone(holder.poll(), "it gave its leases up, and lives")
            _, errors = holder.communicate(b"y\n", timeout=harness.TIMEOUT)
            self.assertEqual(holder.returncode, 1, errors)
            self.assertIn(b"being deleted", errors)


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    DROP_WITHIN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
