/**
 * A guard that is nothing but its ROS half: starts both processes and gives signs of life as the tick does, until it is
 * killed. Arguments: the options of `RosHalf` as JSON, and the kind of pulse.
 */
import { writeSync } from 'node:fs';
import { PULSE, ROS_MESSAGE } from '../../dist/drivers/index.js';
import { NumbersMessage } from '../../dist/guard/index.js';
import { RosHalf } from '../../dist/guard/ros/ros-half.js';

const half = new RosHalf({
  ...JSON.parse(process.argv[2]),
  onNotice: (notice) => process.send({ notice }),
  onUnguarded: () => undefined,
});
const words = new Int32Array(half.memory.words);
const pulse = new NumbersMessage(ROS_MESSAGE.pulse, PULSE.numbers);
setInterval(() => {
  pulse.numbers[PULSE.seq] += 1;
  pulse.numbers[PULSE.sentAtS] = Number(process.hrtime.bigint()) * 1e-9;
  pulse.numbers[PULSE.kind] = Number(process.argv[3]);
  pulse.numbers[PULSE.validForS] = 0.1;
  writeSync(half.memory.pulseFd, pulse.seal());
  if (words[1] === 1 && words[0] >= 0) process.send({ ready: half.pids });
}, 10);
