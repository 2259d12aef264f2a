/** Which drivers a guard can open by name. Each is loaded only when it is asked for. */
import { ReinError, type RobotModel } from '../core/index.ts';
import type { Driver, MockDriverOptions, RosDriverOptions } from '../drivers/index.ts';
import type { MujocoDriverOptions, PlantDriverOptions } from '../drivers/mujoco.ts';
import type { RosMemory } from './ros/ros-memory.ts';

/** A driver and its options as plain data: they cross from process to process and from thread to thread. */
export type DriverConfig =
  | { readonly name: 'mock'; readonly options: MockDriverOptions }
  | { readonly name: 'mujoco'; readonly options: MujocoDriverOptions }
  | { readonly name: 'mujocoModel'; readonly options: PlantDriverOptions }
  | { readonly name: 'ros'; readonly options: RosDriverOptions; readonly processes: RosProcesses };

/** The programs that speak ROS for the guard, which loads none of it. */
export interface RosProcesses {
  /** Compiled modules, by path: of the bridge, and of the process that can only stop. */
  readonly bridgeModule: string;
  readonly stopperModule: string;
  /** `--ros-args …`: namespace and remaps. */
  readonly rosArguments: readonly string[];
}

/**
 * Makes the driver that `config` names; does not open it. Throws `ReinError` for a name that nobody knows.
 * Drivers that live in a worker thread only: serial ports need the main thread's event loop, and get their place
 * beside this function when they come. `ros`: what the main thread has made for a driver of that name.
 */
export async function createDriver(config: DriverConfig, model: RobotModel, ros?: RosMemory): Promise<Driver> {
  switch (config.name) {
    case 'mock': {
      const { MockDriver } = await import('../drivers/index.ts');
      return new MockDriver(model, config.options);
    }
    case 'mujoco': {
      const { MujocoDriver } = await import('../drivers/mujoco.ts');
      return new MujocoDriver(config.options);
    }
    case 'mujocoModel': {
      const { PlantDriver } = await import('../drivers/mujoco.ts');
      return new PlantDriver(model, config.options);
    }
    case 'ros': {
      if (ros === undefined) throw new ReinError('driver', 'A robot behind ROS 2 is driven by a guard process only.');
      const { RosDriver } = await import('../drivers/index.ts');
      const { WorkerRosLink } = await import('./ros/worker-ros-link.ts');
      return new RosDriver(model, config.options, new WorkerRosLink(ros, config.options));
    }
    default:
      throw new ReinError('config', `There is no driver named ${(config as { name: string }).name}.`, {
        remedy: 'Drivers: mock, mujoco, mujocoModel, ros.',
      });
  }
}
