"""A gamepad that the kernel takes for a real one, by /dev/uinput: obeys lines on standard input until it ends, which unplugs it.

    key CODE VALUE | abs CODE VALUE     one event, with its SYN_REPORT

Needs no package. ioctls and structs: include/uapi/linux/uinput.h and input-event-codes.h.
"""

import fcntl
import os
import struct
import sys

UI_SET_EVBIT, UI_SET_KEYBIT, UI_SET_ABSBIT = 0x40045564, 0x40045565, 0x40045567
UI_DEV_CREATE, UI_DEV_DESTROY = 0x5501, 0x5502
EV_SYN, EV_KEY, EV_ABS = 0, 1, 3
# BTN_SOUTH … BTN_THUMBR without C and Z, as xpad has them; X, Y, Z, RX, RY, RZ, HAT0X, HAT0Y.
KEYS = [304, 305, 307, 308, 310, 311, 314, 315, 316, 317, 318]
AXES = [0, 1, 2, 3, 4, 5, 16, 17]

device = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
for kind in (EV_KEY, EV_ABS):
    fcntl.ioctl(device, UI_SET_EVBIT, kind)
for key in KEYS:
    fcntl.ioctl(device, UI_SET_KEYBIT, key)
for axis in AXES:
    fcntl.ioctl(device, UI_SET_ABSBIT, axis)
limits = [32767 if axis in AXES and axis < 16 else 1 if axis in AXES else 0 for axis in range(64)]
# struct uinput_user_dev: name, id (bus, vendor, product, version), ff_effects_max, absmax, absmin, absfuzz, absflat.
header = struct.pack("80sHHHHI", sys.argv[1].encode(), 3, 0x045E, 0x028E, 1, 0)
body = struct.pack("64i", *limits) + struct.pack("64i", *[-each for each in limits]) + struct.pack("128i", *[0] * 128)
os.write(device, header + body)
fcntl.ioctl(device, UI_DEV_CREATE)
print("there", flush=True)


def emit(kind, code, value):
    os.write(device, struct.pack("llHHi", 0, 0, kind, code, value))


for line in sys.stdin:
    word, code, value = line.split()
    emit(EV_KEY if word == "key" else EV_ABS, int(code), int(value))
    emit(EV_SYN, 0, 0)
    print("done", flush=True)
fcntl.ioctl(device, UI_DEV_DESTROY)
