export { type ArmCounts, ArmWitness, createArmCounts } from './arm-witness.ts';
export { EnergyLedger } from './energy-ledger.ts';
export { type StopSample, StopWatch } from './stop-watch.ts';
export { addCount, createCounts, createDistances, type Distances, Witness } from './witness.ts';
