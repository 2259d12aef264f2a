import { onTestFinished } from 'vitest';
import { type ServoRig, type ServoRigOptions, servoRig } from './emulated-servos.ts';

/** A servo rig that is closed and removed when the test that asks for it ends. */
export function rigOfTest(options: ServoRigOptions): ServoRig {
  const rig = servoRig(options);
  onTestFinished(async () => {
    await rig.driver.close();
    rig.remove();
  });
  return rig;
}
