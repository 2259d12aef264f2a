export { EMPTY_SHARE, EnergyTank, WELL_SHARE } from './energy-tank.ts';
export { springJ, springsJ } from './spring.ts';
