export { EnergyTank } from './energy-tank.ts';
export { springJ, springsJ } from './spring.ts';
