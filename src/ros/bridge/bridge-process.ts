/** The bridge as a program: `node bridge-process.js CONFIG.json LIFE`, started by the guard and by nobody else. */
import { openRosPort } from '../rclnodejs/rclnodejs-port.ts';
import { runBridge } from './process.ts';

await runBridge(openRosPort);
