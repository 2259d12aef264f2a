/** `ros2 run rein sim`: a simulated robot behind plain ROS controllers' topics. */
import { endsWith } from '../../../../src/host/index.ts';
import { openRosPort } from '../../../../src/ros/program.ts';
import { runSim } from './run-sim.ts';

const end = new AbortController();
endsWith(() => end.abort());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end.abort());

const code = await runSim({
  argv: process.argv.slice(2),
  ports: openRosPort,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  signal: end.signal,
});
process.exit(code);
