/** Rows 26 to 34: disks, peers, and configurations. */
import type { FaultRow } from './fault-row.ts';
import { FIRST_MOTION } from './flags.ts';

export const MACHINE: readonly FaultRow[] = [
  {
    row: 26,
    fault: 'Power is lost, or a process killed, while recording',
    promise: 'Every record that was acknowledged after fdatasync is preserved; 0 torn records are accepted.',
    source: "SQLite's tests of power cuts",
    numbers: { acknowledgedLost: 0, tornAccepted: 0 },
    signs: [],
  },
  {
    row: 27,
    fault: 'The disk is full, read-only or broken',
    promise:
      'The robot continues; recording warns at 10 % free space, stops at 2 %, and resumes by itself without a gap.',
    source: 'SQLite reports a full disk; numbers ours',
    numbers: { stopFreeShare: 0.02, warnFreeShare: 0.1 },
    signs: [
      {
        seenBy: 'node',
        name: 'recordingStopped',
        action: 'warn',
        clears: 'byItself',
        message: 'The journal cannot be written; the robot continues, and steps are kept in memory for a while.',
        remedy: 'Make room on the disk: recording resumes by itself.',
      },
    ],
  },
  {
    row: 28,
    fault: 'The disk is slow',
    promise:
      'Nothing that moves the robot waits for the disk: records are queued up to a bound; records beyond it are dropped and counted.',
    source: 'writers off the tick',
    numbers: { ticksWaiting: 0 },
    signs: [],
  },
  {
    row: 29,
    fault: 'The same robot is started twice',
    promise:
      'The second one is refused within 1 s, and the first is named: a lock with its process, one live robot per name.',
    source: 'session epochs; the second is ours',
    numbers: { refusedWithinS: 1 },
    signs: [
      {
        seenBy: 'node',
        name: 'duplicateNode',
        action: 'refuse',
        clears: 'byItself',
        message: 'Another node of the same name is running; this one does not move the robot.',
        remedy: 'Give one of them another name or namespace.',
      },
    ],
  },
  {
    row: 30,
    fault: 'An unknown or malicious peer',
    promise:
      'Sockets bind to addresses of this computer only; any other address is refused at start. 0 frames of unknown peers are accepted.',
    source: 'keys (CURVE) are not implemented, so the link never leaves the computer',
    numbers: { acceptedStrange: 0 },
    signs: [],
  },
  {
    row: 31,
    fault: 'A message is too long, or declares a wrong length',
    promise:
      '16 MiB at most; lengths are checked before memory is allocated; the sender is disconnected, other peers are unaffected.',
    source: 'bounded frames; the number is ours',
    numbers: { maxBytes: 16 * 1024 * 1024 },
    signs: [],
  },
  {
    row: 32,
    fault: 'An allowed peer floods',
    promise:
      'Its queue is bounded, and messages beyond the bound are counted; memory grows by less than 64 MiB in 10 minutes of flooding. After garbage collection, less than 1 MiB of heap is left of all connections after the hundredth, by which most code is compiled. A node that sends more than it may is disconnected, however slowly it sends, and no message of the flood moves a robot any more.',
    source: 'quotas; the numbers are ours',
    numbers: { growthBytes: 64 * 1024 * 1024, floodS: 600, keptBytes: 1024 * 1024, keptFromCut: 100 },
    signs: [],
  },
  {
    row: 33,
    fault: 'A configuration is wrong: value, unit, unknown key',
    promise: 'Nothing starts; the error names file, line and column, and the nearest valid word.',
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
        remedy: 'The error names the place, the allowed values, and the nearest valid word.',
      },
      {
        seenBy: 'node',
        name: 'qosMismatch',
        action: 'warn',
        clears: 'byItself',
        message: 'Publisher and subscriber of a topic have incompatible quality of service: no message is delivered.',
        remedy: 'Give both ends a compatible quality of service.',
      },
    ],
  },
  {
    row: 34,
    fault: 'The calibration is missing, or belongs to another robot',
    promise:
      'A driver with a calibration opens only if the checksum and the serial number of the adapter match (of an adapter without one, its USB socket). After power-up, before any other motion, each measured joint is moved by 0.035 rad, the wheels of a car by 0.25 m, at 5 % of the maximum speed, and must follow with the right sign and size: else category 1, and no motion.',
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
        message: "A joint's first motion after power-up did not match the robot's file.",
        remedy:
          "Run `rein calibrate` with the robot's file, for a car `rein bring-up`, then acknowledge and enable: each joint is tested again.",
      },
      {
        seenBy: 'configuration',
        name: 'calibration',
        action: 'refuse',
        clears: 'byItself',
        message: "The robot's calibration is missing, damaged, or belongs to other servos; nothing starts.",
        remedy: "Run `rein calibrate` with the robot's file.",
      },
    ],
  },
];
