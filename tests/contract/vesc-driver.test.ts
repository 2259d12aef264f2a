import { carRig, pacedCar } from '../support/emulated-car.ts';
import { describeDriver } from './driver.contract.ts';

for (const mode of ['speed', 'current', 'duty'] as const) {
  describeDriver(`VESC (${mode})`, () => {
    const rig = carRig({
      signalNames: ['gyroZRadPerS', 'inputV'],
      // A motor with sensors, which turns as slowly as it is asked to.
      options: (options) => ({ ...options, drive: { ...options.drive, mode, erpmMin: 0, positionGainPerS: 6 } }),
    });
    const { driver: _, ...model } = rig.robot;
    return { driver: pacedCar(rig), model };
  });
}
