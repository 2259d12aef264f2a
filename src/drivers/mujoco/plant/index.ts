export { compilePlantImage } from './compile-plant.ts';
export type { PlantImage, PlantOptions, PlantPayload, PlantWall } from './plant-options.ts';
export { RobotPlant } from './robot-plant.ts';
