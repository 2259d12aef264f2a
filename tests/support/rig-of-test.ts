import { onTestFinished } from 'vitest';
import { type ServoRig, type ServoRigOptions, servoRig } from './emulated-servos.ts';

/** One that is closed and removed at the end of the test that asks for it. */
export function rigOfTest(options: ServoRigOptions): ServoRig {
  const rig = servoRig(options);
  onTestFinished(async () => {
    await rig.driver.close();
    rig.remove();
  });
  return rig;
}
