export { Attacker } from './attacker.ts';
export { Genome } from './genome.ts';
export {
  actionSpecOf,
  canStartFar,
  PLANT_VARIANTS,
  type PlantVariant,
  planTrials,
  type TrialPlan,
  VARIANT_WORDS,
} from './plan.ts';
