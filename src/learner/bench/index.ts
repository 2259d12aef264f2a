export {
  benchLearner,
  type LearnerBenchCase,
  type LearnerBenchOptions,
  type LearnerBenchResult,
  serveBlocks,
} from './bench.ts';
export { BareTrainer } from './trainer.ts';
