/** Robots of the bus trials: as in their files, but faster in first motions and exit ramps, so that a hundred trials take minutes. */
import { loadRobotFile, type RobotConfig } from '../../src/config/index.ts';
import type { ActionSpec } from '../../src/model/index.ts';

export const TRIAL_ROBOTS = ['so101', 'koch', 'race-car-vesc'] as const;
export type TrialRobot = (typeof TRIAL_ROBOTS)[number];
export const POLICY_PERIOD_S = 0.1;
export const LEASE_S = 0.2;
/** Duration of the exit ramp, s; the file's own 3 s would only add waiting. */
const EXIT_RAMP_S = 0.3;
/** The first motion after power-up runs at a twentieth of the highest speed. The trials' own motion is as slow as before. */
const FASTER = 3;

export function trialRobot(name: TrialRobot): RobotConfig {
  const { robot } = loadRobotFile(name);
  if (robot.base !== undefined) return robot;
  const joints = robot.joints.map((joint) => ({ ...joint, velocityMaxRadPerS: FASTER * joint.velocityMaxRadPerS }));
  return { ...robot, joints, exitRampS: EXIT_RAMP_S };
}

/** An arm's base and wrist move back and forth without touching anything. A car drives back and forth with its wheels in the air. */
export function trialAction({ base, joints }: RobotConfig): ActionSpec {
  if (base === undefined)
    return {
      kind: 'joint',
      dimensions: ['shoulder_pan', 'wrist_roll'].map((name) => ({ name, scale: 0.12, unit: 'rad' })),
    };
  return {
    kind: 'joint',
    dimensions: joints.map(({ name, kind }) => ({ name, scale: 0.1, unit: kind === 'path' ? 'm' : 'rad' })),
  };
}
