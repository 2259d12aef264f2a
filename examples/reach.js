/**
 * A task of your own, named by reach.yaml: bring the tool of a planar arm to a place that is drawn anew in every episode.
 * It is pure: the same generator draws the same episodes, and no clock is read.
 */
import { defineTask } from 'rein';

class Reach {
  signalNames = [];
  target = new Float64Array(2);

  constructor({ name, robot, action, maxSteps, observation, options }) {
    Object.assign(this, { name, action, maxSteps, robot, toleranceM: options.toleranceM });
    this.goal = `success is the tool within ${1e3 * options.toleranceM} mm of the target`;
    this.observation = {
      ...observation,
      fields: [
        { name: 'joints', size: robot.joints.length, unit: 'rad', frame: 'none' },
        { name: 'tool', size: 2, unit: 'm', frame: 'base' },
        { name: 'offset', size: 2, unit: 'dm', frame: 'base' },
      ],
    };
  }

  drawLayout(rng) {
    const angleRad = rng.uniformIn(-0.8, 0.8);
    const radiusM = rng.uniformIn(0.35, 0.5);
    const [x, y] = [radiusM * Math.cos(angleRad), radiusM * Math.sin(angleRad)];
    this.target.set([x, y]);
    return { jointsRad: this.robot.homeRad, objects: { target: [x, y, 0, 0] }, signals: {} };
  }

  observe(out, offset, { robot, measuredTcp }) {
    const joints = robot.positionRad.length;
    out.set(robot.positionRad, offset);
    out.set([measuredTcp[0], measuredTcp[1]], offset + joints);
    out.set([10 * (this.target[0] - measuredTcp[0]), 10 * (this.target[1] - measuredTcp[1])], offset + joints + 2);
  }

  judge({ measuredTcp }, out) {
    const missM = Math.hypot(measuredTcp[0] - this.target[0], measuredTcp[1] - this.target[1]);
    out.success = missM < this.toleranceM;
    out.reward = out.success ? 1 : 0;
    out.terminated = out.success;
  }
}

export default defineTask({
  name: 'reach',
  options: { parse: ({ toleranceM = 0.02 }) => ({ toleranceM: Number(toleranceM) }) },
  create: (context) => new Reach(context),
});
