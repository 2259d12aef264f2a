/**
 * What can only stop, on a ROS graph in this process: `ros-memory/stopper-process.ts`. Where there is a file `no-stopper` in
 * REIN_TEST_FOLDER it does not come up, and is gone before it has cost the guard's tick anything.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

if (existsSync(join(process.env.REIN_TEST_FOLDER, 'no-stopper'))) process.exit(1);
await import('../../scripts/read-typescript.js');
await import('./ros-memory/stopper-process.ts');
