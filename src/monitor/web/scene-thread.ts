/** Thread that runs the compiler of `scene.ts`: one request in, one answer out. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../model/index.ts';
import { drawnScene } from '../../plant/mujoco.ts';
import type { SceneAnswer, SceneRequest } from './scene.ts';

const { driver, robot } = workerData as SceneRequest;
const answer: SceneAnswer = await drawnScene(driver, robot).then(
  (scene) => ({ scene }),
  (error: unknown) => ({ problem: messageOf(error) }),
);
parentPort!.postMessage(answer);
