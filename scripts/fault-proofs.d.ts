import type { FaultProof } from './fault-page.ts';
export function findFaultProofs(root: string): FaultProof[];
export function proofsIn(file: string, text: string): FaultProof[];
