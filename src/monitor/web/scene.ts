/**
 * The robot's own shapes for pages, compiled once and by whoever asks first, in a thread of its own: a second without a pause, in which
 * an operator's page would not be heard.
 */
import { Worker } from 'node:worker_threads';
import { isMujoco, modelOf } from '../../drivers/index.ts';
import type { PlantDriverOptions } from '../../plant/index.ts';
import type { DrawnScene } from '../../plant/mujoco.ts';
import type { RunView } from '../../session/index.ts';

/** What the thread needs of a run. */
export type SceneRequest = Pick<RunView, 'driver' | 'robot'>;
export type SceneAnswer = { readonly scene: DrawnScene | undefined } | { readonly problem: string };

/** Longest that a robot's file may take, ms. */
const LIMIT_MS = 30_000;
const MOST_HEAP_MB = 512;

export class ScenePicture {
  #answer: Promise<SceneAnswer> | undefined;

  /** What the thread has made of `run`: always of the first that was asked for. */
  of({ driver, robot }: SceneRequest): Promise<SceneAnswer> {
    // A thread with a simulator in it is started for what it can answer only.
    this.#answer ??= drawnBy(driver, robot);
    return this.#answer;
  }
}

/** A real robot is drawn by its own model, without what stands beside it. */
function drawnBy(driver: SceneRequest['driver'], robot: SceneRequest['robot']): Promise<SceneAnswer> {
  if (isMujoco(robot.driver)) return compile({ driver, robot });
  const own = modelOf(robot.driver);
  if (own === undefined) return Promise.resolve({ scene: undefined });
  const { model: file, ...packages } = own;
  // The type says what the thread's reader asks for.
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
