/** What a simulated run works with, put together once. */

import type { RunSetup } from '../config/index.ts';
import type { LearnerConnection, Mark, RunFolder, RunLog } from '../session/index.ts';
import type { KeyboardTeleop } from '../teleop/index.ts';
import type { EvaluationPool } from './evaluation-pool.ts';
import type { LearnerChild } from './learner-child.ts';
import type { SimulatedRobot } from './simulated-robot.ts';

/** A person's keys that are no motion, kept until they are looked at. */
export interface PersonSaid {
  mark: Mark | undefined;
  /** Enter was pressed while they were asked for something. */
  isSkipping: boolean;
}

/** All that has to be closed again, in the order in which it was opened. */
export interface Rig {
  readonly setup: RunSetup;
  readonly folder: RunFolder;
  readonly log: RunLog;
  readonly robot: SimulatedRobot;
  readonly learner: LearnerChild;
  readonly connection: LearnerConnection;
  readonly pool: EvaluationPool;
  readonly keyboard: KeyboardTeleop | undefined;
  /** Who gives the demonstrations; a person does at `keyboard`. */
  readonly demonstrations: 'scripted' | 'keyboard';
  /** What the person at `keyboard` has said since it was looked at last. */
  readonly said: PersonSaid;
  readonly signal: AbortSignal;
}
