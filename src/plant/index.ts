/** Robots and surroundings in MJCF or URDF: what can be read without the simulator. */
export type { PackageFolders } from './model/model-assets.ts';
export { type ModelSource, modelSource, packagesField, placedModel } from './model/model-source.ts';
export { readSceneFile, type SceneFile } from './model/scene-file.ts';
export {
  type MujocoDriverOptions,
  mujocoOptions,
  type PegSceneSpec,
  type PlantDriverOptions,
  placeSignals,
  type SurroundingsSpec,
} from './options.ts';
