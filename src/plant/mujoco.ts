/** MuJoCo: plants, and robots imported from MJCF and URDF. Loads WebAssembly. */

export { CarWheels, type Wheel } from './car-wheels.ts';
export { compilePlantImage } from './compile-plant.ts';
export { type DrawnPose, type DrawnScene, drawnScene, type SceneShape } from './drawn-scene.ts';
export { DrawnShapes } from './drawn-shapes.ts';
export { kineticOf, potentialOf, refreshEnergies } from './energies.ts';
export { importRobot } from './import/import-robot.ts';
export type { ImportedJoint, ImportedRobot, NamedFrame, UnusableLimit } from './import/imported-robot.ts';
export { readModelFile, withIncludes } from './model/model-file.ts';
export { Simulation } from './mujoco-module.ts';
export { bareArmXml, fixtureXml, HOLE_OBJECT, pegSceneXml } from './peg-scene.ts';
export type { PlantImage, PlantOptions } from './plant-options.ts';
export { RobotPlant } from './robot-plant.ts';
export { ServoTorques } from './servo-torques.ts';
export type { Surroundings } from './surroundings.ts';
export { WristSensor } from './wrist-sensor.ts';
