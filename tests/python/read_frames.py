#!/usr/bin/env python3
"""Reads a link message (*.frame) or a journal file (*.journal) with the standard library alone, prints JSON."""
import json, struct, sys

POLY = 0x82F63B78
TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ POLY if n & 1 else n >> 1
    TABLE.append(n)

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF

KINDS = "none hello helloAck refuse transitions ack heartbeat control controlAck weights weightsRequest bye query about".split()
SOURCES = "policy human_recover human_correct scripted_recover scripted_correct demo".split()
SCALARS = "seq epoch episode step segment policyVersion filterBits observationAgeMs reward cost marginMin tankDrainJ tankLevel source terminated truncated isBasePhase".split()

def record(data, o, a):
    out = dict(zip(SCALARS, struct.unpack_from("<QIIIIIIddddddBBBB", data)))
    out["source"] = SOURCES[out["source"]]
    at = 84
    for name, size in (("observation", o), ("nextObservation", o), ("policyAction", a), ("humanAction", a), ("executed", a)):
        out[name] = struct.unpack_from(f"<{size}f", data, at)
        at += 4 * size
    return out

def frame(data, o, a):
    magic, version, kind, flags, schema, robot, epoch, count, seq, ns, length, crc = struct.unpack_from("<4sBBH8s8sIIQQII", data)
    body = data[56:]
    assert magic == b"REIN" and version == 1 and len(body) == length and crc == crc32c(data[:52] + body)
    out = dict(kind=KINDS[kind], flags=flags, schemaHash=schema.hex(), robotHash=robot.hex(), epoch=epoch, count=count, sequence=seq, monotonicNs=ns)
    if out["kind"] == "transitions":
        size = 84 + 4 * (2 * o + 3 * a)
        out["records"] = [record(body[16 + i * size:], o, a) for i in range(count)]
    if out["kind"] == "weights":
        m, g, w, _ = struct.unpack_from("<IIII", body)
        pad = lambda n: (n + 3) // 4 * 4
        out["manifest"] = json.loads(body[16:16 + m])
        out["weights"] = struct.unpack_from(f"<{w}f", body, 16 + pad(m) + pad(g))
    return out

def journal(data):
    magic, version, head, schema, identity, o, a, size, epoch, index, n = struct.unpack_from("<8sII8s8sIIIIII", data)
    assert magic == b"REINJRNL" and version == 2 and struct.unpack_from("<I", data, 124)[0] == crc32c(data[:124])
    slots = [data[at:at + size + 4] for at in range(head, len(data) - size - 3, size + 4)]
    assert all(struct.unpack_from("<I", s, size)[0] == crc32c(s[:size]) for s in slots)
    return dict(schemaHash=schema.hex(), journalId=identity.hex(), epoch=epoch, index=index, runId=data[56:56 + n].decode(),
                records=[record(s, o, a) for s in slots])

if __name__ == "__main__":
    path, o, a = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = open(path, "rb").read()
    print(json.dumps(journal(data) if path.endswith(".journal") else frame(data, o, a)))
