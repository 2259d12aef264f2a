export { namesOfBits, SAFETY_BITS, type SafetyBit } from './bits.ts';
export {
  type ChainReport,
  createChainReport,
  SafetyChain,
  type SafetyChainOptions,
  type SeedResult,
} from './chain.ts';
export { LimitMonitor } from './limit-monitor.ts';
