/** What can only stop, on a ROS graph in this process: `ros-memory/stopper-process.ts`. */
import '../../scripts/read-typescript.js';

await import('./ros-memory/stopper-process.ts');
