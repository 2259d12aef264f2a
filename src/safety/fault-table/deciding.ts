/** Rows 1 to 9: faults of the decider, a policy or its learner. */
import type { FaultRow } from './fault-row.ts';
import { BROKEN_COMMANDS, COMMAND_LATE, COMMAND_LOST } from './flags.ts';

export const DECIDING: readonly FaultRow[] = [
  {
    row: 1,
    fault: 'The policy outputs NaN or infinity',
    promise:
      'Rejected by the policy and again by the guard, which brakes in the same tick; three within 1 s: category 2.',
    source: 'libfranka refuses non-finite commands; three in a second is ours',
    numbers: { brakesWithinTicks: 1, latchesAfter: 3, windowS: 1 },
    signs: [
      {
        seenBy: 'guard',
        name: 'brokenCommands',
        bit: BROKEN_COMMANDS,
        action: 'cat2',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'Three commands within a second contained NaN or infinity.',
        remedy: 'Check the policy: its weights or its observation are not finite. Then acknowledge.',
      },
    ],
  },
  {
    row: 2,
    fault: 'The policy is late or skips a step',
    promise:
      'A command is valid for its lease of two policy periods (200 ms at 10 Hz), never longer than 500 ms; then the robot brakes along the verified path.',
    source:
      'MoveIt Servo drops commands older than 100 ms; a 10 Hz policy needs two of its periods, as one late step is no fault',
    numbers: { leasePeriods: 2, leaseMaxS: 0.5 },
    signs: [
      {
        seenBy: 'guard',
        name: 'commandLate',
        bit: COMMAND_LATE,
        action: 'warn',
        clears: 'byItself',
        mayMove: 'anybody',
        message: 'The newest command is older than its lease; the arm brakes and holds.',
        remedy: 'None if it is rare. Otherwise the policy or the link is too slow for its period.',
      },
      {
        seenBy: 'node',
        name: 'observationLost',
        action: 'hold',
        clears: 'byItself',
        message:
          'An observation topic is older than its freshness limit, or has not been received yet; the policy does not act.',
        remedy: 'Check that the topic is published: ros2 topic hz.',
      },
    ],
  },
  {
    row: 3,
    fault: 'The node that runs the policy crashes or hangs',
    promise:
      'The robot brakes when the lease ends; category 2 after 1 s without a command. The node is restarted, and the robot does not move until an operator acts. A simulated robot whose node only hung continues by itself.',
    source: "ros2_control's fallback controllers; the second is ours",
    numbers: { lostAfterS: 1 },
    signs: [
      {
        seenBy: 'guard',
        name: 'commandLost',
        bit: COMMAND_LOST,
        action: 'cat2',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'No valid command for a second.',
        remedy: 'Restart the node, then acknowledge.',
      },
    ],
  },
  {
    row: 4,
    fault: 'The learner is dead',
    promise:
      'The robot continues with its last weights; its steps are kept in the journal, and all of them are delivered later.',
    source: 'learners in the field stall their actors (SERL); journal first is ours',
    numbers: { lostSteps: 0 },
    signs: [
      {
        seenBy: 'node',
        name: 'learnerSilent',
        action: 'warn',
        clears: 'byItself',
        message: 'The learner does not answer; recorded steps are kept in the journal.',
        remedy: 'Check the learner. The robot continues meanwhile.',
      },
    ],
  },
  {
    row: 5,
    fault: 'The network between robot and learner is cut',
    promise:
      'As row 4; once the network recovers, the link is restored within 2 s, and every waiting step is delivered exactly once.',
    source: 'sequence numbers and acknowledgements; the 2 s are ours',
    numbers: { reconnectsWithinS: 2, lostSteps: 0, doubledSteps: 0 },
    signs: [],
  },
  {
    row: 6,
    fault: 'A transition is corrupted on the wire or on disk',
    promise:
      'CRC-32C, schema hash and range are checked; a record that fails is set aside with the reason. 0 reach the optimiser.',
    source: 'MCAP and SQLite checksum what they store',
    numbers: { acceptedCorrupted: 0 },
    signs: [],
  },
  {
    row: 7,
    fault: 'Weights are truncated, not finite, or of another shape or robot',
    promise:
      'Digest, schema, shape and finite values are checked, and the weights are tried; bad ones are refused, and the old ones stay in use. The last 3 are kept.',
    source: 'onnxruntime refuses truncated files only; the rest is ours',
    numbers: { kept: 3, acceptedBad: 0 },
    signs: [
      {
        seenBy: 'node',
        name: 'weightsRefused',
        action: 'warn',
        clears: 'byItself',
        message: 'New weights were damaged, of another robot or gave no usable action; the old ones stay in use.',
        remedy: 'Check the learner.',
      },
    ],
  },
  {
    row: 8,
    fault: 'New weights make the action jump',
    promise:
      'New weights take effect between two decisions. The guard opens a hand-over, 1 s of halved acceleration and jerk limits, if the weights are of another run, go back or skip more than 16 versions, or if a command jumps within 1 s of them: by more than a quarter of its scale and 1.5 times as far as any of the last 32 did under unchanged weights. Weights that start with the robot at rest open no hand-over, and are judged by their later changes only.',
    source: "Autoware's tighter limits in a transition",
    numbers: { tightForS: 1, accelRatio: 0.5, jumpMin: 0.25, jumpFactor: 1.5, mostVersions: 16 },
    signs: [],
  },
  {
    row: 9,
    fault: 'Old or replayed weights',
    promise: 'The version must increase within a run; only an operator may go back. 0 older versions act.',
    source: 'The Update Framework: versions only increase',
    numbers: { acceptedOld: 0 },
    signs: [],
  },
];
