/** Driver kind: schema of the `driver` section of a robot file, and factory of the driver. */
import type { z } from 'zod';
import type { RobotModel } from '../model/index.ts';
import type { ModelSource, PegSceneSpec, SurroundingsSpec } from '../plant/index.ts';
import type { Driver } from './driver.ts';
import type { RosDriverOptions, RosProcesses } from './ros/options.ts';
import type { RosLink } from './ros/protocol.ts';
import type { OpenLine } from './serial/line.ts';

/** `driver` section of a robot file; each kind adds keys of its own. */
export interface DriverConfig {
  readonly kind: string;
}

/** Options that a driver is created with: plain data, passed between processes and threads. */
export interface DriverOptions {
  /** Names of `RobotState.signals`. */
  readonly signalNames?: readonly string[] | undefined;
  /** Further options of the kind. */
  readonly [option: string]: unknown;
}

/** Longest time to load and open a driver, ms. */
export const DRIVER_OPEN_LIMIT_MS = 15_000;

/** Kind name and options from which the guard creates a driver. */
export interface DriverSpec {
  readonly name: string;
  readonly options: DriverOptions;
  /** Only for kinds that need `ros`. */
  readonly processes?: RosProcesses | undefined;
}

/** Input from which a robot file is resolved into driver options. */
export interface DriverRequest {
  readonly robot: RobotModel;
  /** Task name, used in messages. */
  readonly task: string;
  readonly signalNames: readonly string[];
  /** Dimensions of the task's scene. Throws `ReinError` if the task has none. */
  readonly scene: () => PegSceneSpec;
  /** Surroundings that the task adds to a robot simulated from its own file. Absent: none, and no signals. */
  readonly surroundings?: SurroundingsSpec | undefined;
}

/** Context passed to `create`. */
export interface DriverContext {
  readonly model: RobotModel;
  /** For kinds that need `ros`: opens the tick thread's end of the pipes to the ROS processes. Present in guard processes only. */
  readonly rosLink?: ((options: RosDriverOptions) => Promise<RosLink>) | undefined;
  /** For kinds on a serial port: opens the port. */
  readonly openLine?: OpenLine | undefined;
  /** See `ServoDriverParts`. */
  readonly torqueFound?: 'refuse' | 'letGo' | undefined;
}

/**
 * Environment of a robot. `real`: hardware, or treated as such. `empty`: simulated, without surroundings. `scene`:
 * simulated, among the task's objects, which software can reset.
 */
export type World = 'real' | 'empty' | 'scene';

/** Driver kind; all kinds are listed in `registry.ts`. */
export interface DriverKind<Config extends DriverConfig = DriverConfig, Options extends DriverOptions = DriverOptions> {
  readonly kind: string;
  /** Schema of the `driver` section in a robot file. */
  readonly schema: z.ZodType<Config>;
  /** Schema of the options that `create` takes. */
  readonly options: z.ZodType<Options>;
  /** Service that the guard has to start: `ros`, the ROS processes; `serial`, the main thread, which opens serial ports. */
  readonly needs?: 'ros' | 'serial';
  /** Nothing real moves, whatever the options: a late tick does no harm, and tests may control its clock. */
  readonly movesNothing?: true;
  world(config: Config): World;
  /** MJCF or URDF of the robot, used for simulation, checks and drawing. Absent: unknown. */
  model?(config: Config): ModelSource | undefined;
  /** Names of the signals that `config` measures for a task. Absent: the simulator measures all, or they are unknown. */
  signals?(config: Config): readonly string[];
  /** Contradictions in `config` beyond the range of each number. */
  problems?(config: Config): readonly string[];
  /**
   * Makes the paths in `config` absolute by `from`, which knows the robot file's folder. `named`: name of that file in
   * commands.
   */
  withPaths?(config: Config, from: (path: string) => string, named: string): Config;
  /** Resolves the driver options. Throws `ReinError('config')` if robot file and request are incompatible. */
  optionsOf(config: Config, request: DriverRequest): Options;
  /** True if software can reset robot and objects. Absent: it can try. */
  arrangesScene?(options: Options): boolean;
  /** Loads the driver's code and creates the driver without opening it. */
  create(options: Options, context: DriverContext): Promise<Driver>;
}
