/** What a kind of task is to the rest of the program: its file, what that is checked against, what is made of it, and who can do it. */
import type { z } from 'zod';
import type { GuardFrame, Rng, RobotModel } from '../core/index.ts';
import type { DriverConfig } from '../drivers/index.ts';
import type { PegSceneSpec, SurroundingsSpec } from '../plant/index.ts';
import type { OperatorContext, TeleopSource } from '../teleop/index.ts';
import type { Places } from './described/places.ts';
import type { Task } from './task.ts';

/** A robot's file, as far as tasks are checked against it. */
export interface TaskRobot extends RobotModel {
  readonly driver: DriverConfig;
}

/** Something that does not agree at `path` of a task's file; `message` is a sentence without its full stop. */
export interface TaskProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** How the robot gets back to where an episode may begin. */
export type ResetPlan =
  | { readonly by: 'people' }
  | {
      readonly by: 'script';
      readonly maxSteps: number;
      readonly pace: number;
      /** Draws the way: targets of [A] numbers, m and rad in the action's dimensions, NaN where one stays as it is. */
      readonly way: (rng: Rng) => readonly (readonly number[])[];
    }
  | {
      readonly by: 'policy';
      readonly maxSteps: number;
      readonly file: string;
      /** Whether an episode may begin at `frame`; after so many steps in a row. */
      readonly isBack: (frame: GuardFrame) => boolean;
      readonly forSteps: number;
    };

/** One kind of task; all of them are in `task-kinds.ts`. */
export interface TaskKind<Config extends { readonly kind: string } = { readonly kind: string }> {
  readonly kind: Config['kind'];
  /** What is written in a file. */
  readonly schema: z.ZodType<Config>;
  /** The task on `robot`. Throws `ReinError`, and `RangeError` for what no file can say. */
  create(config: Config, robot: RobotModel): Task;
  /** Named places that rules may be about, with the signals that they read. Absent: tool and base. */
  places?(config: Config): Places;
  /** How the robot gets back to where an episode may begin. Absent: software puts it there, or people do, without being asked. */
  reset?(config: Config, robot: RobotModel): ResetPlan | undefined;
  /** What does not agree within `config`, and with `robot`. `isActionRight`: nothing is wrong with its action itself. */
  problems(config: Config, robot: TaskRobot, isActionRight: boolean): readonly TaskProblem[];
  /** `robot` as the task uses it: a smaller workspace, another home. Nothing is wrong with the two. Absent: as it is. */
  narrowed?<R extends TaskRobot>(config: Config, robot: R): R;
  /** The same with paths made absolute by `from`, which knows the folder of the task's file. Absent: it has none of its own. */
  withPaths?(config: Config, from: (path: string) => string): Config;
  /** What people alone do of it, though there may be scripts. Absent, `undefined`: nothing, or all of it where there is no `operator`. */
  needsPeople?(config: Config): 'arrange' | 'judge' | undefined;
  /** A script that shows the task, or takes over in it. Absent: people alone arrange, judge and show it. Throws `ReinError`. */
  operator?(config: Config, context: Omit<OperatorContext, 'options'>): TeleopSource;
  /** Measures of the scene that is simulated for it. Absent: it is about no scene of ours. */
  scene?(config: Config): PegSceneSpec;
  /** What is put around a robot that is simulated from its own file. Absent: nothing. */
  surroundings?(config: Config): SurroundingsSpec;
  /** How deep below the hole's mouth success is, m, for pictures. Absent: there is no hole. */
  successDepthM?(config: Config): number;
}

/** The operator of one who is nowhere: never takes over. */
export const NOBODY: TeleopSource = {
  name: 'nobody',
  decidedBy: 'scripted',
  poll: (_observation, _nowS, out) => {
    out.active = false;
  },
  reset: () => undefined,
  close: () => undefined,
};
