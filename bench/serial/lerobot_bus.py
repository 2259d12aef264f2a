"""LeRobot's own motor bus on an emulated arm: time of a read of all positions and a write of all goals.

lerobot_bus.py PORT SECONDS RATE_HZ LEROBOT SCSERVO, where LEROBOT is a checkout of huggingface/lerobot and SCSERVO the folder that
holds its package scservo_sdk (feetech-servo-sdk). Their code runs as it is: what they import beside is stubbed, and the
`type` statements of Python 3.12 are plain assignments for an older Python. Prints JSON. Needs pyserial.
"""

import importlib
import json
import re
import sys
import tempfile
import time
import types
from pathlib import Path

port, seconds, rate_hz, lerobot, scservo = sys.argv[1:6]


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def unguarded(function):
    return function


# What motors_bus.py and feetech.py import beside each other.
module("tqdm", tqdm=lambda items, **_: items)
module("deepdiff", DeepDiff=lambda a, b, **_: {} if a == b else {"differs": (a, b)})
root = Path(tempfile.mkdtemp(prefix="rein-lerobot-"))
(root / "lerobot" / "motors" / "feetech").mkdir(parents=True)
for name in ["motors_bus.py", "encoding_utils.py", "feetech/feetech.py", "feetech/tables.py"]:
    text = (Path(lerobot) / "src/lerobot/motors" / name).read_text()
    if sys.version_info < (3, 12):
        text = re.sub(r"^type (\w+) = ", r"\1 = ", text, flags=re.M)
    (root / "lerobot" / "motors" / name).write_text(text)
sys.path[:0] = [str(root), scservo]
module("lerobot").__path__ = [str(root / "lerobot")]
module("lerobot.motors").__path__ = [str(root / "lerobot/motors")]
module("lerobot.motors.feetech").__path__ = [str(root / "lerobot/motors/feetech")]
module("lerobot.utils").__path__ = []
module(
    "lerobot.utils.import_utils",
    _deepdiff_available=True,
    _serial_available=True,
    _feetech_sdk_available=True,
    require_package=lambda *_, **__: None,
)
module("lerobot.utils.decorators", check_if_already_connected=unguarded, check_if_not_connected=unguarded)
module("lerobot.utils.utils", enter_pressed=lambda: False, move_cursor_up=lambda _: None)
motors_bus = importlib.import_module("lerobot.motors.motors_bus")
feetech = importlib.import_module("lerobot.motors.feetech.feetech")

names = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]
mode = motors_bus.MotorNormMode.RANGE_M100_100
bus = feetech.FeetechMotorsBus(
    port=port, motors={name: motors_bus.Motor(i + 1, "sts3215", mode) for i, name in enumerate(names)}
)
bus.connect(handshake=True)
goals = bus.sync_read("Present_Position", normalize=False)
took_ms = []
failed = 0
period_s = 1 / float(rate_hz)
due = time.perf_counter()
end = due + float(seconds)
while due < end:
    due += period_s
    begin = time.perf_counter()
    try:
        bus.sync_read("Present_Position", normalize=False)
        bus.sync_write("Goal_Position", goals, normalize=False)
        took_ms.append(1e3 * (time.perf_counter() - begin))
    except ConnectionError:
        failed += 1
    time.sleep(max(0, due - time.perf_counter()))
print(json.dumps({"tookMs": took_ms, "failed": failed}))
