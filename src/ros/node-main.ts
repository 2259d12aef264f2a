/** `ros2 run rein node`. */
import { runNode } from './node/start/index.ts';

process.exitCode = await runNode(process.argv.slice(2));
