/** Acts in real time, on a machine that may hold everything up for a while. */

const ACTS = 3;
/** Begun later than this, a tick says nothing of how a guard keeps time, s: half of what stops a robot of 50 Hz (row 24). */
export const HELD_UP_S = 0.025;

/**
 * Does `act`, and does it anew where `isConclusive` says that the machine was held up meanwhile: up to three times, of which the last
 * counts whatever the machine did. What came out is judged afterwards, once.
 */
export async function actConclusively(act: () => Promise<void>, isConclusive: () => boolean): Promise<void> {
  for (let k = 1; k <= ACTS; k++) {
    await act();
    if (isConclusive()) return;
  }
}
