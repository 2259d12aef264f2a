/** Reactions of a VESC to commands. */
import type { WriteRule } from '../serial/write-rule.ts';

const FIRMWARE = 'firmware, github.com/vedderb/bldc 7.01';

/** Every motor command also feeds the firmware's timeout. */
export const VESC_WRITES: readonly WriteRule[] = [
  {
    what: 'setRpm',
    does: 'Drives at that speed, from whatever speed it has, until the next command or its timeout. Below its least speed the motor is released.',
    allowed: ['comingOn', 'driven'],
    source: `${FIRMWARE}, commands.c, foc_run_pid_control_speed`,
  },
  {
    what: 'setDuty',
    does: 'Drives with that share of the supply; 0 shorts the motor, which brakes.',
    allowed: ['comingOn', 'driven'],
    source: `${FIRMWARE}, commands.c`,
  },
  {
    what: 'setCurrent',
    value: 0,
    does: 'Lets the motor coast.',
    allowed: ['limp', 'comingOn', 'driven', 'away'],
    source: `${FIRMWARE}, commands.c`,
  },
  {
    what: 'setCurrent',
    does: 'Drives with that current.',
    allowed: ['comingOn', 'driven'],
    source: `${FIRMWARE}, commands.c`,
  },
  {
    what: 'setBrake',
    does: 'Brakes with that current whichever way it turns; moves nothing, and holds nothing that stands.',
    allowed: ['limp', 'comingOn', 'driven', 'away'],
    source: `${FIRMWARE}, commands.c`,
  },
  {
    what: 'setServo',
    does: 'Steers there at once, as fast as the servo goes; no timeout takes it back.',
    allowed: ['comingOn', 'driven'],
    source: `${FIRMWARE}, commands.c, servo_simple`,
  },
];
