/**
 * A driver of your own, named by my-arm.yaml and loaded by the guard alone. It obeys and measures, and decides nothing.
 * This one moves two joints in memory, with a lag; yours opens a bus and sends frames.
 */
import { createDriverReport, defineDriver } from 'rein';

const ENCODER_RANGE_RAD = 32;

function createArm(robot, signalNames, lagS) {
  const periodS = 1 / robot.controlHz;
  const share = periodS / (periodS + lagS);
  const position = Float64Array.from(robot.homeRad);
  const reference = Float64Array.from(robot.homeRad);
  let [isOpen, isEnabled, timeS] = [false, false, 0];
  return {
    report: createDriverReport(), // what it says of itself: faults of its hardware, an emergency stop, counters of its bus
    open: async () => {
      isOpen = true;
      const jointNames = robot.joints.map(({ name }) => name);
      // A real arm leaves isSimulated out, and the scene below: starting `rein run` lets this one move at once.
      return { name: 'my arm', jointNames, signalNames, isSimulated: true };
    },
    close: async () => {
      isOpen = isEnabled = false;
    },
    torque: (ratio) => {
      if (ratio === 1) reference.set(position);
      isEnabled = ratio > 0;
    },
    read: (out) => {
      if (!isOpen) return 'lost';
      timeS += periodS;
      for (let i = 0; i < position.length; i++) {
        const movedRad = isEnabled ? share * (reference[i] - position[i]) : 0;
        position[i] += movedRad;
        out.velocityRadPerS[i] = movedRad / periodS;
      }
      out.positionRad.set(position);
      out.measuredAtS = timeS;
      return 'ok';
    },
    write: (referenceRad) => {
      if (!isEnabled) return 'lost';
      // The last gate before the bus; NaN fails it too.
      if (!referenceRad.every((value) => Math.abs(value) < ENCODER_RANGE_RAD)) return 'rejected';
      reference.set(referenceRad);
      return 'ok';
    },
    service: () => 'nothing',
    takeNotice: () => undefined,
    scene: { geoms: [], geomPoses: () => undefined, reset: ({ jointsRad }) => position.set(jointsRad) },
  };
}

export default defineDriver({
  name: 'my arm',
  options: { parse: ({ lagS = 0.05 }) => ({ lagS: Number(lagS) }) },
  create: ({ robot, signalNames, options }) => createArm(robot, signalNames, options.lagS),
});
