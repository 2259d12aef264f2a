export { type MeanInterval, meanInterval } from './intervals.ts';
export {
  type CurveSample,
  measured,
  partOf,
  readSamples,
  type SeedCurve,
  type StudyCurves,
  sampleOf,
  writeSamples,
} from './samples.ts';
export { judge, type Outcome, type Verdict } from './verdict.ts';
