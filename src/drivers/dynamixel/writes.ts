/** Reactions of Dynamixel X series servos to register writes. */
import type { WriteRule } from '../serial/write-rule.ts';

const MANUAL = 'ROBOTIS e-Manual, X series';
const LIMP = ['limp'] as const;
const ANY = ['limp', 'comingOn', 'driven', 'away'] as const;

export const DYNAMIXEL_WRITES: readonly WriteRule[] = [
  { what: 'torqueEnable', value: 0, does: 'Lets go.', allowed: ANY, source: `${MANUAL}, Torque Enable(64)` },
  {
    what: 'torqueEnable',
    value: 1,
    does: 'Holds its goal, which is its position at power-up or the last value written since. In position mode its count restarts within one turn. Refused after a shutdown, until a reboot.',
    allowed: ['comingOn'],
    source: `${MANUAL}, Torque Enable(64), Present Position(132), Shutdown(63)`,
  },
  {
    what: 'goalPosition',
    does: 'With torque it goes there; without it does nothing, and torque stays off, after power-up and reboot too. Refused beyond Min and Max Position Limit, and once its bus watchdog ran out.',
    allowed: ['comingOn', 'driven'],
    source: `${MANUAL}, Goal Position(116), Bus Watchdog(98)`,
  },
  ...['goalPwm', 'goalCurrent'].map(
    (what): WriteRule => ({
      what,
      does: 'Pulls no harder than that, or harder than before, from now on. Refused once its bus watchdog ran out.',
      allowed: ANY,
      source: `${MANUAL}, Goal PWM(100), Goal Current(102)`,
    }),
  ),
  {
    what: 'busWatchdog',
    value: 0,
    does: 'One that had run out takes goals and caps again; it holds where it stopped.',
    allowed: ['limp', 'away'],
    source: `${MANUAL}, Bus Watchdog(98)`,
  },
  {
    what: 'busWatchdog',
    does: 'With torque, after that time without any request, it stops where it is, and holds.',
    allowed: LIMP,
    source: `${MANUAL}, Bus Watchdog(98)`,
  },
  {
    what: 'operatingMode',
    does: 'Resets gains, profile and limits of goals. Stored; refused with torque on.',
    allowed: LIMP,
    source: `${MANUAL}, Operating Mode(11)`,
  },
  {
    what: 'driveMode',
    does: 'Which way it counts, whether it follows another, profiles by time, torque by goal. Its bit 3 lets a goal turn torque on: it is cleared. Stored; refused with torque on.',
    allowed: LIMP,
    source: `${MANUAL}, Drive Mode(10)`,
  },
  {
    what: 'homingOffset',
    does: 'All readings and what goals mean move by it. Stored; refused with torque on.',
    allowed: LIMP,
    source: `${MANUAL}, Homing Offset(20)`,
  },
  {
    what: 'shadowId',
    does: 'Obeys what is written to that id as well. Stored; refused with torque on.',
    allowed: LIMP,
    source: `${MANUAL}, Secondary ID(12)`,
  },
  {
    what: 'shutdown',
    does: 'Which errors take torque away until a reboot. Stored; refused with torque on.',
    allowed: LIMP,
    source: `${MANUAL}, Shutdown(63)`,
  },
  ...['pwmMax', 'currentMax', 'positionMin', 'positionMax', 'temperatureMax', 'voltageMax', 'voltageMin'].map(
    (what): WriteRule => ({
      what,
      does: 'Bounds goals, caps or protection. Stored; refused with torque on.',
      allowed: LIMP,
      source: `${MANUAL}, EEPROM area`,
    }),
  ),
  ...['id', 'baud', 'returnDelay', 'statusLevel'].map(
    (what): WriteRule => ({
      what,
      does: 'Receives or answers with the new settings from the next request on.',
      allowed: LIMP,
      source: `${MANUAL}, 7 to 9 and 68`,
    }),
  ),
  ...['gainP', 'gainI', 'gainD', 'profileVelocity', 'profileAcceleration'].map(
    (what): WriteRule => ({
      what,
      does: 'With torque it goes to its goal otherwise at once. Lost without power.',
      allowed: LIMP,
      source: `${MANUAL}, 80 to 84, 108, 112`,
    }),
  ),
  {
    what: 'indirectAddress',
    does: 'What indirect data stands for. Lost without power.',
    allowed: LIMP,
    source: `${MANUAL}, Indirect Address`,
  },
  {
    what: 'REBOOT',
    does: 'Torque off; its turn count, a latched error and all values that are not stored are lost; silent for some tenths of a second.',
    allowed: LIMP,
    source: `${MANUAL}, Protocol 2.0, Reboot (0x08)`,
  },
];
