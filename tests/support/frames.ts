/** Guard frames made by hand, for tests of what reads them. */

import { createGuardFrame } from '../../src/guard/link/frames.ts';
import type { GuardFrame } from '../../src/rows/index.ts';

/** Where a frame shows the robot. */
export interface FramePose {
  /** Tool point measured and referred to, m. */
  readonly tipM?: readonly [number, number, number];
  /** Turn of a tool that points down, rad. */
  readonly yawRad?: number;
  readonly signals?: readonly number[];
  readonly wrench?: readonly number[];
}

/** A frame of a standing six-joint arm with a four-dimensional action. */
export function standingFrame({ tipM = [0, 0, 0], yawRad = 0, signals = [], wrench = [] }: FramePose = {}): GuardFrame {
  const frame = createGuardFrame(6, 5, 4);
  // Half a turn about x, then the yaw about the base's z axis.
  const pose = [...tipM, 0, Math.cos(yawRad / 2), Math.sin(yawRad / 2), 0];
  frame.measuredTcp.set(pose);
  frame.referenceTcp.set(pose);
  frame.robot.signals.set(signals);
  frame.robot.wrench.set(wrench);
  return frame;
}
