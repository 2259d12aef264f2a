/** `ros2 run rein node`. */
import { runNode } from './node/run-node.ts';

process.exitCode = await runNode(process.argv.slice(2));
