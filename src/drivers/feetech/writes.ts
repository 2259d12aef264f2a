/** Reactions of Feetech STS and SCS servos to register writes. */
import type { WriteRule } from '../serial/write-rule.ts';

const TABLE = 'Feetech, STS/SMS memory table';
const EXAMPLES = "the maker's examples: FTServo_Python, sms_sts/write.py and scscl/write.py";
const LIMP = ['limp'] as const;

export const FEETECH_WRITES: readonly WriteRule[] = [
  {
    what: 'torqueEnable',
    value: 0,
    does: 'Torque off. A latched overload protection is cleared.',
    allowed: ['limp', 'comingOn', 'driven', 'away'],
    source: `${TABLE}, 40`,
  },
  {
    what: 'torqueEnable',
    value: 1,
    does: 'Goes to what stands in goalPosition, at once, as hard as torqueLimit lets it.',
    allowed: ['comingOn'],
    source: `${TABLE}, 40`,
  },
  {
    what: 'torqueEnable',
    does: '2: brakes, and holds nothing. 128: stores where it stands as 2048 (STS).',
    allowed: [],
    source: `${TABLE}, 40`,
  },
  {
    what: 'goalPosition',
    does: 'Turns its torque on, whatever turned it off (a restart too), and goes there. The next goal clears a latched overload.',
    allowed: ['comingOn', 'driven'],
    source: `${EXAMPLES}, which move a servo whose torque is off and never write torqueEnable`,
  },
  {
    what: 'goalSpeed',
    does: 'In position mode: how fast it goes there from now on, 0 as fast as it can. In wheel mode (1) it turns, and its torque comes on, with 0 too: the mode is read before.',
    allowed: LIMP,
    source: `${TABLE}, 33 and 46; wheel mode: users' reports`,
  },
  {
    what: 'goalTime',
    does: 'How long a way takes (SCS; STS: no effect in position mode).',
    allowed: LIMP,
    source: `${TABLE}, 44`,
  },
  { what: 'acceleration', does: 'How a way begins and ends, 0 at once.', allowed: LIMP, source: `${TABLE}, 41` },
  {
    what: 'torqueLimit',
    does: 'Pulls no harder than that, or harder than before, from now on. After power-up it is torqueMax.',
    allowed: ['limp', 'comingOn', 'driven', 'away'],
    source: `${TABLE}, 16 and 48`,
  },
  {
    what: 'torqueMax',
    does: 'Of SCS as torqueLimit; of STS what that is after power-up.',
    allowed: ['limp', 'comingOn', 'driven', 'away'],
    source: `${TABLE}, 16`,
  },
  ...['gainP', 'gainI', 'gainD'].map(
    (what): WriteRule => ({
      what,
      does: 'With torque it pulls harder or softer at once. Stored.',
      allowed: LIMP,
      source: `${TABLE}, 21 to 23`,
    }),
  ),
  {
    what: 'lock',
    does: '0: what is written to stored registers outlives the power; 1: it does not.',
    allowed: LIMP,
    source: `${TABLE}, 55`,
  },
  {
    what: 'homingOffset',
    does: 'All readings and what goals mean move by it, at once: with torque the joint does. Stored.',
    allowed: LIMP,
    source: `${TABLE}, 31`,
  },
  {
    what: 'operatingMode',
    does: 'Goals become speeds or duties. Stored.',
    allowed: LIMP,
    source: `${TABLE}, 33`,
  },
  {
    what: 'phase',
    does: 'Unit of speeds, meaning of a speed of 0, one turn or many, ways of turning. Stored.',
    allowed: LIMP,
    source: `${TABLE}, 18`,
  },
  ...['id', 'baud', 'returnDelay', 'statusLevel'].map(
    (what): WriteRule => ({
      what,
      does: 'Receives or answers with the new settings from the next request on. Stored.',
      allowed: LIMP,
      source: `${TABLE}, 5 to 8`,
    }),
  ),
  ...['positionMin', 'positionMax'].map(
    (what): WriteRule => ({
      what,
      does: 'A goal beyond is cut to it: with torque the joint moves there. Stored.',
      allowed: LIMP,
      source: `${TABLE}, 9 and 11`,
    }),
  ),
  {
    what: 'startForce',
    does: 'Sets the least torque with which it moves. Stored.',
    allowed: LIMP,
    source: `${TABLE}, 24`,
  },
  ...[
    'temperatureMax',
    'voltageMax',
    'voltageMin',
    'unloadConditions',
    'protectiveTorque',
    'protectionTime',
    'overloadTorque',
    'currentMax',
    'overcurrentTime',
  ].map(
    (what): WriteRule => ({
      what,
      does: 'When its own protection takes torque away, and how much. Stored.',
      allowed: LIMP,
      source: `${TABLE}, 13 to 38`,
    }),
  ),
];
