"""Runs a command at a pseudo-terminal of its own and types at it.

    python3 pty_run.py TIMEOUT_S STEPS COMMAND [ARGUMENT...]

STEPS is a JSON list, done in order, of
    {"expect": TEXT}                      wait until TEXT appears in the output after the step before
    {"send": TEXT}                        type TEXT at once
    {"whenFile": PATH}                    wait until that file exists
    {"more": N, "of": TEXT, "in": PATH}   wait until TEXT stands N times more in that file than when this step began
    {"hold": TEXT, "until": TEXT, "delayS": S, "periodS": S}
    {"hold": TEXT, "whenFile": PATH, "delayS": S, "periodS": S}
                                          type TEXT as a held key does, until the other text appears or that file exists
    {"hold": TEXT, "times": N, "delayS": S, "periodS": S}
                                          type TEXT as a held key does: once, and N more times after a delay
    {"sleepS": S}
Prints one JSON object: exitCode (null where a signal ended it), signal, timedOut, missing (the TEXT or PATH that never came),
output, and whether the terminal echoed before, during (after the last step) and after. Needs only the standard library.
"""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time


class Session:
    def __init__(self, timeout_s, command):
        self.deadline = time.monotonic() + timeout_s
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, b"\x28\x00\x78\x00\x00\x00\x00\x00")
        self.output = b""
        self.seen = 0
        self.echo_before = self.echoes()
        self.child = subprocess.Popen(
            command,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def echoes(self):
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def read_for(self, seconds):
        """Collects output for so long; false once the time of the whole session is over."""
        end = min(time.monotonic() + seconds, self.deadline)
        while True:
            left = end - time.monotonic()
            ready, _, _ = select.select([self.master], [], [], max(0, left))
            if ready:
                self.output += os.read(self.master, 65536)
            if left <= 0:
                return time.monotonic() < self.deadline

    def expect(self, text):
        wanted = text.encode()
        while True:
            at = self.output.find(wanted, self.seen)
            if at >= 0:
                self.seen = at + len(wanted)
                return True
            ended = self.child.poll() is not None
            if not self.read_for(0.02) or (ended and self.output.find(wanted, self.seen) < 0):
                return False

    def hold_until(self, step):
        """Lets the key go as soon as what is waited for is there; false where it never is."""
        wanted = step.get("until", "").encode()

        def is_there():
            if "whenFile" in step:
                return os.path.exists(step["whenFile"])
            return self.output.find(wanted, self.seen) >= 0

        wait_s = step.get("delayS", 0.02)
        while not is_there():
            if self.child.poll() is not None:
                return False
            if "hold" in step:
                self.type(step["hold"])
            if not self.read_for(wait_s):
                return False
            wait_s = step.get("periodS", 0.02)
        if "until" in step:
            self.seen = self.output.find(wanted, self.seen) + len(wanted)
        return True

    def wait_for_more(self, step):
        def count():
            with open(step["in"], encoding="utf8") as file:
                return file.read().count(step["of"])

        wanted = count() + step["more"]
        while count() < wanted:
            if self.child.poll() is not None or not self.read_for(0.02):
                return False
        return True

    def type(self, text):
        os.write(self.master, text.encode())

    def do(self, step):
        if "expect" in step:
            return self.expect(step["expect"])
        if "until" in step or "whenFile" in step:
            return self.hold_until(step)
        if "more" in step:
            return self.wait_for_more(step)
        if "sleepS" in step:
            self.read_for(step["sleepS"])
        elif "send" in step:
            self.type(step["send"])
        else:
            self.type(step["hold"])
            self.read_for(step["delayS"])
            for _ in range(step["times"]):
                self.type(step["hold"])
                self.read_for(step["periodS"])
        return True

    def finish(self):
        while self.child.poll() is None and self.read_for(0.02):
            pass
        timed_out = self.child.poll() is None
        if timed_out:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        self.read_for(0.05)
        return timed_out


def main():
    timeout_s, steps, command = float(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
    session = Session(timeout_s, command)
    missing = None
    for step in steps:
        if not session.do(step):
            missing = step.get("expect") or step.get("until") or step.get("whenFile") or step.get("in")
            break
    echo_during = session.echoes()
    timed_out = session.finish()
    code = session.child.returncode
    json.dump(
        {
            "exitCode": code if code >= 0 else None,
            "signal": signal.Signals(-code).name if code < 0 else None,
            "timedOut": timed_out,
            "missing": missing,
            "output": session.output.decode("utf-8", "replace"),
            "echo": {"before": session.echo_before, "during": echo_during, "after": session.echoes()},
        },
        sys.stdout,
    )


main()
