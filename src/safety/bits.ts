/** Report bits of the chain's stages. Written into every guard frame and transition: never reorder. */

/** One reason why a command was changed or refused. */
export interface SafetyBit {
  readonly name: string;
  readonly bit: number;
  /** Message for the operator. */
  readonly message: string;
  /** Unit of the quantity that was limited; `1` for none. */
  readonly unit: string;
  /** Origin of the rule: a stage, a field of the robot's description or a section of the docs. */
  readonly source: string;
}

export const COMMAND_NOT_FINITE: number = 1 << 0;
export const COMMAND_LENGTH: number = 1 << 1;
export const COMMAND_STALE: number = 1 << 2;
export const ACTION_CLAMPED: number = 1 << 3;
export const TARGET_LEASHED: number = 1 << 4;
export const TARGET_BOXED: number = 1 << 5;
export const START_REFUSED: number = 1 << 6;
export const VELOCITY_LIMITED: number = 1 << 7;
export const ACCEL_LIMITED: number = 1 << 8;
export const JOINT_BRAKE: number = 1 << 9;
export const BARRIER_STEERED: number = 1 << 10;
export const TANK_SLOWED: number = 1 << 11;
export const SHIELD_SCALED: number = 1 << 12;
export const SHIELD_BRAKE: number = 1 << 13;
export const SOLVER_REJECTED: number = 1 << 14;
export const NOT_SEEDED: number = 1 << 15;
export const STOP_LATCHED: number = 1 << 16;
export const JERK_LIMITED: number = 1 << 17;
export const BARRIER_BRAKE: number = 1 << 18;
export const TANK_HELD: number = 1 << 19;
export const TOOL_SPEED_LIMITED: number = 1 << 20;

/** All bits, in the order of the chain. */
export const SAFETY_BITS: readonly SafetyBit[] = [
  row(
    'commandNotFinite',
    COMMAND_NOT_FINITE,
    'The command held a NaN or an infinity; the arm brakes.',
    '1',
    'chain: sanitize',
  ),
  row(
    'commandLength',
    COMMAND_LENGTH,
    'The command has the wrong number of values; the arm brakes.',
    '1',
    'chain: sanitize',
  ),
  row('commandStale', COMMAND_STALE, 'The command is older than its lease; the arm brakes.', 's', 'chain: sanitize'),
  row('actionClamped', ACTION_CLAMPED, 'The action was outside [−1, 1] and was cut to it.', '1', 'chain: sanitize'),
  row(
    'targetLeashed',
    TARGET_LEASHED,
    'The target was too far ahead of the measured tool.',
    'm',
    'RobotModel.leashM, leashRad',
  ),
  row(
    'targetBoxed',
    TARGET_BOXED,
    'The target was outside the workspace or joint limits.',
    'm',
    'RobotModel.workspace',
  ),
  row(
    'startRefused',
    START_REFUSED,
    'The first target is too far from the measured pose.',
    'rad',
    'chain: start guard',
  ),
  row(
    'velocityLimited',
    VELOCITY_LIMITED,
    'A joint would have moved too fast.',
    'rad/s',
    'JointModel.velocityMaxRadPerS',
  ),
  row(
    'accelLimited',
    ACCEL_LIMITED,
    'A joint would have accelerated too hard.',
    'rad/s^2',
    'JointModel.accelMaxRadPerS2',
  ),
  row(
    'jointBrake',
    JOINT_BRAKE,
    'A joint could not have stopped before its limit.',
    'rad',
    'docs/safety-case.md, brake bound',
  ),
  row(
    'jerkLimited',
    JERK_LIMITED,
    'A joint would have changed its acceleration too suddenly.',
    'rad/s^3',
    'JointModel.jerkMaxRadPerS3',
  ),
  row(
    'barrierSteered',
    BARRIER_STEERED,
    'Steered away from a wall, a keep-out box or another link.',
    'm',
    'docs/safety-case.md, barrier',
  ),
  row(
    'barrierBrake',
    BARRIER_BRAKE,
    'No velocity kept all distances; the verified brake ran.',
    'm',
    'docs/safety-case.md, barrier',
  ),
  row(
    'toolSpeedLimited',
    TOOL_SPEED_LIMITED,
    'The tool, or another point of the arm, would have moved too fast.',
    'm/s',
    'RobotModel.toolSpeedMaxMPerS',
  ),
  row(
    'tankSlowed',
    TANK_SLOWED,
    'The energy tank did not hold enough for this motion; slowed down.',
    'J',
    'docs/safety-case.md, energy tank',
  ),
  row(
    'tankHeld',
    TANK_HELD,
    'The energy tank could not pay for the brake either; the set-point was held back.',
    'J',
    'docs/safety-case.md, energy tank',
  ),
  row(
    'shieldScaled',
    SHIELD_SCALED,
    'The brake path would have left the workspace; slowed down.',
    'm',
    'docs/safety-case.md, shield',
  ),
  row(
    'shieldBrake',
    SHIELD_BRAKE,
    'No slower motion was safe either; the verified brake ran.',
    'm',
    'docs/safety-case.md, shield',
  ),
  row('solverRejected', SOLVER_REJECTED, 'The motion could not be computed; the arm brakes.', '1', 'chain: action map'),
  row('notSeeded', NOT_SEEDED, 'No valid start pose; nothing moves.', '1', 'chain: seed'),
  row(
    'stopLatched',
    STOP_LATCHED,
    'Three broken commands within a second; stopped until seeded again.',
    '1',
    'chain: sanitize',
  ),
];

/** Returns the names of the bits set in `bits`, in the order of the chain. For display; allocates. */
export function namesOfBits(bits: number): readonly string[] {
  return SAFETY_BITS.filter((each) => (bits & each.bit) !== 0).map((each) => each.name);
}

function row(name: string, bit: number, message: string, unit: string, source: string): SafetyBit {
  return { name, bit, message, unit, source };
}
