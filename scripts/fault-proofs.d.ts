import type { FaultProof } from '../src/safety/states/fault-reference.ts';
export function findFaultProofs(root: string): FaultProof[];
export function proofsIn(file: string, text: string): FaultProof[];
