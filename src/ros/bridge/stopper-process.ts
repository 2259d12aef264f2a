/** Entry point of the stopper, which can only stop the robot: `node stopper-process.js CONFIG.json LIFE`, started by the guard. */
import { openRosPort } from '../rclnodejs/rclnodejs-port.ts';
import { runStopper } from './process.ts';

await runStopper(openRosPort);
