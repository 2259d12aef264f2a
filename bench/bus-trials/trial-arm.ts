/** The arm of the bus trials: the SO-101 as its file has it, let down and first tried faster, so that a hundred trials take minutes. */
import type { RobotConfig } from '../../src/config/index.ts';
import type { ActionSpec } from '../../src/core/index.ts';

export const POLICY_PERIOD_S = 0.1;
export const LEASE_S = 0.2;
/** How long torque takes to go off, s; the file's own 3 s change nothing but the wait. */
const EXIT_RAMP_S = 0.3;
/** The first motion after power-up goes at a twentieth of the highest speed. The trials' own motion is as slow as before. */
const FASTER = 3;

export function trialConfig(robot: RobotConfig): RobotConfig {
  const joints = robot.joints.map((joint) => ({ ...joint, velocityMaxRadPerS: FASTER * joint.velocityMaxRadPerS }));
  return { ...robot, joints, exitRampS: EXIT_RAMP_S };
}

/** The base goes to and fro, and the wrist with it: nothing touches anything. */
export const TRIAL_ACTION: ActionSpec = {
  kind: 'joint',
  dimensions: [
    { name: 'shoulder_pan', scale: 0.12, unit: 'rad' },
    { name: 'wrist_roll', scale: 0.12, unit: 'rad' },
  ],
};
