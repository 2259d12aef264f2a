import { MockDriver } from '../../src/drivers/mock/index.ts';
import { oddArm3, ur5eLike } from '../support/robot-models.ts';
import { describeDriver } from './driver.contract.ts';

describeDriver('mock (six joints)', () => ({ driver: new MockDriver(ur5eLike), model: ur5eLike }));
describeDriver('mock (three joints)', () => ({
  driver: new MockDriver(oddArm3, { signalNames: ['depthM'] }),
  model: oddArm3,
}));
