/** The driver of `examples/`: a plugin, taken by the path of its module. */
import type { DriverPlugin } from '../../src/drivers/index.ts';
import { ur5eLike } from '../support/robot-models.ts';
import { describeDriver } from './driver.contract.ts';

const module = new URL('../../examples/my-arm.js', import.meta.url).href;

describeDriver("example's", async () => {
  const { default: arm } = (await import(module)) as { default: DriverPlugin };
  const context = { robot: ur5eLike, signalNames: [], options: arm.options?.parse({}) };
  return { driver: await arm.create(context), model: ur5eLike };
});
