export type { PlantOptions, PlantPayload, PlantWall } from './plant-options.ts';
export { RobotPlant } from './robot-plant.ts';
