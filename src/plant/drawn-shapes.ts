/** Shapes of a simulation, for pictures, and their poses. */
import { quaternionFromMatrix } from '../model/index.ts';
import type { GeomShape } from '../rows/index.ts';
import type { Simulation } from './mujoco-module.ts';

const GEOM_TYPES: Readonly<Record<number, GeomShape['type']>> = {
  0: 'plane',
  2: 'sphere',
  3: 'capsule',
  5: 'cylinder',
  6: 'box',
  7: 'mesh',
};

export class DrawnShapes {
  readonly geoms: readonly GeomShape[];
  /** Indices of the geoms in the model. */
  readonly ids: readonly number[];
  readonly #simulation: Simulation;
  readonly #quaternion: Float64Array = new Float64Array(4);

  /** `isHidden`: returns true for names of shapes to be left out. */
  constructor(simulation: Simulation, isHidden: (name: string) => boolean = () => false) {
    const { model } = simulation;
    const types = model.geom_type as Int32Array;
    const sizes = model.geom_size as Float64Array;
    const colours = model.geom_rgba as Float32Array;
    this.#simulation = simulation;
    this.ids = [...types.keys()].filter((g) => !isHidden(simulation.nameOf('geom', g)));
    this.geoms = this.ids.map((g) => ({
      type: GEOM_TYPES[types[g]!] ?? 'mesh',
      sizeM: [sizes[3 * g]!, sizes[3 * g + 1]!, sizes[3 * g + 2]!] as const,
      rgba: [colours[4 * g]!, colours[4 * g + 1]!, colours[4 * g + 2]!, colours[4 * g + 3]!] as const,
      name: simulation.nameOf('geom', g),
    }));
  }

  /** Writes x, y, z (m) and quaternion w, x, y, z of each shape: `out` is [7·geoms]. */
  poses(out: Float64Array): void {
    const { geomPosition, geomRotation } = this.#simulation.views;
    for (let i = 0; i < this.ids.length; i++) {
      const g = this.ids[i]!;
      for (let k = 0; k < 3; k++) out[7 * i + k] = geomPosition[3 * g + k]!;
      quaternionFromMatrix(this.#quaternion, geomRotation.subarray(9 * g, 9 * g + 9));
      out.set(this.#quaternion, 7 * i + 3);
    }
  }
}
