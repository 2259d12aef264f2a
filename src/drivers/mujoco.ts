/** MuJoCo: simulated robots, plants, and robots imported from MJCF and URDF. Loads WebAssembly. */
export { importRobot } from './import/import-robot.ts';
export type { ImportedJoint, ImportedRobot, NamedFrame, UnusableLimit } from './import/imported-robot.ts';
export { CarWheels, type Wheel } from './mujoco/car-wheels.ts';
export { compilePlantImage } from './mujoco/compile-plant.ts';
export { type DrawnPose, type DrawnScene, drawnScene, type SceneShape } from './mujoco/drawn-scene.ts';
export type { PackageFolders } from './mujoco/model-assets.ts';
export { readModelFile, withIncludes } from './mujoco/model-file.ts';
export { MujocoDriver } from './mujoco/mujoco-driver.ts';
export { Simulation } from './mujoco/mujoco-module.ts';
export type { MujocoDriverOptions, PegSceneSpec, PlantDriverOptions } from './mujoco/options.ts';
export { bareArmXml, fixtureXml } from './mujoco/peg-scene.ts';
export { PlantDriver } from './mujoco/plant-driver.ts';
export type { PlantImage, PlantOptions } from './mujoco/plant-options.ts';
export { RobotPlant } from './mujoco/robot-plant.ts';
