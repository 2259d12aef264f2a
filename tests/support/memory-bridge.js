/** The bridge on a ROS graph in this process: `ros-memory/bridge-process.ts`. */
import '../../scripts/read-typescript.js';

await import('./ros-memory/bridge-process.ts');
