/** What a kind of driver is to the rest of the program: what a robot's file says of it, and how it is made. */
import type { z } from 'zod';
import type { RobotModel } from '../core/index.ts';
import type { ModelSource, PegSceneSpec, SurroundingsSpec } from '../plant/index.ts';
import type { Driver } from './driver.ts';
import type { RosDriverOptions, RosProcesses } from './ros/options.ts';
import type { RosLink } from './ros/protocol.ts';
import type { OpenLine } from './serial/line.ts';

/** `driver` of a robot's file; each kind has keys of its own beside this one. */
export interface DriverConfig {
  readonly kind: string;
}

/** What a driver is made with: plain data, which crosses from process to process and from thread to thread. */
export interface DriverOptions {
  /** Names of `RobotState.signals`. */
  readonly signalNames?: readonly string[] | undefined;
  /** Each kind has more. */
  readonly [option: string]: unknown;
}

/** A driver may take this long to load and open, ms. */
export const DRIVER_OPEN_LIMIT_MS = 15_000;

/** A driver by its kind, with everything that a guard makes it from. */
export interface DriverSpec {
  readonly name: string;
  readonly options: DriverOptions;
  /** For a kind that needs `ros`. */
  readonly processes?: RosProcesses | undefined;
}

/** What a robot's file is turned into options for. */
export interface DriverRequest {
  readonly robot: RobotModel;
  /** Name of the task, for messages, and the numbers that it wants from the driver. */
  readonly task: string;
  readonly signalNames: readonly string[];
  /** Measures of the scene that the task is about. Throws `ReinError` where it is about none. */
  readonly scene: () => PegSceneSpec;
  /** What the task puts around a robot that is simulated from its own file. Absent: nothing, and it gives no signals. */
  readonly surroundings?: SurroundingsSpec | undefined;
}

/** What a driver is made in. */
export interface DriverContext {
  readonly model: RobotModel;
  /** For a kind that needs `ros`: the tick's end of the pipes to the processes that speak it. Only a guard process has them. */
  readonly rosLink?: ((options: RosDriverOptions) => Promise<RosLink>) | undefined;
  /** For a kind on a serial port: opens it. */
  readonly openLine?: OpenLine | undefined;
  /** See `ServoDriverParts`. */
  readonly torqueFound?: 'refuse' | 'letGo' | undefined;
}

/**
 * Where a robot stands. `real`: in the world, or stands for one that does. `empty`: simulated, with nothing around it. `scene`:
 * simulated, among the things of the task, which software can put back.
 */
export type World = 'real' | 'empty' | 'scene';

/** One kind of driver; all of them are in `registry.ts`. */
export interface DriverKind<Config extends DriverConfig = DriverConfig, Options extends DriverOptions = DriverOptions> {
  readonly kind: string;
  /** What may be written under `driver` in a robot's file. */
  readonly schema: z.ZodType<Config>;
  /** What `create` takes. */
  readonly options: z.ZodType<Options>;
  /** What the guard has to start for it: processes that speak ROS; its main thread, which opens serial ports. */
  readonly needs?: 'ros' | 'serial';
  /** Nothing real moves by it, whatever its options: no harm comes of a late tick, and its time may be moved by a test. */
  readonly movesNothing?: true;
  world(config: Config): World;
  /** The robot's own MJCF or URDF: what stands for it in simulation and in checks, and is drawn. Absent: none is known. */
  model?(config: Config): ModelSource | undefined;
  /** Names of the numbers that `config` measures for a task. Absent: the simulator measures all, or nobody knows. */
  signals?(config: Config): readonly string[];
  /** What contradicts itself in `config`, beyond the range of each number. */
  problems?(config: Config): readonly string[];
  /** The same with paths made absolute by `from`, which knows the folder of the robot's file. `named`: what commands call that file. */
  withPaths?(config: Config, from: (path: string) => string, named: string): Config;
  /** Throws `ReinError('config')` where the robot's file and what is asked of it do not fit. */
  optionsOf(config: Config, request: DriverRequest): Options;
  /** Whether software can put robot and objects in place. Absent: it can try. */
  arrangesScene?(options: Options): boolean;
  /** Makes the driver, whose code is loaded now; does not open it. */
  create(options: Options, context: DriverContext): Promise<Driver>;
}
