/** Robots and what is around them as their MJCF or URDF has them: what can be read without the simulator. */
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
