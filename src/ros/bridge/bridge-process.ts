/** Entry point of the bridge: `node bridge-process.js CONFIG.json LIFE`, started only by the guard. */
import { openRosPort } from '../rclnodejs/rclnodejs-port.ts';
import { runBridge } from './process.ts';

await runBridge(openRosPort);
