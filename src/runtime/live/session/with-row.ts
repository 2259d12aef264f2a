/** `The robot does not answer (fault 10).`: a sentence that names its row of the fault table. */
export function withRow(sentence: string, row: number): string {
  return `${sentence.replace(/\.$/, '')} (fault ${row}).`;
}
