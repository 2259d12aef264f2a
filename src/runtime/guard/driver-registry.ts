/** Which drivers a guard can open by name. Each is loaded only when it is asked for. */
import { ReinError, type RobotModel } from '../../core/index.ts';
import type { Driver } from '../../drivers/index.ts';
import type { MockDriverOptions } from '../../drivers/mock/index.ts';
import type { MujocoDriverOptions } from '../../drivers/mujoco/index.ts';

/** A driver and its options as plain data: they cross from process to process and from thread to thread. */
export type DriverConfig =
  | { readonly name: 'mock'; readonly options: MockDriverOptions }
  | { readonly name: 'mujoco'; readonly options: MujocoDriverOptions };

/**
 * Makes the driver that `config` names; does not open it. Throws `ReinError` for a name that nobody knows.
 * Drivers that live in a worker thread only: serial ports need the main thread's event loop, and get their place
 * beside this function when they come.
 */
export async function createDriver(config: DriverConfig, model: RobotModel): Promise<Driver> {
  switch (config.name) {
    case 'mock': {
      const { MockDriver } = await import('../../drivers/mock/index.ts');
      return new MockDriver(model, config.options);
    }
    case 'mujoco': {
      const { MujocoDriver } = await import('../../drivers/mujoco/index.ts');
      return new MujocoDriver(config.options);
    }
    default:
      throw new ReinError('config', `There is no driver named ${(config as { name: string }).name}.`, {
        remedy: 'Drivers: mock, mujoco.',
      });
  }
}
