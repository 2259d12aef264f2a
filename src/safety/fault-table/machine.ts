/** Rows 26 to 34: disks, peers, and configurations. */
import type { FaultRow } from './fault-row.ts';
import { FIRST_MOTION } from './flags.ts';

export const MACHINE: readonly FaultRow[] = [
  {
    row: 26,
    fault: 'Power is lost, or a process killed, while recording',
    promise: 'All that was acknowledged after fdatasync is there; 0 torn records are accepted.',
    source: "SQLite's tests of power cuts",
    numbers: { acknowledgedLost: 0, tornAccepted: 0 },
    signs: [],
  },
  {
    row: 27,
    fault: 'The disk is full, read-only or broken',
    promise: 'The robot goes on; recording stops at 2 % free, warns at 10 %, and goes on by itself without a hole.',
    source: 'SQLite reports a full disk; numbers ours',
    numbers: { stopFreeShare: 0.02, warnFreeShare: 0.1 },
    signs: [
      {
        seenBy: 'node',
        name: 'recordingStopped',
        action: 'warn',
        clears: 'byItself',
        message: 'The journal cannot be written; the robot goes on, and steps are kept in memory for a while.',
        remedy: 'Make room on the disk: recording goes on by itself.',
      },
    ],
  },
  {
    row: 28,
    fault: 'The disk is slow',
    promise:
      'Nothing that moves the robot waits for it: records queue up to a bound, what is beyond is left out and counted.',
    source: 'writers off the tick',
    numbers: { ticksWaiting: 0 },
    signs: [],
  },
  {
    row: 29,
    fault: 'The same robot twice',
    promise: 'The second is refused within 1 s, with who is there: a lock with the process, one live robot of a name.',
    source: 'session epochs; the second is ours',
    numbers: { refusedWithinS: 1 },
    signs: [
      {
        seenBy: 'node',
        name: 'duplicateNode',
        action: 'refuse',
        clears: 'byItself',
        message: 'Another node of the same name is there; this one does not move the robot.',
        remedy: 'Give one of them another name or namespace.',
      },
    ],
  },
  {
    row: 30,
    fault: 'An unknown or malicious peer',
    promise:
      'Only addresses of this machine are bound: any other is refused at the start. 0 frames of strangers are accepted.',
    source: 'keys (CURVE) are not built, so there is no way off the machine',
    numbers: { acceptedStrange: 0 },
    signs: [],
  },
  {
    row: 31,
    fault: 'A message that is too long, or lies about its length',
    promise: '16 MiB at most; lengths are checked before memory is taken; the sender is cut, others go on.',
    source: 'bounded frames; the number is ours',
    numbers: { maxBytes: 16 * 1024 * 1024 },
    signs: [],
  },
  {
    row: 32,
    fault: 'An allowed peer floods',
    promise:
      'Its queue is bounded, what is beyond is counted; memory grows by less than 64 MiB in 10 minutes of it. Once garbage is collected, less than 1 MiB of heap is left of all connections after the hundredth, by which most code is compiled. A node that says more than it may is cut off, however slowly it sends, and no robot moves after a word of the flood any more.',
    source: 'quotas; the numbers are ours',
    numbers: { growthBytes: 64 * 1024 * 1024, floodS: 600, keptBytes: 1024 * 1024, keptFromCut: 100 },
    signs: [],
  },
  {
    row: 33,
    fault: 'A configuration is wrong: value, unit, unknown key',
    promise: 'Nothing starts; file, line and column are named, and the nearest word.',
    source: 'schema',
    numbers: { startedWrong: 0 },
    signs: [
      {
        seenBy: 'configuration',
        name: 'configuration',
        action: 'refuse',
        clears: 'byItself',
        message:
          'A parameter or a file holds an unknown key, a wrong type or unit, or a value out of range; nothing starts.',
        remedy: 'The message names the place, what is allowed, and the nearest word.',
      },
      {
        seenBy: 'node',
        name: 'qosMismatch',
        action: 'warn',
        clears: 'byItself',
        message: 'Both ends of a topic are there, and their quality of service does not fit: nothing comes through.',
        remedy: 'Give both ends a fitting quality of service.',
      },
    ],
  },
  {
    row: 34,
    fault: 'The calibration is missing, or of another robot',
    promise:
      'A driver with a calibration opens only where checksum and serial number match; of an adapter without one, the USB socket that it is in. After power-up each joint that is measured is moved by 0.035 rad, the wheels of a car by 0.25 m, at 5 % of its highest speed before anything else, and has to follow with the right sign and size: else category 1, and no motion.',
    source: 'ours',
    numbers: { amplitudeRad: 0.035, pathM: 0.25, speedShare: 0.05, movedWrong: 0 },
    signs: [
      {
        seenBy: 'guard',
        name: 'firstMotion',
        bit: FIRST_MOTION,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: "A joint's first motion after power-up was not what the robot's file says.",
        remedy:
          "Run `rein calibrate` with the robot's file, for a car `rein bring-up`, then acknowledge and enable: each joint is tried again.",
      },
      {
        seenBy: 'configuration',
        name: 'calibration',
        action: 'refuse',
        clears: 'byItself',
        message: "The robot's calibration is missing, damaged, or of other servos; nothing starts.",
        remedy: "Run `rein calibrate` with the robot's file.",
      },
    ],
  },
];
