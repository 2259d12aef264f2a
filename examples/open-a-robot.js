/**
 * Opens a simulated arm and drives it with a function of your own: down towards the hole that it is told of, with the
 * guard, the safety chain and the episodes of every run. Start it with: node open-a-robot.js
 */
const { openRobot, ReinError } = await import('rein').catch(() => {
  console.error('The package rein is not installed here: npm install --ignore-scripts rein-0.1.0.tgz');
  process.exit(1);
});

const EPISODES = 5;

const robot = await openRobot({ task: 'insert', seed: 1 });
try {
  // Where each named part begins in the newest frame of an observation: frames are stacked, the oldest first.
  const { fields, frames } = robot.observation;
  const frameSize = fields.reduce((sum, { size }) => sum + size, 0);
  const at = (name) => {
    const before = fields.slice(
      0,
      fields.findIndex((field) => field.name === name),
    );
    return (frames - 1) * frameSize + before.reduce((sum, { size }) => sum + size, 0);
  };
  const [offset, yaw] = [at('hole_offset'), at('yaw_offset')];

  for (let episode = 0; episode < EPISODES; episode++) {
    const result = await robot.episode((observation) => {
      const [x, y] = observation.subarray(offset, offset + 2);
      const isAbove = Math.hypot(x, y) < 0.1;
      return [clip(4 * x), clip(4 * y), isAbove ? -0.5 : 0, clip(4 * observation[yaw])];
    });
    const { filterShare, marginMin } = result.costs;
    console.log(
      `episode ${episode}: ${result.success ? 'inserted' : 'not inserted'} after ${result.steps} steps, ` +
        `filters changed ${(100 * filterShare).toFixed(1)} % of the ticks, least margin ${marginMin.toFixed(2)}`,
    );
  }
} catch (error) {
  if (!(error instanceof ReinError)) throw error;
  console.error(`${error.message} ${error.remedy ?? ''}`);
  process.exitCode = 1;
} finally {
  await robot.close();
}

function clip(value) {
  return Math.max(-1, Math.min(1, value));
}
