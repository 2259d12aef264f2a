export {
  type FilePlace,
  type ImportedJoint,
  type ImportedRobot,
  importRobot,
  type NamedFrame,
} from './import/index.ts';
export type { PackageFolders } from './model-file.ts';
export { MujocoDriver, type MujocoDriverOptions } from './mujoco-driver.ts';
export { bareArmXml, HOLE_OBJECT, type PegSceneSpec, pegSceneXml } from './peg-scene.ts';
export {
  compilePlantImage,
  type PlantImage,
  type PlantOptions,
  type PlantPayload,
  type PlantWall,
  RobotPlant,
} from './plant/index.ts';
export { PlantDriver, type PlantDriverOptions } from './plant-driver.ts';
