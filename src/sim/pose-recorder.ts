/** Records the poses of all drawn geometry, for the pictures of an episode. */

import type { Scene } from '../drivers/index.ts';
import type { EpisodeRecording } from '../record/index.ts';
import type { SceneLayout } from '../rows/index.ts';

/** Ticks between two frames: 20 frames per second at 100 Hz. */
const TICKS_PER_FRAME = 5;

export class PoseRecorder {
  readonly #scene: Scene;
  readonly #focusM: readonly [number, number, number] | undefined;
  readonly #successDepthM: number | undefined;
  readonly #poses: Float64Array;
  readonly #frames: Float32Array[] = [];
  #ticks = 0;

  /** `successDepthM`: depth of success below the hole's mouth, m; `undefined` if there is no hole. */
  constructor(scene: Scene, layout: SceneLayout, successDepthM: number | undefined) {
    this.#scene = scene;
    this.#successDepthM = successDepthM;
    this.#poses = new Float64Array(7 * scene.geoms.length);
    const hole = layout.objects['hole'];
    this.#focusM = hole === undefined ? undefined : [hole[0], hole[1], hole[2]];
  }

  /** Must be called after every guard tick. */
  tick(): void {
    if (this.#ticks++ % TICKS_PER_FRAME !== 0) return;
    this.#scene.geomPoses(this.#poses);
    this.#frames.push(Float32Array.from(this.#poses));
  }

  finish(success: boolean, controlHz: number): EpisodeRecording {
    return {
      caption: '',
      success,
      geoms: this.#scene.geoms.map((geom) => ({ ...geom })),
      frames: this.#frames,
      frameS: TICKS_PER_FRAME / controlHz,
      ...(this.#focusM === undefined || this.#successDepthM === undefined
        ? {}
        : { focusM: this.#focusM, successDepthM: this.#successDepthM }),
    };
  }
}
