/** Interface of a kind of task to the rest of the program: its file schema, checks, task, and scripted operator. */
import type { z } from 'zod';
import type { DriverConfig } from '../drivers/index.ts';
import type { Rng, RobotModel } from '../model/index.ts';
import type { PegSceneSpec, SurroundingsSpec } from '../plant/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import type { OperatorContext, TeleopSource } from '../teleop/index.ts';
import type { Places } from './described/places.ts';
import type { Task } from './task.ts';

/** The part of a robot's file that tasks are checked against. */
export interface TaskRobot extends RobotModel {
  readonly driver: DriverConfig;
}

/** Inconsistency at `path` of a task's file; `message` is a sentence without its full stop. */
export interface TaskProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Procedure that returns the robot to where an episode may begin. */
export type ResetPlan =
  | { readonly by: 'people' }
  | {
      readonly by: 'script';
      readonly maxSteps: number;
      readonly pace: number;
      /** Draws the waypoints: [A] each, m and rad in the action's dimensions; NaN leaves a dimension unchanged. */
      readonly way: (rng: Rng) => readonly (readonly number[])[];
    }
  | {
      readonly by: 'policy';
      readonly maxSteps: number;
      readonly file: string;
      /** True if an episode may begin at `frame`; must hold for `forSteps` consecutive steps. */
      readonly isBack: (frame: GuardFrame) => boolean;
      readonly forSteps: number;
    };

/** One kind of task; `task-kinds.ts` lists all of them. */
export interface TaskKind<Config extends { readonly kind: string } = { readonly kind: string }> {
  readonly kind: Config['kind'];
  /** Schema of the task's file. */
  readonly schema: z.ZodType<Config>;
  /** Creates the task on `robot`. Throws `ReinError`, and `RangeError` for what no file can express. */
  create(config: Config, robot: RobotModel): Task;
  /** Named places for rules, with the signals that they read. Absent: tool and base. */
  places?(config: Config): Places;
  /** Reset plan between episodes. Absent: software resets the robot, or the operator does so without being asked. */
  reset?(config: Config, robot: RobotModel): ResetPlan | undefined;
  /** Inconsistencies within `config`, and with `robot`. `isActionRight`: the action itself is valid. */
  problems(config: Config, robot: TaskRobot, isActionRight: boolean): readonly TaskProblem[];
  /** `robot` as the task uses it: smaller workspace, other home. Called only if there are no problems. Absent: unchanged. */
  narrowed?<R extends TaskRobot>(config: Config, robot: R): R;
  /** `config` with paths made absolute by `from`, which knows the folder of the task's file. Absent: no paths of its own. */
  withPaths?(config: Config, from: (path: string) => string): Config;
  /** Part that only people can do despite an `operator`. Absent, `undefined`: none, or all of it if there is no `operator`. */
  needsPeople?(config: Config): 'arrange' | 'judge' | undefined;
  /** Script that demonstrates the task, or takes over in it. Absent: people arrange, judge and demonstrate it. Throws `ReinError`. */
  operator?(config: Config, context: Omit<OperatorContext, 'options'>): TeleopSource;
  /** Dimensions of the built-in scene simulated for the task. Absent: the task uses no built-in scene. */
  scene?(config: Config): PegSceneSpec;
  /** Scene added around a robot that is simulated from its own model file. Absent: nothing. */
  surroundings?(config: Config): SurroundingsSpec;
  /** Depth of success below the hole's mouth, m, for rendering. Absent: there is no hole. */
  successDepthM?(config: Config): number;
}

/** Operator that never takes over. */
export const NOBODY: TeleopSource = {
  name: 'nobody',
  decidedBy: 'scripted',
  poll: (_observation, _nowS, out) => {
    out.active = false;
  },
  reset: () => undefined,
  close: () => undefined,
};
