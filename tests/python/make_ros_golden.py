"""Writes tests/golden/ros/messages.json: messages of every type that Rein speaks, and the bytes that ROS makes of them.

Run it where ROS 2 is sourced, and for rein/msg where Rein's interfaces are built:

    python3 tests/python/make_ros_golden.py

Types whose package is not there keep what the file had of them. Each message is written as JSON: numbers that JSON does
not have (NaN, infinities, -0.0) and integers of 64 bits as text. Values come from a generator that is seeded with the
type's name, so a second run writes the same file.
"""

import array
import importlib
import json
import math
import pathlib
import random
import re
import sys

from rclpy.serialization import serialize_message

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "tests" / "golden" / "ros" / "messages.json"
VARIANTS = 6

# The messages of the lists that the program's own types are written from.
STANDARD = (ROOT / "scripts" / "ros" / "standard-interfaces.txt").read_text()
TYPES = [name.replace("/", "/msg/") for name in re.findall(r"^MSG: (\S+)$", STANDARD, re.MULTILINE)]
TYPES += [f"rein/msg/{path.stem}" for path in (ROOT / "msg").glob("*.msg")]

TEXTS = ["", "a", "joint_1", "wrist", "tool0", "Grad °C", "äöü", "電源", "go 🤖 go", "x" * 61]
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, math.pi, -2.5e-3, 1e30, math.inf, -math.inf, math.nan, 5e-324, 2.0**-1074 * 3]
# Each is exactly a float32, so that text and bytes say the same.
FLOATS32 = [0.0, -0.0, 1.0, -1.5, 0.25, 3.140625, math.inf, -math.inf, math.nan, 2.0**-149, 2.0**127]
INTEGER = re.compile(r"^(u?)int(8|16|32|64)$")


def load(name):
    package, _, message = name.split("/")
    return getattr(importlib.import_module(f"{package}.msg"), message)


def integer(kind, rng):
    unsigned, bits = INTEGER.match(kind).groups()
    low, high = (0, 2 ** int(bits) - 1) if unsigned else (-(2 ** (int(bits) - 1)), 2 ** (int(bits) - 1) - 1)
    return rng.choice([low, high, 0, 1, rng.randint(low, high)])


def value(kind, rng):
    """A value of a type as rclpy spells it, such as `sequence<double>` or `geometry_msgs/Point`."""
    sequence = re.match(r"^sequence<(.+?)(?:, (\d+))?>$", kind)
    array_of = re.match(r"^(.+)\[(\d+)\]$", kind)
    if sequence or array_of:
        element = (sequence or array_of).group(1)
        count = rng.choice([0, 1, 2, 3, 6]) if sequence else int(array_of.group(2))
        return [value(element, rng) for _ in range(count)]
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "string":
        return rng.choice(TEXTS)
    if kind == "double":
        return rng.choice(FLOATS)
    if kind == "float":
        return rng.choice(FLOATS32)
    if kind == "octet":
        return bytes([rng.randint(0, 255)])
    if INTEGER.match(kind):
        return integer(kind, rng)
    package, name = kind.split("/")
    return filled(load(f"{package}/msg/{name}"), rng)


def filled(message_class, rng):
    message = message_class()
    for name, kind in message_class.get_fields_and_field_types().items():
        setattr(message, name, value(kind, rng))
    return message


def as_json(item, kind=""):
    if isinstance(item, bool) or isinstance(item, str):
        return item
    if isinstance(item, float):
        return repr(item) if not math.isfinite(item) or str(item) == "-0.0" else item
    if isinstance(item, int):
        return str(item) if "int64" in kind else item
    if isinstance(item, bytes):
        return item[0]
    if isinstance(item, (list, tuple, array.array)) or hasattr(item, "tolist"):
        items = item.tolist() if hasattr(item, "tolist") else item
        return [as_json(element, kind) for element in items]
    return {name: as_json(getattr(item, name), kind) for name, kind in item.get_fields_and_field_types().items()}


def cases(name):
    message_class = load(name)
    rng = random.Random(name)
    messages = [message_class()] + [filled(message_class, rng) for _ in range(VARIANTS)]
    return [{"message": as_json(message), "hex": serialize_message(message).hex()} for message in messages]


def main():
    golden = json.loads(OUT.read_text()) if OUT.exists() else {}
    for name in TYPES:
        try:
            golden[name] = cases(name)
        except ModuleNotFoundError as missing:
            print(f"{name}: {missing}; keeps {len(golden.get(name, []))} cases", file=sys.stderr)
    lines = []
    for name in sorted(golden):
        body = ",\n".join("    " + json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in golden[name])
        lines.append(f"  {json.dumps(name)}: [\n{body}\n  ]")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
