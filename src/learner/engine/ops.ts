export * from './ops/index.ts';
