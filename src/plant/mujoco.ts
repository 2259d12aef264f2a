/** MuJoCo: plants, and robots imported from MJCF and URDF. Loads WebAssembly. */

export { CarWheels, type Wheel } from './car-wheels.ts';
export { compilePlantImage } from './compile-plant.ts';
export { type DrawnPose, type DrawnScene, drawnScene, type SceneShape } from './drawn-scene.ts';
export { importRobot } from './import/import-robot.ts';
export type { ImportedJoint, ImportedRobot, NamedFrame, UnusableLimit } from './import/imported-robot.ts';
export { readModelFile, withIncludes } from './model/model-file.ts';
export { Simulation } from './mujoco-module.ts';
export { PegPlant } from './peg-plant.ts';
export { bareArmXml, fixtureXml } from './peg-scene.ts';
export { type PlantImage, type PlantOptions, plantOptions } from './plant-options.ts';
export { RobotPlant } from './robot-plant.ts';
