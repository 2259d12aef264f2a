/**
 * Visual shapes of the robot for pages, compiled once on first request, in its own thread: it takes a second without a
 * pause, during which an operator's page would not be served.
 */
import { Worker } from 'node:worker_threads';
import { isMujoco, modelOf } from '../../drivers/index.ts';
import type { PlantDriverOptions } from '../../plant/index.ts';
import type { DrawnScene } from '../../plant/mujoco.ts';
import type { RunView } from '../../session/index.ts';

/** Parts of a run's description that the thread needs. */
export type SceneRequest = Pick<RunView, 'driver' | 'robot'>;
export type SceneAnswer = { readonly scene: DrawnScene | undefined } | { readonly problem: string };

/** Longest compile time of a robot's file, ms. */
const LIMIT_MS = 30_000;
const MOST_HEAP_MB = 512;

export class ScenePicture {
  #answer: Promise<SceneAnswer> | undefined;

  /** Shapes of `run`, compiled by the thread; always those of the first request. */
  of({ driver, robot }: SceneRequest): Promise<SceneAnswer> {
    // The thread with its simulator is started only for robots that it can draw.
    this.#answer ??= drawnBy(driver, robot);
    return this.#answer;
  }
}

/** A real robot is drawn by its own model, without its surroundings. */
function drawnBy(driver: SceneRequest['driver'], robot: SceneRequest['robot']): Promise<SceneAnswer> {
  if (isMujoco(robot.driver)) return compile({ driver, robot });
  const own = modelOf(robot.driver);
  if (own === undefined) return Promise.resolve({ scene: undefined });
  const { model: file, ...packages } = own;
  // Completes the type required by the thread's reader.
  const options: PlantDriverOptions = { file, ...packages, velocityFeedForward: false, signalNames: [] };
  return compile({ driver: { name: 'mujoco', options: { ...options } }, robot });
}

function compile(request: SceneRequest): Promise<SceneAnswer> {
  const worker = new Worker(new URL('./scene-thread.js', import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  const timer = setTimeout(() => void worker.terminate(), LIMIT_MS);
  return new Promise<SceneAnswer>((resolve) => {
    worker.once('message', resolve);
    worker.once('error', ({ message }) => resolve({ problem: message }));
    worker.once('exit', () => resolve({ problem: 'The file of the robot took too long.' }));
  }).finally(() => clearTimeout(timer));
}
