/** Depth image by ray casting, which needs no graphics card. */
import type { DoubleBuffer, IntBuffer } from '@mujoco/mujoco';
import type { ImageShape } from '../../../../src/model/index.ts';
import type { Simulation } from '../../../../src/plant/mujoco.ts';

type Point = readonly [number, number, number];

/** Fixed camera. The image's upper edge is the one towards +z. */
export interface DepthView {
  readonly eyeM: Point;
  readonly targetM: Point;
  /** Field of view of the whole image, edge to edge. */
  readonly fieldOfViewRad: number;
  /** Width and height of the image. */
  readonly pixels: number;
  /** Depths along the view's axis that become 0 and 1 in the image. */
  readonly nearM: number;
  readonly farM: number;
}

/** Casts one ray through the middle of each pixel. Holds WebAssembly memory: call `close`. */
export class DepthCamera {
  readonly shape: ImageShape;
  readonly #simulation: Simulation;
  readonly #view: DepthView;
  readonly #eye: number[];
  /** [3·pixels²] unit vectors, row by row from the upper left. */
  readonly #rays: number[];
  /** [pixels²] cosines of the rays to the view's axis: distance times this is depth. */
  readonly #cosines: Float64Array;
  readonly #distances: DoubleBuffer;
  readonly #geoms: IntBuffer;

  constructor(simulation: Simulation, view: DepthView) {
    const count = view.pixels ** 2;
    this.shape = { channels: 1, height: view.pixels, width: view.pixels };
    this.#simulation = simulation;
    this.#view = view;
    this.#eye = [...view.eyeM];
    const { rays, cosines } = raysOf(view);
    // The binding is typed for arrays of numbers; typed arrays cross faster.
    this.#rays = rays as unknown as number[];
    this.#cosines = cosines;
    this.#distances = new simulation.module.DoubleBuffer(count);
    this.#geoms = new simulation.module.IntBuffer(count);
  }

  /** Writes the frame into `out` from `offset` on, each pixel clip((depth − near)/(far − near), 0, 1); 1 without a hit. */
  capture(out: Float32Array, offset: number): void {
    const { module, model, data } = this.#simulation;
    const { nearM, farM, pixels } = this.#view;
    const count = pixels ** 2;
    // After a step, geoms are still where they were before it.
    module.mj_kinematics(model, data);
    const [distances, geoms] = [this.#distances, this.#geoms];
    // Rays end at the far depth in the corner: depth = distance · cosine.
    const reach = farM / this.#cosines[0]!;
    module.mj_multiRay(
      model,
      data,
      this.#eye,
      this.#rays,
      null as never,
      true,
      -1,
      geoms,
      distances,
      null,
      count,
      reach,
    );
    const hits = distances.GetView() as Float64Array;
    for (let i = 0; i < count; i++) {
      const distance = hits[i]!;
      const share = (distance * this.#cosines[i]! - nearM) / (farM - nearM);
      out[offset + i] = distance < 0 || share > 1 ? 1 : Math.max(0, share);
    }
  }

  close(): void {
    this.#distances.delete();
    this.#geoms.delete();
  }
}

function raysOf({ eyeM, targetM, fieldOfViewRad, pixels }: DepthView): { rays: Float64Array; cosines: Float64Array } {
  const forward = unit([targetM[0] - eyeM[0], targetM[1] - eyeM[1], targetM[2] - eyeM[2]]);
  // Straight down, +z has no direction in the image: its upper edge is then towards +y.
  const isSteep = Math.hypot(forward[0], forward[1]) < 1e-6;
  const right = unit(cross(forward, isSteep ? [0, 1, 0] : [0, 0, 1]));
  const up = cross(right, forward);
  const rays = new Float64Array(3 * pixels ** 2);
  const cosines = new Float64Array(pixels ** 2);
  const half = Math.tan(fieldOfViewRad / 2);
  for (let row = 0; row < pixels; row++) {
    for (let column = 0; column < pixels; column++) {
      const x = half * ((2 * column + 1) / pixels - 1);
      const y = half * (1 - (2 * row + 1) / pixels);
      const i = row * pixels + column;
      cosines[i] = 1 / Math.hypot(1, x, y);
      for (let k = 0; k < 3; k++) rays[3 * i + k] = cosines[i]! * (forward[k]! + x * right[k]! + y * up[k]!);
    }
  }
  return { rays, cosines };
}

function cross(a: Point, b: Point): Point {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit([x, y, z]: Point): Point {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}
