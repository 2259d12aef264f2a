/** The contract. Drivers themselves are loaded one by one, from their own folders, when a robot asks for them. */
export type { Driver, DriverBus, DriverStatus, GeomShape, Scene } from './driver.ts';
