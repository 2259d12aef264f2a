import { arm6Driver, arm6Setup } from '../support/arm6.ts';
import { describeDriver } from './driver.contract.ts';

const setup = arm6Setup();
describeDriver('simulated', () => ({ driver: arm6Driver(setup), model: setup.config.robot }));
